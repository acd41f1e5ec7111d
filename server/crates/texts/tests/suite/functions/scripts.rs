//! Python, Ruby, Lua, R and PHP.

use crate::functions::{check, check_calls, parse};
use texts::Language::{Lua, Php, Python, R, Ruby};

#[test]
fn python() {
    check(
        Python,
        r#"
 0|import functools
 1|
 2|@dataclass
 3|class Grid:
 4|    @functools.cache
 5|    @register(lambda: 1)
 6|    async def load(self,
 7|                   path):
 8|        def inner():
 9|            yield 1
10|        return [cell(x) for x in self.rows]
11|
12|    size = property(lambda self: 1)
13|
14|    class Cell:
15|        def __init__(self): pass
16|
17|key = lambda x: x
18|typed: Callable = lambda: 0
19|self.callback = lambda: 0
20|table = dict(a=lambda: 1)
21|table = {"z": lambda: 2}
22|def default(f=lambda: 3): pass
23|first, second = lambda: 4, lambda: 5
"#,
        "
6 4-10 Grid.load
  5 5-5 closure Grid.
  8 8-9 inner
12 12-12 closure Grid.
15 15-15 Cell.__init__
17 17-17 closure key
18 18-18 closure typed
19 19-19 closure callback
20 20-20 closure
21 21-21 closure
22 22-22 default
  22 22-22 closure
23 23-23 closure first
23 23-23 closure second
",
    );
}

/// CPython counts the first decorator as a function's first line.
#[test]
fn a_decorator_belongs_to_its_function() {
    let functions =
        parse(Python, "0|x = 1\n1|@cache\n2|@trace\n3|def f():\n4|    return 1\n5|y = 2\n");
    let at = |line0| functions.at_line(line0).map_or("-", |definition| &definition.name);
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(at), ["-", "f", "f", "f", "f", "-", "-"]);
}

#[test]
fn python_calls() {
    check_calls(
        Python,
        &[
            ("self.grid.ne^ighbours(x)", "neighbours"),
            ("self.gr^id.neighbours(x)", "-"),
            ("^print(f(x))", "print"),
            ("print(f^(x))", "f"),
            ("[ce^ll(x) for x in xs]", "cell"),
            ("table[k^ey](x)", "-"),
            ("@regi^ster(1)\ndef f(): pass", "register"),
            ("def f^(): pass", "-"),
        ],
    );
}

#[test]
fn ruby() {
    check(
        Ruby,
        r#"
 0|module Ledger::Core
 1|  class Account < Base
 2|    attr_reader :total
 3|    def initialize(total)
 4|      @lines.each do |line|
 5|        add(line)
 6|      end
 7|    end
 8|    def self.open(path); new(path); end
 9|    def balance = @total + 1
10|    def +(other); end
11|    def total=(value); @total = value; end
12|    def empty?; end
13|    class << self
14|      def build; end
15|    end
16|    SQUARE = ->(x) { x * x }
17|    private def hidden!
18|      transform { |x| x }
19|    end
20|  end
21|end
22|def main
23|  def nested; end
24|end
"#,
        "
3 3-7 Account.initialize
8 8-8 Account.open
9 9-9 Account.balance
10 10-10 Account.+
11 11-11 Account.total=
12 12-12 Account.empty?
14 14-14 Account.build
17 17-19 Account.hidden!
22 22-24 main
  23 23-23 nested
",
    );
}

#[test]
fn ruby_calls() {
    check_calls(
        Ruby,
        &[
            ("obj.b^ar 1", "bar"),
            ("o^bj.bar 1", "obj"),
            ("def f\n to^tal\nend", "total"),
            ("lines.each { |x| a^dd(x) }", "add"),
            ("Core::Account.op^en(path)", "open"),
            ("valid^?(1)", "valid?"),
            ("list&.fir^st", "first"),
        ],
    );
}

#[test]
fn lua() {
    check(
        Lua,
        r#"
 0|local function area(x)
 1|  return x * x
 2|end
 3|function shapes.plane.square:area()
 4|  return self:side() ^ 2
 5|end
 6|function shapes.new() end
 7|local first, second = function() end, function() end
 8|shapes.later = function(x)
 9|  return function() return x end
10|end
11|local table = { run = function() end, ["stop"] = function() end, function() end }
12|pcall(function() end)
"#,
        "
0 0-2 area
3 3-5 square.area
6 6-6 shapes.new
7 7-7 closure first
7 7-7 closure second
8 8-10 closure later
  9 9-9 closure
11 11-11 closure run
11 11-11 closure stop
11 11-11 closure
12 12-12 closure
",
    );
}

#[test]
fn lua_calls() {
    check_calls(
        Lua,
        &[
            ("self:me^thod(1)", "method"),
            ("x.y.z^(2)", "z"),
            ("x.y^.z(2)", "-"),
            ("requ^ire 'a'", "require"),
            ("f(g^(1))", "g"),
            ("f()()^", "-"),
        ],
    );
}

#[test]
fn php() {
    check(
        Php,
        r#"
 0|<?php
 1|namespace Shop\Cart;
 2|function total($x) { return sum($x); }
 3|abstract class Cart {
 4|    #[Pure]
 5|    public function __construct(
 6|        private int $x
 7|    ) {
 8|        $this->x = $x;
 9|    }
10|    public static function of() { return new static(1); }
11|    abstract function later();
12|}
13|$key = function ($y) use ($x) { return $y; };
14|$twice = fn($y) => $y * 2;
15|$table = ['p' => fn() => 1, function () {}];
16|$this->callback = function () {};
17|trait Named { function name() { return array_map(fn($x) => $x, []); } }
18|$object = new class { function inside() {} };
"#,
        "
2 2-2 total
5 4-9 Cart.__construct
10 10-10 Cart.of
13 13-13 closure key
14 14-14 closure twice
15 15-15 closure p
15 15-15 closure
16 16-16 closure callback
17 17-17 Named.name
  17 17-17 closure
18 18-18 inside
",
    );
}

#[test]
fn php_calls() {
    check_calls(
        Php,
        &[
            ("<?php $this->me^thod(1);", "method"),
            ("<?php $this?->me^thod(1);", "method"),
            ("<?php self::st^atic_one(2);", "static_one"),
            ("<?php \\A\\q^(3);", "q"),
            ("<?php new Ca^rt(4);", "Cart"),
            ("<?php strlen^($x);", "strlen"),
            ("<?php strlen($x^);", "-"),
        ],
    );
}

#[test]
fn r() {
    check(
        R,
        r#"
 0|# Fits lines.
 1|fit <- function(x, k = 15) {
 2|  out <- vapply(
 3|    seq_along(x),
 4|    function(i) mean(x[i:(i + k)]),
 5|    numeric(1)
 6|  )
 7|  sum(out)
 8|}
 9|twice = \(x) 2 * x
10|print.grid <<- function(g) cat("grid")
11|`my fun` <- function() NULL
12|shapes$area <- (function(s) s$w * s$h)
13|handlers <- list(click = function(e) e, 2)
14|function(x) x -> named
"#,
        "
1 1-8 closure fit
  4 4-4 closure
9 9-9 closure twice
10 10-10 closure print.grid
11 11-11 closure my fun
12 12-12 closure area
13 13-13 closure click
14 14-14 closure
",
    );
}

#[test]
fn r_calls() {
    check_calls(
        R,
        &[
            ("stats::l^m(y ~ x)", "lm"),
            ("fit$ru^n(1)", "run"),
            ("mean(f^(x))", "f"),
            ("x[i^]", "-"),
        ],
    );
}
