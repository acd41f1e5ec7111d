//! Names: compressed names, and the suffixes that valgrind appends to function names.
//!
//! With `--separate-recs`, calls of a function within itself get names of their own (`f'2`, `f'3`);
//! with `--separate-callers`, calls from different callers do (`f'caller`,
//! `f'caller'callers-caller`). With both, the level comes first: `f'2'caller`. In the source all of
//! them are one function.

use crate::read::shared::texts::{Text, Texts};
use profile::{BuildError, WarningCode, Warnings};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const OBJECTS: usize = 0;
pub(super) const FILES: usize = 1;
pub(super) const FUNCTIONS: usize = 2;

/// The compressed names of each kind.
#[derive(Default)]
pub(super) struct Tables([Names; 3]);

/// Names by number. Writers count, so most numbers are indexes into `counted`.
#[derive(Default)]
struct Names {
    counted: Vec<Option<Text>>,
    others: FxHashMap<u64, Text>,
}

impl Names {
    fn get(&self, number: u64) -> Option<Text> {
        let counted = usize::try_from(number).ok().and_then(|number| *self.counted.get(number)?);
        counted.or_else(|| self.others.get(&number).copied())
    }

    /// Sets a name; returns the one before.
    fn insert(&mut self, number: u64, name: Text) -> Option<Text> {
        let before = self.get(number);
        match usize::try_from(number) {
            Ok(number) if number <= self.counted.len() + MAX_GAP => {
                self.counted.resize(self.counted.len().max(number + 1), None);
                self.counted[number] = Some(name);
            }
            _ => {
                self.others.insert(number, name);
            }
        }
        before
    }
}

/// A number that exceeds all before it by more is one of the `others`: a file with large gaps must not
/// take much more memory than it has bytes.
const MAX_GAP: usize = 4;

impl Tables {
    /// Resolves a name: `(3) main` defines number 3, `(3)` refers to it, anything else is the name
    /// itself. Undefined numbers give an empty name.
    pub(super) fn resolve(
        &mut self,
        table: usize,
        value: &str,
        texts: &mut Texts,
        line: usize,
        warnings: &mut Warnings,
    ) -> Result<Text, BuildError> {
        let Some(names) = self.0.get_mut(table) else { return texts.intern(value) };
        let Some((id, name)) = short(value) else { return texts.intern(given(value)) };
        if name.is_empty() {
            return Ok(names.get(id).unwrap_or_else(|| {
                warnings.add(WarningCode::UnknownName, || {
                    format!("line {line}: name ({id}) is not defined")
                });
                Texts::EMPTY
            }));
        }
        let name = texts.intern(given(name))?;
        if names.insert(id, name).is_some_and(|before| before != name) {
            warnings.add(WarningCode::Renamed, || {
                format!("line {line}: name ({id}) is defined again; the new definition is used")
            });
        }
        Ok(name)
    }
}

/// Splits `(3) main` into number and name. `(below main)` is a name.
fn short(value: &str) -> Option<(u64, &str)> {
    let value = value.strip_prefix('(')?;
    let (id, name) = value.split_at(value.bytes().position(|byte| !byte.is_ascii_digit())?);
    Some((id.parse().ok()?, name.strip_prefix(')')?.trim_ascii_start()))
}

/// The name, or nothing for valgrind's `???` (unknown) and Python's `~` (not a file).
fn given(name: &str) -> &str {
    if matches!(name, "???" | "~") { "" } else { name }
}

/// Splits the suffixes off function names; returns the name of each function, and whether it is a
/// call within itself. Text after an apostrophe is a caller only if it names a function, because
/// names in some languages contain apostrophes: `f'main` is `f` called by `main` if there is a
/// function `main`, but `foldl'` is a name.
pub(super) fn without_suffixes<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(&'n str, bool)> {
    let names: Vec<(&str, Parts<'_>)> = names.map(|name| (name, Parts::of(name))).collect();
    let bases: FxHashSet<&str> =
        names.iter().map(|(_, parts)| parts.base).filter(|base| !base.is_empty()).collect();
    let split = |&(name, Parts { base, is_inner, callers }): &(&'n str, Parts<'n>)| {
        let mut callers = segments(callers).skip(1);
        if callers.all(|caller| bases.contains(caller)) { (base, is_inner) } else { (name, false) }
    };
    names.iter().map(split).collect()
}

/// The parts of a name, if the texts after its apostrophes are a level and callers.
struct Parts<'n> {
    base: &'n str,
    /// Whether there is a level.
    is_inner: bool,
    /// The rest, from the apostrophe before the first caller.
    callers: &'n str,
}

