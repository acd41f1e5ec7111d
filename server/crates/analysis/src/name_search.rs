//! What users type to find functions by their names.

use regex::{Regex, RegexBuilder};

/// A part of a name, or a regular expression. Case is ignored.
#[derive(Debug)]
pub struct NameSearch(Pattern);

#[derive(Debug)]
enum Pattern {
    /// In lower case.
    Part(String),
    Regex(Regex),
}

impl NameSearch {
    /// A part of a name.
    pub fn part(text: &str) -> Self {
        Self(Pattern::Part(text.to_lowercase()))
    }

    /// A regular expression. The error says why it is none.
    pub fn regex(text: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(text).case_insensitive(true).build();
        regex.map(|regex| Self(Pattern::Regex(regex))).map_err(|error| error.to_string())
    }

    /// Whether a name is found.
    pub fn finds(&self, name: &str) -> bool {
        match &self.0 {
            Pattern::Part(text) => name.to_lowercase().contains(text),
            Pattern::Regex(regex) => regex.is_match(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_regular_expressions_ignore_case() {
        let part = NameSearch::part("Parse(");
        assert!(part.finds("a::parse()") && !part.finds("parser"));
        let regex = NameSearch::regex("^parse.?$").unwrap();
        assert!(regex.finds("Parser") && !regex.finds("reparse"));
        let letters = NameSearch::regex(r"^Ä\w+$").unwrap();
        assert!(letters.finds("äpfel") && NameSearch::part("ÄPF").finds("Äpfel"));
        assert!(NameSearch::regex("(").is_err());
    }
}
