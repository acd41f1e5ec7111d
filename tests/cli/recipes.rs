//! Runs the jobs for CI in `dist/ci` on their own, and as the book (`docs/ci.md`) uses them, with
//! the other programs replaced by scripts that record how they were called.

use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

fn read_repository(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

fn yaml(text: &str) -> Yaml {
    YamlLoader::load_from_str(text).unwrap().remove(0)
}

/// The first YAML block below a heading of the book's page.
fn usage(heading: &str) -> Yaml {
    let page = read_repository("docs/ci.md");
    let (_, below) = page.split_once(&format!("### {heading}\n")).unwrap();
    let (_, block) = below.split_once("```yaml\n").unwrap();
    yaml(block.split_once("```").unwrap().0)
}

fn text(yaml: &Yaml) -> String {
    yaml.as_str().unwrap_or_else(|| panic!("no text: {yaml:?}")).to_owned()
}

fn texts(yaml: &Yaml) -> BTreeMap<String, String> {
    let entries = yaml.as_hash().into_iter().flatten();
    entries.map(|(key, value)| (text(key), text(value))).collect()
}

/// A repository with a program whose function `parse` takes longer in the change, and with the other
/// programs of the jobs.
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
    fs::create_dir(folder.path().join("work/.git")).unwrap();
    // Records into the file after `-o`, which has a number for each run.
    write(
        "bin/samply",
        "name=$(basename \"$4\")\ncp \"$MACHINE/recorded/${name%%.*}.json.gz\" \"$4\"",
    );
    write("bin/make", "touch bench");
    write("bin/git", "exit 0");
    write("bin/sudo", "exit 0");
    write(
        "bin/gh",
        "echo \"$@\" >> \"$MACHINE/gh.log\"\n\
         [ -z \"$FORK\" ] || exit 1\n\
         case \"$*\" in *--jq*) echo $KNOWN_COMMENT ;; esac",
    );
    write("bin/curl", "printf '%s\\n' \"$@\" >> \"$MACHINE/curl.log\"");
    for program in ["samply", "make", "git", "sudo", "gh", "curl"] {
        let path = folder.path().join("bin").join(program);
        fs::write(&path, format!("#!/bin/sh\n{}\n", fs::read_to_string(&path).unwrap())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_costline"), folder.path().join("bin/costline"))
        .unwrap();
    folder
}

type Variables = BTreeMap<String, String>;

/// Runs a script as CI does. Returns its exit code and what it printed.
fn execute(machine: &TempDir, script: &str, variables: &Variables) -> (Option<i32>, String) {
    let folder = machine.path().to_str().unwrap();
    let path = format!("{folder}/bin:{}", std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script]).env("COSTLINE_CACHE_DIR", "");
    command.current_dir(machine.path().join("work")).env("PATH", path).env("MACHINE", folder);
    let output = command.envs(variables).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn read(machine: &TempDir, name: &str) -> String {
    fs::read_to_string(machine.path().join(name)).unwrap_or_default()
}

/// The change, as both jobs comment it.
const ROW: &str = "| 600 ms | 900 ms | ▲300 ms | ▲300 ms | parse · app.py:1 |";

/// What GitHub does with a workflow that uses the action: the values of its expressions.
struct GitHub {
    machine: TempDir,
    values: BTreeMap<String, String>,
    variables: Variables,
}

impl GitHub {
    fn new(variables: &[(&str, &str)]) -> Self {
        let machine = machine();
        let temporary = machine.path().to_str().unwrap().to_owned();
        let values = [
            ("github.repository", "owner/app"),
            ("github.event.number", "7"),
            ("github.token", "secret"),
            ("runner.temp", &temporary),
        ];
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let mut variables: Variables = variables.iter().map(own).collect();
        variables.insert("RUNNER_TEMP".to_owned(), temporary.clone());
        for file in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            variables.insert(file.to_owned(), format!("{temporary}/{file}"));
        }
        Self { machine, values: values.iter().map(own).collect(), variables }
    }

    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("${{{{ {name} }}}}"), value)
        };
        let text = self.values.iter().fold(text.to_owned(), fill);
        assert!(!text.contains("${{"), "unknown value: {text}");
        text
    }

    fn run(&mut self, step: &Yaml) -> (Option<i32>, String) {
        let mut variables = self.variables.clone();
        for (name, value) in texts(&step["env"]) {
            variables.insert(name, self.fill(&value));
        }
        let ran = execute(&self.machine, &self.fill(&text(&step["run"])), &variables);
        if let Some(id) = step["id"].as_str() {
            for line in read(&self.machine, "GITHUB_OUTPUT").lines() {
                let (name, value) = line.split_once('=').unwrap();
                self.values.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
        }
        ran
    }
}

/// Runs the workflow of the book with the action. Returns the codes and outputs of the action's
/// steps, up to the first that fails.
fn run_workflow(github: &mut GitHub) -> Vec<(Option<i32>, String)> {
    let workflow = usage("GitHub Actions");
    let steps = workflow["jobs"]["compare"]["steps"].as_vec().unwrap();
    for step in steps.iter().filter(|step| !step["run"].is_badvalue()) {
        assert_eq!(github.run(step).0, Some(0), "{step:?}");
    }
    let action = yaml(&read_repository("dist/ci/github/action.yml"));
    let is_action = |step: &&Yaml| step["uses"].as_str() == Some("./.github/actions/costline");
    let given = texts(&steps.iter().find(is_action).unwrap()["with"]);
    for (name, input) in action["inputs"].as_hash().unwrap() {
        let name = text(name);
        let value = given.get(&name).cloned().unwrap_or_else(|| text(&input["default"]));
        let value = github.fill(&value);
        github.values.insert(format!("inputs.{name}"), value);
    }
    assert!(given.keys().all(|name| github.values.contains_key(&format!("inputs.{name}"))));
    let steps = action["runs"]["steps"].as_vec().unwrap();
    let mut ran = Vec::new();
    for step in steps {
        ran.push(github.run(step));
        if ran.last().is_some_and(|(code, _)| *code != Some(0)) {
            break;
        }
    }
    ran
}

