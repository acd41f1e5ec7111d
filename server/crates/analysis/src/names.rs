//! Resolves names that a user gives: functions, categories, libraries, metrics and threads.
//!
//! A name can be exact, a suffix (`push` for `Vec::push`), the name of a function without its
//! parameters (`push` for `Vec::push(int)`), also without its template arguments (`push` for
//! `push<int>(int)`), a glob (`parse_*`) or a regular expression between slashes (`/^parse/`). They are
//! tried in this order, and the first that matches anything decides.
//! So an exact name always wins, whatever characters it contains (`operator[]`). If nothing matches,
//! or more than one thing where one is needed, [`Unmatched`] lists what to write instead.

use globset::{Glob, GlobMatcher};
use profile::{
    CategoryId, Func, FuncId, FunctionId, Groups, LibId, MetricId, Profile, Recording, StackAccess,
    SymbolTables, Thread, ThreadId, Warning, WarningCode,
};
use regex::Regex;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How many candidates of an ambiguous name to list.
const MAX_CANDIDATES: usize = 8;
/// How many similar names to suggest for a name without a match.
const MAX_NEAR: usize = 3;
/// The least Jaro-Winkler similarity of a suggestion (1 = equal).
const NEAR: f64 = 0.8;
/// Without a similar name, all names are listed if there are fewer than this.
const FEW: usize = 12;

/// A name that matches nothing, or too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The code of the warning.
    pub code: WarningCode,
    /// The problem, with the nearest names or the candidates, without a full stop.
    pub problem: String,
}

impl Unmatched {
    pub(crate) fn new(code: WarningCode, problem: String) -> Self {
        Self { code, problem }
    }

    /// The problem as a warning. `instead` says what is done instead.
    pub fn warning(&self, instead: &str) -> Warning {
        Warning { code: self.code, message: format!("{}; {instead}", self.problem), count: 1 }
    }

    /// Nothing of a `kind` ("metric") matches `query`. `names` are the existing ones.
    fn no_match<'n>(
        code: WarningCode,
        kind: &str,
        query: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let problem = match Pattern::new(query) {
            Pattern { malformed: Some(why), .. } => {
                format!("`{query}` is not a valid regular expression ({why})")
            }
            Pattern { glob: None, regex: None, .. } => {
                format!("no {kind} is called `{query}`{}", nearest(query, names))
            }
            _ => format!("no {kind} matches `{query}`{}", nearest(query, names)),
        };
        Self::new(code, problem)
    }

    /// `query` matches `n` things where it must match one. `candidates` are their names; the first
    /// few are enough.
    fn ambiguous<'n>(
        code: WarningCode,
        kinds: &str,
        query: &str,
        n: usize,
        candidates: impl Iterator<Item = &'n str>,
    ) -> Self {
        let listed = candidates
            .take(MAX_CANDIDATES)
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let more = if n > MAX_CANDIDATES { ", …" } else { "" };
        Self::new(code, format!("{n} {kinds} match `{query}` ({listed}{more})"))
    }
}

/// How a name matches, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    /// Exactly, after the place in front of it.
    AtPlace,
    Suffix,
    /// Exactly, without the parameters, also after a place.
    WithoutParameters,
    SuffixWithoutParameters,
    /// Exactly or as a suffix, without parameters and template arguments.
    WithoutArguments,
    Pattern,
}

/// A name as given by a user.
struct Pattern<'t> {
    text: &'t str,
    glob: Option<GlobMatcher>,
    regex: Option<Regex>,
    /// Why it is not a valid regular expression, although it is between slashes.
    malformed: Option<String>,
}

impl<'t> Pattern<'t> {
    fn new(text: &'t str) -> Self {
        let in_slashes = text
            .strip_prefix('/')
            .and_then(|text| text.strip_suffix('/'))
            .filter(|regex| !regex.is_empty());
        let regex = in_slashes.map(Regex::new).transpose();
        let malformed = regex.as_ref().err().map(ToString::to_string);
        // A name that is not a valid glob (`operator[]`) is only a name.
        let glob = (in_slashes.is_none() && text.contains(['*', '?', '[', '{']))
            .then(|| Glob::new(text).ok())
            .flatten()
            .map(|glob| glob.compile_matcher());
        Self { text, glob, regex: regex.ok().flatten(), malformed }
    }

