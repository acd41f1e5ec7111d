//! Filters by implementation, libraries and categories on [`V2`].

use super::*;

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
