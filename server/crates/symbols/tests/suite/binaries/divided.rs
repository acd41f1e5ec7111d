//! Functions that GCC divides to inline their beginning.

use crate::binaries::{id_and_address, lib, resolve, run};
use std::collections::BTreeSet;
use std::fs;
use symbols::Generics;

/// GCC divides `work`, and inlines both parts into `even`. `tree` calls itself where it is declared.
const RECURSIVE: &str = "
struct node { struct node *left, *right; };
int work(const struct node *n);
int even(const struct node *n) {
    if (!n) return 0;
    return work(n->left) + work(n->right);
}
int work(const struct node *n) {
    if (!n) return 0;
    return even(n->left) + even(n->right) + 1;
}
int tree(int n) { return n < 2 ? 1 : tree(n - 1) + tree(n - 2); }
int main(int argc, char **argv) {
    struct node n = { 0, 0 };
    return argv[argc] ? work(&n) + tree(argc) : even(&n);
}
";

#[test]
fn the_parts_of_a_function_are_no_recursion() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("app.c"), RECURSIVE).unwrap();
    let options = ["-O2", "-g", "-Wl,--build-id=sha1", "app.c", "-o", "app"];
    if !run("gcc", path, &options) {
        return;
    }
    let (id, work) = id_and_address(path);
    // `even` is before it, `tree` is after it.
    let addresses: Vec<u64> = (work - 0xa0..work + 0x80).collect();
    let symbols = resolve(&lib("app", &id), &addresses, &[&path.join("app")], &[]);
    // The lines of inlined calls.
    let mut calls = BTreeSet::new();
    for &address in &addresses {
        let levels: Vec<_> = symbols.levels(address, Generics::Keep).collect();
        calls.extend(levels.windows(2).map(|pair| (pair[0].name, pair[0].line, pair[1].name)));
    }
    assert_eq!(calls, [("even", 6, "work"), ("tree", 12, "tree")].into());
}
