//! A kind of file that is recognized but not read.

use crate::signature::Signature;
use std::borrow::Cow;
use std::path::Path;

/// A kind of file that is recognized but not read.
#[derive(Debug)]
pub struct Foreign {
    /// A stable name for programs; also the name of the folder of its samples in
    /// `fixtures/foreign`.
    pub name: &'static str,
    /// What the file is, with its article, to follow `this is`.
    pub what: &'static str,
    /// What to do instead: a clause with the exact command. `FILE` stands for the file, `app` for
    /// the user's program.
    pub instead: &'static str,
    /// How the file is recognized: any one of these is enough.
    pub(crate) signatures: &'static [Signature],
}

impl Foreign {
    /// As [`Self::sentence`], with the file's path instead of `FILE`, quoted for a shell.
    pub fn sentence_of(&self, path: &Path) -> String {
        self.sentence().replace("FILE", &quoted(&path.to_string_lossy()))
    }

    /// What the file is and what to do, without the name of the file: `this is …, which Costline
    /// does not read; …`.
    pub fn sentence(&self) -> String {
        format!("this is {}, which Costline does not read; {}", self.what, self.instead)
    }
}

/// A word of a command, quoted for a shell if necessary.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-=+@:,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Foreign {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_work_as_they_are_printed() {
        let kind = Foreign {
            name: "a",
            what: "an a",
            instead: "convert it with `b FILE > c`",
            signatures: &[],
        };
        let of = |path: &str| kind.sentence_of(Path::new(path));
        assert!(of("/srv/run-1.a").ends_with("; convert it with `b /srv/run-1.a > c`"));
        assert!(of("it's 1.a").ends_with(r"`b 'it'\''s 1.a' > c`"));
        assert!(kind.sentence().ends_with("`b FILE > c`"));
    }
}
