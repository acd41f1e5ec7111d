//! Scripts of another project that were found by their base name alone: py-spy says `utils.py` for
//! `site-packages/utils.py`, too. Their functions are on other lines than the profile names.

use super::file_evidence::{is_base_name, plain_name};
use super::identifying::{Change, Identifying};
use crate::functions::file::File;
use crate::load::stages::recorded_texts::search::TextSearch;
use crate::load::texts::fit::FunctionEvidence;
use analysis::SourceId;
use sources::{How, Mapping, Reason};
use std::path::Path;

/// Unmaps files found by their base name of which no known text fits, and that have all functions that the
/// profile names on other lines.
pub fn refuse(all: &Identifying<'_>) -> Change {
    Change::mappings(all.sources().filter_map(|(source, mapping)| {
        let Mapping::Mapped { path, how: How::Suffix } = mapping else { return None };
        let is_base_name = is_base_name(all.name(source), path, all.context.index);
        let function = is_base_name.then(|| elsewhere(all, source, path))??;
        let candidate = path.clone();
        Some((source, Mapping::Unmapped(Reason::OtherFunctions { candidate, function })))
    }))
}

/// The name of a function that the text of a file has on other lines, if it does not fit and has no function
/// on its lines.
fn elsewhere(all: &Identifying<'_>, source: SourceId, path: &Path) -> Option<String> {
    let evidence = all.evidence().of_source(source)?;
    let found = TextSearch::new(all, path, &[source]).find().filter(|found| !found.fits)?;
    let definitions = all.context.parsed.one(path, &found.text)?;
    let file = File::new(&definitions);
    let mut elsewhere = None;
    for (func, FunctionEvidence { name, lines, .. }) in evidence.functions() {
        let recorded = all.recording.symbols().func_name(func);
        if lines.is_empty() || plain_name(recorded).is_none() || !file.has(name) {
            continue;
        }
        if lines.iter().any(|&line0| file.may_contain(name, &[line0])) {
            return None;
        }
        elsewhere = Some((func, recorded)).max(elsewhere);
    }
    elsewhere.map(|(_, recorded)| recorded.to_owned())
}
