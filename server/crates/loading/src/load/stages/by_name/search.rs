//! The search for the definitions of functions by name.

use crate::functions::definitions::ParsedFiles;
use crate::functions::function_name::{FunctionName, n_parameters, without_clone_marks};
use crate::load::debug_info::is_system;
use crate::load::stages::file_evidence::{is_common, plain_name};
use crate::load::stages::found_by_name::{AmbiguousFunction, ByName, Candidate, Own, Program};
use crate::load::texts::reader::MAX_CANDIDATES;
use analysis::{Code, FuncId, Lib, LibId, Recording, SymbolTables};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use sources::{Modules, SourceIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;
use texts::{Definition, FunctionKind, Language};

/// The limit for the texts that are parsed, in bytes together. Parsing takes about 0.1 s per MB.
const MAX_PARSED: usize = 16 << 20;

/// The limit for the reported candidates of one name.
const MAX_REPORTED: usize = 8;

/// The number of functions with names that are not common by which a program without `main` is
/// recognized, and one that is not most of the profile.
const MIN_DEFINED: [usize; 2] = [2, 3];

/// Function names of the C library that programs often use for functions of their own. A profile
/// without libraries does not tell the two apart.
const LIBC: &str = "
    abort accept access acos asin atan atan2 atoi atol bind bsearch calloc cbrt ceil clock
    clone close connect cos cosh dup error exec execve exit exp exp2 fclose fflush fgets
    floor fma fmod fopen fork fprintf fputs fread free fseek fstat fsync futex fwrite getc
    getenv getline getpid hcreate hsearch hypot index ioctl kill link listen log log10 log2
    lseek malloc memchr memcmp memcpy memmove memset mmap mprotect munmap nanosleep open
    openat pause pipe poll pow printf putc puts qsort raise rand random read realloc recv
    remove rename rindex round scanf select send signal sin sincos sinh sleep snprintf
    sprintf sqrt srand stat strcasecmp strcat strchr strcmp strcpy strdup strlen strncmp
    strncpy strrchr strstr strtod strtok strtol swapcontext sync syscall system tan tanh
    time tolower toupper trunc unlink usleep vfprintf vsnprintf wait waitpid write writev
";

/// The languages of definitions that are searched.
const LANGUAGES: [Language; 9] = [
    Language::Rust,
    Language::C,
    Language::Cpp,
    Language::Go,
    Language::Python,
    Language::Ruby,
    Language::Java,
    Language::CSharp,
    Language::Php,
];

/// The functions of a profile without a file whose names can occur in source code. A profile can
/// have millions of them, and few are in the workspace, so names are parsed again where they are
/// needed.
struct Wanted<'a> {
    symbols: &'a SymbolTables,
    /// The first func of each name and library, sorted by the hash of the last segment of the name.
    by_last: Vec<(u32, FuncId)>,
    /// All segments before the last one.
    paths: FxHashSet<String>,
    /// The languages that the names can be of.
    languages: Vec<Language>,
    /// How many names without a path each program has, apart from `main`. The program is `None` if the
    /// profile has no libraries.
    bare_names: FxHashMap<Option<LibId>, usize>,
}

/// The name of a function in the profile.
struct Name<'a> {
    spelled: &'a str,
    parsed: FunctionName,
}

/// A function of the profile with a last segment that a definition has.
struct Asked<'a> {
    name: Name<'a>,
    /// The definitions with its full name.
    exact: Vec<Candidate>,
    /// The same with another number of parameters.
    overloads: Vec<Candidate>,
    /// The definitions whose names contain all parts of its name, in their order.
    near: Vec<Candidate>,
}

/// Functions, by the func in [`Wanted::by_last`].
type Found<'a> = FxHashMap<FuncId, Asked<'a>>;

