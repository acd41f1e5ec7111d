//! From the files of a profile to a [`Snapshot`]: the recording, the code of the workspace that each
//! place of it is in, and all costs.
//!
//! A load has stages, each of which is a function that returns one immutable value: the files as read
//! ([`Loaded`]), symbols, the files and texts of the workspace (`load/stages/identified.rs`), groups of
//! what is one function, and costs. [`Settings`] say where to look, `discovery` finds the profiles, and
//! `store` keeps recorded texts for later loads. What was computed is asked in the crate `answers`.

mod discovery;
mod functions;
mod kept_runs;
mod load;
mod settings;
mod snapshot;
mod store;
pub mod text;
mod trial;
pub mod units;

pub use crate::discovery::preference::{Choice as ProfileChoice, by_preference};
pub use crate::discovery::roots::{MARKERS, project_above, project_at};
pub use crate::discovery::runs::{belongs_to_run, run_in_folder, run_indexes, runs};
pub use crate::discovery::stamp::Stamp;
pub use crate::discovery::{
    Candidate, Content, DEPTH, FileVersion, Found, NAMES, PROFILE_FOLDERS, Recognised, discover,
    folders_of, foreign_message, has_end, is_named_like_profile, sniff, watch_globs,
};
pub use crate::functions::function_name::FunctionName;
pub use crate::functions::source_functions::SourceFunction;
pub use crate::functions::unversioned::unversioned;
pub use crate::kept_runs::{KeptRun, KeptRuns, MAX_PREVIOUS, is_one_series};
pub use crate::load::libraries::Library;
pub use crate::load::loaded::{LoadError, Loaded, Step as ReadStep};
pub use crate::load::stages::found_by_name::{AmbiguousFunction, Program};
pub use crate::load::stages::grouped::{Function, Grouped};
pub use crate::load::stages::recorded_texts::{
    Commit, Origin, RecordedText, RecordedTexts, commit_named,
};
pub use crate::settings::paths::is_outside;
pub use crate::settings::{
    Combine, Compare, CostSettings, Generics, Hints, Implementation, Inlines, PathMapping,
    Settings, Show, SourceSettings, Symbols, Unit, ViewSettings, Watch,
};
pub use crate::snapshot::Snapshot;
pub use crate::snapshot::average::{Spread, SpreadCost};
pub use crate::snapshot::load::{
    Caches, Environment, Extent, Missing, Observe, PUBLISH_INTERVAL, RunFiles, complete,
    index_sources, load, load_read_with_symbols, load_soon, load_with_symbols, read as read_run,
    renew, renew_with_symbols, resolve as resolve_symbols,
};
pub use crate::snapshot::profile_total::ProfileTotal;
pub use crate::store::copies::Copies;

/// Means of several runs.
pub mod average {
    pub use crate::snapshot::average::mean;
}

/// Names of functions, in parts.
pub mod function_name {
    pub use crate::functions::function_name::{mercury_module, n_parameters};
}

/// JSON with the place of an error.
pub mod json {
    pub use crate::settings::json::read;
}

/// Paths in settings.
pub mod paths {
    pub use crate::settings::paths::{expanded, in_first};
}

/// Which profile is shown.
pub mod preference {
    pub use crate::discovery::preference::{attempts, better_beside};
}

/// Files in the folder of the user.
pub mod private_files {
    pub use crate::store::private_files::{files, hex, state_folder, write};
}

/// Files of one run.
pub mod runs {
    pub use crate::discovery::runs::thread;
}

/// Versions of files.
pub mod stamp {
    pub use crate::discovery::stamp::content_hash;
}

/// Does the work of a helper: requests of one kind ([`guarded::Guard`]), with at most `memory` bytes.
///
/// # Errors
/// There is no work with this name, a request is malformed, or there is not enough memory for one.
pub fn serve_guarded(work: &str, memory: u64) -> std::io::Result<()> {
    match work {
        load::helper::WORK => guarded::serve(memory, trial::work),
        #[cfg(feature = "grammars")]
        texts::WORK => guarded::serve(memory, texts::work),
        _ => Err(std::io::ErrorKind::InvalidInput.into()),
    }
}

pub use guarded::use_helper;