    fn fit(&self, name: &str) -> Option<Fit> {
        if name == self.text {
            return Some(Fit::Exact);
        }
        if self.is_suffix_of(name) || without_mode(name).any(|name| self.is_suffix_of(name)) {
            return Some(Fit::Suffix);
        }
        let glob = self.glob.as_ref().is_some_and(|glob| glob.is_match(name));
        let regex = self.regex.as_ref().is_some_and(|regex| regex.is_match(name));
        (glob || regex).then_some(Fit::Pattern)
    }

    /// Whether `name` ends with this name, at the beginning of a word.
    fn is_suffix_of(&self, name: &str) -> bool {
        name.strip_suffix(self.text).is_some_and(|front| {
            !self.text.is_empty()
                && (!front.ends_with(is_word_char) || !self.text.starts_with(is_word_char))
        })
    }

    /// The named things that match best.
    fn best<'n, T>(&self, named: impl Iterator<Item = (T, &'n str)>) -> Vec<T> {
        best(named.filter_map(|(thing, name)| Some((thing, self.fit(name)?))))
    }
}

/// The name of a Mercury procedure (`list.map/3-0`) without its mode (`list.map/3`), and without
/// its arity (`list.map`). Nothing for other names.
fn without_mode(name: &str) -> impl Iterator<Item = &str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let in_mode = name.rsplit_once('-').filter(|(_, mode)| is_number(mode)).map(|(name, _)| name);
    let parts = in_mode.and_then(|name| {
        let (bare, arity) = name.rsplit_once('/')?;
        is_number(arity.strip_suffix("+1").unwrap_or(arity)).then_some([name, bare])
    });
    parts.into_iter().flatten()
}

