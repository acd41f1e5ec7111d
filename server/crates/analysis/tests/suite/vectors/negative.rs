//! Negative weights: freed memory, differences of two profiles.

use super::*;

/// The tree, indented, with the total of each branch.
fn branches(case: &Case, order: TreeOrder) -> String {
    let (tree, mut out) = (case.tree(), String::new());
    let mut open: Vec<_> =
        tree.branches(order, None).into_iter().rev().map(|branch| (0, branch)).collect();
    while let Some((depth, branch)) = open.pop() {
        writeln!(out, "{}{} {}", "  ".repeat(depth), case.name(branch.function), branch.total)
            .unwrap();
        open.extend(
            tree.branches(order, Some(&branch)).into_iter().rev().map(|below| (depth + 1, below)),
        );
    }
    out
}

#[test]
fn v3_negative_weights() {
    check(
        text_samples::weighted(
            "
            a@1[file:x.c]  a@1  a@1  a@2
            b@5[file:x.c]  b@6  b@5  c@9[file:y.c]
            ",
            &[5.0, 2.0, -3.0, 1.0],
        ),
        &expect![[r#"
            total 5
            a 0/5
            b 4/4
            c 1/1
            x.c:1 0/4
            x.c:2 0/1
            x.c:5 2/2
            x.c:6 2/2
            y.c:9 1/1
        "#]],
    );
}

#[test]
fn percentages_are_of_the_absolute_self_of_call_nodes() {
    // a > b is one call node: 5 and -3 are added before the absolute value is taken.
    let case = Case::new(text_samples::weighted("a b a\nb   b\n", &[5.0, -4.0, -3.0]));
    let costs = case.costs();
    assert_eq!((costs.total, costs.base), (-2.0, 6.0));
}

#[test]
fn keeps_nodes_with_cost_below_whose_total_is_0() {
    let text = "
        main   main  main   gone
        alloc  alloc other
        grow   free
    ";
    let case = Case::new(text_samples::weighted(text, &[100.0, -100.0, 7.0, 0.0]));
    expect![[r#"
        main 7
          other 7
          alloc 0
            grow 100
            free -100
    "#]]
    .assert_eq(&branches(&case, TreeOrder::TopDown));
    expect![[r#"
        grow 100
          alloc 100
            main 100
        free -100
          alloc -100
            main -100
        other 7
          main 7
    "#]]
    .assert_eq(&branches(&case, TreeOrder::BottomUp));
    expect![[r#"
        total 7, no line 7
        main 0/7
        alloc 0/0
        grow 100/100
        free -100/-100
        other 7/7
    "#]]
    .assert_eq(&render(&case));
    assert_eq!(case.costs().base, 207.0);
    // `main` is worth opening for the 100 two levels below it.
    let tree = case.tree();
    let main = &tree.branches(TreeOrder::TopDown, None)[0];
    assert!(tree.reaches(main, 100.0) && !tree.reaches(main, 101.0));
}
