//! Compares all numbers of a report with the expected ones.

use crate::cases::Case;
use analysis::{
    CallTree, Costs, Edges, FileId, FunctionId, Groups, IdleSamples, MetricId, Recording, Total,
    View,
};
use profile::{Profile, Samples, StackAccess};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The number of compared rows.
pub struct Compared {
    lines: usize,
    functions: usize,
    edges: usize,
    /// Rows that cannot be compared because several functions have the same name.
    functions_left_out: usize,
    edges_left_out: usize,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, functions, edges, functions_left_out, edges_left_out } = self;
        write!(
            f,
            "{lines} lines, {functions} functions (without {functions_left_out}), {edges} edges (without {edges_left_out})"
        )
    }
}

/// Name and file; files of the case are relative to its folder.
type Place = (String, Option<String>);
type Line = (String, u64);
/// Self, and the bounds of the total if it is known.
type Pair = (Weight, Option<(Weight, Weight)>);
/// Caller and callee.
type Ends = (Place, Place);

/// A sum of weights. Sums of fractions depend on the order of addition in their last digits.
#[derive(Clone, Copy, PartialOrd)]
struct Weight(f64);

impl PartialEq for Weight {
    fn eq(&self, other: &Self) -> bool {
        let exact = self.0.fract() == 0.0 && other.0.fract() == 0.0;
        self.0 == other.0 || (!exact && (self.0 - other.0).abs() <= 1e-9 * self.0.abs().max(1e-3))
    }
}

impl fmt::Debug for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One side of the comparison.
#[derive(Debug, Default)]
struct Sums {
    lines: BTreeMap<Line, Pair>,
    /// Start line and costs of each function of a name and file.
    functions: BTreeMap<Place, Vec<(Option<u64>, Pair)>>,
    edges: BTreeMap<Ends, Vec<Weight>>,
    /// Edges marked as estimates.
    estimated: BTreeSet<Ends>,
    /// Edges of a call graph whose calls may be nested in each other. Their weights do not add up.
    recursive: BTreeSet<Ends>,
    /// Call counts.
    calls: BTreeMap<Ends, u64>,
}

impl Sums {
    /// Sorts rows and drops those without cost: some `expected.json` list functions and lines of
    /// samples that weigh 0 in this metric.
    fn sort(mut self) -> Self {
        let costs = |(own, total): &Pair| own.0 != 0.0 || total.is_none_or(|(_, max)| max.0 != 0.0);
        self.lines.retain(|_, pair| costs(pair));
        self.functions.values_mut().for_each(|rows| rows.retain(|(_, pair)| costs(pair)));
        self.functions.retain(|_, rows| !rows.is_empty());
        self.edges.values_mut().for_each(|totals| totals.retain(|total| total.0 != 0.0));
        self.edges.retain(|_, totals| !totals.is_empty());
        for rows in self.functions.values_mut() {
            rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
        }
        self
    }

    /// Keeps only self costs, for recordings with truncated stacks.
    fn without_totals(mut self) -> Self {
        self.lines.values_mut().for_each(|(_, total)| *total = None);
        self.functions.values_mut().flatten().for_each(|(_, (_, total))| *total = None);
        self.lines.retain(|_, (own, _)| own.0 != 0.0);
        self.functions.values_mut().for_each(|rows| rows.retain(|(_, (own, _))| own.0 != 0.0));
        self.functions.retain(|_, rows| !rows.is_empty());
        self.edges.clear();
        self
    }

    fn is_unique(&self, place: &Place) -> bool {
        self.functions.get(place).is_some_and(|rows| rows.len() == 1)
    }
}

/// The file of a case is relative in `expected.json` and in some profiles, and absolute in most.
fn relative(case: &Case, file: &str) -> String {
    if case.format == "jfr" {
        // Of a class there is only the name: a second one is in the file of another.
        let file = file.replace("text/Cursor", "text/Tokenizer");
        let source = format!("src/{file}");
        return if case.folder.join(&source).exists() { source } else { file };
    }
    file.strip_prefix(&case.root).unwrap_or(file).to_owned()
}

/// Whether `expected.json` has the lines where functions start. memray's own reader does not tell them.
fn has_starts(case: &Case) -> bool {
    case.format != "memray"
}

