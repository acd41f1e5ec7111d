//! Edits the sources of all fixtures at random, and checks to which lines the line map moves the
//! lines that kept their tokens.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "in tests a panic is the message")]

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use texts::{LineMap, Syntax};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
/// The folders with sources. That of Neovim's plug-in has Lua.
const FOLDERS: [&str; 2] = ["fixtures/profiles", "editors/neovim/lua"];
/// By extension. C has headers, too.
const LANGUAGES: [&str; 9] = ["c", "cpp", "go", "js", "lua", "py", "rb", "rs", "ts"];
/// Lines with fewer characters may be anywhere.
const MIN_CHARS: usize = 12;

/// The sources of each of [`LANGUAGES`].
fn sources() -> &'static [Vec<PathBuf>; 9] {
    static SOURCES: OnceLock<[Vec<PathBuf>; 9]> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let mut sources = [const { Vec::new() }; 9];
        let mut folders: Vec<_> =
            FOLDERS.iter().map(|folder| Path::new(REPOSITORY).join(folder)).collect();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let extension = path.extension().and_then(|extension| extension.to_str());
                let language = LANGUAGES.iter().position(|&language| Some(language) == extension);
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(language) = language {
                    sources[language].push(path);
                }
            }
        }
        for paths in &mut sources {
            assert!(!paths.is_empty());
            paths.sort();
        }
        sources
    })
}

/// An edit of lines. Numbers of lines are modulo the length of the text.
#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, String),
    Delete(usize, usize),
    Replace(usize, String),
    Duplicate(usize, usize, usize),
    Move(usize, usize, usize),
    Indent(usize, usize, &'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = || 0..100_000_usize;
    let new = || "new_[a-z]{12}\\(\"[a-z]{3} 🦀 ä\"\\);";
    prop_oneof![
        (at(), new()).prop_map(|(at, line)| Edit::Insert(at, line)),
        (at(), 1..4_usize).prop_map(|(at, n)| Edit::Delete(at, n)),
        (at(), new()).prop_map(|(at, line)| Edit::Replace(at, line)),
        (at(), 2..12_usize, at()).prop_map(|(from, n, to)| Edit::Duplicate(from, n, to)),
        (at(), 2..12_usize, at()).prop_map(|(from, n, to)| Edit::Move(from, n, to)),
        (at(), 1..20_usize, prop_oneof![Just("\t"), Just("    "), Just(" ")])
            .prop_map(|(at, n, by)| Edit::Indent(at, n, by)),
    ]
}

fn apply(lines: &mut Vec<String>, edit: Edit) {
    let n = lines.len();
    if n == 0 {
        return;
    }
    let block = |at: usize, n_lines: usize| at % n..(at % n + n_lines).min(n);
    match edit {
        Edit::Insert(at, line) => lines.insert(at % n, line),
        Edit::Delete(at, n_lines) => drop(lines.drain(block(at, n_lines))),
        Edit::Replace(at, line) => lines[at % n] = line,
        Edit::Duplicate(from, n_lines, to) => {
            let copy = lines[block(from, n_lines)].to_vec();
            lines.splice(to % n..to % n, copy);
        }
        Edit::Move(from, n_lines, to) => {
            let moved: Vec<String> = lines.drain(block(from, n_lines)).collect();
            let to = to % (lines.len() + 1);
            lines.splice(to..to, moved);
        }
        Edit::Indent(at, n_lines, by) => {
            for line in &mut lines[block(at, n_lines)] {
                line.insert_str(0, by);
            }
        }
    }
}

/// The text of a line without white space.
fn key(line: &str) -> String {
    line.split_whitespace().collect()
}

/// The letters and digits of a line.
fn words(line: &str) -> String {
    line.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// Whether the words are those of consecutive lines, one of which is `at`.
fn is_divided(lines: &[String], at: usize, line: &str) -> bool {
    let expected = words(line);
    (0..at).rev().take(10).chain([at]).any(|start| {
        let mut rest = expected.as_str();
        for (at_part, part) in lines.iter().enumerate().skip(start) {
            match rest.strip_prefix(&words(part)) {
                Some(after) => rest = after,
                None => return false,
            }
            if rest.is_empty() {
                return at_part >= at;
            }
        }
        false
    })
}

/// The number of times that each line occurs.
fn counts<'a>(lines: impl Iterator<Item = &'a str>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(key(line)).or_default() += 1;
    }
    counts
}

