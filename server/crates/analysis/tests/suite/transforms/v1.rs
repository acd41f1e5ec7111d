//! Each transform on [`V1`].

use super::*;

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