fn is_own(case: &Case, place: &Place) -> bool {
    place.1.as_ref().is_some_and(|file| case.folder.join(file).exists() && !file.starts_with('/'))
}

fn rows<'v>(table: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    table[key].as_array().into_iter().flatten()
}

fn pair(row: &Value) -> Pair {
    let number = |keys: &[&str]| keys.iter().find_map(|&key| row[key].as_f64()).map(Weight);
    let (min, max) =
        (number(&["total", "total_min", "totalMin"]), number(&["total", "total_max", "totalMax"]));
    // line_profiler has no self costs.
    (number(&["self"]).unwrap_or(Weight(0.0)), min.zip(max))
}

fn total(case: &Case) -> Weight {
    Weight(case.expected["total"].as_f64().unwrap_or(0.0))
}

fn place(case: &Case, name: &Value, file: &Value) -> Place {
    // Tools represent a missing file by no name, or by a name that says so.
    let file = file.as_str().filter(|file| !["", "???", "~"].contains(file));
    (name.as_str().unwrap().to_owned(), file.map(|file| relative(case, file)))
}

/// Names that differ between tools: a stub into another library, which LLVM names after the
/// function before it, and names of libstdc++ that `cpp_demangle` demangles only in part or not at
/// all (packs of rvalue references, and `std::swap`, whose result type depends on its arguments).
fn is_misspelled(name: &Value) -> bool {
    let name = name.as_str().unwrap();
    name == "_init"
        || name == "floor@plt"
        || name.contains("std::tuple<int&&>")
        || name.contains("> >::value, void>::type std::swap<")
        || name == "swap<double>"
}

fn expected(case: &Case) -> Sums {
    let mut sums = Sums::default();
    for row in rows(&case.expected, "lines") {
        let line = (row["file"].as_str().unwrap().to_owned(), row["line"].as_u64().unwrap());
        assert_eq!(sums.lines.insert(line, pair(row)), None, "{}: a line occurs twice", case.name);
    }
    // Other modules than that of the case are one function each, `[libc.so.6]`.
    let is_own = |name: &Value| {
        case.module.is_none() || !name.as_str().unwrap().starts_with('[') && !is_misspelled(name)
    };
    for row in rows(&case.expected, "functions").filter(|row| is_own(&row["name"])) {
        let function = sums.functions.entry(place(case, &row["name"], &row["file"])).or_default();
        function.push((row["line"].as_u64(), pair(row)));
    }
    for row in rows(&case.expected, "callers")
        .filter(|row| is_own(&row["caller"]) && is_own(&row["callee"]))
    {
        let caller = place(case, &row["caller"], &row["caller_file"]);
        let ends = (caller, place(case, &row["callee"], &row["callee_file"]));
        sums.recursive.extend((row["recursive"] == true).then(|| ends.clone()));
        sums.calls.extend(row["calls"].as_u64().map(|calls| (ends.clone(), calls)));
        sums.edges.entry(ends).or_default().push(Weight(row["total"].as_f64().unwrap()));
    }
    sums.sort()
}

fn reported(case: &Case, report: &Value) -> Sums {
    let mut sums = Sums::default();
    for row in rows(report, "lines") {
        let line = (relative(case, row["file"].as_str().unwrap()), row["line"].as_u64().unwrap());
        assert_eq!(sums.lines.insert(line, pair(row)), None, "{}: a line occurs twice", case.name);
    }
    let is_own = |row: &Value| {
        case.module
            .as_deref()
            .is_none_or(|module| row["lib"] == module && !is_misspelled(&row["name"]))
    };
    let own_place = |row| is_own(row).then(|| place(case, &row["name"], &row["file"]));
    let places: Vec<Option<Place>> = rows(report, "functions").map(own_place).collect();
    for (place, row) in places.iter().zip(rows(report, "functions")) {
        if let Some(place) = place {
            // V8's `(idle)` is a function in `expected.json`; the report has its weight as idle.
            let idle = Weight(row["idle"].as_f64().unwrap());
            let cost = if row["total"] == 0 { (idle, Some((idle, idle))) } else { pair(row) };
            let line = row["line"].as_u64().filter(|_| has_starts(case));
            sums.functions.entry(place.clone()).or_default().push((line, cost));
        }
    }
    for row in rows(report, "edges") {
        let end = |key: &str| places[usize::try_from(row[key].as_u64().unwrap()).unwrap()].clone();
        let Some(ends) = end("caller").zip(end("callee")) else { continue };
        sums.estimated.extend((row["est"] == true).then(|| ends.clone()));
        sums.calls.extend(row["calls"].as_u64().map(|calls| (ends.clone(), calls)));
        sums.edges.entry(ends).or_default().push(Weight(row["total"].as_f64().unwrap()));
    }
    sums.sort()
}

