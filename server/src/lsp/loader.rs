//! The task that holds the state of the server: which profile each root shows, and in which view.
//!
//! All events (files, settings, folders, commands, finished work) go to this task. [`state`]
//! decides what to do for a root, [`roots`] passes events to the roots that they are for, and this
//! file does it. A rewritten file is read once it has settled
//! ([`target`]). A file that cannot be read does not change what is shown.

use crate::lsp::to_proto;
use crate::lsp::watch::{Changed, Folders};
use answers::text::one_line;
use answers::{Caches, Stamp, World, Worlds};
use lsp_types::{Diagnostic, Range, Url};
use std::collections::HashMap;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_lsp::Client;

mod background;
mod baselines;
mod effect;
mod event;
mod finder;
mod inactive;
mod jobs;
mod next_run;
mod open_job;
mod others;
mod outdated;
mod problems;
mod reading;
mod refused;
mod roots;
mod running;
mod scan;
mod shared;
mod state;
mod target;
#[cfg(test)]
mod tests;
mod totals;
mod waiting;
mod work_queue;
mod writers;

use answers::Severity;
use background::Background;
pub use baselines::WantedBaseline;
use effect::Effect;
use event::picked;
use jobs::JobResult;
use roots::{Roots, RootsEffect};
use writers::Writes;

/// How long the loader waits for the disk where it cannot go on without an answer.
const DISK_DEADLINE: Duration = Duration::from_secs(1);

/// An event that may change what is shown.
pub type Event = event::Event<Answer>;

/// An event, and the root that it is for.
#[derive(Debug)]
pub struct RootEvent {
    /// For a command, its root; the first one if `None`. Other events are for all roots.
    pub root: Option<PathBuf>,
    /// The event.
    pub event: Event,
}

impl From<Event> for RootEvent {
    fn from(event: Event) -> Self {
        Self { root: None, event }
    }
}

/// Receives the outcome of a command: the world after it, or an error message.
pub type Answer = oneshot::Sender<Result<Arc<World>, String>>;

/// How the client can show loads and their problems.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientAbilities {
    /// Whether it supports `$/progress`.
    pub progress: bool,
    /// Whether it supports `textDocument/publishDiagnostics`.
    pub diagnostics: bool,
}

/// The task that holds the state.
pub struct Loader {
    client: Client,
    abilities: ClientAbilities,
    worlds: watch::Sender<Arc<Worlds>>,
    roots: Roots<Answer>,
    /// The canonical paths of the roots.
    canonical: HashMap<PathBuf, PathBuf>,
    background: Background,
    folders: Folders,
    /// What the roots know of [`Folders::problem`].
    unwatched: Option<Arc<str>>,
    /// The time of the next poll.
    poll_at: Option<Instant>,
    events: mpsc::UnboundedReceiver<RootEvent>,
    changes: mpsc::UnboundedReceiver<Changed>,
    changes_sender: mpsc::UnboundedSender<Changed>,
    results: mpsc::UnboundedReceiver<JobResult>,
}

impl Loader {
    /// A loader that handles `events` and publishes to `worlds`. It starts with the settings and the
    /// workspace folders of the first world.
    pub fn new(
        client: Client,
        abilities: ClientAbilities,
        caches: Arc<Caches>,
        worlds: watch::Sender<Arc<Worlds>>,
        events: mpsc::UnboundedReceiver<RootEvent>,
    ) -> Self {
        let (changes_sender, changes) = mpsc::unbounded_channel();
        let (results_sender, results) = mpsc::unbounded_channel();
        let now = worlds.borrow().first().clone();
        Self {
            background: Background::new(client.clone(), abilities.progress, caches, results_sender),
            folders: Folders::new(now.settings.watch, changes_sender.clone()),
            roots: Roots::new(&now),
            canonical: HashMap::new(),
            unwatched: None,
            poll_at: None,
            client,
            abilities,
            worlds,
            events,
            changes,
            changes_sender,
            results,
        }
    }

    /// Runs until all senders of events are dropped.
    pub async fn run(mut self) {
        let mut effects = self.roots.start(Instant::now());
        loop {
            for effect in effects {
                self.perform(effect).await;
            }
            if self.folders.problem() != self.unwatched.as_ref() {
                self.unwatched = self.folders.problem().cloned();
                let event = Event::Unwatched(self.unwatched.clone());
                effects = self.roots.on_event(None, event, Instant::now());
                continue;
            }
            let wakes = [self.roots.next_wake(), self.poll_at, self.background.deadline()];
            let wake = wakes.into_iter().flatten().min();
            effects = tokio::select! {
                event = self.events.recv() => match event {
                    Some(event) => self.on_event(event).await,
                    None => return,
                },
                Some(changed) = self.changes.recv() => self.on_change(changed).await,
                Some(result) = self.results.recv() => self.on_result(result),
                () = sleep_until(wake) => self.on_time(),
            };
        }
    }

    async fn on_event(&mut self, event: RootEvent) -> Vec<RootsEffect<Answer>> {
        let RootEvent { root, event } = event;
        let root = root.as_deref();
        match event {
            Event::Choose(change, answer) => {
                let worlds = self.worlds.borrow().clone();
                let world = root.and_then(|root| worlds.of_root(root)).unwrap_or(worlds.first());
                let pick = picked(&change).into_iter().flatten().map(|path| world.in_root(path));
                let pick = pick.collect();
                if let Some(problem) = missing(pick).await {
                    let _ = answer.send(Err(problem));
                    return Vec::new();
                }
                self.roots.on_event(root, Event::Choose(change, answer), Instant::now())
            }
            event => self.roots.on_event(root, event, Instant::now()),
        }
    }

