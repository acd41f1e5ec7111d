//! Profiles that are no longer shown or compared with. They stay in memory for a while, so that
//! showing them again reads nothing, and are then evicted.

use engine::discovery::{Candidate, FileVersion};
use engine::stages::loaded::Loaded;
use engine::world::World;
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
    active: Vec<Arc<Loaded>>,
    /// How long a profile is kept. `None` for ever.
    lifetime: Option<Duration>,
}

#[derive(Debug)]
struct Kept {
    loaded: Arc<Loaded>,
    /// When it became inactive.
    since: Instant,
}

impl Inactive {
    /// Keeps the profiles that `world` no longer shows or compares with, and evicts old ones.
    pub fn update(&mut self, world: &World, now: Instant) {
        let minutes = u64::from(world.settings.evict_after_minutes);
        self.lifetime = (minutes > 0).then(|| Duration::from_secs(60 * minutes));
        let baseline = world.baseline.iter().map(|baseline| &baseline.snapshot);
        let active = world.active.iter().chain(baseline).map(|snapshot| snapshot.loaded.clone());
        for before in std::mem::replace(&mut self.active, active.collect()) {
            // A run of which files could not be read is read again, in case they can be read then.
            if !has_problem(&before, world) {
                self.profiles.retain(|kept| !have_same_file(&kept.loaded, &before));
                self.profiles.push(Kept { loaded: before, since: now });
            }
        }
        // Also removes older versions of active profiles.
        let active = &self.active;
        self.profiles
            .retain(|kept| !active.iter().any(|active| have_same_file(active, &kept.loaded)));
        let n_excess = self.profiles.len().saturating_sub(MAX_PROFILES);
        self.profiles.drain(..n_excess);
        let lifetime = self.lifetime;
        self.profiles.retain(|kept| lifetime.is_none_or(|lifetime| now < kept.since + lifetime));
    }

    /// Evicts profiles whose files or companions were rewritten.
    pub fn evict_rewritten(&mut self, candidates: &[Candidate]) {
        self.profiles.retain(|kept| {
            let files = &kept.loaded.files;
            candidates
                .iter()
                .filter(|candidate| files.iter().any(|(path, _)| *path == candidate.path))
                .all(|candidate| kept.loaded.has_read(&FileVersion::from(candidate.clone())))
        });
    }

    /// The time of the next eviction.
    pub fn next_eviction(&self) -> Option<Instant> {
        let first = self.profiles.iter().map(|kept| kept.since).min()?;
        Some(first + self.lifetime?)
    }

    /// The profile, active or not, that was read from exactly these versions of these files.
    pub fn find(&self, files: &[FileVersion]) -> Option<Arc<Loaded>> {
        self.all().find(|loaded| loaded.is_read_from(files)).cloned()
    }

    /// All profiles in memory.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.profiles.iter().map(|kept| &kept.loaded).chain(&self.active)
    }
}

fn has_problem(loaded: &Loaded, world: &World) -> bool {
    let mut problems = world.problems.iter();
    problems.any(|(path, _)| loaded.files.iter().any(|(file, _)| file == path))
}

fn have_same_file(a: &Loaded, b: &Loaded) -> bool {
    a.files.iter().any(|(path, _)| b.files.iter().any(|(other, _)| other == path))
}