/// Merges functions without a name that have the same offset in their page of memory: expected
/// addresses are in memory, actual ones in libraries, which are mapped to page boundaries. The
/// address of a caller is the return address in one and the call before it in the other. A function
/// with self cost was sampled, so it is not a caller. Addresses in no library are the same on both
/// sides.
fn in_pages(expected: Sums, actual: Sums) -> (Sums, Sums) {
    let places = |sums: &Sums| -> BTreeSet<Place> { sums.functions.keys().cloned().collect() };
    let both: BTreeSet<Place> = places(&expected).intersection(&places(&actual)).cloned().collect();
    let rename = |sums: Sums, is_return: bool| {
        let names: BTreeMap<Place, Place> = sums
            .functions
            .iter()
            .filter(|(place, _)| place.1.is_none() && !both.contains(place))
            .filter_map(|(place, rows)| {
                let address = u64::from_str_radix(place.0.strip_prefix("0x")?, 16).ok()?;
                let is_sampled = rows.iter().any(|(_, (own, _))| own.0 != 0.0);
                let address = address - u64::from(is_return && !is_sampled);
                Some((place.clone(), (format!("0x…{:03x}", address & 0xfff), None)))
            })
            .collect();
        let renamed = |place: &Place| names.get(place).unwrap_or(place).clone();
        let mut functions: BTreeMap<Place, Vec<(Option<u64>, Pair)>> = BTreeMap::new();
        for (place, rows) in &sums.functions {
            let all = functions.entry(renamed(place)).or_default();
            for &(line, (more, total)) in rows {
                match all.first_mut() {
                    Some((_, (own, Some((min, max))))) if names.contains_key(place) => {
                        let (least, most) = total.unwrap();
                        (own.0, min.0, max.0) = (own.0 + more.0, min.0 + least.0, max.0 + most.0);
                    }
                    _ => all.push((line, (more, total))),
                }
            }
        }
        let mut edges: BTreeMap<Ends, Vec<Weight>> = BTreeMap::new();
        for (ends, totals) in &sums.edges {
            let all = edges.entry((renamed(&ends.0), renamed(&ends.1))).or_default();
            let is_renamed = names.contains_key(&ends.0) || names.contains_key(&ends.1);
            for &total in totals {
                match all.first_mut() {
                    Some(sum) if is_renamed => sum.0 += total.0,
                    _ => all.push(total),
                }
            }
        }
        Sums { functions, edges, ..sums }
    };
    (rename(expected, true), rename(actual, false))
}

/// Compares the report. Idle samples are not in its totals, so functions on their stacks have less
/// than in an `expected.json` that counts them.
pub fn with_report(case: &Case, report: &Value) -> Compared {
    let (mut expected, actual) = (expected(case), reported(case, report));
    for (file, line, hits) in &case.inlined {
        let at = (file.clone(), *line);
        let (own, _) = expected.lines.get_mut(&at).unwrap();
        own.0 -= *hits;
        if own.0 == 0.0 {
            expected.lines.remove(&at);
        }
    }
    assert_eq!(report["total"].is_null(), case.expected["total"].is_null(), "{}", case.name);
    let number = |key: &str| report[key].as_f64().unwrap_or(0.0);
    assert_eq!(
        Weight(number("total") + number("idle") + number("noStack")),
        total(case),
        "{}",
        case.name
    );

    let cut = rows(report, "warnings").any(|warning| warning["code"] == "cut-stacks");
    let (expected, actual) = if cut {
        eprintln!(
            "{}: callers in libraries of other versions than the recorded ones are unknown, so only self is compared",
            case.name
        );
        (expected.without_totals(), actual.without_totals())
    } else {
        (expected, actual)
    };

    // V8's `(idle)` has no callers, so it affects no other function.
    let idle_has_callers =
        ["firefox-processed", "firefox-jslb", "gecko", "macos-sample"].contains(&&*case.format);
    let lacks_idle = number("idle") != 0.0 && idle_has_callers;
    let comparable = |place: &Place| !lacks_idle || is_own(case, place);
    compare(case, expected, actual, &comparable, if lacks_idle { 0 } else { case.n_merged })
}

