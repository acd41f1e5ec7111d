//! The one place where state changes: decides which profile is shown, loads it, and publishes the next [`World`].
//!
//! Everything that happens (files, settings, folders, commands, finished loads) comes through one channel to one task. At
//! most one load runs; what is wanted next is decided anew when it ends. A rewrite is read once it has *settled*: length,
//! time and inode unchanged for a while, and the end of the format reached. What cannot be read keeps what was shown.

use crate::present::text::one_line;
use crate::session::baseline::Baseline;
use crate::session::chosen::{Change, Chosen, Pick};
use crate::session::config::Config;
use crate::session::discovery::{Candidate, Recognised, Written, discover, folders_of};
use crate::session::progress::{Cancel, PATIENCE as WORTH_SHOWING, Progress};
use crate::session::snapshot::{LoadError, Snapshot, Stamp, Step};
use crate::session::watch::{Changed, Folders};
use crate::session::work::{Input, Known, Missing, SWAPS, read, resolve, see, see_baseline};
use crate::session::world::World;
use formats::ErrorKind;
use lsp_types::MessageType;
use profile::Warning;
use serde_json::Value;
use sources::SourceIndex;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tower_lsp::Client;

mod aim;
mod comparing;
mod problems;

use aim::Target;
pub use comparing::Compare;
use comparing::Compared;

/// What still cannot be read after this long is reported.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a file that has not settled is looked at.
const PACE: Duration = Duration::from_millis(50);
/// How many closed writings are remembered: more than are written at once.
const CLOSED: usize = 16;
/// Events come in bursts; one look answers a burst.
const BURST: Duration = Duration::from_millis(20);

/// Something that may change what is shown.
#[derive(Debug)]
pub enum Event {
    /// New settings.
    Settings(Value),
    /// Folders were opened and closed.
    Roots {
        /// Opened.
        added: Vec<PathBuf>,
        /// Closed.
        removed: Vec<PathBuf>,
    },
    /// Files may have changed (the client says so).
    Look,
    /// The user chooses what is shown and how.
    Choose(Change, Answer),
    /// Read again what is shown.
    Reload(Answer),
    /// Compare what is shown with something.
    Compare(Compare, Answer),
    /// Give up the load with this number.
    Cancel(u64),
}

/// Who waits for the outcome of a command: the world after it, or a sentence why not.
pub type Answer = oneshot::Sender<Result<Arc<World>, String>>;

/// Somebody who waits for the outcome of a command.
struct Waiting {
    /// A load with a greater number knows of the command.
    after: u64,
    /// Whether a profile is to be read for it.
    for_profile: bool,
    answer: Answer,
}

/// What the client can do that matters here.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientAbilities {
    /// It shows progress.
    pub progress: bool,
    /// It shows diagnostics.
    pub diagnostics: bool,
}

/// What a load gives.
struct Done {
    number: u64,
    /// The files that were asked for; `None` when nothing was read again.
    target: Option<Vec<Written>>,
    took: Duration,
    outcome: Result<Seen, LoadError>,
}

/// What is to be shown.
struct Seen {
    snapshot: Snapshot,
    index: SourceIndex,
    /// Files of the run that could not be read.
    failed: Vec<LoadError>,
    /// Seen anew too, if settings changed.
    baseline: Option<Baseline>,
}

/// Some libraries were resolved.
struct Resolved {
    number: u64,
    /// What was shown when that began, with more names.
    snapshot: Snapshot,
}

/// What background work gives.
enum Finished {
    Load(Box<Done>),
    Libraries(Box<Resolved>),
    Baseline(Compared),
}

/// A load that runs.
struct Running {
    number: u64,
    cancel: Cancel,
    /// Whether it brings new settings and folders into effect too: if it fails, those are still due.
    renews: bool,
}

