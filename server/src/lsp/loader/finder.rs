//! Finds what to read next, and waits until it has settled: looks at the disk, compares with what is
//! shown, and remembers what could not be read.

use super::effect::{Effect, Output};
use super::jobs::Job;
use super::look::{LookRequest, Looked};
use super::next_run::{Search, is_part, next_run, wanted_path};
use super::problems::{Existence, report_foreign, report_unreadable, withdraw_outdated};
use super::refused::Refused;
use super::target::{ClosedFiles, Target};
use super::work_queue::{WorkId, WorkQueue};
use engine::discovery::FileVersion;
use engine::load::Missing;
use engine::stages::loaded::LoadError;
use engine::stamp::Stamp;
use formats::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often files that have not settled are looked at.
const PACE: Duration = Duration::from_millis(50);
/// Changes of files come in bursts; one look is for a burst.
const BURST: Duration = Duration::from_millis(20);

/// The files of a run that have settled.
#[derive(Debug, Clone)]
pub struct ToRead {
    /// At least one.
    pub files: Vec<FileVersion>,
    /// What becomes of the run when one cannot be read.
    pub missing: Missing,
}

/// Finds what to read next.
#[derive(Debug, Default)]
pub struct Finder {
    /// If a look is wanted while another one runs, that one is for other settings, roots or picks.
    looks: WorkQueue<()>,
    /// When to look if nothing asks for it before.
    look_at: Option<Instant>,
    /// The user wants what is shown to be read again, even if nothing has changed.
    rereads: bool,
    search: Search,
    target: Option<Target>,
    closed: ClosedFiles,
    refused: Refused,
    existence: Existence,
}

impl Finder {
    /// Settings, roots or the pick have changed.
    pub fn look_again(&mut self) {
        self.looks.want(());
    }

    /// Files may have changed.
    pub fn look_soon(&mut self, now: Instant) {
        self.look_by(now + BURST);
    }

    fn look_by(&mut self, time: Instant) {
        self.look_at = Some(self.look_at.map_or(time, |at| at.min(time)));
    }

    /// When to look if nothing asks for it before.
    pub fn next_look(&self) -> Option<Instant> {
        self.look_at.filter(|_| !self.looks.is_running())
    }

    /// Whether there is nothing to look at and nothing to wait for.
    pub fn is_idle(&self) -> bool {
        self.looks.is_idle() && self.target.is_none()
    }

    /// Reads again what is shown, and what could not be read.
    pub fn reread(&mut self) {
        self.refused.clear();
        self.rereads = true;
        self.look_again();
    }

    /// The user wants this profile, even if it could not be read before.
    pub fn pick(&mut self, path: &Path) {
        self.refused.remove(path);
        self.search = Search::Newer;
        self.look_again();
    }

    /// The user has withdrawn a pick.
    pub fn unpick(&mut self) {
        self.search = Search::Newest;
        self.look_again();
    }

    /// Files were closed by their writers.
    pub fn closed(&mut self, files: Vec<Stamp>, now: Instant) {
        for file in files {
            self.closed.push(file);
        }
        self.look_soon(now);
    }

    /// Starts a look if one is due.
    pub fn start<A>(&mut self, output: &mut Output<A>, last: &mut WorkId, now: Instant) {
        if !self.looks.is_running() && self.look_at.take_if(|at| *at <= now).is_some() {
            self.look_again();
        }
        let Some((id, ())) = self.looks.start(last) else { return };
        let world = output.world();
        let request = LookRequest {
            roots: world.roots.clone(),
            settings: world.settings.clone(),
            wanted: wanted_path(world),
            shown: world.snapshot().map_or_else(Vec::new, |shown| shown.loaded.files.clone()),
            target: self.target.as_ref().map_or_else(Vec::new, |target| target.files.clone()),
            problems: world.problems.iter().map(|(path, _)| path.clone()).collect(),
        };
        output.push(Effect::Start(id, Job::Look(request)));
    }

    /// A look has ended; `None` if it failed. Gives what is to be read now.
    pub fn looked<A>(
        &mut self,
        output: &mut Output<A>,
        id: WorkId,
        looked: Option<&Looked>,
        now: Instant,
    ) -> Option<ToRead> {
        self.looks.end(id)?;
        if self.looks.wanted().is_some() {
            return None;
        }
        let rereads = std::mem::take(&mut self.rereads);
        let looked = looked?;
        output.push(Effect::Watch(looked.folders.clone()));
        if looked.candidates != output.world().candidates {
            output.publish(|world| world.candidates.clone_from(&looked.candidates));
        }
        report_foreign(output, looked, &mut self.refused);
        self.existence.update(output, looked, now);
        self.aim(output, looked, now);
        withdraw_outdated(output, looked, &self.refused);
        let settling = self.target.as_ref().map(|_| now + PACE);
        for time in settling.into_iter().chain(self.existence.next_look()) {
            self.look_by(time);
        }
        if rereads && !looked.shown.is_empty() {
            return Some(ToRead { files: looked.shown.clone(), missing: Missing::Refuse });
        }
        self.settled(output, looked, now)
    }

    /// Decides which files are read next.
    fn aim<A>(&mut self, output: &Output<A>, looked: &Looked, now: Instant) {
        let next = next_run(output.world(), looked, self.search, &self.refused);
        if next.is_none() {
            self.search = Search::Newer;
        }
        if self.target.as_ref().map(|target| &target.files) != next.as_ref() {
            self.target = next.map(|files| Target::new(files, now));
        }
    }

    /// The target, once it has settled.
    fn settled<A>(&self, output: &Output<A>, looked: &Looked, now: Instant) -> Option<ToRead> {
        let target = self.target.as_ref()?;
        let has_settled = target.has_settled(&looked.endings, &self.closed, now);
        has_settled.then(|| {
            let shown = output.world().snapshot();
            let is_shown = shown.is_some_and(|shown| is_part(&shown.loaded, &target.files));
            ToRead { files: target.files.clone(), missing: target.missing(is_shown, now) }
        })
    }

    /// A profile was read.
    pub fn was_read(&mut self, path: &Path, now: Instant) {
        self.target = None;
        self.search = Search::Newer;
        self.existence = Existence::Exists;
        self.refused.remove(path);
        self.look_soon(now);
    }

    /// The user gives up files that are being read.
    pub fn give_up(&mut self, files: Vec<FileVersion>) {
        self.target = None;
        self.refused.insert(files);
    }

    /// Files could not be read, which took `took`. They are read again if they may still be
    /// written; if not, they are reported and refused. Gives whether that was the end of it.
    pub fn was_not_read<A>(
        &mut self,
        output: &mut Output<A>,
        files: Vec<FileVersion>,
        error: &LoadError,
        took: Duration,
        now: Instant,
    ) -> bool {
        self.look_soon(now);
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
        report_unreadable(output, error);
        self.refused.insert(files);
        true
    }
}
