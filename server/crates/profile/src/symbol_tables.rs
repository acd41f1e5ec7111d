//! Names: libraries, sources and funcs with the strings they use. Shared by both kinds of recording.

use crate::ids::NONE;
use crate::{FuncId, FuncKey, LibId, SourceId, StringId, StringTable};

/// A library that code was loaded from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lib {
    /// Its short name (`libc.so.6`).
    pub name: String,
    /// Where it lay on the recording machine; empty if the file does not say.
    pub path: String,
}

/// One func, as a row to be put into or taken out of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Func {
    /// Its name.
    pub name: StringId,
    /// The file that it is written in.
    pub source: Option<SourceId>,
    /// The library that holds its code.
    pub lib: Option<LibId>,
    /// The line it starts at, 1-based; 0 = unknown.
    pub line: u32,
    /// The column it starts at, 1-based; 0 = unknown.
    pub column: u32,
}

/// Funcs in columns.
///
/// A func is what the profiler takes for one function. Several funcs can be one function in the text (instances of a
/// generic, the same file under two names): [`crate::Groups`] unites them.
#[derive(Debug, Clone, Default)]
pub struct FuncTable {
    name: Vec<StringId>,
    source: Vec<u32>,
    lib: Vec<u32>,
    line: Vec<u32>,
    column: Vec<u32>,
}

impl FuncTable {
    /// The row of `id`.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn get(&self, id: FuncId) -> Func {
        let i = id.index();
        Func {
            name: self.name[i],
            source: (self.source[i] != NONE).then(|| SourceId::new(self.source[i])),
            lib: (self.lib[i] != NONE).then(|| LibId::new(self.lib[i])),
            line: self.line[i],
            column: self.column[i],
        }
    }

    /// How many funcs there are.
    pub fn len(&self) -> usize {
        self.name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = FuncId> + use<> {
        (0..self.len() as u32).map(FuncId::new)
    }

    pub(crate) fn push(&mut self, func: Func) {
        self.name.push(func.name);
        self.source.push(func.source.map_or(NONE, SourceId::raw));
        self.lib.push(func.lib.map_or(NONE, LibId::raw));
        self.line.push(func.line);
        self.column.push(func.column);
    }
}

/// All that has a name.
#[derive(Debug, Clone, Default)]
pub struct SymbolTables {
    /// Strings of the other tables.
    pub strings: StringTable,
    /// Libraries.
    pub libs: Vec<Lib>,
    /// File names as the profile spells them, one per [`SourceId`].
    pub sources: Vec<StringId>,
    /// Funcs.
    pub funcs: FuncTable,
}

impl SymbolTables {
    /// The name of a func.
    pub fn func_name(&self, id: FuncId) -> &str {
        self.strings.get(self.funcs.get(id).name)
    }

    /// The name of a source, as the profile spells it.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn source_name(&self, id: SourceId) -> &str {
        self.strings.get(self.sources[id.index()])
    }

    /// What identifies a func across files, rewrites and symbolication.
    pub fn func_key(&self, id: FuncId) -> FuncKey {
        let func = self.funcs.get(id);
        FuncKey::new(
            self.strings.get(func.name),
            func.source.map(|source| self.source_name(source)),
            func.lib.map(|lib| self.libs[lib.index()].name.as_str()),
        )
    }
}
