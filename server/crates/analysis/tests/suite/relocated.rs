//! Costs of a relocated recording: merged lines count once per sample, and a function whose lines
//! went to several files stays one function.
#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

use analysis::{View, costs};
use profile::{
    Groups, Moved, OriginalPlace, PlaceKind, Position, Recording, Total, relocate, text_samples,
};
use std::fmt::Write as _;

/// `out.js` bundles `a.ts` (lines up to 9, two per line of `a.ts`) and `b.ts` (the other lines);
/// `main` has no original.
fn find(asked: PlaceKind, Position { line, .. }: Position) -> Moved<'static> {
    let to = |file, line| Moved::To(OriginalPlace { file, line, column: 0 });
    match (asked, line) {
        (_, 1) => Moved::Stays,
        (_, 2..10) => to("a.ts", line / 2),
        (_, _) => to("b.ts", line - 10),
    }
}

#[test]
fn relocated_lines_and_functions_count_once_per_sample() {
    let profile = text_samples::profile(
        "
        main@1[start:1][file:out.js]  main@1   main@11  main@1
        walk@4[start:2][file:out.js]  walk@5            walk@6
        walk@5                        walk@4
        walk@12                       leaf@12[start:12][file:out.js]
        ",
    );
    let recording = relocate(&Recording::Stacks(profile), find);
    let groups = Groups::identity(recording.symbols());
    let costs = costs(&recording, &View::of(&recording), &groups);
    let symbols = recording.symbols();
    let mut out = String::new();
    for (function, cost) in costs.functions() {
        let Total::Exact(total) = cost.cost.total else { panic!("stacks have totals") };
        let func = symbols.funcs.get(groups.first_func(function));
        let (name, file) =
            (symbols.strings.get(func.name), symbols.source_name(func.source.unwrap()));
        writeln!(out, "{name} {file}:{} {}/{total}", func.line, cost.cost.self_).unwrap();
    }
    for line in costs.lines() {
        let Total::Exact(total) = line.cost.total else { panic!("stacks have totals") };
        let file = symbols.source_name(groups.first_source(line.file));
        writeln!(out, "{file}:{} {}/{total}", line.line, line.cost.self_).unwrap();
    }
    // Lines 4 and 5 of `out.js` are line 2 of `a.ts`: two of four samples contain it. Line 12 runs
    // in `walk` and in `leaf`, 11 in `main`: all in `b.ts`.
    assert_eq!(
        out,
        "main out.js:1 1/4\nwalk a.ts:1 2/3\nleaf b.ts:2 1/1\nout.js:1 0/3\na.ts:2 0/2\na.ts:3 1/1\nb.ts:1 1/1\nb.ts:2 2/2\n"
    );
}