    async fn on_change(&mut self, changed: Changed) -> Vec<RootsEffect<Answer>> {
        let Changed { paths, written, closed, removed } = changed;
        let looked = from_disk(move || {
            let (gone, there): (Vec<_>, Vec<_>) =
                paths.into_iter().partition(|path| removed || !path.exists());
            let stamped = |path: PathBuf| Stamp::of(&path).ok().map(|stamp| (path, stamp));
            let writes = match (written, closed) {
                (true, _) => Writes { written: there, ..Writes::default() },
                (_, true) => {
                    let closed = there.into_iter().filter_map(stamped).collect();
                    Writes { closed, ..Writes::default() }
                }
                _ => Writes::default(),
            };
            (gone, writes)
        });
        let (gone, writes): (Vec<PathBuf>, Writes) = looked.await.unwrap_or_default();
        for path in gone {
            self.folders.forget(&path);
        }
        self.roots.on_event(None, Event::Written(writes), Instant::now())
    }

    fn on_result(&mut self, result: JobResult) -> Vec<RootsEffect<Answer>> {
        if !self.background.ended(&result) {
            return Vec::new();
        }
        self.on_outcome(result)
    }

    fn on_outcome(&mut self, result: JobResult) -> Vec<RootsEffect<Answer>> {
        if matches!(result, JobResult::Scanned(_, None)) {
            self.schedule_poll();
        }
        self.roots.on_result(result, Instant::now())
    }

    fn on_time(&mut self) -> Vec<RootsEffect<Answer>> {
        let now = Instant::now();
        let abandoned = self.background.abandon(now);
        if !abandoned.is_empty() {
            return abandoned.into_iter().flat_map(|result| self.on_outcome(result)).collect();
        }
        match self.poll_at.take_if(|at| *at <= now) {
            Some(_) => self.roots.on_event(None, Event::FilesChanged, now),
            None => self.roots.on_time(now),
        }
    }

    async fn perform(&mut self, effect: RootsEffect<Answer>) {
        match effect {
            Effect::Publish(worlds) => self.publish(worlds).await,
            Effect::Start(id, job) => self.background.start(id, job),
            Effect::Stop(id) => self.background.stop(id),
            Effect::Answer(answer, outcome) => drop(answer.send(outcome)),
            Effect::Log(severity, message) => {
                let message = format!("costline: {}", one_line(&message));
                self.client.log_message(to_proto::message_type(severity), message).await;
            }
            Effect::Diagnose(path, problem) => self.diagnose(&path, problem).await,
            Effect::Watch(folders) => {
                if self.folders.set(folders) {
                    // They may have changed between the scan that found them and now.
                    let _ = self.changes_sender.send(Changed::anything());
                }
                self.schedule_poll();
            }
            Effect::Wait(path) => self.background.wait(path),
            Effect::StopWaiting(path) => self.background.stop_waiting(&path),
            Effect::WatchBy(mode) => self.folders = Folders::new(mode, self.changes_sender.clone()),
        }
    }

    async fn publish(&mut self, worlds: Vec<Arc<World>>) {
        for root in worlds.iter().filter_map(|world| world.root.clone()) {
            if !self.canonical.contains_key(&root) {
                let given = root.clone();
                let canonical = from_disk(move || given.canonicalize().ok()).await.flatten();
                self.canonical.insert(root.clone(), canonical.unwrap_or(root));
            }
        }
        let canonical = |world: &World| self.canonical.get(world.root.as_ref()?).cloned();
        let before = self.worlds.borrow().clone();
        let costs =
            |world: &Arc<World>| (world.revision > 0).then(|| (world.root.clone(), world.revision));
        let is_new = !worlds.iter().filter_map(costs).eq(before.all().filter_map(costs));
        let revision = before.revision + u64::from(is_new);
        let worlds = worlds.into_iter().map(|world| (canonical(&world), world)).collect();
        self.worlds.send_replace(Arc::new(Worlds::new(revision, worlds)));
    }

    fn schedule_poll(&mut self) {
        let watch = self.worlds.borrow().first().settings.watch;
        let interval = self.folders.poll_interval(watch);
        self.poll_at = interval.map(|interval| Instant::now() + interval);
    }

    async fn diagnose(&self, path: &Path, problem: Option<(Severity, String)>) {
        let Some(uri) = Url::from_file_path(path).ok().filter(|_| self.abilities.diagnostics)
        else {
            return;
        };
        let diagnostic = problem.map(|(severity, message)| Diagnostic {
            range: Range::default(),
            severity: Some(to_proto::diagnostic_severity(severity)),
            source: Some("costline".to_owned()),
            message,
            ..Diagnostic::default()
        });
        self.client.publish_diagnostics(uri, diagnostic.into_iter().collect(), None).await;
    }
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => pending().await,
    }
}

/// What `read` returns. `None` if the disk does not respond in time.
async fn from_disk<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    timeout(DISK_DEADLINE, spawn_blocking(read)).await.ok()?.ok()
}

/// The error message if a profile to pick does not exist.
async fn missing(pick: Vec<PathBuf>) -> Option<String> {
    let first = pick.first()?.display().to_string();
    let problem = from_disk(move || {
        pick.iter().find_map(|path| {
            Stamp::of(path).err().map(|error| format!("{}: {error}", path.display()))
        })
    });
    problem.await.unwrap_or_else(|| Some(format!("{first}: the disk does not respond")))
}
