//! Frames that the profiler wants left out: `drop_frames` and `keep_frames`, as pprof itself
//! applies them.
//!
//! An allocator's own functions say nothing about who allocates, so a file may name functions that
//! are cut off the leaf end of stacks with all that they call. What stands nearer to the root than
//! any other function is never cut: something of each stack remains.

use regex_lite::{Error, Regex};

/// Which functions are left out.
pub(super) struct Prune {
    drop: Regex,
    keep: Option<Regex>,
}

/// What is left of a location whose functions were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// All, and what it calls.
    Nothing,
    /// The outer functions: an inlined one is left out. The stack ends here.
    Inner,
    /// Nothing: the stack ends before it.
    Whole,
}

impl Prune {
    /// From two regular expressions, of which an empty one matches nothing.
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

/// A name without its parameters, which begin with the first parenthesis that is not part of a
/// name, and without the dot that some PowerPC symbols begin with.
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
    fn parameters_are_no_part_of_a_name() {
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
