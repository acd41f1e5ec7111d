//! Names of every language, as profilers write them.

use super::*;

fn render(name: &str) -> String {
    let FunctionName { name, closure, block, outer, .. } = FunctionName::of(name);
    let mut rendered = name.unwrap_or_else(|| "-".to_owned());
    for (is, word) in [(closure, " closure"), (block, " block")] {
        rendered += if is { word } else { "" };
    }
    rendered + &outer.map_or(String::new(), |outer| format!(" in {outer}"))
}

#[test]
fn modules_of_mercury() {
    for (name, expected) in [
        ("queens.safe/1-0", Some("queens")),
        ("a.b.abs_diff/2+1-0", Some("a.b")),
        ("int.//2+1-0", Some("int")),
        ("a.b.pred lambda line 34", Some("a.b")),
        ("Unify for list.list/1", Some("list")),
        ("main", None),
    ] {
        assert_eq!(mercury_module(name), expected, "{name}");
    }
}

#[test]
fn names_of_every_language() {
    for (name, expected) in [
        // Mercury.
        ("queens.safe/1-0", "safe"),
        ("a.b.abs_diff/2+1-0", "abs_diff"),
        ("int.//2+1-0", "/"),
        ("list.++/2+1-0", "++"),
        ("queens.pred lambda line 34", "- closure"),
        ("Unify for list.list/1", "-"),
        ("Compare for a.b.t/0", "-"),
        // Rust.
        ("wordstat::count", "count"),
        ("<app::Tree<T> as app::Walk<'_>>::walk", "walk"),
        ("wordstat::main::{{closure}}", "- closure in main"),
        ("{closure:/srv/shop/lib.php:16-16}", "- closure"),
        (r"Shop\{closure:/srv/shop/lib.php:45-45}", "- closure"),
        ("app::run::<fn(u32) -> u8>::{closure#1}::{closure#0}", "- closure in run"),
        ("{closure#0}<u32, alloc::vec::Vec<u8>>", "- closure"),
        ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "-"),
        ("fold<core::ops::range::Range<u32>, usize>", "fold"),
        ("app::geometry::<impl app::Area for [T]>::area", "area"),
        // C and C++.
        ("main", "main"),
        ("blur.constprop.0.isra.1", "blur"),
        ("parse'2", "parse"),
        ("__libc_start_main@@GLIBC_2.34", "__libc_start_main"),
        ("tiny@plt", "-"),
        ("shop::total(int)@plt", "-"),
        ("Scene::trace(Ray const&, int) const", "trace"),
        ("void std::vector<int, std::allocator<int> >::push<int>(int&&) [clone .cold]", "push"),
        ("a::Circle::inner(int) const [clone .isra.0] [clone .cold]", "inner"),
        ("Vec3<double>::operator*(double) const", "operator*"),
        ("bool operator< <int>(Pair<int> const&)", "operator<"),
        ("Vec3<double>::operator-", "operator-"),
        ("Ptr<int>::operator->() const", "operator->"),
        ("Shape::~Shape()", "~Shape"),
        ("Call<int>::operator()<double>(double)", "operator() closure"),
        (
            "median(std::vector<double>)::{lambda(int)#1}::operator()(int) const",
            "- closure in median",
        ),
        ("median(std::vector<double>)::<lambda(double, double)>", "- closure in median"),
        ("(anonymous namespace)::run(int)", "run"),
        // Go.
        ("main.main", "main"),
        ("github.com/acme/index.(*Tree[go.shape.int]).Walk", "Walk"),
        ("main.(*Index).Add.func1", "func1 closure in Add"),
        ("main.run.func2.1", "- closure in run"),
        ("main.Map[...]", "Map"),
        ("main.(*Index).Add-fm", "Add"),
        ("main.run-range1", "- block in run"),
        // Python.
        ("build.<locals>.carve", "carve"),
        ("Frontier.push", "push"),
        ("<module>", "-"),
        ("build.<locals>.<lambda>", "- closure in build"),
        ("crunch.<locals>.<dictcomp>.<genexpr>", "- block in crunch"),
        ("<listcomp>", "- block"),
        ("build.<locals>.<lambda>.<locals>.<genexpr>", "- closure block in build"),
        ("App.<lambda>.<locals>.run.<locals>.<genexpr>", "- block in run"),
        // JavaScript.
        ("exports.render", "render"),
        ("(anonymous)", "- closure"),
        ("get text", "text"),
        ("#count", "count"),
        ("solve/<", "- closure"),
        ("solve/step", "step"),
        ("Board.prototype.place", "place"),
        ("[Symbol.iterator]", "[Symbol.iterator]"),
        ("func1", "func1 closure"),
        // Ruby, PHP, Java, Lua.
        ("Ledger#post", "post"),
        ("block (2 levels) in Ledger#post!", "- block in post!"),
        ("block in <main>", "- block"),
        ("<Class::Ledger>#new", "new"),
        ("Ledger::Entry.build", "build"),
        ("Array#<=>", "<=>"),
        ("Ledger#[]=", "[]="),
        ("<top (required)>", "-"),
        ("Acme\\Cart->total", "total"),
        ("{closure}", "- closure"),
        ("com/acme/Cart.total", "total"),
        ("com/acme/Cart.<init>", "Cart"),
        ("com/acme/Shape$Point.<init>", "Point"),
        ("Cart.lambda$total$0", "- closure in Cart"),
        ("M:walk", "walk"),
        // Addresses, and unbalanced brackets.
        ("0x1174", "0x1174"),
        ("a<b", "-"),
    ] {
        assert_eq!(render(name), expected, "{name}");
    }
}

