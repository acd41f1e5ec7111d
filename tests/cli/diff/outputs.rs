//! Files that are written: never over a profile that is read.

use super::{changed, ran};
use std::fs;

#[test]
fn a_profile_that_is_read_is_not_overwritten() {
    let folder = changed();
    let old = fs::read(folder.path().join("before.json")).unwrap();
    let refused = |arguments: &[&str], file: &str| {
        let message = ran(folder.path(), arguments).failure(2);
        let expected = "is one of the profiles that are read; write to another file";
        assert_eq!(message, format!("{file}: {expected}"));
        assert_eq!(fs::read(folder.path().join(file)).unwrap(), old);
    };
    let diff = ["diff", "before.json", "after.json", "--write"];
    refused(&[&diff[..], &["markdown=./before.json"]].concat(), "./before.json");
    let base = ["--base", "before.json"];
    let diff = ["diff", "after.json", "after.json", "--write", "sarif=before.json"];
    refused(&[&diff[..], &base].concat(), "before.json");
    let output = ["--overwrite", "-o", "before.json"];
    let export = ["export", "before.json", "--to", "folded"];
    refused(&[&export[..], &output].concat(), "before.json");
    let export = ["export", "after.json", "--to", "flamegraph", "--baseline", "before.json"];
    refused(&[&export[..], &output].concat(), "before.json");
    let html = ["html", "after.json", "--baseline", "before.json"];
    refused(&[&html[..], &output].concat(), "before.json");
    // The newest profile, which is not named.
    fs::create_dir(folder.path().join("profiles")).unwrap();
    fs::rename(folder.path().join("before.json"), folder.path().join("profiles/a.json")).unwrap();
    let export = ["export", "--to", "folded", "--overwrite", "-o", "profiles/a.json"];
    refused(&export, "profiles/a.json");
}

#[test]
fn a_list_cannot_also_be_written_to_standard_output() {
    let folder = changed();
    let write = ["diff", "before.json", "after.json", "--write", "markdown=-"];
    let outcome = ran(folder.path(), &write);
    assert_eq!(outcome.code, Some(2));
    let expected = "standard output has the list of --format; name a file";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert!(!folder.path().join("-").exists());
}
