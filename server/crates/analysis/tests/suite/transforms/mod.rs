//! Transforms and the implementation filter: hand-checkable vectors with the Firefox Profiler's
//! numbers, and random stacks against the definitions.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

mod documented;
mod flame_chart;
mod keys;
mod own;
mod paths;
mod random;
mod range;
mod timeline;
mod v1;
mod v2;
mod views;

use analysis::{
    Addresses, CallNodes, Costs, Implementation, Operand, Rewrites, Transform, TransformKind, View,
    costs, reshape,
};
use profile::{FunctionId, Groups, Profile, Recording, StackAccess, text_samples};

/// Two files, calls on several lines, direct recursion, a leaf reached from two callers.
const V1: &str = "
    main@10[file:app.rs]   main@10    main@12               main@12                main@12    main@13
    parse@22[file:app.rs]  parse@23   eval@31[file:app.rs]  eval@31                eval@32
    hash@5[file:lib.rs]               eval@33               eval@31                parse@22
                                      hash@5                eval@34                hash@6
";

/// A native library that runs scripts, and code that was generated for one of them.
const V2: &str = "
    start@3[file:host.c][lib:host]              start@3         start@3         start@4
    tick.js@7[file:app.js][js][cat:JavaScript]  tick.js@7       tick.js@8       gc@40[file:host.c][lib:host][cat:Other]
    stub@20[file:host.c][lib:host]              stub@20         copy@31
    draw.js@15[file:app.js][js][cat:JavaScript] 0x5f00
    copy@30[file:host.c][lib:host]              draw.js@16
";

struct Case {
    recording: Recording,
    groups: Groups,
    view: View,
    warnings: Vec<String>,
    /// `None` if the view changes no stack.
    rewrites: Option<Rewrites>,
}

impl Case {
    /// Applies a filter and transforms, each of which can have a filter of its own.
    fn new(
        profile: Profile,
        implementation: Implementation,
        transforms: &[(&str, Option<Implementation>)],
    ) -> Self {
        let transforms = transforms
            .iter()
            .map(|&(text, implementation)| Transform { implementation, ..text.parse().unwrap() });
        let transforms = transforms.collect();
        Self::under(profile, |view| View { implementation, transforms, ..view })
    }

    /// Applies a view.
    fn under(profile: Profile, view: impl FnOnce(View) -> View) -> Self {
        let groups = Groups::identity(profile.symbols());
        Self::grouped(profile, groups, view)
    }

    /// Applies a view to functions.
    fn grouped(profile: Profile, groups: Groups, view: impl FnOnce(View) -> View) -> Self {
        let recording = Recording::Stacks(profile);
        let view = view(View::of(&recording));
        let (recording, groups, warnings, rewrites) =
            match reshape(&recording, &view, &groups, &Addresses::default()) {
                Some(reshaped) => {
                    let rewrites = Some(reshaped.rewrites);
                    (reshaped.recording, reshaped.groups, reshaped.problems.warnings, rewrites)
                }
                None => (recording, groups, Vec::new(), None),
            };
        Self {
            recording,
            groups,
            view,
            warnings: warnings.into_iter().map(|warning| warning.message).collect(),
            rewrites,
        }
    }

    fn costs(&self) -> Costs {
        costs(&self.recording, &self.view, &self.groups)
    }

    fn name(&self, function: FunctionId) -> &str {
        self.recording.symbols().func_name(self.groups.first_func(function))
    }

    /// `f self/total`, in the order of first use.
    fn functions(&self) -> String {
        let costs = self.costs();
        let text = |(function, cost): (_, analysis::FunctionCost)| {
            let idle =
                if cost.idle == 0.0 { String::new() } else { format!(" idle {}", cost.idle) };
            format!(
                "{} {}/{}{idle}",
                self.name(function),
                cost.cost.self_,
                cost.cost.total.exact().unwrap()
            )
        };
        costs.functions().map(text).collect::<Vec<_>>().join(", ")
    }

    /// `file line: self/total`.
    fn lines(&self) -> String {
        let costs = self.costs();
        let mut text = String::new();
        let mut last = None;
        for line in costs.lines() {
            let file = self.recording.symbols().source_name(self.groups.first_source(line.file));
            if last.replace(line.file) == Some(line.file) {
                text.push_str(", ");
            } else {
                text.push_str(&format!("{}{file} ", if text.is_empty() { "" } else { "; " }));
            }
            text.push_str(&format!(
                "{}: {}/{}",
                line.line,
                line.cost.self_,
                line.cost.total.exact().unwrap()
            ));
        }
        text
    }

    /// The call tree: `f self/total { callees }`.
    fn tree(&self) -> String {
        let nodes = CallNodes::new(self.recording.sampled().unwrap(), &self.view, &self.groups);
        let mut text = String::new();
        let mut depth = 0;
        let mut open: Vec<_> = nodes.children(None).collect();
        open.reverse();
        while let Some(id) = open.pop() {
            let node = nodes.get(id);
            text.push_str(&" }".repeat((depth - node.depth.min(depth)) as usize));
            let separator = match () {
                () if text.is_empty() => "",
                () if node.depth > depth => " { ",
                () => ", ",
            };
            text.push_str(&format!(
                "{separator}{} {}/{}",
                self.name(node.function),
                node.self_,
                node.total
            ));
            depth = node.depth;
            let at = open.len();
            open.extend(nodes.children(Some(id)));
            open[at..].reverse();
        }
        text + &" }".repeat(depth as usize)
    }
}

