//! A queue for background work of one kind: idle, running, or running and wanted again.
//!
//! At most one job of a kind runs at a time. Work that is wanted meanwhile starts when it has ended;
//! newer wanted work replaces older.

/// Identifies background work of any kind. Work that starts later has a greater id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WorkId(pub u64);

impl WorkId {
    /// The id after this one.
    fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The work of one kind. `W` describes a job.
#[derive(Debug)]
pub struct WorkQueue<W> {
    running: Option<Running<W>>,
    wanted: Option<W>,
}

#[derive(Debug)]
struct Running<W> {
    id: WorkId,
    work: W,
    is_cancelled: bool,
}

/// Work that has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended<W> {
    /// The job.
    pub work: W,
    /// Whether it was canceled. Its result must not be used then, even if there is one.
    pub was_cancelled: bool,
}

impl<W> Default for WorkQueue<W> {
    fn default() -> Self {
        Self { running: None, wanted: None }
    }
}

impl<W> WorkQueue<W> {
    /// Queues `work` and returns the work that it replaces.
    pub fn want(&mut self, work: W) -> Option<W> {
        self.wanted.replace(work)
    }

    /// Removes and returns the queued work.
    pub fn unwant(&mut self) -> Option<W> {
        self.wanted.take()
    }

    /// Starts the queued work, unless something is running. `last` is the last id of any work.
    pub fn start(&mut self, last: &mut WorkId) -> Option<(WorkId, &W)> {
        if self.running.is_some() {
            return None;
        }
        let work = self.wanted.take()?;
        *last = last.next();
        let running = self.running.insert(Running { id: *last, work, is_cancelled: false });
        Some((running.id, &running.work))
    }

    /// Cancels the running work and returns its id, unless it was canceled before. It still counts
    /// as running until it has ended.
    pub fn cancel(&mut self) -> Option<WorkId> {
        let running = self.running.as_mut().filter(|running| !running.is_cancelled)?;
        running.is_cancelled = true;
        Some(running.id)
    }

    /// Marks the running work as ended; `None` if it has another id.
    pub fn end(&mut self, id: WorkId) -> Option<Ended<W>> {
        let Running { work, is_cancelled, .. } =
            self.running.take_if(|running| running.id == id)?;
        Some(Ended { work, was_cancelled: is_cancelled })
    }

    /// Whether work with this id is running and was not canceled. Its results may be used then.
    pub fn is_current(&self, id: WorkId) -> bool {
        self.running.as_ref().is_some_and(|running| running.id == id && !running.is_cancelled)
    }

    /// The id of the running work.
    pub fn running_id(&self) -> Option<WorkId> {
        self.running.as_ref().map(|running| running.id)
    }

    /// The running work.
    pub fn running_mut(&mut self) -> Option<&mut W> {
        self.running.as_mut().map(|running| &mut running.work)
    }

    /// The running work, unless it was canceled.
    pub fn current(&self) -> Option<&W> {
        let running = self.running.as_ref().filter(|running| !running.is_cancelled)?;
        Some(&running.work)
    }

    /// The queued work.
    pub fn wanted(&self) -> Option<&W> {
        self.wanted.as_ref()
    }

    /// Whether work is running.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether a result will come: work is queued, or is running and was not canceled.
    pub fn is_pending(&self) -> bool {
        self.wanted.is_some() || self.running.as_ref().is_some_and(|running| !running.is_cancelled)
    }

    /// Whether no work is running or queued.
    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.wanted.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started<W: Clone>(queue: &mut WorkQueue<W>, last: &mut WorkId) -> Option<(u64, W)> {
        queue.start(last).map(|(id, work)| (id.0, work.clone()))
    }

    #[test]
    fn queued_work_runs_once() {
        let (mut queue, mut last) = (WorkQueue::default(), WorkId(6));
        assert!(queue.is_idle());
        assert_eq!(started(&mut queue, &mut last), None);
        assert_eq!(queue.want("a"), None);
        assert!(!queue.is_idle() && !queue.is_running());
        assert_eq!(started(&mut queue, &mut last), Some((7, "a")));
        assert!(queue.is_running() && queue.is_current(WorkId(7)));
        assert_eq!(started(&mut queue, &mut last), None);
        assert_eq!(queue.end(WorkId(7)), Some(Ended { work: "a", was_cancelled: false }));
        assert!(queue.is_idle());
        assert_eq!(queue.end(WorkId(7)), None);
    }

    #[test]
    fn newer_queued_work_replaces_older() {
        let (mut queue, mut last) = (WorkQueue::default(), WorkId(0));
        queue.want("a");
        started(&mut queue, &mut last);
        assert_eq!(queue.want("b"), None);
        assert_eq!(queue.want("c"), Some("b"));
        assert_eq!(started(&mut queue, &mut last), None);
        queue.end(WorkId(1));
        assert_eq!(started(&mut queue, &mut last), Some((2, "c")));
        queue.end(WorkId(2));
        assert!(queue.is_idle());
    }

    #[test]
    fn removed_work_does_not_start() {
        let (mut queue, mut last) = (WorkQueue::default(), WorkId(0));
        queue.want("a");
        assert_eq!(queue.wanted(), Some(&"a"));
        assert_eq!((queue.unwant(), queue.unwant()), (Some("a"), None));
        assert_eq!(started(&mut queue, &mut last), None);
    }

    #[test]
    fn cancelled_work_counts_as_running_until_it_has_ended() {
        let (mut queue, mut last) = (WorkQueue::default(), WorkId(0));
        assert_eq!(queue.cancel(), None);
        queue.want("a");
        started(&mut queue, &mut last);
        assert!(queue.is_pending());
        assert_eq!((queue.cancel(), queue.cancel()), (Some(WorkId(1)), None));
        assert!(!queue.is_pending() && !queue.is_idle());
        queue.want("b");
        assert!(queue.is_pending());
        assert!(queue.is_running() && !queue.is_current(WorkId(1)));
        assert_eq!(started(&mut queue, &mut last), None);
        assert_eq!(queue.end(WorkId(2)), None);
        assert_eq!(queue.end(WorkId(1)), Some(Ended { work: "a", was_cancelled: true }));
        assert_eq!(started(&mut queue, &mut last), Some((2, "b")));
        assert!(queue.is_current(WorkId(2)));
    }

    #[test]
    fn ids_are_unique_across_queues() {
        let mut last = WorkId(0);
        let (mut one, mut other) = (WorkQueue::default(), WorkQueue::default());
        one.want(());
        other.want(());
        assert_eq!(started(&mut one, &mut last), Some((1, ())));
        assert_eq!(started(&mut other, &mut last), Some((2, ())));
        assert_eq!(one.end(WorkId(2)), None);
    }
}
