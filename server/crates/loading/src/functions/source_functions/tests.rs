use super::*;
use profile::{Frame, Lib, Metric, ProfileBuilder, SourceId, text_samples};
use std::path::Path;

/// Each function as `NAME:LINE = FUNC, FUNC`: its name, the 0-based line of its definition, and
/// its funcs. Functions without a definition begin with `?`.
fn grouped(files: &[(&str, &str)], samples: &str) -> Vec<String> {
    grouped_recording(files, &text_samples::profile(samples).into())
}

fn grouped_recording(files: &[(&str, &str)], recording: &Recording) -> Vec<String> {
    let symbols = recording.symbols();
    let groups = Groups::identity(symbols);
    let names =
        (0..symbols.sources.len() as u32).map(|source| symbols.source_name(SourceId::new(source)));
    let definitions: Vec<_> = names
        .map(|name| {
            let (_, text) = files.iter().find(|(file, _)| *file == name)?;
            FileDefinitions::of_text(Path::new(name), *text).map(Arc::new)
        })
        .collect();
    let mut found = definitions_of(recording, &groups, &definitions, &|_| false);
    let groups = with_definitions(recording, &groups, &definitions, &mut found);
    let source_functions = source_functions(symbols, &groups, &definitions, &found);
    let function = |function| {
        let funcs: Vec<_> =
            symbols.funcs.ids().filter(|func| groups.function(*func) == function).collect();
        let names: Vec<_> = funcs.iter().map(|func| symbols.func_name(*func)).collect();
        let text = source_functions.get(&function).map_or("?".to_owned(), |this| {
            let name = this.name.as_deref().unwrap_or_else(|| symbols.func_name(this.func));
            format!("{name}:{}", this.definition().name_line0)
        });
        format!("{text} = {}", names.join(", "))
    };
    groups.functions().map(function).collect()
}

const RUST: &str = "\
fn sum<T>(xs: &[T]) -> T {
    xs.iter().map(|x| {
        x.clone()
    }).fold(zero(), |a, b| a + b)
}
impl Clone for B {
    fn clone(&self) -> B {
        B
    }
}
async fn fetch() {
    get().await;
}
";

#[test]
fn instances_of_one_definition_are_one_function() {
    let grouped = grouped(
        &[("a.rs", RUST)],
        "
        sum<u8>@2[file:a.rs]  sum<f64>@4[file:a.rs]  app::sum::{{closure}}@3[file:a.rs]  next@9[file:lib.rs]
        ",
    );
    let expected = [
        "sum<…>:0 = sum<u8>, sum<f64>",
        "app::sum::{{closure}}:1 = app::sum::{{closure}}",
        "? = next",
    ];
    assert_eq!(grouped, expected);
}

/// Parameters may have the types of the instance.
#[test]
fn instances_of_a_template_have_a_name_without_parameters() {
    let cpp = "template <class T> struct Ring {\n  void push(T x) {\n    n += x;\n  }\n};\n";
    let grouped = grouped(
        &[("a.cpp", cpp)],
        "Ring<int>::push(int)@3[file:a.cpp]  Ring<char>::push(char)@3[file:a.cpp]",
    );
    assert_eq!(grouped, ["Ring<…>::push:1 = Ring<int>::push(int), Ring<char>::push(char)"]);
}

#[test]
fn instances_of_a_closure_have_a_name_without_parameters() {
    let cpp = "\
template <class T> struct Stats {
  void sort(T x) {
    each([](T a) {
      return -a;
    });
  }
};
";
    let closure =
        |of: &str| format!("Stats<{of}>::sort({of})::{{lambda({of})#1}}::operator()({of})");
    let [int, text] = ["int", "char*"].map(closure);
    let samples = format!("{int}@4[file:a.cpp]  {text}@4[file:a.cpp]");
    let name = "Stats<…>::sort::{lambda#1}::operator()";
    assert_eq!(grouped(&[("a.cpp", cpp)], &samples), [format!("{name}:2 = {int}, {text}")]);
}