/// Finds the functions of `recording` that have no file in the workspace folders of `index`, apart
/// from the files that `is_excluded` names. Reads files only if there are such functions.
pub fn find(
    recording: &Recording,
    index: &SourceIndex,
    is_excluded: impl Fn(&Path) -> bool,
    parsed: &ParsedFiles,
    read: impl Fn(&Path) -> Option<Arc<str>>,
) -> ByName {
    let wanted = Wanted::of(recording);
    if wanted.by_last.is_empty() {
        return ByName::default();
    }
    let is_cut = || ByName { is_cut: true, ..ByName::default() };
    if !index.is_complete() {
        return is_cut();
    }
    let search = Search { wanted, modules: Modules::of(index) };
    let files: Vec<(&Path, Language)> = index
        .workspace_files()
        .filter_map(|path| Some((path, Language::of_path(path)?)))
        .filter(|&(path, language)| search.may_contain(path, language) && !is_excluded(path))
        .collect();
    if files.len() > MAX_CANDIDATES.0 {
        return is_cut();
    }
    let mut found = Found::default();
    let mut bytes_to_parse = MAX_PARSED;
    for (path, language) in files {
        let text = read(path).filter(|text| search.names_any(text, language));
        let Some(text) = text else { continue };
        let Some(left) = bytes_to_parse.checked_sub(text.len()) else { return is_cut() };
        bytes_to_parse = left;
        let parsed = parsed.all([(path, &text)]);
        let Some(definitions) = parsed.get(path).and_then(Option::as_ref) else { continue };
        search.add(&definitions.all, &text, path, language, &mut found);
    }
    search.wanted.decide(found)
}

/// The hash of the last segment of a name. Different segments can have the same.
fn hash(last: &str) -> u32 {
    FxBuildHasher.hash_one(last) as u32
}

impl<'a> Wanted<'a> {
    fn of(recording: &'a Recording) -> Self {
        let symbols = recording.symbols();
        let key = |&id: &FuncId| {
            let func = symbols.funcs.get(id);
            (func.name, func.lib)
        };
        let is_wanted = |&id: &FuncId| {
            symbols.funcs.get(id).source.is_none() && symbols.funcs.code(id) == Code::Native
        };
        let mut funcs: Vec<FuncId> = symbols.funcs.ids().filter(is_wanted).collect();
        funcs.sort_unstable_by_key(|id| (key(id), *id));
        funcs.dedup_by_key(|id| key(id));
        let mut this = Self {
            symbols,
            by_last: Vec::new(),
            paths: FxHashSet::default(),
            languages: Vec::new(),
            bare_names: FxHashMap::default(),
        };
        let no_bare_names = is_of_rust_or_go(recording);
        let libc: FxHashSet<&str> = LIBC.split_whitespace().collect();
        for id in funcs {
            let lib = symbols.funcs.get(id).lib.map(|lib| &symbols.libs[lib.index()]);
            let Some(name) = name_of_source(symbols.func_name(id), lib) else { continue };
            let is_bare = name.parsed.path.is_empty();
            if !(is_bare && (no_bare_names || !may_be_own(name.last(), lib, &libc))) {
                this.push(id, name);
            }
        }
        this.by_last.sort_unstable();
        this
    }

    fn push(&mut self, id: FuncId, name: Name<'_>) {
        self.by_last.push((hash(name.last()), id));
        for language in LANGUAGES {
            if !self.languages.contains(&language) && name.can_be(language) {
                self.languages.push(language);
            }
        }
        if name.parsed.path.is_empty() && name.last() != "main" {
            *self.bare_names.entry(self.symbols.funcs.get(id).lib).or_default() += 1;
        }
        self.paths.extend(name.parsed.path);
    }

    /// Whether there is a function whose last segment has the same hash.
    fn has_like(&self, last: &str) -> bool {
        self.by_last.binary_search_by_key(&hash(last), |&(hash, _)| hash).is_ok()
    }

    /// The functions whose last segment has the same hash.
    fn like(&self, last: &str) -> &[(u32, FuncId)] {
        let hash = hash(last);
        let from = self.by_last.partition_point(|&(other, _)| other < hash);
        let n = self.by_last[from..].iter().take_while(|&&(other, _)| other == hash).count();
        &self.by_last[from..from + n]
    }
}

/// The name, if a definition outside the system's libraries can have it.
fn name_of_source<'a>(spelled: &'a str, lib: Option<&Lib>) -> Option<Name<'a>> {
    if spelled.starts_with("0x") || lib.is_some_and(is_system) || is_label(spelled) {
        return None;
    }
    let name = Name::of(spelled);
    let FunctionName { name: last, block, closure, .. } = &name.parsed;
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_name = last.as_deref().is_some_and(is_word) && !block && !closure;
    is_name.then_some(name)
}

/// Whether a name has several words, such as `GC minor`. Only those with a list of parameters can be of
/// functions: the result is before the name of an instance of a C++ template.
fn is_label(spelled: &str) -> bool {
    let mut depth = 0_u32;
    let mut has_blank = false;
    for c in without_clone_marks(spelled).chars() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ' ' => has_blank |= depth == 0,
            _ => {}
        }
    }
    has_blank && n_parameters(spelled).is_none()
}

