//! Changes of exact counts that are too small to report.

use super::{project, ran};
use std::fs;
use tempfile::TempDir;

/// 10 000 instructions: `parse` grew by 1%, `render` by 0.5%, `main`, which calls nothing, by
/// 0.01%.
fn grown() -> TempDir {
    let profile = |main, parse, render| {
        format!(
            "events: Ir\nfl=app.py\nfn=main\n1 {main}\nfn=parse\n5 {parse}\nfn=render\n8 {render}\n"
        )
    };
    let folder = project(&[
        ("before.callgrind", profile(5000, 3000, 2000)),
        ("after.callgrind", profile(5001, 3100, 2050)),
    ]);
    fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

/// The functions that a list names.
fn named(text: &str) -> Vec<&'static str> {
    let is_named = |name: &&str| text.contains(&format!("{name} "));
    ["main", "parse", "render"].into_iter().filter(is_named).collect()
}

#[test]
fn lists_have_all_changes_and_findings_those_of_a_percent() {
    let folder = grown();
    let list = |arguments: &[&str]| {
        let diff = ["diff", "before.callgrind", "after.callgrind", "--format"];
        ran(folder.path(), &[&diff[..], arguments].concat()).stdout
    };
    for format in ["text", "markdown"] {
        assert_eq!(named(&list(&[format])), ["main", "parse", "render"], "{format}");
    }
    for format in ["annotations", "sarif", "code-quality", "github"] {
        assert_eq!(named(&list(&[format])), ["parse"], "{format}");
        let half = list(&[format, "--min-percent", "0.5%"]);
        assert_eq!(named(&half), ["parse", "render"], "{format}");
        assert_eq!(named(&list(&[format, "--min-percent", "0"])).len(), 3, "{format}");
        // What makes the command fail is shown.
        let failing = list(&[format, "--fail-above-function", "0.4"]);
        assert_eq!(named(&failing), ["parse", "render"], "{format}");
    }
    let text = list(&["text", "--min-percent", "1"]);
    assert_eq!(named(&text), ["parse"]);
    let omitted =
        "omitted: 2 functions that changed by less than 1% of the total (--min-percent)\n";
    assert!(text.ends_with(omitted), "{text}");
}
