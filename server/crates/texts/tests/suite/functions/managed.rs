//! Java and C#.

use crate::functions::{check, check_calls};
use texts::Language::{CSharp, Java};

#[test]
fn java() {
    check(
        Java,
        r#"
 0|package shop;
 1|public class Cart<T> {
 2|    static int n = 0;
 3|    Runnable field = () -> {};
 4|    public Cart(int x) {
 5|        super(x);
 6|    }
 7|    @Override
 8|    @Deprecated
 9|    public <U> int total(U u) throws Exception {
10|        Runnable later = () -> call(1);
11|        list.forEach(x -> {
12|            add(x);
13|        });
14|        new Thread(new Runnable() {
15|            public void run() {}
16|        });
17|        return u.size();
18|    }
19|    abstract void missing();
20|    interface Priced {
21|        default int price() { return 1; }
22|        int weight();
23|    }
24|    enum Kind { BIG { int size() { return 2; } }; int size() { return 1; } }
25|    record Line(int amount) {
26|        Line { check(amount); }
27|        int twice() { return amount * 2; }
28|    }
29|    native int elsewhere();
30|}
"#,
        "
3 3-3 closure Cart.field
4 4-6 Cart.Cart
9 7-18 Cart.total
  10 10-10 closure later
  11 11-13 closure
  15 15-15 run
21 21-21 Priced.price
24 24-24 BIG.size
24 24-24 Kind.size
26 26-26 Line.Line
27 27-27 Line.twice
",
    );
}

#[test]
fn java_calls() {
    check_calls(
        Java,
        &[
            ("class A { int m() { return this.g^et(u); } }", "get"),
            ("class A { int m() { A.<U>he^lp(2); } }", "help"),
            ("class A { int m() { new Ca^rt<>(1); } }", "Cart"),
            ("class A { int m() { x.y^().z(); } }", "y"),
            ("class A { int m^() { } }", "-"),
        ],
    );
}

#[test]
fn c_sharp() {
    check(
        CSharp,
        r#"
 0|using System;
 1|namespace Shop.Core {
 2|    class Cart<T> : Base {
 3|        public Cart() : base(1) {}
 4|        ~Cart() {}
 5|        public int Count {
 6|            get { return 1; }
 7|            [Pure] private set => count = value;
 8|        }
 9|        public int Twice => 2 * Count;
10|        int Auto { get; set; } = 1;
11|        public int this[int i] { get { return i; } }
12|        public static Cart operator +(Cart a, Cart b) => a;
13|        public static implicit operator int(Cart a) => 1;
14|        event Handler Changed { add { } remove { } }
15|        [Benchmark]
16|        public int Total<U>(U u) {
17|            int Local(int z) => z;
18|            Func<int, int> f = x => x + 1;
19|            var g = delegate (int y) { return y; };
20|            list.Select(x => {
21|                return x;
22|            });
23|            return Local(f(1));
24|        }
25|        abstract void Missing();
26|        void IPriced.Price() {}
27|        Func<int> field = () => 1;
28|        int Short() => 1;
29|    }
30|    record struct Line(int Amount) { int Half() => Amount / 2; }
31|}
"#,
        "
3 3-3 Cart.Cart
4 4-4 Cart.~Cart
5 6-6 Cart.get_Count
5 7-7 Cart.set_Count
9 9-9 Cart.get_Twice
11 11-11 Cart.get_Item
12 12-12 Cart.operator +
13 13-13 Cart.operator int
14 14-14 Cart.add_Changed
14 14-14 Cart.remove_Changed
16 15-24 Cart.Total
  17 17-17 Local
  18 18-18 closure f
  19 19-19 closure g
  20 20-22 closure
26 26-26 Cart.Price
27 27-27 closure Cart.field
28 28-28 Cart.Short
30 30-30 Line.Half
",
    );
}

#[test]
fn c_sharp_calls() {
    check_calls(
        CSharp,
        &[
            ("class A { int M() { this.Ad^d<int>(1); } }", "Add"),
            ("class A { int M() { a?.Ad^d(1); } }", "Add"),
            ("class A { int M() { new Ca^rt(1); } }", "Cart"),
            ("class A { int M() { Lo^cal(1); } }", "Local"),
            ("class A { int M() { Console.Wri^te(Local(1)); } }", "Write"),
            ("class A { int M() { Con^sole.Write(Local(1)); } }", "-"),
        ],
    );
}
