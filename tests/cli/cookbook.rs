//! Runs the commands of the book's JSON cookbook, and compares what they print with the page.
//! `UPDATE_EXPECT=1 cargo test` rewrites the page. The `costline` commands of all pages must be valid.

use crate::{fixture, skip_without};
use expect_test::expect_file;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// How blocks begin whose output is in the next block.
const SHELL: &str = "```sh run\n";
const PYTHON: &str = "```python run\n";

/// The profiles of the page, with their sources.
fn machine() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: PathBuf, to: &str| {
        let to = folder.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    };
    for name in ["cpu.pb.gz", "go.mod", "main.go", "store/index.go"] {
        copy(fixture("pprof/go-indexer-cpu").join(name), name);
    }
    for name in ["unchanged-01.perf.gz", "slower-03.perf.gz", "ledger.c"] {
        copy(fixture("../repeated/ledger").join(name), name);
    }
    folder
}

/// Runs commands by a shell or an interpreter in the folder, with `costline` on the PATH.
fn result(folder: &Path, program: &str, commands: &str) -> Output {
    let server = Path::new(env!("CARGO_BIN_EXE_costline")).parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([server].into_iter().chain(env::split_paths(&path))).unwrap();
    Command::new(program)
        .args(["-c", commands])
        .current_dir(folder)
        .env("PATH", path)
        .env("COSTLINE_CACHE_DIR", "")
        .env_remove("COSTLINE_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn printed(folder: &Path, program: &str, commands: &str) -> String {
    let output = result(folder, program, commands);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn commands_print_what_the_json_cookbook_says() {
    for tool in ["jq", "python3"] {
        if !is_installed(tool) {
            return skip_without(tool);
        }
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/json.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = machine();
    let mut expected = String::new();
    let mut rest = page.as_str();
    while let Some((start, mark, program)) = [(SHELL, "sh"), (PYTHON, "python3")]
        .into_iter()
        .filter_map(|(mark, program)| Some((rest.find(mark)?, mark, program)))
        .min()
    {
        let (before, block) = rest.split_at(start + mark.len());
        let (commands, after) = block.split_once("```\n").unwrap();
        let (between, output) = after.split_once("```text\n").unwrap();
        let (_, after) = output.split_once("```\n").unwrap();
        let output = printed(folder.path(), program, commands);
        for part in [before, commands, "```\n", between, "```text\n", &output, "```\n"] {
            expected += part;
        }
        rest = after;
    }
    expect_file!["../../docs/reference/json.md"].assert_eq(&(expected + rest));
}

/// The pages of the book, in order.
fn pages() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1).map(|link| link.split(')').next().unwrap());
    links.map(|link| fs::read_to_string(docs.join(link)).unwrap()).collect()
}

/// The `costline` commands in the shell blocks of a page, without what their output goes to.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("\n```sh").skip(1).map(|block| block.split("\n```").next().unwrap());
    let lines = blocks.map(|block| block.replace("\\\n", " "));
    lines
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| line.starts_with("costline "))
        .map(|line| line.split(['|', '>', '#']).next().unwrap().to_owned())
        .collect()
}

/// There are no profiles in the folder, so that a valid command fails, but not with the code of
/// a usage error.
#[test]
fn commands_of_the_book_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<String> = pages().iter().flat_map(|page| commands(page)).collect();
    assert!(all.len() > 20, "{all:#?}");
    for command in all {
        let output = result(folder.path(), "sh", &command);
        let errors = String::from_utf8_lossy(&output.stderr);
        // Nor are there sources with names.
        let is_named = errors.contains("names no sources");
        assert!(output.status.code() != Some(2) || is_named, "{command}\n{errors}");
    }
}
