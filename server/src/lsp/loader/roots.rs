//! One [`State`] per workspace folder: each root shows its own profile. Events about files and
//! settings go to all of them, commands to one.
//!
//! Each workspace folder has a state of its own with its own profile, view, baseline and `World`, so
//! that profiles of two roots are never mixed. `Worlds::of_file` decides which `World` a document
//! uses. A root without profiles uses that of another root. Requests without a document use the root
//! of the document in front (`costline/activeDocument`).

use super::effect::Effect;
use super::event::Event;
use super::jobs::JobResult;
use super::state::State;
use super::work_queue::WorkId;
use answers::World;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The bits of a [`WorkId`] below those of the number of its root.
const WORK_BITS: u32 = 32;

/// An effect of any root.
pub type RootsEffect<A> = Effect<A, Vec<Arc<World>>>;

/// The states of all workspace folders; one state if none is open.
#[derive(Debug)]
pub struct Roots<A> {
    all: Vec<RootState<A>>,
    /// The number of the next root.
    next: u64,
    effects: Vec<RootsEffect<A>>,
}

#[derive(Debug)]
struct RootState<A> {
    /// Part of the ids of its work, so that results find it.
    number: u64,
    state: State<A>,
    /// The world that it published last.
    world: Arc<World>,
    /// The folders that it watches.
    folders: Vec<PathBuf>,
}

impl<A> Roots<A> {
    /// The states of the workspace folders of `world`, with its settings.
    pub fn new(world: &World) -> Self {
        let mut this = Self { all: Vec::new(), next: 0, effects: Vec::new() };
        for root in &world.roots {
            if !this.has(root) {
                this.add(World { root: Some(root.clone()), ..world.clone() });
            }
        }
        if this.all.is_empty() {
            this.add(world.clone());
        }
        this
    }

    /// The worlds, in the order of the workspace folders.
    pub fn worlds(&self) -> Vec<Arc<World>> {
        self.all.iter().map(|one| one.world.clone()).collect()
    }

    /// Starts the first work.
    pub fn start(&mut self, now: Instant) -> Vec<RootsEffect<A>> {
        self.each(|state| state.start(now))
    }

    /// Handles an event. Commands are for `root`, or for the first workspace folder if it is `None`.
    /// Those for a removed root are dropped with their answers.
    pub fn on_event(
        &mut self,
        root: Option<&Path>,
        event: Event<A>,
        now: Instant,
    ) -> Vec<RootsEffect<A>> {
        match event {
            Event::Roots { added, removed } => self.change_roots(&added, &removed, now),
            Event::Project(root) => {
                if self.all.iter().all(|one| one.world.roots.is_empty()) {
                    self.change_roots(&[root], &[], now)
                } else {
                    Vec::new()
                }
            }
            Event::Settings(value) => {
                self.each(|state| state.on_event(Event::Settings(value.clone()), now))
            }
            Event::FilesChanged => self.each(|state| state.on_event(Event::FilesChanged, now)),
            Event::SourceAdded => self.each(|state| state.on_event(Event::SourceAdded, now)),
            Event::Written(files) => {
                self.each(|state| state.on_event(Event::Written(files.clone()), now))
            }
            Event::Unwatched(problem) => {
                self.each(|state| state.on_event(Event::Unwatched(problem.clone()), now))
            }
            Event::Cancel(id) => {
                let of = self.of_work(WorkId(id));
                self.one(of, |state| state.on_event(Event::Cancel(id), now))
            }
            command @ (Event::Choose(..)
            | Event::Reload(_)
            | Event::Compare(..)
            | Event::Open(..)
            | Event::Sum(_)) => {
                let of = root.map_or(Some(0), |root| self.position(root));
                self.one(of, |state| state.on_event(command, now))
            }
        }
    }

    /// Handles a result of background work. That of a removed root is ignored.
    pub fn on_result(&mut self, result: JobResult, now: Instant) -> Vec<RootsEffect<A>> {
        let of = self.of_work(result.id());
        self.one(of, |state| state.on_result(result, now))
    }

    /// Starts work that is due.
    pub fn on_time(&mut self, now: Instant) -> Vec<RootsEffect<A>> {
        self.each(|state| state.on_time(now))
    }

    /// The time at which [`Roots::on_time`] must be called.
    pub fn next_wake(&self) -> Option<Instant> {
        self.all.iter().filter_map(|one| one.state.next_wake()).min()
    }

    /// Closes the states of removed roots, and starts states for added ones. If no root is left,
    /// there is one state without a root.
    fn change_roots(
        &mut self,
        added: &[PathBuf],
        removed: &[PathBuf],
        now: Instant,
    ) -> Vec<RootsEffect<A>> {
        let Some(first) = self.all.first() else { return Vec::new() };
        let settings = Arc::new(first.state.settings().clone());
        let unwatched = first.world.unwatched.clone();
        let ignored = first.world.ignored.clone();
        let is_removed = |root: &Option<PathBuf>| {
            root.as_ref().is_some_and(|root| removed.contains(root) && !added.contains(root))
        };
        for closed in self.all.extract_if(.., |one| is_removed(&one.world.root)) {
            self.effects.extend(closed.state.close().into_iter().filter_map(without_world));
        }
        if self.all.is_empty() {
            let (settings, unwatched) = (settings.clone(), unwatched.clone());
            let ignored = ignored.clone();
            self.add(World { settings, unwatched, ignored, ..World::default() });
            self.run(0, |state| state.start(now));
        }
        let event = || Event::Roots { added: added.to_vec(), removed: removed.to_vec() };
        for index in 0..self.all.len() {
            self.run(index, |state| state.on_event(event(), now));
        }
        let Some(first) = self.all.first() else { return Vec::new() };
        let roots = first.world.roots.clone();
        for root in &roots {
            if !self.has(root) {
                let (root, settings) = (Some(root.clone()), settings.clone());
                let (roots, unwatched) = (roots.clone(), unwatched.clone());
                let ignored = ignored.clone();
                self.add(World { root, roots, settings, unwatched, ignored, ..World::default() });
                self.run(self.all.len() - 1, |state| state.start(now));
            }
        }
        self.all
            .sort_by_key(|one| roots.iter().position(|root| Some(root) == one.world.root.as_ref()));
        self.effects.push(Effect::Publish(self.worlds()));
        std::mem::take(&mut self.effects)
    }

