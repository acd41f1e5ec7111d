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
fn a_profile_in_a_root_behind_a_link_is_in_its_service() {
    let fixture = app("real/a/app.py real/b/app.py").only("link").profile_in("link/a/profiles");
    symlink(fixture.dir.path().join("real"), fixture.dir.path().join("link")).unwrap();
    fixture.check(&[("app.py", "real/a/app.py")]);
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

#[test]
fn relative_names_lead_through_links_from_a_root() {
    let fixture = app("app/real/deep/a.js secret/b.js");
    let ws = fixture.dir.path().join("app");
    symlink(ws.join("real"), ws.join("link")).unwrap();
    symlink(ws.join("real/deep/a.js"), ws.join("alias.js")).unwrap();
    symlink(fixture.dir.path().join("secret"), ws.join("leak")).unwrap();
    fixture.check(&[
        ("link/deep/a.js", "app/real/deep/a.js Link"),
        ("alias.js", "app/real/deep/a.js Link"),
        ("http://localhost:8080/link/deep/a.js", "app/real/deep/a.js Link"),
        ("deep/a.js", "app/real/deep/a.js"),
        ("leak/b.js", "- outside"),
    ]);
}

#[test]
fn ignored_files_are_found_by_their_path_from_a_root() {
    let fixture = app("app/dist/a.js app/src/b.js");
    fixture.write("app/.gitignore", "dist\n");
    fixture.check(&[("dist/a.js", "app/dist/a.js Exact"), ("a.js", "- not found")]);
}

#[test]
fn finds_files_that_were_recorded_through_a_link_outside() {
    let fixture = app("app/pkg/a.py other/pkg/a.py");
    let top = fixture.dir.path();
    symlink(top.join("app"), top.join("link")).unwrap();
    symlink(top.join("other"), top.join("foreign")).unwrap();
    fixture.check(&[
        ("$/link/pkg/a.py", "app/pkg/a.py Link"),
        ("$/link/../link/pkg/a.py", "app/pkg/a.py Link"),
        ("$/foreign/pkg/a.py", "- not app/pkg/a.py: $/app"),
    ]);
}

#[test]
fn goes_up_from_where_a_link_leads() {
    // As a build in home/build, which is a link, records ../src/x.c.
    let fixture = app("disk/proj/src/x.c disk/proj/build/Makefile home/src/x.c").only("disk/proj");
    let top = fixture.dir.path();
    symlink(top.join("disk/proj/build"), top.join("home/build")).unwrap();
    fixture.check(&[("$/home/build/../src/x.c", "disk/proj/src/x.c Link")]);
    // The file that the path seems to mean is another one.
    fixture.only("home").check(&[("$/home/build/../src/x.c", "- outside")]);
}
