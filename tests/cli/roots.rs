//! Which folders are searched for sources without `--root`, and what is said about the others.

use crate::{Outcome, costline};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with the project `project` (`packages/app`, `packages/core`), the file `other/tool.js`
/// outside of it, and a profile in `downloads`. Costs: `packages/core/index.js` 90%,
/// `packages/app/main.js` 10%.
struct Folders {
    top: PathBuf,
    _folder: tempfile::TempDir,
}

impl Folders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let this = Self { top, _folder: folder };
        this.write("project/package.json", r#"{"workspaces": ["packages/*"]}"#);
        this.write("project/packages/app/main.js", "function main() {\n  core();\n}\n");
        this.write("project/packages/core/index.js", "function core() {\n  spin();\n}\n");
        this.write("other/tool.js", "function tool() {\n}\n");
        let (app, core) = (this.path("project/packages/app"), this.path("project/packages/core"));
        let (app, core) = (app.display(), core.display());
        this.write(
            "downloads/cpu.folded",
            &format!(
                "main ({app}/main.js:2);core ({core}/index.js:2) 90\nmain ({app}/main.js:2) 10\n"
            ),
        );
        this
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.top.join(inside)
    }

    fn write(&self, inside: &str, text: &str) {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs `costline annotate` on the profile in a folder.
    fn annotate(&self, folder: &str, arguments: &[&Path]) -> Outcome {
        let mut command = costline();
        command.current_dir(self.path(folder)).arg("annotate");
        Outcome::of(command.arg(self.path("downloads/cpu.folded")).args(arguments))
    }
}

/// The names of the files that were shown.
fn shown(text: &str) -> Vec<&str> {
    let headings = text.lines().filter(|line| line.starts_with('/'));
    headings.map(|line| line.split(':').next().unwrap().rsplit('/').next().unwrap()).collect()
}

/// Compilers record the path that the shell has for the current folder.
#[cfg(unix)]
#[test]
fn files_of_a_project_behind_a_link_are_found() {
    let folders = Folders::new();
    let link = folders.path("link");
    std::os::unix::fs::symlink(folders.path("project"), &link).unwrap();
    let main = link.join("packages/app/main.js");
    folders.write("project/cpu.folded", &format!("main ({}:2) 10\n", main.display()));
    let annotate = |arguments: &[&Path]| {
        let mut command = costline();
        command.current_dir(&link).env("PWD", &link).args(["annotate", "cpu.folded"]);
        Outcome::of(command.args(arguments)).stdout
    };
    assert_eq!(shown(&annotate(&[])), ["main.js"]);
    let project = folders.path("project");
    assert_eq!(shown(&annotate(&[Path::new("--root"), &project])), ["main.js"]);
    assert_eq!(shown(&annotate(&[Path::new("--root"), Path::new(".")])), ["main.js"]);
    // A `PWD` of another folder is ignored. The recorded link still leads to the project.
    let mut command = costline();
    command.current_dir(folders.path("project")).env("PWD", folders.path("other"));
    assert_eq!(shown(&Outcome::of(command.args(["annotate", "cpu.folded"])).stdout), ["main.js"]);
}

#[test]
fn a_profile_with_a_relative_path_is_in_its_folder_like_any_other() {
    let folders = Folders::new();
    folders.write("project/a/profiles/cpu.folded", "main (app.py:1) 10\n");
    folders.write("project/a/app.py", "def main():\n    pass\n");
    folders.write("project/b/app.py", "def main():\n    pass\n");
    let check = |arguments: &[&str]| {
        let input = fs::File::open(folders.path("project/a/profiles/cpu.folded")).unwrap();
        let mut command = costline();
        command.current_dir(folders.path("project/b")).arg("check").args(arguments).stdin(input);
        Outcome::of(&mut command).stdout
    };
    let found = format!("app.py → {}", folders.path("project/a/app.py").display());
    for roots in [&["--root", ".."][..], &["--root", "../a", "--root", "."]] {
        let text = check(&[&["../a/profiles/cpu.folded"][..], roots].concat());
        assert!(text.contains(&found), "{text}");
        // Standard input is in no folder.
        let text = check(&[&["-"][..], roots].concat());
        assert!(text.contains("app.py matches 2 files"), "{text}");
    }
}

