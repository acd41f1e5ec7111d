//! Moves the places of a recording to the original source, where the recorded file was generated
//! from it.
//!
//! `sources` reads the source maps; this module rebuilds the tables. A func moves with the place
//! where it starts, and a frame with the line that it executes, independently: a bundle is one file
//! made of many, and an inlining compiler lets a function of one file execute lines of another.

use crate::symbol_tables::Names;
use crate::{
    Frame, FrameId, FrameTable, FuncId, FuncTable, Profile, Recording, SourceId, SymbolTables,
};
use std::sync::Arc;

/// What to look up for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    /// The original start of a func that starts there.
    Start,
    /// The original place of the executing code.
    Executing,
    /// The original place of code that executes in the line, at an unknown column after this one.
    ExecutingAfter,
}

/// A place of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The file.
    pub source: SourceId,
    /// The line, 1-based, never 0.
    pub line: u32,
    /// The column, 1-based; 0 if unknown.
    pub column: u32,
}

/// A place in the original source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OriginalPlace<'a> {
    /// The name of the file, spelled like the names of the recording.
    pub file: &'a str,
    /// The line, 1-based; 0 if the start of a func is unknown.
    pub line: u32,
    /// The column, 1-based; 0 if unknown.
    pub column: u32,
}

/// The result of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moved<'a> {
    /// The place is not generated and stays.
    Stays,
    /// The place is generated, but its original is unknown.
    Unknown,
    /// The original place.
    To(OriginalPlace<'a>),
}

/// The recording with its places replaced by the result of `find`. Names, samples, stacks and ids
/// stay; new files follow the old ones. Call graphs do not change, because no profiler writes call
/// graphs of generated code.
#[must_use]
pub fn relocate<'a>(
    recording: &Recording,
    mut find: impl FnMut(PlaceKind, Position) -> Moved<'a>,
) -> Recording {
    match recording {
        Recording::Stacks(profile) => Recording::Stacks(relocate_stacks(profile, &mut find)),
        Recording::Graph(graph) => Recording::Graph(graph.clone()),
    }
}

/// Calls `visit` with the lines that [`with_files_of_lines`] asks about.
pub fn each_line(recording: &Recording, mut visit: impl FnMut(FuncId, Position)) {
    let Recording::Stacks(profile) = recording else { return };
    for frame in profile.frames.iter() {
        if let Some(position) = line_in_file_of_func(&profile.symbols, frame) {
            visit(frame.func, position);
        }
    }
}

/// The place of a frame without a column in the file of its func.
fn line_in_file_of_func(symbols: &SymbolTables, frame: Frame) -> Option<Position> {
    let source = symbols.funcs.get(frame.func).source;
    let known = source.filter(|_| frame.line != 0 && frame.column == 0);
    known.map(|source| Position { source, line: frame.line, column: 0 })
}

/// The recording with lines in files other than the files of their funcs. `file_of` returns the
/// file of a line, or `None` if it is unknown. It is asked about lines without columns in the files
/// of their funcs.
#[must_use]
pub fn with_files_of_lines(
    recording: &Recording,
    mut file_of: impl FnMut(FuncId, Position) -> Option<SourceId>,
) -> Recording {
    let Recording::Stacks(old) = recording else { return recording.clone() };
    let mut frames = FrameTable::default();
    for (id, frame) in (0..).map(FrameId::new).zip(old.frames.iter()) {
        let source = old.symbols.funcs.get(frame.func).source;
        let known = line_in_file_of_func(&old.symbols, frame);
        let place = match known {
            Some(position) => file_of(frame.func, position).map(|file| (file, frame.line)),
            None => old.frames.elsewhere(id),
        };
        let is_own = known.is_none() || place.is_some_and(|(file, _)| source == Some(file));
        frames.push(if is_own { frame } else { Frame { line: 0, ..frame } });
        if let Some((file, line)) = place.filter(|(file, _)| source != Some(*file)) {
            frames.put_elsewhere(file, line);
        }
    }
    Recording::Stacks(Profile { frames, ..old.clone() })
}

