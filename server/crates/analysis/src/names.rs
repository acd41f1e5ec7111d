//! What a name that a user gives means in a recording: a function, a category, a library, a metric or threads.
//!
//! A name can be given exactly, by its end (`push` for `Vec::push`), as a glob (`parse_*`) or as a regular expression between
//! slashes (`/^parse/`). The first of these that anything matches decides, so what is called exactly so always wins, whatever
//! signs it contains (`operator[]`). Where nothing is meant, or several things where one must be, [`Unmatched`] says what to
//! write instead.

use globset::{Glob, GlobMatcher};
use profile::{
    CategoryId, Func, FuncId, FunctionId, Groups, LibId, MetricId, Profile, Recording, SymbolTables, ThreadId, Warning,
};
use regex_lite::Regex;
use std::collections::BTreeSet;

/// How many candidates of an ambiguous name are listed.
const MAX_CANDIDATES: usize = 8;
/// How many names are offered instead of one that means nothing, and how alike they must be (1 = the same).
const MAX_NEAR: usize = 3;
const NEAR: f64 = 0.8;
/// So many names and no more are all listed where none is alike.
const FEW: usize = 12;

/// A name for which a recording has nothing, or too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// A stable name for programs.
    pub code: &'static str,
    /// What is wrong, with the nearest names or the candidates: a sentence without its full stop.
    pub problem: String,
}

impl Unmatched {
    pub(crate) fn new(code: &'static str, problem: String) -> Self {
        Self { code, problem }
    }

    /// The same as a warning; `instead` says what is shown now.
    pub fn warning(&self, instead: &str) -> Warning {
        Warning { code: self.code, message: format!("{}; {instead}", self.problem), count: 1 }
    }

    /// Nothing of a `kind` ("metric") has a name that `wanted` means; `names` are those that there are.
    fn nothing<'n>(code: &'static str, kind: &str, wanted: &str, names: impl Iterator<Item = &'n str>) -> Self {
        let problem = match Pattern::new(wanted) {
            Pattern { malformed: Some(why), .. } => format!("`{wanted}` is no regular expression ({why})"),
            Pattern { glob: None, regex: None, .. } => format!("no {kind} is called `{wanted}`{}", nearest(wanted, names)),
            _ => format!("no {kind} matches `{wanted}`{}", nearest(wanted, names)),
        };
        Self::new(code, problem)
    }

    /// `wanted` means `n` things where it must mean one; `candidates` are names of the first of them.
    fn several<'n>(code: &'static str, kinds: &str, wanted: &str, n: usize, candidates: impl Iterator<Item = &'n str>) -> Self {
        let listed = candidates.take(MAX_CANDIDATES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = if n > MAX_CANDIDATES { ", …" } else { "" };
        Self::new(code, format!("{n} {kinds} match `{wanted}` ({listed}{more})"))
    }
}

/// How well a name is met, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    /// Exactly, behind the place that it is at.
    AtPlace,
    End,
    Pattern,
}

/// A name as a user gives it.
struct Pattern<'t> {
    text: &'t str,
    glob: Option<GlobMatcher>,
    regex: Option<Regex>,
    /// Why it is no regular expression, if it should be one.
    malformed: Option<String>,
}

impl<'t> Pattern<'t> {
    fn new(text: &'t str) -> Self {
        let within = text.strip_prefix('/').and_then(|text| text.strip_suffix('/')).filter(|within| !within.is_empty());
        let regex = within.map(Regex::new).transpose();
        // What is broken as a glob is a name.
        let glob = text.contains(['*', '?', '[', '{']).then(|| Glob::new(text).ok().map(|glob| glob.compile_matcher()));
        let malformed = regex.as_ref().err().map(ToString::to_string);
        Self { text, glob: glob.flatten().filter(|_| within.is_none()), regex: regex.ok().flatten(), malformed }
    }

    fn fit(&self, name: &str) -> Option<Fit> {
        if name == self.text {
            return Some(Fit::Exact);
        }
        let is_whole = |front: &str| !front.ends_with(is_of_word) || !self.text.starts_with(is_of_word);
        if name.strip_suffix(self.text).is_some_and(|front| !self.text.is_empty() && is_whole(front)) {
            return Some(Fit::End);
        }
        let glob = self.glob.as_ref().is_some_and(|glob| glob.is_match(name));
        let regex = self.regex.as_ref().is_some_and(|regex| regex.is_match(name));
        (glob || regex).then_some(Fit::Pattern)
    }

