//! `costline export`: a profile in another format.

use super::{Failure, NO_OUTPUT, Output, warn};
use engine::export::{self, Options, Target};
use engine::snapshot::Snapshot;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

pub(super) fn export(
    snapshot: &Snapshot,
    baseline: Option<&Snapshot>,
    options: Options,
    output: Option<&Path>,
    overwrite: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let failure = |message| Failure { code: NO_OUTPUT, message };
    let output = output.filter(|path| *path != Path::new("-"));
    if output.is_none() && options.target == Target::Pprof && io::stdout().is_terminal() {
        return Err(failure(
            "pprof files are binary: name one with -o, or pipe the output".to_owned(),
        ));
    }
    let written = export::export(snapshot, baseline, options).map_err(failure)?;
    if !written.lost.is_empty() {
        warn(&format!("{} cannot carry {}", options.target.title(), written.lost.join(", ")));
    }
    match output {
        None => Ok(out.write_all(&written.bytes)?),
        Some(path) => {
            let stored = export::store(path, &written.bytes, overwrite);
            stored.map_err(|error| failure(export::refusal(path, &error, "--overwrite")))
        }
    }
}