#[test]
fn the_action_for_github_annotates_comments_and_fails() {
    for (known, expected) in [
        ("", "api repos/owner/app/issues/7/comments -F body=@"),
        ("42", "api -X PATCH repos/owner/app/issues/comments/42 -F body=@"),
    ] {
        let mut github = GitHub::new(&[("KNOWN_COMMENT", known)]);
        let [(compared, annotations), (commented, _), (ended, _)] = &run_workflow(&mut github)[..]
        else {
            panic!("other steps")
        };
        // `parse` grew by 50%, but what is to be shown comes first.
        assert_eq!([*compared, *commented, *ended], [Some(0), Some(0), Some(4)]);
        let message = "parse costs more: self 600 ms → 900 ms (▲300 ms, total ▲300 ms)";
        let annotation = format!("::error file=app.py,line=1,title=Costline::{message}\n");
        assert_eq!(*annotations, annotation);
        let comment = read(&github.machine, "costline.md");
        assert!(
            comment.starts_with("<!-- costline diff -->\n") && comment.contains(ROW),
            "{comment}"
        );
        assert_eq!(read(&github.machine, "GITHUB_STEP_SUMMARY"), comment);
        let log = read(&github.machine, "gh.log");
        assert!(log.lines().last().unwrap().starts_with(expected), "{log}");
        assert_eq!(
            github.values["steps.compare.outputs.sarif"],
            format!("{}/costline.sarif", github.machine.path().display())
        );
        assert!(read(&github.machine, "costline.sarif").contains(message));
    }
}

/// The token of a fork cannot comment.
#[test]
fn the_action_for_github_says_that_it_cannot_comment() {
    let mut github = GitHub::new(&[("FORK", "1")]);
    let ran = run_workflow(&mut github);
    assert_eq!(ran.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [Some(0), Some(0), Some(4)]);
    assert!(ran[1].1.starts_with("::notice title=Costline::The token cannot comment"), "{ran:?}");
}

/// Profiles that cannot be compared fail before anything is shown.
#[test]
fn the_action_for_github_fails_without_profiles() {
    let mut github = GitHub::new(&[]);
    fs::write(github.machine.path().join("recorded/after.json.gz"), "{}").unwrap();
    assert_eq!(run_workflow(&mut github)[0].0, Some(1));
    assert_eq!(read(&github.machine, "GITHUB_STEP_SUMMARY"), "");
}

#[test]
fn the_job_for_gitlab_reports_comments_and_fails() {
    let usage = usage("GitLab");
    let job = &yaml(&read_repository("dist/ci/gitlab.yml"))[".costline"];
    assert_eq!(usage["include"].as_str(), Some("ci/costline.yml"));
    let lines = |yaml: &Yaml| yaml.as_vec().unwrap().iter().map(text).collect::<Vec<_>>();
    let script = [lines(&usage["performance"]["before_script"]), lines(&job["script"])].concat();
    let mut variables = texts(&job["variables"]);
    variables.extend(texts(&usage["performance"]["variables"]));
    let given = [
        ("CI_API_V4_URL", "https://gitlab.example/api/v4"),
        ("CI_PROJECT_ID", "5"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "base"),
        ("CI_COMMIT_SHA", "change"),
    ];
    variables.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for token in ["", "secret"] {
        let machine = machine();
        variables.insert("COSTLINE_TOKEN".to_owned(), token.to_owned());
        assert_eq!(execute(&machine, &script.join("\n"), &variables).0, Some(4));
        assert!(read(&machine, "work/costline.md").contains(ROW));
        let report = text(&job["artifacts"]["reports"]["codequality"]);
        assert!(read(&machine, &format!("work/{report}")).contains("parse costs more"));
        let sent = read(&machine, "curl.log");
        if token.is_empty() {
            assert_eq!(sent, "");
        } else {
            let url = "https://gitlab.example/api/v4/projects/5/merge_requests/7/notes";
            assert!(
                sent.contains("PRIVATE-TOKEN: secret\n") && sent.ends_with(&format!("{url}\n")),
                "{sent}"
            );
        }
    }
}

/// Several runs of each side are compared with their spread.
#[test]
fn several_runs_are_given_to_the_jobs() {
    let machine = machine();
    let job = &yaml(&read_repository("dist/ci/gitlab.yml"))[".costline"];
    let mut variables = texts(&job["variables"]);
    let runs = |name: &str, times: [u32; 2]| {
        let profile = read(&machine, &format!("recorded/{name}.json.gz"));
        let write = |ms: u32| {
            let file = format!("{name}-{ms}.json");
            let text =
                profile.replace(if name == "before" { "600" } else { "900" }, &ms.to_string());
            fs::write(machine.path().join("work").join(&file), text).unwrap();
            file
        };
        times.map(write).join("\n")
    };
    variables.insert("BEFORE".to_owned(), runs("before", [500, 700]));
    variables.insert("AFTER".to_owned(), runs("after", [800, 1000]));
    variables.insert("OPTIONS".to_owned(), "--unit absolute --limit 7".to_owned());
    variables.insert("COSTLINE_TOKEN".to_owned(), String::new());
    let script = text(&job["script"][0]);
    let (code, _) = execute(&machine, &script, &variables);
    assert_eq!(code, Some(0));
    let comment = read(&machine, "work/costline.md");
    assert!(comment.contains("600 ms → 900 ms"), "the means of two runs: {comment}");
}
