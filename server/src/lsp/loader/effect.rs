//! What the loader's state wants done, and the [`World`] that it publishes. `A` stands for whoever
//! waits for the outcome of a command.

use super::jobs::Job;
use super::work_queue::WorkId;
use engine::settings::Watch;
use engine::world::World;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something to do, in the order given.
#[derive(Debug)]
pub enum Effect<A> {
    /// Show this from now on.
    Publish(Arc<World>),
    /// Start background work.
    Start(WorkId, Job),
    /// Make background work end soon.
    Stop(WorkId),
    /// Tell a command its outcome.
    Answer(A, Outcome),
    /// Log a message.
    Log(Severity, String),
    /// Replace the diagnostic on a profile, by none for `None`.
    Diagnose(PathBuf, Option<(Severity, String)>),
    /// Watch these folders and no others.
    Watch(Vec<PathBuf>),
    /// Notice changes in another way.
    WatchBy(Watch),
}

/// What a command leads to: the world after it, or a sentence why nothing changed.
pub type Outcome = Result<Arc<World>, String>;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Something was not done.
    Error,
    /// Something may not be as expected.
    Warning,
}

/// The effects of one event, and the world after it.
#[derive(Debug)]
pub struct Output<A> {
    world: Arc<World>,
    effects: Vec<Effect<A>>,
}

impl<A> Output<A> {
    /// Nothing to do yet.
    pub fn new(world: Arc<World>) -> Self {
        Self { world, effects: Vec::new() }
    }

    /// What is shown.
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Takes the effects that have gathered.
    pub fn take(&mut self) -> Vec<Effect<A>> {
        std::mem::take(&mut self.effects)
    }

    /// Adds an effect.
    pub fn push(&mut self, effect: Effect<A>) {
        self.effects.push(effect);
    }

    /// Changes what is shown. Changes without other effects between them are published together.
    pub fn publish(&mut self, change: impl FnOnce(&mut World)) {
        if matches!(self.effects.last(), Some(Effect::Publish(_))) {
            self.effects.pop();
        }
        change(Arc::make_mut(&mut self.world));
        self.effects.push(Effect::Publish(self.world.clone()));
    }

    /// Logs a message.
    pub fn log(&mut self, severity: Severity, message: impl Into<String>) {
        self.effects.push(Effect::Log(severity, message.into()));
    }

    /// Shows a problem with a profile, in place of the last one with it.
    pub fn report_problem(&mut self, path: &Path, severity: Severity, message: &str) {
        self.publish(|world| {
            world.problems.retain(|(known, _)| known != path);
            world.problems.push((path.to_owned(), message.to_owned()));
        });
        let diagnostic = Some((severity, message.to_owned()));
        self.effects.push(Effect::Diagnose(path.to_owned(), diagnostic));
    }

    /// Withdraws the problem with a profile, if there is one.
    pub fn withdraw_problem(&mut self, path: &Path) {
        if self.world.problems.iter().any(|(known, _)| known == path) {
            self.publish(|world| world.problems.retain(|(known, _)| known != path));
            self.effects.push(Effect::Diagnose(path.to_owned(), None));
        }
    }
}