/// Whether a line can have a cost. Lines of comments are not code, and short ones may be anywhere.
fn is_code(line: &str) -> bool {
    let is_comment =
        ["//", "/*", "*", "#", "--"].iter().any(|start| line.trim_start().starts_with(start));
    !is_comment && key(line).len() >= MIN_CHARS
}

/// A line that is mapped must have its letters and digits, and a new line must have no cost. Of the
/// lines that are in both texts once, almost all are mapped: edits that take a bracket away make
/// the statements around it other statements.
///
/// No edit divides a line, but a copy of the same statement in two lines may take the place of one
/// in one line. The line may be mapped to the copy, as to a formatted line, but only if each
/// undivided line with its tokens is mapped.
#[test]
fn a_line_keeps_its_cost_if_it_keeps_its_tokens() {
    let strategy = (
        0..LANGUAGES.len(),
        any::<prop::sample::Index>(),
        prop::collection::vec(edit(), 1..8),
        prop_oneof![Just("\n"), Just("\r\n")],
    );
    let (n_kept, n_lost) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) };
    let result = TestRunner::new(config).run(&strategy, |(language, source, edits, terminator)| {
        let path = source.get(&sources()[language]);
        let recorded = fs::read_to_string(path).unwrap();
        let mut open: Vec<String> = recorded.lines().map(str::to_owned).collect();
        for edit in edits {
            apply(&mut open, edit);
        }
        let map = LineMap::new(&recorded, &open.join(terminator), Syntax::of_path(path));
        let recorded: Vec<&str> = recorded.lines().collect();
        let before = counts(recorded.iter().copied());
        let after = counts(open.iter().map(String::as_str));
        for (line0, line) in (0..).zip(&recorded) {
            let (line_key, to) = (key(line), map.to_open(line0));
            // Braces may be on the line before.
            if let Some(to) = to.filter(|_| is_code(line)) {
                let at = to as usize;
                let is_free = |(line0, other): (u32, &String)| {
                    key(other) == line_key && map.to_recorded(line0).is_none()
                };
                if !is_divided(&open, at, line) || (0..).zip(&open).any(is_free) {
                    prop_assert_eq!(words(&open[at]), words(line), "{:?}", path);
                }
            }
            if is_code(line) && before[&line_key] == 1 && after.get(&line_key) == Some(&1) {
                n_kept.set(n_kept.get() + 1);
                n_lost.set(n_lost.get() + usize::from(to.is_none()));
            }
        }
        for (line0, line) in (0..).zip(&open).filter(|(_, line)| line.contains('🦀')) {
            prop_assert_eq!(map.all_recorded(line0).count(), 0, "{:?}: {}", path, line);
        }
        Ok(())
    });
    result.unwrap();
    let (n_kept, n_lost) = (n_kept.get(), n_lost.get());
    assert!(n_lost * 100 < n_kept, "{n_lost} of {n_kept} lines lost their cost");
}

/// What an editor sees while a line is typed.
#[test]
fn brackets_and_quotes_without_an_end_lose_few_other_lines() {
    for (language, paths) in LANGUAGES.iter().zip(sources()) {
        for typed in ["call(", "x = \"", "if a {", "}", "'", "f(a,"] {
            let (mut n_lines, mut n_lost) = (0, 0);
            for path in paths {
                let recorded = fs::read_to_string(path).unwrap();
                let mut open: Vec<&str> = recorded.lines().collect();
                open.insert(open.len() / 3, typed);
                let map = LineMap::new(&recorded, &open.join("\n"), Syntax::of_path(path));
                for (line0, _) in (0..).zip(recorded.lines()).filter(|(_, line)| is_code(line)) {
                    n_lines += 1;
                    n_lost += usize::from(map.to_open(line0).is_none());
                }
            }
            assert!(n_lost * 10 < n_lines, "{language} {typed}: {n_lost} of {n_lines}");
        }
    }
}
