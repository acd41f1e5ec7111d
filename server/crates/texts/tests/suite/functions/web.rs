//! JavaScript and TypeScript, also with JSX.

use crate::functions::{check, check_calls};
use texts::Language::{JavaScript, Tsx, TypeScript};

#[test]
fn javascript() {
    check(
        JavaScript,
        r#"
 0|export default function* generate() { yield 1; }
 1|export async function load(callback = () => 1) {}
 2|const Shape = class {
 3|  #hidden() {}
 4|  static later = () => 1;
 5|  get size() { return 1; }
 6|  set size(value) {}
 7|  'quoted name'() {}
 8|  [Symbol.iterator]() {}
 9|  constructor() { super(); }
10|};
11|class Square extends Shape {
12|  async area() {
13|    this.points.forEach((point) => {
14|      add(point);
15|    });
16|  }
17|}
18|const arrow = async (x) => x, other = function own() {};
19|module.exports.render = function () {};
20|const object = { key: () => 1, method() {}, 'text': function () {}, [x]: () => 2 };
21|const parens = (() => { return 1; });
22|(function () {
23|  function inner() {}
24|})();
25|setTimeout(() => done(), 1);
"#,
        "
0 0-0 generate
1 1-1 load
  1 1-1 closure callback
3 3-3 Shape.#hidden
4 4-4 closure Shape.later
5 5-5 Shape.size
6 6-6 Shape.size
7 7-7 Shape.quoted name
8 8-8 Shape.[Symbol.iterator]
9 9-9 Shape.constructor
12 12-16 Square.area
  13 13-15 closure
18 18-18 closure arrow
18 18-18 own
19 19-19 closure render
20 20-20 closure key
20 20-20 method
20 20-20 closure text
20 20-20 closure [x]
21 21-21 closure parens
22 22-24 closure
  23 23-23 inner
25 25-25 closure
",
    );
}

#[test]
fn javascript_with_jsx() {
    check(
        JavaScript,
        r#"
0|function Row({ items }) {
1|  return (
2|    <ul onClick={() => select(1)}>
3|      {items.map((item) => <li key={item}>{item}</li>)}
4|    </ul>
5|  );
6|}
"#,
        "
0 0-6 Row
  2 2-2 closure onClick
  3 3-3 closure
",
    );
}

#[test]
fn typescript() {
    check(
        TypeScript,
        r#"
 0|abstract class Matrix<T> {
 1|  private scale = <U>(by: U): U => by;
 2|  abstract rows(): number;
 3|  columns?(): void;
 4|  public static async *cells<T>(@Inject() x: T): AsyncGenerator<T> { yield x; }
 5|  constructor(private n: number) {}
 6|}
 7|namespace Linear.Algebra {
 8|  export function add(a: number): void;
 9|  export function add(a: any) {}
10|}
11|const cast = ((a) => a) as Transform;
12|const fits = (() => 1) satisfies Transform;
13|function overloaded(x: string): void;
14|function overloaded(x: any, f = (y: any) => y) {}
15|declare function elsewhere(): void;
"#,
        "
1 1-1 closure Matrix.scale
4 4-4 Matrix.cells
5 5-5 Matrix.constructor
9 9-9 Algebra.add
11 11-11 closure cast
12 12-12 closure fits
14 14-14 overloaded
  14 14-14 closure f
",
    );
}

#[test]
fn typescript_with_jsx() {
    check(
        Tsx,
        r#"
0|export const View = <T,>({ rows }: Props<T>) => {
1|  const press = useCallback(() => {}, []);
2|  return <Table onPress={() => press()}>{rows.map((row) => <Row {...row} />)}</Table>;
3|};
"#,
        "
0 0-3 closure View
  1 1-1 closure
  2 2-2 closure onPress
  2 2-2 closure
",
    );
}

#[test]
fn calls() {
    let both = [
        ("this.m^?.(1)", "m"),
        ("new Squ^are(2)", "Square"),
        ("a.b.c^(3)", "c"),
        ("a.b^.c(3)", "-"),
        ("this.#pri^v(1)", "#priv"),
        ("tag^`text`", "tag"),
        ("await fet^ch(f(x))", "fetch"),
        ("await fetch(f^(x))", "f"),
        ("table['k^'](x)", "-"),
        ("(function nam^ed() {})()", "named"),
    ];
    check_calls(JavaScript, &both);
    check_calls(TypeScript, &both);
    check_calls(Tsx, &both);
    check_calls(TypeScript, &[("this.h^<T>(1)", "h"), ("maybe^!(1)", "maybe")]);
    check_calls(Tsx, &[("<A b={run^(1)}/>", "run")]);
}
