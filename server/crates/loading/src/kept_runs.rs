//! Copies of profiles in the user's state folder, to compare a run with the run before it.
//!
//! ```text
//! runs/SERIES/TIME-HASH/meta.json     a `Meta`
//! runs/SERIES/TIME-HASH/files/N/NAME  a file of the run, or a companion of it
//! ```
//!
//! SERIES is the hash of the workspace folder and of the path of the profile, in which a sequence of
//! digits stands for any other: profiles whose names differ in numbers are runs of one program. TIME
//! is when the run was written, in milliseconds since 1970; HASH is that of its content. N numbers the
//! files that were read. Those that are not compressed are compressed with gzip.
//!
//! With each run, the commit that was checked out when it was written is kept.
//!
//! Only the user can read the folder. A run is written to a temporary folder first and then renamed,
//! so that several servers can share the folder. A run that is damaged is ignored.

use crate::discovery::companions::{companions, is_report};
use crate::discovery::stamp::{Stamp, content_hash};
use crate::load::loaded::{LoadError, Loaded, Step};
use crate::load::stages::recorded_texts::Commit;
use crate::store::private_files::{create_private, hex, state_folder, write_new};
use analysis::Thread;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The number of newest runs of a series that are kept.
/// The maximum number of runs before the one shown to compare with.
pub const MAX_PREVIOUS: usize = 19;

const MAX_RUNS: usize = MAX_PREVIOUS + 1;
/// The maximum number of older runs that are kept as the newest of their commit.
const MAX_OLDER: usize = 5;
/// The maximum size of all runs in bytes, compressed.
const MAX_BYTES: u64 = 512 << 20;
/// Runs with more bytes than this are not kept.
const MAX_RUN_BYTES: u64 = 256 << 20;

/// The start of the names of temporary folders.
const NEW: &str = ".new";
/// The age of temporary folders whose server was ended. A run is copied in less.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The first bytes of files that are compressed already: gzip and zstd.
const COMPRESSED: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];

/// The kept runs of all workspace folders.
#[derive(Debug)]
pub struct KeptRuns {
    folder: PathBuf,
    max_bytes: u64,
}

/// A kept run.
#[derive(Debug)]
pub struct KeptRun {
    folder: PathBuf,
    /// In milliseconds since 1970.
    written: u64,
    meta: Meta,
}

/// What is known about a run apart from its bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Meta {
    /// The files of the profile that were read.
    files: Vec<KeptFile>,
    /// The commit that was checked out. `None` without a Git repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<Commit>,
}

/// A file of a run.
#[derive(Debug, Serialize, Deserialize)]
struct KeptFile {
    /// Where it was.
    path: PathBuf,
    /// The length in bytes.
    len: u64,
    /// When it was written, in milliseconds since 1970.
    modified: u64,
    /// [`Loaded::content`] of this file, in hexadecimal digits.
    content: String,
    #[serde(with = "KeptThread")]
    thread: Thread,
}

/// The fields of a [`Thread`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Thread")]
struct KeptThread {
    name: String,
    process_name: String,
    pid: Option<String>,
    tid: Option<String>,
    run: u32,
}

impl KeptFile {
    fn stamp(&self) -> Stamp {
        Stamp::new(self.len, SystemTime::UNIX_EPOCH + Duration::from_millis(self.modified))
    }
}

/// A path in which a sequence of digits stands for any other.
fn without_numbers(path: &Path) -> Vec<u8> {
    let name = path.as_os_str().as_encoded_bytes();
    let is_digit = |at: usize| name.get(at).is_some_and(u8::is_ascii_digit);
    let kept = (0..name.len()).filter(|&at| !is_digit(at) || at == 0 || !is_digit(at - 1));
    kept.map(|at| if is_digit(at) { b'0' } else { name[at] }).collect()
}

/// Whether the files of two profiles are of one series: their paths differ in numbers only. Recorders that
/// name each file anew put a time or a process in its name.
pub fn is_one_series(profile: &Path, other: &Path) -> bool {
    without_numbers(profile) == without_numbers(other)
}

impl KeptRun {
    /// When the run was written, in milliseconds since 1970.
    pub fn written(&self) -> u64 {
        self.written
    }
}

impl KeptRuns {
    /// Those in the user's state folder. `None` if there is no such folder, or the user switched it
    /// off.
    pub fn of_user() -> Option<Self> {
        Some(Self::new(&state_folder()?.join("runs")))
    }

