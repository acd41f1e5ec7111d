//! Work that waits for a disk is abandoned. This takes minutes of waiting, so it is in the file whose tests
//! start first, and `.ci/run` runs it beside all others.

use std::fs;
use std::time::Duration;

use crate::stalled::{assert_alive, folders, stalled};
use crate::support::DEADLINE;

/// The scan after the one that is given up waits, too, because it began before the disk answered.
#[test]
fn what_waits_for_a_disk_is_given_up_after_two_minutes_and_others_go_on() {
    let (workspace, far) = folders();
    let Some(server) = stalled(&workspace, &far) else { return };
    let link = workspace.path("far.folded");
    std::os::unix::fs::symlink(far.path("far.folded"), &link).unwrap();
    let mut server = server.start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    let mut n_waits = 0;
    while server.lenses(&uri).is_empty() {
        assert!(n_waits < 15, "no costs after five minutes");
        n_waits += 1;
        server
            .during(DEADLINE.saturating_sub(Duration::from_secs(1)), |server| drop(server.view()));
        if server.stderr().contains("gave up searching for profiles") {
            // The error of the second time is that there is no link.
            let _ = fs::remove_file(&link);
        }
    }
    assert!(server.stderr().contains("gave up searching for profiles"));
    assert_alive(server, &uri);
}
