//! Profiles that lack a part of their costs look faster than they are.

use super::{project, ran};
use serde_json::{Value, json};
use tempfile::TempDir;

/// 100 instructions in `parse`, of which the second file lacks 60 that its summary has.
fn cut() -> TempDir {
    let profile = |parse| {
        format!("events: Ir\nfl=app.py\nfn=main\n1 100\nfn=parse\n5 {parse}\nsummary: 200\n")
    };
    project(&[("whole.callgrind", profile(100)), ("cut.callgrind", profile(40))])
}

const WARNING: &str = "cut.callgrind: the costs add up to 140, but the file states 200";

#[test]
fn every_list_says_which_profile_is_cut() {
    let folder = cut();
    let diff = ["diff", "whole.callgrind", "cut.callgrind"];
    let list = |arguments: &[&str]| ran(folder.path(), &[&diff[..], arguments].concat());
    let text = list(&[]);
    assert_eq!(text.code, Some(0));
    assert!(text.stderr.starts_with(&format!("costline: warning: {WARNING}")), "{}", text.stderr);
    let second = text.stdout.lines().nth(1).unwrap();
    assert!(second.starts_with(&format!("warning: {WARNING}")), "{}", text.stdout);
    for format in ["markdown", "github"] {
        let list = list(&["--format", format]).stdout;
        let (above, _) = list.split_once("|---:|").unwrap();
        let above = above.split("<details>").next().unwrap();
        assert!(above.contains(&format!("**Warning:** {WARNING}")), "{list}");
    }
    let annotations = list(&["--format", "annotations"]).stdout;
    assert!(
        annotations.starts_with(&format!("::warning title=Costline::{WARNING}")),
        "{annotations}"
    );
    let json: Value = serde_json::from_str(&list(&["--json"]).stdout).unwrap();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    let of = |key: &str| warnings[0][key].clone();
    assert_eq!(
        [of("profile"), of("code"), of("count"), of("missing")],
        [json!("cut.callgrind"), json!("incomplete"), json!(1), json!(true)]
    );

    let whole = ["diff", "whole.callgrind", "whole.callgrind"];
    assert!(!ran(folder.path(), &whole).stdout.contains("warning"));
}

/// Its costs are too low, so nothing seems to have grown.
#[test]
fn a_cut_profile_does_not_pass() {
    let folder = cut();
    for option in ["--fail-above", "--fail-above-function"] {
        let fails = |before, after| {
            let outcome = ran(folder.path(), &["diff", before, after, option, "2%"]);
            // The list is written before.
            assert!(outcome.stdout.contains("→"), "{}", outcome.stdout);
            (outcome.code, outcome.stderr.lines().last().unwrap_or_default().to_owned())
        };
        let message = format!(
            "costline: {option}: costs are missing, so it is not known how much they grew: {WARNING}"
        );
        for [before, after] in
            [["whole.callgrind", "cut.callgrind"], ["cut.callgrind", "whole.callgrind"]]
        {
            let (code, last) = fails(before, after);
            assert_eq!(code, Some(3));
            assert!(last.starts_with(&message), "{last}");
        }
        assert_eq!(fails("whole.callgrind", "whole.callgrind"), (Some(0), String::new()));
    }
}