/// Compares the costs computed by the crates with idle samples included, so that everything is
/// comparable. The crates do not apply source maps.
pub fn with_crates(case: &Case, report: &Value) -> Compared {
    let case = &case.generated();
    let bytes = std::fs::read(&case.profile).unwrap();
    let read = formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap();
    let recording = &read.recording;
    let metric = case
        .metric
        .map_or(recording.default_metric(), |name| analysis::find_metric(recording, name).unwrap());
    let view = View { idle: IdleSamples::Included, metric, ..View::of(recording) };
    let groups = Groups::identity(recording.symbols());
    let costs = analysis::costs(recording, &view, &groups);
    let tree = CallTree::new(Arc::new(recording.clone()), view, Arc::new(groups.clone()));

    assert_eq!((costs.idle, Weight(costs.total + costs.no_stack)), (0.0, total(case)));
    threads(case, recording, metric, report);
    compare(
        case,
        expected(case),
        counted(case, recording, &groups, &costs, tree.edges()),
        &|_| true,
        case.n_merged,
    )
}

fn counted(
    case: &Case,
    recording: &Recording,
    groups: &Groups,
    costs: &Costs,
    edges: &Edges,
) -> Sums {
    let symbols = recording.symbols();
    let file = |file: FileId| relative(case, symbols.source_name(groups.first_source(file)));
    let bounds = |total: Total| match total {
        Total::Exact(total) | Total::Estimated(total) => Some((Weight(total), Weight(total))),
        Total::Bounded { min, max } => Some((Weight(min), Weight(max))),
        Total::Unknown => None,
    };
    let place = |function: FunctionId| {
        let func = symbols.funcs.get(groups.first_func(function));
        let source = func.source.map(|source| relative(case, symbols.source_name(source)));
        (symbols.strings.get(func.name).to_owned(), source)
    };
    let mut sums = Sums::default();
    for line in costs.lines() {
        sums.lines.insert(
            (file(line.file), u64::from(line.line)),
            (Weight(line.cost.self_), bounds(line.cost.total)),
        );
    }
    for (function, cost) in costs.functions() {
        let line = symbols.funcs.get(groups.first_func(function)).line;
        let line = (line != 0 && has_starts(case)).then_some(u64::from(line));
        let row = (line, (Weight(cost.cost.self_), bounds(cost.cost.total)));
        sums.functions.entry(place(function)).or_default().push(row);
    }
    for edge in edges.all() {
        let ends = (place(edge.caller), place(edge.callee));
        if edge.estimated {
            sums.estimated.insert(ends.clone());
        }
        sums.calls.extend(edge.calls.map(|calls| (ends.clone(), calls)));
        sums.edges.entry(ends).or_default().push(Weight(edge.total));
    }
    sums.sort()
}

