//! Advice on profiles without costs.

use crate::support::Project;
use analysis::Thread;
use engine::advice::{Advice, advice};
use profile::{Metric, ProfileBuilder, Samples};

/// Go's profiles of created threads have no stacks.
#[test]
fn samples_without_stacks_are_samples() {
    let advice_on = |n_samples: usize| {
        let mut builder = ProfileBuilder::new(vec![Metric::new("threadcreate", "count", None)], 0);
        let mut samples = Samples::with_metrics(1);
        (0..n_samples).for_each(|_| samples.push(None, |_| 5.0));
        builder.push_thread(Thread::default(), samples).unwrap();
        match advice(&Project::new(&[]).load(builder.build())) {
            Some(Advice::Record(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    assert!(advice_on(2).starts_with("no sample has a stack"), "{}", advice_on(2));
    assert!(advice_on(0).starts_with("the profile has no samples"), "{}", advice_on(0));
}
