//! Runs a [`State`] with a simulated clock and a [`Disk`] in memory, and checks after every event the
//! properties that must always hold.

use super::disk::{Content, Disk, ROOT, path};
use crate::lsp::loader::effect::{Effect, Outcome};
use crate::lsp::loader::event::Event;
use crate::lsp::loader::jobs::{
    CompareJob, CompareResult, Job, JobResult, LoadFrom, LoadJob, LoadResult, ToShow, total_of,
};
use crate::lsp::loader::open_job::{OpenJob, Opened};
use crate::lsp::loader::shared::SharedProfiles;
use crate::lsp::loader::state::State;
use crate::lsp::loader::work_queue::WorkId;
use crate::lsp::loader::writers::Writes;
use crate::lsp::other_profile::OtherProfile;
use answers::{
    Baseline, Caches, Choices, Environment, LoadError, Loaded, ReadError, Settings, Severity,
    Snapshot, Stamp, Thread, ViewChange as Change, World, index_sources, load, renew,
    renew_with_symbols,
};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The duration of background work.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub scan: Duration,
    pub load: Duration,
    pub resolve: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Self { scan: ms(1), load: ms(10), resolve: ms(700) }
    }
}

/// Background work that is running.
#[derive(Debug)]
struct Pending {
    job: Job,
    /// The result of reading the file, if that was done at the start.
    read: Option<Result<Loaded, LoadError>>,
    ready: Instant,
    is_stopped: bool,
}

pub struct Simulation {
    state: State<u32>,
    pub disk: Disk,
    pub pace: Pace,
    /// Whether stopped work still has a result.
    pub stops_late: bool,
    /// Whether files are read when a load ends instead of when it starts.
    pub reads_late: bool,
    /// Whether the next load that reads files gets no memory.
    pub lacks_memory: Cell<bool>,
    /// The last published world.
    pub world: Arc<World>,
    /// The number of samples of each profile that was read and shown, in order.
    pub shown: Vec<u32>,
    /// The answers by the number of the command.
    pub answers: BTreeMap<u32, Outcome>,
    pub commands: u32,
    /// The numbers of the commands that open another profile.
    opens: BTreeSet<u32>,
    pub errors: Vec<String>,
    /// The errors with the version of the file that they are about.
    pub reports: Vec<(String, (PathBuf, Stamp))>,
    pub warnings: Vec<String>,
    pub diagnostics: BTreeMap<PathBuf, String>,
    /// The files that are shown as being written.
    pub waits_for: BTreeSet<PathBuf>,
    /// Files whose load was canceled.
    pub given_up: Vec<(PathBuf, Stamp)>,
    pub scans: u32,
    /// The number of loads that read files.
    pub reads: u32,
    begin: Instant,
    now: Instant,
    pending: BTreeMap<WorkId, Pending>,
    /// The file of the load that is just ending.
    ending: Option<(PathBuf, Stamp)>,
    caches: Caches,
}

/// The maximum number of steps of a test.
const MAX_STEPS: u32 = 10_000;

impl Simulation {
    /// Starts with these settings and files. The files are an hour old; the first is the oldest.
    pub fn new(settings: &Value, files: &[(&str, Content)]) -> Self {
        let (settings, warnings) = Settings::parse(settings);
        assert_eq!(warnings, [""; 0]);
        let world = World {
            settings: Arc::new(settings),
            roots: vec![PathBuf::from(ROOT)],
            ..World::default()
        };
        let world = Arc::new(world);
        let begin = Instant::now();
        let mut this = Self {
            state: State::new(world.clone(), WorkId::default()),
            disk: Disk::default(),
            pace: Pace::default(),
            stops_late: false,
            reads_late: false,
            lacks_memory: Cell::new(false),
            world,
            shown: Vec::new(),
            answers: BTreeMap::new(),
            commands: 0,
            opens: BTreeSet::new(),
            errors: Vec::new(),
            reports: Vec::new(),
            warnings: Vec::new(),
            diagnostics: BTreeMap::new(),
            waits_for: BTreeSet::new(),
            given_up: Vec::new(),
            scans: 0,
            reads: 0,
            begin,
            now: begin,
            pending: BTreeMap::new(),
            ending: None,
            caches: Caches::default(),
        };
        for (i, &(name, content)) in files.iter().enumerate() {
            let modified = this.wall() - Duration::from_secs(3600 - i as u64);
            this.disk.put(name, Stamp::new(0, modified), content);
        }
        let effects = this.state.start(this.now);
        this.perform(effects);
        this
    }

