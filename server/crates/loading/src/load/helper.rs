//! Another process of this program, which reads profiles first if they may need more memory than there
//! is.
//!
//! Few files do, but a small one can expand to any size, which only reading it shows. So the helper
//! reads it first, under a limit of the operating system ([`crate::trial`]). If that succeeds, this
//! process can read the file, too. Without a helper ([`use_helper`]), such files are refused.

use crate::load::memory;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long a helper may take.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);
/// How long to wait between two looks at the helper.
const INTERVAL: Duration = Duration::from_millis(20);

/// The program and its arguments with which it calls [`crate::trial::serve`].
static HELPER: OnceLock<(OsString, Vec<OsString>)> = OnceLock::new();

/// What to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The files of a profile.
    pub files: Vec<PathBuf>,
    /// The limit for each of them.
    pub max_bytes: u64,
    /// Where to search its libraries; `None` if they are not read.
    pub libraries: Option<GivenPlaces>,
}

/// Where to search libraries ([`crate::load::libraries::Places`]).
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GivenPlaces {
    pub roots: Vec<PathBuf>,
    pub rules: Vec<(String, String)>,
    pub paths: Vec<PathBuf>,
}

/// Sets the program that tries files first. With `arguments`, it must call [`crate::trial::serve`].
pub fn use_helper(program: OsString, arguments: Vec<OsString>) {
    // A second call changes nothing.
    let _ = HELPER.set((program, arguments));
}

/// Whether a helper can read the files of a request with the memory that this process may take. Breaks
/// if `observe` does.
pub(crate) fn succeeds(
    request: &Request,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    match start(request) {
        Some(helper) => succeeds_by(helper, DEADLINE, observe),
        None => ControlFlow::Continue(false),
    }
}

/// Whether a helper succeeds by this time. It is ended otherwise.
fn succeeds_by(
    mut helper: Child,
    deadline: Duration,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    let begun = Instant::now();
    loop {
        let is_cancelled = observe().is_break();
        let outcome = helper.try_wait();
        let is_running = matches!(outcome, Ok(None));
        if is_running && !is_cancelled && begun.elapsed() < deadline {
            std::thread::sleep(INTERVAL);
            continue;
        }
        // It may have ended already.
        let _ = helper.kill();
        let _ = helper.wait();
        if is_cancelled {
            return ControlFlow::Break(());
        }
        let succeeded = outcome.is_ok_and(|status| status.is_some_and(|status| status.success()));
        return ControlFlow::Continue(succeeded);
    }
}

/// Starts a helper. `None` if there is none, or if the memory does not matter.
fn start(request: &Request) -> Option<Child> {
    let (program, arguments) = HELPER.get()?;
    let memory = memory::usable(memory::available()?);
    let mut command = Command::new(program);
    command.args(arguments).arg(memory.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut helper = command.spawn().ok()?;
    let request = serde_json::to_vec(request).ok()?;
    // It ends if it does not get the whole request.
    let sent = helper.stdin.take().map(|mut stdin| stdin.write_all(&request));
    sent.is_some_and(|sent| sent.is_ok()).then_some(helper)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_helper_that_takes_too_long_or_is_cancelled_is_ended() {
        let outcome = |command: &str, milliseconds, step| {
            let helper = Command::new("sh").args(["-c", command]).spawn().unwrap();
            let process = PathBuf::from(format!("/proc/{}", helper.id()));
            let outcome = succeeds_by(helper, Duration::from_millis(milliseconds), &mut || step);
            assert!(!process.exists(), "`{command}` still runs");
            outcome
        };
        let (go_on, cancel) = (ControlFlow::Continue(()), ControlFlow::Break(()));
        assert_eq!(outcome("exec sleep 600", 50, go_on), ControlFlow::Continue(false));
        assert_eq!(outcome("exec sleep 600", 600_000, cancel), ControlFlow::Break(()));
        assert_eq!(outcome("exit 0", 600_000, go_on), ControlFlow::Continue(true));
        assert_eq!(outcome("exit 1", 600_000, go_on), ControlFlow::Continue(false));
    }
}
