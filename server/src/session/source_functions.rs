//! Which funcs of a recording are one function of the text: all that belong to one definition, by where they begin or what they
//! execute, and by name. A func that cannot be told with certainty stays alone.
//!
//! Comprehensions and blocks, which some profilers tell as functions of their own, are part of the function whose text they are
//! in; so a line of it counts the same whether an interpreter inlines them or not. Call graphs keep them apart: there the cost
//! of a call that leads back to its caller has no exact sum.

use crate::session::definitions::{FileDefinitions, ParsedFiles};
use crate::session::snapshot::Stamp;
use crate::session::spoken::Spoken;
use profile::{FileId, Func, FuncId, FunctionId, Groups, Recording, SymbolTables};
use rustc_hash::FxHashMap;
use sources::{Definition, FunctionKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symbols::collapse_generics;

/// By [`FileId`]; `None` where the recorded text is not known.
type Definitions = [Option<Arc<FileDefinitions>>];

/// Heads of functions are shorter than this in texts of people, decorators included.
const MAX_HEAD: u32 = 200;

/// A definition: its file, and its number there.
type DefinitionId = (FileId, usize);

/// Unites the funcs of each function of the text, as far as it is known: the files of `groups` lie at `paths`, and `profile` tells
/// when they ran.
pub fn unite(
    recording: &Recording,
    groups: Groups,
    paths: &[Option<PathBuf>],
    files: &ParsedFiles,
    profile: &Stamp,
) -> (Groups, FxHashMap<FunctionId, SourceFunction>) {
    let symbols = recording.symbols();
    let mut has_funcs = vec![false; groups.n_files()];
    for source in symbols.funcs.ids().filter_map(|id| symbols.funcs.get(id).source) {
        has_funcs[groups.file(source).index()] = true;
    }
    let wanted: Vec<(usize, &Path)> = (0..)
        .zip(paths)
        .filter_map(|(file, path): (usize, _)| Some((file, path.as_deref()?)))
        .filter(|&(file, _)| has_funcs[file])
        .collect();
    let known = files.recorded(&wanted.iter().map(|&(_, path)| path).collect::<Vec<_>>(), profile);
    let mut definitions = vec![None; groups.n_files()];
    for ((file, _), known) in wanted.into_iter().zip(known) {
        definitions[file] = known;
    }
    let found = definitions_of(recording, &groups, &definitions);
    let groups = groups.with_functions(symbols, |func| found[func.index()]);
    let functions = source_functions(symbols, &groups, &definitions, &found);
    (groups, functions)
}

/// The definition of each func, where one is known. `groups` unites what the recording tells as one function.
fn definitions_of(recording: &Recording, groups: &Groups, definitions: &Definitions) -> Vec<Option<DefinitionId>> {
    let symbols = recording.symbols();
    let mut found: Vec<Option<DefinitionId>> = vec![None; groups.n_functions()];
    if definitions.iter().any(Option::is_some) {
        let files: Vec<_> = definitions.iter().map(|file| file.as_deref().map(File::new)).collect();
        let written_in = |function: FunctionId| {
            let source = symbols.funcs.get(groups.first_func(function)).source?;
            Some(groups.file(source)).filter(|file| files.get(file.index()).is_some_and(Option::is_some))
        };
        let executed = executed(recording, groups, |function| written_in(function).is_some());
        for function in groups.functions() {
            let Some(file) = written_in(function) else { continue };
            let func = symbols.funcs.get(groups.first_func(function));
            let spoken = Spoken::of(symbols.strings.get(func.name));
            if spoken.piece && recording.summed().is_some() {
                continue;
            }
            let lines = executed.get(&function).map(Vec::as_slice).unwrap_or_default();
            found[function.index()] = definition_of(func, file, &spoken, &files, lines);
        }
        join_parts(symbols, groups, &mut found);
    }
    symbols.funcs.ids().map(|func| found[groups.function(func).index()]).collect()
}

/// The definition of one function, which is written in `file` and executes `lines`.
fn definition_of(func: Func, file: FileId, spoken: &Spoken, files: &[Option<File>], lines: &[Place]) -> Option<DefinitionId> {
    let text = files.get(file.index())?.as_ref()?;
    let own = lines.partition_point(|place| place.0 < file)..lines.partition_point(|place| place.0 <= file);
    let mut own: Vec<u32> = lines[own].iter().map(|place| place.1).collect();
    let start0 = func.line.checked_sub(1);
    let at = match start0 {
        Some(line0) if !spoken.piece => text.that_starts_at(spoken, line0, func.column),
        _ => {
            own.extend(start0);
            text.that_holds(spoken, &own).or_else(|| text.only(spoken, &own))
        }
    };
    let at = at.or_else(|| text.body(spoken, &own));
    if at.is_some() || start0.is_some() || text.has(spoken) {
        return at.map(|at| (file, at));
    }
    // Profilers that know no inlining take the first code of a function for its own, which may be inlined from another file.
    let mut elsewhere = lines.chunk_by(|a, b| a.0 == b.0).filter_map(|lines| {
        let file = lines.first()?.0;
        let lines: Vec<u32> = lines.iter().map(|place| place.1).collect();
        Some((file, files.get(file.index())?.as_ref()?.only(spoken, &lines)?))
    });
    elsewhere.next().filter(|_| elsewhere.next().is_none())
}

/// Functions of a native library that are another one's lines in other files (macros), where the profiler told files apart: they
/// have its full name. Only full names that begin with a crate or type are certain to be of one function.
fn join_parts(symbols: &SymbolTables, groups: &Groups, found: &mut [Option<DefinitionId>]) {
    let key = |function: FunctionId| {
        let Func { name, lib, .. } = symbols.funcs.get(groups.first_func(function));
        Some((name, lib?))
    };
    let is_full = |name: &str| name.contains("::") && Spoken::of(name).name.is_some();
    // `None` where several definitions have one name.
    let mut known: FxHashMap<_, Option<DefinitionId>> = FxHashMap::default();
    for (function, &definition) in groups.functions().zip(found.iter()) {
        let Some((definition, key)) = definition.and_then(|definition| Some((definition, key(function)?))) else { continue };
        if is_full(symbols.strings.get(key.0)) {
            let same = known.entry(key).or_insert(Some(definition));
            *same = same.filter(|same| *same == definition);
        }
    }
    let is_part = |function: &FunctionId| symbols.funcs.get(groups.first_func(*function)).line == 0;
    for function in groups.functions().filter(is_part) {
        if found[function.index()].is_none() {
            found[function.index()] = key(function).and_then(|key| known.get(&key).copied().flatten());
        }
    }
}

/// A file and a line of it (0-based).
type Place = (FileId, u32);

/// The places that each function executes, sorted.
fn executed(recording: &Recording, groups: &Groups, is_wanted: impl Fn(FunctionId) -> bool) -> FxHashMap<FunctionId, Vec<Place>> {
    let mut places: FxHashMap<FunctionId, Vec<Place>> = FxHashMap::default();
    recording.each_place(|func, source, line| {
        let function = groups.function(func);
        if is_wanted(function) {
            places.entry(function).or_default().push((groups.file(source), line - 1));
        }
    });
    for places in places.values_mut() {
        places.sort_unstable();
        places.dedup();
    }
    places
}

/// One text, to look definitions up in.
struct File<'a> {
    definitions: &'a FileDefinitions,
    /// The definitions whose heads are on a line (0-based).
    heads: FxHashMap<u32, Vec<usize>>,
}

