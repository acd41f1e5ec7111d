//! The progress of a load or a fetch on the terminal.

use answers::ReadStep as Step;
use answers::progress::describe;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

/// How long a load must take to show progress.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two pictures of the bar.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error with the step of a load. Hidden if that is not a terminal. It disappears
/// when it is dropped.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A bar that appears after [`PATIENCE`].
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:20} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.set_message("reading");
        let shown = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !shown.is_finished() {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self(bar)
    }

    /// Shows the steps that it is called with.
    pub fn observer(&self) -> impl FnMut(Step) -> ControlFlow<()> {
        |step| {
            let (message, percentage) = describe(step);
            self.show(message, u64::from(percentage));
            ControlFlow::Continue(())
        }
    }

    /// Shows what is being done, and how many percent are complete.
    pub fn show(&self, message: String, percentage: u64) {
        self.0.set_position(percentage);
        self.0.set_message(message);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
