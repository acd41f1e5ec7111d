//! Texts of sources: line maps between two of them, and their functions.

use super::input::Input;
use std::path::Path;
use texts::{Functions, Language, LineMap, Syntax};

const FILES: [&str; 15] = [
    "a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.c", "a.cpp", "a.cs", "a.java", "a.go", "a.rb",
    "a.php", "a.lua", "a.m", "a.R",
];

/// Two texts, and the name of their file.
fn texts(data: &[u8]) -> (&'static str, String, String) {
    let mut input = Input(data);
    let file = input.one_of(&FILES);
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    (file, text(input.part()), text(input.0))
}

fn n_lines(text: &str) -> u32 {
    text.split('\n').count() as u32
}

/// Maps the lines of one text to those of another.
pub fn lines(data: &[u8]) {
    let (file, recorded, open) = texts(data);
    let syntax = Syntax::of_text(Path::new(file), &recorded);
    let map = LineMap::new(&recorded, &open, syntax);
    for line0 in 0..n_lines(&recorded) {
        let to = map.to_open(line0);
        assert!(to.is_none_or(|to| to < n_lines(&open)), "line {line0} goes to {to:?}");
        if let Some(to) = to {
            assert!(map.all_recorded(to).any(|from| from == line0), "{line0} comes not from {to}");
        }
    }
    for line0 in 0..n_lines(&open) {
        for from in map.all_recorded(line0).chain(map.to_recorded(line0)).chain(map.replaced(line0))
        {
            assert!(from < n_lines(&recorded), "line {line0} comes from {from}");
        }
    }
    // An unchanged text loses nothing.
    let same = LineMap::new(&recorded, &recorded, syntax);
    assert!((0..recorded.lines().count() as u32).all(|line0| same.to_open(line0) == Some(line0)));
}

/// Finds the functions of a text, and again after it was edited: they depend on the text alone.
pub fn functions(data: &[u8]) {
    let (file, before, after) = texts(data);
    let Some(language) = Language::of_path(Path::new(file)) else { return };
    let Some(functions) = Functions::parse(language, before.as_str()) else { return };
    check(&functions, &before);
    let edited = functions.edited(after.as_str());
    let parsed = Functions::parse(language, after.as_str());
    let all = |functions: &Option<Functions>| functions.as_ref().map(|it| it.all().to_vec());
    assert_eq!(all(&edited), all(&parsed), "{file}");
    if let Some(functions) = &parsed {
        check(functions, &after);
    }
}

fn check(functions: &Functions, text: &str) {
    for function in functions.all() {
        assert!(text.get(function.bytes.clone()).is_some(), "{function:?}");
        assert!(*function.lines.end() < n_lines(text), "{function:?}");
    }
    for line0 in 0..n_lines(text).min(50) {
        let _ = (functions.at_line(line0), functions.statement_at(line0));
        let _ = functions.calls_in_line(line0);
    }
    for byte in (0..text.len()).step_by(17) {
        let _ = (functions.at_byte(byte), functions.call_at(byte));
    }
}
