//! Which run is shown if the user chose none: the one that was written last. Of runs that were
//! written together it is the most useful, because tools write several profiles at once (`go test
//! -cpuprofile cpu.out -mutexprofile mutex.out`, or `perf record` and then `perf script`).

use crate::discovery::runs::runs;
use crate::discovery::stamp::Stamp;
use crate::discovery::{Candidate, FileVersion, Found};
use formats::Format;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The maximum time between runs in one folder that were written together.
const TOGETHER: Duration = Duration::from_secs(10);

/// Words in the names of pprof files that measure something else than processor time, as in Go's
/// documentation and tools.
const NOT_CPU: [&str; 8] =
    ["allocs", "block", "goroutine", "heap", "mem", "memory", "mutex", "threadcreate"];

/// How useful a profile is for finding out where time goes, the least useful first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Usefulness {
    /// Memory or waits.
    NotTime,
    /// No stacks and no lines.
    Summary,
    /// Line costs and stacks.
    Costs,
    /// A recording, from which files of other formats may have been made.
    Recording,
}

impl Usefulness {
    /// By the format and the name.
    fn of(path: &Path, format: Format) -> Self {
        match format {
            Format::Dhat | Format::HeapProfile | Format::Heaptrack | Format::Memray => {
                Self::NotTime
            }
            Format::Pprof if is_named_not_cpu(path) => Self::NotTime,
            Format::RbspySummary => Self::Summary,
            // simpleperf's report has names that are not read from its recording.
            Format::PerfData | Format::Simpleperf | Format::Jfr | Format::Nettrace => {
                Self::Recording
            }
            _ => Self::Costs,
        }
    }
}

fn is_named_not_cpu(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.split(|c: char| !c.is_alphabetic()).any(|word| {
        let word = word.strip_suffix("profile").unwrap_or(word);
        NOT_CPU.contains(&word)
    })
}

/// A run that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its files.
    pub run: Vec<FileVersion>,
    /// When the last file was written, of this run and of the runs that were written together with it.
    pub together: SystemTime,
}

/// The runs of these files, the one to show first at the beginning.
pub fn choices(candidates: &[Candidate]) -> Vec<Choice> {
    let runs = runs(candidates).into_iter();
    by_preference(
        runs.map(|run| run.into_iter().cloned().map(FileVersion::from).collect()).collect(),
    )
}

/// The files of each profile to read until one can be read. The first ones are newer files that have the
/// name of a profile but are not recognized: reading them says why.
pub fn attempts(found: &Found) -> Vec<Vec<PathBuf>> {
    let newest = found.candidates.first().map(|candidate| candidate.stamp.modified);
    let is_newer = |file: &&(PathBuf, Stamp)| newest.is_none_or(|time| file.1.modified > time);
    let mut newer: Vec<_> = found.unrecognized.iter().filter(is_newer).collect();
    newer.sort_by_key(|(path, stamp)| (Reverse(stamp.modified), path));
    let newer = newer.into_iter().map(|(path, _)| vec![path.clone()]);
    let files = |choice: Choice| choice.run.into_iter().map(|file| file.path).collect();
    newer.chain(choices(&found.candidates).into_iter().map(files)).collect()
}

/// The longest time between a profile and one written later, of which somebody may miss the first.
const JUST_BEFORE: Duration = Duration::from_secs(3600);

/// The newest run that tells where time goes, if the run shown does not and was written in the same folder
/// soon after it. `shown` are the files shown.
pub fn better_beside<'c>(candidates: &'c [Candidate], shown: &[&Path]) -> Option<&'c Candidate> {
    let runs = runs(candidates);
    let useful =
        |run: &[&Candidate]| run.iter().map(|file| Usefulness::of(&file.path, file.format)).max();
    let at = |run: &[&Candidate]| run.iter().map(|file| file.stamp.modified).max();
    let is_shown = |run: &&Vec<&Candidate>| run.iter().any(|file| shown.contains(&&*file.path));
    let shown = runs.iter().find(is_shown)?;
    let folder = shown.first()?.path.parent();
    let is_better = |run: &&Vec<&'c Candidate>| {
        let just_before = at(shown)
            .zip(at(run))
            .is_some_and(|(later, at)| later.duration_since(at).is_ok_and(|it| it <= JUST_BEFORE));
        just_before
            && useful(shown) <= Some(Usefulness::Summary)
            && useful(run) >= Some(Usefulness::Costs)
            && run.first().is_some_and(|file| file.path.parent() == folder)
    };
    let better = runs.iter().filter(is_better).max_by_key(|run| at(run))?;
    better.first().copied()
}

