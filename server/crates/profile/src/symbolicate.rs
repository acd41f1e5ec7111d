//! Resolves addresses: each becomes a function at a line, and the functions that a compiler inlined
//! there.
//!
//! `symbols` reads the debug info; this module rebuilds the tables, by the rules of the Firefox
//! Profiler (`profile-logic/symbolication`): funcs of one library with the same name and file are
//! one; lines belong to frames; samples move to the innermost inlined frame; an address without a
//! symbol stays. In addition, a func whose declaration is known has the file and start of the
//! declaration, wherever its lines are. So it stays one func if macros bring in lines of other
//! files.

use crate::symbol_tables::Names;
use crate::{
    Call, CategoryId, Frame, FrameId, FrameTable, Func, FuncId, FuncKey, FuncTable, GraphTables,
    JitTier, Lib, LibId, LineKnowledge, Metric, OwnCost, Profile, Recording, SourceId, StackId,
    StackTable, StatedTotal, SymbolTables,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// One of the functions that contain an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file of the line, as spelled in debug info.
    pub file: Option<&'a str>,
    /// The line, 1-based; 0 if unknown. For an outer level, the line of the inlined call.
    pub line: u32,
    /// The file and line (1-based; 0 if unknown) of the function's declaration.
    pub declared: Option<(&'a str, u32)>,
    /// How a virtual machine ran it.
    pub tier: JitTier,
}

impl<'a> Level<'a> {
    /// A function that only has a name.
    pub const fn named(name: &'a str) -> Self {
        Self { name, file: None, line: 0, declared: None, tier: JitTier::Unknown }
    }
}

/// A recording with addresses resolved.
#[derive(Debug)]
pub struct Symbolicated {
    /// The recording. Only threads, metrics and libraries keep their ids.
    pub recording: Recording,
    /// The new funcs of each func that was resolved: the physical function first, then those
    /// inlined into it. By the key of the old func, because two can differ in nothing but their
    /// ids.
    pub became: FxHashMap<FuncKey, Vec<FuncId>>,
}

/// The recording with addresses in libraries ([`crate::SymbolTables::unresolved`]) replaced by the
/// levels that `find` returns, the physical function first and the innermost inlined one last. No
/// levels leave the address as it is. `None` if nothing was resolved, or if a table would have too
/// many rows.
#[must_use]
pub fn symbolicate<'a, L>(
    recording: &Recording,
    find: impl Fn(LibId, u64) -> Option<L>,
) -> Option<Symbolicated>
where
    L: IntoIterator<Item = Level<'a>>,
{
    let old = recording.symbols();
    let resolved = Resolved::new(old, find)?;
    let became = old.funcs.ids().zip(&resolved.levels);
    let became = became.filter(|(_, levels)| levels.iter().any(|(_, place)| place.is_some()));
    let became = became
        .map(|(id, levels)| (old.func_key(id), levels.iter().map(|&(func, _)| func).collect()));
    let became = became.collect();
    let recording = match recording {
        Recording::Stacks(profile) => Recording::Stacks(resolved.stacks(profile)?),
        // No profiler records both contexts and addresses.
        Recording::Graph(graph) if graph.tables.contexts.is_some() => return None,
        Recording::Graph(graph) => Recording::from(resolved.graph(&graph.tables)),
    };
    Some(Symbolicated { recording, became })
}

/// The funcs of a recording, resolved.
struct Resolved {
    funcs: Funcs,
    /// For each old func its new funcs, at least one, each with its place if it was resolved.
    levels: Vec<Vec<(FuncId, Option<Place>)>>,
}

impl Resolved {
    /// `None` if nothing was resolved, or if there are too many funcs.
    fn new<'a, L>(old: &SymbolTables, find: impl Fn(LibId, u64) -> Option<L>) -> Option<Self>
    where
        L: IntoIterator<Item = Level<'a>>,
    {
        let mut funcs = Funcs::new(old);
        let mut is_resolved = false;
        let mut all = Vec::with_capacity(old.funcs.len());
        for id in old.funcs.ids() {
            let mut levels = Vec::new();
            if let Some((lib, address)) = old.unresolved(id) {
                for level in find(lib, address).into_iter().flatten() {
                    let (func, place) = funcs.of_level(lib, level)?;
                    levels.push((func, Some(place)));
                }
            }
            is_resolved |= !levels.is_empty();
            if levels.is_empty() {
                let func = funcs.intern(old.funcs.get(id));
                funcs.table.set_code(func, old.funcs.code(id));
                levels.push((func, None));
            }
            all.push(levels);
        }
        is_resolved.then_some(Self { funcs, levels: all })
    }

