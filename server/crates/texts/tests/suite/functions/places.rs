//! The function at a byte or line, the calls in a line, the language of a file.

use std::path::Path;

use crate::functions::parse;
use texts::{Functions, Language};

const NESTED: &str = r#"
 0|import { a } from 'a';
 1|
 2|function outer(xs) {
 3|  const inner = (x) => {
 4|    return x;
 5|  };
 6|  xs.forEach((x) => {
 7|    inner(x);
 8|  }).map((x) => x);
 9|}
10|function one() { return () => 1; }
11|const rest = 1;
"#;

#[test]
fn a_line_belongs_to_its_innermost_function() {
    let functions = parse(Language::JavaScript, NESTED);
    let at = |line0| {
        functions.at_line(line0).map_or("-", |definition| {
            if definition.name.is_empty() { "()" } else { &definition.name }
        })
    };
    let lines = [
        "-", "-", "outer", "inner", "inner", "inner", "outer", "()", "outer", "outer", "one", "-",
        "-",
    ];
    assert_eq!((0..13).map(at).collect::<Vec<_>>(), lines);
}

#[test]
fn a_byte_belongs_to_its_innermost_function() {
    let text = "fn a() { let f = |x| x; f(1) } fn b() {}";
    let functions = Functions::parse(Language::Rust, text).unwrap();
    let at = |part| functions.at_byte(text.find(part).unwrap()).map(|definition| &*definition.name);
    assert_eq!(
        [at("fn a"), at("|x|"), at("f(1)"), at("} fn"), at(" fn b"), at("fn b")],
        [Some("a"), Some("f"), Some("a"), Some("a"), None, Some("b")]
    );
    assert_eq!(functions.at_byte(text.len()), None);
    assert_eq!(functions.all()[1].parent, Some(0));
}

#[test]
fn lists_the_calls_of_a_line_in_order() {
    let functions =
        parse(Language::Python, "0|a(b(1), c.d(2))\n1|x = (e\n2|     .f(3))\n3|\n4|g()\n");
    let calls = |line0| {
        functions
            .calls_in_line(line0)
            .into_iter()
            .map(|call| call.name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(calls), ["a b d", "", "f", "", "g", "", ""]);
    let call = functions.call_at(0).unwrap();
    assert_eq!((call.bytes, call.line0), (0..1, 0));
}

#[test]
fn accepts_windows_line_ends() {
    let functions = Functions::parse(
        Language::C,
        "int a()\r\n{\r\n  return b();\r\n}\r\nint c() { return 0; }\r\n",
    )
    .unwrap();
    assert_eq!(functions.all()[0].lines, 0..=3);
    assert_eq!(functions.at_line(4).unwrap().name, "c");
    assert_eq!(functions.calls_in_line(2)[0].name, "b");
}

#[test]
fn detects_languages_by_extension() {
    let of = |name| Language::of_path(Path::new(name));
    assert_eq!(of("src/main.rs"), Some(Language::Rust));
    assert_eq!(of("a.h"), Some(Language::Cpp));
    assert_eq!(of("a.c"), Some(Language::C));
    assert_eq!(of("a.jsx"), Some(Language::JavaScript));
    assert_eq!(of("a.d.ts"), Some(Language::TypeScript));
    assert_eq!(of("a.tsx"), Some(Language::Tsx));
    assert_eq!(of("a.txt"), None);
    assert_eq!(of("rs"), None);
}