#[test]
fn the_project_around_the_current_folder_is_the_root_of_a_profile_elsewhere() {
    let folders = Folders::new();
    for folder in ["project", "project/packages", "project/packages/app"] {
        let text = folders.annotate(folder, &[]).success();
        assert_eq!(shown(&text), ["index.js", "main.js"], "{folder}: {text}");
    }
}

/// Own files come first, also with costs on functions alone; coverage reports of flags have no numbers.
#[test]
fn annotate_begins_with_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "app.py",
        "def main():\n    s = 0\n    for i in range(9):\n        s += i\n    return s\n",
    );
    write("node_modules/lib.py", "def wait():\n    pass\n");
    write("lcov.info", "SF:app.py\nDA:1,1\nDA:2,1\nDA:4,1\nDA:5,0\nend_of_record\n");
    write("cpu.folded", "main (app.py:4) 1\nmain (app.py:2);wait (node_modules/lib.py:2) 99\n");
    let profile = folder.path().join("cpu.folded");
    let root = folder.path().to_str().unwrap();
    let text = crate::run(["annotate", "--root", root, profile.to_str().unwrap()]).success();
    assert_eq!(shown(&text)[0], "app.py", "{text}");
    let row = text.lines().find(|line| line.contains("s += i")).unwrap();
    assert!(row.contains("executed") && !row.contains('×'), "{row}");
}

#[test]
fn the_project_of_the_profile_precedes_that_of_the_current_folder() {
    let folders = Folders::new();
    let profile = folders.path("project/cpu.folded");
    fs::copy(folders.path("downloads/cpu.folded"), &profile).unwrap();
    folders.write("other/package.json", "{}");
    let mut command = costline();
    let command = command.current_dir(folders.path("other")).arg("annotate").arg(profile);
    assert_eq!(shown(&Outcome::of(command).success()), ["index.js", "main.js"]);
}

#[test]
fn a_file_that_is_named_is_shown_although_it_is_outside_the_root() {
    let folders = Folders::new();
    folders.write("project/packages/app/package.json", "{}");
    let core = folders.path("project/packages/core/index.js");
    for arguments in [&[&*core][..], &[Path::new("../core/index.js")]] {
        let text = folders.annotate("project/packages/app", arguments).success();
        assert_eq!(shown(&text), ["index.js"], "{text}");
        assert!(text.contains("90.0%    90.0%     2    spin();"), "{text}");
    }
    let root = folders.path("other");
    let text = folders.annotate("other", &[Path::new("--root"), &*root, &*core]).success();
    assert_eq!(shown(&text), ["index.js"], "{text}");
}

#[test]
fn a_named_file_without_cost_exits_with_3_after_the_others() {
    let folders = Folders::new();
    let (core, tool) =
        (folders.path("project/packages/core/index.js"), folders.path("other/tool.js"));
    let message = folders.annotate("project", &[&*tool]).failure(3);
    assert!(message.contains("tool.js: no cost in this profile"), "{message}");

    let outcome = folders.annotate("project", &[&*tool, Path::new("none.js"), &*core]);
    // Nothing is called `none.js`.
    assert_eq!((outcome.code, shown(&outcome.stdout)), (Some(2), vec!["index.js"]), "{outcome:?}");
    let errors: Vec<&str> = outcome.stderr.lines().collect();
    assert!(
        matches!(errors[..], [tool, none] if tool.contains("tool.js") && none.contains("none.js")),
        "{errors:?}"
    );

    // In the profile, but not in the chosen view.
    let outcome = folders
        .annotate("project", &[Path::new("--transform"), Path::new("drop-function:core"), &*core]);
    assert!(outcome.failure(3).contains("no cost in this view"));
}

#[test]
fn names_the_files_that_are_left_out_and_how_to_show_them() {
    let folders = Folders::new();
    folders.write("project/packages/app/package.json", "{}");
    let outcome = folders.annotate("project/packages/app", &[]);
    assert_eq!((outcome.code, shown(&outcome.stdout)), (Some(0), vec!["main.js"]));
    let (core, project) = (folders.path("project/packages/core/index.js"), folders.path("project"));
    let (core, root) = (core.display(), project.display());
    assert_eq!(
        outcome.stderr,
        format!("costline: warning: not found: {core} (90.0%): pass --root {root}\n")
    );
    let text = folders.annotate("project/packages/app", &[Path::new("--root"), &*project]);
    assert_eq!(shown(&text.success()), ["index.js", "main.js"]);

    // The option is in the message too if nothing at all was found.
    let message = folders.annotate("other", &[]).failure(3);
    assert!(message.contains(&format!("{core} (90.0%)")), "{message}");
    assert!(message.ends_with(&format!("pass --root {root}")), "{message}");
}

