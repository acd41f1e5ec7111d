//! The function at a position: the callee that is named there, or else the function around it.

use crate::support::{Project, position_of};
use answers::{functions_at, hover};
use profile::text_samples;

/// The functions at the first place of `part` in a file.
fn all_at(file: &str, text: &str, samples: &str, part: &str) -> Vec<String> {
    let project = Project::new(&[(file, text)]);
    let context = project.context(project.load(text_samples::profile(samples)), &[file]);
    let open = context.open_file(&project.uri(file)).unwrap();
    let functions = functions_at(&open, position_of(text, part)).into_iter();
    functions.map(|function| open.snapshot.function(function).name.to_owned()).collect()
}

/// The only function there.
fn at(file: &str, text: &str, samples: &str, part: &str) -> Option<String> {
    let mut functions = all_at(file, text, samples, part);
    assert!(functions.len() < 2, "{part}: {functions:?}");
    functions.pop()
}

const APP: &str = "\
fn main() {
    let n = parse(read());
    print(n);
}

fn parse(text: String) -> u32 {
    text.len()
}

fn print(n: u32) {}
";

const SAMPLES: &str = "
main@2[file:app.rs]  main@2              main@3
parse@7[file:app.rs] read[lib:libc.so.6] print@10[file:app.rs]";

#[test]
fn the_callee_under_the_cursor() {
    let at = |part| at("app.rs", APP, SAMPLES, part).unwrap();
    assert_eq!(at("parse(read"), "parse");
    assert_eq!(at("read()"), "read");
    assert_eq!(at("print(n)"), "print");
}

#[test]
fn the_definition_under_the_cursor() {
    assert_eq!(at("app.rs", APP, SAMPLES, "parse(text").unwrap(), "parse");
    assert_eq!(at("app.rs", APP, SAMPLES, "main()").unwrap(), "main");
}

#[test]
fn or_else_the_function_around_it() {
    let at = |part| at("app.rs", APP, SAMPLES, part).unwrap();
    assert_eq!(at("let n"), "main");
    assert_eq!(at("text.len"), "parse");
}

#[test]
fn a_function_without_cost_is_not_confused_with_its_neighbour() {
    let text = "fn main() {\n    hot();\n}\n\nfn cold() {\n    idle();\n}\n";
    let samples = "main@2[file:app.rs]";
    assert_eq!(at("app.rs", text, samples, "idle"), None);
}

#[test]
fn without_a_grammar_any_word_of_the_line_can_be_the_callee() {
    let text = "main:\n  call parse\n  ret\n";
    let samples = "main@2[file:app.asm]\nparse[lib:app]";
    let at = |part| at("app.asm", text, samples, part).unwrap();
    assert_eq!(at("parse"), "parse");
    assert_eq!(at("call"), "main");
}

/// `called` is the call in the source text, `recorded` the callee's name in the profile.
fn check_call(file: &str, text: &str, called: &str, recorded: &str) {
    let line = 1 + text[..text.find(called).unwrap()].matches('\n').count();
    let samples = format!("around@{line}[file:{file}]\n{recorded}[lib:app]");
    assert_eq!(at(file, text, &samples, called).as_deref(), Some(recorded), "{called}");
}

#[test]
fn callees_are_found_by_every_name_that_profilers_record() {
    let go = "package main\n\nfunc around(b *T) {\n\tb.WriteString(x)\n}\n";
    for recorded in [
        "strings.(*Builder).WriteString",
        "strings.Builder.WriteString",
        "b.(*Index).WriteString-fm",
        "WriteString",
    ] {
        check_call("a.go", go, "WriteString(x)", recorded);
    }
    let cpp = "void around(Shape& s) {\n  s.f(1);\n}\n";
    for recorded in ["Shape::f(int)", "f.constprop.0", "f'2", "ns::Shape<int>::f"] {
        check_call("a.cpp", cpp, "f(1)", recorded);
    }
    let destructor = "void around(Shape* s) {\n  s->~Shape();\n}\n";
    check_call("a.cpp", destructor, "~Shape()", "Shape::~Shape()");
    let rust = "fn around(v: &T) {\n    v.push_all(1);\n}\n";
    for recorded in ["push_all<u32>", "app::T::push_all"] {
        check_call("a.rs", rust, "push_all(1)", recorded);
    }
    let ruby = "def around(l)\n  l.post!(1)\nend\n";
    for recorded in ["Ledger#post!", "Ledger.post!", "post!"] {
        check_call("a.rb", ruby, "post!(1)", recorded);
    }
    let php = "<?php\nfunction around($c) {\n  $c->total(1);\n}\n";
    for recorded in ["Acme\\Cart->total", "Acme\\Cart::total", "total"] {
        check_call("a.php", php, "total(1)", recorded);
    }
    let python = "def around(f):\n    f.push(1)\n";
    for recorded in ["Frontier.push", "build.<locals>.push", "push"] {
        check_call("a.py", python, "push(1)", recorded);
    }
    let javascript = "function around(b) {\n  b.place(1);\n}\n";
    for recorded in ["Board.prototype.place", "place", "exports.place", "solve/place"] {
        check_call("a.js", javascript, "place(1)", recorded);
    }
}

