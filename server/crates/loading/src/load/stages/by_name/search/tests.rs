//! The search in small workspaces.

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
    let found = find(&recording, &index, is_excluded, &ParsedFiles::default(), read);
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
fn a_program_is_certain_by_its_share_and_main() {
    // The names that are defined, the number of all but `main`, and whether the program is the workspace's.
    let c = Some(Language::C);
    let table = [
        ("main walk", 1, c, Own::Certainly),
        ("main walk", 3, c, Own::Unknown),
        ("walk step", 2, c, Own::Certainly),
        ("walk step", 4, c, Own::Likely),
        ("main walk step fill", 40, c, Own::Likely),
        ("main run get set", 6, c, Own::Certainly),
        ("run get", 2, c, Own::Unknown),
        ("walk step fill", 4, Some(Language::Python), Own::Likely),
        ("walk step fill", 7, Some(Language::Python), Own::Unknown),
    ];
    for (names, n_names, language, expected) in table {
        let defined = names.split(' ').collect();
        assert_eq!(is_own(None, &defined, n_names, language), expected, "{names} of {n_names}");
    }
    let lib =
        |names: &str, n_names| is_own(Some(LibId::new(0)), &names.split(' ').collect(), n_names, c);
    assert_eq!([lib("walk", 2), lib("walk", 3)], [Own::Certainly, Own::Unknown]);
}

#[test]
fn nothing_is_found_if_not_all_files_are_known() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.c"), "int walk(void) { return 0; }\n").unwrap();
    fs::write(dir.path().join("b.c"), "int main(void) { return walk(); }\n").unwrap();
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    for name in ["main", "walk"] {
        let name = builder.intern_string(name).unwrap();
        builder.intern_func(Func { name, source: None, lib: None, line: 0, column: 0 }).unwrap();
    }
    let recording = builder.build().into();
    let searched = |max_files| {
        let root = Root { path: dir.path().to_owned(), kind: RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits { max_files });
        let found = find(&recording, &index, |_| false, &ParsedFiles::default(), read);
        (found.files.len(), found.is_cut)
    };
    assert_eq!(searched(2), (2, false));
    assert_eq!(searched(1), (0, true));
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
        (
            "Cart.java",
            "package com.acme;\nclass Cart {\n  int total() { return 1; }\n  class Row { Row() {} int sum() { return 2; } }\n}\n",
        ),
        (
            "a.cpp",
            "namespace geo {\nvoid area(int x) {}\nvoid area(double x) {}\nvoid area(int x, const char *y) {}\nvoid side() {}\n}\n",
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
        ("com/acme/Cart$Row.sum", "Cart.java"),
        ("com/acme/Cart$Row.<init>", "Cart.java"),
        ("org.acme.Cart.total", "-"),
        ("geo::side()", "a.cpp"),
        ("geo::area(int)", "a.cpp:2 or a.cpp:3"),
        ("geo::area(int, char const*)", "a.cpp"),
        ("geo::area(int, int, int)", "a.cpp:2 or a.cpp:3 or a.cpp:4"),
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
fn labels_are_not_functions() {
    let files = [
        ("m.c", "int load(int x) { return x; }\nint main() { return load(1); }\n"),
        ("n.cpp", "namespace n {\nint work() { return 1; }\nint step(int) { return 1; }\n}\n"),
    ];
    let names =
        ["main", "page load", "GC n::work", "int n::step(int)", "n::work [clone .cold]", "load"];
    assert_eq!(found(&files, &names), ["m.c", "-", "-", "n.cpp", "n.cpp", "m.c"]);
}

#[test]
fn names_of_dotnet_are_those_of_the_source() {
    let cart = "namespace Shop.Core {\n  class Cart<T> {\n    Cart(int n) {}\n    int Total(int n, string s) => n;\n    double Total(double x) {\n      double Local(double y) => y;\n      return Local(x);\n    }\n    IEnumerable<int> Items() { yield return 1; }\n    class Inner { int Run() => 1; }\n  }\n}\n";
    let files =
        [("Cart.cs", cart), ("Other.cs", "namespace Shop { class Cart { int Total() => 1; } }\n")];
    for (name, expected) in [
        ("Shop!Shop.Core.Cart`1[System.__Canon].Total(float64)", "Cart.cs"),
        ("Shop!Shop.Core.Cart`1[System.__Canon]..ctor(int32)", "Cart.cs"),
        ("Shop!Shop.Core.Cart`1+<Items>d__8[System.__Canon].MoveNext()", "Cart.cs"),
        ("Shop!Shop.Core.Cart`1+Inner[System.__Canon].Run()", "Cart.cs"),
        ("Shop!Shop.Core.Cart`1[System.__Canon].<Total>g__Local|5_0(float64)", "Cart.cs"),
        ("Shop!Shop.Core.Cart`1+<>c[System.__Canon].<Total>b__0(!0)", "-"),
        ("Shop!Shop.Core.Cart`1+<Items>d__8[System.__Canon].Dispose()", "-"),
        ("Shop!Shop.Cart.Total()", "Other.cs"),
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
    assert_eq!(found(&["main", "hash", "a", "b", "c"]), ["-"; 5], "one of four is chance");
    assert_eq!(found(&["main", "hash", "core::fmt::write"]), ["-"; 3], "a program in Rust");
    assert_eq!(found(&["/home/me/m!hash", "/home/me/m!read"]), ["m.c", "m.c"]);
    assert_eq!(found(&["/home/me/m!hash", "/home/me/m!a", "/home/me/m!b"]), ["-"; 3]);
    assert_eq!(found(&["/usr/lib/libc.so.6!read", "/opt/libx.so!hash"]), ["-"; 2]);
}

/// Folded stacks of perf name the functions of C programs, of the kernel, and of what Rust exports.
#[test]
fn names_without_a_path_are_found_by_their_share() {
    let c = "int mix(int x) { return x; }\nint blur(int x) { return x; }\nint fold(int x) { return x; }\nint main() { return 0; }\n";
    let rust = "#[no_mangle]\npub extern \"C\" fn kernel_run() {}\nmod m { pub fn k_parse() {} }\n";
    let python = "def tokens(): pass\ndef count(): pass\ndef merge(): pass\nclass A:\n    def own(self): pass\n";
    let files = [("a.c", c), ("src/lib.rs", rust), ("words.py", python)];
    let found = |names: &[&str]| found(&files, names);
    let of_kernel = ["do_syscall_64", "vfs_read", "ksys_read", "x64_sys_call", "filemap_read"];
    let all = [&["main", "mix", "blur.constprop.0", "fold"], &of_kernel[..]].concat();
    assert_eq!(found(&all), [&["a.c"; 4][..], &["-"; 5]].concat());
    assert_eq!(found(&["kernel_run", "mix"]), ["-"; 2], "one of each language");
    assert_eq!(found(&["kernel_run", "k_parse"]), ["-"; 2], "one is in a module");
    assert_eq!(
        found(&["tokens", "count", "merge", "own"]),
        ["words.py", "words.py", "words.py", "-"]
    );
    assert_eq!(found(&["tokens", "count", "own"]), ["-"; 3], "two names are chance");
}

fn read(path: &Path) -> Option<Arc<str>> {
    Some(fs::read_to_string(path).ok()?.into())
}
