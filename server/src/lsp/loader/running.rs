//! The background work that is running: whether it should stop, and whether it goes on at all.
//!
//! A thread that waits for a disk that does not answer cannot be stopped. Work that makes no step for
//! [`MAX_STEP`] is abandoned: it counts as ended with an error, other work goes on, and what the
//! thread may still send is ignored.
//!
//! The loader never waits for long for a disk: a network mount whose server is gone blocks every call
//! that touches it forever. Where the loader cannot go on without a result, it waits one second at
//! most (`DISK_DEADLINE`). Jobs run on their own threads, and are abandoned if they make no progress
//! for two minutes. A root that does not respond counts as missing.

use super::jobs::{Job, JobResult, LoadResult};
use super::work_queue::WorkId;
use answers::LoadError;
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long work may take for one step. The longest steps of a profile of a gigabyte take some ten
/// seconds.
const MAX_STEP: Duration = Duration::from_secs(120);

/// Whether background work should stop, and when it made its last step.
#[derive(Debug, Clone)]
pub struct Stop {
    is_wanted: watch::Sender<bool>,
    last_step: Arc<Mutex<Instant>>,
}

impl Stop {
    fn new(now: Instant) -> Self {
        Self { is_wanted: watch::Sender::default(), last_step: Arc::new(Mutex::new(now)) }
    }

    fn want(&self) {
        self.is_wanted.send_replace(true);
    }

    /// Waits until the work should stop. The work itself notices that at its next step.
    pub async fn wanted(self) {
        // There is a sender: `self` has it.
        let _ = self.is_wanted.subscribe().wait_for(|is_wanted| *is_wanted).await;
    }

    /// Work calls this with each step. It breaks if the work should stop.
    pub fn check(&self) -> ControlFlow<()> {
        *self.last_step.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if *self.is_wanted.borrow() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The time at which the work is abandoned, unless it makes a step.
    fn deadline(&self) -> Instant {
        *self.last_step.lock().unwrap_or_else(PoisonError::into_inner) + MAX_STEP
    }
}

/// The kind of work that is running, with the path of its profile.
#[derive(Debug)]
enum Kind {
    Scan,
    Load(PathBuf),
    Resolve(PathBuf),
    Compare(PathBuf),
    Open(PathBuf),
    Sum,
}

impl Kind {
    fn of(job: &Job) -> Self {
        match job {
            Job::Scan(_) => Self::Scan,
            Job::Load(job) => Self::Load(job.path().to_owned()),
            Job::Resolve(job) => Self::Resolve(job.shown.loaded.path.clone()),
            Job::Compare(job) => Self::Compare(job.path.clone()),
            Job::Open(job) => Self::Open(job.other.path.clone()),
            Job::Sum(_) => Self::Sum,
        }
    }

    /// The last result of work that was abandoned.
    fn abandoned(self, id: WorkId) -> JobResult {
        match self {
            Self::Scan => {
                tracing::error!("gave up searching for profiles: {NO_STEP}");
                JobResult::Scanned(id, None)
            }
            Self::Load(path) => {
                let outcome = Err(no_step(path));
                JobResult::Loaded(id, LoadResult { took: MAX_STEP, outcome })
            }
            Self::Resolve(path) => {
                tracing::error!("{}", no_step(path));
                JobResult::ResolvedAll(id)
            }
            Self::Compare(path) => JobResult::Compared(id, no_step(path).into()),
            Self::Open(path) => JobResult::Opened(id, Err(no_step(path).to_string())),
            Self::Sum => {
                tracing::error!("gave up reading profiles for their totals: {NO_STEP}");
                JobResult::Summed(id, Vec::new())
            }
        }
    }
}

const NO_STEP: &str = "no progress for two minutes; is the disk responding? Run \
                       `costline.reload` to try again";

fn no_step(path: PathBuf) -> LoadError {
    LoadError::Io { path, source: io::Error::new(io::ErrorKind::TimedOut, NO_STEP) }
}

/// The work that is running.
#[derive(Debug, Default)]
pub struct Running(HashMap<WorkId, (Kind, Stop)>);

impl Running {
    /// Work starts.
    pub fn start(&mut self, id: WorkId, job: &Job, now: Instant) -> Stop {
        self.insert(id, Kind::of(job), now)
    }

    fn insert(&mut self, id: WorkId, kind: Kind, now: Instant) -> Stop {
        let stop = Stop::new(now);
        self.0.insert(id, (kind, stop.clone()));
        stop
    }

    /// Asks work to stop at its next step.
    pub fn stop(&self, id: WorkId) {
        if let Some((_, stop)) = self.0.get(&id) {
            stop.want();
        }
    }

    /// Removes work that has ended. `false` if it was abandoned, and its result must not be used.
    pub fn ended(&mut self, result: &JobResult) -> bool {
        match result {
            JobResult::Resolved(id, _) => self.0.contains_key(id),
            last => self.0.remove(&last.id()).is_some(),
        }
    }

    /// The time at which [`Self::abandon`] must be called.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.values().map(|(_, stop)| stop.deadline()).min()
    }

    /// Ends all work that has made no step for too long, and returns its results.
    pub fn abandon(&mut self, now: Instant) -> Vec<JobResult> {
        let late = self.0.extract_if(|_, (_, stop)| stop.deadline() <= now);
        let result = |(id, (kind, stop)): (WorkId, (Kind, Stop))| {
            stop.want();
            kind.abandoned(id)
        };
        late.map(result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_a_step_is_abandoned_and_its_result_ignored() {
        let (mut running, begun) = (Running::default(), Instant::now());
        let path = PathBuf::from("cpu.folded");
        let stop = running.insert(WorkId(1), Kind::Load(path), begun);
        running.insert(WorkId(2), Kind::Scan, begun + MAX_STEP);
        assert_eq!(running.deadline(), Some(begun + MAX_STEP));
        assert!(running.abandon(begun).is_empty());
        assert_eq!(stop.check(), ControlFlow::Continue(()));

        let results = running.abandon(begun + MAX_STEP + MAX_STEP / 2);
        let [JobResult::Loaded(WorkId(1), LoadResult { outcome: Err(error), .. })] = &results[..]
        else {
            panic!("{results:?}")
        };
        assert!(error.to_string().starts_with("cpu.folded: no progress"), "{error}");
        assert_eq!(stop.check(), ControlFlow::Break(()), "it ends once the disk answers");
        assert!(!running.ended(&results[0]));
        assert!(running.ended(&JobResult::Scanned(WorkId(2), None)));
        assert_eq!(running.deadline(), None);
    }

    #[tokio::test]
    async fn a_stop_is_told_before_the_work_notices_it() {
        let mut running = Running::default();
        let stop = running.insert(WorkId(1), Kind::Scan, Instant::now());
        let told = tokio::spawn(stop.clone().wanted());
        tokio::task::yield_now().await;
        assert!(!told.is_finished());
        running.stop(WorkId(1));
        told.await.unwrap();
        assert!(running.ended(&JobResult::Scanned(WorkId(1), None)), "it still counted as running");
    }

    #[test]
    fn a_step_gives_more_time() {
        let (mut running, begun) = (Running::default(), Instant::now());
        let stop = running.insert(WorkId(1), Kind::Scan, begun);
        while Instant::now() == begun {}
        assert_eq!(stop.check(), ControlFlow::Continue(()));
        assert!(running.deadline() > Some(begun + MAX_STEP));
        assert!(running.abandon(begun + MAX_STEP).is_empty());
    }
}