/// Inlined copies have no linkage name.
#[test]
fn a_name_without_a_path_does_not_replace_one_with_a_path() {
    let cpp = "\
struct Walker {
  void operator()(int x) {
    n += x;
  }
  void add(int x) {
    n += x;
  }
};
";
    let grouped = grouped(
        &[("a.cpp", cpp)],
        "operator()@3[file:a.cpp]  Walker::operator()(int)@3[file:a.cpp]  \
         add@6[file:a.cpp]  Walker::add(int)@6[file:a.cpp]",
    );
    let expected = [
        "Walker::operator():1 = operator(), Walker::operator()(int)",
        "Walker::add:4 = add, Walker::add(int)",
    ];
    assert_eq!(grouped, expected);
}

#[test]
fn funcs_without_a_certain_definition_stay_separate() {
    let grouped = grouped(
        &[("a.rs", RUST)],
        // Lines of two closures under one name; a derived `clone`; a closure of another
        // function; a name that no definition has.
        "
        sum::{{closure}}@3[file:a.rs]  A::clone@11[file:a.rs]  other::{{closure}}@3[file:a.rs]  prod@2[file:a.rs]
        sum::{{closure}}@8
        ",
    );
    assert!(
        grouped.len() == 4 && grouped.iter().all(|function| function.starts_with("? = ")),
        "{grouped:?}"
    );
}

#[test]
fn clones_have_the_name_of_their_definition() {
    let c = "static int init(int x) {\n    return x + x;\n}\n";
    // Link-time optimization numbers the functions of both files.
    let grouped_c = grouped(
        &[("a.c", c), ("b.c", c)],
        "init.lto_priv.1@2[file:a.c]  init.lto_priv.0.constprop.0@2[file:b.c]  gone.isra.0@2[file:b.c]",
    );
    let expected = ["init:0 = init.lto_priv.1", "init:0 = init.lto_priv.0.constprop.0"];
    assert_eq!(grouped_c, [&expected[..], &["? = gone.isra.0"]].concat());
}

/// Names with blanks, so this profile is built by hand.
#[test]
fn clones_of_cpp_have_the_name_of_their_definition() {
    let cpp = "int f(int x) {\n    return x;\n}\nGen numbers(int n) {\n    co_yield n;\n}\n";
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let source = Some(builder.intern_source("a.cpp").unwrap());
    for (name, line) in [
        ("a::f(int) [clone .isra.0] [clone .cold]", 2),
        ("numbers(numbers(int)::_Z7numbersi.Frame*) [clone .actor]", 5),
    ] {
        let name = builder.intern_string(name).unwrap();
        let func = Func { name, source, lib: None, line: 0, column: 0 };
        let func = builder.intern_func(func).unwrap();
        builder.intern_frame(Frame::new(func, line)).unwrap();
    }
    let grouped = grouped_recording(&[("a.cpp", cpp)], &builder.build().into());
    let expected = [
        "a::f(int):0 = a::f(int) [clone .isra.0] [clone .cold]",
        "numbers:3 = numbers(numbers(int)::_Z7numbersi.Frame*) [clone .actor]",
    ];
    assert_eq!(grouped, expected);
}

#[test]
fn the_closure_of_an_async_function_belongs_to_it() {
    let grouped = grouped(
        &[("a.rs", RUST)],
        "app::fetch::{{closure}}@12[file:a.rs]  app::fetch@11[file:a.rs]",
    );
    assert_eq!(grouped, ["app::fetch:10 = app::fetch::{{closure}}, app::fetch"]);
}

#[test]
fn a_start_line_may_be_any_line_of_the_head() {
    let python = "\
@cache
@trace
def area(box):
    return [edge(e) for e in box]

def edge(e): return lambda: e
";
    let grouped = grouped(
        &[("a.py", python)],
        "
        area@4[file:a.py][start:1]  edge@6[file:a.py][start:6]  <lambda>@6[file:a.py][start:6]  other@4[file:a.py][start:3]
        <listcomp>@4[file:a.py][start:4]
        ",
    );
    let expected =
        ["area:2 = area, <listcomp>", "edge:5 = edge", "<lambda>:5 = <lambda>", "? = other"];
    assert_eq!(grouped, expected);
}

