//! Files of other programs: recognised by their first bytes, so that a message can name them and
//! say what to do instead of reading them.
//!
//! [`TABLE`] is the whole list. Only the front of a file is looked at, however large it is.

mod look;
mod sign;
mod table;

use sign::{Front, Sign};

pub use table::TABLE;

/// A kind of file that is recognised but not read.
#[derive(Debug)]
pub struct Foreign {
    /// A stable name; also that of the folder of its samples in `fixtures/foreign`.
    pub name: &'static str,
    /// What it is, with its article, to follow `this is`.
    pub what: &'static str,
    /// What to do instead: a clause with the exact command. `FILE` stands for the file, `app` for
    /// the user's program.
    pub instead: &'static str,
    /// How it is recognised; any one of them is enough.
    signs: &'static [Sign],
}

impl Foreign {
    /// The kind of a file, by its inflated bytes or the front of them.
    pub fn of(bytes: &[u8]) -> Option<&'static Self> {
        let front = Front::of(bytes);
        TABLE.iter().find(|foreign| foreign.signs.iter().any(|sign| front.shows(sign)))
    }

    /// The kind of a folder, by its name.
    pub fn of_folder(name: &str) -> Option<&'static Self> {
        let shows = |sign: &Sign| matches!(sign, Sign::FolderName(end) if name.ends_with(end));
        TABLE.iter().find(|foreign| foreign.signs.iter().any(shows))
    }

    /// What the file is and what to do, without the name of the file.
    pub fn sentence(&self) -> String {
        format!("this is {}, which Costline does not read; {}", self.what, self.instead)
    }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Foreign {}