    /// Those in a folder, which need not exist.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), max_bytes: MAX_BYTES }
    }

    /// The last `n` runs of the same series with another content that were written before `shown`,
    /// the newest first.
    pub fn before(&self, root: Option<&Path>, shown: &Loaded, n: usize) -> Vec<KeptRun> {
        let written = shown.stamp.milliseconds();
        self.others(root, shown).filter(|run| run.written <= written).take(n).collect()
    }

    /// The newest run of the same series with another content that was recorded at a commit, without
    /// changes to it. `commit` is its id, or the start of it.
    pub fn at_commit(&self, root: Option<&Path>, shown: &Loaded, commit: &str) -> Option<KeptRun> {
        self.others(root, shown).find(|run| {
            let recorded_at = run.meta.commit.as_ref().filter(|commit| !commit.edited);
            recorded_at.is_some_and(|recorded_at| recorded_at.id.starts_with(commit))
        })
    }

    /// The runs of the same series with another content than `shown`, the newest first.
    fn others(&self, root: Option<&Path>, shown: &Loaded) -> impl Iterator<Item = KeptRun> {
        let content = hex(shown.content);
        let runs = runs(&self.series(root, &shown.path)).into_iter().rev();
        runs.filter(move |run| run.content != content).filter_map(|run| {
            let meta = read_meta(&run.path).filter(|meta| !meta.files.is_empty())?;
            Some(KeptRun { folder: run.path, written: run.written, meta })
        })
    }

    /// Keeps the files of a profile that were read, unless they are kept already, or were changed
    /// since. `commit` is what they were recorded at.
    ///
    /// # Errors
    /// They are too large, or cannot be copied.
    pub fn keep(
        &self,
        root: Option<&Path>,
        shown: &Loaded,
        commit: impl FnOnce() -> Option<Commit>,
    ) -> io::Result<()> {
        let series = self.series(root, &shown.path);
        let content = hex(shown.content);
        if runs(&series).iter().any(|run| run.content == content) {
            return Ok(());
        }
        let read = shown.threads.iter().filter_map(|(path, thread)| {
            let (_, stamp) = shown.files.iter().find(|(file, _)| file == path)?;
            Some((path, stamp, thread))
        });
        let n_bytes: u64 = read.clone().map(|(_, stamp, _)| stamp.len).sum();
        if n_bytes > MAX_RUN_BYTES {
            let (size, limit) = (n_bytes >> 20, MAX_RUN_BYTES >> 20);
            return Err(io::Error::other(format!(
                "it has {size} MiB, and the limit is {limit} MiB"
            )));
        }
        create_private(&series)?;
        let mut new = tempfile::Builder::new();
        new.prefix(NEW);
        #[cfg(unix)]
        new.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let new = new.tempdir_in(&series)?;
        let mut files = Vec::new();
        for (path, stamp, thread) in read {
            let folder = folder_of(new.path(), files.len());
            create_private(&folder)?;
            let Some(content) = copy(path, stamp, &folder, true)? else { return Ok(()) };
            // A coverage report is of another run, and not read with a kept one.
            let companions = companions(path, shown.format).into_iter();
            let companions = companions.filter(|it| shown.companions.contains(it));
            for (companion, stamp) in companions.filter(|(path, _)| !is_report(path)) {
                copy(&companion, &stamp, &folder, false)?;
            }
            let (path, len, modified) = (path.clone(), stamp.len, stamp.milliseconds());
            let (content, thread) = (hex(content), thread.clone());
            files.push(KeptFile { path, len, modified, content, thread });
        }
        if let [only] = &mut files[..] {
            // Its reader may not have read all bytes.
            only.content.clone_from(&content);
        }
        let meta = serde_json::to_vec(&Meta { files, commit: commit() })?;
        write_new(&new.path().join("meta.json"), &meta)?;
        let run = series.join(format!("{:013}-{content}", shown.stamp.milliseconds()));
        match fs::rename(new.path(), &run) {
            // There is nothing left to remove.
            Ok(()) => drop(new.keep()),
            // Another server was faster.
            Err(_) if run.is_dir() => return Ok(()),
            Err(error) => return Err(error),
        }
        self.evict(&series)
    }

    fn series(&self, root: Option<&Path>, profile: &Path) -> PathBuf {
        let mut key = root.unwrap_or(Path::new("")).as_os_str().as_encoded_bytes().to_vec();
        key.push(0);
        key.extend(without_numbers(profile));
        self.folder.join(hex(content_hash(&key)))
    }

    /// Removes the oldest runs of a series, and of all series, until they fit. Also removes the temporary
    /// folders of servers that were ended while they kept a run.
    fn evict(&self, series: &Path) -> io::Result<()> {
        let (mut commits, mut n_older) = (HashSet::new(), 0);
        for (newer, run) in runs(series).iter().rev().enumerate() {
            let commit = read_meta(&run.path).and_then(|meta| meta.commit);
            let commit = commit.filter(|commit| !commit.edited);
            let is_newest = commit.is_some_and(|commit| commits.insert(commit.id));
            if newer < MAX_RUNS {
                continue;
            }
            if is_newest && n_older < MAX_OLDER {
                n_older += 1;
            } else {
                remove(&run.path)?;
            }
        }
        let all: Vec<_> =
            fs::read_dir(&self.folder)?.flatten().map(|series| series.path()).collect();
        for folder in all.iter().flat_map(|series| abandoned(series)) {
            // It is tried again with the next run.
            let _ = remove(&folder);
        }
        let mut all: Vec<_> = all.iter().flat_map(|series| runs(series)).collect();
        all.sort_by_key(|run| run.written);
        let sizes: Vec<u64> = all.iter().map(|run| size(&run.path)).collect();
        let mut n_bytes: u64 = sizes.iter().sum();
        let newest = all.len().saturating_sub(1);
        for (run, size) in all.iter().zip(sizes).take(newest) {
            if n_bytes <= self.max_bytes {
                break;
            }
            remove(&run.path)?;
            n_bytes -= size;
        }
        Ok(())
    }
}

