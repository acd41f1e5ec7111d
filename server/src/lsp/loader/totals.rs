//! The totals of the profiles that were found, for lists of profiles. Those that were not shown yet
//! are read for that, and not kept.

use super::effect::{Effect, Output};
use super::jobs::{Job, SumJob};
use super::work_queue::{WorkId, WorkQueue};
use answers::{FileVersion, ProfileTotal, World, runs};
use std::path::PathBuf;
use std::sync::Arc;

/// The largest size of a profile that is read for its total. Larger ones take longer than a list may.
const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of profiles that are read at a time, the newest.
const MAX_PROFILES: usize = 50;

/// Reads profiles for their totals.
#[derive(Debug)]
pub struct Totals<A> {
    queue: WorkQueue<Vec<A>>,
}

impl<A> Default for Totals<A> {
    fn default() -> Self {
        Self { queue: WorkQueue::default() }
    }
}

impl<A> Totals<A> {
    /// A command waits for the totals.
    pub fn ask(&mut self, answer: A) {
        let mut answers = self.queue.unwant().unwrap_or_default();
        answers.push(answer);
        self.queue.want(answers);
    }

    /// Reads the profiles without a total, unless that is being done.
    pub fn start(&mut self, output: &mut Output<A>, last: &mut WorkId) {
        if let Some((id, _)) = self.queue.start(last) {
            let job = SumJob { runs: unknown(output.world()), max_bytes: MAX_BYTES };
            output.push(Effect::Start(id, Job::Sum(job)));
        }
    }

    /// Handles the totals of the profiles that could be read.
    pub fn summed(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        totals: Vec<(PathBuf, ProfileTotal)>,
    ) {
        let Some(ended) = self.queue.end(id) else { return };
        if !totals.is_empty() {
            output.publish(|world| Arc::make_mut(&mut world.totals).extend(totals));
        }
        for answer in ended.work {
            let world = output.world().clone();
            output.push(Effect::Answer(answer, Ok(world)));
        }
    }

    /// Commands that wait get the error `problem`.
    pub fn close(&mut self, output: &mut Output<A>, problem: &str) {
        let running = self.queue.running_mut().map(std::mem::take);
        let waiting = self.queue.unwant();
        for answer in running.into_iter().chain(waiting).flatten() {
            output.push(Effect::Answer(answer, Err(problem.to_owned())));
        }
        if let Some(id) = self.queue.cancel() {
            output.push(Effect::Stop(id));
        }
    }
}

/// The files of the runs without a total.
fn unknown(world: &World) -> Vec<Vec<FileVersion>> {
    let all = runs(&world.candidates).into_iter();
    let is_unknown = |run: &Vec<_>| {
        let first: Option<&&answers::Candidate> = run.first();
        first.is_some_and(|first| world.total_of(&first.path, first.stamp, run.len()).is_none())
    };
    let versions =
        |run: Vec<&answers::Candidate>| run.into_iter().cloned().map(FileVersion::from).collect();
    all.filter(is_unknown).take(MAX_PROFILES).map(versions).collect()
}