    /// The metrics, which know lines if an address has one.
    fn metrics(&self, old: &[Metric]) -> Vec<Metric> {
        let has_line = |place: Place| place.line != 0 || place.elsewhere.is_some();
        let knows_lines =
            self.levels.iter().flatten().any(|&(_, place)| place.is_some_and(has_line));
        let metrics = old.iter().cloned().map(|metric| match metric.lines {
            LineKnowledge::Nothing if knows_lines => metric.with_lines(LineKnowledge::SelfAndTotal),
            _ => metric,
        });
        metrics.collect()
    }

    /// `None` if there are too many stacks.
    fn stacks(self, profile: &Profile) -> Option<Profile> {
        let n_frames = |id: StackId| {
            self.levels[profile.frames.get(profile.stacks.frame(id)).func.index()].len()
        };
        if profile.stacks.ids().map(n_frames).sum::<usize>() >= crate::ids::NONE as usize {
            return None;
        }
        let mut frames = Frames::default();
        let new_frames: Vec<Vec<FrameId>> = profile
            .frames
            .iter()
            .map(|old| {
                let level = |(depth, &(func, place)): (usize, &(FuncId, Option<Place>))| match place
                {
                    Some(Place { line, elsewhere, tier }) => frames.intern(
                        Frame { inlined: depth > 0 || old.inlined, tier, ..Frame::new(func, line) },
                        elsewhere,
                    ),
                    None => frames.intern(Frame { func, ..old }, None),
                };
                self.levels[old.func.index()].iter().enumerate().map(level).collect()
            })
            .collect();
        let (stacks, new_stacks) = expand(&profile.stacks, &new_frames);
        let moved = |stack: StackId| new_stacks[stack.index()];
        let samples = profile.samples.iter();
        let samples = samples
            .map(|samples| samples.at_stacks(samples.stacks().map(|stack| stack.map(moved))));
        Some(Profile {
            metrics: self.metrics(&profile.metrics),
            symbols: self.funcs.finish(profile.symbols.libs.clone()),
            frames: frames.table,
            stacks: stacks.into(),
            default_metric: profile.default_metric,
            clock: profile.clock,
            labels: Arc::clone(&profile.labels),
            threads: Arc::clone(&profile.threads),
            samples: samples.collect(),
        })
    }

    /// Self costs and calls are those of the innermost function at an address. What is called, or has a
    /// total, is the physical one.
    fn graph(self, graph: &GraphTables) -> GraphTables {
        let physical = |func: FuncId| self.levels[func.index()][0].0;
        let inner = graph.inner.iter().map(|&func| physical(func)).collect();
        let own = graph.own.iter().map(|own| {
            let (func, source, line) = self.innermost(own.func, own.source, own.line);
            OwnCost { func, source, line, weights: own.weights.clone() }
        });
        let calls = graph.calls.iter().map(|call| {
            let (caller, source, line) = self.innermost(call.caller, call.source, call.line);
            Call { caller, source, line, callee: physical(call.callee), ..call.clone() }
        });
        let totals = graph.totals.iter();
        let totals = totals.map(|it| StatedTotal { func: physical(it.func), ..it.clone() });
        GraphTables {
            metrics: self.metrics(&graph.metrics),
            own: own.collect(),
            calls: calls.collect(),
            totals: totals.collect(),
            inner,
            threads: graph.threads.clone(),
            rows: graph.rows.clone(),
            contexts: None,
            symbols: self.funcs.finish(graph.symbols.libs.clone()),
        }
    }

    /// The innermost function at an address, with the file, if it is another one than that of the function, and
    /// the line.
    fn innermost(
        &self,
        func: FuncId,
        source: Option<SourceId>,
        line: u32,
    ) -> (FuncId, Option<SourceId>, u32) {
        match self.levels[func.index()][..] {
            [.., (func, Some(Place { elsewhere: Some((source, line)), .. }))] => {
                (func, Some(source), line)
            }
            [.., (func, Some(place))] => (func, None, place.line),
            [.., (func, None)] => (func, source, line),
            [] => (func, source, line),
        }
    }
}

