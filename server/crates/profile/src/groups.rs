//! Groups file names that are one file and funcs that are one function. Grouping comes before
//! summing.
//!
//! Adding up the costs of funcs would count a sample twice if its stack passes two spellings of one
//! file, or two instances of one function. So `analysis` computes costs per group, and computes
//! them again if groups change.

use crate::func_key::address;
use crate::ids::ids;
use crate::{Func, FuncId, LibId, SourceId, SymbolTables};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

ids! {
    /// A file, which may have several names in the profile.
    FileId
    /// A function, made of one or more funcs.
    FunctionId
}

/// What one frame of a func is within a call of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FuncRole {
    /// The call itself.
    #[default]
    Whole,
    /// A part that can run any number of times within a call, also nested: a comprehension, a
    /// generator expression, a block.
    Block,
    /// A part that runs once within a call: the body of an async function, or the part of a
    /// function that a compiler split off.
    Body,
}

/// Assigns each source to a file and each func to a function.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    file_of: Vec<FileId>,
    function_of: Vec<FunctionId>,
    /// The role of each func. Empty if all are [`FuncRole::Whole`].
    roles: Vec<FuncRole>,
    /// The first source of each file.
    sources: Vec<SourceId>,
    /// The first func of each function.
    funcs: Vec<FuncId>,
}

impl Groups {
    /// One file per source name. Funcs with the same name, file, name of the library, line and column
    /// are one function.
    pub fn identity(symbols: &SymbolTables) -> Self {
        Self::new(symbols, |source| source)
    }

    /// Sources with equal `key` are one file. Funcs are grouped as in [`Self::identity`], by these
    /// files.
    pub fn new<K: Hash + Eq>(symbols: &SymbolTables, mut key: impl FnMut(SourceId) -> K) -> Self {
        let mut groups = Self::default();
        let mut files = FxHashMap::default();
        for source in (0..symbols.sources.len() as u32).map(SourceId::new) {
            let file = *files.entry(key(source)).or_insert_with(|| {
                groups.sources.push(source);
                FileId::new(groups.sources.len() as u32 - 1)
            });
            groups.file_of.push(file);
        }
        groups.with_functions(symbols, |_| None::<()>)
    }

    /// Keeps the files and groups funcs with equal `key`. Funcs without a key stay grouped as they
    /// are. No func is a part of another one.
    #[must_use]
    pub fn with_functions<K: Hash + Eq>(
        self,
        symbols: &SymbolTables,
        key: impl Fn(FuncId) -> Option<K>,
    ) -> Self {
        let mut groups = Self {
            function_of: Vec::with_capacity(symbols.funcs.len()),
            roles: Vec::new(),
            funcs: Vec::new(),
            ..self
        };
        let Self { file_of, funcs, function_of, .. } = &mut groups;
        let first_build = first_builds(symbols);
        let key = |id: FuncId| {
            let Func { name, source, lib, line, column } = symbols.funcs.get(id);
            let file = source.map(|source| file_of[source.index()]);
            // An address means another function in another build.
            let is_address = || address(symbols.strings.get(name)).is_some();
            let build = |lib: LibId| if is_address() { lib } else { first_build[lib.index()] };
            let lib = lib.map(build);
            key(id).ok_or((name, file, lib, line, column))
        };
        // Keys are large, so the table has only ids, and keys are computed again.
        let hash = |id: FuncId| FxBuildHasher.hash_one(key(id));
        let mut known: HashTable<FunctionId> = HashTable::new();
        for id in symbols.funcs.ids() {
            let (own, hashed) = (key(id), hash(id));
            let same = known.find(hashed, |&function| key(funcs[function.index()]) == own);
            let function = same.copied().unwrap_or_else(|| {
                let new = FunctionId::new(funcs.len() as u32);
                funcs.push(id);
                known.insert_unique(hashed, new, |&function| hash(funcs[function.index()]));
                new
            });
            function_of.push(function);
        }
        groups
    }

    /// Sets the role of each func within its function.
    #[must_use]
    pub fn with_roles(mut self, role: impl Fn(FuncId) -> FuncRole) -> Self {
        let funcs = (0..self.function_of.len() as u32).map(FuncId::new);
        self.roles = funcs.map(role).collect();
        if self.roles.iter().all(|&role| role == FuncRole::Whole) {
            self.roles = Vec::new();
        }
        self
    }

