//! The third stage: file names of the profile are mapped to workspace files. Source maps are
//! applied to generated code.

use crate::settings::{SourceSettings, glob_set};
use crate::source_maps::{OriginalLines, Relocated, apply_source_maps};
use crate::stages::file_evidence;
use crate::stages::symbolicated::Symbolicated;
use crate::stamp::{Stamp, is_recorded};
use analysis::{Recording, SourceId, Warning, WarningCode};
use rustc_hash::FxHashMap;
use sources::{How, Mapping, Reason, Root, SourceIndex};
use std::path::Path;
use std::sync::Arc;

/// A recording whose file names are mapped.
#[derive(Debug)]
pub struct SourceMapped {
    /// The recording, with the places of generated code moved to the original sources.
    pub recording: Arc<Recording>,
    /// The workspace file of each source, or the reason why it has none.
    pub mappings: Vec<Mapping>,
    /// The roots that were searched.
    pub roots: Vec<Root>,
    /// The original lines of each generated source.
    pub generated: FxHashMap<SourceId, OriginalLines>,
    /// Warnings about ambiguous names and unusable source maps.
    pub warnings: Vec<Warning>,
}

impl SourceMapped {
    /// Maps the file names of `symbolicated` to the files of `index`. `folder` is the profile's
    /// folder, which relative names may be relative to, `stamp` that of the profile.
    pub fn new(
        symbolicated: &Symbolicated,
        folder: Option<&Path>,
        stamp: &Stamp,
        settings: &SourceSettings,
        index: &SourceIndex,
    ) -> Self {
        let mut warnings = Vec::new();
        let home = std::env::home_dir();
        let rules = settings.rules(index.roots(), home.as_deref());
        let map = |recording: &Recording| {
            let symbols = recording.symbols();
            let names = (0..symbols.sources.len() as u32)
                .map(|source| symbols.source_name(SourceId::new(source)));
            sources::map_paths(names, index, &rules, folder)
        };
        let mappings = map(&symbolicated.recording);
        let Relocated { recording, mut mappings, generated } =
            apply_source_maps(&symbolicated.recording, mappings, index, map, &mut warnings);
        file_evidence::apply(&mut mappings, &recording, stamp);
        refuse_short_files(&mut mappings, &recording, stamp);
        exclude(&mut mappings, settings, index);
        ambiguity_warning(&mappings, &mut warnings);
        let roots = index.roots().to_vec();
        Self { recording, mappings, roots, generated, warnings }
    }
}

/// The limit for the files that are read to count their lines, in bytes together.
const MAX_COUNTED: u64 = 64 << 20;

/// Longer lines than this on average, in bytes, are not expected of a file that is too short.
const MAX_LINE: u64 = 400;

/// Unmaps files of another project: those that were found by another path than their own, were not
/// written since the recording, and have fewer lines than the profile names.
fn refuse_short_files(mappings: &mut [Mapping], recording: &Recording, profile: &Stamp) {
    let mut last_lines = vec![0; mappings.len()];
    recording.each_place(|_, source, line| {
        if let Some(last) = last_lines.get_mut(source.index()) {
            *last = line.max(*last);
        }
    });
    let mut budget = MAX_COUNTED;
    for (mapping, line) in mappings.iter_mut().zip(last_lines) {
        let Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount } = mapping else {
            continue;
        };
        let Ok(stamp) = Stamp::of(path) else { continue };
        let may_be_short = stamp.len <= u64::from(line).saturating_mul(MAX_LINE);
        if line < 2 || !may_be_short || stamp.len > budget || !is_recorded(&stamp, profile) {
            continue;
        }
        budget -= stamp.len;
        let Ok(text) = std::fs::read(&*path) else { continue };
        let n_lines = count_lines(&text);
        // Some compilers give the end of the file a line of its own.
        if line > n_lines.saturating_add(1) {
            let candidate = std::mem::take(path);
            *mapping = Mapping::Unmapped(Reason::TooShort { candidate, n_lines, line });
        }
    }
}

/// The number of lines as the language with the most line ends counts them (JavaScript).
fn count_lines(text: &[u8]) -> u32 {
    let ends = text.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        0xe2 => matches!(text.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
        _ => false,
    });
    u32::try_from(ends.count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// Unmaps the files that match the setting `exclude`.
fn exclude(mappings: &mut [Mapping], settings: &SourceSettings, index: &SourceIndex) {
    if settings.exclude.is_empty() {
        return;
    }
    let excluded = glob_set(settings.exclude.iter().map(String::as_str));
    for mapping in mappings {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        let relative = index.roots().iter().find_map(|root| path.strip_prefix(&root.path).ok());
        if relative.is_some_and(|relative| excluded.is_match(relative)) {
            *mapping = Mapping::Unmapped(Reason::Excluded(path.clone()));
        }
    }
}

fn ambiguity_warning(mappings: &[Mapping], warnings: &mut Vec<Warning>) {
    let mut ambiguous = mappings.iter().filter_map(|mapping| match mapping {
        Mapping::Ambiguous { candidates } => Some(candidates),
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => None,
    });
    if let Some(first) = ambiguous.next() {
        let candidates: Vec<_> =
            first.iter().take(4).map(|path| path.display().to_string()).collect();
        let message = format!(
            "a file name could be any of {}; no costs are shown there: add a rule to `pathMappings` to choose one",
            candidates.join(", ")
        );
        warnings.push(Warning {
            code: WarningCode::AmbiguousFile,
            message,
            count: 1 + ambiguous.count() as u64,
        });
    }
}
