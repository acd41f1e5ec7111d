//! The files of a run as one profile.

use crate::discovery::stamp::content_hash;
use crate::load::loaded::{LoadError, Loaded};
use analysis::{MergeError, Part, Recording, Thread, Warning, merge};
use std::path::PathBuf;
use std::sync::Arc;

/// Merges the files of a run, each with its thread and run. Format, version and path are those of
/// the first file.
///
/// # Errors
/// A file has another format than the first, or cannot be merged with it.
///
/// # Panics
/// There is no file.
pub fn merged(mut files: Vec<(Loaded, Thread)>) -> Result<Loaded, LoadError> {
    let threads: Vec<(PathBuf, Thread)> =
        files.iter().map(|(file, thread)| (file.path.clone(), thread.clone())).collect();
    if files.len() == 1 {
        return Ok(Loaded { threads, ..files.swap_remove(0).0 });
    }
    let recording = Arc::new(merged_recording(&files)?);
    let mut loaded: Vec<Loaded> = files.into_iter().map(|(file, _)| file).collect();
    let contents: Vec<u8> = loaded.iter().flat_map(|file| file.content.to_le_bytes()).collect();
    let warnings = merged_warnings(&loaded);
    let truncated = truncated(&loaded);
    let needs_programs = loaded.iter().any(|file| file.needs_programs);
    let newest = loaded.iter().map(|file| file.stamp).max_by_key(|stamp| stamp.modified);
    let files = loaded.iter().flat_map(|file| file.files.clone()).collect();
    let companions = loaded.iter().flat_map(|file| file.companions.clone()).collect();
    let first = loaded.swap_remove(0);
    Ok(Loaded {
        stamp: newest.unwrap_or(first.stamp),
        files,
        threads,
        companions,
        content: content_hash(&contents),
        // Unknown: the files may have been recorded at the same time or in succession.
        span_seconds: None,
        truncated,
        recording,
        needs_programs,
        warnings,
        ..first
    })
}

fn merged_recording(files: &[(Loaded, Thread)]) -> Result<Recording, LoadError> {
    let (first, _) = &files[0];
    let unmergeable = |file: &Loaded, why: String| LoadError::Unmergeable {
        path: file.path.clone(),
        first: first.path.clone(),
        why,
    };
    if let Some((other, _)) = files.iter().find(|(file, _)| file.format != first.format) {
        let why = format!("one is {}, the other {}", other.format.title(), first.format.title());
        return Err(unmergeable(other, why));
    }
    let part = |(file, thread): &(Loaded, Thread)| Part {
        recording: Recording::clone(&file.recording),
        thread: thread.clone(),
    };
    let parts: Vec<Part> = files.iter().map(part).collect();
    merge(&parts).map_err(|error: MergeError| {
        unmergeable(&files[error.part().unwrap_or(0)].0, error.to_string())
    })
}

/// One warning for each code, which begins with the name of the first file that has it.
fn merged_warnings(files: &[Loaded]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    for file in files {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        for warning in &file.warnings {
            match warnings.iter_mut().find(|other| other.code == warning.code) {
                Some(other) => other.count += warning.count,
                None => warnings.push(Warning {
                    message: format!("{name}: {}", warning.message),
                    ..warning.clone()
                }),
            }
        }
    }
    warnings
}

/// Whether a file is cut. `None` if none is known to be, and one may be.
fn truncated(files: &[Loaded]) -> Option<bool> {
    let mut ends = files.iter().map(|file| file.truncated);
    if ends.clone().any(|end| end == Some(true)) {
        return Some(true);
    }
    ends.all(|end| end == Some(false)).then_some(false)
}
