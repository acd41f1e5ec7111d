//! Call hierarchy and hover at a call answer for the callee, however the profiler spells its name.
//!
//! The recorded names are those of the table in `loading/src/functions/function_name.rs` that a call can spell,
//! and some more. Names that no call can spell, and other languages, have unit tests there.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::requests::{cost, text};
use crate::support::{Server, Workspace};

/// A line of source text, the name of the callee in it, and the name that the profiler recorded.
type Call = (&'static str, &'static str, &'static str);

/// The samples of the costliest callee of each line, which has another name.
const OTHER: usize = 50;

/// Checks all calls of a function `around` whose lines are between `head` and `tail`.
///
/// The callee of the first call has 2 samples, the next one has 3, and so on. Each line also has
/// `OTHER` samples in `other` and one in `around` itself.
fn check(file: &str, language: &str, head: &str, calls: &[Call], tail: &str) {
    let mut source = head.to_owned();
    let mut profile = String::new();
    let first = head.matches('\n').count();
    for (i, (line, _, recorded)) in calls.iter().enumerate() {
        writeln!(source, "{line}").unwrap();
        let site = format!("around ({file}:{})", first + i + 1);
        writeln!(profile, "{site};{recorded} (/usr/lib/{i}:1) {}", i + 2).unwrap();
        writeln!(profile, "{site};other (/usr/lib/other:1) {OTHER}\n{site} 1").unwrap();
    }
    source += tail;
    let n = calls.len();
    let of_callees: usize = (2..n + 2).sum();
    let all = of_callees + n * (OTHER + 1);

    let workspace = Workspace::with([(file, source.as_str()), ("cpu.folded", profile.as_str())]);
    let options = json!({ "hover": { "everywhere": true } });
    let mut server = Server::builder(&workspace).options(options).start();
    let uri = server.open_file(&workspace.path(file), language);
    server.wait_labels(&uri);

    for (i, (line, name, recorded)) in calls.iter().enumerate() {
        let (line0, samples) = ((first + i) as u64, i + 2);
        let start = line.rfind(name).unwrap_or_else(|| panic!("no {name} in {line}"));
        for column in [start, start + name.len()] {
            let what = format!("{language}: {line}, column {column}");
            let items = server.prepare(&uri, line0, column as u64);
            let answers: Vec<_> = items.iter().map(answer).collect();
            let expected = (json!(recorded), (json!(samples), json!(samples)));
            assert_eq!(answers, [expected], "{what}");

            let hover = unescaped(&server.hover(&uri, line0, column as u64).unwrap());
            let cost = format!("{:.1}% ({samples} samples)", percent(samples, all));
            let first = format!("**{recorded}** · self {cost} · total {cost}");
            assert_eq!(hover.lines().next(), Some(first.as_str()), "{what}");
        }
        // Before the call: the function around it, and the line.
        let around = server.prepare(&uri, line0, 0);
        let answers: Vec<_> = around.iter().map(answer).collect();
        assert_eq!(answers, [(json!("around"), (json!(n), json!(all)))], "{language}: {line}");
        let hover = server.hover(&uri, line0, 0).unwrap();
        assert!(hover.contains(&format!("line {}", line0 + 1)), "{language}: {line}: {hover}");
    }
}

/// Markdown without the escapes before characters.
fn unescaped(markdown: &str) -> String {
    let mut characters = markdown.chars().peekable();
    let mut text = String::new();
    while let Some(c) = characters.next() {
        let is_escape = c == '\\' && characters.peek().is_some_and(char::is_ascii_punctuation);
        text.extend(if is_escape { characters.next() } else { Some(c) });
    }
    text
}

fn percent(samples: usize, all: usize) -> f64 {
    100.0 * samples as f64 / all as f64
}

/// The recorded name of the function of an item, and its costs.
fn answer(item: &Value) -> (Value, (Value, Value)) {
    assert!(!text(&item["name"]).is_empty(), "{item}");
    let path = item["data"]["path"].as_array().unwrap();
    (path.last().unwrap()["name"].clone(), cost(&item["data"]))
}

/// A profile that names no files. `step` is defined twice, and neither has its whole name.
#[test]
fn names_alone_find_functions() {
    let main = "fn parse(x: &str) {\n    hash(x);\n}\nfn hash(x: &str) {\n}\nmod a {\n    fn step() {}\n}\nmod b {\n    fn step() {}\n}\n";
    let profile = "kernel_run 30\nkernel_run;k::parse 10\nkernel_run;k::parse;k::hash 25\nkernel_run;k::step 5\n";
    let workspace = Workspace::with([
        ("Cargo.toml", "[package]\nname = \"k\"\n"),
        ("src/main.rs", main),
        ("cpu.folded", profile),
    ]);
    let mut server = Server::start(&workspace);
    let path = workspace.path("src/main.rs");
    let uri = server.open_file(&path, "rust");
    let lenses = server.eventually("lenses", |server| {
        Some(server.lenses(&uri)).filter(|lenses| !lenses.is_empty())
    });
    let lenses: Vec<_> = lenses
        .iter()
        .map(|lens| (lens["range"]["start"]["line"].clone(), cost(&lens["data"])))
        .collect();
    let expected = [(0, (10, 35)), (3, (25, 25))]
        .map(|(line, (own, all))| (json!(line), (json!(own), json!(all))));
    assert_eq!(lenses, expected);
    assert_eq!(server.hints(&uri), [] as [Value; 0]);
    let items = server.prepare(&uri, 0, 4);
    assert_eq!(
        items.iter().map(answer).collect::<Vec<_>>(),
        [(json!("k::parse"), (json!(10), json!(35)))]
    );
    let hover = unescaped(&server.hover(&uri, 0, 4).unwrap());
    assert!(hover.contains("matched by the function's name"), "{hover}");

    let explain = |server: &mut Server, line: u32| {
        server.execute("costline.explain", json!([{ "uri": uri, "line": line }]))
    };
    let why = explain(&mut server, 0);
    assert_eq!(why["code"], "no-lines", "{why}");
    assert!(text(&why["message"]).contains("found by their names"), "{why}");
    let why = explain(&mut server, 6);
    assert_eq!(why["code"], "function-ambiguous", "{why}");
    let paths = server.execute("costline.paths", json!([]));
    assert_eq!(paths["files"][0]["how"], "name", "{paths}");
    let step = &paths["ambiguousFunctions"][0];
    assert_eq!((&step["name"], &step["message"]), (&json!("k::step"), &why["message"]));
    let candidates = [7, 10].map(|line| json!({ "path": path, "line": line }));
    assert_eq!(step["candidates"], json!(candidates));
    let message = text(&step["message"]);
    assert!(message.contains("main.rs:7 or ") && message.contains("main.rs:10;"), "{message}");
}

#[test]
fn go_calls() {
    check(
        "app.go",
        "go",
        "package main\n\nfunc around(b *strings.Builder, tree *Tree, index *Index) {\n",
        &[
            ("\tb.WriteString(x)", "WriteString", "strings.(*Builder).WriteString"),
            ("\tmain()", "main", "main.main"),
            ("\ttree.Walk(x)", "Walk", "github.com/acme/index.(*Tree[go.shape.int]).Walk"),
            ("\tMap(square, x)", "Map", "main.Map[...]"),
            ("\tMap[int](square, x)", "Map", "main.Map[go.shape.int]"),
            ("\tindex.Add(x)", "Add", "main.(*Index).Add-fm"),
            ("\tindex.Get(x)", "Get", "main.Index.Get"),
            ("\tgo fmt.Println(index.Len())", "Len", "main.(*Index).Len"),
        ],
        "}\n",
    );
}

#[test]
fn c_calls() {
    check(
        "app.c",
        "c",
        "void around(char *text) {\n",
        &[
            ("  main();", "main", "main"),
            ("  blur(text, 3);", "blur", "blur.constprop.0.isra.1"),
            ("  parse(text);", "parse", "parse'2"),
            ("  __libc_start_main(0);", "__libc_start_main", "__libc_start_main@@GLIBC_2.34"),
        ],
        "}\n",
    );
}

#[test]
fn cpp_calls() {
    check(
        "app.cpp",
        "cpp",
        "void around(Scene &scene, Shape *shape) {\n",
        &[
            ("  scene.trace(ray, 1);", "trace", "Scene::trace(Ray const&, int) const"),
            (
                "  items.push(1);",
                "push",
                "void std::vector<int, std::allocator<int> >::push<int>(int&&) [clone .cold]",
            ),
            ("  items.emplace<int>(1);", "emplace", "void Items::emplace<int>(int&&)"),
            ("  blur(3);", "blur", "blur.constprop.0.isra.1"),
            ("  v.operator*(2.0);", "operator*", "Vec3<double>::operator*(double) const"),
            ("  operator<(a, b);", "operator<", "bool operator< <int>(Pair<int> const&)"),
            ("  v.operator-();", "operator-", "Vec3<double>::operator-"),
            ("  p.operator->();", "operator->", "Ptr<int>::operator->() const"),
            ("  matrix.operator[](1);", "operator[]", "Matrix::operator[](int)"),
            ("  shape->~Shape();", "~Shape", "Shape::~Shape()"),
            ("  call.operator()(1.0);", "operator()", "Call<int>::operator()<double>(double)"),
            ("  run(1);", "run", "(anonymous namespace)::run(int)"),
            ("  ns::parse<int>(text);", "parse", "ns::parse<int>(char const*)"),
            ("  auto *s = new Shape(1);", "Shape", "Shape::Shape(int)"),
        ],
        "}\n",
    );
}

#[test]
fn rust_calls() {
    check(
        "app.rs",
        "rust",
        "fn around(tree: &Tree, shape: &[u8]) {\n",
        &[
            ("    wordstat::count(text);", "count", "wordstat::count"),
            ("    tree.walk();", "walk", "<app::Tree<T> as app::Walk<'_>>::walk"),
            ("    list.fold(0, add);", "fold", "fold<core::ops::range::Range<u32>, usize>"),
            ("    shape.area();", "area", "app::geometry::<impl app::Area for [T]>::area"),
            ("    text.parse::<u32>();", "parse", "core::str::<impl str>::parse"),
            ("    r#match(text);", "r#match", "app::match"),
            ("    println!(\"{}\", total(list));", "total", "app::total"),
        ],
        "}\n",
    );
}

#[test]
fn ruby_calls() {
    check(
        "app.rb",
        "ruby",
        "def around(ledger)\n",
        &[
            ("  ledger.post(1)", "post", "Ledger#post"),
            ("  ledger.post!(1)", "post!", "Ledger#post!"),
            ("  ledger.empty?", "empty?", "Ledger#empty?"),
            ("  Ledger.new(1)", "new", "<Class::Ledger>#new"),
            ("  Ledger::Entry.build(1)", "build", "Ledger::Entry.build"),
            ("  ledger.<=>(other)", "<=>", "Array#<=>"),
            ("  ledger.[]=(1, 2)", "[]=", "Ledger#[]="),
            ("  total", "total", "Object#total"),
        ],
        "end\n",
    );
}

#[test]
fn php_calls() {
    check(
        "app.php",
        "php",
        "<?php\n\nfunction around($cart) {\n",
        &[
            ("    $cart->total();", "total", "Acme\\Cart->total"),
            ("    $cart?->count();", "count", "Acme\\Cart->count"),
            ("    Cart::load(1);", "load", "Acme\\Cart::load"),
            ("    \\Acme\\render(1);", "render", "Acme\\render"),
            ("    strlen($cart);", "strlen", "strlen"),
        ],
        "}\n",
    );
}

#[test]
fn python_calls() {
    check(
        "app.py",
        "python",
        "def around(frontier):\n",
        &[
            ("    carve(1)", "carve", "build.<locals>.carve"),
            ("    frontier.push(1)", "push", "Frontier.push"),
            ("    heapq.heappush(frontier, 1)", "heappush", "heappush"),
            ("    print(frontier.peek())", "peek", "Frontier.peek"),
        ],
        "\n",
    );
}
