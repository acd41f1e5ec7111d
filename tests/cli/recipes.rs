//! Runs the commands of the recipes for CI in the book, `docs/comparing.md`, with the other programs
//! replaced by scripts that record how they were called.

use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The first YAML block below a heading of the page.
fn recipe(heading: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/comparing.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, below) = page.split_once(&format!("### {heading}\n")).unwrap();
    let (_, block) = below.split_once("```yaml\n").unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// The commands under the key `run` of each step.
fn steps(recipe: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = recipe.lines().peekable();
    let mut steps = Vec::new();
    while let Some(line) = lines.next() {
        let text = line.trim_start().trim_start_matches("- ");
        let Some(command) = text.strip_prefix("run: ") else { continue };
        if command != "|" {
            steps.push(command.to_owned());
            continue;
        }
        let mut block = String::new();
        while let Some(next) = lines.next_if(|next| indent(next) > indent(line)) {
            block += next.trim_start();
            block.push('\n');
        }
        steps.push(block);
    }
    steps
}

/// A folder with a program whose function `parse` takes longer in the change, and with the other
/// programs of the recipes.
fn machine() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, ms) in [("before", 600), ("after", 900)] {
        let profile = json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": { "frames": [{ "name": "parse", "file": "app.py", "line": 2 }] },
            "profiles": [{
                "type": "sampled", "name": "cpu", "unit": "milliseconds", "startValue": 0,
                "endValue": ms, "samples": [[0]], "weights": [ms],
            }],
        });
        write(&format!("recorded/{name}.json.gz"), &profile.to_string());
    }
    write("work/app.py", "def parse():\n    pass\n");
    // Records into the file after `-o`.
    write("bin/samply", "cp \"$MACHINE/recorded/$(basename \"$4\")\" \"$4\"");
    write("bin/make", "exit 0");
    write("bin/git", "exit 0");
    write(
        "bin/gh",
        "echo \"$@\" >> \"$MACHINE/gh.log\"\ncase \"$*\" in *--jq*) echo $KNOWN_COMMENT ;; esac",
    );
    write("bin/curl", "printf '%s\\n' \"$@\" >> \"$MACHINE/curl.log\"");
    for program in ["samply", "make", "git", "gh", "curl"] {
        let path = folder.path().join("bin").join(program);
        fs::write(&path, format!("#!/bin/sh\n{}\n", fs::read_to_string(&path).unwrap())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_costline"), folder.path().join("bin/costline"))
        .unwrap();
    folder
}

/// Runs a script as CI does and returns its exit code.
fn execute(machine: &TempDir, script: &str, variables: &[(&str, &str)]) -> Option<i32> {
    let folder = machine.path().to_str().unwrap();
    let path = format!("{folder}/bin:{}", std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", &script.replace("/tmp/", &format!("{folder}/"))]);
    command.current_dir(machine.path().join("work")).env("PATH", path).env("MACHINE", folder);
    command.envs(variables.iter().copied()).status().unwrap().code()
}

fn read(machine: &TempDir, name: &str) -> String {
    fs::read_to_string(machine.path().join(name)).unwrap()
}

/// The change, as both recipes comment it.
const ROW: &str = "| 600 ms | 900 ms | ▲300 ms | ▲300 ms | parse · app.py:1 |";

#[test]
fn the_recipe_for_github_comments_and_fails() {
    let recipe = recipe("GitHub Actions");
    let values = [
        ("${{ github.repository }}", "owner/app"),
        ("${{ github.event.number }}", "7"),
        ("${{ github.token }}", "secret"),
    ];
    let fill =
        |text: String| values.iter().fold(text, |text, (name, value)| text.replace(name, value));
    let [record_before, record_after, diff, comment] = &steps(&recipe)[..] else {
        panic!("{recipe}")
    };
    for (known, expected) in [
        ("", "api repos/owner/app/issues/7/comments -F body=@comment.md"),
        ("42", "api -X PATCH repos/owner/app/issues/comments/42 -F body=@comment.md"),
    ] {
        let machine = machine();
        for step in [record_before, record_after] {
            assert_eq!(execute(&machine, step, &[]), Some(0), "{step}");
        }
        // `parse` grew by 50 %.
        assert_eq!(execute(&machine, diff, &[]), Some(4));
        let summary = machine.path().join("summary.md");
        let variables = [
            (
                "PULL",
                &*fill(
                    "repos/${{ github.repository }}/issues/${{ github.event.number }}/comments"
                        .to_owned(),
                ),
            ),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ("KNOWN_COMMENT", known),
        ];
        assert_eq!(execute(&machine, &fill(comment.clone()), &variables), Some(0));
        let comment = read(&machine, "work/comment.md");
        assert!(
            comment.starts_with("<!-- costline diff -->\n") && comment.contains(ROW),
            "{comment}"
        );
        assert_eq!(read(&machine, "summary.md"), comment);
        assert_eq!(read(&machine, "gh.log").lines().last(), Some(expected));
    }
}

#[test]
fn the_recipe_for_gitlab_comments_and_fails() {
    let recipe = recipe("GitLab");
    let (_, script) = recipe.split_once("script:\n").unwrap();
    let commands = script.lines().map(|line| line.trim_start().trim_start_matches("- "));
    let commands: Vec<&str> = commands
        .map(|line| {
            line.strip_prefix('\'').and_then(|line| line.strip_suffix('\'')).unwrap_or(line)
        })
        .collect();
    let machine = machine();
    let variables = [
        ("CI_API_V4_URL", "https://gitlab.example/api/v4"),
        ("CI_PROJECT_ID", "5"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "base"),
        ("CI_COMMIT_SHA", "change"),
        ("COSTLINE_TOKEN", "secret"),
    ];
    assert_eq!(execute(&machine, &commands.join("\n"), &variables), Some(4));
    assert!(read(&machine, "work/comment.md").contains(ROW));
    let sent = read(&machine, "curl.log");
    let url = "https://gitlab.example/api/v4/projects/5/merge_requests/7/notes";
    let expected =
        ["--fail", "--header", "PRIVATE-TOKEN: secret", "--data-urlencode", "body@comment.md", url];
    assert_eq!(sent.lines().collect::<Vec<_>>(), expected);
}
