//! Candidate paths of a recorded library on this machine.
//!
//! Whoever opens a candidate compares its id with the recorded one.

use ignore::{DirEntry, WalkBuilder};
use rustc_hash::FxHashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::index::lexical;
use crate::name::{Form, Name, is_drive, is_network_path, normal};
use crate::rule::{Rule, by_length};

/// The limit for a path; of longer ones only the end is tried.
const MAX_COMPONENTS: usize = 64;
/// Programs are searched this many folders deep. Those of `cargo`, `CMake` and Meson are at most
/// four below the root.
const MAX_DEPTH: usize = 6;
/// The limit for the files and folders of such a search.
const MAX_ENTRIES: usize = 50_000;

/// Candidates for a library that was recorded at a path, the likeliest first: the results of the
/// user's rules, the path itself unless it is on another machine, and every suffix of the path below each root, the longest first
/// (`/srv/app/bin/x`: `ROOT/srv/app/bin/x`, `ROOT/app/bin/x`, `ROOT/bin/x`, `ROOT/x`).
///
/// Roots are absolute. All candidates except the recorded path are in a root lexically; symlinks
/// may still lead out of it.
pub fn library_paths(recorded: &str, roots: &[PathBuf], rules: &[Rule]) -> Vec<PathBuf> {
    let name = Name::parse(recorded);
    if matches!(name.form, Form::NoFile | Form::Scheme(_)) {
        return Vec::new();
    }
    let inside = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
    let mut paths = Vec::new();
    for rule in by_length(rules) {
        let Some(rest) = rule.rest_of(&name.text) else { continue };
        let in_root = |root: &PathBuf| {
            let mut path = root.join(rule.to());
            path.extend(normal(rest));
            lexical(&path)
        };
        paths.extend(roots.iter().map(in_root).filter(inside));
    }
    let path = Some(PathBuf::from(recorded)).filter(|_| !is_network_path(recorded));
    paths.extend(path.filter(|path| path.is_absolute()));
    let mut components = normal(recorded);
    components.retain(|component| !is_drive(component));
    for start in components.len().saturating_sub(MAX_COMPONENTS)..components.len() {
        let end = components[start..].join("/");
        paths.extend(roots.iter().map(|root| root.join(&end)).filter(inside));
    }
    let mut unique = FxHashSet::default();
    paths.retain(|path| unique.insert(path.clone()));
    paths
}

/// The programs and shared libraries (ELF) below each root, and in `folder` itself. Links, hidden folders and
/// `node_modules` are skipped.
pub fn programs(roots: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    let walk = |top: &Path, depth| {
        WalkBuilder::new(top)
            .standard_filters(false)
            .hidden(true)
            .max_depth(Some(depth))
            .filter_entry(|entry| entry.file_name() != "node_modules")
            .build()
    };
    let below_roots = roots.iter().flat_map(|root| walk(root, MAX_DEPTH));
    let entries = walk(folder, 1).chain(below_roots).take(MAX_ENTRIES).filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.map(DirEntry::into_path).filter(|path| is_program(path).unwrap_or(false)).collect()
}

fn is_program(path: &Path) -> io::Result<bool> {
    let mut header = [0; 18];
    File::open(path)?.read_exact(&mut header)?;
    // ET_EXEC and ET_DYN, in the byte order of the machine.
    Ok(header.starts_with(b"\x7fELF") && matches!(header[16] | header[17], 2 | 3))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn paths(recorded: &str, roots: &[&str], rules: &[(&str, &str)]) -> String {
        let roots: Vec<_> = roots.iter().map(PathBuf::from).collect();
        let rules: Vec<_> = rules
            .iter()
            .map(|(from, to)| Rule { from: (*from).to_owned(), to: (*to).to_owned() })
            .collect();
        let paths = library_paths(recorded, &roots, &rules);
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tries_the_path_itself_then_its_suffixes_in_each_root() {
        assert_eq!(paths("/srv/demo/app/bin/x", &[], &[]), "/srv/demo/app/bin/x");
        assert_eq!(
            paths("/srv/bin/x", &["/w", "/v"], &[]),
            "/srv/bin/x /w/srv/bin/x /v/srv/bin/x /w/bin/x /v/bin/x /w/x /v/x"
        );
        assert_eq!(paths("/w/bin/x", &["/w"], &[]), "/w/bin/x /w/w/bin/x /w/x", "each once");
        assert_eq!(paths(r"C:\b\x.dll", &["/w"], &[]), "/w/b/x.dll /w/x.dll");
        assert_eq!(paths("target/x", &["/w"], &[]), "/w/target/x /w/x");
        for nothing in ["", "[vdso]", "[kernel.kallsyms]", "//", "."] {
            assert!(!paths(nothing, &["/w"], &[]).contains("/w"), "{nothing}");
        }
    }

    #[test]
    fn paths_of_other_machines_are_only_compared() {
        assert_eq!(paths(r"\\server\x.dll", &["/w"], &[]), "/w/server/x.dll /w/x.dll");
    }

    #[test]
    fn applies_rules_first_the_longest_first() {
        let rules = [("/srv", "/w/all"), ("/srv/app", "build"), (r"C:\b", r"/w\win")];
        assert_eq!(
            paths("/srv/app/x", &["/w"], &rules),
            "/w/build/x /w/all/app/x /srv/app/x /w/srv/app/x /w/app/x /w/x"
        );
        assert_eq!(paths(r"c:\b\x.dll", &["/w"], &rules), "/w/win/x.dll /w/b/x.dll /w/x.dll");
    }

    #[test]
    fn only_the_recorded_path_may_be_outside_the_roots() {
        assert_eq!(paths("/../../etc/../x", &["/w"], &[]), "/../../etc/../x /w/x");
        assert_eq!(paths("../../x", &["/w"], &[]), "/w/x");
        assert_eq!(
            paths("/s/x", &["/w"], &[("/s", "/etc"), ("/s/x", "../../etc")]),
            "/s/x /w/s/x /w/x"
        );
    }

    #[test]
    fn tries_only_the_end_of_long_paths() {
        let long = "/a".repeat(100_000);
        let roots = [PathBuf::from("/w")];
        assert_eq!(library_paths(&long, &roots, &[]).len(), 65);
    }
}
