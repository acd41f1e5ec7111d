//! Contour files beside deep profiles of Mercury, and grouped callers.

use crate::support::Project;
use analysis::{
    CallGroup, CallGrouping, CallGroups, CallTree, Costs, FunctionId, GroupKey, Groups, Recording,
    Recursion, View, WarningCode,
};
use answers::{Loaded, Marks};
use formats::Limits;
use mercury_files::deep::{DeepCall, DeepContext, DeepFile, DeepProc, DeepRun, DeepSite};
use serde_json::json;
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The procedures of [`DeepFile::even_odd`].
const SOURCE: &str = "\
:- module m.

main(!IO) :-

    even(10, Yes).




even(N, Even) :-

    odd(N - 1, Even),
    list.map(leaf, [N], _).






odd(N, Odd) :-

    even(N - 1, Odd).







leaf(N) = N + 1.
";

/// A project with a profile and, if `contour` is not empty, the contour file beside it.
fn project(file: &DeepFile, contour: &str) -> Project {
    let project = Project::new(&[("m.m", SOURCE)]);
    fs::write(project.path("Deep.data"), file.bytes()).unwrap();
    if !contour.is_empty() {
        fs::write(project.path("Deep.contour"), contour).unwrap();
    }
    project
}

fn loaded(project: &Project) -> Loaded {
    let path = project.path("Deep.data");
    Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn contour_files_are_read_with_the_profile() {
    let read = |contour: &str| {
        let loaded = loaded(&project(&DeepFile::even_odd(), contour));
        let warnings: Vec<_> = loaded
            .warnings
            .iter()
            .filter(|warning| warning.code == WarningCode::Contour)
            .map(|warning| warning.message.clone())
            .collect();
        (loaded.recording.knows_contour(), warnings)
    };
    assert_eq!(read(""), (false, Vec::new()));
    assert_eq!(read("internal m\n"), (true, Vec::new()));
    let (known, warnings) = read("all m\nall io\n");
    assert!(known && warnings.len() == 1 && warnings[0].ends_with(": `io`"), "{warnings:?}");
    assert_eq!(
        read("all m\nm\n"),
        (
            false,
            vec![
                "the contour file Deep.contour is ignored: line 2, column 1: the line is `m`; \
                 expected `all MODULE` or `internal MODULE`"
                    .to_owned()
            ]
        )
    );
    let ignored = "the contour file Deep.contour is ignored: the profile has no procedures of `io`";
    assert_eq!(read("all io\n"), (false, vec![ignored.to_owned()]));
}

#[test]
fn a_metric_without_the_cost_of_calls_has_no_contour() {
    let file = DeepFile::even_odd();
    let contour = |metric: &str| {
        let settings = json!({ "ownCode": true, "metric": metric });
        let project = project(&file, "internal m\n").with_settings(&settings);
        let shown = project.load_all(vec![loaded(&project)]);
        let mut warnings = shown.warnings.iter();
        let warning = warnings.find(|warning| warning.code == WarningCode::Contour);
        let marks = Marks::of(&shown);
        let is_marked = marks.parts.iter().any(|part| part == "own code");
        (is_marked, warning.map(|warning| warning.message.clone()))
    };
    assert_eq!(contour("callseqs"), (true, None));
    let message = "all callers are shown: the contour file needs call costs, which `exits` does \
                   not have; choose another metric";
    assert_eq!(contour("exits"), (false, Some(message.to_owned())));
}

#[test]
fn procedures_that_a_contour_file_excludes_are_not_own_code() {
    let own = |contour: &str| {
        let project = project(&DeepFile::even_odd(), contour);
        let shown = project.load_all(vec![loaded(&project)]);
        let functions = shown.costs.functions().map(|(function, _)| function);
        let own = functions.filter(|&function| shown.is_own(function));
        own.map(|function| shown.function(function).name.to_owned()).collect::<Vec<_>>()
    };
    // Only `main` is exported. The runtime has no source.
    let all = ["m.main/2-0", "m.even/2-0", "m.odd/2-0", "m.leaf/1+1-0"];
    assert_eq!(own(""), all);
    assert_eq!(own("internal m\n"), all[..1]);
    assert!(own("all m\n").is_empty());
}

/// A profile with its costs and call tree.
struct Case {
    costs: Costs,
    tree: CallTree,
    recording: Arc<Recording>,
    groups: Arc<Groups>,
}

impl Case {
    /// Reads a profile. `contour` is applied if it is not empty.
    fn new(file: &DeepFile, contour: &str) -> Self {
        let go_on = &mut |_| ControlFlow::Continue(());
        let mut read = formats::read(file.bytes(), Limits::default(), go_on).unwrap();
        read.add_contour(contour.as_bytes()).unwrap();
        let recording = Arc::new(read.recording);
        let groups = Arc::new(Groups::new(recording.symbols(), Err::<(), _>));
        let view = View { contour: !contour.is_empty(), ..View::of(&recording) };
        let costs = analysis::costs(&recording, &view, &groups);
        let tree = CallTree::new(recording.clone(), view, groups.clone());
        Self { costs, tree, recording, groups }
    }

    fn name(&self, function: FunctionId) -> String {
        let symbols = self.recording.symbols();
        symbols.func_name(self.groups.first_func(function)).to_owned()
    }

    fn function(&self, name: &str) -> FunctionId {
        let mut all = self.costs.functions().map(|(function, _)| function);
        all.find(|&function| self.name(function).contains(name)).unwrap()
    }

    fn callers(&self, of: FunctionId, by: CallGrouping) -> CallGroups {
        let module = |_| "unknown".to_owned();
        self.tree.grouped_callers(&[of], Recursion::Collapsed, by, &module)
    }

    /// The rows as text: name, line, calls and cost.
    fn rows(&self, groups: &CallGroups) -> Vec<String> {
        let row = |group: &CallGroup| {
            let name = match &group.key {
                GroupKey::Site(of, Some((_, line))) => format!("{}:{line}", self.name(*of)),
                GroupKey::Site(of, None) => format!("{}:?", self.name(*of)),
                GroupKey::Function(of) => self.name(*of),
                GroupKey::Module(name) => name.clone(),
                GroupKey::Clique(members) => {
                    members.iter().map(|of| self.name(*of)).collect::<Vec<_>>().join("+")
                }
            };
            let mark = if group.recursive { "↻ " } else { "" };
            let calls = group.calls.map_or("?".to_owned(), |calls| calls.to_string());
            format!("{mark}{name} {calls}x {}", group.total)
        };
        groups.groups.iter().map(row).collect()
    }

    fn callers_of(&self, name: &str, by: CallGrouping) -> Vec<String> {
        self.rows(&self.callers(self.function(name), by))
    }

    /// Caller, total and whether it is recursive, as in the call hierarchy.
    fn hierarchy(&self, path: &[&str]) -> Vec<(String, f64, bool)> {
        let path: Vec<_> = path.iter().map(|name| self.function(name)).collect();
        let step = self.tree.callers(&path, Recursion::Collapsed);
        let entries = step.entries.iter();
        entries.map(|entry| (self.name(entry.function), entry.total, entry.recursive)).collect()
    }
}

const ALL: [CallGrouping; 4] =
    [CallGrouping::Site, CallGrouping::Function, CallGrouping::Module, CallGrouping::Clique];

#[test]
fn callers_are_grouped_by_site_function_module_or_clique() {
    let case = Case::new(&DeepFile::even_odd(), "");
    let even = |by| case.callers_of("even", by);
    let expected = |main: &str, odd: &str| vec![format!("{main} 1x 12"), format!("↻ {odd} 2x 2")];
    assert_eq!(even(CallGrouping::Site), expected("m.main/2-0:5", "m.odd/2-0:22"));
    assert_eq!(even(CallGrouping::Function), expected("m.main/2-0", "m.odd/2-0"));
    assert_eq!(even(CallGrouping::Module), expected("m", "m"));
    assert_eq!(even(CallGrouping::Clique), expected("m.main/2-0", "m.even/2-0+m.odd/2-0"));
    assert_eq!(case.callers_of("leaf", CallGrouping::Site), ["m.even/2-0:13 6x 6"]);
    // Callees: `leaf` at line 13, and the recursive call of `odd` at line 12.
    let callees = |by| {
        let (path, module) = ([case.function("even")], |_| "unknown".to_owned());
        let recursion = Recursion::Collapsed;
        case.rows(&case.tree.grouped_callees(&path, recursion, by, &module))
    };
    let expected = |leaf: &str, odd: &str| vec![format!("{leaf} 6x 6"), format!("↻ {odd} 3x 3")];
    assert_eq!(callees(CallGrouping::Site), expected("m.even/2-0:13", "m.even/2-0:12"));
    assert_eq!(callees(CallGrouping::Module), expected("m", "m"));
    let odd = "m.even/2-0+m.odd/2-0";
    assert_eq!(callees(CallGrouping::Clique), expected("m.leaf/1+1-0", odd));
}

#[test]
fn a_contour_replaces_excluded_callers_by_theirs() {
    // Only the runtime is left.
    let case = Case::new(&DeepFile::even_odd(), "all m\n");
    let runtime = "Mercury runtime.Mercury runtime/0-0";
    for by in [CallGrouping::Function, CallGrouping::Clique] {
        let expected = [format!("{runtime} 1x 12"), format!("↻ {runtime} 2x 2")];
        assert_eq!(case.callers_of("even", by), expected);
    }
    let modules = case.callers_of("even", CallGrouping::Module);
    assert_eq!(modules, ["Mercury runtime 1x 12", "↻ Mercury runtime 2x 2"]);
    assert_eq!(case.callers_of("leaf", CallGrouping::Module), ["Mercury runtime 6x 6"]);
    // Costs and callees stay.
    assert_eq!(case.costs.function(case.function("even")).cost.self_, 3.0);

    // `main` is exported: it is what called the recursion, at line 5.
    let case = Case::new(&DeepFile::even_odd(), "internal m\n");
    let even = ["m.main/2-0:5 1x 12", "↻ m.main/2-0:5 2x 2"];
    assert_eq!(case.callers_of("even", CallGrouping::Site), even);
    assert_eq!(case.callers_of("leaf", CallGrouping::Site), ["m.main/2-0:5 6x 6"]);
    // So does the hierarchy.
    let main = "m.main/2-0".to_owned();
    let even = [(main.clone(), 12.0, false), (main.clone(), 2.0, true)];
    assert_eq!(case.hierarchy(&["even"]), even);
    assert_eq!(case.hierarchy(&["even", "main"]), [(runtime.to_owned(), 12.0, false)]);
    assert_eq!(case.hierarchy(&["leaf"]), [(main.clone(), 6.0, false)]);
    assert_eq!(case.hierarchy(&["leaf", "main"]), [(runtime.to_owned(), 6.0, false)]);
    assert_eq!(case.hierarchy(&["odd"]), [(main, 3.0, true)]);

    // The outermost caller stays, even if it is excluded.
    let mut file = DeepFile::even_odd();
    "m".clone_into(&mut file.procs[0].module);
    let case = Case::new(&file, "all m\n");
    let runtime = ["m.Mercury runtime/0-0 6x 6"];
    assert_eq!(case.callers_of("leaf", CallGrouping::Function), runtime);
}

/// `main` calls `p`, which spends 2 and calls `q` (1) through a closure, which calls `p` again, in a
/// new context (5). The inner call of `p` is part of the outer one.
#[test]
fn a_procedure_below_itself_is_called_once_from_outside() {
    let site = |kind, callee, line| DeepSite::new(kind, callee, line, "");
    let procs = vec![
        DeepProc::runtime(),
        DeepProc::new("main", 2, 1, vec![site(0, 2, 2)]),
        DeepProc::new("p", 2, 10, vec![site(2, 0, 11)]),
        DeepProc::new("q", 2, 20, vec![site(0, 2, 21)]),
    ];
    let call = |callee, callseqs| DeepCall { callee, counts: [1, 0, 0, 0, 0, callseqs, 0, 0] };
    let file = DeepFile {
        version: 9,
        callseqs: 9,
        procs,
        contexts: vec![
            DeepContext::new(0, &[&[0]]),
            DeepContext::new(1, &[&[1]]),
            DeepContext::new(2, &[&[2]]),
            DeepContext::new(3, &[&[3]]),
            DeepContext::new(2, &[&[]]),
        ],
        calls: vec![call(1, 1), call(2, 2), call(3, 1), call(4, 5)],
        ..DeepFile::default()
    };
    let case = Case::new(&file, "");
    for by in ALL {
        assert_eq!(case.callers(case.function("m.p/"), by).sum, 8.0);
        assert_eq!(case.callers(case.function("m.q/"), by).sum, 6.0);
    }
    let of_p = ["m.main/2-0:2 1x 8", "↻ m.q/2-0:21 1x 5"];
    assert_eq!(case.callers_of("m.p/", CallGrouping::Site), of_p);
    let hierarchy = [("m.main/2-0".to_owned(), 8.0, false), ("m.q/2-0".to_owned(), 5.0, true)];
    assert_eq!(case.hierarchy(&["m.p/"]), hierarchy);
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// A run of procedures in two modules that call each other normally and through closures.
fn random_run(random: &mut Random) -> DeepFile {
    let mut procs = vec![DeepProc::runtime()];
    for i in 1..6_u64 {
        let sites = (1..=random.below(4) as u64).map(|line| {
            DeepSite::new(2 * random.below(2) as u8, 1 + random.below(5), 10 * i + line, "")
        });
        let sites = sites.collect();
        procs.push(DeepProc {
            module: if i == 1 || (i < 5 && random.below(2) == 0) { "m" } else { "n" }.to_owned(),
            exported: random.below(2) == 0,
            ..DeepProc::new(&format!("p{i}"), 2, 10 * i, sites)
        });
    }
    let mut run = DeepRun::new(9, procs);
    run.call(0, 1);
    for _ in 0..200 {
        let (step, n_sites) = (random.below(6), run.file.procs[run.current()].sites.len());
        if step < n_sites && run.depth() < 50 {
            run.call(step, 1 + random.below(5));
        } else if run.depth() > 2 {
            run.end(0);
        }
    }
    while run.depth() > 1 {
        run.end(0);
    }
    run.file
}

#[test]
fn groups_of_random_runs_add_up() {
    let mut random = Random(14);
    for _ in 0..100 {
        let file = random_run(&mut random);
        let plain = Case::new(&file, "");
        for contour in ["all n\n", "internal m\ninternal n\n", "all m\nall n\n"] {
            let case = Case::new(&file, contour);
            let mut sums = [0.0, 0.0];
            for (function, _) in case.costs.functions() {
                let all = |case: &Case, by| {
                    let groups = case.callers(function, by);
                    let calls: u64 = groups.groups.iter().filter_map(|group| group.calls).sum();
                    let total: f64 = groups.groups.iter().map(|group| group.total).sum();
                    (groups.sum, total, calls)
                };
                let expected = all(&plain, CallGrouping::Site);
                for by in ALL {
                    assert_eq!(all(&plain, by), expected);
                    assert_eq!(all(&case, by), expected);
                }
                assert!(expected.0 <= file.callseqs as f64);
                sums[0] += all(&case, CallGrouping::Function).1;
                sums[1] += all(&plain, CallGrouping::Function).1;
                // Nothing that the contour excludes is a caller.
                for group in case.callers(function, CallGrouping::Module).groups {
                    let GroupKey::Module(module) = &group.key else { panic!("{group:?}") };
                    assert!(!contour.contains(&format!("all {module}\n")), "{group:?}");
                }
            }
            assert_eq!(sums[0], sums[1]);
        }
    }
}