#[test]
fn a_comprehension_in_a_lambda_belongs_to_the_lambda() {
    let python = "\
def build(rows):
    return lambda n: sum(
        r * n for r in rows)
";
    let grouped = grouped(
        &[("a.py", python)],
        "build.<locals>.<lambda>@2[file:a.py]  build.<locals>.<lambda>.<locals>.<genexpr>@3[file:a.py]  \
         build@2[file:a.py]",
    );
    let expected = [
        "build.<locals>.<lambda>:1 = build.<locals>.<lambda>, build.<locals>.<lambda>.<locals>.<genexpr>",
        "build:0 = build",
    ];
    assert_eq!(grouped, expected);
}

#[test]
fn a_function_may_have_inlined_lines_of_other_functions() {
    let c = "\
static int twice(int x) {
    return x + x;
}
int run(int x) {
    return
        twice(x);
}
";
    // `run` has a line of `twice`, which the profiler did not mark as inlined. All lines of
    // `main` are of that kind.
    let grouped = grouped(&[("a.c", c)], "run@2[file:a.c]  run@5  main@2[file:a.c]");
    assert_eq!(grouped, ["run:3 = run", "? = main"]);
}

#[test]
fn the_only_definition_of_a_name_may_have_no_lines_of_its_own() {
    let c = "static int twice(int x) {\n    return x + x;\n}\nint run(int x) {\n    return twice(x);\n}\n";
    // All of `run` is inlined code. `halve` has no definition.
    let grouped_c = grouped(&[("a.c", c)], "run@2[file:a.c]  halve@2[file:a.c]");
    assert_eq!(grouped_c, ["run:3 = run", "? = halve"]);
    // A derived method has the name of another type's method.
    let derived = grouped(
        &[("a.rs", RUST)],
        "A::clone@11[file:a.rs]  clone@11[file:a.rs] a::fetch@2[file:a.rs]",
    );
    assert_eq!(derived, ["? = A::clone", "? = clone", "a::fetch:10 = a::fetch"]);
    // Python inlines nothing: the line is that of another text.
    let python = "def run():\n    return 1\n\nclass A: pass\n";
    assert_eq!(grouped(&[("a.py", python)], "run@4[file:a.py]"), ["? = run"]);
    assert_eq!(grouped(&[("a.py", python)], "run[file:a.py]"), ["run:0 = run"]);
}

#[test]
fn lines_of_macros_belong_to_the_function_with_the_same_full_name() {
    // Text samples have one file per name, so this profile is built by hand.
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let mut add = |name: &str, file: &str, line| {
        let name = builder.intern_string(name).unwrap();
        let source = Some(builder.intern_source(file).unwrap());
        let lib =
            Some(builder.intern_lib(Lib { name: "app".to_owned(), ..Lib::default() }).unwrap());
        let func = builder.intern_func(Func { name, source, lib, line: 0, column: 0 }).unwrap();
        builder.intern_frame(Frame::new(func, line)).unwrap();
    };
    add("app::run", "a.rs", 2);
    add("app::run", "macros.rs", 900);
    add("run", "b.rs", 2);
    add("run", "macros.rs", 901);
    let text = "fn run() {\n    log!();\n}\n";
    let files = [("a.rs", text), ("b.rs", text)];
    let grouped = grouped_recording(&files, &builder.build().into());
    assert_eq!(grouped, ["app::run:0 = app::run, app::run", "run:0 = run", "? = run"]);
}

#[test]
fn lines_of_macros_belong_to_none_of_several_functions_with_the_same_full_name() {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let name = builder.intern_string("app::run").unwrap();
    let lib = Some(builder.intern_lib(Lib { name: "app".to_owned(), ..Lib::default() }).unwrap());
    for (file, line) in [("a.rs", 2), ("b.rs", 2), ("macros.rs", 900)] {
        let source = Some(builder.intern_source(file).unwrap());
        let func = builder.intern_func(Func { name, source, lib, line: 0, column: 0 }).unwrap();
        builder.intern_frame(Frame::new(func, line)).unwrap();
    }
    let text = "fn run() {\n    log!();\n}\n";
    let grouped = grouped_recording(&[("a.rs", text), ("b.rs", text)], &builder.build().into());
    assert_eq!(grouped, ["app::run:0 = app::run", "app::run:0 = app::run", "? = app::run"]);
}

