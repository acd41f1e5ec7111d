//! Recursion in words.

use analysis::{FunctionRecursion, RecursionDepth, RecursionKind, RecursiveSites};

/// The kind and depth of a recursion: `mutual recursion of 2 functions: a call from outside leads to 6.0
/// calls on average`.
pub fn recursion(recursion: FunctionRecursion) -> String {
    let FunctionRecursion { functions, sites, depth } = recursion;
    let kind = match (recursion.kind(), sites) {
        (RecursionKind::Single, RecursiveSites::Calls(_)) => "single recursion".to_owned(),
        (RecursionKind::Single, RecursiveSites::Lines(_)) => "recursion at one line".to_owned(),
        (RecursionKind::Several, RecursiveSites::Calls(n)) => several(n, "call sites"),
        (RecursionKind::Several, RecursiveSites::Lines(n)) => several(n, "lines"),
        (RecursionKind::Mutual, _) => format!("mutual recursion of {functions} functions"),
    };
    match depth {
        RecursionDepth::Calls(calls) => {
            format!("{kind}: a call from outside leads to {calls:.1} calls on average")
        }
        RecursionDepth::OnStack { mean, most } => {
            format!("{kind}: {mean:.1} calls deep on average, at most {most}")
        }
        RecursionDepth::Unknown => kind,
    }
}

fn several(n: usize, what: &str) -> String {
    let all = if n == 2 { "both" } else { "several" };
    format!("recursion at {n} {what} (divide and conquer, if one call reaches {all})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_is_a_kind_and_a_depth() {
        let words =
            |functions, sites, depth| recursion(FunctionRecursion { functions, sites, depth });
        let (calls, lines) = (RecursiveSites::Calls, RecursiveSites::Lines);
        assert_eq!(words(1, calls(1), RecursionDepth::Unknown), "single recursion");
        assert_eq!(words(1, lines(1), RecursionDepth::Unknown), "recursion at one line");
        assert_eq!(
            words(1, lines(2), RecursionDepth::OnStack { mean: 2.25, most: 7 }),
            "recursion at 2 lines (divide and conquer, if one call reaches both): 2.2 calls deep on average, \
             at most 7"
        );
        assert_eq!(
            words(3, calls(4), RecursionDepth::Calls(6.0)),
            "mutual recursion of 3 functions: a call from outside leads to 6.0 calls on average"
        );
    }
}
