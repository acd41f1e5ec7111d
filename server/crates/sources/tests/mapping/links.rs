//! Symbolic links in roots.

use super::*;
use std::os::unix::fs::symlink;

#[test]
fn accepts_both_paths_of_a_root_behind_a_link() {
    let fixture = app("real/src/a.c real/src/b.c");
    symlink(fixture.dir.path().join("real"), fixture.dir.path().join("link")).unwrap();
    fixture.root("link", RootKind::Workspace).check(&[
        ("$/real/src/a.c", "real/src/a.c Exact"),
        ("$/link/src/b.c", "real/src/b.c Link"),
    ]);
}

#[test]
fn a_go_mod_behind_a_link_is_not_read() {
    let fixture = app("app/a.go secret/b.go");
    fixture.write("secret/go.mod", "module example.org/me/proj\n");
    let secret = fixture.dir.path().join("secret/go.mod");
    symlink(secret, fixture.dir.path().join("app/go.mod")).unwrap();
    fixture.check(&[("example.org/me/proj/a.go", "- not found")]);
}

#[test]
fn follows_links_inside_a_root_but_not_out_of_it() {
    let fixture = app("app/src/a.c secret/b.c");
    let ws = fixture.dir.path().join("app");
    symlink(ws.join("src"), ws.join("alias")).unwrap();
    symlink(fixture.dir.path().join("secret"), ws.join("leak")).unwrap();
    fixture.rule("/srv", "$/app/leak").check(&[
        ("$/app/alias/a.c", "app/src/a.c Link"),
        ("$/app/leak/b.c", "- outside"),
        ("/srv/b.c", "- rule app/leak/b.c"),
    ]);
}