impl<'n> Parts<'n> {
    fn of(name: &'n str) -> Self {
        if !name.contains('\'') {
            return Self { base: name, is_inner: false, callers: "" };
        }
        let mut segments = segments(name);
        let first = segments.next().unwrap_or(name);
        // The base may contain apostrophes itself: `foldl''2`.
        let mut end = first.len();
        for segment in segments {
            if end > 0 && segment.parse().is_ok_and(|level: u32| level > 1) {
                let callers = &name[end + 1 + segment.len()..];
                return Self { base: &name[..end], is_inner: true, callers };
            }
            end += 1 + segment.len();
        }
        Self { base: first, is_inner: false, callers: &name[first.len()..] }
    }
}

/// The parts between apostrophes, except for those in brackets.
fn segments(name: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let apostrophes = name.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'<' | b'>' if is_operator(&name[..at]) => {}
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (byte == b'\'' && depth == 0).then_some(at)
    });
    let mut start = 0;
    apostrophes.chain([name.len()]).map(move |end| {
        let segment = &name[start..end];
        start = end + 1;
        segment
    })
}

/// Whether `<` or `>` after this text is no bracket, as in `operator<<(A)` and `fn() -> A`.
fn is_operator(before: &str) -> bool {
    before.ends_with('-') || before.trim_end_matches(['<', '>', '=']).ends_with("operator")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_defined_once_per_kind() {
        let (mut tables, mut warnings) = (Tables::default(), Warnings::default());
        let mut texts = Texts::default();
        let mut resolve = |table, value| {
            let name = tables.resolve(table, value, &mut texts, 7, &mut warnings).unwrap();
            texts.get(name).to_owned()
        };
        let names = [
            "(1) a.c",
            "(1)",
            "b.c",
            "(below main)",
            "(2)a b",
            "(2)",
            "(1) d.c",
            "(1) d.c",
            "???",
            "(9) ???",
            "(8)",
        ];
        let names = names.map(|value| resolve(FILES, value));
        assert_eq!(
            names,
            ["a.c", "a.c", "b.c", "(below main)", "a b", "a b", "d.c", "d.c", "", "", ""]
        );
        assert_eq!(resolve(FUNCTIONS, "(1)"), "");
        let codes: Vec<_> =
            warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect();
        assert_eq!(codes, [(WarningCode::Renamed, 1), (WarningCode::UnknownName, 2)]);
    }

    #[test]
    fn numbers_need_not_count() {
        let (mut names, far) = (Names::default(), 3 * MAX_GAP as u64);
        let [a, b] = [1, 2].map(Text::new);
        let before = [(far, a), (u64::MAX, b), (2, a), (0, b), (2, b)]
            .map(|(n, name)| names.insert(n, name));
        assert_eq!(before, [None, None, None, None, Some(a)]);
        // Once counting has reached a number, its name is still known, and can change.
        (3..far).for_each(|number| assert_eq!(names.insert(number, a), None));
        assert_eq!(
            (names.get(far), names.insert(far, b), names.get(far)),
            (Some(a), Some(a), Some(b))
        );
        assert_eq!([1, 2, u64::MAX, far + 1].map(|n| names.get(n)), [None, Some(b), Some(b), None]);
        assert!(names.counted.len() <= far as usize + 1);
    }

    #[test]
    fn levels_and_callers_are_split_off_names() {
        let names = [
            "f",
            "f'2",
            "f'20",
            "main",
            "f'main",
            "f'2'main'(below main)",
            "foldl'",
            "foldl''2'main",
            "g'h",
            "x'1",
            "v<'a>::f'main",
            "f'main'(below main)",
            "(below main)",
            "f'2'other",
            "operator<(A, A)'2'main",
            "operator<<(A)'main",
            "<fn() -> A<'a> as T<'b>>::f'main",
        ];
        let split = without_suffixes(names.into_iter());
        let inner: Vec<_> = split.iter().map(|&(_, inner)| usize::from(inner)).collect();
        let split: Vec<_> = split.iter().map(|&(name, _)| name).collect();
        assert_eq!(
            split,
            [
                "f",
                "f",
                "f",
                "main",
                "f",
                "f",
                "foldl'",
                "foldl'",
                "g'h",
                "x'1",
                "v<'a>::f",
                "f",
                "(below main)",
                "f'2'other",
                "operator<(A, A)",
                "operator<<(A)",
                "<fn() -> A<'a> as T<'b>>::f",
            ]
        );
        assert_eq!(inner, [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    }
}
