//! Files that are recognized but not read, so that an error message can name their kind and what to
//! do instead.
//!
//! [`TABLE`] lists all kinds. Only the first 16 KiB of a file are examined.

mod checks;
mod table;

use crate::signature::{Prefix, Signature};

pub use crate::foreign_kind::Foreign;
pub use table::TABLE;

impl Foreign {
    /// The kind of a file, by its decompressed bytes or a prefix of them.
    pub fn of(bytes: &[u8]) -> Option<&'static Self> {
        let prefix = Prefix::of(bytes);
        TABLE
            .iter()
            .find(|foreign| foreign.signatures.iter().any(|signature| prefix.has(signature)))
    }

    /// The kind of a recording that is a folder, by the name of the folder.
    pub fn of_folder(name: &str) -> Option<&'static Self> {
        let has = |signature: &Signature| matches!(signature, Signature::FolderName(end) if name.ends_with(end));
        TABLE.iter().find(|foreign| foreign.signatures.iter().any(has))
    }
}
