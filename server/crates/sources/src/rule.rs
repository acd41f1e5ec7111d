//! The user's rules, by which folders of recorded names are replaced.

use std::path::PathBuf;

use crate::name::{Form, IGNORES_CASE, Name, rest_below};

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

/// Whether a rule for `from` may apply to one of these recorded names.
pub fn has_name_in<'n>(from: &str, names: impl IntoIterator<Item = &'n str>) -> bool {
    let rule = Parsed { from: Name::parse(from), to: "" };
    let is_relative = rule.from.form == Form::Relative;
    let applies = |name: &str| {
        let text = Name::parse(name).text;
        // A relative rule may be for the path below a root.
        let mut ends = text.match_indices('/').filter_map(|(at, _)| text.get(at + 1..));
        rule.rest_of(&text).is_some() || is_relative && ends.any(|end| rule.rest_of(end).is_some())
    };
    !rule.from.text.is_empty() && names.into_iter().any(applies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_names_that_a_rule_may_apply_to() {
        let names = ["/srv/app/x.py", r"C:\Shop\y.py", r"\\NAS\share\z.py", "lib.rs"];
        for from in ["/srv", "/srv/app/", r"c:\shop", r"\\nas\Share", "app", "Shop/y.py", "lib.rs"]
        {
            assert!(has_name_in(from, names), "{from}");
        }
        for from in ["/sr", "/app", "/SRV", r"D:\shop", r"\\nas\other", "b.rs", ""] {
            assert_eq!(has_name_in(from, names), IGNORES_CASE && from == "/SRV", "{from}");
        }
    }
}
