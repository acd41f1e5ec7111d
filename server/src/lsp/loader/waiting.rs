//! Commands that wait for what they lead to. Each is answered exactly once.

use super::effect::{Effect, Output};
use super::work_queue::WorkId;

/// What a command waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// A snapshot under the settings as they are now.
    View,
    /// A profile that is read for it.
    Profile,
}

/// The commands that wait.
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
    /// One more command. `since` is the last work that started before it.
    pub fn push(&mut self, answer: A, needs: Needs, since: WorkId) {
        self.0.push(Pending { answer, needs, since });
    }

    /// A load has ended: answers the commands that it was for. `read` says whether it has read a
    /// profile.
    pub fn loaded(
        &mut self,
        output: &mut Output<A>,
        load: WorkId,
        read: bool,
        outcome: &Result<(), String>,
    ) {
        // What a failed load did not read is still shown, under settings that are still due.
        let is_for = |needs| match (needs, read, outcome) {
            (Needs::View, true, Err(_)) | (Needs::Profile, false, _) => false,
            (Needs::View | Needs::Profile, ..) => true,
        };
        let done = self.0.extract_if(.., |command| command.since < load && is_for(command.needs));
        answer(output, done, outcome);
    }

    /// Nothing is left to do: answers all commands.
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
