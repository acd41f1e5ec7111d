//! The search for the definitions of functions by name.

use super::found::{AmbiguousFunction, ByName, Candidate};
use crate::debug_info::is_system;
use crate::definitions::ParsedFiles;
use crate::function_name::FunctionName;
use crate::stages::read_limits::ReadLimits;
use analysis::{FuncId, Lib, LibId, Recording};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{Definition, FunctionKind, Language, Modules, SourceIndex};
use std::path::Path;
use std::sync::Arc;

/// The limit for the reported candidates of one name.
const MAX_REPORTED: usize = 8;

/// Functions of the C library that programs often have functions of their own with the name of. A
/// profile without libraries does not tell them apart.
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

/// A function of the profile without a file.
struct Wanted<'a> {
    spelled: &'a str,
    lib: Option<LibId>,
    name: FunctionName,
    funcs: Vec<FuncId>,
    /// The definitions with its whole name.
    exact: Vec<Candidate>,
    /// The definitions whose names contain all parts of its name, in their order.
    near: Vec<Candidate>,
}

/// Finds the functions of `recording` that have no file in the workspace folders of `index`, apart
/// from the files that `is_excluded` names. Reads files only if there are such functions.
pub fn find(
    recording: &Recording,
    index: &SourceIndex,
    is_excluded: impl Fn(&Path) -> bool,
    parsed: &ParsedFiles,
) -> ByName {
    let mut wanted = wanted(recording);
    if wanted.is_empty() {
        return ByName::default();
    }
    let mut search = Search::new(&wanted, index);
    for path in index.workspace_files() {
        let Some(language) = Language::of_path(path) else { continue };
        if !search.may_contain(path, language) || is_excluded(path) {
            continue;
        }
        let Some(text) = search.limits.read(path) else { continue };
        if !search.names_any(&text, language) {
            continue;
        }
        if !search.limits.may_parse(&text) {
            break;
        }
        let parsed = parsed.all([(path, &text)]);
        let Some(definitions) = parsed.get(path).and_then(Option::as_ref) else { continue };
        search.add(&definitions.all, path, language, &mut wanted);
    }
    if search.limits.is_cut() || !index.is_complete() {
        return ByName { is_cut: true, ..ByName::default() };
    }
    decide(wanted)
}

/// The functions without a file whose names can be those of source code.
fn wanted(recording: &Recording) -> Vec<Wanted<'_>> {
    let symbols = recording.symbols();
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut places: FxHashMap<_, Option<usize>> = FxHashMap::default();
    let no_bare_names = is_of_rust_or_go(recording);
    for id in symbols.funcs.ids() {
        let func = symbols.funcs.get(id);
        if func.source.is_some() {
            continue;
        }
        let at = *places.entry((func.name, func.lib)).or_insert_with(|| {
            let spelled = symbols.strings.get(func.name);
            let lib = func.lib.map(|lib| &symbols.libs[lib.index()]);
            let name = name_of_source(spelled, lib)?;
            if name.path.is_empty() && (no_bare_names || !may_be_own(&name, lib)) {
                return None;
            }
            let funcs = Vec::new();
            let (exact, near) = (Vec::new(), Vec::new());
            wanted.push(Wanted { spelled, lib: func.lib, name, funcs, exact, near });
            Some(wanted.len() - 1)
        });
        if let Some(at) = at {
            wanted[at].funcs.push(id);
        }
    }
    wanted
}

/// The name, if it can be that of a definition outside of the system's libraries.
fn name_of_source(spelled: &str, lib: Option<&Lib>) -> Option<FunctionName> {
    if spelled.starts_with("0x") || lib.is_some_and(is_system) {
        return None;
    }
    let name = FunctionName::of(spelled);
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_name = name.name.as_deref().is_some_and(is_word) && !name.block && !name.closure;
    is_name.then_some(name)
}

