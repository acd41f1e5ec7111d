//! Which functions of a text can be inlined into which others, by the names in their bodies.

use crate::functions::definitions::FileDefinitions;
use rustc_hash::{FxHashMap, FxHashSet};
use texts::FunctionKind;

/// The functions of a text that others can be inlined into.
pub struct Inlinable<'a> {
    definitions: &'a FileDefinitions,
    /// By definition: those that its body names.
    named: Vec<FxHashSet<usize>>,
}

impl<'a> Inlinable<'a> {
    /// The functions of a text.
    pub fn new(definitions: &'a FileDefinitions, text: &str) -> Self {
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let all = definitions.all.iter().enumerate();
        for (at, definition) in all.filter(|(_, definition)| !definition.name.is_empty()) {
            by_name.entry(&definition.name).or_default().push(at);
        }
        let named = definitions.all.iter().map(|definition| {
            let body = text.get(definition.body_start..definition.bytes.end).unwrap_or_default();
            body.split(is_no_word).filter_map(|word| by_name.get(word)).flatten().copied().collect()
        });
        Self { definitions, named: named.collect() }
    }

    /// Whether a definition can have all of the lines (0-based), at least one of them in its own text: the
    /// others are in functions that are inlined into it, or into those, and so on.
    pub fn may_have(&self, at: usize, lines: &[u32]) -> bool {
        let own = &self.definitions.all[at].lines;
        if !lines.iter().any(|line0| own.contains(line0)) {
            return false;
        }
        let reached = self.reached(at);
        let may_be_inlined = |other: usize| {
            let definition = &self.definitions.all[other];
            reached.contains(&other)
                || definition.kind == FunctionKind::Closure
                // Operators and destructors are called without their name.
                || definition.name.contains(is_no_word)
        };
        lines.iter().all(|&line0| self.around(line0).any(may_be_inlined))
    }

    /// The innermost definition around a line, and those around that.
    fn around(&self, line0: u32) -> impl Iterator<Item = usize> {
        let FileDefinitions { all, starts, .. } = self.definitions;
        let last = starts.partition_point(|&start| start <= line0).checked_sub(1);
        let outward = std::iter::successors(last, |&at| all[at].parent);
        outward.filter(move |&at| all[at].lines.contains(&line0))
    }

    /// The definition, those that its body names, those that these name, and so on.
    fn reached(&self, at: usize) -> FxHashSet<usize> {
        let mut reached = FxHashSet::from_iter([at]);
        let mut open = vec![at];
        while let Some(next) = open.pop() {
            open.extend(self.named[next].iter().filter(|&&named| reached.insert(named)));
        }
        reached
    }
}

fn is_no_word(char: char) -> bool {
    !char.is_alphanumeric() && char != '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const TEXT: &str = "\
static int twice(int x) {
  return 2 * x;
}
static int last(int x) {
  return x - 1;
}
static int middle(int x) {
  return last(x);
}
int first(int x) {
  return middle(x);
}
";

    #[test]
    fn lines_may_be_those_of_functions_that_a_function_names() {
        let definitions = FileDefinitions::of_text(Path::new("a.c"), TEXT).unwrap();
        let inlinable = Inlinable::new(&definitions, TEXT);
        let may_have = |name: &str, lines: &[u32]| {
            let at = definitions.all.iter().position(|one| one.name == name).unwrap();
            inlinable.may_have(at, lines)
        };
        assert!(may_have("first", &[9, 10, 7, 4]));
        assert!(may_have("middle", &[7, 4]));
        // `twice` is named nowhere, and `first` not in `last`.
        assert!(!may_have("first", &[10, 1]));
        assert!(!may_have("last", &[4, 10]));
        // None of its own, or outside of all functions.
        assert!(!may_have("first", &[7, 4]));
        assert!(!may_have("first", &[10, 12]));
    }
}