fn relocate_stacks<'a>(
    profile: &Profile,
    find: &mut dyn FnMut(PlaceKind, Position) -> Moved<'a>,
) -> Profile {
    let old = &profile.symbols;
    let mut names = Names::of(old);
    // A place stays if the table of names is full.
    let mut moved = |kind, position| match find(kind, position) {
        Moved::Stays => None,
        Moved::Unknown => Some(None),
        Moved::To(place) => Some(Some((names.source(place.file)?, place))),
    };

    let mut funcs = FuncTable::default();
    for id in old.funcs.ids() {
        let mut func = old.funcs.get(id);
        if let Some(source) = func.source.filter(|_| func.line != 0)
            && let Some(Some((source, place))) =
                moved(PlaceKind::Start, Position { source, line: func.line, column: func.column })
        {
            (func.source, func.line, func.column) = (Some(source), place.line, place.column);
        }
        funcs.push(func);
        funcs.set_code(id, old.funcs.code(id));
    }

    let mut frames = FrameTable::default();
    for (id, mut frame) in (0..).map(FrameId::new).zip(profile.frames.iter()) {
        let start = old.funcs.get(frame.func);
        let own = start.source.filter(|_| frame.line != 0).map(|source| (source, frame.line));
        let Some((was, line)) = profile.frames.elsewhere(id).or(own) else {
            frames.push(frame);
            continue;
        };
        let (kind, column) = match frame.column {
            // The function starts in this line.
            0 if (start.source, start.line) == (Some(was), line) => {
                (PlaceKind::ExecutingAfter, start.column)
            }
            column => (PlaceKind::Executing, column),
        };
        let position = Position { source: was, line, column };
        let is = match moved(kind, position) {
            None => Some((was, line, frame.column)),
            Some(to) => to.map(|(source, place)| (source, place.line, place.column)),
        };
        let own = funcs.get(frame.func).source;
        (frame.line, frame.column) = match is {
            Some((source, line, column)) if own == Some(source) => (line, column),
            _ => (0, 0),
        };
        frames.push(frame);
        if let Some((source, line, _)) = is.filter(|(source, ..)| own != Some(*source)) {
            frames.put_elsewhere(source, line);
        }
    }

    let symbols = names.with(old.libs.clone(), funcs);
    Profile {
        symbols,
        frames,
        stacks: Arc::clone(&profile.stacks),
        metrics: profile.metrics.clone(),
        default_metric: profile.default_metric,
        clock: profile.clock,
        labels: Arc::clone(&profile.labels),
        threads: Arc::clone(&profile.threads),
        samples: Arc::clone(&profile.samples),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackAccess;
    use crate::{
        Code, Frame, Func, LineKnowledge, Metric, ProfileBuilder, Samples, Thread, Weights,
    };

    /// Two funcs of `out.js`, at lines 1 and 20. The first executes lines 2 and 5 (both `a.ts:7`),
    /// 21 (`b.ts`), 3 (generated), 4 (original unknown) and 1, where it starts; the second executes
    /// line 21.
    fn profile() -> Profile {
        let metric =
            Metric::new("samples", "samples", None).with_lines(LineKnowledge::SelfAndTotal);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let source = Some(builder.intern_source("/app/out.js").unwrap());
        let mut func = |name: &str, line, column| {
            let name = builder.intern_string(name).unwrap();
            builder.intern_func(Func { name, source, lib: None, line, column }).unwrap()
        };
        let (first, second, none) =
            (func("first", 1, 15), func("second", 20, 1), func("third", 0, 0));
        builder.set_code(first, Code::JavaScript).unwrap();
        let frames = [
            (first, 2),
            (first, 5),
            (first, 21),
            (first, 3),
            (first, 4),
            (second, 21),
            (second, 0),
            (none, 0),
            (first, 1),
        ];
        let stacks = frames.map(|(func, line)| {
            let frame = builder.intern_frame(Frame::new(func, line)).unwrap();
            Some(builder.intern_stack(None, frame).unwrap())
        });
        let samples = Samples::new(stacks, vec![Weights::Ones]);
        builder.push_thread(Thread::default(), samples).unwrap();
        builder.build()
    }

    fn find(kind: PlaceKind, position: Position) -> Moved<'static> {
        let to = |file, line, column| Moved::To(OriginalPlace { file, line, column });
        match (kind, position.line, position.column) {
            (PlaceKind::Start, 1, 15) => to("/app/a.ts", 6, 10),
            (PlaceKind::Executing, 2 | 5, 0) => to("/app/a.ts", 7, 0),
            (PlaceKind::Executing, 21, 0) => to("/app/b.ts", 2, 0),
            (PlaceKind::Executing, 4, 0) => Moved::Unknown,
            (PlaceKind::ExecutingAfter, 1, 15) => to("/app/a.ts", 8, 3),
            _ => Moved::Stays,
        }
    }

    #[test]
    fn funcs_move_with_their_start_and_frames_with_their_line() {
        let recording = relocate(&Recording::Stacks(profile()), find);
        let Recording::Stacks(profile) = recording else { panic!("it has stacks") };
        let symbols = profile.symbols();
        let funcs = symbols.funcs.ids().map(|id| (symbols.func_name(id), symbols.funcs.get(id)));
        let funcs: Vec<_> = funcs
            .map(|(name, f)| (name, symbols.source_name(f.source.unwrap()), f.line, f.column))
            .collect();
        assert_eq!(
            funcs,
            [
                ("first", "/app/a.ts", 6, 10),
                ("second", "/app/out.js", 20, 1),
                ("third", "/app/out.js", 0, 0)
            ]
        );

        let frames = (0..profile.frames().len() as u32).map(FrameId::new);
        let places: Vec<_> = frames
            .map(|frame| {
                profile.place(frame).map(|(source, line)| (symbols.source_name(source), line))
            })
            .collect();
        assert_eq!(
            places,
            [
                Some(("/app/a.ts", 7)),
                Some(("/app/a.ts", 7)),
                Some(("/app/b.ts", 2)),
                Some(("/app/out.js", 3)),
                None,
                Some(("/app/b.ts", 2)),
                None,
                None,
                Some(("/app/a.ts", 8)),
            ]
        );
        // The frame's own line is 0, so it cannot be mistaken for a line of its func's file.
        let lines: Vec<_> = profile.frames().iter().map(|frame| frame.line).collect();
        assert_eq!(lines, [7, 7, 0, 0, 0, 0, 0, 0, 8]);
    }

    #[test]
    fn places_in_other_files_are_not_moved_twice() {
        let once = relocate(&Recording::Stacks(profile()), find);
        let Recording::Stacks(twice) = relocate(&once, |_, _| Moved::Stays) else {
            panic!("it has stacks")
        };
        let place = |frame| {
            twice
                .place(FrameId::new(frame))
                .map(|(source, line)| (twice.symbols().source_name(source), line))
        };
        assert_eq!([place(2), place(5)], [Some(("/app/b.ts", 2)); 2]);
    }

    #[test]
    fn lines_get_files_of_their_own_and_move_with_them() {
        let old = profile();
        let source = SourceId::new(0);
        let unknown = |_, position: Position| Some(source).filter(|_| position.line != 5);
        let Recording::Stacks(new) = with_files_of_lines(&Recording::Stacks(old), unknown) else {
            panic!("it has stacks")
        };
        let lines: Vec<_> = (0..8).map(|id| Some(new.place(FrameId::new(id))?.1)).collect();
        let some = [2, 0, 21, 3, 4, 21, 0, 0].map(|line| Some(line).filter(|&line| line != 0));
        assert_eq!(lines, some);

        // Line 21 is in a file that moves as well.
        let other = relocate(&Recording::Stacks(new), |kind, position| match position.line {
            21 => Moved::To(OriginalPlace { file: "/app/lib.js", line: 21, column: 0 }),
            _ => find(kind, position),
        });
        let to = |_, position: Position| Some(SourceId::new(u32::from(position.line == 21)));
        let Recording::Stacks(new) =
            relocate(&with_files_of_lines(&other, to), |_, place| match place.line {
                21 => Moved::To(OriginalPlace { file: "/app/lib.ts", line: 9, column: 0 }),
                _ => Moved::Stays,
            })
        else {
            panic!("it has stacks")
        };
        let (source, line) = new.place(FrameId::new(2)).unwrap();
        assert_eq!((new.symbols().source_name(source), line), ("/app/lib.ts", 9));
        assert_eq!(new.frames().get(FrameId::new(2)).line, 0);
    }

    #[test]
    fn ids_names_and_samples_stay() {
        let old = profile();
        let Recording::Stacks(new) = relocate(&Recording::Stacks(old.clone()), find) else {
            panic!("it has stacks")
        };
        assert!(Arc::ptr_eq(&old.stacks, &new.stacks) && Arc::ptr_eq(&old.samples, &new.samples));
        let sources: Vec<_> =
            (0..3).map(|id| new.symbols().source_name(SourceId::new(id))).collect();
        assert_eq!(sources, ["/app/out.js", "/app/a.ts", "/app/b.ts"]);
        assert_eq!(
            [0, 1].map(|id| new.symbols().funcs.code(FuncId::new(id))),
            [Code::JavaScript, Code::Native]
        );
        // A file that the recording already names gets no second name.
        let find = |_, _| Moved::To(OriginalPlace { file: "/app/out.js", line: 1, column: 1 });
        let Recording::Stacks(new) = relocate(&Recording::Stacks(old), find) else {
            panic!("it has stacks")
        };
        assert_eq!(new.symbols().sources.len(), 1);
    }
}