/// The folder of a run.
struct RunFolder {
    path: PathBuf,
    written: u64,
    content: String,
}

/// The runs in the folder of a series, in the order in which they were written.
fn runs(series: &Path) -> Vec<RunFolder> {
    let entries = fs::read_dir(series).into_iter().flatten().flatten();
    let run = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let (written, content) = name.split_once('-')?;
        let (written, content) = (written.parse().ok()?, content.to_owned());
        Some(RunFolder { path: entry.path(), written, content })
    };
    let mut runs: Vec<_> = entries.filter_map(run).collect();
    runs.sort_by(|a, b| (a.written, &a.content).cmp(&(b.written, &b.content)));
    runs
}

/// The temporary folders of a series whose servers were ended.
fn abandoned(series: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(series).into_iter().flatten().flatten();
    let is_abandoned = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(NEW.as_bytes())
            && age.is_some_and(|age| age > ABANDONED)
    };
    entries.filter(is_abandoned).map(|entry| entry.path()).collect()
}

/// Removes a folder, which another server may remove, too.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// What is known about a run. `None` if it is damaged.
fn read_meta(run: &Path) -> Option<Meta> {
    serde_json::from_slice(&fs::read(run.join("meta.json")).ok()?).ok()
}

/// The size of the files of a run in bytes.
fn size(run: &Path) -> u64 {
    let folders = fs::read_dir(run.join("files")).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path())).flatten().flatten();
    files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

/// The folder with the copies of a file of a run and of its companions. Each file has one, because files
/// of several folders may have the same name, and companions are found beside their profile.
fn folder_of(run: &Path, file: usize) -> PathBuf {
    run.join("files").join(file.to_string())
}

/// Copies a file to a folder, with its time. Returns the hash of its content; `None` if it no longer
/// has its stamp.
fn copy(path: &Path, stamp: &Stamp, folder: &Path, compress: bool) -> io::Result<Option<u128>> {
    let bytes = fs::read(path)?;
    let Some(name) = path.file_name().filter(|_| Stamp::of(path).ok() == Some(*stamp)) else {
        return Ok(None);
    };
    let to = folder.join(name);
    if compress && !COMPRESSED.iter().any(|magic| bytes.starts_with(magic)) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&bytes)?;
        write_new(&to, &encoder.finish()?)?;
    } else {
        write_new(&to, &bytes)?;
    }
    fs::File::options().write(true).open(&to)?.set_modified(stamp.modified)?;
    Ok(Some(content_hash(&bytes)))
}