#[test]
fn names_the_rules_for_files_that_match_several() {
    let folders = Folders::new();
    for service in ["api", "worker"] {
        folders.write(&format!("project/services/{service}/app/words.js"), "w();\n");
    }
    let app = folders.path("project/packages/app/main.js");
    folders.write(
        "downloads/cpu.folded",
        &format!(
            "main ({}:2);w (/app/app/words.js:1) 50\nmain ({0}:2);p (/usr/lib/python3/p.py:1) 40\n\
             main ({0}:2);s (/ci/s.js:1) 6\nmain ({0}:2);t (/ci/t.js:1) 4\n",
            app.display()
        ),
    );
    let outcome = folders.annotate("project", &[]);
    // The library is not expected in the workspace, and t.js costs less than 5%.
    let expected = "costline: warning: not found: /app/app/words.js (50.0%): pass --map \
                    /app=services/api or --map /app=services/worker; /ci/s.js (6.0%): pass its \
                    project with --root, or --map FROM=TO";
    let left_out = outcome.stderr.lines().find(|line| line.contains("not found"));
    assert_eq!(left_out, Some(expected), "{}", outcome.stderr);
}

#[test]
fn names_hot_files_beyond_the_first_three() {
    let folders = Folders::new();
    let files = [("a", 40), ("b", 30), ("c", 20), ("d", 7), ("e", 3)].map(|(name, weight)| {
        folders.write(&format!("project/{name}.js"), "x();\n");
        let path = folders.path(&format!("project/{name}.js"));
        format!("{name} ({}:1) {weight}\n", path.display())
    });
    folders.write("downloads/cpu.folded", &files.concat());
    let outcome = folders.annotate("project", &[]);
    assert_eq!(shown(&outcome.stdout), ["a.js", "b.js", "c.js"]);
    let d = folders.path("project/d.js");
    assert_eq!(
        outcome.stderr,
        format!(
            "costline: warning: not shown, but over 5%: {} (7.0%); pass a file to show it\n",
            d.display()
        )
    );
}

#[test]
fn a_rule_that_applies_to_no_name_has_a_warning() {
    let folders = Folders::new();
    folders.write("before.folded", "main (/ci/app/main.js:2) 10\n");
    folders.write("now.folded", "main (/srv/app/main.js:2) 10\n");
    let run = |arguments: &[&str]| {
        let mut command = costline();
        Outcome::of(command.current_dir(&folders.top).args(arguments)).stderr
    };
    let map = |from| format!("--map={from}=project/packages");
    let (used, unused) = (map("/srv"), map("/ci"));
    let warning = |profiles| {
        format!(
            "costline: warning: --map /ci=project/packages: no file name in {profiles} begins with \
             /ci; `costline check` lists them\n"
        )
    };
    let roots = ["--root", ".", &used, &unused];
    for command in ["check", "report"] {
        let stderr = run(&[&[command, "now.folded"][..], &roots].concat());
        assert_eq!(stderr, warning("now.folded"), "{command}");
    }
    // Each rule is for one of the profiles.
    assert_eq!(run(&[&["diff", "before.folded", "now.folded"][..], &roots].concat()), "");
    let baseline = ["report", "now.folded", "--baseline", "before.folded"];
    assert_eq!(run(&[&baseline[..], &roots].concat()), "");
    let both = ["diff", "now.folded", "now.folded", "--root", ".", &unused];
    assert_eq!(run(&both), warning("now.folded or now.folded"));
}

#[test]
fn the_target_of_a_rule_is_relative_to_the_root() {
    let folders = Folders::new();
    folders.write("cpu.folded", "main (/srv/app/main.js:2) 10\n");
    let check = |to: &str| {
        let mut command = costline();
        command.current_dir(&folders.top).args(["check", "cpu.folded", "--root", "project"]);
        Outcome::of(command.arg(format!("--map=/srv={to}"))).success()
    };
    let found = folders.path("project/packages/app/main.js");
    assert!(check("packages").contains(&format!("/srv/app/main.js → {}", found.display())));
    let missing = folders.path("project/project/packages/app/main.js");
    let message = format!(
        "/srv/app/main.js is mapped by a path mapping to {}, which is not a file in the workspace",
        missing.display()
    );
    let text = check("project/packages");
    assert!(text.contains(&message), "{text}");
}