#[test]
fn comprehensions_of_call_graphs_stay_separate() {
    let callgrind = "\
events: Ir
fl=a.py
fn=area
1 10
fn=<listcomp>
2 5
";
    let bytes = callgrind.as_bytes().to_vec();
    let go_on = |_: u64| std::ops::ControlFlow::Continue(());
    let read = formats::read(bytes, formats::Limits::default(), &mut { go_on });
    let python = "def area(box):\n    return [edge(e) for e in box]\n";
    let grouped = grouped_recording(&[("a.py", python)], &read.unwrap().recording);
    assert_eq!(grouped, ["area:0 = area", "? = <listcomp>"]);
}

#[test]
fn functions_on_one_line_are_matched_by_column() {
    let file =
        FileDefinitions::of_text(Path::new("a.js"), "f(x => x + 1, y => g(z => z));\n").unwrap();
    let file = File::new(&file);
    let at = |column| file.starting_at(&FunctionName::of("(anonymous)"), 0, column);
    // 0-based columns 2, 14 and 21.
    assert_eq!([at(3), at(15), at(22)], [Some(0), Some(1), Some(2)]);
    // The comma behind the first one.
    assert_eq!(at(13), None);
    assert_eq!([at(0), at(1)], [None, None]);
    // At column 1 is the script, not the only function on its first line.
    let script = FileDefinitions::of_text(Path::new("a.js"), "export default () => 1;\n").unwrap();
    let script = File::new(&script);
    let at = |column| script.starting_at(&FunctionName::of("(anonymous)"), 0, column);
    assert_eq!([at(1), at(16)], [None, Some(0)]);
    assert_eq!(file.starting_at(&FunctionName::of("named"), 0, 22), Some(2));
    assert_eq!(file.starting_at(&FunctionName::of("named"), 0, 0), None);
}

/// The line of a procedure is that of the `:-` or `=` of its first clause. Modes are not
/// distinguished, numbers of arguments are.
#[test]
fn procedures_of_mercury_are_matched_by_name_and_arity() {
    let mercury = "\
:- module a.
p(
    X
) :-
    map((pred(Y::in) is det :-
        q(Y)
    ), X).
p(X, Y) :- p(X), p(Y).
p(X, !IO) :- p(X, 1).
p(X) = X + 1.
p(_, _) = 1.
q(1).
q(2).
";
    let mut grouped = grouped(
        &[("a.m", mercury)],
        "
        a.p/1-0@4[file:a.m][start:4]
        a.p/2-0@8[file:a.m][start:8]
        a.p/3-0@9[file:a.m][start:9]
        a.p/1+1-0@10[file:a.m][start:10]
        a.q/1-0@12[file:a.m][start:12]
        a.q/1-1@13[file:a.m][start:13]
        a.p/3+1-0@11[file:a.m][start:11]
        a.q/2-0@12[file:a.m][start:12]
        ",
    );
    let mut expected = [
        "a.p/1-0:1 = a.p/1-0",
        "a.p/2-0:7 = a.p/2-0",
        "a.p/3-0:8 = a.p/3-0",
        "a.p/1+1-0:9 = a.p/1+1-0",
        "q:11 = a.q/1-0, a.q/1-1",
        "a.p/3+1-0:10 = a.p/3+1-0",
        "? = a.q/2-0",
    ];
    grouped.sort();
    expected.sort_unstable();
    assert_eq!(grouped, expected);
}

