//! The user's rules, by which folders of recorded names are replaced.

use std::path::PathBuf;

use crate::name::{IGNORES_CASE, Name, rest_below};

/// A rule of the setting `pathMappings`. It matches whole components, with either separator. Case
/// is ignored in folders of Windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The prefix of names: `/srv/app`, `C:\build`, `webpack://app`,
    /// `git:github.com/rust-lang/rust`. An empty prefix matches nothing. A relative path also stands for
    /// the one in a root, unless there is a file.
    pub from: String,
    /// The replacement: a folder or file inside a root. A relative one is tried in all roots.
    pub to: String,
}

/// A rule with its prefix parsed.
pub(crate) struct Parsed<'r> {
    from: Name,
    to: &'r str,
}

impl Parsed<'_> {
    /// The rest of a [`Name::text`], or of a path below a root, if the rule applies to it.
    pub fn rest_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        rest_below(text, &self.from.text, IGNORES_CASE || self.from.is_windows)
    }

    /// The replacement, with the separators of this platform.
    pub fn to(&self) -> PathBuf {
        PathBuf::from(if cfg!(windows) { self.to.to_owned() } else { self.to.replace('\\', "/") })
    }
}

/// The rules in the order in which they are tried, the longest prefix first.
pub(crate) fn by_length(rules: &[Rule]) -> Vec<Parsed<'_>> {
    let rules = rules.iter().map(|rule| Parsed { from: Name::parse(&rule.from), to: &rule.to });
    let mut rules: Vec<_> = rules.filter(|rule| !rule.from.text.is_empty()).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.from.text.len()));
    rules
}
