//! The effects that the state of the loader requests, and the [`World`] that it publishes. `A` is
//! the receiver of the outcome of a command.

use super::jobs::Job;
use super::work_queue::WorkId;
use answers::{Severity, Watch, World};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An effect. Effects are performed in order. `W` is the world of one root, or those of all roots.
#[derive(Debug)]
pub enum Effect<A, W = Arc<World>> {
    /// Replace the world.
    Publish(W),
    /// Start background work.
    Start(WorkId, Job),
    /// Stop background work.
    Stop(WorkId),
    /// Answer a command.
    Answer(A, Outcome),
    /// Log a message.
    Log(Severity, String),
    /// Replace the diagnostic on a profile; `None` removes it.
    Diagnose(PathBuf, Option<(Severity, String)>),
    /// Replace the watched folders.
    Watch(Vec<PathBuf>),
    /// Show that a file is still being written.
    Wait(PathBuf),
    /// Show it no longer.
    StopWaiting(PathBuf),
    /// Change how folders are watched.
    WatchBy(Watch),
}

/// The outcome of a command: the world after it, or the one that it asked for, or an error message.
pub type Outcome = Result<Arc<World>, String>;

/// The effects of one event, and the world after it.
#[derive(Debug)]
pub struct Output<A> {
    world: Arc<World>,
    effects: Vec<Effect<A>>,
}

impl<A> Output<A> {
    /// No effects yet.
    pub fn new(world: Arc<World>) -> Self {
        Self { world, effects: Vec::new() }
    }

    /// The world after the effects.
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Removes and returns the effects.
    pub fn take(&mut self) -> Vec<Effect<A>> {
        std::mem::take(&mut self.effects)
    }

    /// Adds an effect.
    pub fn push(&mut self, effect: Effect<A>) {
        self.effects.push(effect);
    }

    /// Adds effects.
    pub fn extend(&mut self, effects: impl IntoIterator<Item = Effect<A>>) {
        self.effects.extend(effects);
    }

    /// Changes the world. Consecutive changes are published together.
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

    /// Reports a problem with a profile, which replaces an earlier one.
    pub fn report_problem(&mut self, path: &Path, severity: Severity, message: &str) {
        self.publish(|world| {
            world.problems.retain(|(file, _)| file != path);
            world.problems.push((path.to_owned(), message.to_owned()));
        });
        let diagnostic = Some((severity, message.to_owned()));
        self.effects.push(Effect::Diagnose(path.to_owned(), diagnostic));
    }

    /// Removes the problem with a profile, if there is one.
    pub fn clear_problem(&mut self, path: &Path) {
        if self.world.problems.iter().any(|(file, _)| file == path) {
            self.publish(|world| world.problems.retain(|(file, _)| file != path));
            self.effects.push(Effect::Diagnose(path.to_owned(), None));
        }
    }
}