impl<'a> File<'a> {
    fn new(definitions: &'a FileDefinitions) -> Self {
        let mut heads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, (definition, &start)) in definitions.all.iter().zip(&definitions.starts).enumerate() {
            let name = definition.name_line0;
            for line0 in start.min(name)..=start.max(name).min(start.min(name) + MAX_HEAD) {
                heads.entry(line0).or_default().push(at);
            }
        }
        Self { definitions, heads }
    }

    fn get(&self, at: usize) -> &Definition {
        &self.definitions.all[at]
    }

    fn agrees(&self, spoken: &Spoken, at: usize) -> bool {
        spoken.agrees(self.get(at), self.definitions.around(at))
    }

    /// The definition that begins at a line and column (0 = unknown). Where names do not decide, columns do: several functions
    /// may begin on a line, and on the first line of a script the script itself.
    fn that_starts_at(&self, spoken: &Spoken, line0: u32, column: u32) -> Option<usize> {
        let heads = self.heads.get(&line0)?;
        let agreeing: Vec<usize> = heads.iter().copied().filter(|&at| self.agrees(spoken, at)).collect();
        if let [only] = agreeing[..]
            && (column == 0 || spoken.name.is_some())
        {
            return Some(only);
        }
        let place = (line0, column.checked_sub(1)?);
        let holds = |at: &usize| {
            let [from, to] = self.definitions.spans[*at];
            from <= place && place < to
        };
        let innermost = heads.iter().copied().rfind(holds)?;
        (agreeing.contains(&innermost) || self.get(innermost).name.is_empty()).then_some(innermost)
    }

    /// The innermost definition of that name that holds all of some lines. Its first and last lines may be others' too: they do
    /// not tell it from one around it.
    fn that_holds(&self, spoken: &Spoken, lines: &[u32]) -> Option<usize> {
        let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
        let holding: Vec<usize> = self.holding(first, last).filter(|&at| self.agrees(spoken, at)).collect();
        let (&innermost, others) = holding.split_last()?;
        let is_around = |other: &usize| {
            let (inner, outer) = (self.get(innermost), self.get(*other));
            outer.bytes.start <= inner.bytes.start && inner.bytes.end <= outer.bytes.end
        };
        (others.is_empty() || others.iter().all(is_around) && self.is_within(innermost, lines)).then_some(innermost)
    }

    /// The only definition of that name in the text, if it holds some of the lines: others may be inlined code that the profiler
    /// does not know to be.
    fn only(&self, spoken: &Spoken, lines: &[u32]) -> Option<usize> {
        spoken.name.as_ref()?;
        let mut agreeing = (0..self.definitions.all.len()).filter(|&at| self.agrees(spoken, at));
        let only = agreeing.next().filter(|_| agreeing.next().is_none())?;
        (self.get(only).kind == FunctionKind::Function && self.is_within(only, lines)).then_some(only)
    }

    /// Whether any definition has that name.
    fn has(&self, spoken: &Spoken) -> bool {
        (0..self.definitions.all.len()).any(|at| self.agrees(spoken, at))
    }

    /// Whether one of the lines is a definition's and not also that of what is around it.
    fn is_within(&self, at: usize, lines: &[u32]) -> bool {
        let definition = &self.get(at).lines;
        lines.iter().any(|line0| definition.start() < line0 && line0 < definition.end())
    }

    /// The function whose body is compiled as a closure that the text does not show: that of an `async fn`.
    fn body(&self, spoken: &Spoken, lines: &[u32]) -> Option<usize> {
        let outer = spoken.outer.clone().filter(|_| spoken.closure && spoken.name.is_none())?;
        let is_closure = |at: usize| self.get(at).kind == FunctionKind::Closure;
        if lines.iter().any(|&line0| self.holding(line0, line0).any(is_closure)) {
            return None;
        }
        self.that_holds(&Spoken { name: Some(outer), ..Spoken::default() }, lines)
    }

    /// The definitions that, with their attributes, hold all lines from `first` to `last`, outer before inner.
    fn holding(&self, first: u32, last: u32) -> impl Iterator<Item = usize> {
        let n_before = self.definitions.starts.partition_point(|&start| start <= first);
        (0..n_before).filter(move |&at| *self.get(at).lines.end() >= last)
    }
}