impl KeptRun {
    /// Reads the files of the run, each with its thread, at most `max_bytes` in total. Their paths,
    /// times and content are the same as in the files that were kept.
    pub fn read(
        &self,
        max_bytes: u64,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Vec<(Loaded, Thread)>, LoadError> {
        let (mut bytes_left, mut read) = (max_bytes, Vec::new());
        for (n, file) in self.meta.files.iter().enumerate() {
            let name = file.path.file_name().unwrap_or_default();
            let copy = folder_of(&self.folder, n).join(name);
            let loaded = Loaded::read(&copy, bytes_left, observe)?;
            bytes_left = bytes_left.saturating_sub(loaded.stamp.len);
            let stamp = file.stamp();
            let loaded = Loaded {
                path: file.path.clone(),
                stamp,
                files: vec![(file.path.clone(), stamp)],
                companions: Vec::new(),
                content: u128::from_str_radix(&file.content, 16).unwrap_or(loaded.content),
                ..loaded
            };
            read.push((loaded, file.thread.clone()));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Recognised;
    use crate::load::merged::merged;
    use crate::snapshot::load;
    use crate::snapshot::load::{Extent, Missing};
    use tempfile::TempDir;

    #[test]
    fn series_are_told_by_their_paths() {
        let is_one = |a: &str, b: &str| is_one_series(Path::new(a), Path::new(b));
        assert!(is_one("/p/CPU.2026.12.cpuprofile", "/p/CPU.2027.1.cpuprofile"));
        assert!(is_one("/p/callgrind.out.7", "/p/callgrind.out.12345"));
        assert!(!is_one("/p/a.folded", "/p/b.folded"));
        assert!(!is_one("/p/cpu.folded", "/p/cpu.1.folded"), "one has no number");
        assert!(!is_one("/p/run.1", "/q/run.2"));
    }

    /// Writes a profile of this age, and reads it.
    fn written(folder: &TempDir, name: &str, text: &str, minutes: u64) -> Loaded {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(60 * minutes);
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    /// The path, length and total of the run before.
    fn before(runs: &KeptRuns, shown: &Loaded) -> Option<(PathBuf, u64, f64)> {
        let run = runs.before(None, shown, 1).pop()?;
        let files = run.read(u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        let [(loaded, _)] = files.as_slice() else { panic!("one file") };
        let view = analysis::View::of(&loaded.recording);
        let total = analysis::thread_totals(&loaded.recording, &view)[0].total;
        Some((loaded.path.clone(), loaded.stamp.len, total))
    }

    #[test]
    fn the_run_before_is_found_by_path_and_time() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(&state.path().join("runs"));
        let first = written(&folder, "cpu.folded", "main 1\n", 30);
        assert_eq!(before(&runs, &first), None);
        runs.keep(None, &first, || None).unwrap();
        assert_eq!(before(&runs, &first), None, "it is not the run before itself");
        let second = written(&folder, "cpu.folded", "main 22\n", 20);
        let path = folder.path().join("cpu.folded");
        assert_eq!(before(&runs, &second), Some((path.clone(), 7, 1.0)));
        runs.keep(None, &second, || None).unwrap();
        runs.keep(None, &second, || None).unwrap();
        let third = written(&folder, "cpu.folded", "main 333\n", 10);
        assert_eq!(before(&runs, &third), Some((path, 8, 22.0)));
        assert_eq!(super::runs(&runs.series(None, &third.path)).len(), 2, "each content once");
        // Of another program, or in another workspace folder.
        let other = written(&folder, "mem.folded", "main 4\n", 1);
        assert_eq!(before(&runs, &other), None);
        assert!(runs.before(Some(folder.path()), &third, 1).is_empty());
    }

    #[test]
    fn names_that_differ_in_numbers_are_one_series() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let first = written(&folder, "CPU.20260101.9.folded", "main 1\n", 30);
        runs.keep(None, &first, || None).unwrap();
        let second = written(&folder, "CPU.20260102.10.folded", "main 2\n", 20);
        assert_eq!(before(&runs, &second), Some((first.path.clone(), 7, 1.0)));
    }

    #[test]
    fn a_file_that_was_rewritten_since_is_not_kept() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let first = written(&folder, "cpu.folded", "main 1\n", 30);
        let second = written(&folder, "cpu.folded", "main 22\n", 20);
        runs.keep(None, &first, || None).unwrap();
        assert_eq!(before(&runs, &second), None);
        let series = runs.series(None, &first.path);
        assert_eq!(fs::read_dir(series).unwrap().count(), 0, "no temporary folder is left");
    }

    #[test]
    fn the_oldest_runs_are_evicted() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        for minutes in (1..=25).rev() {
            let text = format!("main {minutes}\n");
            let run = written(&folder, "cpu.folded", &text, minutes);
            runs.keep(None, &run, || None).unwrap();
        }
        let series = runs.series(None, &folder.path().join("cpu.folded"));
        assert_eq!(super::runs(&series).len(), MAX_RUNS);
        let last = written(&folder, "cpu.folded", "main 99\n", 0);
        assert_eq!(before(&runs, &last).unwrap().2, 1.0);

        let small = KeptRuns { max_bytes: 1, ..KeptRuns::new(state.path()) };
        small.keep(None, &last, || None).unwrap();
        assert_eq!(super::runs(&series).len(), 1, "the newest run stays");
    }

    /// The totals of the last runs.
    fn totals(runs: &KeptRuns, shown: &Loaded, n: usize) -> Vec<f64> {
        let kept = runs.before(None, shown, n).into_iter();
        let read = kept.map(|run| run.read(u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap());
        let total = |files: Vec<(Loaded, Thread)>| {
            let recording = &files[0].0.recording;
            analysis::thread_totals(recording, &analysis::View::of(recording))[0].total
        };
        read.map(total).collect()
    }

    #[test]
    fn several_runs_are_given_newest_first() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        for minutes in (1..=25).rev() {
            let run = written(&folder, "cpu.folded", &format!("main {minutes}\n"), minutes);
            runs.keep(None, &run, || None).unwrap();
        }
        let shown = written(&folder, "cpu.folded", "main 99\n", 0);
        runs.keep(None, &shown, || None).unwrap();
        assert_eq!(totals(&runs, &shown, 3), [1.0, 2.0, 3.0]);
        let all: Vec<f64> = (1..=19).map(f64::from).collect();
        assert_eq!(totals(&runs, &shown, MAX_PREVIOUS), all);
    }

    #[test]
    fn a_run_at_a_commit_outlives_newer_runs() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let at = |id: &str, edited| Some(Commit { id: id.repeat(20), edited });
        for minutes in (1..=25).rev() {
            let run = written(&folder, "cpu.folded", &format!("main {minutes}\n"), minutes);
            let commit = match minutes {
                25 | 24 => at("ab", false),
                23 => at("ab", true),
                _ => at("cd", minutes % 2 == 0),
            };
            runs.keep(None, &run, || commit).unwrap();
        }
        let shown = written(&folder, "cpu.folded", "main 99\n", 0);
        let total = |commit: &str| {
            let run = runs.at_commit(None, &shown, commit)?;
            Some(run.meta.files[0].len)
        };
        // `main 24` and `main 1`: edited runs are no runs of a commit.
        assert_eq!((total(&"ab".repeat(20)), total("cdcd")), (Some(8), Some(7)));
        assert_eq!(total("ef"), None);
        let series = runs.series(None, &folder.path().join("cpu.folded"));
        assert_eq!(super::runs(&series).len(), MAX_RUNS + 1, "the newest ones, and `main 24`");
    }

