//! Messages about files of other programs.

use crate::run;
use expect_test::expect_file;
use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

#[test]
fn describes_each_file_of_another_program_in_one_sentence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/foreign");
    let kinds = entries(&root).into_iter().filter(|path| path.is_dir());
    let line = |file: PathBuf| {
        let name = file.to_str().unwrap();
        let message = run(["check", name]).failure(1);
        let sentence =
            message.strip_prefix(&format!("{name}: ")).unwrap_or_else(|| panic!("{message}"));
        // Commands have the path of the file, too.
        let short = file.strip_prefix(&root).unwrap().to_str().unwrap();
        format!("{short}: {}\n", sentence.replace(name, short))
    };
    let messages: String = kinds.flat_map(|kind| entries(&kind)).map(line).collect();
    expect_file!["foreign.txt"].assert_eq(&messages);
}

#[test]
fn recognises_a_bundle_of_instruments() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("run.trace");
    fs::create_dir(&bundle).unwrap();
    for command in ["check", "report", "annotate"] {
        let message = run([command, bundle.to_str().unwrap()]).failure(1);
        assert!(
            message.contains("this is an Instruments recording")
                && message.contains("xctrace export --input"),
            "{message}"
        );
    }
    assert!(
        run(["check", folder.path().to_str().unwrap()]).failure(1).contains("no profile found in")
    );
    for name in ["data", "data.0"] {
        fs::write(folder.path().join(name), "PERFILE2").unwrap();
    }
    let message = run(["check", folder.path().to_str().unwrap()]).failure(1);
    assert!(message.contains("is a folder of `perf record --threads`"), "{message}");
}
