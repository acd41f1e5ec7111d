//! Files of other programs: recognised by their first bytes, so that a message can name them and
//! say what to do instead of reading them.
//!
//! [`TABLE`] is the whole list. Only the front of a file is looked at, however large it is.

mod kind;
mod look;
mod sign;
mod table;

use sign::{Front, Sign};

pub use kind::Foreign;
pub use table::TABLE;

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
}
