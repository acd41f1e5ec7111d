//! Divides funcs by the lines of their frames, where a profiler has one func for several functions
//! with the same name.

use crate::{FrameId, FrameTable, FuncId, Profile, Recording};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a part of a func starts, as 1-based line and column (0 = unknown).
pub type Start = (u32, u32);

/// A recording with divided funcs.
#[derive(Debug)]
pub struct Divided {
    /// The recording. Funcs keep their ids; their parts follow.
    pub recording: Recording,
    /// By [`FuncId`]: the func itself, or the one that it is a part of.
    pub whole: Vec<FuncId>,
}

/// Moves each frame for which `part` returns a start to a func of that start, which is otherwise
/// like the frame's func. `part` gets the func and the line (1-based) of each frame that executes
/// its func's own file. `None` if nothing is divided, and for call graphs: their calls have no line
/// in the callee.
#[must_use]
pub fn divide(
    recording: &Recording,
    mut part: impl FnMut(FuncId, u32) -> Option<Start>,
) -> Option<Divided> {
    let profile = recording.sampled()?;
    let mut symbols = profile.symbols.clone();
    let mut whole: Vec<FuncId> = symbols.funcs.ids().collect();
    let mut parts: FxHashMap<(FuncId, Start), FuncId> = FxHashMap::default();
    let mut frames = FrameTable::default();
    for (id, mut frame) in (0..).map(FrameId::new).zip(profile.frames.iter()) {
        let elsewhere = profile.frames.elsewhere(id);
        let start = (frame.line != 0 && elsewhere.is_none()).then(|| part(frame.func, frame.line));
        if let Some(start) = start.flatten() {
            frame.func = *parts.entry((frame.func, start)).or_insert_with(|| {
                let mut func = symbols.funcs.get(frame.func);
                (func.line, func.column) = start;
                symbols.funcs.push(func);
                let new = FuncId::new(whole.len() as u32);
                symbols.funcs.set_code(new, symbols.funcs.code(frame.func));
                whole.push(frame.func);
                new
            });
        }
        frames.push(frame);
        if let Some((source, line)) = elsewhere {
            frames.put_elsewhere(source, line);
        }
    }
    (!parts.is_empty()).then(|| Divided {
        recording: Recording::Stacks(Profile {
            symbols,
            frames,
            stacks: Arc::clone(&profile.stacks),
            metrics: profile.metrics.clone(),
            default_metric: profile.default_metric,
            clock: profile.clock,
            labels: Arc::clone(&profile.labels),
            threads: Arc::clone(&profile.threads),
            samples: Arc::clone(&profile.samples),
        }),
        whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StackAccess, text_samples};

    #[test]
    fn frames_move_to_the_part_that_starts_above_them() {
        let old: Recording =
            text_samples::profile("run@3[file:a.py] run@10 run@20 main@3[file:a.py]").into();
        let part = |func: FuncId, line| {
            (func.index() == 0).then_some(())?;
            [2, 9].into_iter().rfind(|&start| start <= line && line < 15).map(|start| (start, 1))
        };
        let Divided { recording, whole } = divide(&old, part).unwrap();
        let Recording::Stacks(profile) = &recording else { panic!("it has stacks") };
        let symbols = profile.symbols();
        let frames: Vec<_> = profile
            .frames()
            .iter()
            .map(|frame| {
                let func = symbols.funcs.get(frame.func);
                (symbols.func_name(frame.func), func.line, func.column, frame.line)
            })
            .collect();
        assert_eq!(
            frames,
            [("run", 2, 1, 3), ("run", 9, 1, 10), ("run", 0, 0, 20), ("main", 0, 0, 3)]
        );
        let whole: Vec<_> = whole.iter().map(|func| func.index()).collect();
        assert_eq!(whole, [0, 1, 0, 0]);
        assert!(divide(&old, |_, _| None).is_none());
    }

    #[test]
    fn frames_without_a_line_stay() {
        let old: Recording = text_samples::profile("run@3[file:a.py] run").into();
        let Divided { recording, .. } = divide(&old, |_, _| Some((2, 1))).unwrap();
        let Recording::Stacks(profile) = &recording else { panic!("it has stacks") };
        let starts = profile.frames().iter().map(|frame| {
            let func = profile.symbols().funcs.get(frame.func);
            (frame.line, func.line)
        });
        assert_eq!(starts.collect::<Vec<_>>(), [(3, 2), (0, 0)]);
    }
}