/// The task's state.
pub struct Loader {
    client: Client,
    abilities: ClientAbilities,
    world: watch::Sender<Arc<World>>,
    events: mpsc::UnboundedReceiver<Event>,
    changes: mpsc::UnboundedReceiver<Changed>,
    changes_to: mpsc::UnboundedSender<Changed>,
    done: mpsc::UnboundedReceiver<Finished>,
    done_to: mpsc::UnboundedSender<Finished>,
    /// The settings; the world has them with what is chosen instead.
    settings: Config,
    folders: Folders,
    recognised: Recognised,
    target: Option<Target>,
    running: Option<Running>,
    /// The look for the libraries of what is shown, if it goes on.
    resolving: Option<(u64, Cancel)>,
    /// The reading of a baseline, if it goes on, and who waits for it.
    comparing: Option<(u64, Option<Answer>)>,
    /// What was said last of a baseline with which nothing can be compared.
    incomparable: Option<String>,
    known: Arc<Known>,
    last_number: u64,
    /// Writings that could not be read, or that the user did not want, by the first file of the run.
    refused: HashMap<PathBuf, Vec<Written>>,
    /// Writings that their writers have closed; the last few.
    closed: VecDeque<Stamp>,
    /// Settings or folders changed: what is shown must be seen anew.
    outdated: bool,
    /// The user's pick was withdrawn: the newest is wanted, even if it is older than what is shown.
    unpicked: bool,
    /// Since when the file shown is not there, until that is said.
    missed_since: Option<Instant>,
    waiting: Vec<Waiting>,
    look_at: Option<Instant>,
}

