//! Commands that wait for their outcome. Each is answered exactly once.

use super::effect::{Effect, Output};
use super::work_queue::WorkId;

/// What a command waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// A snapshot with the settings of the command.
    View,
    /// A profile that is read for the command.
    Profile,
}

/// What a load was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadKind {
    /// To read a profile.
    Read,
    /// To compute the shown snapshot again.
    Renewed,
}

/// The waiting commands.
#[derive(Debug)]
pub struct Waiting<A>(Vec<Pending<A>>);

#[derive(Debug)]
struct Pending<A> {
    answer: A,
    needs: Needs,
    /// The last work that started before the command.
    since: WorkId,
}

impl<A> Default for Waiting<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A> Waiting<A> {
    /// Adds a command. `since` is the last work that started before it.
    pub fn push(&mut self, answer: A, needs: Needs, since: WorkId) {
        self.0.push(Pending { answer, needs, since });
    }

    /// Whether a command waits for this load of a profile.
    pub fn waits_for(&self, load: Option<WorkId>) -> bool {
        let waits = |command: &Pending<A>| {
            command.needs == Needs::Profile && load.is_some_and(|load| command.since < load)
        };
        self.0.iter().any(waits)
    }

    /// Answers the commands that waited for a load, which has ended.
    pub fn loaded(
        &mut self,
        output: &mut Output<A>,
        load: WorkId,
        kind: LoadKind,
        outcome: &Result<(), String>,
    ) {
        // After a failure to read, the previous profile is computed with the new settings.
        let is_for = |needs| match (needs, kind, outcome) {
            (Needs::View, LoadKind::Read, Err(_)) | (Needs::Profile, LoadKind::Renewed, _) => false,
            (Needs::View | Needs::Profile, ..) => true,
        };
        let done = self.0.extract_if(.., |command| command.since < load && is_for(command.needs));
        answer(output, done, outcome);
    }

    /// Answers all commands with an error.
    pub fn fail(&mut self, output: &mut Output<A>, problem: &str) {
        answer(output, self.0.drain(..), &Err(problem.to_owned()));
    }

    /// Answers all commands, because nothing is left to do.
    pub fn idle(&mut self, output: &mut Output<A>) {
        answer(output, self.0.drain(..), &Ok(()));
    }
}

fn answer<A>(
    output: &mut Output<A>,
    commands: impl Iterator<Item = Pending<A>>,
    outcome: &Result<(), String>,
) {
    for command in commands {
        let outcome = outcome.clone().map(|()| output.world().clone());
        output.push(Effect::Answer(command.answer, outcome));
    }
}
