//! Names of libraries, repositories and Go modules.

use super::*;

#[test]
fn libraries_do_not_match_similar_files_of_a_workspace() {
    app(APP).check(&[
        ("/srv/demo/app/src/main.rs", "app/src/main.rs"),
        ("/srv/demo/app/src/rank.rs", "app/src/rank.rs"),
        ("cargo:github.com-1ecc6299db9ec823:hashbrown-0.16.1:src/map.rs", "- library"),
        ("/rust/deps/hashbrown-0.16.1/src/map.rs", "- library"),
        ("/home/u/.cargo/registry/src/index.crates.io-6f17d22bba15001f/hashbrown-0.14.5/src/lib.rs", "- library"),
        ("git:github.com/rust-lang/rust:library/core/src/lib.rs:4a1b", "- repository github.com/rust-lang/rust"),
        ("/rustc/4a1b/library/alloc/src/lib.rs", "- library"),
        (r"/rustc/4a1b\library\alloc\src\lib.rs", "- library"),
        ("./string/../sysdeps/x86_64/multiarch/strlen-avx2.S", "- dotted"),
        ("./string/strlen.c", "- dotted"),
        ("string/../string/strlen.c", "- dotted"),
        ("/build/glibc-2.36/string/strlen.c", "- library"),
        ("/usr/src/util.c", "- library"),
        ("/usr/local/src/other/util.c", "- library"),
        ("/usr/local/go/src/util.c", "- library"),
        ("s3:bucket:0a1b/src/util.c:", "- library"),
        ("node:internal/main", "- library"),
        ("/v/lib/python3.11/site-packages/tools/feed.py", "- library"),
        ("http://localhost/node_modules/web/index.js", "- library"),
    ]);
}

#[test]
fn libraries_alone_do_not_match_either() {
    app(APP).check(&[
        ("/build/glibc-2.36/string/strlen.c", "- library"),
        ("./string/strlen.c", "- dotted"),
        ("/rust/deps/hashbrown-0.16.1/src/map.rs", "- library"),
    ]);
}

#[test]
fn repositories_match_only_their_own_checkout() {
    let rust = "app/library/core/src/lib.rs app/sub/src/x.rs";
    let core = "git:github.com/rust-lang/rust:library/core/src/lib.rs:1a";
    app(rust).check(&[(core, "- repository github.com/rust-lang/rust")]);

    let named = app(rust);
    named.write("rust/library/core/src/lib.rs", "");
    named.root("rust", RootKind::Workspace).check(&[(core, "rust/library/core/src/lib.rs")]);

    let remote = app(rust);
    remote.write(
        "app/.git/config",
        "[remote \"origin\"]\n\turl = git@github.com:rust-lang/rust.git\n",
    );
    remote.check(&[
        (core, "app/library/core/src/lib.rs"),
        ("git:github.com/rust-lang/rust:src/x.rs:1a", "app/sub/src/x.rs"),
        ("git:github.com/rust-lang/rust:src/y.rs:1a", "- not found"),
        ("git:github.com/other/app:src/x.rs:1a", "- repository github.com/other/app"),
    ]);

    let hg = app("app/a/b.cpp");
    hg.write("app/.hg/hgrc", "[paths]\ndefault = https://hg.mozilla.org/mozilla-central\n");
    hg.check(&[("hg:hg.mozilla.org/mozilla-central:a/b.cpp:12", "app/a/b.cpp")]);
}

