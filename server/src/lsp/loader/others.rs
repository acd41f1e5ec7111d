//! Profiles that are asked about without being shown in the code: each is read when it is asked about,
//! and stays in memory for a while, with the view that was asked for.
//!
//! Queries about a profile other than the one shown go through the loader, too: it returns a `World`
//! in which that profile is shown, so queries need no second code path. Nothing else sees that world,
//! and the view is part of the query, so there is no state to keep in sync. The most recent worlds
//! stay in memory, and a job checks whether their files have changed.

use super::effect::{Effect, Output};
use super::inactive::Inactive;
use super::jobs::Job;
use super::open_job::{OpenJob, Opened};
use super::work_queue::{WorkId, WorkQueue};
use crate::lsp::other_profile::OtherProfile;
use answers::{Settings, Snapshot};
use std::path::Path;
use std::time::{Duration, Instant};

/// The maximum number of views that stay in memory.
const MAX_KEPT: usize = 6;

/// Opens other profiles, one at a time.
#[derive(Debug)]
pub struct Others<A> {
    queue: WorkQueue<Asked<A>>,
    waiting: Vec<(OtherProfile, A)>,
    /// The one that was asked about last is the last one.
    kept: Vec<Kept>,
    /// How long a view is kept. `None` for ever.
    lifetime: Option<Duration>,
}

/// A profile, and the commands that are about it.
#[derive(Debug)]
struct Asked<A> {
    other: OtherProfile,
    answers: Vec<A>,
}

#[derive(Debug)]
struct Kept {
    opened: Opened,
    /// When it was asked about last.
    since: Instant,
}

impl<A> Default for Others<A> {
    fn default() -> Self {
        let (queue, waiting) = (WorkQueue::default(), Vec::new());
        Self { queue, waiting, kept: Vec::new(), lifetime: None }
    }
}

impl<A> Others<A> {
    /// A command is about `other`. What is shown is answered at once.
    pub fn ask(&mut self, output: &mut Output<A>, other: OtherProfile, answer: A) {
        let world = output.world().clone();
        let other = OtherProfile { path: world.in_root(&other.path), ..other };
        let is_shown = world.snapshot().is_some_and(|shown| has(shown, &other.path));
        if is_shown && other.view.is_none() {
            output.push(Effect::Answer(answer, Ok(world)));
        } else {
            self.waiting.push((other, answer));
        }
    }

    /// Opens the next profile, unless one is being opened.
    pub fn start(
        &mut self,
        output: &mut Output<A>,
        settings: &Settings,
        inactive: &Inactive,
        last: &mut WorkId,
    ) {
        let next = self.waiting.first().map(|(other, _)| other.clone());
        if let Some(other) = next.filter(|_| self.queue.is_idle()) {
            let same = self.waiting.extract_if(.., |(waiting, _)| *waiting == other);
            let answers = same.map(|(_, answer)| answer).collect();
            self.queue.want(Asked { other, answers });
        }
        if let Some((id, Asked { other, .. })) = self.queue.start(last) {
            let job = OpenJob {
                other: other.clone(),
                kept: self.kept.iter().map(|kept| kept.opened.clone()).collect(),
                in_memory: inactive.read_with(&output.world().settings),
                settings: settings.clone(),
                world: output.world().clone(),
            };
            output.push(Effect::Start(id, Job::Open(Box::new(job))));
        }
    }

    /// Handles that a profile was opened, or the reason why it was not.
    pub fn opened(
        &mut self,
        output: &mut Output<A>,
        inactive: &mut Inactive,
        id: WorkId,
        outcome: Result<Opened, String>,
        now: Instant,
    ) {
        let Some(ended) = self.queue.end(id).filter(|ended| !ended.was_cancelled) else { return };
        let world = outcome.as_ref().map(|opened| opened.world.clone()).map_err(Clone::clone);
        for answer in ended.work.answers {
            output.push(Effect::Answer(answer, world.clone()));
        }
        if let Ok(opened) = outcome {
            if let Some(snapshot) = opened.world.snapshot() {
                inactive.add(snapshot, output.world().settings.max_profile_bytes, now);
            }
            self.kept.retain(|kept| kept.opened.other != opened.other);
            self.kept.push(Kept { opened, since: now });
        }
    }

    /// Evicts views that nobody has asked about for long, and the oldest ones if there are too many.
    pub fn update(&mut self, settings: &Settings, now: Instant) {
        let minutes = u64::from(settings.evict_after_minutes);
        self.lifetime = (minutes > 0).then(|| Duration::from_secs(60 * minutes));
        let n_excess = self.kept.len().saturating_sub(MAX_KEPT);
        self.kept.drain(..n_excess);
        let lifetime = self.lifetime;
        self.kept.retain(|kept| lifetime.is_none_or(|lifetime| now < kept.since + lifetime));
    }

    /// The time of the next eviction.
    pub fn next_eviction(&self) -> Option<Instant> {
        Some(self.kept.iter().map(|kept| kept.since).min()? + self.lifetime?)
    }

    /// Whether this work is opening a profile.
    pub fn is_current(&self, id: WorkId) -> bool {
        self.queue.is_current(id)
    }

    /// Cancels the opening of a profile. The commands that are about it get the error `problem`.
    pub fn cancel(&mut self, output: &mut Output<A>, problem: &str) {
        let answers = self.queue.running_mut().map(|running| std::mem::take(&mut running.answers));
        for answer in answers.into_iter().flatten() {
            output.push(Effect::Answer(answer, Err(problem.to_owned())));
        }
        if let Some(id) = self.queue.cancel() {
            output.push(Effect::Stop(id));
        }
    }

    /// Cancels all. The commands get the error `problem`.
    pub fn close(&mut self, output: &mut Output<A>, problem: &str) {
        self.cancel(output, problem);
        for (_, answer) in self.waiting.drain(..) {
            output.push(Effect::Answer(answer, Err(problem.to_owned())));
        }
    }
}

fn has(shown: &Snapshot, path: &Path) -> bool {
    shown.loaded.files.iter().any(|(file, _)| file == path)
}