    /// Of things with their names, those that are met best.
    fn best<'n, T>(&self, named: impl Iterator<Item = (T, &'n str)>) -> Vec<T> {
        best(named.filter_map(|(thing, name)| Some((thing, self.fit(name)?))))
    }
}

/// Of things that fit, those that fit best.
fn best<T>(fitting: impl Iterator<Item = (T, Fit)>) -> Vec<T> {
    let (mut found, mut so_far) = (Vec::new(), Fit::Pattern);
    for (thing, fit) in fitting {
        if fit < so_far {
            found.clear();
            so_far = fit;
        }
        if fit == so_far {
            found.push(thing);
        }
    }
    found
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// ` (did you mean …?)` with those of `names` that are most like `wanted`; where there are few, ` (there are …)` lists them all.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> String {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        // What is mistyped is often the last word alone.
        let last = name.rsplit(|sign| !is_of_word(sign)).next().unwrap_or_default();
        let alike = strsim::jaro_winkler(&name, &wanted).max(strsim::jaro_winkler(last, &wanted));
        alike + f64::from(u8::from(name.contains(&wanted)))
    };
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    let mut near: Vec<_> = names.iter().map(|name| (likeness(name), *name)).filter(|(alike, _)| *alike >= NEAR).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let quoted = |names: &mut dyn Iterator<Item = &str>| names.map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let near = quoted(&mut near.iter().map(|(_, name)| *name).take(MAX_NEAR));
    match (near.as_slice(), names.len()) {
        ([one], _) => format!(" (did you mean {one}?)"),
        ([several @ .., last], _) => format!(" (did you mean {} or {last}?)", several.join(", ")),
        ([], 0 | FEW..) => String::new(),
        ([], 1) => format!(" (there is only {})", quoted(&mut names.into_iter()).join(", ")),
        ([], _) => format!(" (there are {})", quoted(&mut names.into_iter()).join(", ")),
    }
}

/// The function that `wanted` names: by its name, or by `place::name` where the place is its file, the file and the line that it
/// starts at (`app.rs:12`), or its library. Of a path, the last folders are enough.
pub fn find_function(symbols: &SymbolTables, groups: &Groups, wanted: &str) -> Result<FunctionId, Unmatched> {
    let pattern = Pattern::new(wanted);
    let parts: Vec<_> = wanted.match_indices("::").map(|(at, sign)| (&wanted[..at], &wanted[at + sign.len()..])).collect();
    let fit = |func: FuncId| {
        let name = symbols.func_name(func);
        let at_place = || parts.iter().any(|&(place, rest)| name == rest && lies_in(symbols, func, place));
        match pattern.fit(name) {
            Some(Fit::Exact) => Some(Fit::Exact),
            _ if at_place() => Some(Fit::AtPlace),
            fit => fit,
        }
    };
    let found = best(symbols.funcs.ids().filter_map(|func| Some((groups.function(func), fit(func)?))));
    let found: BTreeSet<_> = found.into_iter().collect();
    match (found.first(), found.len()) {
        (Some(&function), 1) => Ok(function),
        (None, _) => {
            let names = symbols.funcs.ids().map(|func| symbols.func_name(func));
            Err(Unmatched::nothing("unknown-function", "function", wanted, names))
        }
        (_, n) => {
            let places = places(symbols, groups, found);
            let places = places.iter().map(String::as_str);
            Err(Unmatched::several("ambiguous-function", "functions", wanted, n, places))
        }
    }
}

/// The category that `wanted` names.
pub(crate) fn find_category(profile: &Profile, wanted: &str) -> Result<CategoryId, Unmatched> {
    let names = || profile.stacks().categories();
    match Pattern::new(wanted).best(names()).as_slice() {
        [category] => Ok(*category),
        [] => Err(Unmatched::nothing("unknown-category", "category", wanted, names().map(|(_, name)| name))),
        several => {
            let candidates = several.iter().map(|category| profile.stacks().category_name(*category));
            Err(Unmatched::several("ambiguous-category", "categories", wanted, several.len(), candidates))
        }
    }
}

