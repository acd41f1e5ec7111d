//! Neovim with the plug-in of `editors/neovim`, installed as a package: Lua specs without a screen,
//! and the screen itself.

use super::fleet::Fleet;
use super::skip::skip;
use super::stage::{Stage, git, installed, tool};
use serde_json::{Map, Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn specs() -> PathBuf {
    fs::canonicalize(REPOSITORY).unwrap().join("tests/editors/neovim")
}

/// Neovim with the plug-in and the server in its environment; `None` if it is not installed.
fn neovim(stage: &Stage) -> Option<Command> {
    let neovim = tool("neovim/bin/nvim", "nvim")?;
    let start = stage.beside("home/.local/share/nvim/site/pack/costline/start");
    fs::create_dir_all(&start).unwrap();
    std::os::unix::fs::symlink(
        fs::canonicalize(REPOSITORY).unwrap().join("editors/neovim"),
        start.join("costline"),
    )
    .unwrap();

    let path = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths(std::iter::once(stage.beside("")).chain(env::split_paths(&path))).unwrap();
    let mut command = Command::new(&neovim);
    command
        .env("PATH", path)
        .env("COSTLINE_SPECS", specs())
        .env("NVIM", neovim)
        .current_dir(stage.beside("gridworld"));
    Some(command)
}

/// Runs a spec. No client or server may report an error.
#[track_caller]
fn run(spec: &str) {
    let stage = Stage::new();
    if let Some(mut command) = neovim(&stage) {
        run_on(&stage, &mut command, spec);
    }
}

/// Runs a spec in one start of Neovim. No client or server may report an error.
#[track_caller]
fn run_on(stage: &Stage, command: &mut Command, spec: &str) {
    let start = format!("luafile {}", specs().join("start.lua").display());
    stage.run(command.env("COSTLINE_SPEC", spec).args(["--headless", "-i", "NONE", "-c", &start]));
    no_errors(stage);
}

/// Runs a spec that starts Neovim in a terminal (tmux).
#[track_caller]
fn run_in_terminal(spec: &str) {
    let stage = Stage::new();
    let (Some(mut command), Some(_)) = (neovim(&stage), tool("tmux", "tmux")) else { return };
    stage.run(command.arg("-l").arg(specs().join(spec)));
    no_errors(&stage);
}

/// The problems that specs cause.
const CAUSED: [&str; 6] = [
    "no such server",
    "minpercent",
    ".cpuprofile: byte ",
    "/coz.profile: ",
    "/base.speedscope.json: cannot be compared",
    "/gone.folded does not exist",
];

/// The log of Neovim's LSP clients must contain no errors and nothing from the server, except for
/// the problems that specs cause.
#[track_caller]
fn no_errors(stage: &Stage) {
    let log =
        fs::read_to_string(stage.beside("home/.local/state/nvim/lsp.log")).unwrap_or_default();
    let errors: Vec<_> = log
        .lines()
        .filter(|line| line.contains("[ERROR]") || line.contains("\"costline: "))
        .filter(|line| !CAUSED.iter().any(|problem| line.contains(problem)))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn neovim_shows_costs_beside_the_code() {
    run("shown.lua");
}

#[test]
fn neovim_plug_in_has_a_repository_of_its_own() {
    let stage = Stage::new();
    let Some(mut command) = neovim(&stage) else { return };
    let folder = stage.beside("");
    git(&folder, &["init", "--quiet", "--bare", "--initial-branch", "main", "costline.nvim"]);
    let people =
        ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"];
    for _ in ["the first version", "the same version"] {
        let mut publish = Command::new(format!("{REPOSITORY}/dist/neovim"));
        publish.envs(people.map(|name| (name, "a@example.org")));
        assert!(publish.arg(stage.beside("costline.nvim")).status().unwrap().success());
    }
    let plug_in = stage.beside("home/.local/share/nvim/site/pack/costline/start/costline");
    fs::remove_file(&plug_in).unwrap();
    git(&folder, &["clone", "--quiet", "costline.nvim", plug_in.to_str().unwrap()]);
    assert!(plug_in.join("LICENSE-MIT").is_file());
    run_on(&stage, &mut command, "shown.lua");
}

#[test]
fn neovim_shows_messages_of_one_line() {
    run_in_terminal("messages.lua");
}

#[test]
fn neovim_has_colors_in_terminals() {
    run_in_terminal("colors.lua");
}

#[test]
fn neovim_runs_every_subcommand() {
    run("commands.lua");
}

#[test]
fn neovim_shows_the_call_tree() {
    run("tree.lua");
}

#[test]
fn neovim_shows_annotated_sources() {
    run("annotate.lua");
}

#[test]
fn neovim_draws_a_flame_graph() {
    run("flamegraph.lua");
}

/// With a py-spy that copies the second recording.
#[test]
fn neovim_records_a_profile() {
    let stage = Stage::new();
    let Some(mut command) = neovim(&stage) else { return };
    let recorder = stage.beside("py-spy");
    let next = stage.beside("next.folded");
    fs::write(&recorder, format!("#!/bin/sh\ncp '{}' \"$6\"\n", next.display())).unwrap();
    fs::set_permissions(&recorder, Permissions::from_mode(0o755)).unwrap();
    run_on(&stage, &mut command, "record.lua");
}

#[test]
fn neovim_fetches_a_profile_and_compares_it_with_last_week() {
    let stage = Stage::new();
    let (Some(mut command), Some(_fleet)) = (neovim(&stage), Fleet::start(&stage)) else { return };
    run_on(&stage, &mut command, "fetch.lua");
}

#[test]
fn neovim_lists_hot_spots_in_pickers() {
    let stage = Stage::new();
    let (Some(mut command), Some(_)) = (neovim(&stage), tool("tmux", "tmux")) else { return };
    // They are on no registry, so they cannot be had everywhere.
    let pickers = installed("neovim-pickers");
    if !pickers.is_dir() {
        return skip("the picker plug-ins of Neovim are not installed");
    }
    let spec = specs().join("pickers.lua");
    stage.run(command.env("COSTLINE_PICKERS", pickers).arg("-l").arg(spec));
    no_errors(&stage);
}

#[test]
fn neovim_restarts_a_killed_server() {
    run("server.lua");
}

#[test]
fn neovim_describes_functions_of_two_projects() {
    run("projects.lua");
}

#[test]
fn neovim_shows_problems_and_fixes_them() {
    run("problems.lua");
}

#[test]
fn neovim_keeps_costs_on_their_lines() {
    let stage = Stage::new();
    let Some(mut command) = neovim(&stage) else { return };
    stage.commit();
    run_on(&stage, &mut command, "edits.lua");
    run_on(&stage, &mut command, "restarted.lua");
    // Then the recorded text is in Git only.
    fs::remove_dir_all(stage.beside("home/.cache/costline")).unwrap();
    run_on(&stage, &mut command, "restarted.lua");
    run_on(&stage, command.current_dir(stage.clone_repository()), "restarted.lua");
}

#[test]
fn neovim_shows_new_costs_on_the_screen() {
    let stage = Stage::new();
    let (Some(mut command), Some(_)) = (neovim(&stage), tool("tmux", "tmux")) else { return };
    let pictures =
        env::var_os("COSTLINE_PICTURES").map_or_else(|| stage.beside("pictures"), PathBuf::from);
    stage.run(
        command
            .env("COSTLINE_PICTURE", pictures.join("neovim.png"))
            .arg("-l")
            .arg(specs().join("screen.lua")),
    );
    no_errors(&stage);
}

#[test]
fn neovim_shows_a_mercury_program() {
    let stage = Stage::new();
    let (Some(mut command), Some(_)) = (neovim(&stage), tool("tmux", "tmux")) else { return };
    let pictures =
        env::var_os("COSTLINE_PICTURES").map_or_else(|| stage.beside("pictures"), PathBuf::from);
    fs::create_dir_all(&pictures).unwrap();
    stage.run(
        command
            .env("COSTLINE_PICTURE", pictures.join("neovim-mercury.png"))
            .current_dir(stage.mercury())
            .arg("-l")
            .arg(specs().join("mercury.lua")),
    );
    no_errors(&stage);
}

/// The hottest file of a fixture with the totals of its hottest lines in percent, as the profiler's own tool
/// finds them.
fn hottest(case: &str) -> Value {
    let path = format!("{REPOSITORY}/fixtures/profiles/{case}/expected.json");
    let expected: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut lines = expected["lines"].as_array().unwrap().clone();
    let total = |line: &Value| line["total"].as_f64().unwrap();
    lines.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let file = lines[0]["file"].clone();
    let in_file = lines.iter().filter(|line| line["file"] == file).take(3);
    let percent = |line: &Value| {
        let share = 100.0 * total(line) / expected["total"].as_f64().unwrap();
        (line["line"].to_string(), Value::from(format!("{share:.1}%")))
    };
    json!({"file": file, "lines": in_file.map(percent).collect::<Map<_, _>>()})
}

#[test]
fn neovim_shows_what_profilers_write_by_default() {
    for (case, profile, name) in [
        ("jfr/java-indexer", "profile.jfr", "app.jfr"),
        ("memray/py-inventory", "memray.bin", "memray-main.py.7.bin"),
    ] {
        let stage = Stage::new();
        let Some(mut command) = neovim(&stage) else { return };
        let command = command
            .env("COSTLINE_EXPECTED", hottest(case).to_string())
            .current_dir(stage.fixture(case, profile, name));
        run_on(&stage, command, "format.lua");
    }
}

/// A profile of the tutorial's program, with this many samples in `different` on the line that
/// searches and on the line of the loop, in `make_up`, and outside of functions. A sample lasts 10 ms.
fn tutorial_profile(root: &Path, counts: [usize; 4]) -> String {
    let file = root.join("words.py");
    let frame = |name: &str, line: u32| json!({"name": name, "file": file, "line": line});
    let stacks: [&[u32]; 4] = [&[0, 1, 2], &[0, 1, 3], &[0, 4, 5], &[0]];
    let samples: Vec<&[u32]> =
        stacks.into_iter().zip(counts).flat_map(|(stack, count)| vec![stack; count]).collect();
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [
            frame("<module>", 24), frame("main", 21), frame("different", 14),
            frame("different", 13), frame("main", 20), frame("make_up", 8),
        ]},
        "profiles": [{
            "type": "sampled", "name": "main", "unit": "seconds", "startValue": 0, "endValue": 0,
            "weights": vec![0.01; samples.len()],
            "samples": samples,
        }],
    })
    .to_string()
}

#[test]
fn neovim_shows_the_tutorial() {
    let stage = Stage::new();
    let (Some(mut command), Some(_)) = (neovim(&stage), tool("tmux", "tmux")) else { return };
    let pictures =
        env::var_os("COSTLINE_PICTURES").map_or_else(|| stage.beside("pictures"), PathBuf::from);
    fs::create_dir_all(&pictures).unwrap();
    let root = stage.beside("words");
    fs::create_dir_all(root.join("profiles")).unwrap();
    fs::copy(format!("{REPOSITORY}/docs/tutorial/words.py"), root.join("words.py")).unwrap();
    let before = tutorial_profile(&root, [389, 2, 24, 1]);
    for name in ["profiles/before.speedscope.json", "profiles/words.speedscope.json"] {
        fs::write(root.join(name), &before).unwrap();
    }
    fs::write(root.join("after.json"), tutorial_profile(&root, [1, 0, 30, 0])).unwrap();
    stage.run(
        command
            .env("COSTLINE_PICTURE", pictures)
            .current_dir(root)
            .arg("-l")
            .arg(specs().join("tutorial.lua")),
    );
    no_errors(&stage);
}