/// Whether a name without a path can belong to a function of the program, not of a library.
fn may_be_own(name: &str, lib: Option<&Lib>, libc: &FxHashSet<&str>) -> bool {
    match lib {
        Some(lib) => ![".so", ".dylib", ".dll"].iter().any(|part| lib.name.contains(part)),
        None => !name.starts_with('_') && !libc.contains(name),
    }
}

/// Whether the program has the runtime of Rust or Go. Its functions have paths, and its `main` is
/// generated.
fn is_of_rust_or_go(recording: &Recording) -> bool {
    let symbols = recording.symbols();
    let names = symbols.funcs.ids().map(|id| symbols.func_name(id));
    let is_runtime = |name: &str| {
        ["std::rt::", "core::", "alloc::", "runtime."].iter().any(|start| name.starts_with(start))
    };
    names.into_iter().any(is_runtime)
}

/// The search in the files of the workspace.
struct Search<'a> {
    wanted: Wanted<'a>,
    modules: Modules<'a>,
}

impl<'a> Search<'a> {
    /// Whether a file can contain any of the functions, by its path.
    fn may_contain(&self, path: &Path, language: Language) -> bool {
        if !self.wanted.languages.contains(&language) {
            return false;
        }
        if !self.wanted.bare_names.is_empty() {
            return true;
        }
        let paths = &self.wanted.paths;
        let is_named = |segments: &[String]| segments.iter().all(|part| paths.contains(part));
        match language {
            Language::Rust => self.modules.rust(path).iter().any(|path| is_named(&path[..1])),
            Language::Python => self.modules.python(path).is_some_and(|(modules, n)| {
                modules.len().checked_sub(n).is_some_and(|start| is_named(&modules[start..]))
            }),
            _ => true,
        }
    }

    /// Whether a text can define any of the functions.
    fn names_any(&self, text: &str, language: Language) -> bool {
        // Other languages have parameters or modifiers before the name.
        let keyword = match language {
            Language::Rust => Some("fn"),
            Language::Python => Some("def"),
            Language::Php => Some("function"),
            _ => None,
        };
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut previous = "";
        for word in words.filter(|word| !word.is_empty()) {
            let is_defined = keyword.is_none_or(|keyword| previous == keyword || previous == "r");
            if is_defined && self.wanted.has_like(word) {
                return true;
            }
            previous = word;
        }
        false
    }

    /// Adds the definitions of a text to the functions that they can be.
    fn add(
        &self,
        definitions: &[Definition],
        text: &str,
        path: &Path,
        language: Language,
        found: &mut Found<'a>,
    ) {
        let paths = Paths::of(&self.modules, path, language);
        for definition in definitions {
            if definition.kind != FunctionKind::Function {
                continue;
            }
            let name = definition.name.trim_start_matches("r#");
            for &(_, func) in self.wanted.like(name) {
                let asked = found.entry(func).or_insert_with(|| Asked {
                    name: Name::of(self.wanted.symbols.func_name(func)),
                    exact: Vec::new(),
                    overloads: Vec::new(),
                    near: Vec::new(),
                });
                if asked.name.last() != name {
                    continue;
                }
                if asked.name.parsed.path.is_empty() && !has_bare_name(definition, text, language) {
                    continue;
                }
                let Some(fit) = paths.fit(&asked.name, definition, language) else { continue };
                let candidate = Candidate {
                    path: path.to_owned(),
                    line0: definition.name_line0,
                    end0: *definition.lines.end(),
                };
                match fit {
                    Fit::Exact if asked.name.parsed.is_overload(definition) => {
                        asked.overloads.push(candidate);
                    }
                    Fit::Exact => asked.exact.push(candidate),
                    Fit::Near => asked.near.push(candidate),
                }
            }
        }
    }
}

impl<'a> Name<'a> {
    fn of(spelled: &'a str) -> Self {
        Self { spelled, parsed: FunctionName::of(spelled) }
    }

    /// The last segment.
    fn last(&self) -> &str {
        self.parsed.name.as_deref().unwrap_or_default()
    }

    /// Whether functions of a language are spelled like this.
    fn can_be(&self, language: Language) -> bool {
        let has = |separator: &str| self.spelled.contains(separator);
        if self.parsed.path.is_empty() {
            // Functions of Rust that are exported under their own names, and of Python.
            return matches!(
                language,
                Language::C | Language::Cpp | Language::Rust | Language::Python
            );
        }
        match language {
            Language::Rust | Language::Cpp => has("::"),
            Language::Go | Language::Java | Language::CSharp | Language::Python => {
                has(".") && !has("::") && !has("#") && !has("->")
            }
            Language::Ruby => has("#") || has("::") || has("."),
            Language::Php => has("::") || has("->"),
            _ => false,
        }
    }
}

