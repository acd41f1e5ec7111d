//! The baseline: none, the shown profile at some time, or a profile that is read for the comparison.
//!
//! Kept runs are searched when a profile was read, and the run shown is kept in the same job. Reading
//! is then not slowed down, and nothing is kept unless kept runs are the baseline.

use super::effect::{Effect, Output};
use super::inactive::Inactive;
use super::jobs::{CompareError, CompareJob, CompareResult, Job};
use super::work_queue::{WorkId, WorkQueue};
use answers::{
    Baseline, BaselineChoice, Choices, ChosenBaseline, KeptBaseline, Severity, Snapshot, Stamp,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The error of a command that another one has replaced.
const REPLACED: &str = "another baseline has been set";

/// What to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedBaseline {
    /// Nothing.
    Nothing,
    /// The shown profile in its present state.
    Shown,
    /// The kept runs that this baseline selects.
    Kept(KeptBaseline),
    /// A baseline that is malformed, with a message for users.
    Malformed(String),
    /// The present content of a profile. The path is relative to the workspace folder.
    With(PathBuf),
}

impl WantedBaseline {
    /// The baseline of a setting or a choice.
    pub fn with(path: PathBuf) -> Self {
        match KeptBaseline::parse(&path) {
            Some(Ok(kept)) => Self::Kept(kept),
            Some(Err(problem)) => Self::Malformed(problem),
            None => Self::With(path),
        }
    }
}

impl From<Option<&BaselineChoice>> for WantedBaseline {
    fn from(choice: Option<&BaselineChoice>) -> Self {
        match choice {
            Some(BaselineChoice::Path(path)) => Self::with(path.clone()),
            Some(BaselineChoice::Shown(true)) => Self::Shown,
            Some(BaselineChoice::Shown(false)) | None => Self::Nothing,
        }
    }
}

/// A command that sets the baseline.
#[derive(Debug)]
pub struct BaselineCommand<A> {
    /// Receives the outcome.
    pub answer: A,
    /// The choices to apply together with the baseline, which is one of them. `None` if they are
    /// among the overrides already.
    pub choices: Option<Box<(Choices, ChosenBaseline)>>,
}

/// A baseline to show; `None` for no baseline.
#[derive(Debug)]
pub struct Ready<A> {
    /// The baseline.
    pub baseline: Option<Baseline>,
    /// The kept runs that were searched for it.
    pub kept: Option<KeptBaseline>,
    /// The command that set it; `None` for the setting.
    pub command: Option<BaselineCommand<A>>,
}

/// Reads baselines, one at a time.
#[derive(Debug)]
pub struct Baselines<A> {
    queue: WorkQueue<ToRead<A>>,
    /// The kept runs that are the baseline.
    kept: Option<KeptBaseline>,
    /// The baseline that a pending command has replaced. It is read if the command fails.
    instead: Option<Source>,
    /// The problem with the current baseline that was logged.
    problem: Option<String>,
    /// Why the last run was not kept.
    not_kept: Option<String>,
    /// If the settings' baseline cannot be read: the version that was tried again last. `None` before.
    unread: Option<Stamp>,
}

#[derive(Debug)]
struct ToRead<A> {
    source: Source,
    /// The command that set the baseline; `None` for the setting.
    command: Option<BaselineCommand<A>>,
}

/// Where to read a baseline from.
#[derive(Debug, Clone)]
struct Source {
    path: PathBuf,
    /// The kept runs to read instead of this profile.
    kept: Option<KeptBaseline>,
}

impl Source {
    fn kept(kept: &KeptBaseline, shown: &Snapshot) -> Self {
        Self { path: shown.loaded.path.clone(), kept: Some(kept.clone()) }
    }
}

impl<A> Default for Baselines<A> {
    fn default() -> Self {
        let queue = WorkQueue::default();
        Self { queue, kept: None, instead: None, problem: None, not_kept: None, unread: None }
    }
}

impl<A> Baselines<A> {
    /// Returns the baseline to show. If it must be read first, the result is `None` and
    /// [`Self::start`] starts that. A command changes nothing until its baseline is shown.
    pub fn compare(
        &mut self,
        output: &mut Output<A>,
        with: WantedBaseline,
        command: Option<BaselineCommand<A>>,
    ) -> Option<Ready<A>> {
        let world = output.world().clone();
        let has = |shown: &Snapshot, path: &Path| {
            let path = world.in_root(path);
            shown.loaded.files.iter().any(|(file, _)| *file == path)
        };
        let kept = match &with {
            WantedBaseline::Kept(kept) => Some(kept.clone()),
            _ => None,
        };
        if command.is_none() {
            self.cancel(output, REPLACED);
            self.kept.clone_from(&kept);
        }
        let baseline = match (with, world.snapshot()) {
            (WantedBaseline::Nothing, _) | (WantedBaseline::Kept(_), None) => None,
            (WantedBaseline::Malformed(problem), _) => {
                refuse(output, command, &problem);
                return None;
            }
            (WantedBaseline::Kept(kept), Some(shown)) => {
                self.read(output, Source::kept(&kept, shown), command);
                return None;
            }
            (WantedBaseline::Shown, Some(shown)) => Some(shown),
            (WantedBaseline::Shown, None) => {
                let problem = "there is nothing to compare with: no profile is loaded";
                refuse(output, command, problem);
                return None;
            }
            // The shown profile may differ from the present content of the file.
            (WantedBaseline::With(path), Some(shown)) if has(shown, &path) => Some(shown),
            (WantedBaseline::With(path), _) => {
                self.read(output, Source { path: world.in_root(path), kept: None }, command);
                return None;
            }
        };
        self.cancel(output, REPLACED);
        let baseline = baseline.map(|shown| Baseline::new(shown.clone()));
        Some(Ready { baseline, kept, command })
    }

