//! Profiles that are no longer shown or compared with. They stay in memory as read, so that showing
//! them again reads nothing: for `evictAfterMinutes`, the last four of each root.
//!
//! They are used again if neither a file nor a setting that affects reading has changed since.
//! Everything that depends on sources, symbols and settings is computed again, as after reading.

use super::shared::ReadSettings;
use answers::{Candidate, FileVersion, Loaded, Settings, Snapshot, World};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of inactive profiles.
const MAX_PROFILES: usize = 4;

/// The inactive profiles of a root, as read. Views, symbols and mappings are computed again.
#[derive(Debug, Default)]
pub struct Inactive {
    /// The profile that became inactive last is the last one.
    profiles: Vec<Kept>,
    /// The profiles that the world shows or compares with, which are never evicted.
    active: Vec<Read>,
    /// How long a profile is kept. `None` for ever.
    lifetime: Option<Duration>,
}

#[derive(Debug)]
struct Kept {
    read: Read,
    /// When it became inactive.
    since: Instant,
}

/// A profile, and the settings with which it was read.
#[derive(Debug, Clone)]
struct Read {
    loaded: Arc<Loaded>,
    settings: ReadSettings,
}

impl Read {
    /// The profile of a snapshot that was just read. The settings may have changed meanwhile.
    fn new(snapshot: &Snapshot, max_bytes: u64) -> Self {
        let settings = ReadSettings::with(max_bytes, snapshot.settings.clone());
        Self { loaded: snapshot.loaded.clone(), settings }
    }
}

impl Inactive {
    /// Keeps the profiles that `world` no longer shows or compares with, and evicts old ones.
    pub fn update(&mut self, world: &World, now: Instant) {
        let minutes = u64::from(world.settings.evict_after_minutes);
        self.lifetime = (minutes > 0).then(|| Duration::from_secs(60 * minutes));
        let baseline = world.baseline.iter().map(|baseline| &baseline.snapshot);
        let max_bytes = world.settings.max_profile_bytes;
        let active = world.shown.iter().chain(baseline).map(|snapshot| {
            let known = self.all().find(|read| Arc::ptr_eq(&read.loaded, &snapshot.loaded));
            known.cloned().unwrap_or_else(|| Read::new(snapshot, max_bytes))
        });
        let active = active.collect();
        for before in std::mem::replace(&mut self.active, active) {
            // A run of which files could not be read is read again, in case they can be read then.
            if !has_problem(&before.loaded, world) {
                self.profiles.retain(|kept| !have_same_file(&kept.read.loaded, &before.loaded));
                self.profiles.push(Kept { read: before, since: now });
            }
        }
        // Also removes older versions of active profiles.
        let active = &self.active;
        self.profiles.retain(|kept| {
            !active.iter().any(|active| have_same_file(&active.loaded, &kept.read.loaded))
        });
        let n_excess = self.profiles.len().saturating_sub(MAX_PROFILES);
        self.profiles.drain(..n_excess);
        let lifetime = self.lifetime;
        self.profiles.retain(|kept| lifetime.is_none_or(|lifetime| now < kept.since + lifetime));
    }

    /// Keeps a profile that was just read, unless it is active.
    pub fn add(&mut self, snapshot: &Snapshot, max_bytes: u64, now: Instant) {
        let loaded = &snapshot.loaded;
        if !self.active.iter().any(|active| have_same_file(&active.loaded, loaded)) {
            self.profiles.retain(|kept| !have_same_file(&kept.read.loaded, loaded));
            self.profiles.push(Kept { read: Read::new(snapshot, max_bytes), since: now });
        }
    }

    /// Evicts all profiles, because there is no memory for another one. `false` if there were none.
    pub fn evict_all(&mut self) -> bool {
        let had_any = !self.profiles.is_empty();
        self.profiles.clear();
        had_any
    }

    /// Evicts profiles whose files or companions were rewritten.
    pub fn evict_rewritten(&mut self, candidates: &[Candidate]) {
        self.profiles.retain(|kept| {
            let loaded = &kept.read.loaded;
            let files = &loaded.files;
            candidates
                .iter()
                .filter(|candidate| files.iter().any(|(path, _)| *path == candidate.path))
                .all(|candidate| loaded.has_read(&FileVersion::from(candidate.clone())))
        });
    }

    /// The time of the next eviction.
    pub fn next_eviction(&self) -> Option<Instant> {
        let first = self.profiles.iter().map(|kept| kept.since).min()?;
        Some(first + self.lifetime?)
    }

    /// The profile, active or not, that was read from exactly these versions of these files, with
    /// the same settings.
    pub fn find(&self, files: &[FileVersion], settings: &Settings) -> Option<Arc<Loaded>> {
        self.read_with(settings).into_iter().find(|loaded| loaded.is_read_from(files))
    }

    /// The profiles in memory, active or not, that were read with the same settings.
    pub fn read_with(&self, settings: &Settings) -> Vec<Arc<Loaded>> {
        let settings = ReadSettings::of(settings);
        let same = self.all().filter(|read| read.settings == settings);
        same.map(|read| read.loaded.clone()).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Read> {
        self.profiles.iter().map(|kept| &kept.read).chain(&self.active)
    }
}

fn has_problem(loaded: &Loaded, world: &World) -> bool {
    let mut problems = world.problems.iter();
    problems.any(|(path, _)| loaded.files.iter().any(|(file, _)| file == path))
}

fn have_same_file(a: &Loaded, b: &Loaded) -> bool {
    a.files.iter().any(|(path, _)| b.files.iter().any(|(other, _)| other == path))
}