    /// Reads several files as one profile, as the server does.
    fn read_together(files: &[PathBuf]) -> Loaded {
        let files: Vec<_> =
            files.iter().map(|path| (path.clone(), Stamp::of(path).unwrap())).collect();
        let files = Recognised::default().current_versions(&files);
        let observe = &mut |_| ControlFlow::Continue(());
        let files = load::read(&files, Extent::Whole, u64::MAX, Missing::Allow, observe).unwrap();
        merged(files.read).unwrap()
    }

    /// The path, total, and index of the run of each file of the run before.
    fn files_before(runs: &KeptRuns, shown: &Loaded) -> Vec<(PathBuf, f64, u32)> {
        let run = runs.before(None, shown, 1).pop().unwrap();
        let files = run.read(u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap().into_iter();
        let file = |(loaded, thread): (Loaded, Thread)| {
            let view = analysis::View::of(&loaded.recording);
            let total = analysis::thread_totals(&loaded.recording, &view)[0].total;
            (loaded.path, total, thread.run)
        };
        files.map(file).collect()
    }

    #[test]
    fn files_of_several_runs_and_of_one_name_are_kept_together() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let paths = ["1/cpu.folded", "2/cpu.folded"].map(|name| folder.path().join(name));
        let record = |ns: [u32; 2], minutes| {
            for (path, n) in paths.iter().zip(ns) {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let name = path.strip_prefix(folder.path()).unwrap().to_str().unwrap();
                written(&folder, name, &format!("main {n}\n"), minutes);
            }
            read_together(&paths)
        };
        let kept = record([1, 2], 20);
        runs.keep(None, &kept, || None).unwrap();
        let shown = record([30, 40], 10);
        let run = runs.before(None, &shown, 1).pop().unwrap();
        let read = run.read(u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(merged(read).unwrap().content, kept.content, "of which texts are kept");
        let [first, second] = paths;
        assert_eq!(files_before(&runs, &shown), [(first, 1.0, 0), (second, 2.0, 1)]);
    }

    #[test]
    fn files_that_were_not_read_are_not_kept() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let good = written(&folder, "a.folded", "main 1\n", 20).path;
        let bad = folder.path().join("b.cpuprofile");
        fs::write(&bad, r#"{"nodes": [{"id": 1, "callFrame": {}}], "samples""#).unwrap();
        let shown = read_together(&[good.clone(), bad.clone()]);
        assert_eq!(shown.files.len(), 2);
        runs.keep(None, &shown, || None).unwrap();
        let shown = written(&folder, "a.folded", "main 22\n", 10);
        assert_eq!(files_before(&runs, &shown), [(good, 1.0, 0)]);
    }

    #[test]
    fn a_companion_is_kept_beside_its_file() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        for name in ["lcov.info", "cpu.syms.json"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut first = written(&folder, "cpu.folded", "main 1\n", 30);
        first.format = formats::Format::FirefoxProcessed;
        first.companions = companions(&first.path, first.format);
        assert_eq!(first.companions.len(), 2);
        runs.keep(None, &first, || None).unwrap();
        let run = super::runs(&runs.series(None, &first.path)).remove(0);
        let kept = fs::read_dir(folder_of(&run.path, 0)).unwrap();
        let mut kept: Vec<_> = kept.map(|file| file.unwrap().file_name()).collect();
        kept.sort();
        assert_eq!(kept, ["cpu.folded", "cpu.syms.json"]);
    }

    #[test]
    fn a_run_that_two_servers_keep_at_once_is_kept_once() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let first = written(&folder, "cpu.folded", "main 1\n", 30);
        let other_server = || {
            runs.keep(None, &first, || None).unwrap();
            None
        };
        runs.keep(None, &first, other_server).unwrap();
        let series = runs.series(None, &first.path);
        assert_eq!(fs::read_dir(&series).unwrap().count(), 1, "no temporary folder is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_server_left_that_was_ended_is_removed() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(state.path());
        let series = state.path().join("another");
        for (name, age) in [(".new1", ABANDONED * 2), (".new2", Duration::ZERO)] {
            fs::create_dir_all(series.join(name).join("files/0")).unwrap();
            let modified = SystemTime::now() - age;
            fs::File::open(series.join(name)).unwrap().set_modified(modified).unwrap();
        }
        runs.keep(None, &written(&folder, "cpu.folded", "main 1\n", 30), || None).unwrap();
        let left = fs::read_dir(&series).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.collect::<Vec<_>>(), [".new2"]);
    }

    #[test]
    fn a_run_that_is_too_large_is_not_kept() {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut first = written(&folder, "cpu.folded", "main 1\n", 30);
        first.files[0].1.len = 300 << 20;
        let error = KeptRuns::new(state.path()).keep(None, &first, || None).unwrap_err();
        assert_eq!(error.to_string(), "it has 300 MiB, and the limit is 256 MiB");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_runs() {
        use std::os::unix::fs::PermissionsExt;
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let runs = KeptRuns::new(&state.path().join("runs"));
        let first = written(&folder, "cpu.folded", "main 1\n", 30);
        runs.keep(None, &first, || None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let series = runs.series(None, &first.path);
        let run = super::runs(&series).remove(0).path;
        for folder in [&runs.folder, &series, &run, &run.join("files"), &folder_of(&run, 0)] {
            assert_eq!(mode(folder), 0o700);
        }
        assert_eq!(mode(&folder_of(&run, 0).join("cpu.folded")), 0o600);
        assert_eq!(mode(&run.join("meta.json")), 0o600);
    }
}
