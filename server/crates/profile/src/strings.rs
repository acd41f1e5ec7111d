//! The string table: all names and paths of a profile, in one arena.

use crate::StringId;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Interned strings. Equal strings have equal ids.
#[derive(Debug, Default, Clone)]
pub struct StringTable {
    arena: String,
    /// End of each string in the arena, in bytes.
    ends: Vec<u32>,
}

impl StringTable {
    /// The string of `id`; empty for an id of another table.
    pub fn get(&self, id: StringId) -> &str {
        let end = self.ends.get(id.index()).copied().unwrap_or(0) as usize;
        let start = match id.index() {
            0 => 0,
            i => self.ends.get(i - 1).copied().unwrap_or(0) as usize,
        };
        self.arena.get(start..end).unwrap_or("")
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Numbers distinct strings in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct Interner {
    table: StringTable,
    /// Ids by the hash of their string. The strings themselves are only in the arena.
    ids: HashTable<StringId>,
}

fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

impl From<StringTable> for Interner {
    /// Starts with the strings of a table, which keep their ids.
    fn from(table: StringTable) -> Self {
        let mut ids = HashTable::with_capacity(table.len());
        for id in (0..table.len() as u32).map(StringId::new) {
            ids.insert_unique(hash(table.get(id)), id, |&id| hash(table.get(id)));
        }
        Self { table, ids }
    }
}

impl Interner {
    /// The id of `text`; `None` if the arena would exceed 4 GiB.
    pub fn intern(&mut self, text: &str) -> Option<StringId> {
        let Self { table, ids } = self;
        let hashed = hash(text);
        if let Some(&id) = ids.find(hashed, |&id| table.get(id) == text) {
            return Some(id);
        }
        let end = u32::try_from(table.arena.len() + text.len()).ok()?;
        let id = StringId::new(u32::try_from(table.ends.len()).ok()?);
        table.arena.push_str(text);
        table.ends.push(end);
        ids.insert_unique(hashed, id, |&id| hash(table.get(id)));
        Some(id)
    }

    /// The string of `id`.
    pub fn get(&self, id: StringId) -> &str {
        self.table.get(id)
    }

    /// The table of the strings.
    pub fn finish(mut self) -> StringTable {
        self.table.arena.shrink_to_fit();
        self.table.ends.shrink_to_fit();
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_an_id() {
        let mut interner = Interner::default();
        let ids: Vec<_> =
            ["", "main", "é😀", "main", ""].iter().filter_map(|s| interner.intern(s)).collect();
        let table = interner.finish();
        assert_eq!(ids.iter().map(|id| id.index()).collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
        assert_eq!(
            ids.iter().map(|&id| table.get(id)).collect::<Vec<_>>(),
            ["", "main", "é😀", "main", ""]
        );
        assert_eq!(table.len(), 3);
        assert_eq!(table.get(StringId::new(9)), "");
    }
}
