//! Transforms and the implementation filter: hand-checkable vectors with the Firefox Profiler's
//! numbers, and random stacks against the definitions.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

use analysis::{
    CallNodes, Costs, Implementation, Operand, Transform, TransformKind, View, costs, reshape,
};
use profile::{FunctionId, Groups, Profile, Recording, StackAccess, text_samples};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
}

impl Case {
    /// Applies a filter and transforms, each of which can have a filter of its own.
    fn new(
        profile: Profile,
        implementation: Implementation,
        transforms: &[(&str, Option<Implementation>)],
    ) -> Self {
        let groups = Groups::identity(profile.symbols());
        let recording = Recording::Stacks(profile);
        let transforms = transforms
            .iter()
            .map(|&(text, implementation)| Transform { implementation, ..text.parse().unwrap() });
        let view =
            View { implementation, transforms: transforms.collect(), ..View::of(&recording) };
        let (recording, groups, warnings) = match reshape(&recording, &view, &groups) {
            Some(reshaped) => (reshaped.recording, reshaped.groups, reshaped.warnings),
            None => (recording, groups, Vec::new()),
        };
        Self {
            recording,
            groups,
            view,
            warnings: warnings.into_iter().map(|warning| warning.message).collect(),
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

/// Expects total, functions, lines and tree of [`V1`] after one transform.
#[track_caller]
fn v1(transform: &str, total: f64, functions: &str, lines: &str, tree: &str) {
    let case = Case::new(text_samples::profile(V1), Implementation::All, &[(transform, None)]);
    assert_eq!(case.warnings, [""; 0], "{transform}");
    assert_eq!((case.costs().total, case.costs().no_stack), (total, 0.0), "{transform}");
    assert_eq!(case.functions(), functions, "{transform}");
    assert_eq!(case.lines(), lines, "{transform}");
    assert_eq!(case.tree(), tree, "{transform}");
}

const V1_LINES: &str = "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 2/2, 6: 1/1";

#[test]
fn v1_a_merge_function() {
    v1(
        "merge-function:eval",
        6.0,
        "main 2/6, parse 1/3, hash 3/3",
        "app.rs 10: 0/2, 12: 1/3, 13: 1/1, 22: 0/2, 23: 1/1; lib.rs 5: 2/2, 6: 1/1",
        "main 2/6 { parse 1/3 { hash 2/2 }, hash 1/1 }",
    );
}

#[test]
fn v1_b_merge_node() {
    v1(
        "merge-node:main>eval",
        6.0,
        "main 1/6, parse 1/3, hash 3/3, eval 1/2",
        "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 31: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 2/2, 6: 1/1",
        "main 1/6 { parse 1/3 { hash 2/2 }, eval 0/2 { hash 1/1, eval 1/1 } }",
    );
}

#[test]
fn v1_c_drop_function() {
    v1(
        "drop-function:parse",
        3.0,
        "main 1/3, hash 1/1, eval 1/2",
        "app.rs 12: 0/2, 13: 1/1, 31: 0/2, 33: 0/1, 34: 1/1; lib.rs 5: 1/1",
        "main 1/3 { eval 0/2 { eval 0/2 { hash 1/1, eval 1/1 } } }",
    );
}

#[test]
fn v1_d_collapse_recursion() {
    for transform in ["collapse-direct-recursion:eval", "collapse-recursion:eval"] {
        v1(
            transform,
            6.0,
            "main 1/6, parse 1/3, hash 3/3, eval 1/3",
            &V1_LINES.replace("31: 0/2, ", ""),
            "main 1/6 { parse 1/2 { hash 1/1 }, eval 1/3 { parse 0/1 { hash 1/1 }, hash 1/1 } }",
        );
    }
}

#[test]
fn v1_e_focus_function_and_subtree() {
    for transform in ["focus-function:eval", "focus-subtree:main>eval"] {
        v1(
            transform,
            3.0,
            "parse 0/1, hash 2/2, eval 1/3",
            "app.rs 22: 0/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 1/1, 6: 1/1",
            "eval 0/3 { parse 0/1 { hash 1/1 }, eval 0/2 { hash 1/1, eval 1/1 } }",
        );
    }
}

#[test]
fn v1_f_focus_subtree_inverted() {
    v1(
        "focus-subtree-inverted:hash>parse",
        2.0,
        "main 0/2, parse 2/2, eval 0/1",
        "app.rs 10: 0/1, 12: 0/1, 22: 2/2, 32: 0/1",
        "main 0/2 { parse 1/1, eval 0/1 { parse 1/1 } }",
    );
}

#[test]
fn v1_g_focus_self() {
    v1("focus-self:eval", 1.0, "eval 1/1", "app.rs 34: 1/1", "eval 1/1");
}

#[test]
fn v1_h_collapse_function_subtree() {
    v1(
        "collapse-function-subtree:eval",
        6.0,
        "main 1/6, parse 1/2, hash 1/1, eval 3/3",
        "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/1, 23: 1/1, 31: 2/2, 32: 1/1; lib.rs 5: 1/1",
        "main 1/6 { parse 1/2 { hash 1/1 }, eval 3/3 }",
    );
}

/// The Firefox Profiler documents these two but does not implement them.
#[test]
fn v1_merge_subtree_and_drop_node() {
    v1(
        "merge-subtree:main>eval",
        6.0,
        "main 4/6, parse 1/2, hash 1/1",
        "app.rs 10: 0/2, 12: 3/3, 13: 1/1, 22: 0/1, 23: 1/1; lib.rs 5: 1/1",
        "main 4/6 { parse 1/2 { hash 1/1 } }",
    );
    // Only that path: `parse` below `eval` remains.
    v1(
        "drop-node:main>parse",
        4.0,
        "main 1/4, parse 0/1, hash 2/2, eval 1/3",
        "app.rs 12: 0/3, 13: 1/1, 22: 0/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 1/1, 6: 1/1",
        "main 1/4 { eval 0/3 { parse 0/1 { hash 1/1 }, eval 0/2 { hash 1/1, eval 1/1 } } }",
    );
}

#[test]
fn v1_applies_transforms_in_order() {
    let after = |transforms: [&str; 2]| {
        Case::new(
            text_samples::profile(V1),
            Implementation::All,
            &transforms.map(|transform| (transform, None)),
        )
        .functions()
    };
    assert_eq!(after(["merge-function:eval", "focus-subtree:main>hash"]), "hash 1/1");
    assert_eq!(after(["focus-subtree:main>hash", "merge-function:eval"]), "");
    // Transforms do not change the set of functions, so names keep their meaning.
    assert_eq!(
        after(["focus-function:eval", "drop-function:main"]),
        "parse 0/1, hash 2/2, eval 1/3"
    );
}

#[track_caller]
fn v2(
    implementation: Implementation,
    transforms: &[(&str, Option<Implementation>)],
    total: f64,
    functions: &str,
    lines: &str,
) -> Case {
    let case = Case::new(text_samples::profile(V2), implementation, transforms);
    assert_eq!(case.warnings, [""; 0]);
    assert_eq!(case.costs().total, total);
    assert_eq!(case.functions(), functions);
    assert_eq!(case.lines(), lines);
    case
}

#[test]
fn v2_a_javascript_only() {
    let lines = "app.js 7: 0/2, 8: 1/1, 15: 1/1, 16: 1/1";
    v2(Implementation::Js, &[], 3.0, "tick.js 1/3, draw.js 2/2", lines);
}

#[test]
fn v2_b_native_only() {
    let lines = "host.c 3: 0/3, 4: 0/1, 20: 1/2, 30: 1/1, 31: 1/1, 40: 1/1";
    v2(Implementation::Native, &[], 4.0, "start 0/4, stub 1/2, copy 2/2, gc 1/1", lines);
}

#[test]
fn v2_c_collapse_resource() {
    let functions = "tick.js 0/3, draw.js 1/2, 0x5f00 0/1, host 3/4";
    let case = v2(
        Implementation::All,
        &[("collapse-resource:host", None)],
        4.0,
        functions,
        "app.js 7: 0/2, 8: 0/1, 15: 0/1, 16: 1/1",
    );
    let tree = "host 1/4 { tick.js 0/3 { host 1/3 { draw.js 0/1 { host 1/1 }, 0x5f00 0/1 { draw.js 1/1 } } } }";
    assert_eq!(case.tree(), tree);
    // With a filter, hidden frames below the library belong to it.
    let transform = ("collapse-resource:host", Some(Implementation::Native));
    assert_eq!(
        Case::new(text_samples::profile(V2), Implementation::All, &[transform]).tree(),
        "host 4/4"
    );
}

#[test]
fn v2_d_focus_self_under_a_filter() {
    let transform = ("focus-self:tick.js", Some(Implementation::Js));
    let case = v2(
        Implementation::All,
        &[transform],
        1.0,
        "tick.js 0/1, copy 1/1",
        "host.c 31: 1/1; app.js 8: 0/1",
    );
    assert_eq!(case.tree(), "tick.js 0/1 { copy 1/1 }");
    // Without a filter of its own, a transform uses the view's.
    let case = v2(
        Implementation::Js,
        &[("focus-self:tick.js", None)],
        1.0,
        "tick.js 1/1",
        "app.js 8: 1/1",
    );
    assert_eq!(case.tree(), "tick.js 1/1");
}

#[test]
fn v2_e_focus_category() {
    let case = v2(
        Implementation::All,
        &[("focus-category:JavaScript", None)],
        3.0,
        "tick.js 0/3, stub 0/2, draw.js 1/2, copy 2/2, 0x5f00 0/1",
        "host.c 20: 0/2, 30: 1/1, 31: 1/1; app.js 7: 0/2, 8: 0/1, 15: 0/1, 16: 1/1",
    );
    let tree = "tick.js 0/3 { stub 0/2 { draw.js 0/1 { copy 1/1 }, 0x5f00 0/1 { draw.js 1/1 } }, copy 1/1 }";
    assert_eq!(case.tree(), tree);
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
    // A path that no stack begins with is not an error: nothing remains.
    let case = Case::new(
        text_samples::profile(V1),
        Implementation::All,
        &[("focus-subtree:hash>main", None)],
    );
    assert_eq!((case.costs().total, case.warnings.len()), (0.0, 0));
    let message = "this profile does not say which functions are JavaScript; all of them are shown";
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
            let frame =
                builder.intern_frame(Frame { func, line, column: 0, inlined: false }).unwrap();
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
    let reshaped =
        reshape(&recording, &View { transforms, ..View::of(&recording) }, &groups).unwrap();
    assert_eq!(reshaped.warnings.len(), 0);
    let costs = costs(&reshaped.recording, &View::of(&recording), &reshaped.groups);
    let names = costs
        .functions()
        .map(|(function, _)| recording.symbols().func_name(reshaped.groups.first_func(function)));
    assert_eq!(names.collect::<Vec<_>>(), ["main", "g", "h"]);
}

type Stack = Vec<(usize, u32)>;

/// Functions `f0`…`f3`, lines 1 to 3; odd ones are scripts.
fn stacks() -> impl Strategy<Value = Vec<Stack>> {
    prop::collection::vec(prop::collection::vec((0_usize..4, 1_u32..4), 1..9), 1..12)
}

fn text(samples: &[Stack]) -> String {
    let depth = samples.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..depth {
        for stack in samples {
            let cell = |&(f, line): &(usize, u32)| {
                let (js, category) =
                    if f % 2 == 1 { ("[js]", "[cat:JavaScript]") } else { ("", "") };
                format!("f{f}@{line}[file:{}.c][lib:{}]{js}{category}", f / 2, f / 2)
            };
            text.push_str(&format!("{:48}", stack.get(row).map(cell).unwrap_or_default()));
        }
        text.push('\n');
    }
    text
}

/// A stack after a transform, computed frame by frame. `hides` tells which functions the filter
/// hides.
fn expected(
    kind: &str,
    path: &[usize],
    hides: impl Fn(usize) -> bool,
    stack: &[(usize, u32)],
) -> Stack {
    let of = |&(f, _): &(usize, u32)| f == path[0];
    // The number of frames that the path takes from one end; `None` if it does not match.
    let along = |frames: &mut dyn Iterator<Item = usize>| {
        let mut rest = path;
        for (n, f) in frames.enumerate() {
            match rest.split_first() {
                Some((&next, more)) if next == f => rest = more,
                Some(_) if hides(f) => continue,
                _ => return None,
            }
            if rest.is_empty() {
                return Some(n + 1);
            }
        }
        None
    };
    let begins = along(&mut stack.iter().map(|&(f, _)| f));
    let without =
        |range: std::ops::Range<usize>| [&stack[..range.start], &stack[range.end..]].concat();
    let (first, last) = (stack.iter().position(of), stack.iter().rposition(of));
    match kind {
        "merge-function" => stack.iter().filter(|frame| !of(frame)).copied().collect(),
        "drop-function" => {
            if first.is_some() {
                Vec::new()
            } else {
                stack.to_vec()
            }
        }
        "focus-function" => first.map_or_else(Vec::new, |first| stack[first..].to_vec()),
        "collapse-function-subtree" => {
            first.map_or(stack.to_vec(), |first| stack[..=first].to_vec())
        }
        "collapse-recursion" => {
            first.zip(last).map_or(stack.to_vec(), |(first, last)| without(first..last))
        }
        "collapse-direct-recursion" => {
            let mut left: Stack = Vec::new();
            // The first frame of the current run of recursion.
            let mut run: Option<usize> = None;
            for &(f, line) in stack {
                match run {
                    Some(start) if f == path[0] => left.truncate(start),
                    None if f == path[0] => run = Some(left.len()),
                    Some(_) if !hides(f) => run = None,
                    _ => {}
                }
                left.push((f, line));
            }
            left
        }
        "focus-self" => {
            let last = last.filter(|&last| stack[last + 1..].iter().all(|&(f, _)| hides(f)));
            last.map_or_else(Vec::new, |last| stack[last..].to_vec())
        }
        "merge-node" => begins.map_or(stack.to_vec(), |n| without(n - 1..n)),
        "merge-subtree" => begins.map_or(stack.to_vec(), |n| stack[..n - 1].to_vec()),
        "drop-node" => {
            if begins.is_some() {
                Vec::new()
            } else {
                stack.to_vec()
            }
        }
        "focus-subtree" => begins.map_or_else(Vec::new, |n| stack[n - 1..].to_vec()),
        "focus-subtree-inverted" => {
            let n = along(&mut stack.iter().rev().map(|&(f, _)| f));
            n.map_or_else(Vec::new, |n| stack[..=stack.len() - n].to_vec())
        }
        _ => unreachable!("{kind}"),
    }
}

proptest! {
    #[test]
    fn stacks_match_the_definitions(
        samples in stacks(),
        kind in 0..TransformKind::ALL.len(),
        path in prop::collection::vec(0_usize..4, 1..4),
        filter in 0_usize..3,
    ) {
        let kind: TransformKind = TransformKind::ALL[kind];
        // Categories and libraries have tests of their own.
        prop_assume!(matches!(kind.operand(), Operand::Function | Operand::Path));
        let path = if kind.operand() == Operand::Path { &path[..] } else { &path[..1] };
        let kind = kind.name();
        let implementation = [Implementation::All, Implementation::Js, Implementation::Native][filter];
        let hides = |f: usize| implementation != Implementation::All && (f % 2 == 1) == (implementation == Implementation::Native);
        let present: BTreeSet<usize> = samples.iter().flatten().map(|&(f, _)| f).collect();
        // Without a script the filter is ignored, and so are names that do not occur.
        prop_assume!(path.iter().all(|f| present.contains(f)) && (filter == 0 || present.iter().any(|f| f % 2 == 1)));

        let names: Vec<_> = path.iter().map(|f| format!("f{f}")).collect();
        let transform = format!("{kind}:{}", names.join(">"));
        // First the transform, then the filter of the view.
        let left: Vec<Stack> = samples
            .iter()
            .map(|stack| expected(kind, path, hides, stack))
            .map(|stack| stack.into_iter().filter(|&(f, _)| !hides(f)).collect::<Stack>())
            .filter(|stack| !stack.is_empty())
            .collect();

        let case = Case::new(text_samples::profile(&text(&samples)), implementation, &[(&transform, None)]);
        prop_assert!(case.warnings.is_empty(), "{:?}", case.warnings);
        let profile = case.recording.sampled().unwrap();
        let found: Vec<Stack> = profile.samples()[0].stacks().map(|leaf| {
            let mut stack: Stack = std::iter::successors(leaf, |&stack| profile.stacks().prefix(stack)).map(|stack| {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                (profile.symbols().func_name(frame.func)[1..].parse().unwrap(), frame.line)
            }).collect();
            stack.reverse();
            stack
        }).collect();
        prop_assert_eq!(&found, &left, "{}", transform);

        // No total exceeds that of the profile, and self costs add up to it.
        let costs = case.costs();
        prop_assert_eq!(costs.total, left.len() as f64);
        let mut own: BTreeMap<String, f64> = BTreeMap::new();
        for (function, cost) in costs.functions() {
            prop_assert!(cost.cost.total.exact().unwrap() <= costs.total);
            *own.entry(case.name(function).to_owned()).or_default() += cost.cost.self_;
        }
        prop_assert_eq!(own.values().sum::<f64>(), costs.total);
    }
}
