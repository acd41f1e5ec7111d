//! Paths from before a transform, on [`V1`] and [`V2`]. Those of call nodes are the Firefox
//! Profiler's.

use super::*;
use analysis::{PathKind, Recursion};

/// The path that a transform makes of another; empty if it is dropped.
fn rewritten(profile: Profile, transforms: &[&str], kind: PathKind, path: &str) -> String {
    let groups = Groups::identity(profile.symbols());
    let recording = Recording::Stacks(profile);
    let transforms = transforms.iter().map(|text| text.parse().unwrap()).collect();
    let view = View { transforms, ..View::of(&recording) };
    let reshaped = reshape(&recording, &view, &groups, &Addresses::default()).unwrap();
    let name = |function: FunctionId| {
        reshaped.recording.symbols().func_name(reshaped.groups.first_func(function))
    };
    let by_name = |wanted: &str| groups.functions().find(|&it| name(it) == wanted).unwrap();
    let path: Vec<_> = path.split('>').map(by_name).collect();
    let after = reshaped.rewrites.rewrite(&path, kind, 0).unwrap_or_default();
    after.into_iter().map(name).collect::<Vec<_>>().join(">")
}

#[track_caller]
fn v1(kind: PathKind, cases: &[(&str, &str, &str)]) {
    for (transform, path, expected) in cases {
        let after = rewritten(text_samples::profile(V1), &[transform], kind, path);
        assert_eq!(after, *expected, "{path} after {transform}");
    }
}

#[test]
fn paths_of_call_nodes() {
    v1(
        PathKind::Node,
        &[
            // The vectors' own.
            ("merge-function:eval", "main>eval>eval>hash", "main>hash"),
            ("merge-node:main>eval", "main>eval>eval>hash", "main>eval>hash"),
            ("drop-function:parse", "main>eval>eval>hash", "main>eval>eval>hash"),
            ("collapse-direct-recursion:eval", "main>eval>eval>hash", "main>eval>hash"),
            ("collapse-recursion:eval", "main>eval>eval>hash", "main>eval>hash"),
            ("focus-function:eval", "main>eval>eval>hash", "eval>eval>hash"),
            ("focus-subtree:main>eval", "main>eval>eval>hash", "eval>eval>hash"),
            ("focus-self:eval", "main>eval>eval>hash", "eval"),
            ("collapse-function-subtree:eval", "main>eval>eval>hash", "main>eval"),
            // A node that is merged is its caller.
            ("merge-function:eval", "main>eval", "main"),
            ("merge-node:main>parse", "main>parse", "main"),
            ("merge-subtree:main>eval", "main>eval>eval>hash", "main"),
            ("merge-function:main", "main", ""),
            // Other nodes are dropped, or stay.
            ("drop-function:eval", "main>eval>eval>hash", ""),
            ("drop-node:main>eval", "main>eval>parse", ""),
            ("drop-node:main>parse", "main>eval>parse", "main>eval>parse"),
            ("merge-node:main>parse", "main>eval>parse", "main>eval>parse"),
            ("focus-subtree:main>eval", "main>parse", ""),
            ("focus-subtree:main>eval", "main", ""),
            ("focus-function:hash", "main>parse", ""),
            ("focus-self:eval", "main>parse>hash", ""),
            ("focus-subtree-inverted:hash>parse", "main>parse>hash", "main>parse"),
            ("focus-subtree-inverted:hash>parse", "main>eval>parse", "main>eval>parse"),
        ],
    );
}

#[test]
fn paths_of_the_bottom_up_tree() {
    v1(
        PathKind::InvertedNode,
        &[
            ("merge-function:parse", "hash>parse>main", "hash>main"),
            ("focus-subtree-inverted:hash>parse", "hash>parse>main", "parse>main"),
            ("focus-subtree-inverted:hash>parse", "hash>eval", ""),
            ("focus-subtree-inverted:hash>parse", "hash", ""),
            ("focus-function:eval", "hash>eval>eval>main", "hash>eval>eval"),
            ("drop-function:eval", "hash>eval", ""),
            // It is not known what calls `parse`.
            ("focus-subtree:main>eval", "hash>parse", "hash>parse"),
        ],
    );
}

