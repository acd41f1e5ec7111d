//! Files that are recognized but not read: each sample in `fixtures/foreign` is recognized.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::read;
use formats::{ErrorKind, Foreign, foreign::TABLE};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The samples: the name of the folder, which is that of the kind, the name of the file, and its
/// bytes.
fn samples() -> Vec<(String, String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/foreign");
    let folders = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir());
    let files = folders.flat_map(|folder| {
        let kind = folder.file_name().into_string().unwrap();
        fs::read_dir(folder.path()).unwrap().map(move |file| (kind.clone(), file.unwrap()))
    });
    files
        .map(|(kind, file)| {
            (kind, file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())
        })
        .collect()
}

#[test]
fn every_sample_is_recognised() {
    for (kind, file, bytes) in samples() {
        let error = read(bytes).unwrap_err();
        let ErrorKind::Foreign(foreign) = error.kind else { panic!("{kind}/{file}: {error}") };
        assert_eq!(foreign.name, kind, "{file}");
        assert_eq!(error.to_string(), foreign.sentence(), "{kind}/{file}");
    }
}

#[test]
fn every_kind_has_a_sample() {
    let sampled: BTreeSet<String> = samples().into_iter().map(|(kind, ..)| kind).collect();
    // Folders are recognized by name alone.
    let known: BTreeSet<_> = TABLE
        .iter()
        .map(|foreign| foreign.name.to_owned())
        .filter(|name| name != "instruments")
        .collect();
    assert_eq!(sampled, known);
    assert_eq!(Foreign::of_folder("run.trace").map(|foreign| foreign.name), Some("instruments"));
    assert_eq!(Foreign::of_folder("src"), None);
}

#[test]
fn sentences_name_a_command() {
    for foreign in TABLE {
        let sentence = foreign.sentence();
        assert!(
            sentence.matches('`').count() >= 2 && sentence.matches('`').count() % 2 == 0,
            "{sentence}"
        );
        assert!(!sentence.ends_with('.') && !sentence.contains("  "), "{sentence}");
    }
}

#[test]
fn prefixes_of_any_length_are_not_mistaken_for_other_kinds() {
    for (kind, file, bytes) in samples() {
        for end in 0..bytes.len() {
            let named = Foreign::of(&bytes[..end]).map(|foreign| foreign.name);
            let allowed = [kind.as_str()];
            assert!(
                named.is_none_or(|name| allowed.contains(&name)),
                "{kind}/{file} cut at {end}: {named:?}"
            );
        }
    }
}