    /// A simulation that shows the newest of `files` and has nothing left to do.
    pub fn showing(files: &[(&str, Content)]) -> Self {
        let mut this = Self::new(&json!({}), files);
        this.rest();
        assert_eq!(this.shown.len(), 1);
        this
    }

    /// The simulated system time, which time stamps of files use.
    pub fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30) + (self.now - self.begin)
    }

    /// Writes a file, which is newer than all others.
    pub fn write(&mut self, name: &str, content: Content) {
        self.write_with_len(name, content, 0);
    }

    /// Appends to a file, so that it has this content.
    pub fn append(&mut self, name: &str, content: Content) {
        let before = self.disk.files.get(&path(name)).map_or(0, |file| file.stamp.len);
        self.write_with_len(name, content, before + 1);
    }

    fn write_with_len(&mut self, name: &str, content: Content, len: u64) {
        // Gives each version a different time.
        self.pass(Duration::from_millis(1));
        self.disk.put(name, Stamp::new(len, self.wall()), content);
        self.event(Event::FilesChanged);
    }

    /// Closes a file after writing.
    pub fn close(&mut self, name: &str) {
        let stamp = self.disk.files.get(&path(name)).map(|file| file.stamp);
        let closed = stamp.into_iter().map(|stamp| (path(name), stamp)).collect();
        self.event(Event::Written(Writes { closed, ..Writes::default() }));
    }

    /// Appends to a file, which stays open, and the system reports that.
    pub fn write_on(&mut self, name: &str, content: Content) {
        self.append(name, content);
        let written = vec![path(name)];
        self.event(Event::Written(Writes { written, ..Writes::default() }));
    }

    pub fn delete(&mut self, name: &str) {
        self.disk.files.remove(&path(name));
        self.event(Event::FilesChanged);
    }

    /// Sends a command and returns its number.
    pub fn command(&mut self, event: impl FnOnce(u32) -> Event<u32>) -> u32 {
        self.commands += 1;
        self.event(event(self.commands));
        self.commands
    }

    pub fn set_view(&mut self, values: Value) -> u32 {
        let choices = serde_json::from_value(values).expect("the choices are valid");
        self.command(|answer| Event::Choose(Box::new(Change::Set(choices)), answer))
    }

    /// Picks a profile, which must exist, or none.
    pub fn pick(&mut self, name: Option<&str>) -> u32 {
        let path = name.map(path);
        self.given_up.retain(|(given_up, _)| Some(given_up) != path.as_ref());
        let change = Change::Set(Choices { profile: path.into(), ..Choices::default() });
        self.command(|answer| Event::Choose(Box::new(change), answer))
    }

    /// Opens a profile without showing it.
    pub fn open(&mut self, name: &str, view: Option<Value>) -> u32 {
        let view = view.map(|view| serde_json::from_value(view).expect("the choices are valid"));
        let other = OtherProfile { path: path(name), view };
        self.opens.insert(self.commands + 1);
        self.command(|answer| Event::Open(Box::new(other), answer))
    }

    pub fn reload(&mut self) -> u32 {
        self.given_up.clear();
        self.command(Event::Reload)
    }

    /// Cancels the running load or resolution of addresses, if any.
    pub fn cancel(&mut self) {
        let id = self.pending.iter().find(|(_, pending)| {
            matches!(pending.job, Job::Load(_) | Job::Resolve(_) | Job::Open(_))
                && !pending.is_stopped
        });
        let Some((&id, pending)) = id else { return };
        if let Job::Load(LoadJob { from, .. }) = &pending.job {
            match from {
                LoadFrom::Files { files, .. } => {
                    self.given_up.extend(files.iter().map(|file| (file.path.clone(), file.stamp)));
                }
                // Another request had read it.
                LoadFrom::Read(loaded) => self.given_up.push((loaded.path.clone(), loaded.stamp)),
                LoadFrom::Shown(_) | LoadFrom::Remapped(_) => {}
            }
        }
        self.event(Event::Cancel(id.0));
    }

    pub fn event(&mut self, event: Event<u32>) {
        let effects = self.state.on_event(event, self.now);
        self.perform(effects);
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(next) = self.next().filter(|next| *next <= until) {
            self.now = self.now.max(next);
            self.step();
        }
        self.now = until;
    }

    /// Lets time pass until nothing is left to do.
    pub fn rest(&mut self) {
        for _ in 0..MAX_STEPS {
            let Some(next) = self.next() else { return };
            self.now = self.now.max(next);
            self.step();
        }
        panic!("there is always something to do: {:?}", self.state);
    }

    /// The time of the next step.
    fn next(&self) -> Option<Instant> {
        let ready = self.pending.values().map(|pending| pending.ready);
        ready.chain(self.state.next_wake()).min()
    }

    fn step(&mut self) {
        let ready = self.pending.iter().find(|(_, pending)| pending.ready <= self.now);
        if let Some(id) = ready.map(|(&id, _)| id) {
            self.finish(id);
        } else {
            let effects = self.state.on_time(self.now);
            self.perform(effects);
        }
    }

    /// The number of samples of the shown profile.
    pub fn samples(&self) -> Option<u32> {
        self.world.snapshot().map(|shown| samples_of(shown))
    }

    pub fn snapshot(&self) -> &Arc<Snapshot> {
        self.world.snapshot().expect("something is shown")
    }

    /// Whether work of a kind is running.
    pub fn is_running(&self, kind: impl Fn(&Job) -> bool) -> bool {
        self.pending.values().any(|pending| kind(&pending.job))
    }

    fn perform(&mut self, effects: Vec<Effect<u32>>) {
        for effect in effects {
            match effect {
                Effect::Publish(world) => self.publish(world),
                Effect::Start(id, job) => self.begin(id, job),
                Effect::Stop(id) => {
                    let pending = self.pending.get_mut(&id).expect("only running work is stopped");
                    assert!(!pending.is_stopped, "stopped twice");
                    pending.is_stopped = true;
                    if !self.stops_late {
                        pending.ready = self.now;
                    }
                }
                Effect::Answer(command, outcome) => {
                    if let Ok(world) = &outcome
                        && !self.opens.contains(&command)
                    {
                        assert!(
                            Arc::ptr_eq(world, &self.world),
                            "the answer is the published world"
                        );
                    }
                    let before = self.answers.insert(command, outcome);
                    assert!(before.is_none(), "command {command} is answered twice");
                }
                Effect::Log(Severity::Error, message) => {
                    let version = self.ending.clone().expect("only loads log errors");
                    self.reports.push((message.clone(), version));
                    self.errors.push(message);
                }
                Effect::Log(_, message) => self.warnings.push(message),
                Effect::Diagnose(path, Some((_, message))) => {
                    self.diagnostics.insert(path, message);
                }
                Effect::Diagnose(path, None) => drop(self.diagnostics.remove(&path)),
                Effect::Wait(path) => assert!(self.waits_for.insert(path), "waits for it twice"),
                Effect::StopWaiting(path) => assert!(self.waits_for.remove(&path)),
                Effect::Watch(_) | Effect::WatchBy(_) => {}
            }
        }
    }

    fn publish(&mut self, world: Arc<World>) {
        assert!(world.revision >= self.world.revision);
        if let Some(before) = self.world.snapshot() {
            let after = world.snapshot().expect("a shown profile never vanishes");
            if !Arc::ptr_eq(before, after) {
                assert!(world.revision > self.world.revision, "a new snapshot has a new revision");
            }
            if !Arc::ptr_eq(&before.loaded, &after.loaded) {
                self.shown.push(samples_of(after));
            }
        } else if let Some(first) = world.snapshot() {
            self.shown.push(samples_of(first));
        }
        self.world = world;
    }

    fn begin(&mut self, id: WorkId, job: Job) {
        let same_kind = |pending: &Pending| discriminant(&pending.job) == discriminant(&job);
        assert!(!self.pending.values().any(same_kind), "two jobs of a kind at a time: {job:?}");
        let takes = match &job {
            Job::Scan(_) => self.pace.scan,
            Job::Load(_) | Job::Compare(_) | Job::Open(_) | Job::Sum(_) => self.pace.load,
            Job::Resolve(_) => self.pace.resolve,
        };
        let reads = matches!(&job, Job::Load(LoadJob { from: LoadFrom::Files { .. }, .. }));
        self.reads += u32::from(reads);
        let read = profile_of(&job).filter(|_| !self.reads_late).map(|path| self.disk.read(path));
        let ready = self.now + takes;
        assert!(self.pending.insert(id, Pending { job, read, ready, is_stopped: false }).is_none());
    }

    /// Ends background work and sends its result.
    fn finish(&mut self, id: WorkId) {
        let Some(Pending { job, read, is_stopped, .. }) = self.pending.remove(&id) else { return };
        let read = read.or_else(|| profile_of(&job).map(|path| self.disk.read(path)));
        let (before, baseline) = (self.world.snapshot().cloned(), self.world.baseline.clone());
        let stops = is_stopped && !self.stops_late;
        match job {
            Job::Scan(request) => {
                self.scans += 1;
                let scanned = self.disk.scan(&request);
                self.result(JobResult::Scanned(id, Some(Box::new(scanned))));
            }
            Job::Load(job) => {
                if let LoadFrom::Files { files, .. } = &job.from {
                    self.ending = files.first().map(|file| (file.path.clone(), file.stamp));
                }
                let outcome = if stops { Err(cancelled(job.path())) } else { self.load(job, read) };
                let outcome = outcome.map(Box::new);
                self.result(JobResult::Loaded(id, LoadResult { took: self.pace.load, outcome }));
            }
            Job::Resolve(job) => {
                if !stops {
                    let environment = Environment {
                        settings: &job.shown.settings,
                        index: &job.index,
                        caches: &self.caches,
                    };
                    let snapshot = renew(&job.shown, environment);
                    self.result(JobResult::Resolved(id, Box::new(snapshot)));
                }
                self.result(JobResult::ResolvedAll(id));
            }
            Job::Compare(job) => {
                let outcome =
                    if stops { Err(cancelled(&job.path)) } else { self.compare(&job, read) };
                let compared = outcome.map_or_else(CompareResult::from, |baseline| CompareResult {
                    outcome: Ok(Some(Box::new(baseline))),
                    not_kept: None,
                });
                self.result(JobResult::Compared(id, compared));
            }
            Job::Open(job) => {
                let outcome =
                    if stops { Err("stopped".to_owned()) } else { self.opened(*job, read) };
                self.result(JobResult::Opened(id, outcome));
            }
            Job::Sum(job) => {
                let files = job.runs.iter().flatten();
                let read = files.filter_map(|file| self.disk.read(&file.path).ok());
                let totals = read.filter_map(|loaded| total_of([&loaded])).collect();
                self.result(JobResult::Summed(id, totals));
            }
        }
        if is_stopped {
            let same = |a: &Arc<Snapshot>, b: &Arc<Snapshot>| Arc::ptr_eq(a, b);
            assert!(before.iter().zip(self.world.snapshot()).all(|(a, b)| same(a, b)));
            assert_eq!(before.is_some(), self.world.snapshot().is_some());
            let now = &self.world.baseline;
            assert_eq!(baseline.map(|it| Arc::as_ptr(&it)), now.as_ref().map(Arc::as_ptr));
        }
    }

    fn result(&mut self, result: JobResult) {
        let effects = self.state.on_result(result, self.now);
        self.perform(effects);
    }

    fn load(
        &self,
        job: LoadJob,
        read: Option<Result<Loaded, LoadError>>,
    ) -> Result<ToShow, LoadError> {
        if !matches!(job.from, LoadFrom::Files { .. }) {
            let shared = SharedProfiles::default();
            return job.run(&self.caches, &shared, &mut |_| ControlFlow::Continue(()));
        }
        if self.lacks_memory.take() {
            return Err(LoadError::NoMemory { path: job.path().to_owned(), available: 0 });
        }
        let world = &job.world;
        let settings = &world.settings.costs();
        let index = Arc::new(index_sources(&world.roots, &settings.sources));
        let environment = Environment { settings, index: &index, caches: &self.caches };
        let snapshot = snapshot(read, environment)?;
        let baseline = world.baseline.as_ref().map(|baseline| {
            Baseline::new(Arc::new(renew_with_symbols(&baseline.snapshot, environment)))
        });
        Ok(ToShow { snapshot, index, failed: Vec::new(), baseline, overlay: None, total: None })
    }

    fn compare(
        &self,
        job: &CompareJob,
        read: Option<Result<Loaded, LoadError>>,
    ) -> Result<Baseline, LoadError> {
        let settings = &job.world.settings.costs();
        let index = &index_sources(&[], &settings.sources);
        let environment = Environment { settings, index, caches: &self.caches };
        Ok(Baseline::new(Arc::new(snapshot(read, environment)?)))
    }

    fn opened(
        &self,
        job: OpenJob,
        read: Option<Result<Loaded, LoadError>>,
    ) -> Result<Box<Opened>, String> {
        let settings = &job.world.settings.costs();
        let index = Arc::new(index_sources(&[], &settings.sources));
        let environment = Environment { settings, index: &index, caches: &self.caches };
        let snapshot = snapshot(read, environment).map_err(|error| error.to_string())?;
        job.opened(Arc::new(snapshot), index, &self.caches)
    }

    /// The numbers of commands that were not answered.
    pub fn unanswered(&self) -> BTreeSet<u32> {
        (1..=self.commands).filter(|command| !self.answers.contains_key(command)).collect()
    }
}

/// The number of samples of a snapshot.
#[expect(clippy::cast_sign_loss, reason = "a number of samples")]
pub fn samples_of(shown: &Snapshot) -> u32 {
    shown.costs.total as u32
}

/// The profile that a job reads.
fn profile_of(job: &Job) -> Option<&Path> {
    match job {
        Job::Load(LoadJob { from: LoadFrom::Files { files, .. }, .. }) => {
            let [file] = &files[..] else { panic!("{files:?}") };
            Some(&file.path)
        }
        Job::Compare(job) => Some(&job.path),
        Job::Open(job) => Some(&job.other.path),
        Job::Load(_) | Job::Scan(_) | Job::Resolve(_) | Job::Sum(_) => None,
    }
}

fn snapshot(
    read: Option<Result<Loaded, LoadError>>,
    environment: Environment<'_>,
) -> Result<Snapshot, LoadError> {
    let read = read.expect("the job reads a profile")?;
    load(vec![(read, Thread::default())], environment, &mut |_| ControlFlow::Continue(()))
}

fn cancelled(path: &Path) -> LoadError {
    LoadError::Read { path: path.to_owned(), source: ReadError::cancelled() }
}