/// Replaces each frame of the stacks by its new ones, outermost first, and returns the new
/// innermost stack of each old one. Equal stacks are merged if they have the same category, so idle
/// stacks stay separate.
fn expand(old: &StackTable, new_frames: &[Vec<FrameId>]) -> (StackTable, Vec<StackId>) {
    let mut stacks = old.without_rows();
    let mut known: FxHashMap<(Option<StackId>, FrameId, CategoryId), StackId> =
        FxHashMap::default();
    let mut innermost: Vec<StackId> = Vec::with_capacity(old.len());
    for id in old.ids() {
        let mut stack = old.prefix(id).map(|prefix| innermost[prefix.index()]);
        let category = old.category(id);
        for &frame in &new_frames[old.frame(id).index()] {
            let new = known
                .entry((stack, frame, category))
                .or_insert_with(|| stacks.push_in(category, stack, frame));
            stack = Some(*new);
        }
        // Every frame has at least one level.
        innermost.extend(stack);
    }
    (stacks, innermost)
}

/// Frames without duplicates.
#[derive(Default)]
pub(crate) struct Frames {
    pub(crate) table: FrameTable,
    known: FxHashMap<(Frame, Option<(SourceId, u32)>), FrameId>,
}

impl Frames {
    /// Starts with those of a recording.
    pub(crate) fn of(table: &FrameTable) -> Self {
        let ids = (0..table.len() as u32).map(FrameId::new);
        Self {
            table: table.clone(),
            known: ids.map(|id| ((table.get(id), table.elsewhere(id)), id)).collect(),
        }
    }

    pub(crate) fn intern(&mut self, frame: Frame, elsewhere: Option<(SourceId, u32)>) -> FrameId {
        *self.known.entry((frame, elsewhere)).or_insert_with(|| {
            self.table.push(frame);
            if let Some((source, line)) = elsewhere {
                self.table.put_elsewhere(source, line);
            }
            FrameId::new(self.table.len() as u32 - 1)
        })
    }
}

/// The line of a level, in the file of its func or in a different file.
#[derive(Clone, Copy)]
struct Place {
    line: u32,
    elsewhere: Option<(SourceId, u32)>,
    tier: JitTier,
}

/// Funcs without duplicates, and their names.
pub(crate) struct Funcs {
    pub(crate) names: Names,
    table: FuncTable,
    known: FxHashMap<Func, FuncId>,
}

impl Funcs {
    /// Starts with the names of a recording and no funcs.
    fn new(symbols: &SymbolTables) -> Self {
        Self { names: Names::of(symbols), table: FuncTable::default(), known: FxHashMap::default() }
    }

    /// Starts with those of a recording.
    pub(crate) fn of(symbols: &SymbolTables) -> Self {
        let known = symbols.funcs.ids().map(|id| (symbols.funcs.get(id), id)).collect();
        Self { table: symbols.funcs.clone(), known, ..Self::new(symbols) }
    }

    pub(crate) fn finish(self, libs: Vec<Lib>) -> SymbolTables {
        self.names.with(libs, self.table)
    }

    /// The func of a level, and the place of the level. Levels of one library with the same name
    /// and declaration (or file, if there is no declaration) are one func. `None` if there are too
    /// many.
    fn of_level(&mut self, lib: LibId, level: Level<'_>) -> Option<(FuncId, Place)> {
        let name = self.names.string(level.name)?;
        let file = match level.file {
            Some(file) => Some(self.names.source(file)?),
            None => None,
        };
        let (source, start) = match level.declared {
            Some((file, line)) => (Some(self.names.source(file)?), line),
            None => (file, 0),
        };
        let func = self.intern(Func { name, source, lib: Some(lib), line: start, column: 0 });
        let elsewhere =
            file.filter(|_| file != source && level.line != 0).map(|file| (file, level.line));
        let line = if file.is_some() && file == source { level.line } else { 0 };
        Some((func, Place { line, elsewhere, tier: level.tier }))
    }

