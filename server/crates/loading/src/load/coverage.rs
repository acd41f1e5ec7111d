//! How often lines were executed, from a coverage report beside the profile ([`formats::lcov`]).
//!
//! The report is of another run, maybe of another build. Its counts are used for a profile that has
//! none itself, and for the files that were not changed between the two.

use crate::discovery::companions;
use crate::discovery::stamp::{SLACK, Stamp};
use crate::load::loaded::{Loaded, Step, read_companion};
use crate::load::stages::grouped::Grouped;
use analysis::{FileId, LineCounts, Warning, WarningCode};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The limit for reports, in bytes. Those of large programs have some ten megabytes.
const MAX_BYTES: u64 = 512 << 20;

/// Adds the counts of the report beside the profile. There is a warning if it cannot be read.
pub(crate) fn add(
    loaded: &mut Loaded,
    observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if loaded.recording.line_counts().next().is_some() {
        return ControlFlow::Continue(());
    }
    let reports = loaded.companions.iter().filter(|(path, _)| companions::is_report(path));
    // The files of a run are in one folder, where they have one report.
    let Some((path, stamp)) = reports.max_by_key(|(_, stamp)| stamp.modified).cloned() else {
        return ControlFlow::Continue(());
    };
    let bytes = if stamp.len > MAX_BYTES {
        Some(Err(format!("has {} bytes, more than the limit of {MAX_BYTES}", stamp.len)))
    } else {
        read_companion(&path, MAX_BYTES, observe)?
    };
    let Some(bytes) = bytes else { return ControlFlow::Continue(()) };
    let added = bytes.and_then(|bytes| {
        let text = String::from_utf8_lossy(&bytes);
        let counts = formats::lcov(&text).map_err(|error| error.to_string())?;
        let counts = counts.iter().map(|count| (count.file, count.line, count.count));
        let recording = Arc::make_mut(&mut loaded.recording);
        recording.add_line_counts(counts).map_err(|error| error.to_string())
    });
    match added {
        Ok(()) => loaded.report = Some((path, stamp)),
        Err(error) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            loaded.warnings.push(Warning {
                code: WarningCode::Coverage,
                message: format!("execution counts are unknown: {name}: {error}"),
                count: 1,
            });
        }
    }
    ControlFlow::Continue(())
}

/// Leaves out the counts of files that were changed between the profile and the report, because
/// their lines are of different texts.
pub(crate) fn leave_out_changed(
    line_counts: &mut LineCounts,
    loaded: &Loaded,
    grouped: &Grouped,
) -> Option<Warning> {
    let report = loaded.report.as_ref()?.1.modified;
    let (first, last) = (report.min(loaded.stamp.modified), report.max(loaded.stamp.modified));
    let mut changed: Vec<FileId> = line_counts.files().collect();
    changed.retain(|file| {
        let path = grouped.paths.get(file.index()).and_then(Option::as_ref);
        let stamp = path.and_then(|path| Stamp::of(path).ok());
        stamp.is_some_and(|stamp| first + SLACK < stamp.modified && stamp.modified <= last)
    });
    line_counts.leave_out(&changed);
    let name = grouped.paths.get(changed.first()?.index())?.as_ref()?.file_name()?;
    let more = match changed.len() {
        1 => String::new(),
        n => format!(" and {} more files", n - 1),
    };
    Some(Warning {
        code: WarningCode::Coverage,
        message: format!(
            "execution counts are unknown in {}{more}: changed between the profile and the \
             coverage report; write both again",
            name.to_string_lossy()
        ),
        count: 1,
    })
}
