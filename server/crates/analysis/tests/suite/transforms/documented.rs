//! The trees of the Firefox Profiler's document on call trees (`docs-developer/call-tree.md`), with
//! self and total, and what each change makes of the path A>B>C>D>E.

use super::*;
use analysis::PathKind;

/// Three samples. Each function has one line.
const SAMPLES: &str = "
    A@1[file:a.c]  A@1            A@1
    B@2[file:a.c]  B@2            B@2
    C@3[file:a.c]  C@3            H@8[file:a.c]
    D@4[file:a.c]  F@6[file:a.c]  F@6
    E@5[file:a.c]  G@7[file:a.c]
";

/// A script that is interpreted, and twice compiled: then its functions have other frames.
const SCRIPT: &str = "
    RunScript@1[file:js.cpp]  RunScript@1               RunScript@1
    onLoad@2[file:a.js][js]   onLoad@2                  onLoad@2
    a@3[file:a.js][js]        IonCannon@9[file:js.cpp]  IonCannon@9
    b@4[file:a.js][js]        a@13                      a@13
                              b@14                      b@14
";

/// Samples, the filter, the transforms that show it, the tree, and the path.
type Picture<'a> = (&'a str, Implementation, &'a [&'a str], &'a str, &'a str);

const PICTURES: [Picture<'_>; 8] = [
    (
        SAMPLES,
        Implementation::All,
        &[],
        "A 0/3 { B 0/3 { C 0/2 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 } }, H 0/1 { F 1/1 } } }",
        "A>B>C>D>E",
    ),
    (
        SAMPLES,
        Implementation::All,
        &["merge-node:A>B>C", "merge-function:C"],
        "A 0/3 { B 0/3 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 }, H 0/1 { F 1/1 } } }",
        "A>B>D>E",
    ),
    (
        SAMPLES,
        Implementation::All,
        &["merge-node:A>B>C>D>E", "merge-function:E"],
        "A 0/3 { B 0/3 { C 0/2 { D 1/1, F 0/1 { G 1/1 } }, H 0/1 { F 1/1 } } }",
        "A>B>C>D",
    ),
    (
        SAMPLES,
        Implementation::All,
        &["merge-subtree:A>B>C"],
        "A 0/3 { B 2/3 { H 0/1 { F 1/1 } } }",
        "A>B",
    ),
    (
        SAMPLES,
        Implementation::All,
        &["drop-node:A>B>C", "drop-function:C"],
        "A 0/1 { B 0/1 { H 0/1 { F 1/1 } } }",
        "",
    ),
    (
        SAMPLES,
        Implementation::All,
        &["focus-subtree:A>B>C", "focus-function:C"],
        "C 0/2 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 } }",
        "C>D>E",
    ),
    (
        SCRIPT,
        Implementation::All,
        &[],
        "RunScript 0/3 { onLoad 0/3 { a 0/1 { b 1/1 }, IonCannon 0/2 { a 0/2 { b 2/2 } } } }",
        "RunScript>onLoad>IonCannon>a>b",
    ),
    (SCRIPT, Implementation::Js, &[], "onLoad 0/3 { a 0/3 { b 3/3 } }", "onLoad>a>b"),
];

/// The sums of a tree: `(name, self, total)`, by name. Only for trees without recursion.
fn sums(tree: &str) -> Vec<(String, f64, f64)> {
    let mut sums: Vec<(String, f64, f64)> = Vec::new();
    let words: Vec<_> =
        tree.split([' ', ',']).filter(|it| !matches!(*it, "" | "{" | "}")).collect();
    for two in words.chunks_exact(2) {
        let (own, total) = two[1].split_once('/').unwrap();
        let (own, total): (f64, f64) = (own.parse().unwrap(), total.parse().unwrap());
        match sums.iter_mut().find(|(name, ..)| name == two[0]) {
            Some(sum) => (sum.1, sum.2) = (sum.1 + own, sum.2 + total),
            None => sums.push((two[0].to_owned(), own, total)),
        }
    }
    sums.sort_by(|a, b| a.0.cmp(&b.0));
    sums
}

#[test]
fn the_documented_trees() {
    for (samples, implementation, transforms, tree, path) in PICTURES {
        let no_transform = [("", None)];
        let all: Vec<_> = transforms.iter().map(|&it| (it, None)).collect();
        let each = if all.is_empty() { &no_transform[..] } else { &all[..] };
        for applied in each {
            let applied =
                if applied.0.is_empty() { &[][..] } else { std::slice::from_ref(applied) };
            let case = Case::new(text_samples::profile(samples), implementation, applied);
            assert_eq!(case.warnings, [""; 0], "{applied:?}");
            assert_eq!(case.tree(), tree, "{applied:?}");

            // A function's costs are the sums of its nodes, and those of its lines.
            let expected = sums(tree);
            let costs = case.costs();
            let mut functions: Vec<_> = costs
                .functions()
                .map(|(function, cost)| {
                    let cost = cost.cost;
                    let total = cost.total.exact().unwrap();
                    (case.name(function).to_owned(), cost.self_, total)
                })
                .collect();
            functions.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(functions, expected, "{applied:?}");
            let count: f64 = expected.iter().map(|(_, own, _)| own).sum();
            assert_eq!(costs.total, count, "{applied:?}");
            if samples == SAMPLES {
                let name = |line: u32| char::from(b'A' + line as u8 - 1).to_string();
                let lines = costs.lines().iter().map(|line| {
                    let total = line.cost.total.exact().unwrap();
                    (name(line.line), line.cost.self_, total)
                });
                assert_eq!(lines.collect::<Vec<_>>(), expected, "{applied:?}");
            }

            let before = if samples == SAMPLES { PICTURES[0].4 } else { PICTURES[6].4 };
            let by_name =
                |wanted: &str| case.groups.functions().find(|&it| case.name(it) == wanted).unwrap();
            let before: Vec<_> = before.split('>').map(by_name).collect();
            let rewritten = match &case.rewrites {
                Some(rewrites) => rewrites.rewrite(&before, PathKind::Node, 0).unwrap_or_default(),
                None => before,
            };
            let rewritten: Vec<_> = rewritten.into_iter().map(|it| case.name(it)).collect();
            assert_eq!(rewritten.join(">"), path, "{applied:?}");
        }
    }
}
