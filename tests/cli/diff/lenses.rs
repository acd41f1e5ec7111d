//! Which functions have their cost above them.

use super::{BEFORE, project, ran};
use crate::speedscope;

#[test]
fn a_function_that_changed_or_was_asked_for_has_its_cost_above_it() {
    // `parse` has 5 of 1000 ms, and had 600.
    let after = [("parse", 6, 5), ("render", 9, 995)];
    let folder =
        project(&[("before.json", speedscope(&BEFORE)), ("after.json", speedscope(&after))]);
    let lens = |arguments: &[&str]| {
        let arguments = [&["annotate", "after.json"], arguments].concat();
        let text = ran(folder.path(), &arguments).success();
        text.lines().find(|line| line.contains("parse: ")).map(|line| line.trim().to_owned())
    };
    assert_eq!(lens(&["app.py"]), None);
    let cost = "parse: self 0.5% (5.00 ms) · total 0.5% (5.00 ms)";
    assert_eq!(lens(&["parse"]).as_deref(), Some(cost));
    let changed = "parse: self 0.5% (5.00 ms) ▼595 ms · total 0.5% (5.00 ms) ▼595 ms";
    assert_eq!(lens(&["app.py", "--baseline", "before.json"]).as_deref(), Some(changed));
}