    pub(crate) fn intern(&mut self, func: Func) -> FuncId {
        *self.known.entry(func).or_insert_with(|| {
            self.table.push(func);
            FuncId::new(self.table.len() as u32 - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackAccess;
    use crate::{Code, Samples, text_samples};

    /// The Firefox Profiler's example of inlining, in one library: two instructions of `run` at
    /// line 4 with two inlined levels and with one, another call, and the function itself.
    const ADDRESSES: &str = "
        0x10[lib:app]  0x20[lib:app]  0x30[lib:app]  0x40[lib:app]
                                      0x90[lib:app]
    ";

    fn find(lib: LibId, address: u64) -> Option<Vec<Level<'static>>> {
        assert_eq!(lib, LibId::new(0));
        let at = |name, file, line| Level { file: Some(file), line, ..Level::named(name) };
        let (run, fold) = (|line| at("run", "run.rs", line), |line| at("fold", "iter.rs", line));
        Some(match address {
            0x10 => vec![run(4), fold(90), at("step", "run.rs", 12)],
            0x20 => vec![run(4), fold(92)],
            0x30 => vec![run(6)],
            0x40 => vec![run(0)],
            0x90 => vec![at("step", "run.rs", 12)],
            _ => return None,
        })
    }

    fn resolve<L: IntoIterator<Item = Level<'static>>>(
        profile: Profile,
        find: impl Fn(LibId, u64) -> Option<L>,
    ) -> (Profile, FxHashMap<FuncKey, Vec<FuncId>>) {
        let Symbolicated { recording, became } = symbolicate(&profile.into(), find).unwrap();
        (recording.sampled().unwrap().clone(), became)
    }

    /// The samples, each as `caller:line>callee:line~`; `~` marks inlined frames.
    fn samples(profile: &Profile) -> Vec<String> {
        let samples = profile.samples().iter().flat_map(Samples::stacks);
        let text = samples.map(|mut next| {
            let mut frames = Vec::new();
            while let Some(stack) = next {
                let Frame { func, line, inlined, .. } =
                    profile.frames().get(profile.stacks().frame(stack));
                frames.push(format!(
                    "{}:{line}{}",
                    profile.symbols().func_name(func),
                    if inlined { "~" } else { "" }
                ));
                next = profile.stacks().prefix(stack);
            }
            frames.reverse();
            frames.join(">")
        });
        text.collect()
    }

    #[test]
    fn an_address_becomes_all_functions_that_contain_it() {
        let (profile, became) = resolve(text_samples::profile(ADDRESSES), find);
        assert_eq!(
            samples(&profile),
            ["run:4>fold:90~>step:12~", "run:4>fold:92~", "run:6>step:12", "run:0"]
        );
        // One func per name and file: the inlined and the called `step` are one.
        let symbols = profile.symbols();
        let funcs: Vec<_> = symbols.funcs.ids().map(|id| symbols.func_name(id)).collect();
        assert_eq!(funcs, ["run", "fold", "step"]);
        let names = |address: &str| {
            let key = FuncKey::new(address, None, Some("app"));
            became[&key].iter().map(|&func| symbols.func_name(func)).collect::<Vec<_>>()
        };
        assert_eq!((names("0x10"), names("0x90")), (vec!["run", "fold", "step"], vec!["step"]));
        // `run:4` is one frame and one stack for both instructions.
        assert_eq!((profile.frames().len(), profile.stacks().len()), (7, 7));
    }

    #[test]
    fn a_func_with_a_declaration_can_have_lines_in_several_files() {
        let profile = text_samples::profile("0x1[lib:app] 0x2[lib:app] 0x3[lib:app]");
        let level = |file, line, declared| Level {
            file: Some(file),
            line,
            declared,
            ..Level::named("show")
        };
        let find = |_, address| {
            Some([match address {
                1 => level("main.rs", 8, Some(("main.rs", 7))),
                2 => level("macros.rs", 99, Some(("main.rs", 7))),
                // Another function with that name.
                _ => level("main.rs", 31, Some(("main.rs", 30))),
            }])
        };
        let (profile, _) = resolve(profile, find);
        let symbols = profile.symbols();
        let funcs: Vec<_> = symbols
            .funcs
            .ids()
            .map(|id| (symbols.func_name(id), symbols.funcs.get(id).line))
            .collect();
        assert_eq!(funcs, [("show", 7), ("show", 30)]);
        let places = profile.samples()[0].stacks().flatten().map(|stack| {
            let frame = profile.stacks().frame(stack);
            let (source, line) = profile.place(frame).unwrap();
            (profile.frames().get(frame).func.index(), symbols.source_name(source), line)
        });
        assert_eq!(
            places.collect::<Vec<_>>(),
            [(0, "main.rs", 8), (0, "macros.rs", 99), (1, "main.rs", 31)]
        );
    }

    #[test]
    fn an_address_without_a_symbol_stays() {
        let profile = text_samples::profile(
            "main@3[file:a.c] 0x50[lib:app] 0x60
0x10[lib:app]",
        );
        let (profile, became) = resolve(profile, find);
        assert_eq!(samples(&profile), ["main:3>run:4>fold:90~>step:12~", "0x50:0", "0x60:0"]);
        assert_eq!(became.len(), 1);
        let unknown = text_samples::profile("main@3[file:a.c] 0x50[lib:app] 0x60");
        assert!(symbolicate(&unknown.into(), find).is_none());
    }

    #[test]
    fn an_address_with_a_line_keeps_it_unless_it_is_resolved() {
        let profile =
            text_samples::profile("0x30@6[file:run.rs][lib:app] 0x50@8[file:a.c][lib:app]");
        let (profile, _) = resolve(profile, find);
        assert_eq!(samples(&profile), ["run:6", "0x50:8"]);
    }

    #[test]
    fn an_inlined_address_stays_inlined() {
        let profile = text_samples::profile("main\n0x30[lib:app][inl]");
        assert_eq!(samples(&resolve(profile, find).0), ["main:0>run:6~"]);
    }

    #[test]
    fn lines_are_known_once_there_is_one_in_any_file() {
        let mut profile = text_samples::profile("0x1[lib:app]");
        let nothing = profile.metrics[0].clone().with_lines(LineKnowledge::Nothing);
        profile.metrics = vec![nothing];
        let knows = |level: Level<'static>| {
            let (profile, _) = resolve(profile.clone(), |_, _| Some([level]));
            profile.metrics()[0].lines
        };
        let show = Level { file: Some("main.rs"), ..Level::named("show") };
        assert_eq!(knows(show), LineKnowledge::Nothing);
        assert_eq!(knows(Level { line: 8, ..show }), LineKnowledge::SelfAndTotal);
        // Of a macro in another file than the function.
        let of_macro = Level { line: 99, declared: Some(("lib.rs", 7)), ..show };
        assert_eq!(knows(of_macro), LineKnowledge::SelfAndTotal);
    }

    #[test]
    fn code_and_categories_stay() {
        let profile = text_samples::profile(
            "
            main[js]                  main
            0x10[lib:app][cat:Native] other[label]
            ",
        );
        let (profile, _) = resolve(profile, find);
        let (funcs, stacks) = (&profile.symbols().funcs, profile.stacks());
        let codes = funcs.ids().map(|id| (profile.symbols().func_name(id), funcs.code(id)));
        let native = |name| (name, Code::Native);
        let codes: Vec<_> = codes.collect();
        assert_eq!(
            codes,
            [
                ("main", Code::JavaScript),
                native("run"),
                native("fold"),
                native("step"),
                ("other", Code::Label)
            ]
        );
        // All levels of an address have its category.
        let categories: Vec<_> =
            stacks.ids().map(|id| stacks.category_name(stacks.category(id))).collect();
        assert_eq!(categories, ["Other", "Native", "Native", "Native", "Other"]);
    }

    #[test]
    fn idle_stacks_stay_idle_and_apart() {
        let profile = text_samples::profile("0x10[lib:app][idle] 0x11[lib:app]");
        let find = |_, _| find(LibId::new(0), 0x10);
        let (profile, _) = resolve(profile, find);
        assert_eq!(samples(&profile), ["run:4>fold:90~>step:12~"; 2]);
        let stacks: Vec<_> = profile.samples()[0]
            .stacks()
            .flatten()
            .map(|stack| profile.stacks().is_idle(stack))
            .collect();
        assert_eq!(stacks, [true, false]);
    }

    #[test]
    fn in_a_graph_an_address_costs_the_innermost_function_and_calls_the_physical_one() {
        let symbols = text_samples::profile(ADDRESSES).into_symbols();
        let [first, second, step] = [0, 1, 3].map(FuncId::new);
        let weights = |weight: f64| crate::RowWeights::from_slice(&[weight]);
        let own = |func, weight| OwnCost { func, source: None, line: 0, weights: weights(weight) };
        let total = StatedTotal {
            func: first,
            source: None,
            line: 0,
            totals: vec![crate::Total::Unknown],
            calls: Some(7),
        };
        let call = Call {
            caller: second,
            source: None,
            line: 0,
            callee: first,
            count: 7,
            weights: weights(0.0),
            nested: false,
        };
        let recording = Recording::from(GraphTables {
            symbols,
            metrics: vec![Metric::new("time", "samples", None)],
            own: vec![own(first, 5.0), own(second, 3.0), own(step, 2.0)],
            calls: vec![call],
            totals: vec![total],
            ..GraphTables::default()
        });
        let Symbolicated { recording, .. } = symbolicate(&recording, find).unwrap();
        let graph = &recording.summed().unwrap().tables;
        let name = |func| graph.symbols.func_name(func);
        let own = graph.own.iter().map(|own| (name(own.func), own.line, own.weights[0]));
        let expected = [("step", 12, 5.0), ("fold", 92, 3.0), ("step", 12, 2.0)];
        assert_eq!(own.collect::<Vec<_>>(), expected);
        let total = &graph.totals[0];
        assert_eq!((name(total.func), total.calls), ("run", Some(7)));
        let Call { caller, line, callee, .. } = graph.calls[0];
        assert_eq!((name(caller), line, name(callee)), ("fold", 92, "run"));
    }
}