/// The choices, the one to show first at the beginning. No run may be empty.
pub fn by_preference(runs: Vec<Vec<FileVersion>>) -> Vec<Choice> {
    let mut runs: Vec<_> = runs.into_iter().map(|run| (written(&run), run)).collect();
    runs.sort_by_key(|(written, _)| Reverse(*written));
    let mut last_in: HashMap<PathBuf, SystemTime> = HashMap::new();
    let choice = |(written, run): (SystemTime, Vec<FileVersion>)| {
        let folder = run.first().and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
        let together = last_in.entry(folder.to_owned()).or_insert(written);
        if together.duration_since(written).is_ok_and(|between| between > TOGETHER) {
            *together = written;
        }
        Choice { run, together: *together }
    };
    let mut choices: Vec<Choice> = runs.into_iter().map(choice).collect();
    // Of two that are as useful, the newer one stays first.
    choices.sort_by_key(|choice| (Reverse(choice.together), Reverse(usefulness(&choice.run))));
    choices
}

/// When the last file of a run was written.
fn written(run: &[FileVersion]) -> SystemTime {
    run.iter().map(|file| file.stamp.modified).max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The usefulness of the best file of a run.
fn usefulness(run: &[FileVersion]) -> Usefulness {
    let of = |file: &FileVersion| Some(Usefulness::of(&file.path, file.format()?));
    run.iter().filter_map(of).max().unwrap_or(Usefulness::Costs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::stamp::Stamp;
    use formats::Origin;

    /// The names of files in the order of preference. Times are in seconds.
    fn sorted<const N: usize>(files: [(&str, Format, u64); N]) -> [String; N] {
        let run = |(path, format, seconds): (&str, Format, u64)| {
            let mut stamp = Stamp::of(Path::new(".")).unwrap();
            stamp.modified = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let path = PathBuf::from(path);
            let (origin, companions) = (Origin::default(), Vec::new());
            let candidate = Candidate { path, stamp, format, origin, born: None, companions };
            vec![FileVersion::from(candidate)]
        };
        let choices = by_preference(files.map(run).to_vec());
        let name = |choice: Choice| choice.run[0].path.to_str().unwrap().to_owned();
        choices.into_iter().map(name).collect::<Vec<_>>().try_into().unwrap()
    }

    #[test]
    fn a_profile_of_time_beside_one_of_memory_is_better() {
        let candidate = |(path, format, seconds): (&str, Format, u64)| {
            let mut stamp = Stamp::of(Path::new(".")).unwrap();
            stamp.modified = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let (path, origin) = (PathBuf::from(path), Origin::default());
            Candidate { path, stamp, format, origin, born: None, companions: Vec::new() }
        };
        let better = |files: &[(&str, Format, u64)], shown: &str| {
            let candidates: Vec<_> = files.iter().copied().map(candidate).collect();
            let found = better_beside(&candidates, &[Path::new(shown)]);
            found.map(|found| found.path.to_str().unwrap().to_owned())
        };
        let (cpu, heap) = (("cpu.out", Format::Pprof, 100), ("heap.out", Format::Pprof, 130));
        assert_eq!(better(&[cpu, heap], "heap.out").as_deref(), Some("cpu.out"));
        assert_eq!(better(&[cpu, heap], "cpu.out"), None);
        let newer = ("cpu2.out", Format::Pprof, 120);
        assert_eq!(better(&[cpu, heap, newer], "heap.out").as_deref(), Some("cpu2.out"));
        let much_older = ("cpu.out", Format::Pprof, 0);
        let late = ("heap.out", Format::Pprof, 3601);
        assert_eq!(better(&[much_older, late], "heap.out"), None);
        let elsewhere = ("a/cpu.out", Format::Pprof, 100);
        assert_eq!(better(&[elsewhere, heap], "heap.out"), None);
    }

    #[test]
    fn the_newest_is_first() {
        let runs = [("a.folded", Format::Folded, 1), ("b.cpuprofile", Format::CpuProfile, 2)];
        assert_eq!(sorted(runs), ["b.cpuprofile", "a.folded"]);
    }

    #[test]
    fn of_runs_written_together_the_most_useful_is_first() {
        let runs = [
            ("cpu.out", Format::Pprof, 100),
            ("mutex.out", Format::Pprof, 101),
            ("app_memprofile.pb.gz", Format::Pprof, 102),
        ];
        assert_eq!(sorted(runs), ["cpu.out", "app_memprofile.pb.gz", "mutex.out"]);
        let runs = [("perf.data", Format::PerfData, 100), ("perf.txt", Format::PerfScript, 108)];
        assert_eq!(sorted(runs), ["perf.data", "perf.txt"]);
    }

    #[test]
    fn runs_in_other_folders_or_of_other_times_are_not_written_together() {
        let runs = [("a/cpu.out", Format::Pprof, 100), ("b/mutex.out", Format::Pprof, 101)];
        assert_eq!(sorted(runs), ["b/mutex.out", "a/cpu.out"]);
        let runs = [("cpu.out", Format::Pprof, 100), ("mutex.out", Format::Pprof, 111)];
        assert_eq!(sorted(runs), ["mutex.out", "cpu.out"]);
        // `block` is no word of this name.
        let runs = [("cpu.out", Format::Pprof, 100), ("blocks.pb", Format::Pprof, 101)];
        assert_eq!(sorted(runs), ["blocks.pb", "cpu.out"]);
    }
}
