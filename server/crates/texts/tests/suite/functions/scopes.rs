//! The scopes around each function, as the names of profiles spell them.

use texts::Functions;
use texts::Language::{self, CSharp, Cpp, Go, Java, Php, Python, Ruby, Rust};

/// The scopes, trait and name of each function.
fn scopes(language: Language, text: &str) -> Vec<String> {
    let functions = Functions::parse(language, text).unwrap();
    let all = functions.all().iter().map(|definition| {
        let implements = definition.implements.as_ref();
        let implements = implements.map_or(String::new(), |name| format!("<{name}> "));
        format!("{implements}{} {}", definition.scopes.join(" "), definition.name)
    });
    all.map(|text| text.trim().to_owned()).collect()
}

#[test]
fn scopes_are_all_modules_types_and_functions_around() {
    for (language, text, expected) in [
        (
            Rust,
            "mod a { mod b { impl x::Tree<u8> { fn walk() { fn inner() {} } } } }\n\
             impl fmt::Display for Tree { fn fmt() {} }\nfn top() {}\n",
            &["a b Tree walk", "a b Tree walk inner", "<Display> Tree fmt", "top"][..],
        ),
        (
            Cpp,
            "namespace a::b { class C { void f() {} struct D { void g() {} }; }; }\n\
             void a::b::C::h() {}\nnamespace { void i() {} }\nint j() { return 0; }\n",
            &["a b C f", "a b C D g", "a b C h", "i", "j"],
        ),
        (
            Python,
            "class A:\n  def f(self):\n    def g(): pass\n  class B:\n    def h(self): pass\n",
            &["A f", "A f g", "A B h"],
        ),
        (Go, "package words\nfunc F() {}\nfunc (t *T[K]) M() {}\n", &["words F", "words T M"]),
        (
            Java,
            "package com.acme.shop;\nclass Cart { int total() { return 1; } class Item { int n() { return 1; } } }\n",
            &["com acme shop Cart total", "com acme shop Cart Item n"],
        ),
        (
            CSharp,
            "namespace Acme.Shop;\nclass Cart { int Total() { return 1; } }\n",
            &["Acme Shop Cart Total"],
        ),
        (
            CSharp,
            "namespace Acme { namespace Shop { class Cart { int Total() { return 1; } } } }\n",
            &["Acme Shop Cart Total"],
        ),
        (
            Php,
            "<?php\nnamespace Acme\\Shop;\nfunction f() {}\nnamespace Other;\nclass C { function g() {} }\n",
            &["Acme Shop f", "Other C g"],
        ),
        (
            Php,
            "<?php\nnamespace A { function f() {} }\nnamespace { function g() {} }\n",
            &["A f", "g"],
        ),
        (
            Ruby,
            "module A\n  class B::C\n    def f; end\n  end\nend\ndef g; end\n",
            &["A B C f", "g"],
        ),
    ] {
        assert_eq!(scopes(language, text), expected, "{language:?}");
    }
}

#[test]
fn parameters_are_counted_unless_they_may_vary() {
    let counts = |language, text: &str| -> Vec<_> {
        let functions = Functions::parse(language, text).unwrap();
        functions.all().iter().map(|it| (it.name.clone(), it.n_parameters)).collect()
    };
    let named = |counts: &[(&str, Option<usize>)]| -> Vec<_> {
        counts.iter().map(|&(name, n)| (name.to_owned(), n)).collect()
    };
    let c = "int a(void) { return 0; }\nint *b(int x, char **y) { return 0; }\nint c(const char *f, ...) { return 0; }\nint d() { return 0; }\n";
    let expected = [("a", Some(0)), ("b", Some(2)), ("c", None), ("d", Some(0))];
    assert_eq!(counts(Language::C, c), named(&expected));
    let cpp = "struct S {\n  S(int x = 1) {}\n  const int &get(int i) const { return x; }\n  template<class... T> void all(T... t) {}\n  bool operator<(S const& o) const { return true; }\n};\n";
    let expected = [("S", Some(1)), ("get", Some(1)), ("all", None), ("operator<", Some(1))];
    assert_eq!(counts(Cpp, cpp), named(&expected));
    let c_sharp = "class A {\n  A(int n) {}\n  int Sum([X] int a, string b = \"\") => a; // (c)\n  int All(int a, params int[] b) => a;\n  int Count { get { return 1; } }\n}\n";
    let expected = [("A", Some(1)), ("Sum", Some(2)), ("All", None), ("get_Count", None)];
    assert_eq!(counts(CSharp, c_sharp), named(&expected));
}