#[test]
fn paths_name_modules_types_and_functions() {
    for (name, expected) in [
        ("main", ""),
        ("wordstat::rank::top", "wordstat rank"),
        ("<app::Tree<T> as app::Walk<'_>>::walk", "app Tree"),
        ("app::geometry::<impl app::Area for [T]>::area", "app geometry"),
        ("<[T] as app::Area>::area", ""),
        ("std::vector<int, std::allocator<int> >::push<int>(int&&)", "std vector"),
        ("(anonymous namespace)::Scene::run(int)", "Scene"),
        ("github.com/acme/index.(*Tree[go.shape.int]).Walk", "github com acme index Tree"),
        ("main.run.func1", "main run"),
        ("build.<locals>.carve", "build"),
        ("<listcomp>", ""),
        ("Ledger::Entry.build", "Ledger Entry"),
        ("<Class::Ledger>#new", "Ledger"),
        ("Acme\\Cart->total", "Acme Cart"),
        ("Board.prototype.place", "Board prototype"),
        ("com/acme/Shape$Point.dist", "com acme Shape Point"),
        ("com/acme/Shape$1Local.go", "com acme Shape Local"),
        ("Shape$1.run", "Shape"),
        ("$scope.run", "$scope"),
    ] {
        assert_eq!(FunctionName::of(name).path.join(" "), expected, "{name}");
    }
}

#[test]
fn names_of_rust_name_the_trait() {
    for (name, expected) in [
        ("<app::Tree<T> as app::Walk<'_>>::walk", Some("Walk")),
        ("<app::Tree as core::fmt::Debug>::fmt", Some("Debug")),
        ("app::geometry::<impl app::Area for [T]>::area", Some("Area")),
        ("app::geometry::<impl app::Shape>::area", None),
        ("app::walk::<<T as Iterator>::Item>", None),
        ("app::Tree::walk", None),
        ("build.<locals>.carve", None),
    ] {
        assert_eq!(FunctionName::of(name).implements.as_deref(), expected, "{name}");
    }
}

#[test]
fn a_function_is_called_by_its_last_segment() {
    for (recorded, called) in [
        // Rust.
        ("wordstat::count", "count"),
        ("<app::Tree<T> as app::Walk<'_>>::walk", "walk"),
        ("fold<core::ops::range::Range<u32>, usize>", "fold"),
        ("app::geometry::<impl app::Area for [T]>::area", "area"),
        ("app::match", "r#match"),
        // C and C++.
        ("main", "main"),
        ("__libc_start_main@@GLIBC_2.34", "__libc_start_main"),
        ("parse'2", "parse"),
        ("blur.constprop.0.isra.1", "blur"),
        ("Scene::trace(Ray const&, int) const", "trace"),
        ("void std::vector<int, std::allocator<int> >::push<int>(int&&) [clone .cold]", "push"),
        ("Shape::~Shape()", "~Shape"),
        ("Vec3<double>::operator*(double) const", "operator *"),
        ("bool operator< <int>(Pair<int> const&)", "operator<"),
        ("Vec3<double>::operator-", "operator-"),
        ("Ptr<int>::operator->() const", "operator->"),
        ("Matrix::operator[](int)", "operator[]"),
        ("Call<int>::operator()<double>(double)", "operator()"),
        ("(anonymous namespace)::run(int)", "run"),
        // Go.
        ("main.main", "main"),
        ("strings.(*Builder).WriteString", "WriteString"),
        ("github.com/acme/index.(*Tree[go.shape.int]).Walk", "Walk"),
        ("main.Map[...]", "Map"),
        ("main.(*Index).Add-fm", "Add"),
        // Python.
        ("build.<locals>.carve", "carve"),
        ("Frontier.push", "push"),
        // JavaScript.
        ("exports.render", "render"),
        ("#count", "#count"),
        ("solve/step", "step"),
        ("Board.prototype.place", "place"),
        ("[Symbol.iterator]", "[Symbol.iterator]"),
        ("func1", "func1"),
        // Ruby, PHP, Java, Lua.
        ("Ledger#post", "post"),
        ("Ledger#post!", "post!"),
        ("<Class::Ledger>#new", "new"),
        ("Ledger::Entry.build", "build"),
        ("Array#<=>", "<=>"),
        ("Ledger#[]=", "[]="),
        ("Acme\\Cart->total", "total"),
        ("com/acme/Cart.total", "total"),
        ("M:walk", "walk"),
    ] {
        assert!(FunctionName::of(recorded).is_called(called), "{recorded}");
    }
}

