//! Functions of call graphs that are recorded in the file of their first instruction, which may be
//! inlined from a library.

use crate::support::{Project, recording};
use answers::function_costs;

const LIB: &str = "\
pub struct Add(pub u64);
pub struct Mul(pub u64);
impl Rule for Add {
    fn apply(&self, n: u64) -> u64 {
        let s = (0..n).max();
        s.unwrap_or(0) + self.0
    }
}
impl Rule for Mul {
    fn apply(&self, n: u64) -> u64 {
        let s = (0..n).min();
        s.unwrap_or(0) * self.0
    }
}
pub fn sort(items: &mut [u64]) {
    items.sort_by(|a, b| {
        let order = a.cmp(b);
        order.reverse()
    });
    items.reverse();
}
";

/// The lenses of a function whose first instruction is from the standard library, and which has a
/// cost on a line of `LIB`, and whether it is own code.
fn shown(function: &str, line: u32) -> (Vec<String>, bool) {
    let project = Project::new(&[("src/lib.rs", LIB)]);
    let profile = format!(
        "# callgrind format\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir\n\n\
         fl=/rustc/0123/library/core/src/cmp.rs\nfn={function}\n1916 1\nfi=src/lib.rs\n{line} 60\n\
         fi=/rustc/0123/library/core/src/num/mod.rs\n2457 39\n\ntotals: 100\n"
    );
    let snapshot = project.load(recording(&profile));
    let function = snapshot.costs.functions().map(|(function, _)| function).next().unwrap();
    let is_own = snapshot.is_own(function);
    let context = project.context(snapshot, &["src/lib.rs"]);
    let lenses = function_costs(&context, &project.uri("src/lib.rs")).into_iter();
    let lenses = lenses.map(|lens| {
        let title = lens.title.split(" (").next().unwrap_or_default().to_owned();
        format!("{} {title}", lens.line0 + 1)
    });
    (lenses.collect(), is_own)
}

#[test]
fn a_function_is_in_the_file_of_its_body() {
    for (function, line, start) in [
        ("<shop::Add as shop::Rule>::apply", 5, 4),
        ("<shop::Mul as shop::Rule>::apply", 11, 10),
        ("shop::sort", 20, 15),
    ] {
        let expected = (vec![format!("{start} self 100.0%")], true);
        assert_eq!(shown(function, line), expected, "{function}");
    }
}

#[test]
fn code_that_is_inlined_into_a_function_of_a_library_does_not_make_it_own() {
    for (function, line) in [
        // A method of another type, and one of another name.
        ("<core::iter::Map<I,F> as shop::Rule>::apply", 5),
        ("<shop::Mul as shop::Rule>::apply", 5),
        ("<shop::Add as shop::Rule>::check", 5),
        // A closure.
        ("core::slice::sort", 17),
        // The first line of a function may be that of a call.
        ("shop::sort", 15),
    ] {
        assert_eq!(shown(function, line), (vec![], false), "{function}");
    }
}