impl Loader {
    /// A loader that publishes to `world` what `events` lead to.
    pub fn new(
        client: Client,
        abilities: ClientAbilities,
        world: watch::Sender<Arc<World>>,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Self {
        let (changes_to, changes) = mpsc::unbounded_channel();
        let (done_to, done) = mpsc::unbounded_channel();
        let settings = Config::clone(&world.borrow().config);
        let folders = Folders::new(settings.watch, changes_to.clone());
        Self {
            client,
            abilities,
            world,
            events,
            changes,
            changes_to,
            done,
            done_to,
            settings,
            folders,
            recognised: Recognised::default(),
            target: None,
            running: None,
            resolving: None,
            comparing: None,
            incomparable: None,
            known: Arc::default(),
            last_number: 0,
            refused: HashMap::new(),
            closed: VecDeque::new(),
            outdated: false,
            unpicked: false,
            missed_since: None,
            waiting: Vec::new(),
            look_at: Some(Instant::now()),
        }
    }

    /// Runs until nobody sends events any more.
    pub async fn run(mut self) {
        if let Some(path) = self.world().config.baseline.clone() {
            self.compare(Compare::With(path.into()), None).await;
        }
        loop {
            let next = self.next_look();
            tokio::select! {
                event = self.events.recv() => match event {
                    Some(event) => self.on_event(event).await,
                    None => return,
                },
                Some(changed) = self.changes.recv() => self.on_change(&changed),
                Some(finished) = self.done.recv() => match finished {
                    Finished::Load(done) => self.on_done(*done).await,
                    Finished::Libraries(resolved) => self.on_resolved(*resolved).await,
                    Finished::Baseline(compared) => self.on_compared(compared).await,
                },
                () = async { match next { Some(at) => sleep_until(at).await, None => std::future::pending().await } } => self.look().await,
            }
        }
    }

    fn world(&self) -> Arc<World> {
        self.world.borrow().clone()
    }

    fn publish(&self, change: impl FnOnce(&mut World)) {
        self.world.send_modify(|world| change(Arc::make_mut(world)));
    }

    fn next_look(&self) -> Option<Instant> {
        if self.running.is_some() {
            return self.look_at;
        }
        let settling = self.target.as_ref().map(|_| Instant::now() + PACE);
        let missing = self.missed_since.map(|since| since + PATIENCE);
        self.look_at.into_iter().chain(settling).chain(missing).min()
    }

    fn look_soon(&mut self) {
        let soon = Instant::now() + BURST;
        self.look_at = Some(self.look_at.map_or(soon, |at| at.min(soon)));
    }

    fn on_change(&mut self, changed: &Changed) {
        for stamp in changed.paths.iter().filter(|_| changed.closed).filter_map(|path| Stamp::of(path).ok()) {
            self.closed.truncate(CLOSED - 1);
            self.closed.push_front(stamp);
        }
        for path in changed.paths.iter().filter(|path| !path.exists()) {
            self.folders.forget(path);
        }
        self.look_soon();
    }

    async fn on_event(&mut self, event: Event) {
        match event {
            Event::Look => self.look_soon(),
            Event::Settings(value) => {
                let (config, warnings) = Config::parse(&value);
                for warning in warnings {
                    self.client.log_message(MessageType::WARNING, format!("costline: {warning}")).await;
                }
                if config == self.settings {
                    return;
                }
                let old = std::mem::replace(&mut self.settings, config);
                if self.settings.watch != old.watch {
                    self.folders = Folders::new(self.settings.watch, self.changes_to.clone());
                }
                let baseline = (self.settings.baseline != old.baseline).then(|| self.settings.baseline.clone());
                if self.settings.profile != old.profile {
                    self.publish(|world| world.pick = None);
                }
                self.unpicked |= self.settings.profile.is_none() && old.profile.is_some();
                let mut chosen = self.world().chosen.clone();
                chosen.forget(&old, &self.settings);
                self.see_through(chosen);
                match baseline {
                    Some(Some(path)) => self.compare(Compare::With(path.into()), None).await,
                    Some(None) => self.compare(Compare::Nothing, None).await,
                    None => {}
                }
                self.look_soon();
            }
            Event::Compare(with, answer) => self.compare(with, Some(answer)).await,
            Event::Roots { added, removed } => {
                self.publish(|world| {
                    world.roots.retain(|root| !removed.contains(root));
                    for root in added {
                        if !world.roots.contains(&root) {
                            world.roots.push(root);
                        }
                    }
                });
                self.outdated = true;
                self.look_soon();
            }
            Event::Choose(change, answer) => {
                let for_profile = matches!(change, Change::Set { profile: Some(_), .. });
                match self.choose(change) {
                    Err(problem) => drop(answer.send(Err(problem))),
                    // No costs depend on it: it can be seen already.
                    Ok(()) if !for_profile && !self.outdated => drop(answer.send(Ok(self.world()))),
                    Ok(()) => {
                        self.waiting.push(Waiting { after: self.last_number, for_profile, answer });
                        self.look().await;
                    }
                }
            }
            Event::Reload(answer) => {
                self.refused.clear();
                self.waiting.push(Waiting { after: self.last_number, for_profile: true, answer });
                match self.world().snapshot().map(|shown| self.recognised.as_they_are(&shown.loaded.files)) {
                    Some(files) if self.running.is_none() && !files.is_empty() => self.start(files, Missing::Refuse),
                    _ => self.look().await,
                }
            }
            Event::Cancel(number) => {
                let loading = self.running.as_ref().map(|running| (running.number, &running.cancel));
                let resolving = self.resolving.as_ref().map(|(number, cancel)| (*number, cancel));
                for (_, cancel) in loading.into_iter().chain(resolving).filter(|&(known, _)| known == number) {
                    cancel.cancel();
                }
            }
        }
    }

    /// Brings a choice into effect as far as no load is needed; all of it or, with a sentence why, nothing.
    fn choose(&mut self, change: Change) -> Result<(), String> {
        let world = self.world();
        let pick = if let Change::Set { profile: Some(Pick(pick)), .. } = &change { Some(pick.as_deref()) } else { None };
        let pick = pick.map(|pick| pick.map(|path| world.in_root(path)));
        let chosen = world.chosen.changed(change, world.snapshot().map(Arc::as_ref))?;
        if let Some(pick) = pick {
            if let Some(path) = &pick {
                Stamp::of(path).map_err(|error| format!("{}: {error}", path.display()))?;
                self.refused.retain(|_, files| !files.iter().any(|file| file.path == *path));
            }
            self.unpicked = pick.is_none() && (self.unpicked || world.pick.is_some());
            self.publish(|world| world.pick = pick);
        }
        self.see_through(chosen);
        Ok(())
    }

    /// Brings the settings into effect, with what is chosen instead of them.
    fn see_through(&mut self, chosen: Chosen) {
        let (old, config) = (self.world().config.clone(), chosen.over(&self.settings));
        self.outdated |= !config.same_view(&old);
        // Labels and thresholds are read from the world by each request; the rest needs sums.
        let relabelled = !self.outdated && config != *old;
        self.publish(|world| {
            world.config = Arc::new(config);
            world.chosen = chosen;
            world.revision += u64::from(relabelled);
        });
    }

    /// Looks around and does what is due.
    async fn look(&mut self) {
        self.look_at = None;
        if self.running.is_none() {
            let world = self.world();
            let mut recognised = std::mem::take(&mut self.recognised);
            let (roots, config) = (world.roots.clone(), world.config.clone());
            let found = tokio::task::spawn_blocking(move || {
                let found = discover(&roots, &config, &mut recognised);
                (found, recognised)
            });
            if let Ok((found, recognised)) = found.await {
                self.recognised = recognised;
                self.watch(found.folders, &found.candidates);
                if found.candidates != world.candidates {
                    self.publish(|world| world.candidates = found.candidates);
                }
                self.report_foreign(found.foreign).await;
            }
            self.aim().await;
            self.tell_missing().await;
            self.fire();
        }
        let poll = self.folders.poll_every(self.world().config.watch).map(|every| Instant::now() + every);
        self.look_at = match (self.look_at, poll) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if self.target.is_none() && self.running.is_none() {
            self.answer(Ok(()), |_| true);
        }
    }

    fn watch(&mut self, folders: Vec<PathBuf>, candidates: &[Candidate]) {
        let world = self.world();
        let named = Self::wanted_path(&world).into_iter().chain(world.snapshot().map(|snapshot| snapshot.loaded.path.clone()));
        let files: Vec<_> = candidates.iter().map(|candidate| candidate.path.clone()).chain(named).collect();
        let around = files.iter().flat_map(|path| folders_of(path));
        self.folders.set(around.chain(folders).collect::<Vec<_>>());
    }

    /// Reads files in the background.
    fn start(&mut self, files: Vec<Written>, missing: Missing) {
        let limit = self.world().config.max_profile_bytes;
        let path = files.first().map(|file| file.path.clone()).unwrap_or_default();
        self.spawn(Some(files.clone()), &path, move |observe| read(&files, limit, missing, observe));
    }

    fn spawn(
        &mut self,
        target: Option<Vec<Written>>,
        path: &Path,
        load: impl FnOnce(&mut dyn FnMut(Step) -> ControlFlow<()>) -> Result<Input, LoadError> + Send + 'static,
    ) {
        self.last_number += 1;
        let (number, cancel, world, done) = (self.last_number, Cancel::default(), self.world(), self.done_to.clone());
        // What is shown is about to be replaced.
        if let Some((_, cancel)) = self.resolving.take() {
            cancel.cancel();
        }
        let (known, renews) = (self.known.clone(), std::mem::take(&mut self.outdated));
        self.running = Some(Running { number, cancel: cancel.clone(), renews });
        self.publish(|world| world.loading = true);
        let progress = Progress::new(&self.client, self.abilities.progress, number, path, WORTH_SHOWING);
        tokio::task::spawn_blocking(move || {
            let begun = std::time::Instant::now();
            let work = || {
                let mut observe = |step| {
                    progress.step(step);
                    if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let mut input = load(&mut observe)?;
                let failed = input.take_failed();
                let (snapshot, index) = see(input, &world, &known, &mut observe)?;
                let again = |baseline: &Arc<Baseline>| {
                    see_baseline(Input::Shown(baseline.snapshot.loaded.clone()), &world, &known, &mut observe)
                };
                let baseline = world.baseline.as_ref().filter(|_| renews).map(again).transpose()?;
                Ok(Seen { snapshot, index, failed, baseline })
            };
            let outcome = caught(target.as_ref().and_then(|files| Some(files.first()?.path.as_path())), work);
            let _ = done.send(Finished::Load(Box::new(Done { number, target, took: begun.elapsed(), outcome })));
        });
    }

    async fn on_done(&mut self, done: Done) {
        let Some(running) = self.running.take_if(|running| running.number == done.number) else { return };
        match done.outcome {
            Ok(Seen { snapshot, index, failed, baseline }) => {
                let path = snapshot.loaded.path.clone();
                let shown = self.world().snapshot().cloned().filter(|shown| Arc::ptr_eq(&shown.loaded, &snapshot.loaded));
                let is_known = |warning: &&Warning| shown.as_ref().is_some_and(|shown| shown.warnings.contains(*warning));
                for warning in snapshot.warnings.iter().filter(|warning| !is_known(warning)) {
                    self.log(MessageType::WARNING, &format!("{}: {}", path.display(), warning.message)).await;
                }
                self.target = None;
                self.unpicked = false;
                self.missed_since = None;
                self.refused.remove(&path);
                let files = snapshot.loaded.files.clone();
                let (snapshot, index) = (Arc::new(snapshot), Arc::new(index));
                self.publish(|world| {
                    world.active = vec![snapshot.clone()];
                    world.index = Some(index.clone());
                    // Unless it was replaced meanwhile.
                    if let (Some(known), Some(anew)) = (&world.baseline, baseline)
                        && Arc::ptr_eq(&known.snapshot.loaded, &anew.snapshot.loaded)
                    {
                        world.baseline = Some(Arc::new(anew));
                    }
                    world.deleted = false;
                    world.loading = false;
                    world.revision += 1;
                });
                self.resolve(&snapshot, index);
                for (path, _) in files.iter().filter(|(path, _)| !failed.iter().any(|error| error.path() == path)) {
                    self.forget_problem(path).await;
                }
                for error in failed {
                    self.report_missing(&error).await;
                }
                self.tell_incomparable().await;
                let was_read = done.target.is_some();
                self.answer(Ok(()), |waiting| waiting.after < done.number && (was_read || !waiting.for_profile));
            }
            Err(error) => {
                self.publish(|world| world.loading = false);
                let now = Instant::now();
                // Seeing anew fails only when it is cancelled: what is shown stays.
                let Some(files) = done.target else {
                    self.answer(Err(error.to_string()), |waiting| waiting.after < done.number && !waiting.for_profile);
                    return self.look_soon();
                };
                self.outdated |= running.renews;
                let unfinished =
                    matches!(error.kind(), Some(ErrorKind::Truncated | ErrorKind::Malformed | ErrorKind::Unrecognised));
                match &mut self.target {
                    // Perhaps it is still being written: read again, but not more often than reading takes.
                    Some(target)
                        if (unfinished || files.len() > 1)
                            && target.files == files
                            && now - target.since < PATIENCE + done.took =>
                    {
                        target.not_before = (target.since + PATIENCE).max(now + done.took);
                    }
                    _ => {
                        self.target = None;
                        if error.kind() != Some(ErrorKind::Cancelled) {
                            self.report(error.path(), &error.to_string()).await;
                        }
                        if let Some(first) = files.first() {
                            self.refused.insert(first.path.clone(), files);
                        }
                        self.answer(Err(error.to_string()), |waiting| waiting.for_profile);
                    }
                }
            }
        }
        self.look_soon();
    }

    /// Looks for the libraries of what is shown in the background, hottest first, and shows what came out now and then.
    fn resolve(&mut self, shown: &Arc<Snapshot>, index: Arc<SourceIndex>) {
        if shown.libraries.is_complete() {
            return;
        }
        self.last_number += 1;
        let (number, cancel, done, known) = (self.last_number, Cancel::default(), self.done_to.clone(), self.known.clone());
        self.resolving = Some((number, cancel.clone()));
        // The last swap is put off by so much, which is nothing to show.
        let patience = SWAPS + WORTH_SHOWING;
        let progress = Progress::new(&self.client, self.abilities.progress, number, &shown.loaded.path, patience);
        let (shown, world) = (shown.clone(), self.world());
        tokio::task::spawn_blocking(move || {
            let mut observe = |step| {
                progress.step(step);
                if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut publish = |snapshot| {
                let _ = done.send(Finished::Libraries(Box::new(Resolved { number, snapshot })));
            };
            resolve(&shown, &world, &index, &known, &mut observe, &mut publish);
        });
    }

    /// Shows what is known of libraries now, unless something else is shown since.
    async fn on_resolved(&mut self, Resolved { number, snapshot }: Resolved) {
        if self.resolving.as_ref().is_none_or(|(known, _)| *known != number) {
            return;
        }
        if snapshot.libraries.is_complete() {
            self.resolving = None;
            // What nobody could know before: libraries without files or lines, stacks that begin in the middle of a program.
            let shown = self.world().snapshot().cloned();
            let is_known = |warning: &&Warning| shown.as_ref().is_some_and(|shown| shown.warnings.contains(*warning));
            for warning in snapshot.warnings.iter().filter(|warning| !is_known(warning)) {
                self.log(MessageType::WARNING, &format!("{}: {}", snapshot.loaded.path.display(), warning.message)).await;
            }
        }
        self.publish(|world| {
            world.active = vec![Arc::new(snapshot)];
            world.revision += 1;
        });
    }

    async fn log(&self, severity: MessageType, message: &str) {
        self.client.log_message(severity, format!("costline: {}", one_line(message))).await;
    }

    /// Tells those who wait for it how it went.
    fn answer(&mut self, outcome: Result<(), String>, whom: impl Fn(&Waiting) -> bool) {
        let outcome = outcome.map(|()| self.world());
        for waiting in self.waiting.extract_if(.., |waiting| whom(waiting)) {
            let _ = waiting.answer.send(outcome.clone());
        }
    }
}

/// What `work` gives. A bug in a reader must not leave the loader waiting for ever.
fn caught<T>(path: Option<&Path>, work: impl FnOnce() -> Result<T, LoadError>) -> Result<T, LoadError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let source = formats::ReadError::malformed(
            formats::At::File,
            "reading it failed in a way that is a bug of costline; please report it with the file",
        );
        Err(LoadError::Read { path: path.map_or_else(PathBuf::new, Path::to_owned), source })
    })
}
