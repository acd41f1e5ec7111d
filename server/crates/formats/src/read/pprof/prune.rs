//! Frames to be left out: `drop_frames` and `keep_frames`, with the rules of pprof.
//!
//! The functions of an allocator say nothing about who allocates, so a file may name functions that
//! are cut off stacks at the leaf end, with everything they call. For example, with `drop_frames`
//! `malloc`, the stack `main;f;malloc;mmap` becomes `main;f`. Matching functions at the root end,
//! before any other function, are kept, so that no stack becomes empty.

use regex::{Error, Regex};

/// The functions to be left out.
pub(super) struct Prune {
    drop: Regex,
    keep: Option<Regex>,
}

/// How much of a location is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Nothing.
    Nothing,
    /// Inlined functions; the outer ones are kept. The stack ends here.
    Inner,
    /// The whole location: the stack ends before it.
    Whole,
}

impl Prune {
    /// Compiles two regular expressions; an empty one matches nothing.
    pub(super) fn of(drop: &str, keep: &str) -> Result<Option<Self>, Error> {
        let whole = |pattern: &str| Regex::new(&format!("^({pattern})$"));
        if drop.is_empty() {
            return Ok(None);
        }
        let keep = if keep.is_empty() { None } else { Some(whole(keep)?) };
        Ok(Some(Self { drop: whole(drop)?, keep }))
    }

    pub(super) fn drops(&self, function: &str) -> bool {
        let name = simplified(function);
        !function.is_empty()
            && self.drop.is_match(name)
            && !self.keep.as_ref().is_some_and(|keep| keep.is_match(name))
    }
}

/// The name without its parameters, which begin at the first parenthesis that is not part of the
/// name, and without the dot before some PowerPC symbols: `a::(anonymous namespace)::f(int)`
/// becomes `a::(anonymous namespace)::f`.
fn simplified(name: &str) -> &str {
    let name = name.strip_prefix('.').unwrap_or(name);
    let parameters =
        name.match_indices('(').map(|(at, _)| name.split_at(at)).find(|(before, rest)| {
            !(rest.starts_with("(anonymous namespace)")
                || (before.ends_with("operator") && rest.starts_with("()")))
        });
    parameters.map_or(name, |(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_removed_from_names() {
        let cases = [
            ("malloc", "malloc"),
            ("ns::f(int, char (*)(int))", "ns::f"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("Less::operator()(int, int) const", "Less::operator()"),
            (".main", "main"),
            ("store.(*Index).Add", "store."),
        ];
        for (name, expected) in cases {
            assert_eq!(simplified(name), expected);
        }
    }

    #[test]
    fn expressions_match_whole_names() {
        let prune = Prune::of("malloc|operator new.*", "operator new_arena").unwrap().unwrap();
        let names =
            ["malloc", "my_malloc", "operator new[](unsigned long)", "operator new_arena(int)", ""];
        assert_eq!(names.map(|name| prune.drops(name)), [true, false, true, false, false]);
        assert!(Prune::of("", "x").unwrap().is_none());
        assert!(Prune::of("(", "").is_err());
    }
}