/// Whether a name without a path can be that of a function of the program, and not of a library.
fn may_be_own(name: &FunctionName, lib: Option<&Lib>) -> bool {
    let text = name.name.as_deref().unwrap_or_default();
    match lib {
        Some(lib) => ![".so", ".dylib", ".dll"].iter().any(|part| lib.name.contains(part)),
        None => !text.starts_with('_') && !LIBC.split_whitespace().any(|name| name == text),
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
    modules: Modules<'a>,
    /// The functions with each last segment, as indexes.
    by_name: FxHashMap<String, Vec<usize>>,
    /// All segments before the last one.
    paths: FxHashSet<String>,
    /// The languages that the names can be of.
    languages: Vec<Language>,
    limits: ReadLimits,
}

impl<'a> Search<'a> {
    fn new(wanted: &[Wanted], index: &'a SourceIndex) -> Self {
        const ALL: [Language; 9] = [
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
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, wanted) in wanted.iter().enumerate() {
            by_name.entry(wanted.name.name.clone().unwrap_or_default()).or_default().push(at);
        }
        let is_of = |language: &Language| wanted.iter().any(|wanted| wanted.can_be(*language));
        Self {
            modules: Modules::of(index),
            by_name,
            paths: wanted.iter().flat_map(|wanted| wanted.name.path.iter().cloned()).collect(),
            languages: ALL.into_iter().filter(is_of).collect(),
            limits: ReadLimits::default(),
        }
    }

    /// Whether a file can contain any of the functions, by its path.
    fn may_contain(&self, path: &Path, language: Language) -> bool {
        if self.limits.is_cut() || !self.languages.contains(&language) {
            return false;
        }
        let is_named = |segments: &[String]| segments.iter().all(|part| self.paths.contains(part));
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
            if is_defined && self.by_name.contains_key(word) {
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
        path: &Path,
        language: Language,
        wanted: &mut [Wanted],
    ) {
        let paths = Paths::of(&self.modules, path, language);
        for definition in definitions {
            if definition.kind != FunctionKind::Function {
                continue;
            }
            let name = definition.name.trim_start_matches("r#");
            for &at in self.by_name.get(name).map(Vec::as_slice).unwrap_or_default() {
                let wanted = &mut wanted[at];
                let Some(fit) = paths.fit(wanted, definition, language) else { continue };
                let candidate = Candidate {
                    path: path.to_owned(),
                    line0: definition.name_line0,
                    end0: *definition.lines.end(),
                };
                match fit {
                    Fit::Exact => wanted.exact.push(candidate),
                    Fit::Near => wanted.near.push(candidate),
                }
            }
        }
    }
}

impl Wanted<'_> {
    /// Whether functions of a language are spelled like this.
    fn can_be(&self, language: Language) -> bool {
        let has = |separator: &str| self.spelled.contains(separator);
        if self.name.path.is_empty() {
            return matches!(language, Language::C | Language::Cpp);
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

/// How much of a name a definition has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// The whole name.
    Exact,
    /// The name without some modules. Never chosen, because the profile has whole names.
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

    fn fit(&self, wanted: &Wanted, definition: &Definition, language: Language) -> Option<Fit> {
        let name = &wanted.name;
        if !wanted.can_be(language) || name.implements != definition.implements {
            return None;
        }
        let (path, scopes) = (name.path.as_slice(), definition.scopes.as_slice());
        let exact = |is_exact: bool| is_exact.then_some(Fit::Exact);
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

/// Chooses the only definition of each function.
fn decide(wanted: Vec<Wanted>) -> ByName {
    let own = own_programs(&wanted);
    let mut found = ByName::default();
    for Wanted { spelled, lib, name, funcs, mut exact, mut near, .. } in wanted {
        if name.path.is_empty() && !own.contains(&lib) {
            continue;
        }
        if let [only] = exact.as_slice() {
            let path: Arc<Path> = only.path.as_path().into();
            found.files.extend(funcs.into_iter().map(|func| (func, path.clone())));
            continue;
        }
        let candidates = if exact.is_empty() { &mut near } else { &mut exact };
        candidates.sort_unstable();
        candidates.truncate(MAX_REPORTED);
        if !candidates.is_empty() {
            let candidates = std::mem::take(candidates);
            found.ambiguous.push(AmbiguousFunction { name: spelled.to_owned(), candidates });
        }
    }
    found
}

/// The programs (`None` if the profile has no libraries) that are certainly built from the
/// workspace: it defines at least half of their functions that have names without a path. Without
/// libraries, it defines `main` and another one.
fn own_programs(wanted: &[Wanted]) -> FxHashSet<Option<LibId>> {
    // By program: the number of names, of those that are defined, and whether `main` is.
    let mut programs: FxHashMap<Option<LibId>, (usize, usize, bool)> = FxHashMap::default();
    for wanted in wanted.iter().filter(|wanted| wanted.name.path.is_empty()) {
        let (names, defined, has_main) = programs.entry(wanted.lib).or_default();
        if wanted.name.name.as_deref() == Some("main") {
            *has_main = !wanted.exact.is_empty();
        } else {
            *names += 1;
            *defined += usize::from(!wanted.exact.is_empty());
        }
    }
    let is_own = |lib: Option<LibId>, (names, defined, has_main): (usize, usize, bool)| {
        defined > 0 && if lib.is_some() { defined * 2 >= names } else { has_main }
    };
    programs.into_iter().filter(|&(lib, counts)| is_own(lib, counts)).map(|(lib, _)| lib).collect()
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use analysis::Func;
    use profile::{Lib, Metric, ProfileBuilder};
    use sources::{Limits, Root, RootKind};
    use std::fs;

    /// For each function that is found, its file and line; for each that is ambiguous, all places;
    /// `-` for others. `names` are those of funcs, `LIB!NAME` if they have a library.
    #[expect(clippy::unwrap_used, reason = "it is a part of tests")]
    fn found(files: &[(&str, &str)], names: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for (file, text) in files {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), text).unwrap();
        }
        let root = Root { path: top.clone(), kind: RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits::default());
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let mut funcs = Vec::new();
        for name in names {
            let (lib, name) = name.split_once('!').map_or((None, *name), |(l, n)| (Some(l), n));
            let lib = lib.map(|path| Lib {
                name: path.rsplit('/').next().unwrap().to_owned(),
                path: path.to_owned(),
                ..Lib::default()
            });
            let lib = lib.map(|lib| builder.intern_lib(lib).unwrap());
            let name = builder.intern_string(name).unwrap();
            let func = Func { name, source: None, lib, line: 0, column: 0 };
            funcs.push(builder.intern_func(func).unwrap());
        }
        let is_excluded = |path: &Path| path.ends_with("excluded.rs");
        let recording = builder.build().into();
        let found = find(&recording, &index, is_excluded, &ParsedFiles::default());
        let inside = |path: &Path| path.strip_prefix(&top).unwrap().display().to_string();
        let place = |at: &Candidate| format!("{}:{}", inside(&at.path), at.line0 + 1);
        let of_func = |func: FuncId| {
            let name = recording.symbols().func_name(func);
            let ambiguous = found.ambiguous.iter().find(|ambiguous| ambiguous.name == name);
            match (found.files.get(&func), ambiguous) {
                (Some(path), _) => inside(path),
                (None, Some(ambiguous)) => {
                    ambiguous.candidates.iter().map(place).collect::<Vec<_>>().join(" or ")
                }
                (None, None) => "-".to_owned(),
            }
        };
        funcs.into_iter().map(of_func).collect()
    }

    #[test]
    fn the_whole_path_of_a_rust_function_must_be_the_same() {
        let files = [
            ("k/Cargo.toml", "[package]\nname = \"k\"\n"),
            (
                "k/src/main.rs",
                "fn parse() {}\nmod a {\n  fn step() {}\n}\nmod b {\n  fn step() {}\n}\n",
            ),
            (
                "k/src/tree.rs",
                "impl Walk for Tree {\n  fn walk() {}\n}\nimpl Display for Tree {\n  fn fmt() {}\n}\n",
            ),
            ("k/src/excluded.rs", "fn hidden() {}\n"),
            ("other/Cargo.toml", "[package]\nname = \"other\"\n"),
            ("other/src/lib.rs", "fn parse() {}\n"),
        ];
        for (name, expected) in [
            ("k::parse", "k/src/main.rs"),
            ("other::parse", "other/src/lib.rs"),
            ("serde::parse", "-"),
            ("k::a::step", "k/src/main.rs"),
            ("k::step", "k/src/main.rs:3 or k/src/main.rs:6"),
            ("<k::tree::Tree as k::Walk>::walk", "k/src/tree.rs"),
            ("k::tree::Tree::walk", "-"),
            ("<k::tree::Tree as core::fmt::Debug>::fmt", "-"),
            ("k::parse::{{closure}}", "-"),
            ("k::excluded::hidden", "-"),
            ("parse", "-"),
            ("/usr/lib/libk.so!k::parse", "-"),
        ] {
            assert_eq!(found(&files, &[name]), [expected], "{name}");
        }
    }

    #[test]
    fn names_of_other_languages_are_whole_too() {
        let files = [
            ("go/go.mod", "module example.org/app\n"),
            ("go/main.go", "package main\nfunc run() {}\n"),
            ("go/words/words.go", "package words\nfunc (t *Tree) Walk() {}\n"),
            ("Cart.java", "package com.acme;\nclass Cart {\n  int total() { return 1; }\n}\n"),
            (
                "a.cpp",
                "namespace geo {\nvoid area(int x) {}\nvoid area(double x) {}\nvoid side() {}\n}\n",
            ),
            ("app/util.py", "def load(): pass\n"),
            ("pkg/__init__.py", ""),
            ("pkg/util.py", "class Store:\n  def load(self): pass\n"),
            ("shop.php", "<?php\nnamespace Acme;\nclass Cart { function total() {} }\n"),
            ("ledger.rb", "class Ledger\n  def post; end\nend\n"),
        ];
        for (name, expected) in [
            ("main.run", "go/main.go"),
            ("example.org/app/words.(*Tree).Walk", "go/words/words.go"),
            ("example.org/other/words.(*Tree).Walk", "-"),
            ("com.acme.Cart.total", "Cart.java"),
            ("com/acme/Cart.total", "Cart.java"),
            ("org.acme.Cart.total", "-"),
            ("geo::side()", "a.cpp"),
            ("geo::area(int)", "a.cpp:2 or a.cpp:3"),
            ("util.load", "app/util.py"),
            ("pkg.util.Store.load", "pkg/util.py"),
            ("util.Store.load", "-"),
            ("Store.load", "-"),
            ("Acme\\Cart::total", "shop.php"),
            ("Ledger#post", "ledger.rb"),
        ] {
            assert_eq!(found(&files, &[name]), [expected], "{name}");
        }
    }

    #[test]
    fn names_without_a_path_need_a_program_of_the_workspace() {
        let files = [
            (
                "m.c",
                "int read(int x) { return x; }\nint hash(int x) { return read(x); }\nint main() { return hash(1); }\n",
            ),
            ("a.py", "def hash(): pass\n"),
        ];
        let found = |names: &[&str]| found(&files, names);
        assert_eq!(found(&["main", "hash", "read"]), ["m.c", "m.c", "-"], "libc has a `read`");
        assert_eq!(found(&["hash"]), ["-"], "a library may have one");
        assert_eq!(found(&["main", "other"]), ["-", "-"], "another program");
        assert_eq!(found(&["main", "hash", "core::fmt::write"]), ["-"; 3], "a program in Rust");
        assert_eq!(found(&["/home/me/m!hash", "/home/me/m!read"]), ["m.c", "m.c"]);
        assert_eq!(found(&["/home/me/m!hash", "/home/me/m!a", "/home/me/m!b"]), ["-"; 3]);
        assert_eq!(found(&["/usr/lib/libc.so.6!read", "/opt/libx.so!hash"]), ["-"; 2]);
    }
}