#[test]
fn paths_of_callers_and_callees() {
    let callees = &[
        ("merge-function:eval", "main>eval>hash", "main>hash"),
        ("merge-function:eval", "eval>parse>hash", "parse>hash"),
        ("merge-function:eval", "eval", ""),
        ("collapse-direct-recursion:eval", "eval>hash", "eval>hash"),
        ("collapse-function-subtree:parse", "main>parse>hash", "main>parse"),
        ("drop-function:eval", "eval>hash", ""),
        ("focus-function:parse", "eval>hash", "eval>hash"),
        ("focus-function:eval", "main>eval>hash", "eval>hash"),
        // `main>eval>eval` of the transform is one call of `eval` if recursion is collapsed.
        ("focus-subtree:main>eval>eval", "main>eval>hash", "eval>hash"),
        // Calls that do not begin with the path of the transform may be anywhere.
        ("focus-subtree:main>eval", "eval>hash", "eval>hash"),
    ];
    v1(PathKind::Callees(Recursion::Collapsed), callees);
    let callers = &[
        ("merge-function:parse", "hash>parse>eval", "hash>eval"),
        ("merge-function:parse", "hash>parse>eval>main", "hash>eval>main"),
        ("focus-function:eval", "hash>parse>eval>main", "hash>parse>eval"),
        ("focus-function:parse", "hash>parse>eval>main", "hash>parse"),
        ("drop-function:parse", "hash>parse>eval>main", ""),
        ("focus-subtree:main>eval", "hash>parse>eval>main", "hash>parse>eval"),
        ("merge-node:main>eval", "hash>parse>eval>main", "hash>parse>main"),
    ];
    v1(PathKind::Callers(Recursion::Collapsed), callers);
    // Between `main` and `hash`, `eval` calls itself: without `parse`, its calls are one again.
    let text = "main@1 eval@2 parse@3 eval@4 hash@5".replace(' ', "\n");
    for (recursion, after) in
        [(Recursion::Collapsed, "main>eval>hash"), (Recursion::Exact, "main>eval>eval>hash")]
    {
        let kind = PathKind::Callees(recursion);
        let path = "main>eval>parse>eval>hash";
        let found = rewritten(text_samples::profile(&text), &["merge-function:parse"], kind, path);
        assert_eq!(found, after);
    }
}

#[test]
fn several_transforms_rewrite_a_path_in_order() {
    let path = |transforms: &[&str]| {
        let profile = text_samples::profile(V1);
        rewritten(profile, transforms, PathKind::Node, "main>eval>eval>hash")
    };
    assert_eq!(path(&["merge-function:eval", "focus-subtree:main>hash"]), "hash");
    assert_eq!(path(&["focus-subtree:main>eval", "merge-node:eval>eval"]), "eval>hash");
    // A transform that is ignored changes nothing.
    assert_eq!(path(&["merge-function:evil", "merge-function:eval"]), "main>hash");
}

#[test]
fn categories_and_libraries() {
    let v2 =
        |transform, path| rewritten(text_samples::profile(V2), &[transform], PathKind::Node, path);
    let path = "start>tick.js>stub>draw.js>copy";
    assert_eq!(v2("collapse-resource:host", path), "host>tick.js>host>draw.js>host");
    assert_eq!(v2("collapse-resource:host", "start>gc"), "host");
    // Native functions that JavaScript calls have its category.
    assert_eq!(v2("focus-category:JavaScript", path), "tick.js>stub>draw.js>copy");
    assert_eq!(v2("focus-category:JavaScript", "start>gc"), "");
    assert_eq!(v2("focus-self:draw.js", path), "draw.js");
}
