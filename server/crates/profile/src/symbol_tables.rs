//! Libraries, sources and funcs, with their strings. Both kinds of recording have them.

use crate::column::Column;
use crate::ids::NONE;
use crate::strings::Interner;
use crate::{FuncId, FuncKey, LibId, LineCount, SourceId, StringId, StringTable};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A library or program that code was loaded from. Fields that the profile does not state are
/// empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Lib {
    /// Its short name (`libc.so.6`).
    pub name: String,
    /// Its path on the recording machine.
    pub path: String,
    /// The file name of its debug info (`app.pdb`); often that of the library.
    pub debug_name: String,
    /// The path of that file.
    pub debug_path: String,
    /// The Breakpad id of the debug info: a GUID and an age, in upper-case hex without hyphens.
    pub debug_id: String,
    /// The ELF build id, the Mach-O UUID, or the time stamp and size of a PE file, in hex.
    pub code_id: String,
    /// The architecture, for files with code for several.
    pub arch: String,
    /// The base of the addresses of its unresolved funcs.
    pub addresses: AddressBase,
    /// The size of its code in bytes, from the start of the image to `etext`, each rounded to 4 bytes: all that
    /// gprof records of a program. 0 if the library has a name.
    pub text_size: u64,
}

/// The base of addresses in a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressBase {
    /// Unknown. A func named like an address is not resolved.
    #[default]
    Unknown,
    /// The start of the library in memory (Firefox Profiler's "relative address").
    Image,
    /// The start of the library's file.
    File,
}

/// A row of the func table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Func {
    /// Its name.
    pub name: StringId,
    /// The file of its source.
    pub source: Option<SourceId>,
    /// The library of its code.
    pub lib: Option<LibId>,
    /// The line of its start, 1-based; 0 if unknown.
    pub line: u32,
    /// The column of its start, 1-based; 0 if unknown.
    pub column: u32,
}

/// What a func is made of, for the implementation filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Code {
    /// Not JavaScript, or unknown.
    #[default]
    Native,
    /// Not JavaScript, but shown with it: what a script asks of its runtime (Firefox Profiler's
    /// `relevantForJS`).
    Label,
    /// JavaScript.
    JavaScript,
}

/// Funcs in columns.
///
/// A func is what the profiler treats as one function. Several funcs can be one function of the
/// source (instances of a generic, one file under two names): [`crate::Groups`] groups them.
/// Example: `max<i32>` and `max<f64>` are two funcs and one function.
#[derive(Debug, Clone)]
pub struct FuncTable {
    name: Vec<StringId>,
    source: Column<u32>,
    lib: Column<u32>,
    line: Column<u32>,
    column: Column<u32>,
    code: Column<Code>,
}

impl Default for FuncTable {
    fn default() -> Self {
        Self {
            name: Vec::new(),
            source: Column::new(NONE),
            lib: Column::new(NONE),
            line: Column::default(),
            column: Column::default(),
            code: Column::default(),
        }
    }
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
            source: Some(self.source.get(i)).filter(|&id| id != NONE).map(SourceId::new),
            lib: Some(self.lib.get(i)).filter(|&id| id != NONE).map(LibId::new),
            line: self.line.get(i),
            column: self.column.get(i),
        }
    }

    /// What a func is made of.
    pub fn code(&self, id: FuncId) -> Code {
        self.code.get(id.index())
    }

    /// Whether any func is JavaScript or shown with it.
    pub fn knows_code(&self) -> bool {
        self.ids().any(|func| self.code(func) != Code::Native)
    }

    /// The number of funcs.
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

    /// Sets what a func is made of. A func that is JavaScript in one frame is so in all.
    pub(crate) fn set_code(&mut self, id: FuncId, code: Code) {
        self.code.set(id.index(), self.code(id).max(code));
    }

    /// Appends a func. Its string, source and library must be in the same [`SymbolTables`].
    pub fn push(&mut self, func: Func) {
        let row = self.len();
        self.name.push(func.name);
        self.source.set(row, func.source.map_or(NONE, SourceId::raw));
        self.lib.set(row, func.lib.map_or(NONE, LibId::raw));
        self.line.set(row, func.line);
        self.column.set(row, func.column);
    }
}

