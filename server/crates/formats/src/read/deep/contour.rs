//! Contour files: the modules whose procedures are left out of lists of callers. Each line has two
//! words: `all MODULE` excludes all procedures of a module, `internal MODULE` those that other
//! modules cannot call. There are no comments and no empty lines.
//!
//! Source: `deep_profiler/exclude.m` of Mercury.

use crate::error::{At, ReadError};
use profile::{Contexts, WarningCode, Warnings};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which procedures of a module are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// Those that other modules cannot call.
    Internal,
}

/// Marks the procedures that the file excludes.
///
/// # Errors
/// If a line is malformed, or no module is one of the program's. Nothing is marked then.
pub(crate) fn add_to(
    contexts: &mut Contexts,
    warnings: &mut Warnings,
    bytes: &[u8],
) -> Result<(), ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut scopes: FxHashMap<&str, Scope> = FxHashMap::default();
    let mut unknown: Vec<&str> = Vec::new();
    let known: FxHashSet<&str> = contexts.modules.iter().map(|part| part.name.as_str()).collect();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (scope, module) = match words[..] {
            ["all", module] => (Scope::All, module),
            ["internal", module] => (Scope::Internal, module),
            _ => {
                let message = format!(
                    "the line is `{}`; expected `all MODULE` or `internal MODULE`",
                    line.trim().chars().take(100).collect::<String>()
                );
                return Err(ReadError::malformed(At::Line(number, 1), message));
            }
        };
        if known.contains(module) {
            let stated = scopes.entry(module).or_insert(scope);
            *stated = if scope == Scope::All { Scope::All } else { *stated };
        } else if !unknown.contains(&module) {
            unknown.push(module);
        }
    }
    if !unknown.is_empty() && scopes.is_empty() {
        let message = format!("the profile has no procedures of {}", listed(&unknown));
        return Err(ReadError::malformed(At::File, message));
    }
    if !unknown.is_empty() {
        warnings.add(WarningCode::Contour, || {
            format!(
                "the contour file names modules of which the profile has no procedures: {}",
                listed(&unknown)
            )
        });
    }
    drop(known);
    contexts.exclude(|module, exported| match scopes.get(module) {
        Some(Scope::All) => true,
        Some(Scope::Internal) => !exported,
        None => false,
    });
    Ok(())
}

/// The first few names.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    let first: Vec<_> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::ModulePart;

    fn contexts() -> Contexts {
        let part =
            |name: &str, exported| ModulePart { name: name.to_owned(), exported, excluded: false };
        Contexts {
            modules: vec![part("m", true), part("m", false), part("list", true)],
            ..Contexts::default()
        }
    }

    /// Which parts are excluded, and the warnings.
    fn read(text: &str) -> Result<(Vec<bool>, Vec<String>), String> {
        let (mut contexts, mut warnings) = (contexts(), Warnings::default());
        add_to(&mut contexts, &mut warnings, text.as_bytes()).map_err(|error| error.to_string())?;
        let excluded = contexts.modules.iter().map(|part| part.excluded).collect();
        Ok((excluded, warnings.into_iter().map(|warning| warning.message).collect()))
    }

    #[test]
    fn modules_are_excluded_as_a_whole_or_without_their_interface() {
        assert_eq!(read("all m\n"), Ok((vec![true, true, false], Vec::new())));
        assert_eq!(read("  internal\tm \r\nall list"), Ok((vec![false, true, true], Vec::new())));
        assert_eq!(read("all m\ninternal m\n").unwrap().0, [true, true, false]);
        assert_eq!(read("internal m\nall m\n").unwrap().0, [true, true, false]);
        assert_eq!(read(""), Ok((vec![false; 3], Vec::new())));
    }

    #[test]
    fn unknown_modules_are_reported() {
        let (excluded, warnings) = read("all io\nall m\nall io\ninternal int\n").unwrap();
        assert_eq!(excluded, [true, true, false]);
        assert_eq!(
            warnings,
            ["the contour file names modules of which the profile has no procedures: `io`, `int`"]
        );
        assert_eq!(read("all io\n").unwrap_err(), "the profile has no procedures of `io`");
    }

    /// As in Mercury's own tool.
    #[test]
    fn other_lines_are_errors() {
        for (text, line) in
            [("all m\n\nall list\n", 2), ("% all m\n", 1), ("all\n", 1), ("some m", 1)]
        {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(&format!("line {line}, column 1: ")), "{error}");
            assert!(error.ends_with("expected `all MODULE` or `internal MODULE`"), "{error}");
        }
    }
}