#[test]
fn paths_skip_hidden_frames() {
    let js = Some(Implementation::Js);
    let tree = |transform: &str, implementation| {
        Case::new(text_samples::profile(V2), Implementation::All, &[(transform, implementation)])
            .tree()
    };
    assert_eq!(tree("focus-subtree:tick.js>draw.js", js), "draw.js 1/2 { copy 1/1 }");
    assert_eq!(tree("focus-subtree:tick.js>draw.js", None), "");
    // One sample ends in `copy`, which is hidden, the other in a function that is not.
    assert_eq!(tree("focus-subtree-inverted:draw.js>tick.js", js), "start 0/2 { tick.js 2/2 }");
    assert_eq!(tree("focus-subtree-inverted:draw.js>tick.js", None), "");
    // Hidden frames on the path are removed with it, those below a merged frame remain.
    let merged =
        "start 0/4 { tick.js 0/3 { stub 0/2 { copy 1/1, 0x5f00 1/1 }, copy 1/1 }, gc 1/1 }";
    assert_eq!(tree("merge-node:tick.js>draw.js", js), merged);
}

/// Native frames between two of a script do not interrupt a direct recursion if only scripts are
/// shown.
#[test]
fn direct_recursion_skips_hidden_frames() {
    let text = "
        a@1[js][file:a.js]
        x@1
        b@2[js][file:a.js]
        y@1
        b@3
        z@1
        b@4
        w@1
    ";
    let tree = |transform: &str, implementation| {
        Case::new(text_samples::profile(text), Implementation::All, &[(transform, implementation)])
            .tree()
    };
    let collapsed = "a 0/1 { x 0/1 { b 0/1 { w 1/1 } } }";
    assert_eq!(tree("collapse-direct-recursion:b", Some(Implementation::Js)), collapsed);
    assert_eq!(tree("collapse-recursion:b", None), collapsed);
    let all = "a 0/1 { x 0/1 { b 0/1 { y 0/1 { b 0/1 { z 0/1 { b 0/1 { w 1/1 } } } } } } }";
    assert_eq!(tree("collapse-direct-recursion:b", None), all);
}

#[test]
fn labels_are_shown_with_scripts_and_with_native_code() {
    let text = "
        main@1[lib:app]  main@1
        tick@7[js]       tick@8
        send[label]      write@5[lib:app]
        write@5
    ";
    let tree = |implementation| Case::new(text_samples::profile(text), implementation, &[]).tree();
    assert_eq!(tree(Implementation::Js), "tick 1/2 { send 1/1 }");
    assert_eq!(tree(Implementation::Native), "main 0/2 { send 0/1 { write 1/1 }, write 1/1 }");
}

/// Whether a sample is idle does not depend on the filter.
#[test]
fn idle_samples_stay_idle() {
    let text = "
        tick@7[js][file:a.js]  tick@7        tick@7
        poll[idle]             copy          wait[idle]
                                             back
    ";
    let case = Case::new(text_samples::profile(text), Implementation::Js, &[]);
    assert_eq!(
        (case.costs().total, case.costs().idle, case.functions().as_str()),
        (2.0, 1.0, "tick 2/2 idle 1")
    );
    let case = Case::new(
        text_samples::profile(text),
        Implementation::All,
        &[("collapse-function-subtree:wait", None)],
    );
    assert_eq!((case.costs().total, case.costs().idle), (2.0, 1.0));
    assert_eq!(case.functions(), "tick 0/2, poll 0/0 idle 1, copy 1/1, wait 1/1");
}

