//! Maps names of Rust's standard library and of crates to folders as rustup and cargo create them.

// Helpers of an integration test do not count as test code to clippy.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skip::skip;
use sources::{Limits, Mapping, Root, RootKind, SourceIndex, map_paths};
use tempfile::TempDir;

const FILES: [&str; 11] = [
    "app/src/lib.rs",
    "app/library/core/src/lib.rs",
    "home/.rustup/toolchains/t/lib/rustlib/src/rust/library/core/src/lib.rs",
    "home/.rustup/toolchains/t/lib/rustlib/src/rust/library/core/src/iter/mod.rs",
    "home/.rustup/toolchains/t/lib/rustlib/src/rust/library/vendor/hashbrown-0.16.1/src/lib.rs",
    "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f/a-1.2.3/src/lib.rs",
    "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f/a-1.2.4/src/lib.rs",
    "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f/b-2.0.0-beta.1+meta/src/lib.rs",
    "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f/hashbrown-0.16.1/src/lib.rs",
    "home/.cargo/registry/src/mirror-1949cf8c6b5b557f/a-1.2.3/src/lib.rs",
    "home/.cargo/registry/src/elsewhere/a-1.2.3/src/lib.rs",
];

fn folders() -> TempDir {
    let dir = TempDir::new().unwrap();
    for file in FILES {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    dir
}

/// The results for all names, as the end of the path, with the given source roots and an empty
/// index.
fn mapped(top: &Path, source_roots: &[&str], names: &[&str]) -> Vec<String> {
    let sources =
        source_roots.iter().map(|root| Root { path: top.join(root), kind: RootKind::Sources });
    let app = Root { path: top.join("app"), kind: RootKind::Workspace };
    let index =
        SourceIndex::build(std::iter::once(app).chain(sources).collect(), Limits { max_files: 0 });
    let top = top.canonicalize().unwrap();
    let short = |path: &PathBuf| path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
    let text = |mapping: &Mapping| match mapping {
        Mapping::Mapped { path, .. } => short(path),
        Mapping::Ambiguous { candidates } => {
            format!("? {}", candidates.iter().map(short).collect::<Vec<_>>().join(" "))
        }
        Mapping::Unmapped(_) => "-".to_owned(),
    };
    map_paths(names.iter().copied(), &index, &[], None).iter().map(text).collect()
}

#[test]
fn finds_the_standard_library_in_a_toolchain() {
    let names = [
        "/rustc/4a1b/library/core/src/lib.rs",
        r"/rustc/4a1b\library\core\src\lib.rs",
        "git:github.com/rust-lang/rust:library/core/src/lib.rs:1.90.0",
        "git:github.com/rust-lang/rust:../4a1b//library/core/src/lib.rs:4a1b",
        "/opt/rust/lib/rustlib/src/rust/library/core/src/lib.rs",
    ];
    let dir = folders();
    let toolchain = "home/.rustup/toolchains/t";
    for below in [
        "",
        "/lib",
        "/lib/rustlib",
        "/lib/rustlib/src",
        "/lib/rustlib/src/rust",
        "/lib/rustlib/src/rust/library",
    ] {
        let root = format!("{toolchain}{below}");
        let found = mapped(dir.path(), &[&root], &names);
        assert_eq!(
            found,
            vec![format!("{toolchain}/lib/rustlib/src/rust/library/core/src/lib.rs"); names.len()],
            "{root}"
        );
        let others = [
            "/rustc/4a1b/library/core/src/none.rs",
            "/rustc/4a1b/src/libcore/lib.rs",
            "/rust/deps/hashbrown-0.16.1/src/lib.rs",
        ];
        let vendored =
            format!("{toolchain}/lib/rustlib/src/rust/library/vendor/hashbrown-0.16.1/src/lib.rs");
        assert_eq!(mapped(dir.path(), &[&root], &others), ["-", "-", &vendored]);
    }
    // Only in source roots, not in a workspace with such a folder.
    assert_eq!(mapped(dir.path(), &["home/.cargo"], &names), ["-"; 5]);
    assert_eq!(mapped(dir.path(), &[], &names), ["-"; 5]);
}

#[test]
fn finds_crates_in_their_registry_by_version() {
    let src = "home/.cargo/registry/src";
    let index = format!("{src}/index.crates.io-6f17d22bba15001f");
    let mirror = format!("{src}/mirror-1949cf8c6b5b557f");
    let table = [
        (
            "cargo:index.crates.io-6f17d22bba15001f:a-1.2.3:src/lib.rs",
            format!("{index}/a-1.2.3/src/lib.rs"),
        ),
        (
            "/x/.cargo/registry/src/index.crates.io-6f17d22bba15001f/a-1.2.4/src/lib.rs",
            format!("{index}/a-1.2.4/src/lib.rs"),
        ),
        (
            "/x/.cargo/registry/src/mirror-1949cf8c6b5b557f/a-1.2.3/src/lib.rs",
            format!("{mirror}/a-1.2.3/src/lib.rs"),
        ),
        (
            r"C:\x\.cargo\registry\src\index.crates.io-1949cf8c6b5b557f\a-1.2.4\src\lib.rs",
            format!("{index}/a-1.2.4/src/lib.rs"),
        ),
        (
            "cargo:github.com-1ecc6299db9ec823:a-1.2.3:src/lib.rs",
            format!("? {index}/a-1.2.3/src/lib.rs {mirror}/a-1.2.3/src/lib.rs"),
        ),
        (
            "cargo:github.com-1ecc6299db9ec823:b-2.0.0-beta.1+meta:src/lib.rs",
            format!("{index}/b-2.0.0-beta.1+meta/src/lib.rs"),
        ),
        ("/rust/deps/hashbrown-0.16.1/src/lib.rs", format!("{index}/hashbrown-0.16.1/src/lib.rs")),
        ("cargo:index.crates.io-6f17d22bba15001f:a-1.2.5:src/lib.rs", "-".to_owned()),
        ("cargo:index.crates.io-6f17d22bba15001f:b-2.0.0:src/lib.rs", "-".to_owned()),
        (
            "cargo:index.crates.io-6f17d22bba15001f:a-1.2.3:../a-1.2.4/src/lib.rs",
            format!("{index}/a-1.2.4/src/lib.rs"),
        ),
    ];
    let dir = folders();
    let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
    let expected: Vec<_> = table.iter().map(|(_, expected)| expected.clone()).collect();
    for root in ["home", "home/.cargo", "home/.cargo/registry", src] {
        assert_eq!(mapped(dir.path(), &[root], &names), expected, "{root}");
    }
    // A single registry matches any name of a registry.
    let expected = [&mirror, "-", &mirror].map(|found| {
        if found == "-" { found.to_owned() } else { format!("{found}/a-1.2.3/src/lib.rs") }
    });
    let three = [names[0], names[1], names[4]];
    assert_eq!(mapped(dir.path(), &[&mirror], &three), expected);
    assert_eq!(mapped(dir.path(), &[], &names), ["-"; 10]);
}

#[cfg(unix)]
#[test]
fn does_not_follow_links_out_of_the_roots() {
    let dir = folders();
    fs::create_dir_all(dir.path().join("roots/registry")).unwrap();
    std::os::unix::fs::symlink(
        dir.path().join("home/.cargo/registry/src"),
        dir.path().join("roots/registry/src"),
    )
    .unwrap();
    std::os::unix::fs::symlink(dir.path().join("app/library"), dir.path().join("roots/library"))
        .unwrap();
    let names = [
        "cargo:index.crates.io-6f17d22bba15001f:a-1.2.4:src/lib.rs",
        "/rustc/1a/library/core/src/lib.rs",
    ];
    assert_eq!(mapped(dir.path(), &["roots"], &names)[0], "-");
    // Links into another root are followed.
    assert_eq!(mapped(dir.path(), &["roots"], &names)[1], "app/library/core/src/lib.rs");
}

/// Uses the real toolchain, whose component `rust-src` is optional.
#[test]
fn finds_the_standard_library_of_this_toolchain() {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let sysroot = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    let file = "lib/rustlib/src/rust/library/core/src/lib.rs";
    let found = mapped(&sysroot, &["."], &["/rustc/0123/library/core/src/lib.rs"]);
    if sysroot.join(file).exists() {
        assert_eq!(found, [file]);
    } else {
        skip("the toolchain has no rust-src (rustup component add rust-src)");
        assert_eq!(found, ["-"]);
    }
}
