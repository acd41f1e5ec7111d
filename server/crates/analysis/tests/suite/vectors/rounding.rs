//! Sums of fractions do not depend on their order.

use super::*;

/// `leaf` is called from as many functions as there are weights. So its total is a sum over call
/// nodes, its self a sum over one line and the profile's total a sum over samples.
fn profile(weights: &[f64]) -> Profile {
    let callers: Vec<String> =
        (0..weights.len()).map(|i| format!("{:<16}", format!("caller{i}@{}", i + 1))).collect();
    let leaves = format!("{:<16}", "leaf@9").repeat(weights.len());
    text_samples::weighted(&format!("{}\n{leaves}\n", callers.concat()), weights)
}

#[test]
fn self_equals_total_of_a_leaf_in_any_order() {
    let mut weights: Vec<f64> = (1..200).map(|i| 0.1 * f64::from(i) + 1e-7).collect();
    let leaf = |weights: &[f64]| {
        let case = Case::new(profile(weights));
        let costs = case.costs();
        let cost = costs.function(case.find("leaf")).cost;
        assert_eq!(cost.total, Total::Exact(cost.self_));
        assert_eq!(costs.total, cost.self_);
        assert_eq!(
            case.nodes().ids().map(|id| case.nodes().get(id).self_).sum::<f64>(),
            cost.self_
        );
        cost.self_
    };
    let ascending = leaf(&weights);
    weights.reverse();
    assert_eq!(ascending.to_bits(), leaf(&weights).to_bits());
    // 0.1 + … + 19.9, and 199 times 1e-7.
    assert!((ascending - 1_990.000_019_9).abs() < 1e-9, "{ascending}");
}

#[test]
fn whole_numbers_are_not_rounded() {
    let case = Case::new(profile(&[3.0, 1e15, 7.0]));
    assert_eq!(case.costs().total, 1_000_000_000_000_010.0);
}

#[test]
fn sums_of_tiny_and_huge_weights_are_accurate() {
    for weights in [[5e-324, 1.0], [1e-280, 2e-280], [1e29, 0.5], [0.0, 0.0]] {
        let total = Case::new(profile(&weights)).costs().total;
        assert!((total - (weights[0] + weights[1])).abs() <= 1e-15 * total, "{weights:?}: {total}");
    }
}
