//! The steps of a load in words.

use loading::ReadStep as Step;

/// The message for a step, and the approximate percentage of the load that is done.
pub fn describe(step: Step) -> (String, u32) {
    let mb = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    match step {
        Step::Reading(done, all) => {
            let percentage = u32::try_from(done * 60 / all.max(1)).unwrap_or(60).min(60);
            (format!("reading {} of {}", mb(done), mb(all.max(done))), percentage)
        }
        Step::Summing => ("computing costs".to_owned(), 80),
        Step::Unwinding => ("unwinding stacks".to_owned(), 60),
        Step::Resolving(done, all) => {
            let percentage = u32::try_from(done * 100 / all.max(1)).unwrap_or(100);
            let message = format!("resolving addresses, library {} of {all}", (done + 1).min(all));
            (message, percentage)
        }
    }
}
