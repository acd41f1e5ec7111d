//! How much one sample of a recording weighs, to compute the noise of sums of samples.

use crate::View;
use profile::{Recording, StackAccess};
use rustc_hash::FxHashSet;

/// The weights of single samples in the metric and the threads of a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleWeights {
    /// Σw²/Σ|w|: if samples are taken at random, the variance of a sum of weights is its expected
    /// value times this. For samples of the same weight it is that weight.
    pub mean: f64,
    /// Whether all samples have the same weight. Samples without weight do not count.
    pub uniform: bool,
    /// Whether several samples of a thread have the same stack. Otherwise each may stand for all
    /// samples with its stack.
    pub repeated: bool,
}

/// The weights of the samples of a recording. `None` for a call graph, for recorded calls, and
/// without any weight.
pub fn sample_weights(recording: &Recording, view: &View) -> Option<SampleWeights> {
    let (mut sum, mut squares) = (0.0, 0.0);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let mut repeated = false;
    let mut seen = FxHashSet::default();
    for (thread, samples) in recording.sampled()?.samples().iter().enumerate() {
        if samples.calls().is_some() {
            return None;
        }
        seen.clear();
        let Some(weights) = samples.weights().get(view.metric.index()) else { continue };
        for i in (0..samples.len()).filter(|_| view.includes(thread)) {
            let weight = weights.get(i).abs();
            let stack = samples.stack(i).filter(|_| weight > 0.0);
            if let Some(stack) = stack {
                repeated = repeated || !seen.insert(stack);
                sum += weight;
                squares += weight * weight;
                (least, most) = (least.min(weight), most.max(weight));
            }
        }
    }
    (sum > 0.0).then(|| SampleWeights {
        mean: squares / sum,
        uniform: most <= least * 1.001,
        repeated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_single_samples() {
        let of = |weights: &[f64]| {
            let profile = profile::text_samples::weighted("a a a\nb c b", weights);
            let recording = Recording::from(profile);
            sample_weights(&recording, &View::of(&recording)).unwrap()
        };
        assert_eq!(
            of(&[2.0, 2.0, 2.0]),
            SampleWeights { mean: 2.0, uniform: true, repeated: true }
        );
        // (1 + 1 + 16) / 6.
        assert_eq!(
            of(&[1.0, 1.0, -4.0]),
            SampleWeights { mean: 3.0, uniform: false, repeated: true }
        );
        assert_eq!(
            of(&[5.0, 0.0, 0.0]),
            SampleWeights { mean: 5.0, uniform: true, repeated: false }
        );
    }
}
