//! C, C++, Rust and Go.

use crate::functions::{check, check_calls};
use texts::Functions;
use texts::Language::{C, Cpp, Go, Rust};

#[test]
fn rust() {
    check(
        Rust,
        r#"
 0|#[inline]
 1|pub fn plain<T>(x: T) -> T
 2|where
 3|    T: Copy,
 4|{
 5|    fn inner() {}
 6|    x
 7|}
 8|impl<T: Copy> std::fmt::Display for Shape<T> {
 9|    async unsafe fn fmt(&self) {
10|        let area = |x: u32| x + 1;
11|        self.points.iter().map(|p| {
12|            p.x
13|        });
14|        spawn(async move { area(1) });
15|    }
16|    const fn new() -> Self { Shape }
17|}
18|mod geometry {
19|    trait Area {
20|        fn area(&self) -> f64;
21|        fn twice(&self) -> f64 { 2.0 * self.area() }
22|    }
23|    impl Area for &mut [u8] { fn area(&self) -> f64 { 0.0 } }
24|}
25|static HOOK: fn() = || {};
26|extern "C" fn callback() {}
27|fn later() { let options = Options { sort: Box::new(|a| a), by: &|a| a }; }
"#,
        "
1 1-7 plain
  5 5-5 inner
9 9-15 Shape.fmt
  10 10-10 closure area
  11 11-13 closure
16 16-16 Shape.new
21 21-21 Area.twice
23 23-23 geometry.area
25 25-25 closure HOOK
26 26-26 callback
27 27-27 later
  27 27-27 closure
  27 27-27 closure by
",
    );
}

#[test]
fn rust_inside_macros() {
    check(
        Rust,
        r#"
 0|macro_rules! getters {
 1|    ($($name:ident: $type:ty),*) => {
 2|        $(fn $name(&self) -> $type { self.$name })*
 3|        fn all(&self) -> [u8; 3]
 4|        {
 5|            fn within() { () }
 6|        }
 7|        fn declared(f: fn(u8) -> u8);
 8|    };
 9|}
10|proptest! {
11|    #[test]
12|    fn holds(x in 0..5u32) {
13|        prop_assert!(x < check(x));
14|    }
15|    #[test]
16|    fn holds_too(x in any::<u8>()) { check(x) }
17|}
18|mod tests {
19|    lazy_static! {
20|        static ref TABLE: Vec<u8> = { fn fill() -> Vec<u8> { vec![] } fill() };
21|    }
22|}
"#,
        "
3 3-6 all
  5 5-5 within
12 12-14 holds
16 16-16 holds_too
20 20-20 tests.fill
",
    );
}

#[test]
fn rust_calls() {
    check_calls(
        Rust,
        &[
            ("fn f() { a.b.c^all(x) }", "call"),
            ("fn f() { a.b^.call(x) }", "-"),
            ("fn f() { call^(x) }", "call"),
            ("fn f() { call(^x) }", "-"),
            ("fn f() { call(inner^(x)) }", "inner"),
            ("fn f() { std::mem::^swap(a, b) }", "swap"),
            ("fn f() { a.collect^::<Vec<_>>() }", "collect"),
            ("fn f() { a.collect::<V^ec<_>>() }", "-"),
            ("fn f() {\n a\n .first()\n .sec^ond()\n }", "second"),
            ("fn f() { log::info^!(\"{}\", x) }", "info"),
            ("fn f() { assert!(self.hol^ds(x)) }", "holds"),
            ("fn f() { assert!(ve^c![1].is_empty()) }", "vec"),
            ("fn f() { assert!(x^ < 1) }", "-"),
            ("proptest! { fn f^(x in 0..1) { g(x) } }", "-"),
            ("fn f() { table[0]^(x) }", "-"),
            ("fn f^() {}", "-"),
        ],
    );
}

#[test]
fn c() {
    check(
        C,
        r#"
 0|#define TWICE(x) ((x) + (x))
 1|int declared(int);
 2|static inline int *pointer(struct s *p)
 3|{
 4|    return p->call(1);
 5|}
 6|STATIC_INLINE int behind_a_macro(int a) { return a; }
 7|int (*returns_function(int x))(int) {
 8|    return 0;
 9|}
10|int kernighan(a, b)
11|    int a;
12|    char *b;
13|{
14|    return a;
15|}
16|__attribute__((noinline)) void attributed(void) {}
17|EXPORT(int) exported(void) { return 0; }
18|#ifdef FAST
19|void conditional(void) {}
20|#else
21|void conditional(void) { slow(); }
22|#endif
23|struct s { int (*call)(int); };
"#,
        "
2 2-5 pointer
6 6-6 behind_a_macro
7 7-9 returns_function
10 10-15 kernighan
16 16-16 attributed
17 17-17 exported
19 19-19 conditional
21 21-21 conditional
",
    );
}

#[test]
fn c_calls() {
    check_calls(
        C,
        &[
            ("int f() { return g^(x); }", "g"),
            ("int f() { return s->call^back(x); }", "callback"),
            ("int f() { return s.a.^run(x); }", "run"),
            ("int f() { (*poi^nter)(x); }", "pointer"),
            ("int f() { table[i^](x); }", "-"),
            ("int f^() { }", "-"),
        ],
    );
}

