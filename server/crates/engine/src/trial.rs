//! Reads profiles in another process first if they may need more memory than there is.
//!
//! Few do, but a small file can be made to expand to any size, and nobody can tell before it was
//! read. So the other process reads it under a limit of the operating system. If it manages, this
//! process does too.
//!
//! The helper is this program itself ([`use_helper`]). Without that call, such files are refused.

use crate::libraries::{GivenPlaces, Libraries, Places, unwound};
use crate::load::{Caches, Environment, load_read};
use crate::memory;
use crate::settings::{CostSettings, Symbols};
use crate::stages::loaded::Loaded;
use serde::{Deserialize, Serialize};
use sources::{Limits, SourceIndex, limit_memory};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a trial may take.
const DEADLINE: Duration = Duration::from_secs(120);
/// How long to wait between two looks at the helper.
const INTERVAL: Duration = Duration::from_millis(20);
/// The limit for a request, in bytes.
const MAX_REQUEST: u64 = 1 << 20;

/// The program and its arguments with which it calls [`serve`].
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

/// Has files tried by a helper. `program` with `arguments` must call [`serve`].
pub fn use_helper(program: OsString, arguments: Vec<OsString>) {
    // A second call changes nothing.
    let _ = HELPER.set((program, arguments));
}

/// Whether a helper manages a request with the memory that this process may take. Breaks if
/// `observe` does.
pub(crate) fn succeeds(
    request: &Request,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    let Some(mut helper) = start(request) else { return ControlFlow::Continue(false) };
    let begun = Instant::now();
    loop {
        let is_cancelled = observe().is_break();
        let outcome = helper.try_wait();
        let is_running = matches!(outcome, Ok(None));
        if is_running && !is_cancelled && begun.elapsed() < DEADLINE {
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

/// The work of a helper: does what the request on standard input says with `memory` bytes. If they
/// are not enough, there is an error, or the process ends. Other errors are as good as a success,
/// because the other process will get them, too.
///
/// # Errors
/// There is no request, or not enough memory.
pub fn serve(memory: u64) -> io::Result<()> {
    limit_memory(memory);
    memory::take_any();
    end_with_parent();
    let mut request = Vec::new();
    io::stdin().take(MAX_REQUEST).read_to_end(&mut request)?;
    let request = serde_json::from_slice(&request)?;
    catch_unwind(|| carry_out(request)).unwrap_or(Ok(()))
}

/// Ends this process together with the one that waits for it.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(DEADLINE);
        std::process::exit(1);
    });
}

fn carry_out(request: Request) -> io::Result<()> {
    let Request { files, max_bytes, libraries } = request;
    let places = libraries.map(Places::from);
    let (index, caches) = (SourceIndex::build(Vec::new(), Limits::default()), Caches::default());
    let (settings, symbols) = (&CostSettings::default(), Symbols::default());
    for path in files {
        let loaded = match Loaded::read(&path, max_bytes, &mut |_| ControlFlow::Continue(())) {
            Ok(loaded) => loaded,
            Err(error) if error.is_about_memory() => return Err(io::ErrorKind::OutOfMemory.into()),
            Err(_) => continue,
        };
        if let Some(places) = &places {
            let loaded = unwound(loaded, &symbols, places, &caches.symbols);
            let libraries = Libraries::of(&loaded.recording, &symbols, &caches.symbols);
            let _ = libraries.resolve_all(&loaded, places, &caches.symbols);
        } else {
            load_read(Arc::new(loaded), Environment { settings, index: &index, caches: &caches });
        }
    }
    Ok(())
}