/// Names of lambda expressions contain blanks, so this profile is built by hand.
#[test]
fn lambda_expressions_of_mercury_are_closures() {
    let mercury =
        ":- module a.\nlist(X) :-\n    map((pred(Y::in) is det :-\n        q(Y)\n    ), X).\n";
    let mut builder = ProfileBuilder::new(vec![Metric::new("calls", "calls", None)], 0);
    let source = Some(builder.intern_source("a.m").unwrap());
    for (name, line) in
        [("a.pred lambda line 3", 3), ("a.pred lambda line 4", 4), ("Unify for a.list/1", 2)]
    {
        let name = builder.intern_string(name).unwrap();
        let func = Func { name, source, lib: None, line, column: 0 };
        let func = builder.intern_func(func).unwrap();
        builder.intern_frame(Frame::new(func, line)).unwrap();
    }
    let grouped = grouped_recording(&[("a.m", mercury)], &builder.build().into());
    let expected = [
        "a.pred lambda line 3:2 = a.pred lambda line 3, a.pred lambda line 4",
        "? = Unify for a.list/1",
    ];
    assert_eq!(grouped, expected);
}

#[test]
fn copies_of_closures_in_go_are_told_by_their_number() {
    let text = "\
package lib

func Nest(n int) int {
\touter := func(x int) int {
\t\tin := func(y int) []byte { return make([]byte, y) }
\t\treturn len(in(x))
\t}
\tmid := func(x int) int { return x }
\treturn outer(n) + mid(n)
}
";
    // Line 5 is in `outer` and in `in`. `Nest` has two closures of its own, so `func3` is a copy.
    let grouped = grouped(
        &[("lib/nest.go", text)],
        "lib.Nest.func3@5[file:lib/nest.go]  lib.Nest.func1@6[file:lib/nest.go]  \
         lib.Nest.func2@5[file:lib/nest.go]  lib.Other.func3@5[file:lib/nest.go]",
    );
    let expected = [
        "lib.Nest.func3:4 = lib.Nest.func3",
        "lib.Nest.func1:3 = lib.Nest.func1",
        "? = lib.Nest.func2",
        "? = lib.Other.func3",
    ];
    assert_eq!(grouped, expected);
}

/// Go numbers closures in the order of the text. Folded stacks have no start lines.
#[test]
fn closures_of_go_are_found_by_their_numbers() {
    let go = "package main\n\nfunc worker(n int) {\n\tdo(func() {\n\t\tdo(func() {\n\t\t\tspin(n)\n\t\t})\n\t})\n\tdo(func() { spin(1) })\n}\n";
    let found = |samples: &str| grouped(&[("main.go", go)], samples);
    assert_eq!(
        found("main.worker.func1@5[file:main.go]"),
        ["main.worker.func1:3 = main.worker.func1"]
    );
    let inner = found("main.worker.func1.1@6[file:main.go]");
    assert_eq!(inner, ["main.worker.func1.1:4 = main.worker.func1.1"]);
    assert_eq!(
        found("main.worker.func2@9[file:main.go]"),
        ["main.worker.func2:8 = main.worker.func2"]
    );
    // The numbers are of another text.
    assert_eq!(
        found("main.worker.func1@9[file:main.go]"),
        ["main.worker.func1:8 = main.worker.func1"]
    );
}

/// Callgrind has no start lines, and does not mark that line 8 is inlined.
#[test]
fn types_tell_methods_of_one_name_apart() {
    let cpp = "namespace bank {\n\nstatic double compound(double x, int n)\n{\n    double v = x;\n\n    for (int i = 0; i < n; i++)\n        v += v;\n    return v;\n}\n\ndouble Interest::apply(const Account &a) const\n{\n    return compound(a.balance, 12);\n}\n\ndouble Fee::apply(const Account &a) const\n{\n    return a.balance;\n}\n\n}\n";
    let found = |name: &str| grouped(&[("a.cpp", cpp)], &format!("{name}@14[file:a.cpp] {name}@8"));
    let interest = "bank::Interest::apply(bank::Account_const&)_const";
    assert_eq!(found(interest), [format!("{interest}:11 = {interest}")]);
    assert_eq!(found("apply"), ["? = apply"]);
}
