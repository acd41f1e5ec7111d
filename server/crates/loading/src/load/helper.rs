//! Another process of this program, which reads profiles first if they may need more memory than there
//! is.
//!
//! Few files do, but a small one can expand to any size, which only reading it shows. So a helper reads
//! it first, under a limit of the operating system ([`crate::trial`]). If that succeeds, this process can
//! read the file, too. Without a helper, such files are refused.

use crate::load::memory;
use guarded::{Guard, Outcome};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// The name of the work of a helper.
pub const WORK: &str = "read";

static GUARD: Guard = Guard::new(WORK, Duration::from_secs(120));

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

/// Whether a helper can read the files of a request with the memory that this process may take. Breaks
/// if `observe` does.
pub(crate) fn succeeds(
    request: &Request,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    let Some(available) = memory::available() else { return ControlFlow::Continue(false) };
    let Ok(request) = serde_json::to_vec(request) else { return ControlFlow::Continue(false) };
    let outcome = GUARD.ask(memory::usable(available), &request, observe)?;
    ControlFlow::Continue(matches!(outcome, Outcome::Answered(_)))
}
