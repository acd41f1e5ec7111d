//! Ranges of time and searches.

use crate::transforms::{Case, V1, V2};
use analysis::{Implementation, View};
use profile::{Groups, text_samples};

/// V1 with samples at 0, 1, … 5 ms after the first.
fn timed() -> profile::Profile {
    let times = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|ms| ms + 1_700_000.25);
    text_samples::taken_at(V1, &times)
}

fn in_range(range: &str) -> Case {
    Case::under(timed(), |view| View { range: Some(range.parse().unwrap()), ..view })
}

fn found(search: &str) -> Case {
    Case::under(timed(), |view| View { search: search.to_owned(), ..view })
}

#[test]
fn a_range_is_half_open_and_in_milliseconds_from_the_first_sample() {
    let case = in_range("1..4");
    assert_eq!(case.functions(), "main 0/3, parse 1/1, hash 1/1, eval 1/2");
    assert_eq!(case.costs().total, 3.0);
    assert_eq!(
        case.lines(),
        "app.rs 10: 0/1, 12: 0/2, 23: 1/1, 31: 0/2, 33: 0/1, 34: 1/1; lib.rs 5: 1/1"
    );
    assert_eq!(in_range("1.001ms..4000.001us").costs().total, 3.0);
    assert_eq!(in_range("..1").functions(), "main 0/1, parse 0/1, hash 1/1");
    assert_eq!(in_range("5..").functions(), "main 1/1");
    assert_eq!(in_range("0..6").functions(), in_range("0..").functions());
    assert_eq!(in_range("1..4").warnings, [""; 0]);
}

#[test]
fn a_range_without_samples_shows_nothing_and_says_so() {
    let case = in_range("6..9");
    assert_eq!((case.functions().as_str(), case.costs().total), ("", 0.0));
    assert_eq!(
        case.warnings,
        ["no sample is in 6..9 ms: the last one was taken at 5 ms; nothing is shown"]
    );
}

#[test]
fn a_range_of_a_profile_without_times_is_ignored() {
    let profile = text_samples::profile(V1);
    let case = Case::under(profile, |view| View { range: Some("1..4".parse().unwrap()), ..view });
    assert_eq!(case.costs().total, 6.0);
    assert!(case.warnings[0].ends_with("the range is ignored"), "{:?}", case.warnings);
}

#[test]
fn a_search_keeps_stacks_in_which_each_term_matches_some_function() {
    // Samples 1, 3 and 5.
    assert_eq!(found("HASH").functions(), "main 0/3, parse 0/2, hash 3/3, eval 0/2");
    // By the name of a file; 3 and 5.
    let case = found("eval, lib.rs");
    assert_eq!(
        case.tree(),
        "main 0/2 { eval 0/2 { parse 0/1 { hash 1/1 }, eval 0/1 { hash 1/1 } } }"
    );
    assert_eq!(found("lib.rs,eval,").tree(), case.tree());
    assert_eq!(found(" , ").costs().total, 6.0);
    let nothing = found("missing");
    assert_eq!(nothing.costs().total, 0.0);
    assert_eq!(nothing.warnings, ["no stack has functions that match `missing`; nothing is shown"]);
}

#[test]
fn transforms_that_leave_nothing_say_so() {
    let transforms = ["focus-function:hash", "drop-function:hash", "drop-function:main"];
    let case = Case::under(timed(), |view| View {
        transforms: transforms.map(|transform| transform.parse().unwrap()).into(),
        ..view
    });
    assert_eq!(case.costs().total, 0.0);
    let left = "no stack is left by `drop-function:hash`; nothing is shown";
    assert_eq!(case.warnings[0], left);
}

#[test]
fn ranges_come_first_and_searches_last() {
    let transform = "focus-function:eval";
    let case = Case::under(timed(), |view| View {
        range: Some("1..4".parse().unwrap()),
        transforms: vec![transform.parse().unwrap()],
        search: "hash".to_owned(),
        ..view
    });
    assert_eq!(case.tree(), "eval 0/1 { eval 0/1 { hash 1/1 } }");
    // The filter removes functions before the search.
    let of_js = |search: &str| {
        let case = Case::under(text_samples::profile(V2), |view| View {
            implementation: Implementation::Js,
            search: search.to_owned(),
            ..view
        });
        case.functions()
    };
    assert_eq!(of_js("stub"), "");
    assert_eq!(of_js("draw"), "tick.js 0/2, draw.js 2/2");
    // By library: tick.js and draw.js have none.
    assert_eq!(of_js("host"), "");
}

#[test]
fn a_search_for_a_library_finds_only_its_part_of_a_function() {
    let samples = "
        main[lib:app] main[lib:app]
        sum[lib:app]  sum[lib:work]";
    // The same function of a header, compiled into both.
    let case = |search: &str| {
        let profile = text_samples::profile(samples);
        let symbols = profile.symbols();
        let name = |func| Some(symbols.funcs.get(func).name);
        let groups = Groups::identity(symbols).with_functions(symbols, name);
        Case::grouped(profile, groups, |view| View { search: search.to_owned(), ..view })
    };
    assert_eq!(case("sum").functions(), "main 0/2, sum 2/2");
    assert_eq!(case("work").functions(), "main 0/1, sum 1/1");
    assert_eq!(case("app").functions(), "main 0/2, sum 2/2");
}
