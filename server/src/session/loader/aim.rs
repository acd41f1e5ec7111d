//! Which files are read next, and when: the run that the user picked or else the newest one, once its files have settled.

use super::{Loader, PATIENCE};
use crate::session::discovery::{Candidate, Content, Written, has_end, sniff};
use crate::session::runs::{around, goes_with, runs};
use crate::session::snapshot::{Loaded, Stamp};
use crate::session::work::{Input, Missing};
use crate::session::world::World;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// A file must have been as it is for this long before it is read.
const SETTLED: Duration = Duration::from_millis(150);
/// And for this long where nothing in the format says that it is complete.
const QUIET: Duration = Duration::from_secs(1);

/// The files of a run that are to be shown once they have settled.
pub(super) struct Target {
    pub(super) files: Vec<Written>,
    /// When these writings were first seen.
    pub(super) since: Instant,
    /// Not to be read before.
    pub(super) not_before: Instant,
}

impl Loader {
    /// The profile that the user wants, by command or else by setting.
    pub(super) fn wanted_path(world: &World) -> Option<PathBuf> {
        let setting = world.config.profile.as_ref().map(|path| world.in_root(path));
        world.pick.clone().or(setting)
    }

    /// Decides which writings of which files are to be read next.
    pub(super) async fn aim(&mut self) {
        let world = self.world();
        let active = world.snapshot().map(|snapshot| &snapshot.loaded);
        let deleted = active.is_some_and(|active| active.files.iter().any(|(path, _)| !path.exists()));
        if deleted != world.deleted {
            self.publish(|world| world.deleted = deleted);
            self.missed_since = deleted.then(Instant::now);
        }

        let next = if let Some(path) = Self::wanted_path(&world) {
            self.run_of(&world, &path).filter(|run| !is_shown(&world, run))
        } else {
            let unpicked = self.unpicked;
            let is_news = |run: &Vec<Written>| match active {
                None => true,
                _ if unpicked => true,
                Some(active) if is_part(active, run) => !is_shown(&world, run),
                Some(active) => newest(run) > Some(active.stamp.modified),
            };
            let mut news: Vec<_> = runs(&world.candidates).into_iter().map(|run| self.with_shown(&world, &run)).collect();
            // What is shown is a profile even when its bytes do not say so at the moment.
            if let Some(active) = active.filter(|active| !unpicked && !news.iter().any(|run| is_part(active, run))) {
                news.push(self.recognised.as_they_are(&active.files));
            }
            news.retain(|run| !run.is_empty() && is_news(run));
            news.sort_by_key(|run| Reverse(newest(run)));
            let newest = news.into_iter().find(|run| !self.is_refused(run));
            // Only without a pick: the one shown was the newest all the time.
            newest.filter(|run| !is_shown(&world, run))
        };
        self.unpicked &= next.is_some();
        let next = next.filter(|run| !self.is_refused(run));
        if self.target.as_ref().map(|target| &target.files) != next.as_ref() {
            let now = Instant::now();
            self.target = next.map(|files| Target { files, since: now, not_before: now + SETTLED });
        }
        self.withdraw_problems(&world).await;
    }

    pub(super) fn is_refused(&self, run: &[Written]) -> bool {
        run.first().and_then(|first| self.refused.get(&first.path)).is_some_and(|refused| refused == run)
    }

    /// The run that a file is of, whether or not it was found; `None` if there is no such file.
    pub(super) fn run_of(&mut self, world: &World, path: &Path) -> Option<Vec<Written>> {
        let run = runs(&world.candidates).into_iter().find(|run| run.iter().any(|file| file.path == path));
        if let Some(run) = run {
            return Some(self.with_shown(world, &run));
        }
        let around = around(path, &mut self.recognised);
        if around.is_empty() {
            let stamp = Stamp::of(path).ok()?;
            return Some(vec![Written { path: path.to_owned(), stamp, candidate: None }]);
        }
        Some(self.with_shown(world, &around.iter().collect::<Vec<_>>()))
    }

    /// A run, and if it is the one shown, its files that are no profiles at the moment or that others were written long after.
    fn with_shown(&mut self, world: &World, run: &[&Candidate]) -> Vec<Written> {
        let mut files: Vec<_> = run.iter().map(|&file| Written::from(file.clone())).collect();
        if let Some(shown) = world.snapshot().filter(|shown| is_part(&shown.loaded, &files)) {
            for file in self.recognised.as_they_are(&shown.loaded.files) {
                let goes_with = file.candidate.as_ref().is_none_or(|file| goes_with(run, file));
                if goes_with && !files.iter().any(|known| known.path == file.path) {
                    files.push(file);
                }
            }
        }
        files
    }

    /// Starts what is due: the target if it has settled, else seeing anew what is shown.
    pub(super) fn fire(&mut self) {
        if let Some(target) = self.target.as_ref().filter(|target| self.has_settled(target)) {
            // The last good state is better than a part of the run; a part of it is better than nothing.
            let shown = self.world().snapshot().is_some_and(|shown| is_part(&shown.loaded, &target.files));
            let missing = if shown || target.since.elapsed() < PATIENCE { Missing::Refuse } else { Missing::Allow };
            let files = target.files.clone();
            self.start(files, missing);
        } else if self.outdated {
            // Nobody waits for a file that is still being written.
            match self.world().snapshot() {
                Some(snapshot) => {
                    let loaded = snapshot.loaded.clone();
                    self.spawn(None, &loaded.path.clone(), move |_| Ok(Input::Shown(loaded)));
                }
                None => self.outdated = false,
            }
        }
    }

    fn has_settled(&self, target: &Target) -> bool {
        let now = Instant::now();
        if now < target.not_before {
            return false;
        }
        let waited = now - target.since;
        target.files.iter().all(|file| match file.format().map(Content::Profile).or_else(|| sniff(&file.path)) {
            Some(Content::Foreign(_)) => true,
            Some(Content::Profile(format)) if format.has_end() => waited >= PATIENCE || has_end(&file.path, format),
            // Its writer has closed it after a whole line, or says no more: then the last line counts as it is.
            Some(Content::Profile(format)) => {
                waited >= QUIET || (self.closed.contains(&file.stamp) && has_end(&file.path, format))
            }
            // Cannot be anything yet; if it stays so, reading it will say why.
            None => waited >= PATIENCE,
        })
    }
}

/// Whether files are of the run that is shown.
pub(super) fn is_part(shown: &Loaded, run: &[Written]) -> bool {
    run.iter().any(|file| shown.files.iter().any(|(path, _)| *path == file.path))
}

/// Whether nothing of a run is new.
pub(super) fn is_shown(world: &World, run: &[Written]) -> bool {
    let shown = world.snapshot().map(|shown| &shown.loaded.files);
    shown.is_some_and(|shown| run.iter().all(|file| shown.iter().any(|known| (&known.0, known.1) == (&file.path, file.stamp))))
}

/// When the last of its files was written.
pub(super) fn newest(run: &[Written]) -> Option<SystemTime> {
    run.iter().map(|file| file.stamp.modified).max()
}
