//! A disk that does not answer, such as a network mount without its server: a file system whose
//! program never reads what it is asked.

use serde_json::{Value, json};

use crate::limits::{limited_under, works};
use crate::support::profiles::{APP_JS, folded};
use crate::support::requests::costs;
use crate::support::{Server, ServerBuilder, Workspace};

/// Mounts the folder `$FAR`. The descriptor is that of the program that should answer; it stays open
/// until the server ends.
const MOUNT: &str = "exec 3<>/dev/fuse && mount -i -t fuse \
                     -o fd=3,rootmode=40000,user_id=0,group_id=0 far \"$FAR\" && exec \"$0\" \"$@\"";

/// A workspace whose profile has 7 samples in line 2 of `app.js`, and a folder elsewhere.
pub fn folders() -> (Workspace, Workspace) {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("cpu.folded", folded(7));
    (workspace, Workspace::new())
}

/// A server for which the folder `far` does not answer. `None` if this user cannot mount anything.
pub fn stalled(workspace: &Workspace, far: &Workspace) -> Option<ServerBuilder> {
    let far = format!("FAR={}", far.root().display());
    let unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT];
    let under = [&["env", &far][..], &unshare].concat();
    works(&[&under[..], &["true"]].concat()).then(|| limited_under(workspace, &under))
}

/// Opens `app.js` and waits for its costs.
fn open_app(server: &mut Server, workspace: &Workspace) -> String {
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
    uri
}

/// The server goes on, and ends when it is told to.
pub fn assert_alive(mut server: Server, uri: &str) {
    assert_eq!(server.line_costs(uri), costs([(2, 7, 7)]));
    assert_eq!(server.lenses(uri).len(), 1);
    server.request("shutdown", Value::Null);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 0);
}

#[test]
fn a_document_on_a_disk_that_does_not_answer_blocks_nothing() {
    let (workspace, far) = folders();
    let Some(server) = stalled(&workspace, &far) else { return };
    let mut server = server.start();
    let uri = open_app(&mut server, &workspace);
    let text = "function f() {\n}\n";
    let document = far.uri("far.js");
    server.open(&document, "javascript", text);
    server.change(&document, "function g() {\n}\n");
    server.save(&document);
    assert_eq!(server.lenses(&document).len(), 0);
    assert_eq!(server.hints(&document).len(), 0);
    server.close(&document);
    assert_alive(server, &uri);
}

#[test]
fn a_profile_on_a_disk_that_does_not_answer_is_refused_and_the_next_choice_is_read() {
    let (workspace, far) = folders();
    let Some(server) = stalled(&workspace, &far) else { return };
    let mut server = server.start();
    let uri = open_app(&mut server, &workspace);
    let path = far.path("far.folded");
    let error = server.execute_error("costline.selectProfile", json!([{ "path": path }]));
    assert!(error.ends_with("far.folded: the disk does not respond"), "{error}");
    assert_eq!(server.line_costs(&uri), costs([(2, 7, 7)]));
    workspace.write("other.folded", folded(9));
    let other = json!([{ "path": workspace.path("other.folded") }]);
    server.execute("costline.selectProfile", other);
    server.wait_costs(&uri, &costs([(2, 9, 9)]));
    workspace.write("other.folded", folded(11));
    server.wait_costs(&uri, &costs([(2, 11, 11)]));
    workspace.write("other.folded", folded(7));
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
    assert_alive(server, &uri);
}

#[test]
fn a_workspace_folder_on_a_disk_that_does_not_answer_hides_nothing_of_the_others() {
    let (workspace, far) = folders();
    let Some(server) = stalled(&workspace, &far) else { return };
    let folder = |of: &Workspace, name: &str| json!({ "uri": of.root_uri(), "name": name });
    let folders = json!([folder(&far, "far"), folder(&workspace, "near")]);
    let mut server = server.param("workspaceFolders", folders).start();
    let uri = open_app(&mut server, &workspace);
    workspace.write("cpu.folded", folded(9));
    server.wait_costs(&uri, &costs([(2, 9, 9)]));
    workspace.write("cpu.folded", folded(7));
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
    assert_alive(server, &uri);
}

#[test]
fn a_baseline_on_a_disk_that_does_not_answer_delays_no_costs() {
    let (workspace, far) = folders();
    let Some(server) = stalled(&workspace, &far) else { return };
    let baseline = json!({ "baseline": far.path("far.folded") });
    let mut server = server.options(baseline).start();
    let uri = open_app(&mut server, &workspace);
    assert_alive(server, &uri);
}
