//! Profiles that several roots show. Each version is read once, because the recording accounts for most
//! of its memory and loading time.
//!
//! A root that already has the profile reads it again when `costline.reload` asks for it.

use answers::{CostSettings, FileVersion, LoadError, Loaded, Settings, SourceSettings, Symbols};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The profiles in memory, by the path of their first file.
#[derive(Debug, Default)]
pub struct SharedProfiles(Mutex<HashMap<PathBuf, Arc<Mutex<Option<Shared>>>>>);

/// A profile that a root has read.
#[derive(Debug)]
struct Shared {
    /// Kept in memory by the roots that show it.
    loaded: Weak<Loaded>,
    settings: ReadSettings,
    /// The roots that have it.
    roots: Vec<Option<PathBuf>>,
}

/// The settings that reading depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSettings {
    max_bytes: u64,
    /// For unwinding.
    symbols: Symbols,
    sources: SourceSettings,
}

impl ReadSettings {
    /// Those among all settings.
    pub fn of(settings: &Settings) -> Self {
        Self::with(settings.max_profile_bytes, settings.costs())
    }

    /// The part of the settings that reading depends on, for a profile that was loaded with `costs`.
    pub fn with(max_bytes: u64, costs: CostSettings) -> Self {
        Self { max_bytes, symbols: costs.symbols, sources: costs.sources }
    }
}

/// The files of a run, read and merged.
#[derive(Debug)]
pub struct ReadRun {
    /// The profile.
    pub loaded: Arc<Loaded>,
    /// The errors of files that could not be read.
    pub failed: Vec<LoadError>,
}

impl SharedProfiles {
    /// The profile that another root has read from these files with the same settings, or else the
    /// result of `read`. Waits if another root is reading it. If this root has the profile already, it
    /// is read again.
    pub fn get(
        &self,
        files: &[FileVersion],
        root: Option<&Path>,
        settings: &Settings,
        read: impl FnOnce() -> Result<ReadRun, LoadError>,
    ) -> Result<ReadRun, LoadError> {
        let path = files.first().map(|file| file.path.clone()).unwrap_or_default();
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Only this map has the slots that are not in use.
            slots.retain(|_, slot| Arc::strong_count(slot) > 1 || is_in_memory(slot));
            slots.entry(path).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let (root, settings) = (root.map(Path::to_owned), ReadSettings::of(settings));
        if let Some(shared) = slot.as_mut()
            && shared.settings == settings
            && !shared.roots.contains(&root)
            && let Some(loaded) = shared.loaded.upgrade()
            && loaded.is_read_from(files)
        {
            shared.roots.push(root);
            return Ok(ReadRun { loaded, failed: Vec::new() });
        }
        let run = read()?;
        // Files that could not be read may be readable when the next root reads them.
        *slot = run.failed.is_empty().then(|| Shared {
            loaded: Arc::downgrade(&run.loaded),
            settings,
            roots: vec![root],
        });
        Ok(run)
    }
}

fn is_in_memory(slot: &Mutex<Option<Shared>>) -> bool {
    let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    slot.as_ref().is_some_and(|shared| shared.loaded.strong_count() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use answers::{FileVersion, Stamp};
    use serde_json::json;
    use std::fs;
    use std::ops::ControlFlow;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A profile on disk, and how often it was read.
    struct Profile {
        folder: tempfile::TempDir,
        n_reads: AtomicUsize,
    }

    impl Profile {
        fn new() -> Self {
            let this = Self { folder: tempfile::tempdir().unwrap(), n_reads: AtomicUsize::new(0) };
            fs::write(this.path(), "main;parse 3\n").unwrap();
            this
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("cpu.folded")
        }

        fn files(&self) -> Vec<FileVersion> {
            let path = self.path();
            let stamp = Stamp::of(&path).unwrap();
            vec![FileVersion { path, stamp, candidate: None }]
        }

        fn read(&self) -> Result<ReadRun, LoadError> {
            self.n_reads.fetch_add(1, Ordering::Relaxed);
            let loaded = Loaded::read(&self.path(), 1000, &mut |_| ControlFlow::Continue(()))?;
            Ok(ReadRun { loaded: Arc::new(loaded), failed: Vec::new() })
        }

        fn get(&self, shared: &SharedProfiles, root: &str, settings: &Settings) -> Arc<Loaded> {
            let (files, root) = (self.files(), Some(Path::new(root)));
            shared.get(&files, root, settings, || self.read()).unwrap().loaded
        }

        fn n_reads(&self) -> usize {
            self.n_reads.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_profile_of_two_roots_is_read_once() {
        let (profile, shared, settings) =
            (Profile::new(), SharedProfiles::default(), Settings::default());
        let api = profile.get(&shared, "api", &settings);
        let web = profile.get(&shared, "web", &settings);
        assert!(Arc::ptr_eq(&api, &web));
        assert_eq!(profile.n_reads(), 1);
    }

    #[test]
    fn roots_that_read_a_profile_at_once_wait_for_the_first() {
        let (profile, shared, settings) =
            (Profile::new(), SharedProfiles::default(), Settings::default());
        let barrier = Barrier::new(8);
        let roots: Vec<String> = (0..8).map(|root| root.to_string()).collect();
        std::thread::scope(|scope| {
            let threads = roots.iter().map(|root| {
                scope.spawn(|| {
                    barrier.wait();
                    profile.get(&shared, root, &settings)
                })
            });
            let threads: Vec<_> = threads.collect();
            // All stay in memory until the last thread has ended.
            let _all: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        });
        assert_eq!(profile.n_reads(), 1);
    }

    #[test]
    fn a_root_that_has_a_profile_reads_it_again() {
        let (profile, shared, settings) =
            (Profile::new(), SharedProfiles::default(), Settings::default());
        let first = profile.get(&shared, "api", &settings);
        let again = profile.get(&shared, "api", &settings);
        assert!(!Arc::ptr_eq(&first, &again));
        assert!(Arc::ptr_eq(&again, &profile.get(&shared, "web", &settings)));
        assert_eq!(profile.n_reads(), 2);
    }

    #[test]
    fn other_versions_and_settings_are_read_again() {
        let (profile, shared, settings) =
            (Profile::new(), SharedProfiles::default(), Settings::default());
        let first = profile.get(&shared, "api", &settings);
        let (smaller, warnings) = Settings::parse(&json!({ "maxProfileBytes": 999 }));
        assert_eq!(warnings, [""; 0]);
        let limited = profile.get(&shared, "web", &smaller);
        assert!(!Arc::ptr_eq(&first, &limited));
        fs::write(profile.path(), "main;parse;hash 3\n").unwrap();
        let rewritten = profile.get(&shared, "lib", &smaller);
        assert!(!Arc::ptr_eq(&limited, &rewritten));
        assert_eq!(profile.n_reads(), 3);
    }

    #[test]
    fn a_profile_that_is_no_longer_in_memory_is_read_again() {
        let (profile, shared, settings) =
            (Profile::new(), SharedProfiles::default(), Settings::default());
        drop(profile.get(&shared, "api", &settings));
        drop(profile.get(&shared, "web", &settings));
        assert_eq!(profile.n_reads(), 2);
    }
}
