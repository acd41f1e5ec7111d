//! Copies of recorded texts in the user's cache folder, which outlive the server.
//!
//! ```text
//! sources/texts/HASH      a text, named by the hash of its bytes
//! sources/profiles/HASH   JSON: { recorded file name: hash of its text }, named by the hash of the
//!                         profile's bytes; also of the source maps of scripts
//! ```
//!
//! Files are written to a temporary file first and then renamed, so that several servers can share
//! the folder. Only the user can read them. A file that is missing or damaged is ignored.

use crate::discovery::stamp::content_hash;
use crate::store::private_files::{File, cache_folder, files, hex, write};
use serde::{Deserialize, Serialize};
use sources::regular_file::{self, MAX_SOURCE};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The maximum size of the folder in bytes. Above it, the profiles that were not shown for the
/// longest time are evicted.
const MAX_BYTES: u64 = 256 << 20;

/// The folder of copies.
#[derive(Debug)]
pub struct Copies {
    texts: PathBuf,
    profiles: PathBuf,
    max_bytes: u64,
}

/// The copies of the texts that one profile was recorded from: the hash of each text by the name of
/// the file in the profile.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Manifest(BTreeMap<String, String>);

/// The copy of a generated script, with its source map if that is another file.
#[derive(Debug)]
pub struct KeptScript {
    /// The script.
    pub text: Arc<str>,
    /// The source map.
    pub map: Option<Arc<str>>,
}

/// The name under which the source map of a script is kept.
pub fn map_name(script: &str) -> String {
    format!("source map of {script}")
}

impl Manifest {
    /// Whether there is a copy of a file, by its name in the profile.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl Copies {
    /// The copies in the user's cache folder. `None` if there is no such folder, or the user
    /// switched it off.
    pub fn of_user() -> Option<Self> {
        Some(Self::new(&cache_folder()?.join("sources")))
    }

    /// The copies in a folder, which need not exist.
    pub fn new(folder: &Path) -> Self {
        let (texts, profiles) = (folder.join("texts"), folder.join("profiles"));
        Self { texts, profiles, max_bytes: MAX_BYTES }
    }

    /// The copies that belong to a profile, given by the hash of its content.
    pub fn manifest(&self, profile: u128) -> Manifest {
        self.read_manifest(profile).unwrap_or_default()
    }

    fn read_manifest(&self, profile: u128) -> Option<Manifest> {
        let path = self.profiles.join(hex(profile));
        let file = fs::File::options().read(true).write(true).open(path).ok()?;
        // Eviction goes by the time of the last use.
        let _ = file.set_modified(SystemTime::now());
        serde_json::from_reader(io::BufReader::new(file)).ok()
    }

    /// The copy of a file, by its name in the profile.
    pub fn text(&self, manifest: &Manifest, name: &str) -> Option<Arc<str>> {
        let hash = manifest.0.get(name)?;
        // A damaged manifest must not name a file elsewhere.
        let is_hash = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = is_hash.then(|| self.texts.join(hash))?;
        let text = regular_file::read_to_string(&path, MAX_SOURCE).ok()?;
        (hex(content_hash(text.as_bytes())) == *hash).then(|| text.into())
    }

    /// The copy of a script, by its name in the profile.
    pub fn script(&self, manifest: &Manifest, name: &str) -> Option<KeptScript> {
        let map = map_name(name);
        let text = self.text(manifest, name)?;
        let kept = self.text(manifest, &map);
        // Without its map, the script is of no use.
        (kept.is_some() || !manifest.has(&map)).then_some(KeptScript { text, map: kept })
    }

    /// Keeps texts by the names of their files in the profile. Does nothing if all of them are kept
    /// already.
    pub fn keep<'a>(
        &self,
        profile: u128,
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> io::Result<()> {
        let mut manifest = self.manifest(profile);
        let mut new = false;
        for (name, text) in texts {
            if manifest.0.contains_key(name) {
                continue;
            }
            let hash = hex(content_hash(text.as_bytes()));
            if !self.texts.join(&hash).exists() {
                write(&self.texts, &hash, text.as_bytes())?;
            }
            manifest.0.insert(name.to_owned(), hash);
            new = true;
        }
        if new {
            let bytes = serde_json::to_vec(&manifest)?;
            write(&self.profiles, &hex(profile), &bytes)?;
            self.evict()?;
        }
        Ok(())
    }

