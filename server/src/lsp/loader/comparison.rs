//! What is shown is compared with: nothing, what was shown at some time, or a profile that is read
//! for it.

use super::effect::{Effect, Outcome, Output, Severity};
use super::jobs::{CompareJob, Job};
use super::work_queue::{WorkId, WorkQueue};
use engine::baseline::Baseline;
use engine::snapshot::Snapshot;
use engine::stages::loaded::LoadError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// Nothing.
    Nothing,
    /// What is shown now, as it is.
    Shown,
    /// A profile as it is now, relative to the first workspace folder.
    With(PathBuf),
}

/// Reads baselines, one at a time.
#[derive(Debug)]
pub struct Comparison<A> {
    queue: WorkQueue<ToRead<A>>,
    /// Why the baseline cannot be compared with, as it was logged last.
    problem: Option<String>,
}

#[derive(Debug)]
struct ToRead<A> {
    path: PathBuf,
    /// The command that asks for it; else it is the setting.
    answer: Option<A>,
}

impl<A> Default for Comparison<A> {
    fn default() -> Self {
        Self { queue: WorkQueue::default(), problem: None }
    }
}

impl<A> Comparison<A> {
    /// Compares with something else from now on. What must be read for that is only wanted.
    pub fn compare(&mut self, output: &mut Output<A>, with: Compare, answer: Option<A>) {
        self.supersede(output);
        let world = output.world().clone();
        let has = |shown: &Snapshot, path: &Path| {
            let path = world.in_root(path);
            shown.loaded.files.iter().any(|(file, _)| *file == path)
        };
        let baseline = match (with, world.snapshot()) {
            (Compare::Nothing, _) => None,
            (Compare::Shown, Some(shown)) => Some(shown),
            (Compare::Shown, None) => {
                let problem = "no profile is shown: there is nothing to compare with";
                return refuse(output, answer, problem);
            }
            // As it is shown, which may differ from what is in the file now.
            (Compare::With(path), Some(shown)) if has(shown, &path) => Some(shown),
            (Compare::With(path), _) => {
                self.queue.want(ToRead { path: world.in_root(path), answer });
                return;
            }
        };
        self.show(output, baseline.map(|shown| Baseline::new(shown.clone())), answer);
    }

    /// Gives up what is read or wanted, since something else is compared with.
    fn supersede(&mut self, output: &mut Output<A>) {
        let running = self.queue.running_mut().and_then(|running| running.answer.take());
        let wanted = self.queue.unwant().and_then(|wanted| wanted.answer);
        for answer in running.into_iter().chain(wanted) {
            let problem = "another baseline was chosen meanwhile".to_owned();
            output.push(Effect::Answer(answer, Err(problem)));
        }
        if let Some(id) = self.queue.cancel() {
            output.push(Effect::Stop(id));
        }
    }

    /// Starts to read what is wanted, unless something is read.
    pub fn start(&mut self, output: &mut Output<A>, last: &mut WorkId) {
        if let Some((id, ToRead { path, .. })) = self.queue.start(last) {
            let job = CompareJob { path: path.clone(), world: output.world().clone() };
            output.push(Effect::Start(id, Job::Compare(job)));
        }
    }

    /// A baseline was read, or could not be.
    pub fn compared(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        outcome: Result<Box<Baseline>, LoadError>,
    ) {
        let Some(ended) = self.queue.end(id).filter(|ended| !ended.was_cancelled) else { return };
        match outcome {
            Ok(baseline) => self.show(output, Some(*baseline), ended.work.answer),
            Err(error) => refuse(output, ended.work.answer, &error.to_string()),
        }
    }

    fn show(&mut self, output: &mut Output<A>, baseline: Option<Baseline>, answer: Option<A>) {
        output.publish(|world| {
            world.baseline = baseline.map(Arc::new);
            world.revision += 1;
        });
        self.problem = None;
        self.report_problem(output);
        if let Some(answer) = answer {
            let outcome: Outcome = Ok(output.world().clone());
            output.push(Effect::Answer(answer, outcome));
        }
    }

    /// Logs why what is shown cannot be compared with the baseline, unless that was logged last.
    pub fn report_problem(&mut self, output: &mut Output<A>) {
        let world = output.world();
        let both = world.snapshot().zip(world.baseline.as_ref());
        let problem = both.and_then(|(shown, baseline)| baseline.problem(shown));
        if let Some(problem) = problem.as_ref().filter(|_| self.problem != problem) {
            output.log(Severity::Warning, problem.as_str());
        }
        self.problem = problem;
    }
}

/// Tells whoever asked for it why there is no baseline, or no other one.
fn refuse<A>(output: &mut Output<A>, answer: Option<A>, problem: &str) {
    match answer {
        Some(answer) => output.push(Effect::Answer(answer, Err(problem.to_owned()))),
        None => output.log(Severity::Warning, format!("setting `baseline`: {problem}")),
    }
}
