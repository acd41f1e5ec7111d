//! The functions of texts in every language: complete, unfinished, edited and hostile ones, and the
//! sources of real profiles.
//!
//! Texts in these tests have the number of each line in front: `3|code`.

// Helpers of an integration test do not count as test code to clippy.
#![allow(clippy::unwrap_used)]

mod bounds;
mod broken;
mod c_family;
mod edits;
mod managed;
mod mercury;
mod places;
mod real_sources;
mod scopes;
mod scripts;
mod web;

use texts::{Definition, FunctionKind, Functions, Language};

const LANGUAGES: [Language; 15] = {
    use Language::{
        C, CSharp, Cpp, Go, Java, JavaScript, Lua, Mercury, Php, Python, R, Ruby, Rust, Tsx,
        TypeScript,
    };
    [
        Rust, C, Cpp, Python, JavaScript, TypeScript, Tsx, Go, Ruby, Java, CSharp, Php, Lua, R,
        Mercury,
    ]
};

/// Removes the line numbers.
fn text(numbered: &str) -> String {
    let lines = numbered.trim_matches('\n').lines().enumerate().map(|(at, line)| {
        let (number, line) = line.split_once('|').unwrap();
        assert_eq!(number.trim(), at.to_string(), "number of the line {line}");
        line.to_owned() + "\n"
    });
    lines.collect()
}

/// One function per line, indented below the one around it: line of the name, all lines, container
/// and name.
fn render(functions: &Functions) -> String {
    let all = functions.all();
    let depth = |definition: &Definition| {
        std::iter::successors(definition.parent, |at| all[*at].parent).count()
    };
    let line = |definition: &Definition| {
        let Definition { name, container, kind, lines, name_line0, .. } = definition;
        let container =
            container.as_ref().map_or(String::new(), |container| format!("{container}."));
        let closure = if *kind == FunctionKind::Closure { " closure" } else { "" };
        let (start, end, indent) = (lines.start(), lines.end(), "  ".repeat(depth(definition)));
        format!("{indent}{name_line0} {start}-{end}{closure} {container}{name}")
            .trim_end()
            .to_owned()
            + "\n"
    };
    all.iter().map(line).collect()
}

#[track_caller]
fn parse(language: Language, numbered: &str) -> Functions {
    let text = text(numbered);
    let functions = Functions::parse(language, &*text).unwrap();
    for definition in functions.all() {
        let name = &text[definition.name_bytes.clone()];
        assert!(definition.name.ends_with(name), "{name} is the name of {definition:?}");
    }
    functions
}

/// Compares the functions of a numbered text with the expected output of [`render`].
#[track_caller]
fn check(language: Language, numbered: &str, expected: &str) {
    let found = render(&parse(language, numbered));
    let expected = expected.trim_matches('\n').to_owned() + "\n";
    assert!(found == expected, "expected:\n{expected}\nfound:\n{found}");
}

/// `^` in `marked` is the cursor. Compares the name of the call there, `-` for none.
#[track_caller]
fn check_calls(language: Language, marked: &[(&str, &str)]) {
    for (line, expected) in marked {
        let (before, after) = line.split_once('^').unwrap();
        let functions = Functions::parse(language, [before, after].concat()).unwrap();
        let call = functions.call_at(before.len());
        assert_eq!(call.as_ref().map_or("-", |call| &call.name), *expected, "{line}");
        let in_line = functions.calls_in_line(before.matches('\n').count() as u32);
        assert!(call.iter().all(|call| in_line.contains(call)), "{line}: one of {in_line:?}");
    }
}
