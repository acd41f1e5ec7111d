//! Functions of lambdas: their places, and what tells them apart.

use crate::binaries::{id_and_address, lib, resolve, run};
use std::collections::BTreeSet;
use std::fs;
use symbols::Generics;

/// Two lambdas, one of which calls the other, are inlined into `work`.
const LAMBDAS: &str = "\
extern \"C\" __attribute__((noinline)) int work(int n) {
    auto inner = [&](int q) {
        volatile int sum = q * n;
        return sum;
    };
    auto outer = [&](int q) {
        volatile int sum = q + n;
        return sum * inner(q);
    };
    return outer(n) + 1;
}
int main(int argc, char **) { return work(argc); }
";

/// GCC does not say where the function of a lambda is.
#[test]
fn a_lambda_is_where_its_type_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("app.cpp"), LAMBDAS).unwrap();
    let options = ["-O2", "-g", "-Wl,--build-id=sha1", "app.cpp", "-o", "app"];
    if !run("g++", path, &options) {
        return;
    }
    let (id, work) = id_and_address(path);
    let addresses: Vec<u64> = (work..work + 64).collect();
    let symbols = resolve(&lib("app", &id), &addresses, &[&path.join("app")], &[]);
    let levels = addresses.iter().flat_map(|&address| symbols.levels(address, Generics::Keep));
    let declared: BTreeSet<_> = levels
        .filter(|level| level.name == "operator()")
        .map(|level| level.declared.map(|(file, line)| (file.ends_with("app.cpp"), line)))
        .collect();
    assert_eq!(declared, [Some((true, 2)), Some((true, 6))].into());
}
