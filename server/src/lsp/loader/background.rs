//! Runs background work on threads that may block, with progress, until it has ended or is stopped.

use super::jobs::{CompareJob, Job, JobResult, LoadJob, LoadResult, ResolveJob};
use super::look::{LookRequest, look};
use super::work_queue::WorkId;
use crate::lsp::progress::{PATIENCE, Progress};
use engine::discovery::Recognised;
use engine::load::{Caches, PUBLISH_INTERVAL};
use engine::stages::loaded::{LoadError, Step};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;
use tower_lsp::Client;

/// Whether background work was asked to end.
#[derive(Debug, Clone, Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn check(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Background work and what it shares.
pub struct Background {
    client: Client,
    shows_progress: bool,
    results: UnboundedSender<JobResult>,
    caches: Arc<Caches>,
    recognised: Arc<Mutex<Recognised>>,
    running: HashMap<WorkId, Stop>,
}

impl Background {
    /// Work that gives what it finds to `results`.
    pub fn new(client: Client, shows_progress: bool, results: UnboundedSender<JobResult>) -> Self {
        Self {
            client,
            shows_progress,
            results,
            caches: Arc::default(),
            recognised: Arc::default(),
            running: HashMap::new(),
        }
    }

    /// Starts work.
    pub fn start(&mut self, id: WorkId, job: Job) {
        let stop = Stop::default();
        self.running.insert(id, stop.clone());
        match job {
            Job::Look(request) => self.look(id, request),
            Job::Load(job) => self.load(id, job, stop),
            Job::Resolve(job) => self.resolve(id, job, stop),
            Job::Compare(job) => self.compare(id, job, stop),
        }
    }

    /// Asks work to end at its next step.
    pub fn stop(&self, id: WorkId) {
        if let Some(stop) = self.running.get(&id) {
            stop.0.store(true, Ordering::Relaxed);
        }
    }

    /// Forgets work that has ended.
    pub fn ended(&mut self, result: &JobResult) {
        match result {
            JobResult::Looked(id, _)
            | JobResult::Loaded(id, _)
            | JobResult::ResolvedAll(id)
            | JobResult::Compared(id, _) => drop(self.running.remove(id)),
            JobResult::Resolved(..) => {}
        }
    }

    fn look(&self, id: WorkId, request: LookRequest) {
        let (results, recognised) = (self.results.clone(), self.recognised.clone());
        spawn_blocking(move || {
            let looked = catch_unwind(AssertUnwindSafe(|| {
                let mut recognised = recognised.lock().unwrap_or_else(PoisonError::into_inner);
                Box::new(look(&request, &mut recognised))
            }));
            let _ = results.send(JobResult::Looked(id, looked.ok()));
        });
    }

    fn load(&self, id: WorkId, job: LoadJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        let progress = Progress::new(&self.client, self.shows_progress, id.0, job.path(), PATIENCE);
        spawn_blocking(move || {
            let begun = Instant::now();
            let mut observe = observe(&progress, &stop);
            let path = job.path().to_owned();
            let outcome = without_panic(&path, || job.run(&caches, &mut observe).map(Box::new));
            let result = LoadResult { took: begun.elapsed(), outcome };
            let _ = results.send(JobResult::Loaded(id, result));
        });
    }

    fn resolve(&self, id: WorkId, job: ResolveJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        let path = &job.shown.loaded.path;
        // The last snapshot is delayed by up to `PUBLISH_INTERVAL`, which is no work to show.
        let progress = Progress::new(
            &self.client,
            self.shows_progress,
            id.0,
            path,
            PUBLISH_INTERVAL + PATIENCE,
        );
        spawn_blocking(move || {
            let mut observe = observe(&progress, &stop);
            let mut publish = |snapshot| {
                let _ = results.send(JobResult::Resolved(id, Box::new(snapshot)));
            };
            let run = || job.run(&caches, &mut observe, &mut publish);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                tracing::error!("looking up addresses failed; this is a bug of costline");
            }
            let _ = results.send(JobResult::ResolvedAll(id));
        });
    }

    fn compare(&self, id: WorkId, job: CompareJob, stop: Stop) {
        let (results, caches) = (self.results.clone(), self.caches.clone());
        spawn_blocking(move || {
            let mut observe = |_| stop.check();
            let path = job.path.clone();
            let outcome = without_panic(&path, || job.run(&caches, &mut observe).map(Box::new));
            let _ = results.send(JobResult::Compared(id, outcome));
        });
    }
}

/// Shows each step, and ends the work if it was stopped.
fn observe<'a>(progress: &'a Progress, stop: &'a Stop) -> impl FnMut(Step) -> ControlFlow<()> + 'a {
    move |step| {
        progress.step(step);
        stop.check()
    }
}

/// What `work` gives. A bug in a reader must not leave the loader waiting for ever.
fn without_panic<T>(
    path: &Path,
    work: impl FnOnce() -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let source = formats::ReadError::malformed(
            formats::At::File,
            "reading it failed in a way that is a bug of costline; please report it with the file",
        );
        Err(LoadError::Read { path: PathBuf::from(path), source })
    })
}