/// The libraries of the one name that `wanted` means; at least one.
pub(crate) fn find_libs(symbols: &SymbolTables, wanted: &str) -> Result<Vec<LibId>, Unmatched> {
    let names = || (0..).map(LibId::new).zip(symbols.libs.iter().map(|lib| lib.name.as_str()));
    let found = Pattern::new(wanted).best(names());
    let called: BTreeSet<_> = found.iter().map(|lib| symbols.libs[lib.index()].name.as_str()).collect();
    match called.len() {
        0 => Err(Unmatched::nothing("unknown-library", "library", wanted, names().map(|(_, name)| name))),
        1 => Ok(found),
        n => Err(Unmatched::several("ambiguous-library", "libraries", wanted, n, called.into_iter())),
    }
}

/// The metric that `wanted` names or, where none is called so, the first of the unit that it names.
pub fn find_metric(recording: &Recording, wanted: &str) -> Result<MetricId, Unmatched> {
    if let Some(metric) = recording.find_metric(wanted) {
        return Ok(metric);
    }
    let metrics = recording.metrics();
    let names = || (0..).map(MetricId::new).zip(metrics.iter().map(|metric| metric.name.as_str()));
    match Pattern::new(wanted).best(names()).as_slice() {
        [metric] => Ok(*metric),
        [] => Err(Unmatched::nothing("unknown-metric", "metric", wanted, names().map(|(_, name)| name))),
        several => {
            let candidates = several.iter().map(|metric| metrics[metric.index()].name.as_str());
            Err(Unmatched::several("ambiguous-metric", "metrics", wanted, several.len(), candidates))
        }
    }
}

/// The threads that `wanted` means, by their names or their ids or those of their processes; at least one.
pub fn find_threads(recording: &Recording, wanted: &str) -> Result<Vec<ThreadId>, Unmatched> {
    let threads = recording.threads();
    if threads.is_empty() {
        let problem = format!("no thread is called `{wanted}`: this profile does not tell threads apart");
        return Err(Unmatched::new("unknown-thread", problem));
    }
    let names = (0..).map(ThreadId::new).zip(threads).flat_map(|(id, thread)| {
        let names = [Some(&thread.name), thread.tid.as_ref(), thread.pid.as_ref()];
        names.into_iter().flatten().map(move |name| (id, name.as_str()))
    });
    let mut found = Pattern::new(wanted).best(names);
    found.dedup();
    if found.is_empty() {
        let names = threads.iter().map(|thread| thread.name.as_str());
        return Err(Unmatched::nothing("unknown-thread", "thread", wanted, names));
    }
    Ok(found)
}

/// Whether a func lies in the file, at the line of the file or in the library that `place` names.
fn lies_in(symbols: &SymbolTables, func: FuncId, place: &str) -> bool {
    let func = symbols.funcs.get(func);
    let ends_with = |path: &str, place: &str| {
        path.strip_suffix(place).is_some_and(|front| !place.is_empty() && (front.is_empty() || front.ends_with(['/', '\\'])))
    };
    let file = func.source.map_or("", |source| symbols.source_name(source));
    let start = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    ends_with(file, place)
        || start.is_some_and(|(place, line)| func.line == line && ends_with(file, place))
        || func.lib.is_some_and(|lib| symbols.libs[lib.index()].name == place)
}

/// How the first of several functions can be told from each other: by their files, else by their libraries.
fn places(symbols: &SymbolTables, groups: &Groups, functions: BTreeSet<FunctionId>) -> Vec<String> {
    let funcs = functions.into_iter().take(MAX_CANDIDATES);
    let funcs: Vec<Func> = funcs.map(|function| symbols.funcs.get(groups.first_func(function))).collect();
    let in_file = |func: Func| {
        let (file, name) = (symbols.source_name(func.source?), symbols.strings.get(func.name));
        Some(if func.line == 0 { format!("{file}::{name}") } else { format!("{file}:{}::{name}", func.line) })
    };
    let in_lib = |func: Func| Some(format!("{}::{}", symbols.libs[func.lib?.index()].name, symbols.strings.get(func.name)));
    let files: Vec<_> = funcs.iter().copied().map(in_file).collect();
    let place = |(&func, file): (&Func, &Option<String>)| {
        let is_alone = files.iter().filter(|other| *other == file).count() == 1;
        let file = file.clone().filter(|_| is_alone || func.lib.is_none());
        file.or_else(|| in_lib(func)).unwrap_or_else(|| symbols.strings.get(func.name).to_owned())
    };
    funcs.iter().zip(&files).map(place).collect()
}
