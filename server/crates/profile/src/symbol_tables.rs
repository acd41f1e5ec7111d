//! Names: libraries, sources and funcs with the strings they use. Shared by both kinds of
//! recording.

use crate::ids::NONE;
use crate::strings::Interner;
use crate::{FuncId, FuncKey, LibId, SourceId, StringId, StringTable};
use rustc_hash::FxHashMap;

/// A library (or program) that code was loaded from. Texts that the profile does not give are
/// empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Lib {
    /// Its short name (`libc.so.6`).
    pub name: String,
    /// Where it lay on the recording machine.
    pub path: String,
    /// The name of the file that its debug info was written to (`app.pdb`); often its own.
    pub debug_name: String,
    /// Where that file lay.
    pub debug_path: String,
    /// Breakpad's id of the debug info: a GUID and an age, in upper case hex without hyphens.
    pub debug_id: String,
    /// The ELF build id, the Mach-O UUID, or time stamp and size of a PE file, in hex.
    pub code_id: String,
    /// The name of the architecture, for files that hold code for several.
    pub arch: String,
    /// From where the addresses of its unresolved funcs count.
    pub addresses: AddressBase,
}

/// From where addresses in a library count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressBase {
    /// Nobody knows: a function that is called by an address there is a function called so.
    #[default]
    Unknown,
    /// From where the library begins in memory (Firefox Profiler's "relative address").
    Image,
    /// From the beginning of the library's file.
    File,
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

/// What a func is made of, for those who look at JavaScript only or at all but JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Code {
    /// No JavaScript, or nobody knows.
    #[default]
    Native,
    /// No JavaScript, but to be seen beside it: what a script asks of its runtime (Firefox
    /// Profiler's `relevantForJS`).
    Label,
    /// JavaScript.
    JavaScript,
}

/// Funcs in columns.
///
/// A func is what the profiler takes for one function. Several funcs can be one function in the
/// text (instances of a generic, the same file under two names): [`crate::Groups`] unites them.
#[derive(Debug, Clone, Default)]
pub struct FuncTable {
    name: Vec<StringId>,
    source: Vec<u32>,
    lib: Vec<u32>,
    line: Vec<u32>,
    column: Vec<u32>,
    /// Of the first funcs; those beyond are [`Code::Native`].
    code: Vec<Code>,
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

    /// What a func is made of.
    pub fn code(&self, id: FuncId) -> Code {
        self.code.get(id.index()).copied().unwrap_or_default()
    }

    /// Whether it is known of any func that it is JavaScript, or to be seen beside it.
    pub fn knows_code(&self) -> bool {
        self.ids().any(|func| self.code(func) != Code::Native)
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

    /// Says what a func is made of. What is JavaScript to one frame is so to all.
    pub(crate) fn set_code(&mut self, id: FuncId, code: Code) {
        if self.code(id) >= code {
            return;
        }
        if self.code.len() <= id.index() {
            self.code.resize(self.len(), Code::default());
        }
        self.code[id.index()] = code;
    }

    /// Appends a func. Its parts must be in the tables that belong to this one.
    pub fn push(&mut self, func: Func) {
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

    /// The library and the address in it of a func that nobody has resolved; see
    /// [`FuncKey::address`]. The address is one to look up: for callers it lies within the call,
    /// not behind it.
    pub fn unresolved(&self, id: FuncId) -> Option<(LibId, u64)> {
        let func = self.funcs.get(id);
        let counts = |lib: &LibId| self.libs[lib.index()].addresses != AddressBase::Unknown;
        let lib = func.lib.filter(|_| func.source.is_none()).filter(counts)?;
        Some((lib, crate::func_key::address(self.strings.get(func.name))?))
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

/// The strings and file names of a recording while some are added: those that are there keep their
/// ids.
pub(crate) struct Names {
    strings: Interner,
    sources: Vec<StringId>,
    source_ids: FxHashMap<StringId, SourceId>,
}

impl Names {
    pub(crate) fn of(symbols: &SymbolTables) -> Self {
        let sources = symbols.sources.clone();
        let source_ids =
            sources.iter().zip(0..).map(|(&name, id)| (name, SourceId::new(id))).collect();
        Self { strings: symbols.strings.clone().into(), sources, source_ids }
    }

    /// The id of a string; `None` when there are too many.
    pub(crate) fn string(&mut self, text: &str) -> Option<StringId> {
        self.strings.intern(text)
    }

    /// The id of a file; `None` when there are too many.
    pub(crate) fn source(&mut self, name: &str) -> Option<SourceId> {
        let name = self.strings.intern(name)?;
        let next = u32::try_from(self.sources.len()).ok().filter(|&next| next != NONE)?;
        Some(*self.source_ids.entry(name).or_insert_with(|| {
            self.sources.push(name);
            SourceId::new(next)
        }))
    }

    pub(crate) fn with(self, libs: Vec<Lib>, funcs: FuncTable) -> SymbolTables {
        SymbolTables { strings: self.strings.finish(), libs, sources: self.sources, funcs }
    }
}