#[test]
fn go_files_are_found_by_the_path_of_their_module() {
    let fixture = app("
        app/main.go app/words/words.go app/words/sum_amd64.s app/words/words.py app/tools/gen/gen.go app/tools/util.go app/vendor/example.org/dep/dep.go");
    fixture.write("app/go.mod", "module example.org/me/proj\n\ngo 1.22\n");
    fixture.write("app/tools/go.mod", "module example.org/me/proj/tools\n");
    fixture.check(&[
        ("example.org/me/proj/main.go", "app/main.go Module"),
        ("example.org/me/proj/words/words.go", "app/words/words.go Module"),
        ("example.org/me/proj@v1.2.3/words/words.go", "app/words/words.go Module"),
        ("example.org/me/proj/tools/gen/gen.go", "app/tools/gen/gen.go Module"),
        ("example.org/me/proj/tools@v0.1.0/util.go", "app/tools/util.go Module"),
        ("./example.org/me/proj/words/words.go", "app/words/words.go Module"),
        ("/root/go/pkg/mod/example.org/me/proj@v1.2.3/words/words.go", "app/words/words.go Module"),
        ("/root/go/pkg/mod/example.org/other@v1.2.3/words/words.go", "- library"),
        ("./example.org/me/proj/words/sum_amd64.s", "app/words/sum_amd64.s Module"),
        ("./runtime/asm_amd64.s", "- dotted"),
        ("example.org/me/proj/tools/words/words.go", "- not found"),
        ("example.org/me/proj/words/gone.go", "- not found"),
        ("example.org/me/proj/words/words.py", "- not found"),
        ("example.org/me/project/main.go", "- not found"),
        ("example.org/me/proj/../../../etc/main.go", "- dotted"),
        ("example.org/other@v1.2.3/main.go", "- library"),
        ("example.org/dep/dep.go", "app/vendor/example.org/dep/dep.go"),
        ("runtime/map.go", "- not found"),
    ]);
}

#[test]
fn a_go_module_without_a_domain_may_be_any_folder() {
    let fixture = app("app/main.go app/cmd/tool/main.go app/tool/main.go app/tool/x/y.go");
    fixture.write("app/cmd/tool/go.mod", "module tool\n");
    fixture.write("app/cmd/tool/only.go", "");
    fixture.check(&[
        ("tool/main.go", "? app/cmd/tool/main.go app/tool/main.go"),
        ("tool/only.go", "app/cmd/tool/only.go Module"),
        ("tool/x/y.go", "app/tool/x/y.go"),
    ]);
}

#[test]
fn equal_go_modules_in_two_roots_are_ambiguous() {
    let fixture = app("app/a.go old/a.go old/b.go").root("old", RootKind::Workspace);
    fixture.write("app/go.mod", "module example.org/me/proj\n");
    fixture.write("old/go.mod", "module example.org/me/proj\n");
    fixture.check(&[
        ("example.org/me/proj/a.go", "? app/a.go old/a.go"),
        ("example.org/me/proj/b.go", "old/b.go Module"),
    ]);
}

#[test]
fn finds_libraries_in_source_roots() {
    app("
        app/src/lib.rs lib/hashbrown-0.16.1/src/lib.rs lib/hashbrown-0.16.1/src/map.rs lib/serde-1.0.0/src/lib.rs
        lib/rust/library/core/src/lib.rs lib/glibc/string/strlen.c lib/glibc/sysdeps/x86_64/strlen.S lib/py/json/decoder.py")
    .root("lib", RootKind::Sources)
    .check(&[
        ("cargo:github.com-1ecc6299db9ec823:hashbrown-0.16.1:src/map.rs", "lib/hashbrown-0.16.1/src/map.rs"),
        ("cargo:github.com-1ecc6299db9ec823:hashbrown-0.15.0:src/map.rs", "- library"),
        ("/rust/deps/serde-1.0.0/src/lib.rs", "lib/serde-1.0.0/src/lib.rs"),
        ("/rustc/1a/library/core/src/lib.rs", "lib/rust/library/core/src/lib.rs"),
        ("git:github.com/rust-lang/rust:library/core/src/lib.rs:1a", "lib/rust/library/core/src/lib.rs"),
        ("git:github.com/x/y:src/map.rs:1a", "- repository github.com/x/y"),
        ("./string/../sysdeps/x86_64/strlen.S", "lib/glibc/sysdeps/x86_64/strlen.S"),
        ("/build/glibc-2.36/string/strlen.c", "lib/glibc/string/strlen.c"),
        ("/usr/lib/python3.11/json/decoder.py", "lib/py/json/decoder.py"),
    ]);
}
