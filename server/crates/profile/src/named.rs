//! Gives funcs the file that their definition was found in by name.

use crate::symbol_tables::Names;
use crate::{FrameId, FrameTable, FuncId, FuncTable, Profile, Recording};
use std::sync::Arc;

/// The recording with a file for each func without one for which `file_of` returns a name. Ids
/// stay; new files follow the old ones. The lines of these funcs are unknown.
#[must_use]
pub fn with_files<'a>(
    recording: &Recording,
    mut file_of: impl FnMut(FuncId) -> Option<&'a str>,
) -> Recording {
    let old = recording.symbols();
    let mut names = Names::of(old);
    let mut funcs = FuncTable::default();
    let mut changed = vec![false; old.funcs.len()];
    for id in old.funcs.ids() {
        let mut func = old.funcs.get(id);
        if func.source.is_none() {
            // A func has no file if the table of names is full.
            func.source = file_of(id).and_then(|name| names.source(name));
            changed[id.index()] = func.source.is_some();
        }
        funcs.push(func);
        funcs.set_code(id, old.funcs.code(id));
    }
    let symbols = names.with(old.libs.clone(), funcs);
    match recording {
        Recording::Stacks(profile) => Recording::Stacks(Profile {
            symbols,
            frames: without_lines(&profile.frames, &changed),
            stacks: Arc::clone(&profile.stacks),
            metrics: profile.metrics.clone(),
            default_metric: profile.default_metric,
            clock: profile.clock,
            labels: Arc::clone(&profile.labels),
            threads: Arc::clone(&profile.threads),
            samples: Arc::clone(&profile.samples),
        }),
        Recording::Graph(graph) => {
            let mut tables = graph.tables.clone();
            tables.symbols = symbols;
            for own in tables.own.iter_mut().filter(|own| own.source.is_none()) {
                own.line = if changed[own.func.index()] { 0 } else { own.line };
            }
            for call in tables.calls.iter_mut().filter(|call| call.source.is_none()) {
                call.line = if changed[call.caller.index()] { 0 } else { call.line };
            }
            Recording::Graph(tables.into())
        }
    }
}

/// The frames, without lines for funcs that had no file: it is not known which file the lines are in.
fn without_lines(frames: &FrameTable, changed: &[bool]) -> FrameTable {
    let mut kept = FrameTable::default();
    for (id, mut frame) in (0..).map(FrameId::new).zip(frames.iter()) {
        if changed[frame.func.index()] {
            (frame.line, frame.column) = (0, 0);
        }
        kept.push(frame);
        if let Some((source, line)) = frames.elsewhere(id) {
            kept.put_elsewhere(source, line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_samples;

    #[test]
    fn only_funcs_without_a_file_get_one() {
        let old: Recording = text_samples::profile("main parse run@3[file:a.py]").into();
        let file_of = |func: FuncId| (func.index() != 0).then_some("b.rs");
        let recording = with_files(&old, file_of);
        let symbols = recording.symbols();
        let files: Vec<_> = symbols
            .funcs
            .ids()
            .map(|id| symbols.funcs.get(id).source.map(|source| symbols.source_name(source)))
            .collect();
        assert_eq!(files, [None, Some("b.rs"), Some("a.py")]);
        assert_eq!(recording.n_samples(), old.n_samples());
    }
}