    /// Removes the profiles that were not shown for the longest time until the rest fits, and then
    /// the texts that no profile has.
    fn evict(&self) -> io::Result<()> {
        let (mut texts, mut profiles) = (files(&self.texts)?, files(&self.profiles)?);
        let mut n_bytes: u64 = texts.iter().chain(&profiles).map(|file| file.len).sum();
        if n_bytes <= self.max_bytes {
            return Ok(());
        }
        // The most recent use is last, and is never evicted.
        profiles.sort_by_key(|profile| profile.modified);
        let mut users: Vec<(&File, Manifest)> = Vec::new();
        for profile in &profiles {
            let manifest = fs::read(&profile.path).ok();
            let manifest = manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            users.push((profile, manifest.unwrap_or_default()));
        }
        while n_bytes > self.max_bytes && users.len() > 1 {
            let (profile, _) = users.remove(0);
            let _ = fs::remove_file(&profile.path);
            n_bytes -= profile.len;
            let used: HashSet<&str> = users
                .iter()
                .flat_map(|(_, manifest)| manifest.0.values().map(String::as_str))
                .collect();
            texts.retain(|text| {
                let is_used = text
                    .path
                    .file_name()
                    .is_some_and(|name| name.to_str().is_some_and(|name| used.contains(name)));
                if !is_used {
                    let _ = fs::remove_file(&text.path);
                    n_bytes -= text.len;
                }
                is_used
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn text(copies: &Copies, profile: u128, name: &str) -> Option<String> {
        copies.text(&copies.manifest(profile), name).map(|text| text.as_ref().to_owned())
    }

    #[test]
    fn a_copy_is_found_by_profile_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let copies = Copies::new(&folder.path().join("sources"));
        assert_eq!(text(&copies, 1, "a.py"), None);
        copies.keep(1, [("a.py", "one"), ("b.py", "two")]).unwrap();
        copies.keep(2, [("a.py", "two")]).unwrap();
        // The first text stays.
        copies.keep(1, [("a.py", "three"), ("c.py", "three")]).unwrap();
        let found = |profile, name| text(&copies, profile, name);
        assert_eq!(found(1, "a.py").as_deref(), Some("one"));
        assert_eq!(found(1, "b.py").as_deref(), Some("two"));
        assert_eq!(found(1, "c.py").as_deref(), Some("three"));
        assert_eq!(found(2, "a.py").as_deref(), Some("two"));
        assert_eq!(found(2, "b.py"), None);
        assert_eq!(files(&copies.texts).unwrap().len(), 3, "each text is kept once");
    }

    #[test]
    fn damaged_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let copies = Copies::new(folder.path());
        fs::write(folder.path().join("secret"), "secret").unwrap();
        copies.keep(1, [("a.py", "one")]).unwrap();
        fs::write(&files(&copies.texts).unwrap()[0].path, "other").unwrap();
        assert_eq!(text(&copies, 1, "a.py"), None);
        for manifest in ["{", "[]", r#"{ "a.py": "../secret" }"#, r#"{ "a.py": "0" }"#] {
            fs::write(&files(&copies.profiles).unwrap()[0].path, manifest).unwrap();
            assert_eq!(text(&copies, 1, "a.py"), None, "{manifest}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_copies() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let copies = Copies::new(&folder.path().join("sources"));
        copies.keep(1, [("a.py", "one")]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&copies.texts), 0o700);
        assert_eq!(mode(&files(&copies.texts).unwrap()[0].path), 0o600);
        assert_eq!(mode(&files(&copies.profiles).unwrap()[0].path), 0o600);
    }

    #[test]
    fn profiles_that_were_not_shown_for_the_longest_time_are_evicted() {
        let folder = tempfile::tempdir().unwrap();
        // Room for two profiles: a text of 100 bytes and a manifest of 43 bytes each.
        let copies = Copies { max_bytes: 300, ..Copies::new(folder.path()) };
        let long = |name: &str| name.repeat(100);
        let used = |profile: u128, minutes: u64| {
            let file = fs::File::open(copies.profiles.join(hex(profile))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
        };
        copies.keep(1, [("a.py", long("a").as_str())]).unwrap();
        used(1, 30);
        copies.keep(2, [("a.py", long("b").as_str())]).unwrap();
        used(2, 20);
        copies.keep(3, [("a.py", long("c").as_str())]).unwrap();
        let found = || [1, 2, 3].map(|profile| text(&copies, profile, "a.py").is_some());
        assert_eq!(found(), [false, true, true]);
        // Looking is a use: the second one was used after the third.
        used(3, 10);
        copies.keep(4, [("a.py", long("d").as_str())]).unwrap();
        assert_eq!(found(), [false, true, false]);
        assert_eq!(files(&copies.texts).unwrap().len(), 2);
    }
}
