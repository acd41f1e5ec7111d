//! Rules of the setting `pathMappings`, and rules that are suggested.

use super::*;

#[test]
fn rules_come_first_and_the_longest_wins() {
    app(APP)
        .rule("/srv", "$/app/tests")
        .rule("/srv/py/", "$/app/tools")
        .rule(r"C:\b", "$/app/src")
        .rule("./string", "$/app/string")
        .rule("example.org/mod", "src")
        .rule("git:github.com/rust-lang/rust", "$/app")
        .rule("cargo:reg/", "$/app")
        .rule("http://cdn", "$/app/web")
        .rule("one.py", "$/app/tests/main.py")
        .rule("", "$/app/src")
        .check(&[
            ("/srv/py/main.py", "app/tools/main.py Rule"),
            ("/srv/main.py", "app/tests/main.py Rule"),
            ("/srv/python/main.py", "- rule app/tests/python/main.py"),
            ("/srv/gone/src/main.rs", "- rule app/tests/gone/src/main.rs"),
            (r"C:\b\main.rs", "app/src/main.rs Rule"),
            ("c:/b/main.rs", "app/src/main.rs Rule"),
            ("./string/strlen.c", "app/string/strlen.c Rule"),
            ("string/strlen.c", "app/string/strlen.c"),
            ("example.org/mod/map.rs", "app/src/map.rs Rule"),
            ("git:github.com/rust-lang/rust:src/lib.rs:1a", "app/src/lib.rs Rule"),
            ("cargo:reg:src:lib.rs", "app/src/lib.rs Rule"),
            ("http://cdn/index.js?v=1", "app/web/index.js Rule"),
            ("one.py", "app/tests/main.py Rule"),
            ("rank.rs", "app/src/rank.rs"),
        ]);
}

#[test]
fn case_is_ignored_in_folders_of_windows() {
    app(APP).rule(r"c:\Shop", "src").rule(r"\\NAS\Share", "tools").check(&[
        (r"C:\SHOP\main.rs", "app/src/main.rs Rule"),
        (r"\\nas\share\main.py", "app/tools/main.py Rule"),
        ("/c:/shop/main.rs", "app/src/main.rs Rule"),
    ]);
    let expected = if cfg!(any(windows, target_os = "macos")) {
        "app/src/main.rs Rule"
    } else {
        "- base name app/src/main.rs"
    };
    app(APP).rule("/Shop", "src").check(&[("/shop/main.rs", expected)]);
}

#[test]
fn a_relative_rule_applies_to_missing_files_of_a_root() {
    app(APP)
        .rule("lib/old.rs", "src/lib.rs")
        .rule("gone", "src")
        .rule("src/main.rs", "src/map.rs")
        .rule("tools", "no")
        .check(&[
            ("$/app/lib/old.rs", "app/src/lib.rs Rule"),
            ("$/app/gone/rank.rs", "app/src/rank.rs Rule"),
            ("$/app/lib/older.rs", "- not found"),
            ("$/app/tools/gone.py", "- rule app/no/gone.py"),
            // The file exists.
            ("$/app/src/main.rs", "app/src/main.rs Exact"),
            ("/opt/x/lib/old.rs", "- not found"),
        ]);
    // The other names show that `/srv/x` is the root.
    app(APP).rule("lib/old.rs", "src/lib.rs").check(&[
        ("/srv/x/lib/old.rs", "app/src/lib.rs Rule"),
        ("/srv/x/src/main.rs", "app/src/main.rs"),
        ("/srv/x/src/rank.rs", "app/src/rank.rs"),
    ]);
}