/// Strings, libraries, sources and funcs.
#[derive(Debug, Clone, Default)]
pub struct SymbolTables {
    /// The strings of the other tables.
    pub strings: StringTable,
    /// Libraries.
    pub libs: Vec<Lib>,
    /// File names as spelled in the profile, one per [`SourceId`].
    pub sources: Vec<StringId>,
    /// The texts of sources that the profile contains.
    pub texts: BTreeMap<SourceId, Arc<str>>,
    /// How often lines were executed, one row per file and line, if that is known. Lines without a
    /// row have no code, or their code is unknown.
    pub line_counts: Vec<LineCount>,
    /// Funcs.
    pub funcs: FuncTable,
}

impl SymbolTables {
    /// The name of a func.
    pub fn func_name(&self, id: FuncId) -> &str {
        self.strings.get(self.funcs.get(id).name)
    }

    /// The name of a source, as spelled in the profile.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn source_name(&self, id: SourceId) -> &str {
        self.strings.get(self.sources[id.index()])
    }

    /// The library and address of an unresolved func; see [`FuncKey::address`]. This is the address
    /// to look up: for callers, it is within the call instruction, not after it.
    pub fn unresolved(&self, id: FuncId) -> Option<(LibId, u64)> {
        let func = self.funcs.get(id);
        let counts = |lib: &LibId| self.libs[lib.index()].addresses != AddressBase::Unknown;
        let lib = func.lib.filter(counts)?;
        Some((lib, crate::func_key::address(self.strings.get(func.name))?))
    }

    /// The key of a func, which is valid across profiles, rewrites and symbolication.
    pub fn func_key(&self, id: FuncId) -> FuncKey {
        let func = self.funcs.get(id);
        FuncKey::new(
            self.strings.get(func.name),
            func.source.map(|source| self.source_name(source)),
            func.lib.map(|lib| self.libs[lib.index()].name.as_str()),
        )
    }
}

/// Adds strings and file names to the tables of a recording, whose rows keep their ids.
pub(crate) struct Names {
    strings: Interner,
    sources: Vec<StringId>,
    source_ids: FxHashMap<StringId, SourceId>,
    texts: BTreeMap<SourceId, Arc<str>>,
    line_counts: Vec<LineCount>,
}

impl Names {
    pub(crate) fn of(symbols: &SymbolTables) -> Self {
        let sources = symbols.sources.clone();
        let source_ids =
            sources.iter().zip(0..).map(|(&name, id)| (name, SourceId::new(id))).collect();
        let texts = symbols.texts.clone();
        let line_counts = symbols.line_counts.clone();
        Self { strings: symbols.strings.clone().into(), sources, source_ids, texts, line_counts }
    }

    /// The id of a string; `None` if there are too many.
    pub(crate) fn string(&mut self, text: &str) -> Option<StringId> {
        self.strings.intern(text)
    }

    /// The id of a file; `None` if there are too many.
    pub(crate) fn source(&mut self, name: &str) -> Option<SourceId> {
        let name = self.strings.intern(name)?;
        let next = u32::try_from(self.sources.len()).ok().filter(|&next| next != NONE)?;
        Some(*self.source_ids.entry(name).or_insert_with(|| {
            self.sources.push(name);
            SourceId::new(next)
        }))
    }

    pub(crate) fn with(self, libs: Vec<Lib>, funcs: FuncTable) -> SymbolTables {
        let Self { strings, sources, texts, line_counts, .. } = self;
        SymbolTables { strings: strings.finish(), libs, sources, texts, line_counts, funcs }
    }
}
