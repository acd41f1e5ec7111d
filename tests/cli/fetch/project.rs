//! Projects that others wrote: what is in `.costline/` must not lead elsewhere.

use super::{Project, Reply, Server, go_profile};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

#[test]
fn no_link_leads_out_of_the_project() {
    let server = Server::http(|_| Reply::ok(go_profile()));
    let (project, outside) = (Project::new(), tempfile::tempdir().unwrap());
    let expected =
        "leads out of the project by a link, which is not followed; replace or remove the link";
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    let url = server.url("/heap");

    // The folder, without and with a file of sources, and if it does not exist.
    let folder = project.path().join(".costline");
    symlink(outside.path(), &folder).unwrap();
    let refused = format!("{}: {expected}", folder.display());
    for arguments in [&[][..], &[&url, "--name", "shop"]] {
        assert_eq!(project.fetch(arguments).failure(1), refused);
    }
    assert_eq!((names(outside.path()), server.requests()), (0, 0));
    let sources = outside.path().join("sources.toml");
    fs::write(&sources, format!("[sources.shop]\nkind = \"pprof\"\nurl = \"{url}\"\n")).unwrap();
    for arguments in [&[][..], &["shop"]] {
        assert_eq!(project.fetch(arguments).failure(1), refused);
    }
    assert_eq!((names(outside.path()), server.requests()), (1, 0));
    fs::remove_file(&folder).unwrap();
    symlink(outside.path().join("missing"), &folder).unwrap();
    let message = project.fetch(&[&url, "--name", "shop"]).failure(1);
    assert!(
        message.starts_with(&format!("{}: cannot be written: ", folder.display())),
        "{message}"
    );
    assert_eq!(names(outside.path()), 1);

    // The file of sources.
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let file = project.file("sources.toml");
    symlink(&sources, &file).unwrap();
    for arguments in [&[][..], &["shop"]] {
        assert_eq!(project.fetch(arguments).failure(1), format!("{}: {expected}", file.display()));
    }

    // A profile takes the place of a link, and what that leads to stays as it is.
    fs::remove_file(&file).unwrap();
    symlink(&sources, project.file("shop.pb.gz")).unwrap();
    let before = fs::read(&sources).unwrap();
    project.fetch(&[&url, "--name", "shop"]).success();
    assert_eq!(fs::read(&sources).unwrap(), before);
    assert!(!project.file("shop.pb.gz").is_symlink());
}

#[test]
fn links_within_the_project_are_followed() {
    let server = Server::http(|_| Reply::ok(go_profile()));
    let project = Project::new();
    let sources = format!("[sources.shop]\nkind = \"pprof\"\nurl = \"{}\"\n", server.url("/heap"));
    fs::create_dir(project.path().join("profiles")).unwrap();
    fs::write(project.path().join("fleet.toml"), sources).unwrap();
    symlink("profiles", project.path().join(".costline")).unwrap();
    symlink("../fleet.toml", project.path().join("profiles/sources.toml")).unwrap();
    project.fetch(&["shop"]).success();
    assert_eq!(project.files(), ["shop.pb.gz", "sources.toml"]);
}

#[test]
fn only_a_regular_file_of_sources_is_read() {
    let project = Project::new();
    let file = project.file("sources.toml");
    let message = || project.fetch(&[]).failure(1);
    fs::create_dir_all(&file).unwrap();
    let expected = format!("{}: is a folder; replace or remove it", file.display());
    assert_eq!(message(), expected);
    fs::remove_dir(&file).unwrap();
    project.write("sources.toml", "# x\n".repeat(300_000));
    let expected = format!("{}: has more than 1048576 bytes; replace or remove it", file.display());
    assert_eq!(message(), expected);
    fs::remove_file(&file).unwrap();
    let made = Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    let expected = format!("{}: is not a regular file; replace or remove it", file.display());
    assert_eq!(message(), expected);
    fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    assert!(message().contains("leads out of the project by a link"));
}
