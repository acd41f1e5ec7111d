//! Runs background work on threads that may block, shows its progress, and stops it.

use super::jobs::{
    CompareJob, CompareResult, Job, JobResult, LoadJob, LoadResult, ResolveJob, SumJob,
};
use super::open_job::OpenJob;
use super::running::{Running, Stop};
use super::scan::{ScanRequest, scan};
use super::shared::SharedProfiles;
use super::target::QUIET;
use super::work_queue::WorkId;
use crate::lsp::progress::{PATIENCE, Progress};
use answers::{Caches, LoadError, PUBLISH_INTERVAL, ReadStep as Step, Recognised};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;
use tower_lsp::Client;

/// The background work that is running, and the caches that it shares.
pub struct Background {
    client: Client,
    shows_progress: bool,
    results: UnboundedSender<JobResult>,
    caches: Arc<Caches>,
    recognised: Arc<Mutex<Recognised>>,
    shared: Arc<SharedProfiles>,
    running: Running,
    /// Files that are still being written, with the progress that says so.
    waiting: HashMap<PathBuf, Progress>,
    waits: u64,
}

impl Background {
    /// No work yet. Results will be sent to `results`.
    pub fn new(
        client: Client,
        shows_progress: bool,
        caches: Arc<Caches>,
        results: UnboundedSender<JobResult>,
    ) -> Self {
        Self {
            client,
            shows_progress,
            results,
            caches,
            recognised: Arc::default(),
            shared: Arc::default(),
            running: Running::default(),
            waiting: HashMap::new(),
            waits: 0,
        }
    }

    /// Shows that a file is still being written, unless it is soon complete.
    pub fn wait(&mut self, path: PathBuf) {
        self.waits += 1;
        let enabled = self.shows_progress;
        let progress = Progress::of_writing(&self.client, enabled, self.waits, &path, QUIET);
        self.waiting.insert(path, progress);
    }

    /// Shows that no longer.
    pub fn stop_waiting(&mut self, path: &Path) {
        self.waiting.remove(path);
    }

    /// Starts work.
    pub fn start(&mut self, id: WorkId, job: Job) {
        let stop = self.running.start(id, &job, Instant::now());
        match job {
            Job::Scan(request) => self.scan(id, request),
            Job::Load(job) => self.load(id, job, stop),
            Job::Resolve(job) => self.resolve(id, job, stop),
            Job::Compare(job) => self.compare(id, job, stop),
            Job::Open(job) => self.open(id, *job, stop),
            Job::Sum(job) => self.sum(id, job, stop),
        }
    }

    /// Stops work at its next step.
    pub fn stop(&self, id: WorkId) {
        self.running.stop(id);
    }

    /// Removes work that has ended. `false` if it was abandoned, and its result must not be used.
    pub fn ended(&mut self, result: &JobResult) -> bool {
        self.running.ended(result)
    }

    /// The time at which [`Self::abandon`] must be called.
    pub fn deadline(&self) -> Option<Instant> {
        self.running.deadline()
    }

    /// Ends all work that has made no step for too long, and returns its results.
    pub fn abandon(&mut self, now: Instant) -> Vec<JobResult> {
        let abandoned = self.running.abandon(now);
        if !abandoned.is_empty() {
            // The threads may hold the locks of these.
            (self.recognised, self.shared) = (Arc::default(), Arc::default());
        }
        abandoned
    }

    fn scan(&self, id: WorkId, request: ScanRequest) {
        let (results, recognised) = (self.results.clone(), self.recognised.clone());
        spawn_blocking(move || {
            let scanned = catch_unwind(AssertUnwindSafe(|| {
                let mut recognised = recognised.lock().unwrap_or_else(PoisonError::into_inner);
                Box::new(scan(&request, &mut recognised))
            }));
            let _ = results.send(JobResult::Scanned(id, scanned.ok()));
        });
    }

    fn progress(&self, id: WorkId, path: &Path, stop: &Stop, patience: Duration) -> Progress {
        let stopped = stop.clone().wanted();
        Progress::new(&self.client, self.shows_progress, id.0, path, patience, stopped)
    }

    fn load(&self, id: WorkId, job: LoadJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        let shared = self.shared.clone();
        let progress = self.progress(id, job.path(), &stop, PATIENCE);
        spawn_blocking(move || {
            let begun = Instant::now();
            let mut observe = observe(&progress, &stop);
            let path = job.path().to_owned();
            let outcome =
                without_panic(&path, || job.run(&caches, &shared, &mut observe).map(Box::new));
            let result = LoadResult { took: begun.elapsed(), outcome };
            let _ = results.send(JobResult::Loaded(id, result));
        });
    }

    fn resolve(&self, id: WorkId, job: ResolveJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        let path = job.shown.loaded.path.clone();
        // The last snapshot is delayed by up to `PUBLISH_INTERVAL`, during which nothing is done.
        let progress = self.progress(id, &path, &stop, PUBLISH_INTERVAL + PATIENCE);
        spawn_blocking(move || {
            let mut observe = observe(&progress, &stop);
            let mut publish = |snapshot| {
                let _ = results.send(JobResult::Resolved(id, Box::new(snapshot)));
            };
            let run = || job.run(&caches, &mut observe, &mut publish);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                tracing::error!(
                    "{}: resolving addresses failed with a panic; please report this bug",
                    path.display()
                );
            }
            let _ = results.send(JobResult::ResolvedAll(id));
        });
    }

    fn compare(&self, id: WorkId, job: CompareJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        spawn_blocking(move || {
            let mut observe = |_| stop.check();
            let path = job.path.clone();
            let compared = without_panic(&path, || Ok(job.run(&caches, &mut observe)));
            let compared = compared.unwrap_or_else(CompareResult::from);
            let _ = results.send(JobResult::Compared(id, compared));
        });
    }

    fn open(&self, id: WorkId, job: OpenJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        let path = job.other.path.clone();
        let progress = self.progress(id, &path, &stop, PATIENCE);
        spawn_blocking(move || {
            let mut observe = observe(&progress, &stop);
            let outcome = match without_panic(&path, || Ok(job.run(&caches, &mut observe))) {
                Ok(outcome) => outcome,
                Err(panicked) => Err(panicked.to_string()),
            };
            let _ = results.send(JobResult::Opened(id, outcome));
        });
    }

    fn sum(&self, id: WorkId, job: SumJob, stop: Stop) {
        let results = self.results.clone();
        spawn_blocking(move || {
            let run = || job.run(&mut |_| stop.check());
            let totals = catch_unwind(AssertUnwindSafe(run)).unwrap_or_default();
            let _ = results.send(JobResult::Summed(id, totals));
        });
    }
}

/// Returns a function that shows a step and says whether to continue.
fn observe<'a>(progress: &'a Progress, stop: &'a Stop) -> impl FnMut(Step) -> ControlFlow<()> + 'a {
    move |step| {
        progress.step(step);
        stop.check()
    }
}

/// Runs `work` and turns a panic into an error, so that the loader does not wait forever.
fn without_panic<T>(
    path: &Path,
    work: impl FnOnce() -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let source = answers::ReadError::malformed(
            answers::At::File,
            "reading the file failed with a panic; please report this bug and attach the file",
        );
        Err(LoadError::Read { path: PathBuf::from(path), source })
    })
}
