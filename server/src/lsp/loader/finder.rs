//! Finds the files to read next and waits until they have settled: scans the disk, compares the
//! result with what is shown, and remembers files that could not be read.

use super::effect::{Effect, Output};
use super::inactive::Inactive;
use super::jobs::Job;
use super::next_run::{Search, is_part, next_run};
use super::problems::{
    Existence, clear_outdated, log_unreadable, report_absent, report_foreign, report_missing,
};
use super::refused::Refused;
use super::scan::{ScanRequest, Scanned};
use super::target::{ClosedFiles, Target};
use super::work_queue::{WorkId, WorkQueue};
use answers::{ErrorKind, Extent, FileVersion, LoadError, Loaded, Missing, Stamp};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between scans while files settle.
const SETTLING_INTERVAL: Duration = Duration::from_millis(50);
/// The time from an event to the scan, so that one scan handles a burst of events.
const DEBOUNCE: Duration = Duration::from_millis(20);

/// The files of a run that have settled.
#[derive(Debug, Clone)]
pub struct ToRead {
    /// The files, at least one.
    pub files: Vec<FileVersion>,
    /// How much of the files to read.
    pub extent: Extent,
    /// What to do if a file of the run cannot be read.
    pub missing: Missing,
    /// The content of the files, if it is still in memory.
    pub in_memory: Option<Arc<Loaded>>,
}

/// Finds the files to read next.
#[derive(Debug, Default)]
pub struct Finder {
    /// A scan is wanted while another one runs if settings, roots or the pick have changed since.
    scans: WorkQueue<()>,
    /// The time of the next scan, unless an event requires an earlier one.
    scan_at: Option<Instant>,
    /// Whether to read the shown profile again, even if it has not changed.
    rereads: bool,
    search: Search,
    target: Option<Target>,
    closed: ClosedFiles,
    refused: Refused,
    existence: Existence,
}

impl Finder {
    /// Requests a scan, because settings, roots or the pick have changed.
    pub fn scan_again(&mut self) {
        self.scans.want(());
    }

    /// Requests a scan soon, because files may have changed.
    pub fn scan_soon(&mut self, now: Instant) {
        self.scan_by(now + DEBOUNCE);
    }

    fn scan_by(&mut self, time: Instant) {
        self.scan_at = Some(self.scan_at.map_or(time, |at| at.min(time)));
    }

    /// The time of the next scan, unless an event requires an earlier one.
    pub fn next_scan(&self) -> Option<Instant> {
        self.scan_at.filter(|_| !self.scans.is_running())
    }

    /// Whether no scan is running or wanted and no file is settling.
    pub fn is_idle(&self) -> bool {
        self.scans.is_idle() && self.target.is_none()
    }

    /// Reads the shown profile again, and all files that could not be read.
    pub fn reread(&mut self) {
        self.refused.clear();
        self.rereads = true;
        self.scan_again();
    }

    /// Handles that the user picks profiles. They are read even if that failed before.
    pub fn pick(&mut self, paths: &[PathBuf]) {
        for path in paths {
            self.refused.remove(path);
        }
        self.search = Search::Newer;
        self.scan_again();
    }

    /// Handles that the user removes the pick.
    pub fn unpick(&mut self) {
        self.search = Search::Newest;
        self.scan_again();
    }

    /// Handles that files were closed after writing.
    pub fn closed(&mut self, files: Vec<Stamp>, now: Instant) {
        for file in files {
            self.closed.push(file);
        }
        self.scan_soon(now);
    }

    /// Starts a scan if one is due.
    pub fn start<A>(&mut self, output: &mut Output<A>, last: &mut WorkId, now: Instant) {
        if !self.scans.is_running() && self.scan_at.take_if(|at| *at <= now).is_some() {
            self.scan_again();
        }
        let Some((id, ())) = self.scans.start(last) else { return };
        let world = output.world();
        let request = ScanRequest {
            roots: world.root.as_ref().map_or(world.roots.clone(), |root| vec![root.clone()]),
            workspace: world.roots.clone(),
            settings: world.settings.clone(),
            wanted: world.wanted_paths(),
            shown: world.snapshot().map_or_else(Vec::new, |shown| shown.loaded.files.clone()),
            target: self.target.as_ref().map_or_else(Vec::new, |target| target.files.clone()),
            problems: world.problems.iter().map(|(path, _)| path.clone()).collect(),
            unread_baseline: world
                .settings
                .baseline
                .as_ref()
                .filter(|_| world.baseline_problem.is_some())
                .map(|path| world.in_root(path)),
        };
        output.push(Effect::Start(id, Job::Scan(request)));
    }