/// Whether profiles can have the bare name of a definition: Rust exports only some under theirs.
fn has_bare_name(definition: &Definition, text: &str, language: Language) -> bool {
    let first = definition.lines.start().saturating_sub(2) as usize;
    let head = text.lines().take(definition.name_line0 as usize).skip(first);
    language != Language::Rust || head.into_iter().any(|line| line.contains("no_mangle"))
}

/// How much of a name a definition has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// The full name.
    Exact,
    /// The name without some modules. Never chosen, because the profile has full names.
    Near,
}

/// What the path of a file adds to the names of its functions.
enum Paths {
    /// Nothing: the text has all.
    Text,
    /// A crate and its modules; several if several crates can contain the file.
    Rust(Vec<Vec<String>>),
    /// An import path.
    Go(Option<Vec<String>>),
    /// See [`Modules::python`].
    Python(Option<(Vec<String>, usize)>),
}

impl Paths {
    fn of(modules: &Modules, path: &Path, language: Language) -> Self {
        match language {
            Language::Rust => Self::Rust(modules.rust(path)),
            Language::Go => Self::Go(modules.go(path)),
            Language::Python => Self::Python(modules.python(path)),
            _ => Self::Text,
        }
    }

    fn fit(&self, wanted: &Name, definition: &Definition, language: Language) -> Option<Fit> {
        let name = &wanted.parsed;
        if !wanted.can_be(language) || name.implements != definition.implements {
            return None;
        }
        let (path, scopes) = (name.path.as_slice(), definition.scopes.as_slice());
        let exact = |is_exact: bool| is_exact.then_some(Fit::Exact);
        if path.is_empty() {
            return exact(scopes.is_empty());
        }
        match self {
            Self::Text => exact(path == scopes),
            Self::Rust(modules) => {
                let whole = |modules: &Vec<String>| [modules.as_slice(), scopes].concat();
                if modules.iter().any(|modules| whole(modules) == path) {
                    return Some(Fit::Exact);
                }
                let is_near = |whole: Vec<String>| {
                    whole.first() == path.first() && is_subsequence(path, &whole)
                };
                modules.iter().any(|modules| is_near(whole(modules))).then_some(Fit::Near)
            }
            Self::Go(import) => {
                let (package, types) = scopes.split_first()?;
                if package == "main" {
                    return exact(path == scopes);
                }
                let import = import.as_ref()?;
                exact([import.as_slice(), types].concat() == path)
            }
            Self::Python(modules) => {
                let (modules, n) = modules.as_ref()?;
                let module = path.strip_suffix(scopes)?;
                exact(module.len() >= (*n).max(1) && modules.ends_with(module))
            }
        }
    }
}

/// Whether `all` contains the parts in their order.
fn is_subsequence(parts: &[String], all: &[String]) -> bool {
    let mut all = all.iter();
    parts.iter().all(|part| all.any(|other| other == part))
}

/// Keeps the definitions of the language that defines the most names without a path: those of a profile
/// are of one program.
fn keep_one_language(found: &mut Found) -> Option<Language> {
    let language = |candidate: &Candidate| match Language::of_path(&candidate.path) {
        // They call each other by these names.
        Some(Language::Cpp) => Some(Language::C),
        other => other,
    };
    let mut bare: Vec<&mut Vec<Candidate>> = found
        .values_mut()
        .filter(|asked| asked.name.parsed.path.is_empty())
        .map(|asked| &mut asked.exact)
        .collect();
    let n_defined = |of: Language| {
        bare.iter().filter(|exact| exact.iter().any(|it| language(it) == Some(of))).count()
    };
    let most = LANGUAGES.into_iter().rev().max_by_key(|&of| n_defined(of));
    for exact in &mut bare {
        exact.retain(|candidate| language(candidate) == most);
    }
    most
}