#[test]
fn calls_of_cpp_tell_the_number_of_arguments() {
    for (call, n_arguments) in [
        ("f()", Some(0)),
        ("f(1, g(2, 3))", Some(2)),
        ("f(1, /* two */ 2)", Some(2)),
        ("s.f(1)", Some(1)),
        ("f<int, int>(1)", Some(1)),
        ("new f(1, 2)", Some(2)),
        // It may stand for several.
        ("f(args...)", None),
        ("f(PAIR)", None),
    ] {
        let text = format!("int main() {{ {call}; }}");
        let functions = Functions::parse(Cpp, text.as_str()).unwrap();
        let found = functions.call_at(text.find('f').unwrap()).unwrap();
        assert_eq!((found.name.as_str(), found.n_arguments), ("f", n_arguments), "{call}");
    }
    let functions = Functions::parse(C, "int main() { f(1); }").unwrap();
    assert_eq!(functions.call_at(13).unwrap().n_arguments, None);
}

#[test]
fn cpp() {
    check(
        Cpp,
        r#"
 0|namespace geometry::plane {
 1|template <typename T>
 2|class Shape : public Base {
 3|public:
 4|    Shape() : x_(1) {}
 5|    explicit Shape(int x);
 6|    virtual ~Shape() noexcept {}
 7|    Shape(const Shape&) = delete;
 8|    Shape& operator+(const Shape& other) { return *this; }
 9|    operator bool() const { return true; }
10|    void operator()(int) {}
11|    template <class U>
12|    U as() const { return U(); }
13|    static int count();
14|    std::function<int()> made = [] { return 1; };
15|private:
16|    struct Part { int size() { return 0; } };
17|};
18|}
19|template <>
20|int geometry::Shape<int>::count() {
21|    auto twice = [&](int y) { return y * 2; };
22|    std::sort(a, b, [](int x) {
23|        return x;
24|    });
25|    return twice(2);
26|}
27|Shape::Shape(int x) try : x_(x) {
28|} catch (...) {
29|}
30|Shape::~Shape() {}
31|bool operator==(const A& a, const B& b) { return true; }
32|bool A::operator<(const A& b) const { return true; }
33|extern "C" {
34|int exported(void) { return 0; }
35|}
36|namespace { int& hidden() { return x; } }
37|auto trailing() -> std::vector<int> { return {}; }
38|class API Macro { void method() { x(); } };
"#,
        "
4 4-4 Shape.Shape
6 6-6 Shape.~Shape
8 8-8 Shape.operator+
9 9-9 Shape.operator bool
10 10-10 Shape.operator()
12 11-12 Shape.as
14 14-14 closure Shape.made
16 16-16 Part.size
20 19-26 Shape.count
  21 21-21 closure twice
  22 22-24 closure
27 27-29 Shape.Shape
30 30-30 Shape.~Shape
31 31-31 operator==
32 32-32 A.operator<
34 34-34 exported
36 36-36 hidden
37 37-37 trailing
38 38-38 Macro.method
",
    );
}

#[test]
fn cpp_calls() {
    check_calls(
        Cpp,
        &[
            ("int f() { this->b^az<int>(1); }", "baz"),
            ("int f() { ns::outer::q^<int>(2); }", "q"),
            ("int f() { std::so^rt(a, b); }", "sort"),
            ("int f() { st^d::sort(a, b); }", "-"),
            ("int f() { a.template get^<int>(); }", "get"),
            ("int f() { auto p = new ns::Sha^pe(1); }", "Shape"),
            ("int f() { a.b().c^(); }", "c"),
            ("int f() { a.b^().c(); }", "b"),
            ("int f() { a.oper^ator+(b); }", "operator+"),
            ("int f() { x = p->operator->^(); }", "operator->"),
            ("int f() { ope^rator<(a, b); }", "operator<"),
            ("int f() { ns::operator^<(a, b); }", "operator<"),
            ("bool ope^rator<(A a, B b) { return f(a); }", "-"),
            ("struct A { bool ope^rator<(B b) { return f(b); } };", "-"),
        ],
    );
}

#[test]
fn go() {
    check(
        Go,
        r#"
 0|package store
 1|
 2|type Store[T any] struct{ items []T }
 3|
 4|func (s *Store[T]) Get(
 5|	key string,
 6|) T {
 7|	find := func(k string) int { return 1 }
 8|	go func() {
 9|		find(key)
10|	}()
11|	return s.items[0]
12|}
13|func (Store) Close() {}
14|func Map[T any](xs []T) {}
15|func assembly(x int) int
16|var hook = func() {}
17|var table = Table{run: func() {}, "stop": func() {}}
18|func init() {
19|	a, b := func() {}, func() {}
20|	s.after = func() {}
21|}
"#,
        "
4 4-12 Store.Get
  7 7-7 closure find
  8 8-10 closure
13 13-13 Store.Close
14 14-14 Map
16 16-16 closure hook
17 17-17 closure run
17 17-17 closure stop
18 18-21 init
  19 19-19 closure a
  19 19-19 closure b
  20 20-20 closure after
",
    );
}

#[test]
fn go_calls() {
    check_calls(
        Go,
        &[
            ("package p\nfunc f() { s.a.D^o(1) }", "Do"),
            ("package p\nfunc f() { s.^a.Do(1) }", "-"),
            ("package p\nfunc f() { pkg.F^[int](2) }", "F"),
            ("package p\nfunc f() { pkg.F^[int](2, 3) }", "F"),
            ("package p\nfunc f() { F^[int](2, 3) }", "F"),
            ("package p\nfunc f() { F^[int, string](2, 3) }", "F"),
            ("package p\nfunc f() { go ru^n(2) }", "run"),
            ("package p\nfunc f() { g[i^nt](2) }", "-"),
        ],
    );
}
