//! Whether all functions took longer by one factor: then the machine differs, or its clock speed, not the
//! program.
//!
//! Two recordings of one program on a busy machine differ in every function, by more than sampling
//! explains. As shares of the total, they do not. A program of which only one function became slower has
//! other shares, too, unless that function is all of it; so the rule wants the other functions to have
//! changed.

use crate::compare::comparison::Change;

/// How the self cost of a function changed, and how its share did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Changed {
    /// The self cost in the baseline.
    pub before: f64,
    /// The change of the self cost.
    pub by_weight: Change,
    /// The change of its share of the total.
    pub by_share: Change,
}

/// Whether no share changed by more than noise, while of the functions apart from the costliest those that
/// changed in the direction of the total had at least half of the cost.
pub(super) fn is_one_factor(functions: &[Changed], total: f64) -> bool {
    if functions.iter().any(|function| function.by_share.is_real()) {
        return false;
    }
    let costliest = functions.iter().map(|function| function.before).fold(0.0, f64::max);
    let sum = |all: &mut dyn Iterator<Item = &Changed>| all.map(|it| it.before).sum::<f64>();
    let others = sum(&mut functions.iter()) - costliest;
    let follows = |it: &&Changed| it.by_weight.is_real() && it.by_weight.change * total > 0.0;
    let is_costliest = |it: &Changed| it.before == costliest;
    let following = sum(&mut functions.iter().filter(|it| !is_costliest(it)).filter(follows));
    others > 0.0 && following >= others / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions with these costs before and after, of programs with these totals, compared with a bound of
    /// 2 · √(samples).
    fn is_common(functions: &[(f64, f64)]) -> bool {
        let total = |side: fn(&(f64, f64)) -> f64| functions.iter().map(side).sum::<f64>();
        let (was, is) = (total(|it| it.0), total(|it| it.1));
        let change = |before: f64, now: f64| Change {
            before,
            now,
            change: now - before,
            noise: Some(2.0 * (before + now).sqrt()),
        };
        let changed = |&(before, now): &(f64, f64)| Changed {
            before,
            by_weight: change(before, now),
            by_share: change(before * is / was, now),
        };
        let functions: Vec<_> = functions.iter().map(changed).collect();
        is_one_factor(&functions, is - was)
    }

    #[test]
    fn every_function_has_to_follow() {
        // 1.3 times as long, of several functions.
        assert!(is_common(&[(1000.0, 1300.0), (800.0, 1040.0), (500.0, 650.0), (9.0, 11.0)]));
        assert!(is_common(&[(1300.0, 1000.0), (1040.0, 800.0), (650.0, 500.0)]));
        // One function became slower, and the others did not.
        assert!(!is_common(&[(1000.0, 1700.0), (800.0, 800.0), (500.0, 500.0)]));
        // It is nearly all of the program, so that its share hardly changed.
        assert!(!is_common(&[(1000.0, 3000.0), (9.0, 9.0)]));
        assert!(!is_common(&[(1000.0, 3000.0)]));
        // What follows is less than half of the others.
        assert!(!is_common(&[(9000.0, 12000.0), (400.0, 520.0), (300.0, 310.0), (300.0, 310.0)]));
    }
}
