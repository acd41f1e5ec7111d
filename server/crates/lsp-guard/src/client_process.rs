//! Detects the end of the client's process. Its pipes stay open if another process holds them.

use std::fs;
use std::future::pending;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;

/// The poll interval.
const INTERVAL: Duration = Duration::from_secs(1);

/// Returns when the process with the received id has ended.
///
/// Never returns if the process cannot be found at the start, for example because it runs in
/// another container, and on systems without `/proc`: there the server ends when a pipe is closed.
pub(crate) async fn ended(pid: oneshot::Receiver<u32>) {
    let Ok(pid) = pid.await else { return pending().await };
    let Some(start_time) = start_time(pid) else { return pending().await };
    while self::start_time(pid).as_ref() == Some(&start_time) {
        sleep(INTERVAL).await;
    }
}

/// The start time of process `pid`, in clock ticks since boot. A later process with the same id has
/// another start time. `None` if there is no such process, or if it has ended and its parent has
/// not waited for it. (proc(5), `/proc/pid/stat`: fields 3 and 22.)
fn start_time(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2, the name, is in parentheses and may contain spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.nth(18).map(str::to_owned))?
}
