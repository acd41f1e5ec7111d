//! Files that are recognised but not read, so that an error message can name their kind and what to
//! do instead.
//!
//! [`TABLE`] lists all kinds. Only the first 16 KiB of a file are examined.

mod kind;
mod look;
mod sign;
mod table;

use sign::{Front, Sign};

pub use kind::Foreign;
pub use table::TABLE;

impl Foreign {
    /// The kind of a file, by its decompressed bytes or a prefix of them.
    pub fn of(bytes: &[u8]) -> Option<&'static Self> {
        let front = Front::of(bytes);
        TABLE.iter().find(|foreign| foreign.signs.iter().any(|sign| front.shows(sign)))
    }

    /// The kind of a recording that is a folder, by the name of the folder.
    pub fn of_folder(name: &str) -> Option<&'static Self> {
        let shows = |sign: &Sign| matches!(sign, Sign::FolderName(end) if name.ends_with(end));
        TABLE.iter().find(|foreign| foreign.signs.iter().any(shows))
    }
}