    /// Handles the result of a scan (`None` if it failed) and returns the files to read now.
    pub fn scanned<A>(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        scanned: Option<&Scanned>,
        inactive: &Inactive,
        now: Instant,
    ) -> Option<ToRead> {
        self.scans.end(id)?;
        if self.scans.wanted().is_some() {
            return None;
        }
        let rereads = std::mem::take(&mut self.rereads);
        let scanned = scanned?;
        output.push(Effect::Watch(scanned.folders.clone()));
        if scanned.candidates != output.world().candidates {
            output.publish(|world| world.candidates.clone_from(&scanned.candidates));
        }
        report_foreign(output, scanned, &mut self.refused);
        report_missing(output, scanned);
        report_absent(output, scanned);
        self.existence.update(output, scanned, now);
        self.update_target(output, scanned, now);
        clear_outdated(output, scanned, &self.refused);
        let settling = self.target.as_ref().map(|_| now + SETTLING_INTERVAL);
        for time in settling.into_iter().chain(self.existence.next_scan()) {
            self.scan_by(time);
        }
        if rereads && !scanned.shown.is_empty() {
            return Some(ToRead {
                files: scanned.shown.clone(),
                extent: Extent::Whole,
                missing: Missing::Refuse,
                in_memory: None,
            });
        }
        self.in_memory(output, inactive).or_else(|| self.settled(output, scanned, now))
    }

    /// Decides which files to read next.
    fn update_target<A>(&mut self, output: &Output<A>, scanned: &Scanned, now: Instant) {
        let next = next_run(output.world(), scanned, self.search, &self.refused);
        if next.is_none() {
            self.search = Search::Newer;
        }
        if self.target.as_ref().map(|target| &target.files) == next.as_ref() {
            return;
        }
        let follow = output.world().settings.follow;
        if let (Some(target), Some(files), true) = (&mut self.target, &next, follow)
            && target.grow_to(files, now)
        {
            return;
        }
        self.target = next.map(|files| Target::new(files, now));
    }

    /// The files of the target, if they are still in memory. They had settled when they were read.
    fn in_memory<A>(&self, output: &Output<A>, inactive: &Inactive) -> Option<ToRead> {
        let files = &self.target.as_ref()?.files;
        let in_memory = Some(inactive.find(files, &output.world().settings)?);
        let extent = Extent::Whole;
        Some(ToRead { files: files.clone(), extent, missing: Missing::Refuse, in_memory })
    }

    /// The files of the target, if they have settled.
    fn settled<A>(&self, output: &Output<A>, scanned: &Scanned, now: Instant) -> Option<ToRead> {
        let target = self.target.as_ref()?;
        if !target.has_settled(&scanned.endings, &self.closed, now) {
            return None;
        }
        let (world, files) = (output.world(), target.files.clone());
        let follow = world.settings.follow && target.is_growing(&self.closed, now);
        let extent = if follow { Extent::Growing } else { Extent::Whole };
        // A shown run stays as it is if one of its files cannot be read.
        let is_shown = world.snapshot().is_some_and(|shown| is_part(&shown.loaded, &files));
        let may_miss = !is_shown && target.is_overdue(now);
        let missing = if may_miss { Missing::Allow } else { Missing::Refuse };
        Some(ToRead { files, extent, missing, in_memory: None })
    }

    /// Handles that a profile was read.
    pub fn was_read(&mut self, path: &Path, now: Instant) {
        self.target = None;
        self.search = Search::Newer;
        self.existence = Existence::Exists;
        self.refused.remove(path);
        self.scan_soon(now);
    }

    /// Handles that the user cancels the load of these files.
    pub fn give_up(&mut self, files: Vec<FileVersion>) {
        self.target = None;
        self.refused.insert(files);
    }

    /// Handles that files could not be read, after `took`. If they may still be written, they are
    /// read again later. Otherwise the error is logged, the files are not read again, and the
    /// result is `true`.
    pub fn was_not_read<A>(
        &mut self,
        output: &mut Output<A>,
        files: Vec<FileVersion>,
        error: &LoadError,
        took: Duration,
        now: Instant,
    ) -> bool {
        self.scan_soon(now);
        let may_be_unfinished = match error.kind() {
            Some(ErrorKind::Truncated | ErrorKind::Malformed | ErrorKind::Unrecognised) => true,
            Some(ErrorKind::Cancelled) => return true,
            _ => files.len() > 1,
        };
        let target = self.target.as_mut().filter(|target| target.files == files);
        if target.is_some_and(|target| may_be_unfinished && target.retry(took, now)) {
            return false;
        }
        self.target = None;
        log_unreadable(output, error);
        self.refused.insert(files);
        true
    }
}