impl Wanted<'_> {
    /// Chooses the only definition of each function.
    fn decide(&self, mut found: Found) -> ByName {
        // All parameters may be in a macro.
        for Asked { exact, overloads, .. } in found.values_mut().filter(|it| it.exact.is_empty()) {
            std::mem::swap(exact, overloads);
        }
        let language = keep_one_language(&mut found);
        let programs = self.programs(&found, language);
        let is_own = |lib| programs.iter().any(|it| it.lib == lib && it.is_own != Own::Unknown);
        let mut decided = ByName::default();
        let mut files = FxHashMap::default();
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable_by_key(|&(func, _)| func);
        for (func, Asked { name, mut exact, mut near, .. }) in found {
            let lib = self.symbols.funcs.get(func).lib;
            if name.parsed.path.is_empty() && !is_own(lib) {
                continue;
            }
            if let [only] = exact.as_slice() {
                files.insert((name.spelled, lib), Arc::<Path>::from(only.path.as_path()));
                continue;
            }
            let candidates = if exact.is_empty() { &mut near } else { &mut exact };
            candidates.sort_unstable();
            candidates.truncate(MAX_REPORTED);
            if !candidates.is_empty() {
                let candidates = std::mem::take(candidates);
                let name = name.spelled.to_owned();
                decided.ambiguous.push(AmbiguousFunction { name, candidates });
            }
        }
        if !files.is_empty() {
            decided.files = self.funcs_of(&files).collect();
        }
        decided.programs = programs;
        decided
    }

    /// The funcs without a file whose name and library are in `files`, with their files.
    fn funcs_of<'f>(
        &'f self,
        files: &'f FxHashMap<(&str, Option<LibId>), Arc<Path>>,
    ) -> impl Iterator<Item = (FuncId, Arc<Path>)> {
        let funcs = self.symbols.funcs.ids().map(|id| (id, self.symbols.funcs.get(id)));
        let without_file = funcs.filter(|(_, func)| func.source.is_none());
        without_file.filter_map(|(id, func)| {
            Some((id, files.get(&(self.symbols.func_name(id), func.lib))?.clone()))
        })
    }

    /// The programs that are built from the workspace: it defines at least half of their functions that
    /// have names without a path. Without libraries, `main` must be among them, or several that are not
    /// common; with both, other programs and the kernel may have more (folded stacks of perf have the
    /// functions of all). `language` is the one of the definitions.
    fn programs(&self, found: &Found, language: Option<Language>) -> Vec<Program> {
        let mut defined: BTreeMap<Option<LibId>, BTreeSet<&str>> = BTreeMap::new();
        for (&func, Asked { name, .. }) in found.iter().filter(|(_, it)| !it.exact.is_empty()) {
            if name.parsed.path.is_empty() {
                let lib = self.symbols.funcs.get(func).lib;
                defined.entry(lib).or_default().insert(name.spelled);
            }
        }
        let program = |(lib, names): (Option<LibId>, BTreeSet<&str>)| {
            let n_others = self.bare_names.get(&lib).copied().unwrap_or(0);
            let is_own = is_own(lib, &names, n_others, language);
            let is_main = |name: &&&str| FunctionName::of(name).name.as_deref() == Some("main");
            let n_names = n_others + names.iter().filter(is_main).count();
            let defined = names.into_iter().map(str::to_owned).collect();
            Program { lib, defined, n_names, is_own }
        };
        defined.into_iter().map(program).collect()
    }
}

/// Whether a program is built from the workspace, which defines some of its names. It has `n_others` names
/// apart from `main`.
fn is_own(
    lib: Option<LibId>,
    defined: &BTreeSet<&str>,
    n_others: usize,
    language: Option<Language>,
) -> Own {
    let last = |name: &&str| FunctionName::of(name).name.unwrap_or_default();
    let (main, others): (Vec<String>, Vec<String>) =
        defined.iter().map(last).partition(|name| name == "main");
    let is_uncommon = |name: &&String| plain_name(name).is_some() && !is_common(name);
    let uncommon = others.iter().filter(is_uncommon).count();
    let (has_main, is_most) =
        (!main.is_empty(), !others.is_empty() && others.len() * 2 >= n_others);
    let [alone, among_others] = MIN_DEFINED;
    let is_own = match lib {
        Some(_) => is_most && matches!(language, Some(Language::C | Language::Rust)),
        None if language == Some(Language::C) => {
            is_most && (has_main || uncommon >= alone) || has_main && uncommon >= among_others
        }
        // Any program may have such names.
        None if language == Some(Language::Python) => is_most && uncommon >= among_others,
        None => is_most && uncommon >= alone,
    };
    let is_certain = is_most && (lib.is_some() || has_main || others.len() >= n_others);
    match (is_own, is_certain) {
        (true, true) => Own::Certainly,
        (true, false) => Own::Likely,
        (false, _) => Own::Unknown,
    }
}

#[cfg(all(test, feature = "grammars"))]
mod tests;
