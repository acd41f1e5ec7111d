//! Maps names of profiles to real folders, and checks the reasons for names without a file.

// Helpers of an integration test do not count as test code to clippy.
#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod links;
mod packages;
mod rules;

use std::fs;
use std::path::{Path, PathBuf};

use sources::{
    How, Limits, Mapping, Reason, Root, RootKind, Rule, SourceIndex, map_paths, rule_for,
};
use tempfile::TempDir;

/// Folders for one test. The roots are directly in it.
struct Fixture {
    dir: TempDir,
    roots: Vec<(&'static str, RootKind)>,
    rules: Vec<Rule>,
    profile_dir: Option<&'static str>,
    limits: Limits,
}

/// A fixture with the workspace folder `app`. `files` are separated by spaces.
fn app(files: &str) -> Fixture {
    let fixture = Fixture {
        dir: TempDir::new().unwrap(),
        roots: vec![("app", RootKind::Workspace)],
        rules: Vec::new(),
        profile_dir: None,
        limits: Limits::default(),
    };
    files.split_whitespace().for_each(|file| fixture.write(file, ""));
    fixture
}

impl Fixture {
    fn write(&self, file: &str, text: &str) {
        let path = self.dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn root(mut self, folder: &'static str, kind: RootKind) -> Fixture {
        self.roots.push((folder, kind));
        self
    }

    /// Replaces the roots by one workspace folder.
    fn only(mut self, folder: &'static str) -> Fixture {
        self.roots = vec![(folder, RootKind::Workspace)];
        self
    }

    /// `$` stands for the folder of the fixture.
    fn rule(mut self, from: &str, to: &str) -> Fixture {
        let to = to.replace('$', self.dir.path().to_str().unwrap());
        self.rules.push(Rule { from: from.into(), to });
        self
    }

    fn profile_in(mut self, folder: &'static str) -> Fixture {
        self.profile_dir = Some(folder);
        self
    }

    fn index(&self) -> SourceIndex {
        let roots = self
            .roots
            .iter()
            .map(|(path, kind)| Root { path: self.dir.path().join(path), kind: *kind });
        SourceIndex::build(roots.collect(), self.limits)
    }

    /// Maps all names together and compares each result as text.
    #[track_caller]
    fn check(&self, table: &[(&str, &str)]) {
        let top = self.dir.path().to_str().unwrap();
        let names: Vec<String> = table.iter().map(|(name, _)| name.replace('$', top)).collect();
        let profile_dir = self.profile_dir.map(|dir| self.dir.path().join(dir));
        let mappings = map_paths(
            names.iter().map(String::as_str),
            &self.index(),
            &self.rules,
            profile_dir.as_deref(),
        );
        let rendered = |mapping| render(mapping, &self.dir.path().canonicalize().unwrap());
        let found: Vec<_> = table
            .iter()
            .zip(&mappings)
            .map(|((name, _), mapping)| (*name, rendered(mapping)))
            .collect();
        let expected: Vec<_> =
            table.iter().map(|(name, expected)| (*name, expected.to_string())).collect();
        assert_eq!(found, expected);
    }
}

fn render(mapping: &Mapping, top: &Path) -> String {
    let short =
        |path: &PathBuf| path.strip_prefix(top).unwrap_or(path).to_str().unwrap().to_owned();
    match mapping {
        Mapping::Mapped { path, how: How::Suffix } => short(path),
        Mapping::Mapped { path, how } => format!("{} {how:?}", short(path)),
        Mapping::Ambiguous { candidates } => {
            format!("? {}", candidates.iter().map(short).collect::<Vec<_>>().join(" "))
        }
        Mapping::Unmapped(reason) => match reason {
            Reason::NoFile => "- no file".into(),
            Reason::Scheme(scheme) => format!("- scheme {scheme}"),
            Reason::Excluded(path) => format!("- excluded {}", short(path)),
            Reason::Library => "- library".into(),
            Reason::Repository(repo) => format!("- repository {repo}"),
            Reason::Dotted(_) => "- dotted".into(),
            Reason::Outside => "- outside".into(),
            Reason::NotFound | Reason::Gone(_) => "- not found".into(),
            Reason::Rule(target) => format!("- rule {}", short(target)),
            Reason::BaseName(path) => format!("- base name {}", short(path)),
            Reason::PrefixDiffers { candidates, established } => {
                let candidates: Vec<_> = candidates.iter().map(short).collect();
                format!(
                    "- not {}: {}",
                    candidates.join(" "),
                    established.replace(top.to_str().unwrap(), "$")
                )
            }
            Reason::OtherFunctions { candidate, .. } => {
                format!("- other functions {}", short(candidate))
            }
            Reason::TooShort { candidate, .. } => format!("- too short {}", short(candidate)),
            Reason::Beside { candidate, recorded } => {
                format!("- beside {}: {recorded}", short(candidate))
            }
            Reason::PrefixDisputed(path) => format!("- disputed {}", short(path)),
            Reason::IndexCut(path) => format!("- cut {}", short(path)),
        },
    }
}

const APP: &str = "
    app/src/main.rs app/src/rank.rs app/src/lib.rs app/src/map.rs app/src/util.c app/string/strlen.c
    app/tools/feed.py app/tools/main.py app/tests/main.py app/web/index.js app/setup.py";

#[test]
fn relative_names_match_the_end_of_exactly_one_file() {
    app(APP).check(&[
        ("feed.py", "app/tools/feed.py"),
        ("tools/feed.py", "app/tools/feed.py"),
        (r"tools\feed.py", "app/tools/feed.py"),
        ("app/tools/feed.py", "app/tools/feed.py"),
        ("other/feed.py", "- not found"),
        ("eed.py", "- not found"),
        ("main.py", "? app/tests/main.py app/tools/main.py"),
        ("tests/main.py", "app/tests/main.py"),
        ("example.org/app/tools/feed.py", "- not found"),
        ("/proc/self/cwd/tools/feed.py", "app/tools/feed.py"),
        ("http://localhost:8000/web/index.js?v=7", "app/web/index.js"),
        ("http://localhost:8000/", "- not found"),
        ("webpack:///./web/index.js", "app/web/index.js"),
        ("webpack://shop/./web/index.js?f3", "app/web/index.js"),
        ("runtime/map.go", "- not found"),
    ]);
}

#[test]
fn a_name_that_leads_out_of_a_bundle_is_no_file_of_the_bundle() {
    app(APP).check(&[
        ("webpack://shop/./web/index.js", "app/web/index.js"),
        ("webpack://shop/../web/index.js", "- dotted"),
        ("webpack://shop/a/../web/index.js", "app/web/index.js"),
        ("webpack://shop/../tools/feed.py", "app/tools/feed.py"),
    ]);
}

#[test]
fn does_not_map_names_without_a_file_or_with_a_foreign_scheme() {
    app(APP).check(&[
        ("", "- no file"),
        ("<frozen importlib._bootstrap>", "- no file"),
        ("<cfunc>", "- no file"),
        ("(unknown)", "- no file"),
        ("~", "- no file"),
        ("evalmachine.<anonymous>", "- no file"),
        ("chrome://global/content/main.py", "- scheme chrome"),
        ("resource://gre/modules/feed.py", "- scheme resource"),
    ]);
}

#[test]
fn absolute_names_with_a_common_folder_are_mapped_together() {
    app(APP).check(&[
        ("/srv/demo/shop/src/main.rs", "app/src/main.rs"),
        ("/srv/demo/shop/src/rank.rs", "app/src/rank.rs"),
        ("/srv/demo/shop/setup.py", "app/setup.py"),
        ("/srv/demo/shop/src/gone.rs", "- not found"),
        ("/home/build/other/src/lib.rs", "- not app/src/lib.rs: /srv/demo/shop"),
        ("/opt/x/util.c", "- not app/src/util.c: /srv/demo/shop"),
        ("/srv/demo/shop/tests/main.py", "app/tests/main.py"),
        ("/srv/demo/shop/elsewhere/feed.py", "- not found"),
    ]);
}

#[test]
fn accepts_windows_names_on_any_system() {
    app(APP).check(&[
        (r"C:\b\shop\src\main.rs", "app/src/main.rs"),
        (r"C:\b\shop\src\rank.rs", "app/src/rank.rs"),
    ]);
    app(APP).check(&[("file:///C:/b/shop/src/main.rs", "app/src/main.rs")]);
}

#[test]
fn a_single_absolute_name_needs_two_components_or_the_root() {
    app(APP).check(&[("/srv/demo/shop/src/main.rs", "app/src/main.rs")]);
    app(APP).check(&[("/srv/demo/py/setup.py", "app/setup.py")]);
    app(APP).check(&[("/srv/demo/py/feed.py", "- base name app/tools/feed.py")]);
    app("app/main.py app/tests/main.py")
        .check(&[("/srv/demo/py/main.py", "? app/main.py app/tests/main.py")]);
}

#[test]
fn a_repeated_name_is_no_more_evidence_than_one() {
    let doubled = ("/srv/demo/py/feed.py", "- base name app/tools/feed.py");
    app(APP).check(&[doubled, doubled, ("file:///srv/demo/py/./feed.py", doubled.1)]);
}

#[test]
fn two_base_names_in_one_folder_are_evidence() {
    app(APP).check(&[
        ("/srv/py/feed.py", "app/tools/feed.py"),
        ("/srv/py/main.py", "app/tools/main.py"),
    ]);
}

#[test]
fn equal_evidence_is_not_sufficient() {
    app(APP).check(&[
        ("/srv/a/src/main.rs", "- disputed app/src/main.rs"),
        ("/srv/b/src/rank.rs", "- disputed app/src/rank.rs"),
    ]);
    app("app/x/src/main.rs app/y/src/main.rs")
        .check(&[("/srv/a/src/main.rs", "? app/x/src/main.rs app/y/src/main.rs")]);
}

#[test]
fn other_files_decide_between_equal_suffixes() {
    app("app/x/src/main.rs app/y/src/main.rs app/y/src/only.rs").check(&[
        ("/srv/a/src/main.rs", "app/y/src/main.rs"),
        ("/srv/a/src/only.rs", "app/y/src/only.rs"),
    ]);
}

#[test]
fn more_shared_components_decide_between_equal_counts() {
    app("app/src/main.rs app/examples/demo/src/main.rs")
        .check(&[("/srv/demo/src/main.rs", "app/examples/demo/src/main.rs")]);
    app("app/src/main.rs app/examples/demo/src/main.rs")
        .check(&[("/srv/app/src/main.rs", "app/src/main.rs")]);
}

#[test]
fn chance_matches_of_a_foreign_project_are_rejected() {
    let chance = ["main.rs", "lib.rs", "map.rs"].map(|file| format!("/deps/big/src/{file}"));
    let others = ["a.rs", "b.rs", "c.rs", "d.rs"].map(|file| format!("/deps/big/src/{file}"));
    let mut names: Vec<(&str, &str)> =
        vec![("/srv/shop/src/rank.rs", "- disputed app/src/rank.rs")];
    names.extend(
        chance
            .iter()
            .zip([
                "- disputed app/src/main.rs",
                "- disputed app/src/lib.rs",
                "- disputed app/src/map.rs",
            ])
            .map(|(name, expected)| (name.as_str(), expected)),
    );
    names.extend(others.iter().map(|name| (name.as_str(), "- not found")));
    app(APP).check(&names);
}

#[test]
fn a_common_base_name_does_not_hide_a_longer_suffix() {
    let crates: Vec<String> = (0..150).map(|at| format!("app/crates/c{at}/src/lib.rs")).collect();
    app(&crates.join(" ")).check(&[
        ("/ci/app/crates/c7/src/lib.rs", "app/crates/c7/src/lib.rs"),
        ("/ci/app/crates/c99/src/lib.rs", "app/crates/c99/src/lib.rs"),
        ("/ci/app/crates/none/src/lib.rs", "- not found"),
    ]);
}

#[test]
fn a_path_that_exists_in_a_root_is_exact() {
    let fixture = app(APP);
    fixture.write("app/.gitignore", "/out\n");
    fixture.write("app/out/gen.c", "");
    fixture.check(&[
        ("$/app/src/main.rs", "app/src/main.rs Exact"),
        ("$/app/build/../src/main.rs", "app/src/main.rs Exact"),
        ("file://$/app/src/main.rs", "app/src/main.rs Exact"),
        ("$/app/out/gen.c", "app/out/gen.c Exact"),
        ("$/app/gone/main.rs", "- not found"),
        ("$/app/src", "- not found"),
        ("/home/build/other/src/rank.rs", "- not app/src/rank.rs: $/app"),
    ]);
}

#[test]
fn exact_paths_win_even_in_library_folders() {
    app("usr/src/rustc/library/alloc/src/lib.rs").root("usr", RootKind::Workspace).check(&[(
        "$/usr/src/rustc/library/alloc/src/lib.rs",
        "usr/src/rustc/library/alloc/src/lib.rs Exact",
    )]);
    app("app/node_modules/a/index.js")
        .check(&[("$/app/node_modules/a/index.js", "app/node_modules/a/index.js Exact")]);
}

#[test]
fn a_name_without_a_file_may_have_a_path_in_a_root() {
    let fixture = app(APP);
    let top = fixture.dir.path().canonicalize().unwrap();
    let here = top.join("app/lib/old.rs").to_str().unwrap().to_owned();
    for (names, expected) in [
        (&[here.as_str()][..], Some("app/lib/old.rs")),
        (&["lib/old.rs"], Some("app/lib/old.rs")),
        (
            &["/srv/x/src/old.rs", "/srv/x/src/main.rs", "/srv/x/src/rank.rs"],
            Some("app/src/old.rs"),
        ),
        (&["/srv/x/src/old.rs"], None),
        (&["http://h/src/old.rs"], None),
    ] {
        let mapping = map_paths(names.iter().copied(), &fixture.index(), &[], None).remove(0);
        let path = match mapping {
            Mapping::Unmapped(Reason::Gone(path)) => Some(path),
            Mapping::Unmapped(Reason::NotFound) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(path, expected.map(|path| top.join(path)), "{names:?}");
    }
}

#[test]
fn maps_ignored_files_of_a_matched_folder() {
    let fixture = app(APP);
    fixture.write("app/.gitignore", "/out\n");
    fixture.write("app/out/gen.c", "");
    fixture.check(&[
        ("/srv/shop/src/main.rs", "app/src/main.rs"),
        ("/srv/shop/out/gen.c", "app/out/gen.c"),
    ]);
}

#[test]
fn does_not_map_anything_outside_the_roots() {
    app("app/x.c passwd").check(&[
        ("/etc/passwd", "- not found"),
        ("$/passwd", "- not found"),
        ("$/app/../passwd", "- not found"),
        ("file://$/app/%2e%2e/passwd", "- not found"),
        ("../passwd", "- dotted"),
        ("git:h/app:../passwd:1", "- repository h/app"),
    ]);
    app("app/x.c passwd")
        .rule("/srv", "$")
        .check(&[("/srv/passwd", "- rule passwd"), ("/srv/app/x.c", "app/x.c Rule")]);
    app("app/x.c passwd")
        .rule("/srv", "$/app")
        .check(&[("/srv/../passwd", "- not found"), ("/srv//../srv/../passwd", "- not found")]);
}

#[test]
fn prefers_the_folder_of_a_service_that_contains_the_profile() {
    let services = || app("app/a/app.py app/a/lib/x.py app/b/app.py app/b/lib/x.py app/b/c/app.py");
    let both = [("app.py", "? app/a/app.py app/b/app.py app/b/c/app.py")];
    services().profile_in("app/a/profiles").check(&[
        ("app.py", "app/a/app.py"),
        ("lib/x.py", "app/a/lib/x.py"),
        // It was recorded in another folder.
        ("x.py", "? app/a/lib/x.py app/b/lib/x.py"),
    ]);
    services().profile_in("app/a").check(&[("app.py", "app/a/app.py")]);
    // The service has two of them.
    services().profile_in("app/b/profiles").check(&both);
    services().profile_in("app/profiles").check(&both);
    services().profile_in("elsewhere").check(&both);
}

#[test]
fn prefers_the_checkout_that_contains_the_profile() {
    let two = || {
        app("app/src/main.rs app/src/rank.rs old/src/main.rs old/src/rank.rs")
            .root("old", RootKind::Workspace)
    };
    let names = ["/srv/shop/src/main.rs", "/srv/shop/src/rank.rs", "src/main.rs"];
    let both = [
        "? app/src/main.rs old/src/main.rs",
        "? app/src/rank.rs old/src/rank.rs",
        "? app/src/main.rs old/src/main.rs",
    ];
    let pairs = |expected: [&'static str; 3]| [0, 1, 2].map(|at| (names[at], expected[at]));
    two().check(&pairs(both));
    two().profile_in("elsewhere").check(&pairs(both));
    two().profile_in("old/perf").check(&pairs([
        "old/src/main.rs",
        "old/src/rank.rs",
        "old/src/main.rs",
    ]));
}

#[test]
fn the_name_of_a_root_is_evidence() {
    app("app/src/main.rs old/src/main.rs")
        .root("old", RootKind::Workspace)
        .check(&[("/srv/old/src/main.rs", "old/src/main.rs")]);
}

#[test]
fn the_name_of_a_root_counts_more_than_the_number_of_names() {
    let api = || app("ci/api/src/main.py ci/api/src/util.py ci/api/src/db.py").only("ci/api");
    let differs = |file: &str| format!("- not ci/api/src/{file}.py: /ci/app/services/api");
    let (main, util, db) = (differs("main"), differs("util"), differs("db"));
    api().check(&[
        ("/ci/app/services/api/src/main.py", "ci/api/src/main.py"),
        ("/ci/app/services/web/src/main.py", &main),
        ("/ci/app/services/web/src/util.py", &util),
        ("/ci/app/services/web/src/db.py", &db),
        ("/ci/app/common/src/util.py", &util),
        ("/ci/app/services/api/src/util.py", "ci/api/src/util.py"),
    ]);
    // A folder of the same name elsewhere decides nothing.
    api().check(&[
        ("/deps/old/lib/x/api/src/main.py", "- not ci/api/src/main.py: /home/me/shop"),
        ("/home/me/shop/src/main.py", "ci/api/src/main.py"),
        ("/home/me/shop/src/util.py", "ci/api/src/util.py"),
    ]);
}

#[test]
fn folders_beside_each_other_are_different() {
    let api = || app("app/services/api/src/main.py app/services/api/src/db.py");
    api().check(&[(
        "/ci/services/web/src/main.py",
        "- beside app/services/api/src/main.py: /ci/services/web",
    )]);
    api().check(&[
        ("/ci/services/web/src/main.py", "- beside app/services/api/src/main.py: /ci/services/web"),
        ("/ci/services/web/src/db.py", "- beside app/services/api/src/db.py: /ci/services/web"),
    ]);
    api().check(&[("/ci/x/web/src/main.py", "app/services/api/src/main.py")]);
    api().only("app/services/api").check(&[(
        "/ci/app/services/web/src/main.py",
        "- beside app/services/api/src/main.py: /ci/app/services/web",
    )]);
    // Many different projects are in folders called `services`.
    api()
        .only("app/services/api")
        .check(&[("/ci/services/web/src/main.py", "app/services/api/src/main.py")]);
}

#[test]
fn each_root_has_a_recorded_folder_of_its_own() {
    app("app/src/main.rs app/src/a.rs other/src/main.rs other/src/b.rs")
        .root("other", RootKind::Workspace)
        .check(&[
            ("/srv/one/src/main.rs", "app/src/main.rs"),
            ("/srv/one/src/a.rs", "app/src/a.rs"),
            ("/srv/two/src/main.rs", "other/src/main.rs"),
            ("/srv/two/src/b.rs", "other/src/b.rs"),
        ]);
}

#[test]
fn an_incomplete_index_gives_no_evidence_from_one_name() {
    let mut fixture = app("app/src/main.rs");
    fixture.write("app/z/other.rs", "");
    fixture.limits = Limits { max_files: 1 };
    let index = fixture.index();
    assert!(!index.is_complete());
    // Which of the two files is indexed depends on the file system, so try both.
    for name in ["main.rs", "other.rs", "/srv/x/src/main.rs", "/srv/x/z/other.rs"] {
        let mapping = map_paths([name], &index, &[], None).remove(0);
        assert!(
            matches!(
                mapping,
                Mapping::Unmapped(Reason::IndexCut(_) | Reason::NotFound | Reason::Gone(_))
            ),
            "{name}: {mapping:?}"
        );
    }
    fixture.check(&[
        ("$/app/src/main.rs", "app/src/main.rs Exact"),
        ("$/app/z/other.rs", "app/z/other.rs Exact"),
    ]);
}

#[test]
fn maps_nothing_without_roots() {
    let index = SourceIndex::build(Vec::new(), Limits::default());
    let mappings = map_paths(["a.c", "/a.c", "<x>"], &index, &[], None);
    assert!(mappings.iter().all(|mapping| matches!(mapping, Mapping::Unmapped(_))));
}

#[test]
fn survives_malformed_names() {
    let fixture = app(APP).rule("/", "$/app").rule(".", "$/app").rule("webpack://", "$/app");
    let index = fixture.index();
    let long = "/a".repeat(50_000);
    let names = [
        "/",
        "//",
        ".",
        "..",
        "\\",
        "C:",
        "C:\\",
        ":",
        "::",
        "git:",
        "git::",
        "git:::",
        "cargo:",
        "s3::",
        "file:",
        "file://",
        "webpack://",
        "webpack-internal:///(",
        "webpack-internal:///(a)/./..",
        "(/)/./",
        "http://",
        "%",
        "file:///%",
        "a\0b",
        "/a\0b",
        "\u{202e}.c",
        "日本/語.c",
        "é:x",
        &long,
    ];
    let mappings = map_paths(names, &index, &fixture.rules, None);
    assert!(mappings.iter().all(|mapping| matches!(mapping, Mapping::Unmapped(_))), "{mappings:?}");
}

#[test]
fn reasons_are_the_end_of_a_sentence() {
    let reason = Reason::PrefixDiffers {
        candidates: vec!["/w/src/a.c".into()],
        established: "/srv/app".into(),
    };
    assert_eq!(
        reason.to_string(),
        "ends like /w/src/a.c, but other files of that folder were recorded in /srv/app"
    );
    assert_eq!(Reason::Scheme("chrome".into()).to_string(), "has the unsupported scheme `chrome:`");
}