fn compare(
    case: &Case,
    expected: Sums,
    actual: Sums,
    comparable: &dyn Fn(&Place) -> bool,
    n_merged: usize,
) -> Compared {
    let name = &case.name;
    let (expected, actual) = in_pages(expected, actual);

    // `expected.json` lists only lines in files of the case. None may be missing, and none may be
    // extra. If source maps are applied, generated files must not have any lines.
    let files: BTreeSet<_> = expected.lines.keys().map(|(file, _)| file).collect();
    let is_mapped = |file: &String| case.generated.is_some() && case.folder.join(file).exists();
    let lines: BTreeMap<_, _> = actual
        .lines
        .iter()
        .filter(|((file, _), _)| files.contains(file) || is_mapped(file))
        .collect();
    let mut expected_lines = expected.lines.clone();
    for &(file, line) in case.over_counted {
        let at = (file.to_owned(), line);
        let ((_, total), (_, found)) = (expected_lines.get_mut(&at).unwrap(), actual.lines[&at]);
        assert!(
            found.is_none_or(|(_, max)| total.is_some_and(|(total, _)| max < total)),
            "{name}: {at:?}"
        );
        *total = found;
    }
    for &(file, line) in case.bounded {
        let at = (file.to_owned(), line);
        let ((_, total), (_, found)) = (expected_lines.get_mut(&at).unwrap(), actual.lines[&at]);
        let (Some((known, _)), Some((min, max))) = (*total, found) else { continue };
        assert!(min <= known && known <= max && min < max, "{name}: {at:?}");
        *total = found;
    }
    for (line, pair) in &mut expected_lines {
        accept_bounds(pair, actual.lines.get(line), false);
    }
    assert_eq!(lines, expected_lines.iter().collect(), "{name}: lines");

    let (mut functions, mut merged) = (0, 0);
    for (place, rows) in expected.functions.iter().filter(|(place, _)| comparable(place)) {
        let found =
            actual.functions.get(place).unwrap_or_else(|| panic!("{name}: {place:?} is missing"));
        if found.len() == rows.len() {
            let mut rows = rows.clone();
            for ((_, pair), (_, found)) in rows.iter_mut().zip(found) {
                accept_bounds(pair, Some(found), case.totals_from_elsewhere);
            }
            assert_eq!(*found, rows, "{name}: {place:?}");
            functions += rows.len();
            continue;
        }
        // One row on one side stands for several functions with this name and file on the other:
        // their selfs add up, and its total is between the largest of theirs and the sum. Rows with
        // the same start line are one function for us.
        let have_same_line = rows.windows(2).all(|pair| pair[0].0 == pair[1].0);
        let (one, several) =
            if found.len() == 1 && have_same_line { (found, rows) } else { (rows, found) };
        merged += usize::from(std::ptr::eq(one, rows));
        let [(_, (own, Some((total, _))))] = one[..] else {
            panic!("{name}: {place:?} has {} rows", one.len())
        };
        assert_eq!(
            Weight(several.iter().map(|(_, (own, _))| own.0).sum()),
            own,
            "{name}: {place:?}"
        );
        let totals = || several.iter().map(|(_, (_, total))| total.unwrap().1.0);
        assert!(
            totals().fold(0.0, f64::max) <= total.0 && total.0 <= totals().sum(),
            "{name}: {place:?}"
        );
    }
    let extra: Vec<_> = actual
        .functions
        .keys()
        .filter(|place| comparable(place) && !expected.functions.contains_key(place))
        .collect();
    assert!(extra.is_empty(), "{name}: not expected: {extra:?}");
    assert_eq!(merged, n_merged, "{name}: functions with the same name and file");
    assert!(functions > 0, "{name}: nothing was compared");

    // Edges are compared only if the names of both ends are unique.
    let are_unique = |(caller, callee): &Ends| {
        [caller, callee]
            .iter()
            .all(|end| actual.is_unique(end) && expected.is_unique(end) && comparable(end))
    };
    let (edges, left_out): (Vec<_>, Vec<_>) =
        expected.edges.iter().partition(|(ends, _)| are_unique(ends));
    for (ends, totals) in &edges {
        assert_eq!(
            actual.calls.get(*ends).filter(|_| expected.calls.contains_key(*ends)),
            expected.calls.get(*ends),
            "{name}: {ends:?}"
        );
        let is_recursive = ends.0 == ends.1 || expected.recursive.contains(*ends);
        // Mercury charges a call within a recursion with what the callee spends itself.
        if case.format == "mercury-deep" && is_recursive {
            assert!(actual.edges[ends][0] <= totals[0], "{name}: {ends:?}");
            continue;
        }
        if expected.recursive.contains(*ends) {
            let is_exact = actual.edges.get(*ends) == Some(*totals);
            assert!(is_exact || actual.estimated.contains(*ends), "{name}: {ends:?}");
            continue;
        }
        // Edges of stackprof are over-counted like its lines.
        if case.format == "stackprof" && actual.estimated.contains(ends) {
            assert!(actual.edges[ends][0] <= totals[0], "{name}: {ends:?}");
            continue;
        }
        assert_eq!(actual.edges.get(*ends), Some(*totals), "{name}: {ends:?}");
    }
    // Some cases list only edges with an end in the case. Those with the file names of the profile
    // do not have a note about it.
    let only_own = ["callers_note", "as_is"].iter().any(|key| case.expected.get(key).is_some());
    let listed = |ends: &&Ends| {
        are_unique(ends)
            && !expected.recursive.contains(*ends)
            && (!only_own || is_own(case, &ends.0) || is_own(case, &ends.1))
    };
    let extra: Vec<_> = actual
        .edges
        .keys()
        .filter(listed)
        .filter(|ends| !expected.edges.contains_key(ends))
        .collect();
    assert!(extra.is_empty(), "{name}: edges that are not expected: {extra:?}");

    Compared {
        lines: expected.lines.len(),
        functions,
        edges: edges.len(),
        functions_left_out: expected.functions.values().map(Vec::len).sum::<usize>() - functions,
        edges_left_out: left_out.len(),
    }
}

