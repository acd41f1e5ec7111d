//! Unfinished texts: finds the complete functions.

use crate::functions::{parse, render, text};
use texts::{Functions, Language};

/// Expects the names of the functions in a text, in order.
#[track_caller]
fn check(language: Language, numbered: &str, expected: &[&str]) {
    let functions = parse(language, numbered);
    let names: Vec<_> = functions
        .all()
        .iter()
        .map(|definition| format!("{}@{}", definition.name, definition.name_line0))
        .collect();
    assert_eq!(names, expected);
}

#[test]
fn an_unclosed_call_hides_no_function() {
    check(
        Language::Rust,
        "0|fn a() {\n1|    foo(\n2|}\n3|fn b() {}\n4|fn c() {}\n",
        &["a@0", "b@3", "c@4"],
    );
    check(
        Language::C,
        "0|int a() {\n1|    foo(\n2|}\n3|int b() { return 1; }\n4|int c() { return 1; }\n",
        &["a@0", "b@3", "c@4"],
    );
    check(
        Language::Cpp,
        "0|int a() {\n1|    foo(\n2|}\n3|int b() { return 1; }\n4|int c() { return 1; }\n",
        &["a@0", "b@3", "c@4"],
    );
    check(
        Language::JavaScript,
        "0|function a() {\n1|  foo(\n2|}\n3|function b() {}\n4|class C { d() {} }\n",
        &["a@0", "b@3", "d@4"],
    );
    check(
        Language::TypeScript,
        "0|function a() {\n1|  foo(\n2|}\n3|function b() {}\n4|class C { d() {} }\n",
        &["a@0", "b@3", "d@4"],
    );
    check(
        Language::Go,
        "0|package p\n1|func a() {\n2|\tfoo(\n3|}\n4|func b() {}\n5|func c() {}\n",
        &["a@1", "b@4", "c@5"],
    );
    check(
        Language::Python,
        "0|def a():\n1|    foo(\n2|\n3|def b():\n4|    return 1\n5|def c(): pass\n",
        &["a@0", "b@3", "c@5"],
    );
    check(
        Language::Ruby,
        "0|def a\n1|  foo(\n2|end\n3|def b\n4|end\n5|def c; end\n",
        &["a@0", "b@3", "c@5"],
    );
    check(
        Language::Java,
        "0|class A {\n1|  void a() {\n2|    foo(\n3|  }\n4|  void b() {}\n5|}\n",
        &["a@1", "b@4"],
    );
    check(
        Language::CSharp,
        "0|class A {\n1|  void a() {\n2|    foo(\n3|  }\n4|  void b() {}\n5|}\n",
        &["a@1", "b@4"],
    );
    check(
        Language::Php,
        "0|<?php\n1|function a() {\n2|  foo(\n3|}\n4|function b() {}\n",
        &["a@1", "b@4"],
    );
    check(Language::Lua, "0|function a()\n1|  foo(\n2|end\n3|function b() end\n", &["a@0", "b@3"]);
}

#[test]
fn a_missing_brace_hides_no_function() {
    check(Language::Rust, "0|fn a() {\n1|    if x {\n2|}\n3|fn b() {}\n", &["a@0", "b@3"]);
    check(
        Language::C,
        "0|int a() {\n1|    if (x) {\n2|}\n3|int b() { return 1; }\n",
        &["a@0", "b@3"],
    );
    check(
        Language::JavaScript,
        "0|function a() {\n1|  if (x) {\n2|}\n3|function b() {}\n",
        &["a@0", "b@3"],
    );
}

/// The function without an end continues up to where the parser gives up on it. The others are
/// nested in it, with their lines.
#[test]
fn a_function_without_end_contains_those_below() {
    let functions =
        parse(Language::Rust, "0|fn a() {\n1|    if x {\n2|}\n3|fn b() {}\n4|struct S;\n");
    assert_eq!(render(&functions), "0 0-4 a\n  3 3-3 b\n");
    let functions =
        parse(Language::Ruby, "0|def a\n1|  foo(1,\n2|  x.each do\n3|end\n4|def b; end\n");
    assert_eq!(render(&functions), "0 0-4 a\n  4 4-4 b\n");
}

#[test]
fn finds_functions_in_a_text_of_another_language() {
    let python = text("0|def f(x):\n1|    return [x]\n");
    for language in [Language::Rust, Language::C, Language::Java, Language::Go] {
        assert!(Functions::parse(language, &*python).is_some());
    }
}

#[test]
fn an_empty_text_has_no_functions() {
    let functions = Functions::parse(Language::Rust, "").unwrap();
    assert_eq!(
        (functions.all(), functions.at_byte(0), functions.at_line(0), functions.call_at(0)),
        (&[][..], None, None, None)
    );
    assert_eq!(functions.calls_in_line(0), []);
}