    /// Adds the funcs that were added to `symbols` since. Each is a function.
    #[must_use]
    pub fn extended(&self, symbols: &SymbolTables) -> Self {
        let mut groups = self.clone();
        for func in symbols.funcs.ids().skip(self.function_of.len()) {
            groups.function_of.push(FunctionId::new(groups.funcs.len() as u32));
            groups.funcs.push(func);
        }
        groups
    }

    /// The file of a source.
    ///
    /// # Panics
    /// If `source` is of another profile.
    pub fn file(&self, source: SourceId) -> FileId {
        self.file_of[source.index()]
    }

    /// The function of a func.
    ///
    /// # Panics
    /// If `func` is of another profile.
    pub fn function(&self, func: FuncId) -> FunctionId {
        self.function_of[func.index()]
    }

    /// The role of a func within its function.
    pub fn role(&self, func: FuncId) -> FuncRole {
        self.roles.get(func.index()).copied().unwrap_or_default()
    }

    /// Whether any function has parts with frames of their own.
    pub fn has_parts(&self) -> bool {
        !self.roles.is_empty()
    }

    /// The first source of a file, in the profile's order.
    ///
    /// # Panics
    /// If `file` is of other groups.
    pub fn first_source(&self, file: FileId) -> SourceId {
        self.sources[file.index()]
    }

    /// The first func of a function, in the profile's order.
    ///
    /// # Panics
    /// If `function` is of other groups.
    pub fn first_func(&self, function: FunctionId) -> FuncId {
        self.funcs[function.index()]
    }

    /// The file that the first func of a function is in.
    ///
    /// # Panics
    /// If `function` is of other groups.
    pub fn file_of(&self, symbols: &SymbolTables, function: FunctionId) -> Option<FileId> {
        Some(self.file(symbols.funcs.get(self.first_func(function)).source?))
    }

    /// The number of files.
    pub fn n_files(&self) -> usize {
        self.sources.len()
    }

    /// The number of functions.
    pub fn n_functions(&self) -> usize {
        self.funcs.len()
    }

    /// All functions.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = FunctionId> + use<> {
        (0..self.n_functions() as u32).map(FunctionId::new)
    }
}

/// By library: the first one with its name. A program that was built again, or that was at another
/// path, is another library in a merged profile.
fn first_builds(symbols: &SymbolTables) -> Vec<LibId> {
    let mut first: FxHashMap<&str, LibId> = FxHashMap::default();
    let libs = symbols.libs.iter().zip((0..).map(LibId::new));
    libs.map(|(lib, id)| *first.entry(lib.name.as_str()).or_insert(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lib, ProfileBuilder};

    #[test]
    fn a_function_of_several_builds_is_one() {
        let mut builder = ProfileBuilder::default();
        let source = builder.intern_source("a.c").unwrap();
        let mut lib = |name: &str, path: &str, id: &str| {
            let (name, path, code_id) = (name.to_owned(), path.to_owned(), id.to_owned());
            builder.intern_lib(Lib { name, path, code_id, ..Lib::default() }).unwrap()
        };
        let libs = [
            lib("app", "/tmp/b1/app", "1a"),
            lib("app", "/tmp/b2/app", "2b"),
            lib("other", "/tmp/b1/other", "3c"),
        ];
        let mut func = |name: &str, source, lib: usize, line| {
            let name = builder.intern_string(name).unwrap();
            let lib = Some(libs[lib]);
            builder.push_func(Func { name, source, lib, line, column: 0 }).unwrap()
        };
        let funcs = [
            func("work", None, 0, 0),
            func("work", None, 1, 0),
            func("work", None, 2, 0),
            func("work", Some(source), 0, 7),
            func("work", Some(source), 1, 7),
            func("work", Some(source), 2, 9),
            func("0x1139", None, 0, 0),
            func("0x1139", None, 1, 0),
            func("0x1139", Some(source), 1, 0),
            func("0x1139", Some(source), 0, 0),
        ];
        let groups = Groups::identity(builder.build().symbols());
        let functions = funcs.map(|func| groups.function(func).index());
        assert_eq!(functions, [0, 0, 1, 2, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn functions_have_parts_if_a_func_is_one() {
        let profile = crate::text_samples::profile("main\nmain;sort");
        let groups = Groups::identity(profile.symbols());
        let [main, sort] = [0, 1].map(FuncId::new);
        assert!(!groups.clone().with_roles(|_| FuncRole::Whole).has_parts());
        let block = |func| if func == sort { FuncRole::Block } else { FuncRole::Whole };
        let groups = groups.with_roles(block);
        assert!(groups.has_parts());
        assert_eq!((groups.role(main), groups.role(sort)), (FuncRole::Whole, FuncRole::Block));
    }
}
