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
use super::target::Target;
use super::work_queue::{WorkId, WorkQueue};
use super::writers::{Writers, Writes};
use answers::{ErrorKind, Extent, FileVersion, LoadError, Loaded, Missing};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// The files that were read last.
    last: Option<Target>,
    /// Whether they were read before they had settled, because the user asked for it.
    is_early: bool,
    /// The file that is shown as being written.
    waits_for: Option<PathBuf>,
    writers: Writers,
    refused: Refused,
    existence: Existence,
}

impl Finder {
    /// Ends the display of what is awaited.
    pub fn close<A>(&mut self, output: &mut Output<A>) {
        output.extend(self.waits_for.take().map(Effect::StopWaiting));
    }

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

    /// Handles what the system reported about those who write files.
    pub fn written(&mut self, files: Writes, now: Instant) {
        self.writers.add(files, now);
        self.scan_soon(now);
    }

    /// The files that must settle: those to read next, or those that were read too early.
    fn settling(&self) -> Option<&Target> {
        self.target.as_ref().or(self.last.as_ref().filter(|_| self.is_early))
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
            target: self.settling().map_or_else(Vec::new, |target| target.files.clone()),
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
        let settling = self.settling().map(|target| now + target.interval(&self.writers, now));
        for time in settling.into_iter().chain(self.existence.next_scan()) {
            self.scan_by(time);
        }
        let to_read = if rereads {
            self.at_once(output, scanned, now)
        } else {
            let to_read = self.in_memory(output, inactive);
            let to_read = to_read.or_else(|| self.settled(output, scanned, now));
            self.is_early &= to_read.is_none();
            to_read
        };
        let waits_for = self
            .target
            .as_ref()
            .filter(|target| to_read.is_none() && target.is_being_written(&self.writers, now));
        let waits_for = waits_for.and_then(|target| Some(target.files.first()?.path.clone()));
        if waits_for != self.waits_for {
            output.extend(self.waits_for.take().map(Effect::StopWaiting));
            output.extend(waits_for.clone().map(Effect::Wait));
            self.waits_for = waits_for;
        }
        // Files that were deleted have no ending, and become no more complete.
        let is_final = scanned.endings.is_empty() || self.has_settled(output, scanned, now);
        if self.is_early && self.target.is_none() && is_final {
            self.is_early = false;
            output.publish(|world| {
                world.incomplete = false;
                world.revision += 1;
            });
        }
        to_read
    }

    /// Whether the files that must settle have.
    fn has_settled<A>(&self, output: &Output<A>, scanned: &Scanned, now: Instant) -> bool {
        let (follow, endings) = (output.world().settings.follow, &scanned.endings);
        let settling = self.settling();
        settling.is_some_and(|target| target.has_settled(endings, &self.writers, follow, now))
    }

    /// The files to read because the user asks for it: the next ones, even if they are still being
    /// written, or else those shown.
    fn at_once<A>(
        &mut self,
        output: &Output<A>,
        scanned: &Scanned,
        now: Instant,
    ) -> Option<ToRead> {
        let next = self.target.as_ref().map(|target| target.files.clone());
        let is_settling = self.settling().is_some();
        self.is_early = is_settling && !self.has_settled(output, scanned, now);
        let files = next.unwrap_or_else(|| scanned.shown.clone());
        let (extent, missing) = (Extent::Whole, Missing::Refuse);
        (!files.is_empty()).then_some(ToRead { files, extent, missing, in_memory: None })
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
        let before = self.target.as_ref().or(self.last.as_ref());
        self.target = next.map(|files| Target::new(files, before, now));
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
        if !self.has_settled(output, scanned, now) {
            return None;
        }
        let (world, files) = (output.world(), target.files.clone());
        let follow = world.settings.follow && target.is_growing(&self.writers, now);
        let extent = if follow { Extent::Growing } else { Extent::Whole };
        // A shown run stays as it is if one of its files cannot be read.
        let is_shown = world.snapshot().is_some_and(|shown| is_part(&shown.loaded, &files));
        let may_miss = !is_shown && target.is_overdue(now);
        let missing = if may_miss { Missing::Allow } else { Missing::Refuse };
        Some(ToRead { files, extent, missing, in_memory: None })
    }

    /// Handles that a profile was read.
    pub fn was_read<A>(&mut self, output: &mut Output<A>, path: &Path, now: Instant) {
        self.last = self.target.take().or(self.last.take());
        output.publish(|world| world.incomplete = self.is_early);
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
        self.is_early = output.world().incomplete;
        let may_be_unfinished = match error.kind() {
            Some(ErrorKind::Truncated | ErrorKind::Malformed | ErrorKind::Unrecognised) => true,
            Some(ErrorKind::Cancelled) => return true,
            _ => files.len() > 1,
        };
        let target = self.target.as_mut().filter(|target| target.files == files);
        let writers = &self.writers;
        if target.is_some_and(|target| may_be_unfinished && target.retry(took, writers, now)) {
            return false;
        }
        self.target = None;
        log_unreadable(output, error);
        self.refused.insert(files);
        true
    }
}
