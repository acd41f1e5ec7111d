//! The steps of a load in words.

use crate::stages::loaded::Step;

/// The message for a step, and the approximate percentage of the load that is done.
pub fn describe(step: Step) -> (String, u32) {
    let mb = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    match step {
        Step::Reading(done, all) => {
            let percentage = u32::try_from(done * 20 / all.max(1)).unwrap_or(20).min(20);
            (format!("reading {} of {}", mb(done), mb(all)), percentage)
        }
        Step::Inflating(done) => (format!("decompressing, {} so far", mb(done)), 30),
        Step::Decoding(bytes) => (format!("decoding {}", mb(bytes)), 50),
        Step::Summing => ("computing costs".to_owned(), 80),
        Step::Unwinding => ("unwinding stacks".to_owned(), 60),
        Step::Resolving(done, all) => {
            let percentage = u32::try_from(done * 100 / all.max(1)).unwrap_or(100);
            let message = format!("resolving addresses, library {} of {all}", (done + 1).min(all));
            (message, percentage)
        }
    }
}
