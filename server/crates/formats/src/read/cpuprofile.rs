//! V8 `.cpuprofile`: the `Profile` of the DevTools protocol, as Node.js, Chromium and Deno write
//! it.
//!
//! [`super::v8`] has its contents and what is read of them.

use super::v8::{Counted, CpuProfile, Tree, default_metric, metrics, without_wrapper};
use crate::error::ReadError;
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::json;
use profile::{ProfileBuilder, Recording, Thread, Warnings};

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let profile: CpuProfile<'_> = json::decode(without_wrapper(bytes))?;
    let mut warnings = Warnings::default();
    let tree = Tree::of(&profile.nodes)?;
    let counted = Counted::of(&profile, &tree, &mut warnings);
    let span = || Some(profile.end_time? - profile.start_time?);
    let span_seconds = counted.total_time().or_else(span).map(|us| us / 1e6);
    // Clocks run backwards if they are set.
    let span_seconds = span_seconds.filter(|&seconds| seconds >= 0.0);

    let mut metrics = metrics(counted.any_line()).to_vec();
    if counted.total_time().is_none() {
        metrics.truncate(1);
    }
    let mut builder = ProfileBuilder::new(metrics, default_metric(counted.total_time()));
    let samples = counted.samples(&mut builder, &profile.nodes, &tree)?;
    builder.push_thread(Thread::default(), samples)?;
    let recording = Recording::Stacks(builder.build());
    Ok(Read { span_seconds, ..Read::new(Format::CpuProfile, recording, warnings) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{At, ErrorKind};
    use profile::{Code, LineKnowledge, Profile, StackAccess, WarningCode};
    use std::fmt::Write;

    fn frame(name: &str, url: &str, line: i64) -> String {
        format!(
            r#""callFrame":{{"functionName":"{name}","scriptId":"1","url":"{url}","lineNumber":{line},"columnNumber":{line}}}"#
        )
    }

    fn profile(text: &str) -> (Profile, Warnings, Option<f64>) {
        let read = read(text.as_bytes()).unwrap();
        let Recording::Stacks(profile) = read.recording else { panic!("it has stacks") };
        (profile, read.warnings, read.span_seconds)
    }

    /// Each row as `root>leaf:line hits time`.
    fn rows(profile: &Profile) -> String {
        let mut out = String::new();
        let samples = &profile.samples()[0];
        for row in 0..samples.len() {
            let (mut names, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
                let idle = if profile.stacks().is_idle(stack) { " idle" } else { "" };
                names.push(format!("{}{line}{idle}", profile.symbols().func_name(frame.func)));
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            write!(out, "{}", names.join(">")).unwrap();
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            out.push('\n');
        }
        out
    }

    /// Deno runs a text without types, and counts samples on its lines. Only the places of functions
    /// are in the script.
    #[test]
    fn lines_of_typescript_in_deno_are_unknown() {
        let nodes = |runtime: &str, script: &str| {
            format!(
                r#"{{"timeDeltas":[],"samples":[],"startTime":0,"endTime":0,"nodes":[
                {{"id":1,{},"hitCount":0}},
                {{"id":2,{},"hitCount":3,"positionTicks":[{{"line":4,"ticks":2}},{{"line":5,"ticks":1}}]}}]}}"#,
                frame("main", runtime, 0),
                frame("spin", script, 8),
            )
        };
        let codes = |warnings: &Warnings| -> Vec<_> {
            warnings.as_slice().iter().map(|warning| warning.code).collect()
        };
        let (deno, warnings, _) =
            profile(&nodes("ext:runtime_main/js/99_main.js", "file:///a/app.ts"));
        assert_eq!(rows(&deno), "spin 3 0\n");
        assert_eq!(codes(&warnings), [WarningCode::TranspiledLines]);
        // JavaScript is run as it is, and Node.js removes types without moving lines.
        for (runtime, script) in [
            ("ext:runtime_main/js/99_main.js", "file:///a/app.js"),
            ("node:internal/main/run_main_module", "file:///a/app.ts"),
        ] {
            let (other, warnings, _) = profile(&nodes(runtime, script));
            assert_eq!(rows(&other), "spin:4 2 0\nspin:5 1 0\n");
            assert_eq!(codes(&warnings), []);
        }
    }

    #[test]
    fn hits_have_lines_and_time_is_divided_like_hits() {
        let text = format!(
            r#"{{"timeDeltas":[100,10,-5,30,40],"samples":[4,4,3,9,2],"startTime":1000,"endTime":1182,"nodes":[
            {{"id":3,{},"hitCount":5,"positionTicks":[{{"line":8,"ticks":1}},{{"line":7,"ticks":2}},{{"line":8,"ticks":1}}]}},
            {{"id":1,{},"hitCount":0,"children":[2,4,9]}},
            {{"id":2,{},"hitCount":0,"children":[3]}},
            {{"id":4,{},"hitCount":6}},
            {{"id":9,{},"hitCount":2,"positionTicks":[{{"line":3,"ticks":2}}]}}]}}"#,
            frame("hash", "file:///a%20b/x.js", 5),
            frame("(root)", "", -1),
            frame("", "http://h/y.js?v=7", 0),
            frame("(idle)", "", -1),
            frame("fill", "", -1),
        );
        let (profile, warnings, span) = profile(&text);
        assert_eq!(
            rows(&profile),
            "(anonymous)>hash:7 2 0\n(anonymous)>hash:8 2 0\n(anonymous)>hash 1 0\n(idle) idle 6 0\nfill 2 0\n\
             (idle) idle 0 10\n(idle) idle 0 0\n(anonymous)>hash:8 0 10\n(anonymous)>hash:7 0 10\n\
             (anonymous)>hash 0 5\nfill 0 40\n(anonymous) 0 7\n"
        );
        assert_eq!(warnings.as_slice(), []);
        assert_eq!(span, Some(82e-6));
        let symbols = profile.symbols();
        assert_eq!(
            symbols.sources.iter().map(|&s| symbols.strings.get(s)).collect::<Vec<_>>(),
            ["http://h/y.js?v=7", "/a b/x.js"]
        );
        let hash = symbols
            .funcs
            .ids()
            .map(|id| symbols.funcs.get(id))
            .find(|f| symbols.strings.get(f.name) == "hash")
            .unwrap();
        assert_eq!((hash.line, hash.column), (6, 6));
        // Functions with a place are scripts; those with only a name are called by scripts.
        let codes =
            symbols.funcs.ids().map(|func| (symbols.func_name(func), symbols.funcs.code(func)));
        assert_eq!(
            codes.collect::<Vec<_>>(),
            [
                ("(anonymous)", Code::JavaScript),
                ("hash", Code::JavaScript),
                ("(idle)", Code::Native),
                ("fill", Code::Label)
            ]
        );
        assert_eq!(profile.default_metric().index(), 1);
        let metrics = Recording::Stacks(profile).metrics().to_vec();
        assert_eq!(
            metrics.iter().map(|m| (m.name.as_str(), m.unit.as_str(), m.lines)).collect::<Vec<_>>(),
            [
                ("hits", "hits", LineKnowledge::SelfOnly),
                ("time", "us", LineKnowledge::SelfEstimated)
            ]
        );
    }

    #[test]
    fn an_answer_of_the_inspector_is_its_profile() {
        let text = format!(
            r#"{{"nodes":[{{"id":1,{},"hitCount":3}}],"samples":[1],"timeDeltas":[0],"startTime":0,"endTime":7}}"#,
            frame("f", "file:///a/x.js", 1)
        );
        let (wrapped, ..) = profile(&format!(r#" {{ "profile" : {text} }}"#));
        assert_eq!(rows(&wrapped), rows(&profile(&text).0));
    }

    #[test]
    fn a_tree_by_parents_is_the_same_tree() {
        let nodes = [("f", "2"), ("(root)", "null"), ("g", "1")]
            .map(|(name, parent)| (frame(name, "", -1), parent));
        let nodes: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(i, (frame, parent))| {
                format!(r#"{{"id":{i},{frame},"parent":{parent},"hitCount":{i}}}"#)
            })
            .collect();
        let (profile, ..) = profile(&format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")));
        // The hit on the root has no stack.
        assert_eq!(rows(&profile), " 1\ng 2\n");
    }

    #[test]
    fn odd_counts_are_warned_of() {
        let text = format!(
            r#"{{"samples":[1,7,7],"timeDeltas":[1,2,3,4],"nodes":[{{"id":1,{},"hitCount":1,"positionTicks":[{{"line":2,"ticks":3}},{{"line":0,"ticks":1}}]}}]}}"#,
            frame("f", "x.js", 0)
        );
        let (profile, warnings, _) = profile(&text);
        assert_eq!(rows(&profile), "f:2 3 2\nf 1 0\n 0 7\n");
        let codes: Vec<_> = warnings.as_slice().iter().map(|w| (w.code, w.count)).collect();
        assert_eq!(
            codes,
            [
                (WarningCode::UnevenColumns, 1),
                (WarningCode::UnknownNode, 2),
                (WarningCode::TicksExceedHits, 1)
            ]
        );
    }

    #[test]
    fn samples_are_counted_if_nothing_else_is() {
        let text = format!(r#"{{"samples":[1,1],"nodes":[{{"id":1,{}}}]}}"#, frame("f", "x.js", 0));
        let (profile, warnings, span) = profile(&text);
        assert_eq!((rows(&profile).as_str(), span), ("f 2\n", None));
        assert_eq!(warnings.as_slice()[0].code, WarningCode::NoHitCount);
    }

    #[test]
    fn broken_trees_are_rejected_with_node_and_key() {
        let node = |id: i64, rest: &str| format!(r#"{{"id":{id},{}{rest}}}"#, frame("f", "", -1));
        let cases = [
            (
                vec![node(1, r#","children":[2,5]"#), node(2, "")],
                "nodes[0].children[1]: there is no node 5",
            ),
            (vec![node(1, r#","parent":3"#)], "nodes[0].parent: there is no node 3"),
            (
                vec![node(1, ""), node(1, "")],
                "nodes[1].id: node 1 occurs twice; expected ids to be unique",
            ),
            (
                vec![node(1, r#","children":[2]"#), node(2, r#","children":[1]"#)],
                "nodes[0].children: node 1 is reached from itself; expected a tree",
            ),
            (
                vec![node(1, r#","children":[3]"#), node(2, r#","children":[3]"#), node(3, "")],
                "nodes[1].children[0]: node 3 has two callers; expected a tree",
            ),
            (
                vec![node(1, r#","hitCount":"many""#)],
                "nodes[0].hitCount: invalid type: string \"many\", expected f64 (line 1, column 126)",
            ),
        ];
        for (nodes, expected) in cases {
            let error =
                read(format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")).as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Malformed, expected));
        }
        let error = read(br#"{"nodes":[{"id":1,"#).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(18)));
    }

    #[test]
    fn a_hundred_thousand_levels_are_read_without_recursion() {
        let nodes: Vec<_> = (0..100_000)
            .rev()
            .map(|i| {
                format!(
                    r#"{{"id":{i},{},"hitCount":1,"parent":{}}}"#,
                    frame("f", "", -1),
                    (i - 1).max(0)
                )
            })
            .collect();
        // Node 0 would be its own parent.
        let text = format!(r#"{{"nodes":[{}]}}"#, nodes.join(","))
            .replace(r#""hitCount":1,"parent":0}]"#, r#""hitCount":1}]"#);
        let (profile, ..) = profile(&text);
        assert_eq!(profile.stacks().len(), 100_000);
    }
}