/// The name of a function of C++ or Java without its parameters and what follows them:
/// `Square::area` for `Square::area(int) const`. `None` for a name without parameters.
fn without_parameters(name: &str) -> Option<&str> {
    const QUALIFIERS: [&str; 5] = [" const", " volatile", " noexcept", " &", " &&"];
    let mut rest = name;
    while let Some((front, _)) =
        rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [clone "))
    {
        rest = front;
    }
    while let Some(front) = QUALIFIERS.iter().find_map(|qualifier| rest.strip_suffix(qualifier)) {
        rest = front;
    }
    let mut depth = 0_usize;
    let (start, _) = rest.ends_with(')').then(|| {
        rest.char_indices().rev().find(|&(_, c)| {
            match c {
                ')' => depth += 1,
                '(' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    })??;
    let plain = &rest[..start];
    // These parentheses are a part of the name.
    let is_operator =
        plain.strip_suffix("operator").is_some_and(|front| !front.ends_with(is_word_char));
    (!plain.is_empty() && !plain.ends_with([' ', ':']) && !is_operator).then_some(plain)
}

/// A name without the template arguments at its end: `long pick` for `long pick<int, 1>`. `None`
/// if it has none.
fn without_arguments(name: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let (start, _) = name.ends_with('>').then(|| {
        name.char_indices().rev().find(|&(_, c)| {
            match c {
                '>' => depth += 1,
                '<' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    })??;
    let plain = &name[..start];
    (plain.ends_with(is_word_char) && !plain.ends_with("operator")).then_some(plain)
}

/// The things that match best.
fn best<T>(matches: impl Iterator<Item = (T, Fit)>) -> Vec<T> {
    let (mut found, mut best_fit) = (Vec::new(), Fit::Pattern);
    for (thing, fit) in matches {
        if fit < best_fit {
            found.clear();
            best_fit = fit;
        }
        if fit == best_fit {
            found.push(thing);
        }
    }
    found
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A suggestion to append to a message, with the most similar of `names`: ` (did you mean …?)`.
/// Without a similar name, all of them if they are few: ` (there are …)`. Else empty.
pub fn nearest<'n>(query: &str, names: impl Iterator<Item = &'n str>) -> String {
    let query = query.to_lowercase();
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    let mut near: Vec<_> = names
        .iter()
        .map(|name| (similarity(&query, &name.to_lowercase()), *name))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<_> = near.iter().map(|(_, name)| format!("`{name}`")).take(MAX_NEAR).collect();
    match (near.as_slice(), names.len()) {
        ([one], _) => format!(" (did you mean {one}?)"),
        ([several @ .., last], _) => format!(" (did you mean {} or {last}?)", several.join(", ")),
        ([], 0 | FEW..) => String::new(),
        ([], n) => {
            let all: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(" (there {} {})", if n == 1 { "is only" } else { "are" }, all.join(", "))
        }
    }
}

/// How similar two lower-case names are: 1 if they are equal, more if `name` contains `query`.
fn similarity(query: &str, name: &str) -> f64 {
    // Users often type only the last word, so compare that as well.
    let last_word = name.rsplit(|c| !is_word_char(c)).next().unwrap_or_default();
    let similarity = strsim::jaro_winkler(name, query).max(strsim::jaro_winkler(last_word, query));
    similarity + f64::from(u8::from(name.contains(query)))
}

/// The function that `query` names, as in [`find_functions`]. It must be the only one.
pub fn find_function(
    symbols: &SymbolTables,
    groups: &Groups,
    query: &str,
) -> Result<FunctionId, Unmatched> {
    let found = find_functions(symbols, groups, query)?;
    match (found.first(), found.len()) {
        (Some(&function), 1) => Ok(function),
        _ => Err(ambiguous(symbols, groups, query, found)),
    }
}

/// The message about a name that stands for several functions.
pub fn ambiguous(
    symbols: &SymbolTables,
    groups: &Groups,
    query: &str,
    found: BTreeSet<FunctionId>,
) -> Unmatched {
    let n = found.len();
    let places = places(symbols, groups, found);
    let places = places.iter().map(String::as_str);
    Unmatched::ambiguous(WarningCode::AmbiguousFunction, "functions", query, n, places)
}

/// The functions that `query` names: by their name, without parameters too, or as `place::name`. The
/// place is a file, a file and start line (`app.rs:12`), or a library. The last components of a file's
/// path suffice. There is at least one.
pub fn find_functions(
    symbols: &SymbolTables,
    groups: &Groups,
    query: &str,
) -> Result<BTreeSet<FunctionId>, Unmatched> {
    let pattern = Pattern::new(query);
    // Both a place and a name can contain `::`, so try every split.
    let splits: Vec<_> = query
        .match_indices("::")
        .map(|(at, separator)| (&query[..at], &query[at + separator.len()..]))
        .collect();
    let is_at_place = |func: FuncId, name: &str| {
        splits.iter().any(|&(place, wanted)| wanted == name && is_at(symbols, func, place))
    };
    let fit_without_parameters = |func: FuncId| {
        let plain = without_parameters(symbols.func_name(func))?;
        if plain == query || is_at_place(func, plain) {
            return Some(Fit::WithoutParameters);
        }
        pattern.is_suffix_of(plain).then_some(Fit::SuffixWithoutParameters)
    };
    let fit_without_arguments = |func: FuncId| {
        let name = symbols.func_name(func);
        let plain = without_arguments(without_parameters(name).unwrap_or(name))?;
        // Templates have a return type before the name.
        let last = plain.rsplit(' ').next().unwrap_or(plain);
        (pattern.is_suffix_of(plain) || is_at_place(func, last)).then_some(Fit::WithoutArguments)
    };
    let fit = |func: FuncId| {
        let func_name = symbols.func_name(func);
        match pattern.fit(func_name) {
            Some(Fit::Exact) => Some(Fit::Exact),
            _ if is_at_place(func, func_name) => Some(Fit::AtPlace),
            Some(Fit::Suffix) => Some(Fit::Suffix),
            fit => fit_without_parameters(func).or_else(|| fit_without_arguments(func)).or(fit),
        }
    };
    let found: BTreeSet<_> =
        best(symbols.funcs.ids().filter_map(|func| Some((groups.function(func), fit(func)?))))
            .into_iter()
            .collect();
    if found.is_empty() {
        let names = symbols.funcs.ids().map(|func| symbols.func_name(func));
        return Err(Unmatched::no_match(WarningCode::UnknownFunction, "function", query, names));
    }
    Ok(found)
}

/// The category that `query` names.
pub(crate) fn find_category(profile: &Profile, query: &str) -> Result<CategoryId, Unmatched> {
    let names = || profile.stacks().categories();
    match Pattern::new(query).best(names()).as_slice() {
        [category] => Ok(*category),
        [] => Err(Unmatched::no_match(
            WarningCode::UnknownCategory,
            "category",
            query,
            names().map(|(_, name)| name),
        )),
        several => {
            let candidates =
                several.iter().map(|category| profile.stacks().category_name(*category));
            Err(Unmatched::ambiguous(
                WarningCode::AmbiguousCategory,
                "categories",
                query,
                several.len(),
                candidates,
            ))
        }
    }
}

/// The libraries with the one name that `query` matches; at least one.
pub(crate) fn find_libs(symbols: &SymbolTables, query: &str) -> Result<Vec<LibId>, Unmatched> {
    let names = || (0..).map(LibId::new).zip(symbols.libs.iter().map(|lib| lib.name.as_str()));
    let found = Pattern::new(query).best(names());
    let called: BTreeSet<_> =
        found.iter().map(|lib| symbols.libs[lib.index()].name.as_str()).collect();
    match called.len() {
        0 => Err(Unmatched::no_match(
            WarningCode::UnknownLibrary,
            "library",
            query,
            names().map(|(_, name)| name),
        )),
        1 => Ok(found),
        n => Err(Unmatched::ambiguous(
            WarningCode::AmbiguousLibrary,
            "libraries",
            query,
            n,
            called.into_iter(),
        )),
    }
}

/// The metric with the name or unit `query`, or whose name it matches. Of several metrics with this
/// unit, it is the default one.
pub fn find_metric(recording: &Recording, query: &str) -> Result<MetricId, Unmatched> {
    let metrics = recording.metrics();
    let ids = || (0..).map(MetricId::new).zip(metrics);
    if let Some((metric, _)) = ids().find(|(_, metric)| metric.name == query) {
        return Ok(metric);
    }
    let with_unit = ids().filter(|(_, metric)| metric.unit == query);
    let mut found: Vec<_> = with_unit.map(|(id, _)| id).collect();
    if found.contains(&recording.default_metric()) {
        return Ok(recording.default_metric());
    }
    let names = || ids().map(|(id, metric)| (id, metric.name.as_str()));
    if found.is_empty() {
        found = Pattern::new(query).best(names());
    }
    match found.as_slice() {
        [metric] => Ok(*metric),
        [] => Err(Unmatched::no_match(
            WarningCode::UnknownMetric,
            "metric",
            query,
            names().map(|(_, name)| name),
        )),
        several => {
            let candidates = several.iter().map(|metric| metrics[metric.index()].name.as_str());
            Err(Unmatched::ambiguous(
                WarningCode::AmbiguousMetric,
                "metrics",
                query,
                several.len(),
                candidates,
            ))
        }
    }
}

/// The threads that `query` matches; at least one. It is a name, a thread id, `tid:ID`, a label
/// ([`thread_labels`], [`thread_and_process`]), the name or id of a process or `pid:ID`; else the end of
/// a name or id, a glob or a regular expression.
pub fn find_threads(recording: &Recording, query: &str) -> Result<Vec<ThreadId>, Unmatched> {
    let threads = recording.threads();
    if threads.is_empty() {
        let problem =
            format!("no thread is called `{query}`: this profile does not record threads");
        return Err(Unmatched::new(WarningCode::UnknownThread, problem));
    }
    let exact = exact_threads(threads, query);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let names = ids(threads).flat_map(|(id, thread)| {
        let process = Some(&thread.process_name).filter(|name| !name.is_empty());
        let names = [Some(&thread.name), thread.tid.as_ref(), thread.pid.as_ref(), process];
        names.into_iter().flatten().map(move |name| (id, name.as_str()))
    });
    let mut found = Pattern::new(query).best(names);
    found.dedup();
    if found.is_empty() {
        let names = threads.iter().map(|thread| thread.name.as_str());
        let processes = threads.iter().map(|thread| thread.process_name.as_str());
        let names = names.chain(processes.filter(|name| !name.is_empty()));
        return Err(Unmatched::no_match(WarningCode::UnknownThread, "thread", query, names));
    }
    Ok(found)
}

fn ids(threads: &[Thread]) -> impl Iterator<Item = (ThreadId, &Thread)> {
    (0..).map(ThreadId::new).zip(threads)
}

/// The threads with this name, id or label, or of the process with this name or id. The first of these
/// that any thread has decides: on Linux, a process has the same id as its main thread.
fn exact_threads(threads: &[Thread], query: &str) -> Vec<ThreadId> {
    let having = |has: &dyn Fn(&Thread) -> bool| -> Vec<ThreadId> {
        ids(threads).filter(|(_, thread)| has(thread)).map(|(id, _)| id).collect()
    };
    let named = having(&|thread| thread.name == query || thread.tid.as_deref() == Some(query));
    if !named.is_empty() {
        return named;
    }
    if let Some(tid) = query.strip_prefix("tid:") {
        return having(&|thread| thread.tid.as_deref() == Some(tid));
    }
    if let Some(pid) = query.strip_prefix("pid:") {
        return having(&|thread| thread.pid.as_deref() == Some(pid));
    }
    let labels = thread_labels(threads);
    let has_label = |&(id, thread): &(ThreadId, &Thread)| {
        labels[id.index()] == query || thread_and_process(thread) == query
    };
    let labelled: Vec<ThreadId> = ids(threads).filter(has_label).map(|(id, _)| id).collect();
    if !labelled.is_empty() {
        return labelled;
    }
    having(&|thread| {
        thread.pid.as_deref() == Some(query)
            || thread.process_name == query
            || process_label(thread).as_deref() == Some(query)
    })
}

/// A warning if `query` is the id of a thread and of a process with other threads, which
/// [`find_threads`] leaves out.
pub fn also_process(recording: &Recording, query: &str) -> Option<Warning> {
    let threads = recording.threads();
    let of_process = threads.iter().filter(|thread| thread.pid.as_deref() == Some(query));
    let is_named = threads.iter().any(|thread| thread.name == query);
    let mut others = of_process.filter(|thread| thread.tid.as_deref() != Some(query));
    let is_thread = threads.iter().any(|thread| thread.tid.as_deref() == Some(query));
    if is_named || !is_thread {
        return None;
    }
    others.next()?;
    let problem = format!("{query} is the id of a thread and of its process");
    let instead = format!("showing the thread (`tid:{query}`); `pid:{query}` is the process");
    Some(Unmatched::new(WarningCode::AmbiguousThread, problem).warning(&instead))
}

/// The name of the process of a thread: `process 5 (app)`, `process 5` or `process app`. `None` if
/// neither its id nor its name is known.
fn process_label(thread: &Thread) -> Option<String> {
    let name = Some(&thread.process_name).filter(|name| !name.is_empty());
    match (&thread.pid, name) {
        (Some(pid), Some(name)) => Some(format!("process {pid} ({name})")),
        (Some(id), None) | (None, Some(id)) => Some(format!("process {id}")),
        (None, None) => None,
    }
}

/// The names that tell threads apart: `main · thread 7`, with their process if several
/// threads have this name and id: `main · thread 7 · process 5 (app)`.
pub fn thread_labels(threads: &[Thread]) -> Vec<String> {
    let mut same: FxHashMap<(&str, Option<&str>), usize> = FxHashMap::default();
    for thread in threads {
        *same.entry((&thread.name, thread.tid.as_deref())).or_default() += 1;
    }
    let is_ambiguous = |thread: &Thread| same[&(thread.name.as_str(), thread.tid.as_deref())] > 1;
    threads.iter().map(|thread| label(thread, is_ambiguous(thread))).collect()
}

/// The name of a thread with its process: `main · thread 7 · process 5 (app)`.
pub fn thread_and_process(thread: &Thread) -> String {
    label(thread, true)
}

fn label(thread: &Thread, with_process: bool) -> String {
    let name = if thread.name.is_empty() { &thread.process_name } else { &thread.name };
    let tid = thread.tid.as_ref().map(|tid| format!("thread {tid}"));
    let process = process_label(thread).filter(|_| with_process);
    let parts = [Some(name.clone()), tid, process].into_iter().flatten();
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "(unnamed)".to_owned() } else { parts.join(" · ") }
}

/// The labels of some of the threads, for messages: `` `main · thread 7`, … ``.
pub(crate) fn listed_threads(threads: &[Thread], chosen: impl Iterator<Item = usize>) -> String {
    let labels = thread_labels(threads);
    let mut chosen: Vec<_> = chosen
        .filter_map(|at| Some(format!("`{}`", labels.get(at)?)))
        .take(MAX_CANDIDATES + 1)
        .collect();
    let more = if chosen.len() > MAX_CANDIDATES { ", …" } else { "" };
    chosen.truncate(MAX_CANDIDATES);
    chosen.join(", ") + more
}

/// Whether a func is in the file, at the line of a file or in the library that `place` names. A func
/// without a start line is at any line.
fn is_at(symbols: &SymbolTables, func: FuncId, place: &str) -> bool {
    let func = symbols.funcs.get(func);
    let file = func.source.map_or("", |source| symbols.source_name(source));
    let start = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    ends_with(file, place)
        || start
            .is_some_and(|(place, line)| [0, line].contains(&func.line) && ends_with(file, place))
        || func.lib.is_some_and(|lib| symbols.libs[lib.index()].name == place)
}

/// Unambiguous names for the first of several functions: with their file, else with their library.
fn places(symbols: &SymbolTables, groups: &Groups, functions: BTreeSet<FunctionId>) -> Vec<String> {
    let funcs: Vec<Func> = functions
        .into_iter()
        .take(MAX_CANDIDATES)
        .map(|function| symbols.funcs.get(groups.first_func(function)))
        .collect();
    let with_files: Vec<_> = funcs.iter().map(|&func| with_file(symbols, func)).collect();
    funcs
        .iter()
        .zip(&with_files)
        .map(|(&func, with_file)| {
            let is_unique = with_files.iter().filter(|other| *other == with_file).count() == 1;
            with_file
                .clone()
                .filter(|_| is_unique || func.lib.is_none())
                .or_else(|| with_lib(symbols, func))
                .unwrap_or_else(|| symbols.strings.get(func.name).to_owned())
        })
        .collect()
}

fn with_file(symbols: &SymbolTables, func: Func) -> Option<String> {
    let (file, name) = (symbols.source_name(func.source?), symbols.strings.get(func.name));
    Some(if func.line == 0 {
        format!("{file}::{name}")
    } else {
        format!("{file}:{}::{name}", func.line)
    })
}

fn with_lib(symbols: &SymbolTables, func: Func) -> Option<String> {
    let lib = &symbols.libs[func.lib?.index()].name;
    Some(format!("{lib}::{}", symbols.strings.get(func.name)))
}

/// Whether a path ends with whole components.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|front| !end.is_empty() && (front.is_empty() || front.ends_with(['/', '\\'])))
}