#[test]
fn all_callees_with_one_name_hottest_first() {
    let text = "fn main() {\n    f();\n}\n";
    let samples = "
        main@2[file:app.rs] main@2      main@2      main@2
        a::f[lib:a]         b::f[lib:b] b::f[lib:b] other[lib:c]";
    assert_eq!(all_at("app.rs", text, samples, "f()"), ["b::f", "a::f"]);
}

#[test]
fn the_number_of_arguments_tells_overloads_apart() {
    let text = "int main() {\n  return area(3) + area(4, 5) + s.area(6) + area(ALL);\n}\n";
    let samples = "
        main@2[file:a.cpp] main@2                main@2
        area(int)[lib:a]   area(int,int)[lib:a]  area(int,int)";
    let at = |samples, part| all_at("a.cpp", text, samples, part);
    assert_eq!(at(samples, "area(3"), ["area(int)"]);
    assert_eq!(at(samples, "area(4"), ["area(int,int)"]);
    assert_eq!(at(samples, "area(ALL"), ["area(int,int)", "area(int)"]);
    // Only the other call has a cost.
    assert_eq!(at("main@2[file:a.cpp]\narea(int)[lib:a]", "area(4"), ["main"]);
    // The second parameter of another type's function may have a default value.
    let of_types = "
        main@2[file:a.cpp]  main@2                   main@2           main@2
        A::area(int)[lib:a] B::area(int,bool)[lib:a] C::area()[lib:a] A::area(int,bool)[lib:a]";
    assert_eq!(at(of_types, "area(6"), ["A::area(int)", "B::area(int,bool)"]);
}

#[test]
fn a_hover_lists_all_functions_that_a_call_may_mean() {
    let text = "\
class A:
    def run(self):
        return 1

class B:
    def run(self):
        return 2

def main():
    return A().run() + B().run()
";
    let samples = "
        main@10[file:m.py] main@10 main@10
        run@3[file:m.py]   run@7   run@7";
    let project = Project::new(&[("m.py", text)]);
    let context = project.context(project.load(text_samples::profile(samples)), &["m.py"]);
    let details = hover(&context, &project.uri("m.py"), position_of(text, "run() +")).unwrap();
    let plain = details.plain();
    let expected = "2 functions with this name are called here
hottest here first:
  66.7% (2 samples) run (m.py:6)
  33.3% (1 sample) run (m.py:2)
";
    assert!(plain.starts_with(expected), "{plain}");
}

/// V8 and cProfile record which functions call each other, but not on which lines.
#[test]
fn without_lines_of_calls_a_callee_of_the_function_around() {
    let text = "function heavy(n) {\n}\nfunction main() {\n  heavy(3);\n  light(4);\n}\n";
    let samples = "main[file:k.js][start:3] main\nheavy[file:k.js][start:1]";
    assert_eq!(at("k.js", text, samples, "heavy(3)").unwrap(), "heavy");
    assert_eq!(at("k.js", text, samples, "light").unwrap(), "main");
}

/// The script is a function that starts on the first line, too.
#[test]
fn a_function_on_the_first_line_is_not_the_script() {
    let text = "def fib(n):\n    return n\n\nfib(1)\n";
    let samples = "<module>@4[file:fib.py][start:1] <module>@4\nfib@2[file:fib.py][start:1]";
    assert_eq!(at("fib.py", text, samples, "fib(n").unwrap(), "fib");
    assert_eq!(at("fib.py", text, samples, "return").unwrap(), "fib");
    // If it has no cost, neither has its name.
    assert_eq!(at("fib.py", text, "<module>@4[file:fib.py][start:1]", "fib(n"), None);
    let text = "function fib(n) {\n  return n;\n}\nfib(1);\n";
    let samples = "(anonymous)[file:fib.js][start:1] (anonymous)\nfib@2[file:fib.js][start:1]";
    assert_eq!(at("fib.js", text, samples, "fib(n").unwrap(), "fib");
    assert_eq!(at("fib.js", text, samples, "return").unwrap(), "fib");
}

#[test]
fn callees_of_other_lines_are_not_found() {
    let text = "fn main() {\n    f(g());\n    f(1);\n}\n";
    let samples = "
        main@2[file:app.rs] main@3
        g[lib:app]          f[lib:app]";
    assert_eq!(at("app.rs", text, samples, "f(g").unwrap(), "main");
    assert_eq!(at("app.rs", text, samples, "f(1").unwrap(), "f");
}