#[test]
fn closures_and_blocks_are_not_called_by_the_name_of_the_function_around_them() {
    for (recorded, around) in [
        ("wordstat::main::{{closure}}", "main"),
        ("app::run::<fn(u32) -> u8>::{closure#1}::{closure#0}", "run"),
        ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "call_once"),
        ("median(std::vector<double>)::{lambda(int)#1}::operator()(int) const", "median"),
        ("median(std::vector<double>)::<lambda(double, double)>", "median"),
        ("main.(*Index).Add.func1", "Add"),
        ("main.run.func2.1", "run"),
        ("main.run-range1", "run"),
        ("build.<locals>.<lambda>", "build"),
        ("crunch.<locals>.<dictcomp>.<genexpr>", "crunch"),
        ("<module>", "module"),
        ("(anonymous)", "anonymous"),
        ("solve/<", "solve"),
        ("block (2 levels) in Ledger#post!", "post!"),
        ("block in <main>", "main"),
        ("<top (required)>", "required"),
        ("{closure}", "closure"),
        ("Cart.lambda$total$0", "total"),
        ("parse_all", "parse"),
    ] {
        assert!(!FunctionName::of(recorded).is_called(around), "{recorded}");
    }
}

#[test]
fn names_of_cpp_tell_the_number_of_parameters() {
    for (name, expected) in [
        ("area()", Some(0)),
        ("area(void)", Some(0)),
        ("Shape::area(int, int) const", Some(2)),
        ("void each<int, int>(std::map<int, int>&, void (*)(int, int))", Some(2)),
        ("Shape::operator()(int)", Some(1)),
        ("area(int) [clone .cold]", Some(1)),
        ("print(char const*, ...)", None),
        ("area", None),
        ("main.(*Index).Add", None),
        ("void (*handler(int))(int, int)", None),
    ] {
        assert_eq!(n_parameters(name), expected, "{name}");
    }
}

#[test]
fn lists_of_parameters_are_left_out_within_a_name() {
    for (name, expected) in [
        (
            "Stats<…>::sort()::{lambda(int const&)#1}::operator()",
            "Stats<…>::sort::{lambda#1}::operator()",
        ),
        ("(anonymous namespace)::run(int)::{lambda()#2}", "(anonymous namespace)::run::{lambda#2}"),
        ("A::operator()(int)::{lambda()#1}", "A::operator()::{lambda#1}"),
        ("f(int", "f(int"),
    ] {
        assert_eq!(without_lists(name), expected);
    }
}

#[test]
fn clones_are_named_as_in_the_source() {
    for (name, expected) in [
        ("blur.constprop.0.isra.1", "blur"),
        ("init.lto_priv.1", "init"),
        ("main.cold", "main"),
        ("f(int) const [clone .constprop.0] [clone .cold]", "f(int) const"),
        ("a::numbers(a::numbers(int)::_Z7numbersi.Frame*) [clone .actor]", "a::numbers"),
        (
            "(anonymous namespace)::g(h(int)*) [clone .destroy] [clone .cold]",
            "(anonymous namespace)::g",
        ),
        ("f(int)", "f(int)"),
        ("app.run", "app.run"),
        (".cold", ".cold"),
    ] {
        assert_eq!(without_clone_marks(name), expected);
    }
}
