//! `costline export`: writes a profile in another format.

use super::{Failure, Output, warn};
use engine::config::settings::Compare;
use engine::export::{self, Options, Target};
use engine::snapshot::Snapshot;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

pub(super) fn export(
    snapshot: &Snapshot,
    baseline: Option<(&Snapshot, Compare)>,
    options: Options,
    output: Option<&Path>,
    overwrite: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let output = output.filter(|path| *path != Path::new("-"));
    if output.is_none() && options.target == Target::Pprof && io::stdout().is_terminal() {
        return Err(Failure::no_output(
            "pprof files are binary and cannot be printed to a terminal: pass -o FILE, or redirect \
             the output",
        ));
    }
    let written = export::export(snapshot, baseline, options).map_err(Failure::no_output)?;
    if !written.lost.is_empty() {
        warn(&format!("{} cannot carry {}", options.target.title(), written.lost.join(", ")));
    }
    match output {
        None => Ok(out.write_all(&written.bytes)?),
        Some(path) => export::store(path, &written.bytes, overwrite)
            .map_err(|error| Failure::no_output(export::refusal(path, &error, "--overwrite"))),
    }
}
