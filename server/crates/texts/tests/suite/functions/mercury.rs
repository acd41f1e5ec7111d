//! Mercury, whose functions are found without a grammar.

use crate::functions::{check, check_calls, parse, text};
use texts::Language::Mercury;
use texts::{Arity, Functions};

#[test]
fn clauses_of_a_predicate_are_one_definition() {
    check(
        Mercury,
        r#"
 0|% Lists.
 1|:- module lists.
 2|:- interface.
 3|:- pred app(list(T), list(T), list(T)).
 4|:- mode app(in, in, out) is det.
 5|:- implementation.
 6|
 7|app([], Ys, Ys).
 8|:- mode app(out, out, in) is multi.
 9|    % Not the end. app(
10|app([X | Xs], Ys, [X | Zs]) :-
11|    app(Xs, Ys, Zs).
12|
13|:- func size(list(T)) = int.
14|size([]) = 0.
15|size([_ | Xs]) =
16|    1 + size(Xs).
17|
18|main(!IO) :-
19|    io.write_string("a. ""b"". \". \
20|        c.\n", !IO),
21|    X = 0'.,
22|    'quoted name'(X, Y), /* d. */ Y = 1.5.
23|
24|'quoted name'(X, X).
25|lists.done.
26|A + B = plus(A, B).
27|last(_) = 1.
"#,
        "
7 7-11 app
14 14-16 size
18 18-22 main
24 24-24 quoted name
25 25-25 done
27 27-27 last
",
    );
}

#[test]
fn names_with_different_arities_are_different_functions() {
    let numbered = "
0|:- module a.
1|p(X) :- p(X, 1).
2|p(X, Y) :- q({X, Y}, [X, Y]).
3|p(X) = X.
4|p(X, Y) --> [X], q(Y).
5|p --> [].
6|p(X, !IO) :- q(X, !.Y, !IO).
7|p.
8|p(X, Y) = Z :- Z = X + Y.
9|p(X / !Y).
";
    let functions = parse(Mercury, numbered);
    let arities: Vec<String> = functions
        .all()
        .iter()
        .map(|definition| {
            let Arity { n_arguments, has_result } = definition.arity.unwrap();
            format!("{n_arguments}{}", if has_result { "+1" } else { "" })
        })
        .collect();
    assert_eq!(arities, ["1", "2", "1+1", "4", "2", "3", "0", "2+1", "1"]);
}

#[test]
fn lambdas_are_in_their_clause() {
    check(
        Mercury,
        r"
 0|:- module a.
 1|p(Xs, Ys) :-
 2|    P = (pred(X::in, Y::out) is det :-
 3|        q(X, Z),
 4|        Y = map(func(A) = A + 1, Z)
 5|    ),
 6|    map(P, Xs, Ys),
 7|    R : pred(int) = S,
 8|    foldl(
 9|        (pred(X::in, !.IO::di, !:IO::uo) is det -->
10|            r(X)
11|        ), Xs, !IO).
12|q(F) :- F = (func(_) = 1).
13|:- func r(func(int) = int) = int.
14|t(T : func(int)).
",
        "
1 1-11 p
  2 2-4 closure
    4 4-4 closure
  9 9-10 closure
12 12-12 q
  12 12-12 closure
14 14-14 t
",
    );
}

#[test]
fn mercury_calls() {
    let calls = [
        ("p(X) :- q^(X).", "q"),
        ("p(X) :- a.b.q^(X).", "q"),
        ("^p(X) :- q(X).", "-"),
        ("p(X) :- ( if q^(X) then r(X) else true ).", "q"),
        ("p(X) = f^(X).", "f"),
        ("p(X) :- 'a b^'(X).", "a b"),
        ("p(X) :- q((X)), Y = f ^(X).", "-"),
        ("p(X) :- % q(^X)\n    true.", "-"),
    ];
    let calls = calls.map(|(clause, name)| (format!(":- module a.\n{clause}\n"), name));
    check_calls(Mercury, &calls.each_ref().map(|(text, name)| (text.as_str(), *name)));
}

#[test]
fn an_unfinished_clause_ends_at_the_next_declaration() {
    check(
        Mercury,
        "
0|:- module a.
1|p(X) :-
2|    q(X, \"r),
3|    s(X
4|
5|:- pred t(int).
6|t(X) :- q(X).
7|u(X
",
        "
1 1-3 p
6 6-6 t
",
    );
}

/// Objective-C and MATLAB have the same extension.
#[test]
fn other_languages_have_no_functions() {
    for text in [
        "#import <a.h>\n@implementation A\n- (int)f { return g(1); }\n@end\n",
        "function y = f(x)\n% :- module a.\ny = g(x);\nend\n",
        "",
    ] {
        assert!(Functions::parse(Mercury, text).is_none(), "{text}");
    }
    let mercury = text("0|:- module a.\n1|p.\n");
    let functions = Functions::parse(Mercury, mercury).unwrap();
    assert!(functions.edited("p.\n").is_none());
}

#[test]
fn a_line_is_in_the_statement_of_its_clause() {
    let functions = parse(Mercury, "0|:- module a.\n1|\n2|p :-\n3|    q,\n4|    r.\n5|% s\n6|s.\n");
    let statements = [0, 3, 4, 5, 6].map(|line0| functions.statement_at(line0));
    assert_eq!(statements, [Some(0), Some(2), Some(2), None, Some(6)]);
}