/// Replaces an expected total by the actual one if that is as good: within the expected bounds or,
/// if these are from a file with more information, around them. (That file separates two functions
/// of one name; what calls them differs by less than 0.5%.)
fn accept_bounds((_, expected): &mut Pair, actual: Option<&Pair>, from_elsewhere: bool) {
    let Some((min, max)) = *expected else { return };
    let Some(&(_, Some((lower, upper)))) = actual else { return };
    let is_near = || lower == upper && (lower.0 - min.0).abs() < 0.005 * min.0;
    if (min <= lower && upper <= max)
        || (from_elsewhere && ((lower <= min && max <= upper) || is_near()))
    {
        *expected = Some((lower, upper));
    }
}

/// Compares the weights of threads, including idle samples and those without a stack, which the
/// report excludes.
fn threads(case: &Case, recording: &Recording, metric: MetricId, report: &Value) {
    let Recording::Stacks(profile) = recording else { return };
    let metric = metric.index();
    let expected: BTreeMap<_, _> = rows(&case.expected, "threads")
        .map(|row| {
            (row["name"].as_str().unwrap().to_owned(), Weight(row["total"].as_f64().unwrap()))
        })
        .collect();
    let mut all: BTreeMap<String, f64> = BTreeMap::new();
    for ((thread, samples), row) in profile.sampled_threads().zip(rows(report, "threads")) {
        let [weight, excluded] = weights(profile, samples, metric);
        let own = (row["name"].as_str(), row["total"].as_f64().map(Weight));
        assert_eq!(own, (Some(&*thread.name), Some(Weight(weight - excluded))), "{}", case.name);
        let id = |id: &Option<String>| id.clone().unwrap_or_default();
        let ids = format!("{}/{}", id(&thread.pid), id(&thread.tid));
        let key = match (case.format.as_str(), thread.name.as_str(), thread.process_name.as_str()) {
            // The expected threads of a trace are identified by their own name or their ids.
            ("chrome-trace", name, _) if name.is_empty() || expected.contains_key(&ids) => ids,
            ("chrome-trace", name, _) | (_, name, "") => name.to_owned(),
            // Those of raw profiles contain the process id, since several processes have one name.
            ("gecko", name, process) if thread.pid.is_some() => {
                format!("{process} {}/{name}", id(&thread.pid))
            }
            (_, name, process) => format!("{process}/{name}"),
        };
        *all.entry(key).or_default() += weight;
    }
    all.retain(|_, weight| *weight != 0.0);
    let all: BTreeMap<_, _> =
        all.into_iter().map(|(name, weight)| (name, Weight(weight))).collect();
    if !expected.is_empty() {
        assert_eq!(all, expected, "{}: threads", case.name);
    }
}

/// The weight of all samples of a thread, and that of idle samples and those without a stack.
fn weights(profile: &Profile, samples: &Samples, metric: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for i in 0..samples.len() {
        let weight = samples.weights()[metric].get(i);
        sums[0] += weight;
        if samples.stack(i).is_none_or(|stack| profile.stacks().is_idle(stack)) {
            sums[1] += weight;
        }
    }
    sums
}