    fn add(&mut self, world: World) {
        let (world, number) = (Arc::new(world), self.next);
        self.next += 1;
        let last = WorkId(number << WORK_BITS);
        let state = State::new(world.clone(), last);
        self.all.push(RootState { number, state, world, folders: Vec::new() });
    }

    fn has(&self, root: &Path) -> bool {
        self.position(root).is_some()
    }

    fn position(&self, root: &Path) -> Option<usize> {
        self.all.iter().position(|one| one.world.root.as_deref() == Some(root))
    }

    fn of_work(&self, id: WorkId) -> Option<usize> {
        self.all.iter().position(|one| one.number == id.0 >> WORK_BITS)
    }

    fn each(
        &mut self,
        mut act: impl FnMut(&mut State<A>) -> Vec<Effect<A>>,
    ) -> Vec<RootsEffect<A>> {
        for index in 0..self.all.len() {
            self.run(index, &mut act);
        }
        std::mem::take(&mut self.effects)
    }

    fn one(
        &mut self,
        index: Option<usize>,
        act: impl FnOnce(&mut State<A>) -> Vec<Effect<A>>,
    ) -> Vec<RootsEffect<A>> {
        if let Some(index) = index {
            self.run(index, act);
        }
        std::mem::take(&mut self.effects)
    }

    /// Runs one state and adds its effects.
    fn run(&mut self, index: usize, act: impl FnOnce(&mut State<A>) -> Vec<Effect<A>>) {
        for effect in act(&mut self.all[index].state) {
            let effect = match effect {
                Effect::Publish(world) => {
                    self.all[index].world = world;
                    Some(Effect::Publish(self.worlds()))
                }
                Effect::Watch(folders) => {
                    self.all[index].folders = folders;
                    let all = self.all.iter().flat_map(|one| one.folders.iter().cloned());
                    Some(Effect::Watch(all.collect()))
                }
                // All states have the same settings.
                Effect::WatchBy(_) if index > 0 => None,
                Effect::Log(_, message) if self.has_logged(index, &message) => None,
                Effect::Diagnose(path, None) if self.has_problem(&path) => None,
                other => without_world(other),
            };
            self.effects.extend(effect);
        }
    }

    /// Whether another root logs the same message for the same event, or has logged it about the
    /// settings.
    fn has_logged(&self, index: usize, message: &str) -> bool {
        let mut others = self.all.iter().enumerate().filter(|(other, _)| *other != index);
        others.any(|(_, one)| one.world.absent.iter().any(|absent| absent == message))
            || self
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::Log(_, other) if other == message))
    }

    /// Whether a root reports a problem with a profile.
    fn has_problem(&self, path: &Path) -> bool {
        self.all.iter().any(|one| one.world.problems.iter().any(|(file, _)| file == path))
    }
}

/// An effect that is the same for one root and for all.
fn without_world<A>(effect: Effect<A>) -> Option<RootsEffect<A>> {
    Some(match effect {
        Effect::Publish(_) => return None,
        Effect::Start(id, job) => Effect::Start(id, job),
        Effect::Stop(id) => Effect::Stop(id),
        Effect::Answer(answer, outcome) => Effect::Answer(answer, outcome),
        Effect::Log(severity, message) => Effect::Log(severity, message),
        Effect::Diagnose(path, problem) => Effect::Diagnose(path, problem),
        Effect::Watch(folders) => Effect::Watch(folders),
        Effect::Wait(path) => Effect::Wait(path),
        Effect::StopWaiting(path) => Effect::StopWaiting(path),
        Effect::WatchBy(mode) => Effect::WatchBy(mode),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_folder_the_project_of_the_first_document_is_the_root() {
        let mut roots: Roots<u32> = Roots::new(&World::default());
        let now = Instant::now();
        roots.start(now);
        let all = |roots: &Roots<u32>| -> Vec<_> {
            roots.worlds().iter().map(|world| world.root.clone()).collect()
        };
        let [first, second] = ["/no/such/first", "/no/such/second"].map(PathBuf::from);
        for project in [&first, &second] {
            roots.on_event(None, Event::Project(project.clone()), now);
            assert_eq!(all(&roots), [Some(first.clone())]);
        }
        let removed = Event::Roots { added: Vec::new(), removed: vec![first] };
        roots.on_event(None, removed, now);
        assert_eq!(all(&roots), [None]);
        roots.on_event(None, Event::Project(second.clone()), now);
        assert_eq!(all(&roots), [Some(second)]);
    }
}