    /// Reads a baseline, and cancels the reading of any other one.
    fn read(
        &mut self,
        output: &mut Output<A>,
        source: Source,
        command: Option<BaselineCommand<A>>,
    ) {
        if self.pending_command().is_none() {
            let pending = self.queue.wanted().or(self.queue.current());
            self.instead = pending.map(|work| work.source.clone());
        }
        self.cancel(output, REPLACED);
        self.queue.want(ToRead { source, command });
    }

    /// The baseline that a command waits for.
    fn pending_command(&self) -> Option<&ToRead<A>> {
        let mut pending = self.queue.current().into_iter().chain(self.queue.wanted());
        pending.find(|work| work.command.is_some())
    }

    /// Handles that a baseline cannot be read.
    fn fail(&mut self, output: &mut Output<A>, command: Option<BaselineCommand<A>>, problem: &str) {
        if command.is_some() {
            self.resume();
        }
        refuse(output, command, problem);
    }

    /// Handles that a command failed: reads the baseline that it had replaced.
    pub fn resume(&mut self) {
        self.queue.unwant();
        if let Some(source) = self.instead.take() {
            self.queue.want(ToRead { source, command: None });
        }
    }

    /// Whether to read the settings' baseline again. It could not be read, but there is another version
    /// of it now.
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
        let source = self.kept.as_ref().map(|kept| Source::kept(kept, shown));
        let Some(command) = self.pending_command() else {
            if let Some(source) = source {
                self.queue.want(ToRead { source, command: None });
            }
            return;
        };
        let kept = command.source.kept.as_ref().map(|kept| Source::kept(kept, shown));
        self.instead = source.or(self.instead.take());
        // The command has searched the runs before another profile.
        if let Some(source) = kept.filter(|_| self.queue.wanted().is_none()) {
            self.queue.want(ToRead { source, command: None });
        }
    }

    /// Cancels the reading of baselines. Commands that wait for it get the error `problem`.
    pub fn cancel(&mut self, output: &mut Output<A>, problem: &str) {
        let running = self.queue.running_mut().and_then(|running| running.command.take());
        let wanted = self.queue.unwant().and_then(|wanted| wanted.command);
        for command in running.into_iter().chain(wanted) {
            output.push(Effect::Answer(command.answer, Err(problem.to_owned())));
        }
        if let Some(id) = self.queue.cancel() {
            output.push(Effect::Stop(id));
        }
    }

    /// Starts to read the wanted baseline, unless one is being read.
    pub fn start(&mut self, output: &mut Output<A>, inactive: &Inactive, last: &mut WorkId) {
        if let Some((id, ToRead { source: Source { path, kept }, .. })) = self.queue.start(last) {
            let job = CompareJob {
                path: path.clone(),
                kept: kept.clone().zip(output.world().snapshot().cloned()),
                in_memory: inactive.read_with(&output.world().settings),
                world: output.world().clone(),
            };
            output.push(Effect::Start(id, Job::Compare(job)));
        }
    }

    /// Handles the result of reading a baseline, and returns the baseline to show.
    pub fn compared(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        CompareResult { outcome, not_kept }: CompareResult,
    ) -> Option<Ready<A>> {
        let ended = self.queue.end(id).filter(|ended| !ended.was_cancelled)?;
        if let Some(problem) = not_kept.as_ref().filter(|_| self.not_kept != not_kept) {
            output.log(Severity::Warning, problem.as_str());
        }
        self.not_kept = not_kept;
        let ToRead { source, command } = ended.work;
        let baseline = match outcome {
            Ok(baseline) => baseline.map(|baseline| *baseline),
            // The run will be found once it is kept.
            Err(CompareError::NoRun(problem)) => {
                output.log(Severity::Warning, problem);
                None
            }
            Err(CompareError::NoRevision(problem)) => {
                self.fail(output, command, &problem);
                return None;
            }
            Err(CompareError::Load(error)) => {
                self.fail(output, command, &error.to_string());
                return None;
            }
        };
        Some(Ready { baseline, kept: source.kept, command })
    }

    /// Shows a baseline.
    pub fn show(
        &mut self,
        output: &mut Output<A>,
        baseline: Option<Baseline>,
        kept: Option<KeptBaseline>,
    ) {
        output.publish(|world| {
            world.baseline = baseline.map(Arc::new);
            world.baseline_problem = None;
            world.revision += 1;
        });
        (self.kept, self.instead) = (kept, None);
        (self.problem, self.unread) = (None, None);
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
fn refuse<A>(output: &mut Output<A>, command: Option<BaselineCommand<A>>, problem: &str) {
    if let Some(BaselineCommand { answer, .. }) = command {
        output.push(Effect::Answer(answer, Err(problem.to_owned())));
    } else {
        if output.world().baseline_problem.as_deref() != Some(problem) {
            output.log(Severity::Warning, format!("setting `baseline`: {problem}"));
        }
        output.publish(|world| world.baseline_problem = Some(problem.to_owned()));
    }
}