#[test]
fn ignores_names_without_a_match_with_a_warning() {
    let warnings = |text: &str, implementation, transform| {
        let case = Case::new(text_samples::profile(text), implementation, &[(transform, None)]);
        assert_eq!(case.costs().total, 6.0, "{transform}");
        case.warnings.join("; ")
    };
    let v1 = |transform| warnings(V1, Implementation::All, transform);
    let is_ignored = |what: &str, transform: &str| format!("{what}; `{transform}` is ignored");
    for (transform, what) in [
        ("merge-function:evil", "no function is called `evil` (did you mean `eval`?)"),
        ("focus-subtree:main>evil", "no function is called `evil` (did you mean `eval`?)"),
        (
            "focus-subtree-inverted:hash>pars",
            "no function is called `pars` (did you mean `parse`?)",
        ),
        (
            "focus-function:lib.rs::eval",
            "no function is called `lib.rs::eval` (there are `eval`, `hash`, `main`, `parse`)",
        ),
        (
            "focus-function:z*",
            "no function matches `z*` (there are `eval`, `hash`, `main`, `parse`)",
        ),
        ("focus-category:Graphics", "no category is called `Graphics`"),
        ("collapse-resource:libc.so", "no library is called `libc.so`"),
    ] {
        assert_eq!(v1(transform), is_ignored(what, transform));
    }
    // Nothing remains of a path that no stack begins with.
    let case = Case::new(
        text_samples::profile(V1),
        Implementation::All,
        &[("focus-subtree:hash>main", None)],
    );
    let nothing = "no stack is left by `focus-subtree:hash>main`; nothing is shown";
    assert_eq!((case.costs().total, case.warnings), (0.0, vec![nothing.to_owned()]));
    for transform in ["merge-node:hash>main", "merge-subtree:hash>main", "drop-node:hash>main"] {
        let what = format!("no stack begins with the path of `{transform}`");
        assert_eq!(v1(transform), is_ignored(&what, transform));
    }
    let message = "this profile does not record which functions are JavaScript; all of them are \
                   shown";
    for implementation in [Implementation::Js, Implementation::Native] {
        assert_eq!(warnings(V1, implementation, "merge-function:eval"), message);
    }
}

#[test]
fn lists_the_places_of_ambiguous_functions() {
    let profile = || {
        use profile::{
            Frame, Func, Lib, LineKnowledge, Metric, ProfileBuilder, Samples, Thread, Weights,
        };
        let metric =
            Metric::new("samples", "samples", None).with_lines(LineKnowledge::SelfAndTotal);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let mut stack = |name: &str, file: Option<&str>, lib: Option<&str>, line| {
            let func = Func {
                name: builder.intern_string(name).unwrap(),
                source: file.map(|file| builder.intern_source(file).unwrap()),
                lib: lib.map(|name| {
                    builder.intern_lib(Lib { name: name.to_owned(), ..Lib::default() }).unwrap()
                }),
                line,
                column: 0,
            };
            let func = builder.intern_func(func).unwrap();
            let frame = builder.intern_frame(Frame::new(func, line)).unwrap();
            Some(builder.intern_stack(None, frame).unwrap())
        };
        let stacks = [
            stack("f", Some("/app/a.js"), None, 3),
            stack("f", Some("/app/a.js"), None, 9),
            stack("f", Some("/app/b.js"), None, 0),
            stack("f", None, Some("libf.so"), 0),
            stack("n::f", None, Some("libf.so"), 0),
        ];
        let samples = Samples::new(stacks, vec![Weights::Ones]);
        builder.push_thread(Thread::default(), samples).unwrap();
        builder.build()
    };
    let left = |name: &str| {
        let case =
            Case::new(profile(), Implementation::All, &[(&format!("focus-function:{name}"), None)]);
        let costs = case.costs();
        let found = costs
            .functions()
            .map(|(function, _)| case.groups.first_func(function).index().to_string());
        let found: Vec<_> = found.collect();
        if case.warnings.is_empty() { found.join(" ") } else { case.warnings.join("; ") }
    };
    for (name, func) in [
        ("a.js:3::f", "0"),
        ("app/a.js:9::f", "1"),
        ("b.js::f", "2"),
        ("/app/b.js::f", "2"),
        ("libf.so::f", "3"),
        ("n::f", "4"),
        ("libf.so::n::f", "4"),
    ] {
        assert_eq!(left(name), func, "{name}");
    }
    let places = "`/app/a.js:3::f`, `/app/a.js:9::f`";
    let ambiguous = |name, n, places| {
        format!("{n} functions match `{name}` ({places}); `focus-function:{name}` is ignored")
    };
    assert_eq!(left("a.js::f"), ambiguous("a.js::f", 2, places));
    assert_eq!(left("f"), ambiguous("f", 4, &format!("{places}, `/app/b.js::f`, `libf.so::f`")));
    assert_eq!(
        left("s::f"),
        "no function is called `s::f` (did you mean `n::f`?); `focus-function:s::f` is ignored"
    );
}

/// Transforms use the functions of the groups, whatever the names of their files.
#[test]
fn transforms_apply_to_grouped_functions() {
    let profile = text_samples::profile(
        "
        main@1           main@1
        f@2[file:a.c]    f@2[file:./a.c]
        g@3              h@3
        ",
    );
    let groups = Groups::new(profile.symbols(), |source| {
        profile.symbols().source_name(source).trim_start_matches("./").to_owned()
    });
    let recording = Recording::Stacks(profile);
    let transforms = vec!["merge-function:f".parse().unwrap()];
    let reshaped = reshape(
        &recording,
        &View { transforms, ..View::of(&recording) },
        &groups,
        &Addresses::default(),
    )
    .unwrap();
    assert_eq!(reshaped.problems.warnings.len(), 0);
    let costs = costs(&reshaped.recording, &View::of(&recording), &reshaped.groups);
    let names = costs
        .functions()
        .map(|(function, _)| recording.symbols().func_name(reshaped.groups.first_func(function)));
    assert_eq!(names.collect::<Vec<_>>(), ["main", "g", "h"]);
}