#[test]
fn a_relative_rule_that_fits_several_roots_means_the_root_of_the_profile() {
    let fixture = || {
        app("app/src/app.py other/src/app.py other/src/only.py")
            .root("other", RootKind::Workspace)
            .rule("/srv/app", "src")
    };
    let only = ("/srv/app/only.py", "other/src/only.py Rule");
    for (folder, app_py) in [("app", "app/src/app.py Rule"), ("other", "other/src/app.py Rule")] {
        fixture().profile_in(folder).check(&[("/srv/app/app.py", app_py), only]);
    }
    fixture().check(&[("/srv/app/app.py", "? app/src/app.py other/src/app.py"), only]);
    let gone = "/srv/app/./gone.py";
    fixture().check(&[(gone, "- rule app/src/gone.py")]);
    fixture().profile_in("other").check(&[(gone, "- rule other/src/gone.py")]);
}

#[test]
fn tries_a_shorter_rule_if_the_longer_one_has_no_file() {
    app(APP)
        .rule("/srv", "$/app")
        .rule("/srv/src", "$/app/tests")
        .check(&[("/srv/src/main.rs", "app/src/main.rs Rule")]);
}

#[test]
fn a_rule_for_one_folder_leaves_others_to_evidence() {
    app(APP).rule("/gen", "$/app/web").check(&[
        ("/gen/index.js", "app/web/index.js Rule"),
        ("/srv/shop/src/main.rs", "app/src/main.rs"),
        ("/srv/shop/src/rank.rs", "app/src/rank.rs"),
    ]);
}

#[test]
fn a_suggested_rule_maps_the_name_to_the_file() {
    let files = "app/main.py app/services/api/app/words.py app/services/worker/app/words.py app/string/strlen.c";
    let table = [
        ("/app/app/words.py", "services/api/app/words.py", "/app = services/api"),
        ("/app/app/words.py", "services/worker/app/words.py", "/app = services/worker"),
        ("app/words.py", "services/api/app/words.py", "app = services/api/app"),
        ("words.py", "services/api/app/words.py", "words.py = services/api/app/words.py"),
        ("/words.py", "services/api/app/words.py", "/words.py = services/api/app/words.py"),
        ("/srv/main.py", "main.py", "/srv = ."),
        ("/srv/start.py", "main.py", "/srv/start.py = main.py"),
        (r"C:\app\words.py", "services/api/app/words.py", "C:/app = services/api/app"),
        ("file:///w/app/words.py", "services/api/app/words.py", "/w = services/api"),
        ("http://h:80/app/words.py?v=1", "services/api/app/words.py", "http://h:80 = services/api"),
        (
            "webpack:///./app/words.py",
            "services/api/app/words.py",
            "webpack:///app = services/api/app",
        ),
        ("./string/strlen.c", "string/strlen.c", "./string = string"),
        ("git:h/o/r:app/words.py:1a", "services/api/app/words.py", "git:h/o/r = services/api"),
        (
            "/usr/lib/python3/app/words.py",
            "services/api/app/words.py",
            "/usr/lib/python3 = services/api",
        ),
    ];
    for (name, file, expected) in table {
        let fixture = app(files);
        let index = fixture.index();
        let path = fixture.dir.path().canonicalize().unwrap().join("app").join(file);
        let rule = rule_for(name, &path, &index).unwrap();
        assert_eq!(format!("{} = {}", rule.from, rule.to), expected, "{name}");
        let mapping = map_paths([name], &index, &[rule], None).remove(0);
        assert_eq!(mapping, Mapping::Mapped { path, how: How::Rule }, "{name}");
    }
    let two = app("app/a/x.py old/b/x.py").root("old", RootKind::Workspace);
    let top = two.dir.path().canonicalize().unwrap();
    let rule = rule_for("/srv/x.py", &top.join("old/b/x.py"), &two.index()).unwrap();
    assert_eq!((rule.from.as_str(), Path::new(&rule.to).ends_with("old/b")), ("/srv", true));
    assert_eq!(rule_for("/srv/x.py", Path::new("/etc/x.py"), &two.index()), None);
    assert_eq!(rule_for("<x>", &top.join("old/b/x.py"), &two.index()), None);
}
