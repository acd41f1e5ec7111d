//! The baseline: none, the shown profile at some time, or a profile that is read for the comparison.

use super::effect::{Effect, Outcome, Output, Severity};
use super::inactive::Inactive;
use super::jobs::{CompareError, CompareJob, CompareResult, Job};
use super::work_queue::{WorkId, WorkQueue};
use engine::baseline::Baseline;
use engine::kept_baseline::KeptBaseline;
use engine::snapshot::Snapshot;
use engine::stamp::Stamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// Nothing.
    Nothing,
    /// The shown profile in its present state.
    Shown,
    /// Runs that Costline kept, whichever these are.
    Kept(KeptBaseline),
    /// A baseline that is malformed, with a message for users.
    Malformed(String),
    /// The present content of a profile. The path is relative to the workspace folder.
    With(PathBuf),
}

impl Compare {
    /// The baseline of a setting or a choice.
    pub fn with(path: PathBuf) -> Self {
        match KeptBaseline::parse(&path) {
            Some(Ok(kept)) => Self::Kept(kept),
            Some(Err(problem)) => Self::Malformed(problem),
            None => Self::With(path),
        }
    }
}

/// Reads baselines, one at a time.
#[derive(Debug)]
pub struct Comparison<A> {
    queue: WorkQueue<ToRead<A>>,
    /// The kept runs to compare with.
    kept: Option<KeptBaseline>,
    /// The problem with the current baseline that was logged.
    problem: Option<String>,
    /// Why the last run was not kept.
    not_kept: Option<String>,
    /// The version of the baseline of the settings that could not be read; `None` if there was none.
    unread: Option<Stamp>,
}

#[derive(Debug)]
struct ToRead<A> {
    path: PathBuf,
    /// The kept runs to read instead of this profile.
    kept: Option<KeptBaseline>,
    /// The command that set the baseline; `None` for the setting.
    answer: Option<A>,
}

impl<A> Default for Comparison<A> {
    fn default() -> Self {
        Self {
            queue: WorkQueue::default(),
            kept: None,
            problem: None,
            not_kept: None,
            unread: None,
        }
    }
}

impl<A> Comparison<A> {
    /// Sets the baseline. If it must be read first, [`Self::start`] starts that.
    pub fn compare(&mut self, output: &mut Output<A>, with: Compare, answer: Option<A>) {
        self.cancel(output, "another baseline has been set");
        self.kept = match &with {
            Compare::Kept(kept) => Some(kept.clone()),
            _ => None,
        };
        let world = output.world().clone();
        let has = |shown: &Snapshot, path: &Path| {
            let path = world.in_root(path);
            shown.loaded.files.iter().any(|(file, _)| *file == path)
        };
        let baseline = match (with, world.snapshot()) {
            (Compare::Nothing, _) | (Compare::Kept(_), None) => None,
            (Compare::Malformed(problem), _) => return fail(output, answer, &problem),
            (Compare::Kept(kept), Some(shown)) => {
                let path = shown.loaded.path.clone();
                self.queue.want(ToRead { path, kept: Some(kept), answer });
                return;
            }
            (Compare::Shown, Some(shown)) => Some(shown),
            (Compare::Shown, None) => {
                let problem = "there is nothing to compare with: no profile is loaded";
                return fail(output, answer, problem);
            }
            // The shown profile may differ from the present content of the file.
            (Compare::With(path), Some(shown)) if has(shown, &path) => Some(shown),
            (Compare::With(path), _) => {
                self.queue.want(ToRead { path: world.in_root(path), kept: None, answer });
                return;
            }
        };
        self.show(output, baseline.map(|shown| Baseline::new(shown.clone())), answer);
    }

    /// Whether to read the baseline of the settings again, which could not be read: there is another
    /// version of it.
    pub fn is_worth_a_retry(&mut self, unread: Option<Stamp>) -> bool {
        let is_other = unread.is_some() && unread != self.unread;
        if is_other {
            self.unread = unread;
        }
        is_other
    }

    /// Whether the baseline is a kept run.
    pub fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Searches the runs to compare a profile with that was just read, if these are the baseline.
    pub fn was_read(&mut self, shown: &Snapshot) {
        if self.kept.is_some() {
            let answer = self.queue.unwant().and_then(|wanted| wanted.answer);
            let (path, kept) = (shown.loaded.path.clone(), self.kept.clone());
            self.queue.want(ToRead { path, kept, answer });
        }
    }

    /// Cancels the reading of baselines. Commands that wait for it get the error `problem`.
    pub fn cancel(&mut self, output: &mut Output<A>, problem: &str) {
        let running = self.queue.running_mut().and_then(|running| running.answer.take());
        let wanted = self.queue.unwant().and_then(|wanted| wanted.answer);
        for answer in running.into_iter().chain(wanted) {
            output.push(Effect::Answer(answer, Err(problem.to_owned())));
        }
        if let Some(id) = self.queue.cancel() {
            output.push(Effect::Stop(id));
        }
    }

    /// Starts to read the wanted baseline, unless one is being read.
    pub fn start(&mut self, output: &mut Output<A>, inactive: &Inactive, last: &mut WorkId) {
        if let Some((id, ToRead { path, kept, .. })) = self.queue.start(last) {
            let job = CompareJob {
                path: path.clone(),
                kept: kept.clone().zip(output.world().snapshot().cloned()),
                in_memory: inactive.read_with(&output.world().settings),
                world: output.world().clone(),
            };
            output.push(Effect::Start(id, Job::Compare(job)));
        }
    }

    /// Handles the result of reading a baseline.
    pub fn compared(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        CompareResult { outcome, not_kept }: CompareResult,
    ) {
        let Some(ended) = self.queue.end(id).filter(|ended| !ended.was_cancelled) else { return };
        if let Some(problem) = not_kept.as_ref().filter(|_| self.not_kept != not_kept) {
            output.log(Severity::Warning, problem.as_str());
        }
        self.not_kept = not_kept;
        match outcome {
            Ok(baseline) => {
                self.show(output, baseline.map(|baseline| *baseline), ended.work.answer);
            }
            // The run will be found once it is kept.
            Err(CompareError::NoRun(problem)) => {
                output.log(Severity::Warning, problem);
                self.show(output, None, ended.work.answer);
            }
            Err(CompareError::NoRevision(problem)) => fail(output, ended.work.answer, &problem),
            Err(CompareError::Load(error)) => fail(output, ended.work.answer, &error.to_string()),
        }
    }

    fn show(&mut self, output: &mut Output<A>, baseline: Option<Baseline>, answer: Option<A>) {
        output.publish(|world| {
            world.baseline = baseline.map(Arc::new);
            world.baseline_problem = None;
            world.revision += 1;
        });
        (self.problem, self.unread) = (None, None);
        self.report_problem(output);
        if let Some(answer) = answer {
            let outcome: Outcome = Ok(output.world().clone());
            output.push(Effect::Answer(answer, outcome));
        }
    }

    /// Logs why the shown profile cannot be compared with the baseline, unless it was logged before.
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

/// Answers the command with an error, or reports it if the baseline is from the settings.
fn fail<A>(output: &mut Output<A>, answer: Option<A>, problem: &str) {
    if let Some(answer) = answer {
        output.push(Effect::Answer(answer, Err(problem.to_owned())));
    } else {
        if output.world().baseline_problem.as_deref() != Some(problem) {
            output.log(Severity::Warning, format!("setting `baseline`: {problem}"));
        }
        output.publish(|world| world.baseline_problem = Some(problem.to_owned()));
    }
}
