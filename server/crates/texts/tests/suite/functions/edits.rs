//! The functions after edits are those of a fresh parse.

use crate::functions::{LANGUAGES, render};
use proptest::prelude::*;
use texts::{Functions, Language};

/// A small text with nested functions in every language.
fn original(language: Language) -> &'static str {
    match language {
        Language::Rust => {
            "impl A {\n    fn a(&self) -> u8 {\n        let f = |x| x;\n        m!(fn b() { f(1) });\n    }\n}\nfn c() {}\n"
        }
        Language::C => "static int a(int x)\n{\n    return b(x);\n}\nint *c(void) { return 0; }\n",
        Language::Cpp => {
            "struct A {\n    A() {}\n    template <class T> T a() { return [] { return 1; }(); }\n};\nint A::b() { return 2; }\n"
        }
        Language::Python => {
            "class A:\n    @d\n    def a(self):\n        def b(): pass\n        return 'ä'\n\nc = lambda: f(\n    1)\n"
        }
        Language::JavaScript => {
            "class A {\n  a() { return () => 1; }\n}\nconst b = function () { `${a(1)}`; };\n"
        }
        Language::TypeScript => {
            "class A<T> {\n  a = (x: T): T => x;\n}\nfunction b(x: number) { return <T>x; }\n"
        }
        Language::Tsx => {
            "const A = () => {\n  return <b c={() => d()}>{e.map((f) => f)}</b>;\n};\n"
        }
        Language::Go => "package p\n\nfunc (s *S) A() {\n\tf := func() {}\n\tf()\n}\nfunc B() {}\n",
        Language::Ruby => {
            "class A\n  def a\n    x = <<~EOS\n      text #{b}\n    EOS\n  end\n  def self.c = 1\nend\n"
        }
        Language::Java => "class A {\n  A() {}\n  int a() { return f(x -> x); }\n}\n",
        Language::CSharp => {
            "class A {\n  int B { get { return 1; } }\n  int a() => f(x => x);\n}\n"
        }
        Language::Php => {
            "<?php\nclass A {\n  function a() { return fn($x) => $x; }\n}\n$b = <<<E\n  {$x}\n  E;\nfunction c() {}\n"
        }
        Language::Lua => {
            "function a.b:c()\n  return function() end\nend\nlocal d = function() end\n"
        }
        Language::R => "a <- function(x) {\n  vapply(x, \\(y) b(y), 0)\n}\nc = function() a(1)\n",
        Language::Mercury => {
            ":- module a.\np([], \"b.\").\np([X | Xs], Y) :-\n    q(X, Y), p(Xs, Y).\nf(X) = map((func(Y) = Y + 1), X).\n"
        }
    }
}

/// Text to insert.
fn inserted() -> impl Strategy<Value = String> {
    let whole = [
        "\n",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "'",
        "end\n",
        "fn x() {}\n",
        "def x():\n  pass\n",
        "def x; end\n",
        "function x() {}",
        "=> ",
        "ä",
        "/*",
        "`",
    ];
    prop_oneof![prop::sample::select(whole.to_vec()).prop_map(str::to_owned), "[a-z ();{}\n]{0,8}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn edits_match_a_fresh_parse(
        language in prop::sample::select(LANGUAGES.to_vec()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, inserted()), 1..6),
    ) {
        let mut text: Vec<char> = original(language).chars().collect();
        let mut functions = Functions::parse(language, original(language)).unwrap();
        for (start, n_removed, inserted) in edits {
            let start = start.index(text.len() + 1);
            let end = (start + n_removed).min(text.len());
            text.splice(start..end, inserted.chars());
            let now: String = text.iter().collect();
            let (edited, fresh) = (functions.edited(&*now), Functions::parse(language, &*now));
            prop_assert_eq!(edited.is_some(), fresh.is_some(), "{:?}: {}", language, now);
            // Without its first line, the text is not Mercury.
            prop_assert!(fresh.is_some() || language == Language::Mercury);
            let (Some(edited), Some(fresh)) = (edited, fresh) else { continue };
            functions = edited;
            prop_assert_eq!(render(&functions), render(&fresh), "{:?}: {}", language, now);
            prop_assert_eq!(functions.all(), fresh.all());
        }
    }
}

#[test]
fn moves_functions_below_an_edit() {
    let before = Functions::parse(Language::Rust, "fn a() {}\nfn b() {}\n").unwrap();
    assert_eq!(render(&before), "0 0-0 a\n1 1-1 b\n");
    let after = before.edited("fn a() {\n    c();\n}\nfn b() {}\n").unwrap();
    assert_eq!(render(&after), "0 0-2 a\n3 3-3 b\n");
    assert_eq!(render(&before), "0 0-0 a\n1 1-1 b\n", "the old functions are unchanged");
}

#[test]
fn an_empty_edit_changes_nothing() {
    let before = Functions::parse(Language::Go, original(Language::Go)).unwrap();
    assert_eq!(before.edited(original(Language::Go)).unwrap().all(), before.all());
}