/// What is shown of a function of the text.
#[derive(Debug)]
pub struct SourceFunction {
    /// The file it is defined in.
    pub file: FileId,
    /// The func that stands for it where one is asked for: the first in that file that is no piece of it.
    pub func: FuncId,
    /// What it is called, where its funcs do not agree.
    pub name: Option<String>,
    text: Arc<FileDefinitions>,
    at: usize,
}

impl SourceFunction {
    /// Where and how it is written, in the recorded text.
    pub fn definition(&self) -> &Definition {
        &self.text.all[self.at]
    }

    /// Whether it is the innermost function with a name that a line (0-based) of the recorded text is in.
    pub fn holds(&self, line0: u32) -> bool {
        let is_in = |definition: &Definition| definition.lines.contains(&line0) && !definition.name.is_empty();
        self.definition().lines.contains(&line0) && self.text.all.iter().rposition(is_in) == Some(self.at)
    }

    /// The column that it begins at, 0-based, in UTF-16.
    pub fn column(&self) -> u32 {
        self.text.spans[self.at][0].1
    }
}

/// The functions of `groups` that are functions of the text.
fn source_functions(
    symbols: &SymbolTables,
    groups: &Groups,
    definitions: &Definitions,
    found: &[Option<DefinitionId>],
) -> FxHashMap<FunctionId, SourceFunction> {
    let mut members: FxHashMap<FunctionId, (DefinitionId, Vec<FuncId>)> = FxHashMap::default();
    for (id, definition) in symbols.funcs.ids().zip(found) {
        let Some(definition) = *definition else { continue };
        members.entry(groups.function(id)).or_insert_with(|| (definition, Vec::new())).1.push(id);
    }
    let shown = members.into_iter().filter_map(|(function, ((file, at), funcs))| {
        let text = definitions.get(file.index())?.clone()?;
        let name_of = |id: &FuncId| symbols.strings.get(symbols.funcs.get(*id).name);
        let is_closure = text.all.get(at)?.kind == FunctionKind::Closure;
        let is_whole = |id: &&FuncId| {
            let Spoken { name, closure, .. } = Spoken::of(name_of(id));
            name.is_some() || closure && is_closure
        };
        let is_here = |id: &&FuncId| symbols.funcs.get(**id).source.is_some_and(|source| groups.file(source) == file);
        let here = funcs.iter().filter(is_here);
        let func = *here.clone().find(is_whole).or_else(|| here.clone().next()).or(funcs.first())?;
        let mut names = funcs.iter().filter(is_whole).map(name_of);
        let name = match names.next() {
            Some(first) if names.clone().all(|name| name == first) => (name_of(&func) != first).then(|| first.to_owned()),
            Some(first) if names.all(|name| collapse_generics(name) == collapse_generics(first)) => {
                Some(collapse_generics(first).into_owned())
            }
            _ => Some(text.all.get(at)?.name.clone()),
        };
        Some((function, SourceFunction { file, func, name, text, at }))
    });
    shown.collect()
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use profile::{Frame, Lib, Metric, ProfileBuilder, SourceId, text_samples};

    /// The functions that several funcs or one of them with a definition are: what they are called, the definition's line
    /// (0-based), and their funcs.
    fn told(files: &[(&str, &str)], samples: &str) -> Vec<String> {
        told_of(files, &text_samples::profile(samples).into())
    }

    fn told_of(files: &[(&str, &str)], recording: &Recording) -> Vec<String> {
        let symbols = recording.symbols();
        let groups = Groups::identity(symbols);
        let names = (0..symbols.sources.len() as u32).map(|source| symbols.source_name(SourceId::new(source)));
        let definitions: Vec<_> = names
            .map(|name| {
                let (_, text) = files.iter().find(|(file, _)| *file == name)?;
                FileDefinitions::of_text(Path::new(name), (*text).to_owned()).map(Arc::new)
            })
            .collect();
        let found = definitions_of(recording, &groups, &definitions);
        let groups = groups.with_functions(symbols, |func| found[func.index()]);
        let known = source_functions(symbols, &groups, &definitions, &found);
        let function = |function| {
            let funcs: Vec<_> = symbols.funcs.ids().filter(|func| groups.function(*func) == function).collect();
            let names: Vec<_> = funcs.iter().map(|func| symbols.func_name(*func)).collect();
            let text = known.get(&function).map_or("?".to_owned(), |this| {
                let name = this.name.as_deref().unwrap_or_else(|| symbols.func_name(this.func));
                format!("{name}:{}", this.definition().name_line0)
            });
            format!("{text} = {}", names.join(", "))
        };
        groups.functions().map(function).collect()
    }

    const RUST: &str = "\
fn sum<T>(xs: &[T]) -> T {
    xs.iter().map(|x| {
        x.clone()
    }).fold(zero(), |a, b| a + b)
}
impl Clone for B {
    fn clone(&self) -> B {
        B
    }
}
async fn fetch() {
    get().await;
}
";

    #[test]
    fn instances_of_one_definition_are_one_function() {
        let told = told(
            &[("a.rs", RUST)],
            "
            sum<u8>@2[file:a.rs]  sum<f64>@4[file:a.rs]  app::sum::{{closure}}@3[file:a.rs]  next@9[file:lib.rs]
            ",
        );
        let expected = ["sum<…>:0 = sum<u8>, sum<f64>", "app::sum::{{closure}}:1 = app::sum::{{closure}}", "? = next"];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_not_certain_stays_alone() {
        let told = told(
            &[("a.rs", RUST)],
            // Lines of two closures under one name; a derived `clone`; a closure of another function; a name that does not agree.
            "
            sum::{{closure}}@3[file:a.rs]  A::clone@11[file:a.rs]  other::{{closure}}@3[file:a.rs]  prod@2[file:a.rs]
            sum::{{closure}}@8
            ",
        );
        assert!(told.len() == 4 && told.iter().all(|function| function.starts_with("? = ")), "{told:?}");
    }

    #[test]
    fn the_body_of_an_async_function_is_a_closure_that_nobody_wrote() {
        let told = told(&[("a.rs", RUST)], "app::fetch::{{closure}}@12[file:a.rs]  app::fetch@11[file:a.rs]");
        assert_eq!(told, ["app::fetch:10 = app::fetch::{{closure}}, app::fetch"]);
    }

    #[test]
    fn a_start_line_is_at_the_head_of_its_definition() {
        let python = "\
@cache
@trace
def area(box):
    return [edge(e) for e in box]

def edge(e): return lambda: e
";
        let told = told(
            &[("a.py", python)],
            "
            area@4[file:a.py][start:1]  edge@6[file:a.py][start:6]  <lambda>@6[file:a.py][start:6]  other@4[file:a.py][start:3]
            <listcomp>@4[file:a.py][start:4]
            ",
        );
        let expected = ["area:2 = area, <listcomp>", "edge:5 = edge", "<lambda>:5 = <lambda>", "? = other"];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_function_may_hold_code_of_others_and_of_other_files() {
        let c = "\
static int twice(int x) {
    return x + x;
}
int run(int x) {
    return
        twice(x);
}
";
        // `run` with lines of `twice`, which the profiler did not know to be inlined; `main` only has such lines.
        let own = told(&[("a.c", c)], "run@2[file:a.c]  run@5  main@2[file:a.c]");
        assert_eq!(own, ["run:3 = run", "? = main"]);
    }

    #[test]
    fn lines_of_macros_belong_to_the_function_that_has_their_name() {
        // The same names in other files: the text form of profiles has one file per name.
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let mut add = |name: &str, file: &str, line| {
            let name = builder.intern_string(name).unwrap();
            let source = Some(builder.intern_source(file).unwrap());
            let lib = Some(builder.intern_lib(Lib { name: "app".to_owned(), ..Lib::default() }).unwrap());
            let func = builder.intern_func(Func { name, source, lib, line: 0, column: 0 }).unwrap();
            builder.intern_frame(Frame { func, line, column: 0, inlined: false }).unwrap();
        };
        add("app::run", "a.rs", 2);
        add("app::run", "macros.rs", 900);
        add("run", "b.rs", 2);
        add("run", "macros.rs", 901);
        let text = "fn run() {\n    log!();\n}\n";
        let told = told_of(&[("a.rs", text), ("b.rs", text)], &builder.build().into());
        assert_eq!(told, ["app::run:0 = app::run, app::run", "run:0 = run", "? = run"]);
    }

    #[test]
    fn functions_on_one_line_are_told_by_columns_or_not_at_all() {
        let file = FileDefinitions::of_text(Path::new("a.js"), "f(x => x + 1, y => g(z => z));\n".to_owned()).unwrap();
        let file = File::new(&file);
        let at = |column| file.that_starts_at(&Spoken::of("(anonymous)"), 0, column);
        // 0-based columns 2, 14 and 21.
        assert_eq!([at(3), at(15), at(22)], [Some(0), Some(1), Some(2)]);
        assert_eq!([at(0), at(1)], [None, None]);
        // The script, not the only function on its first line.
        let script = FileDefinitions::of_text(Path::new("a.js"), "export default () => 1;\n".to_owned()).unwrap();
        let script = File::new(&script);
        let at = |column| script.that_starts_at(&Spoken::of("(anonymous)"), 0, column);
        assert_eq!([at(1), at(16)], [None, Some(0)]);
        assert_eq!(file.that_starts_at(&Spoken::of("named"), 0, 22), Some(2));
        assert_eq!(file.that_starts_at(&Spoken::of("named"), 0, 0), None);
    }
}
