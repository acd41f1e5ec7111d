//! Finds the files that one run wrote, and merges their recordings.
//!
//! Some profilers write one file per thread, process or dump, with similar names. Files of other
//! runs and tools have similar names, too. Files are treated as one run only if their names follow
//! the profiler's own scheme and their headers and times do not contradict it. In doubt they stay
//! separate: showing a part of a run misleads less than merging two runs.
//!
//! - callgrind and cachegrind (`callgrind.out.PID.PART-THREAD`) record the command and the process.
//!   callgrind also records the number of the dump and the basic blocks that it covers. Files of
//!   one process are one run if their dumps follow each other without a gap in blocks. Files of one
//!   dump cover the same blocks and were written within `TOGETHER`. Processes of one command are
//!   one run if they ran at the same time. callgrind creates its first file when the process
//!   starts, so a process runs from the creation of its file to the last change. Successive runs do
//!   not overlap. If a file was created when it was written (by a forked process, or copied), only
//!   the end of its process is known. It must be within the time of another process, or within
//!   `SLACK` of it.
//! - Node.js (`CPU.DATE.TIME.PID.THREAD.SEQUENCE.cpuprofile`) records when a thread started. A
//!   worker belongs to the last main thread of its process that started before it, if that did not
//!   end earlier. Different processes are different runs.
//! - perf records nothing about its run, but creates its file when it starts. Files whose names
//!   differ only in a number (`perf.4001.data`) are one run if they were recorded at the same time.

use crate::discovery::run_names::{FileName, parse};
use crate::discovery::{Candidate, Recognised};
use analysis::Thread;
use formats::{Dialect, Format, Producer};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The maximum time between writing files of one process whose blocks are unknown.
const TOGETHER: Duration = Duration::from_secs(5);
/// The maximum time between the ends of processes whose starts are unknown. Shorter than most runs.
const SLACK: Duration = Duration::from_secs(2);
/// If a file was created less than this before its last change, it was written at once, and its
/// creation says nothing about the start of its process.
const IN_ONE_GO: Duration = Duration::from_millis(100);

/// What all files of a run have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RunKey {
    folder: PathBuf,
    format: Format,
    /// The name without numbers of processes, threads and dumps.
    stem: String,
    command: Option<String>,
    producer: Option<Producer>,
    events: Option<String>,
}

/// Which part of its run a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Role {
    pid: String,
    thread: Option<String>,
    /// The number of the dump.
    part: u64,
    /// When the thread started, in the notation of Node.js, which sorts by time.
    began: Option<String>,
}

/// The key of a file's run, and the file's part in it. `None` if the file is a run by itself.
fn run_key(candidate: &Candidate) -> Option<(RunKey, Role)> {
    let file = candidate.path.file_name()?.to_str()?;
    let FileName { stem, numbers, thread } = parse(file, candidate.format)?;
    let origin = &candidate.origin;
    let key = RunKey {
        folder: candidate.path.parent()?.to_owned(),
        format: candidate.format,
        stem: stem.to_owned(),
        command: origin.command.clone(),
        producer: origin.producer.clone(),
        events: origin.events.clone(),
    };
    let role = if candidate.format == Format::Callgrind {
        // Valgrind always states the command. Xdebug writes one file per request, each a run.
        origin.command.as_ref()?;
        if origin.producer.as_ref().and_then(Producer::dialect) == Some(Dialect::Xdebug) {
            return None;
        }
        let number = |thread: &str| thread.trim_start_matches('0').to_owned();
        Role {
            pid: origin.pid.clone().or_else(|| Some((*numbers.first()?).to_owned()))?,
            thread: origin.thread.clone().or(thread.map(number)),
            part: origin.part.or_else(|| numbers.get(1)?.parse().ok()).unwrap_or(0),
            began: None,
        }
    } else if candidate.format == Format::V8Log {
        let pid = (*numbers.first()?).to_owned();
        Role { pid, thread: thread.map(str::to_owned), part: 0, began: None }
    } else if candidate.format == Format::PerfData {
        candidate.born.filter(|born| {
            written(candidate).duration_since(*born).is_ok_and(|life| life >= IN_ONE_GO)
        })?;
        Role { pid: (*numbers.first()?).to_owned(), thread: None, part: 0, began: None }
    } else {
        let [date, time, pid, thread, _] = numbers[..] else { return None };
        Role {
            pid: pid.to_owned(),
            thread: Some(thread.to_owned()),
            part: 0,
            began: Some(format!("{date}{time}")),
        }
    };
    Some((key, role))
}

/// A file with its part in a run.
type Member<'c> = (Role, &'c Candidate);

/// The files of each run, in the order in which their recordings are merged. No run is empty. The
/// run that was written last comes first.
pub fn runs(candidates: &[Candidate]) -> Vec<Vec<&Candidate>> {
    let mut by_key: HashMap<RunKey, Vec<Member<'_>>> = HashMap::new();
    let mut runs: Vec<Vec<&Candidate>> = Vec::new();
    for candidate in candidates {
        match run_key(candidate) {
            Some((key, role)) => by_key.entry(key).or_default().push((role, candidate)),
            None => runs.push(vec![candidate]),
        }
    }
    for (key, mut members) in by_key {
        members.sort_by_key(|(role, candidate)| {
            (Reverse(written(candidate)), Reverse(role.part), candidate.path.clone())
        });
        let runs_of_key = match key.format {
            Format::Callgrind | Format::PerfData | Format::V8Log => runs_of_processes(members),
            _ => runs_of_node(members),
        };
        for mut run in runs_of_key {
            let number = |text: &str| (text.len(), text.to_owned());
            run.sort_by_key(|(role, candidate)| {
                let thread = role.thread.as_deref().map(number);
                (number(&role.pid), thread, role.part, candidate.path.clone())
            });
            runs.push(run.into_iter().map(|(_, candidate)| candidate).collect());
        }
    }
    let newest = |run: &[&Candidate]| run.iter().map(|candidate| written(candidate)).max();
    runs.sort_by(|a, b| newest(b).cmp(&newest(a)).then_with(|| a[0].path.cmp(&b[0].path)));
    runs
}

fn written(candidate: &Candidate) -> SystemTime {
    candidate.stamp.modified
}

fn time_between(a: SystemTime, b: SystemTime) -> Duration {
    a.duration_since(b).unwrap_or_else(|before| before.duration())
}

/// The runs among files of Valgrind or perf with one key. `members` are sorted, newest first.
fn runs_of_processes(members: Vec<Member<'_>>) -> Vec<Vec<Member<'_>>> {
    let mut processes: Vec<Vec<Member<'_>>> = Vec::new();
    for member in members {
        match processes.iter_mut().find(|process| is_of_process(process, &member)) {
            Some(process) => process.push(member),
            None => processes.push(vec![member]),
        }
    }
    let lifetimes = processes.iter().map(|process| Lifetime::of(process)).collect::<Vec<_>>();
    let mut runs: Vec<Vec<Member<'_>>> = Vec::new();
    for run in overlapping(&lifetimes) {
        runs.push(
            run.into_iter().flat_map(|process| std::mem::take(&mut processes[process])).collect(),
        );
    }
    runs
}

/// Whether two files are dumps of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SameProcess {
    /// They are.
    Yes,
    /// They may be.
    Maybe,
    /// They are not.
    No,
}

/// Whether two files of Valgrind are dumps of one process, according to their headers.
fn same_process((role, file): &Member<'_>, (other_role, other): &Member<'_>) -> SameProcess {
    if role.pid != other_role.pid
        || (role.part, &role.thread) == (other_role.part, &other_role.thread)
    {
        return SameProcess::No;
    }
    let (earlier, later) = if role.part < other_role.part { (file, other) } else { (other, file) };
    let (Some(before), Some(after)) = (earlier.origin.blocks, later.origin.blocks) else {
        return SameProcess::Maybe;
    };
    let (is_possible, then) = match role.part.abs_diff(other_role.part) {
        0 => (before == after, SameProcess::Maybe),
        1 => (before.1 == after.0, SameProcess::Yes),
        _ => (before.1 <= after.0, SameProcess::Maybe),
    };
    if is_possible { then } else { SameProcess::No }
}

/// Whether a file is another dump, or a dump of another thread, of a process.
fn is_of_process(process: &[Member<'_>], file: &Member<'_>) -> bool {
    let is_close = |other: &Member<'_>| {
        time_between(written(other.1), written(file.1)) <= TOGETHER
            || same_process(other, file) == SameProcess::Yes
    };
    process.iter().all(|other| same_process(other, file) != SameProcess::No)
        && process.iter().any(is_close)
}

/// Whether a file that was shown as part of `run` still belongs to it, at whatever time the files
/// were rewritten.
pub fn belongs_to_run(run: &[&Candidate], file: &Candidate) -> bool {
    let Some((key, role)) = run_key(file) else { return false };
    let file = (role, file);
    run.iter().filter(|other| other.path != file.1.path).all(|&other| {
        run_key(other).is_some_and(|(other_key, other_role)| {
            let is_of_node = other_role.began.is_some() && other_role.pid == file.0.pid;
            other_key == key
                && (is_of_node
                    || other_role.pid != file.0.pid
                    || same_process(&(other_role, other), &file) != SameProcess::No)
        })
    })
}

/// When a process ran, according to its files.
#[derive(Debug, Clone)]
struct Lifetime {
    pid: String,
    /// `None` if the start is unknown.
    born: Option<SystemTime>,
    ended: SystemTime,
}

impl Lifetime {
    fn of(process: &[Member<'_>]) -> Self {
        let ended =
            process.iter().map(|(_, file)| written(file)).max().unwrap_or(SystemTime::UNIX_EPOCH);
        let born = process.iter().filter_map(|(_, file)| file.born).min();
        let pid = process.first().map(|(role, _)| role.pid.clone()).unwrap_or_default();
        Self {
            pid,
            born: born
                .filter(|born| ended.duration_since(*born).is_ok_and(|life| life >= IN_ONE_GO)),
            ended,
        }
    }

    /// The time between the end of one process and the start of the other. Zero if they overlap.
    /// `None` if they have the same number, because they are then different runs.
    fn gap(&self, other: &Self) -> Option<Duration> {
        let after = |late: &Self, early: &Self| {
            late.born.unwrap_or(late.ended).duration_since(early.ended).unwrap_or_default()
        };
        (self.pid != other.pid).then(|| after(self, other).max(after(other, self)))
    }
}

/// Groups the processes that ran at the same time. Processes are indexes into `lifetimes`.
fn overlapping(lifetimes: &[Lifetime]) -> Vec<Vec<usize>> {
    let (mut with_start, without_start): (Vec<usize>, Vec<usize>) =
        (0..lifetimes.len()).partition(|&process| lifetimes[process].born.is_some());
    with_start.sort_by_key(|&process| lifetimes[process].born);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    // The gap to the nearest process of a run. `None` if the process cannot belong to the run.
    let gap_to_run = |process: usize, run: &[usize]| {
        let gaps: Option<Vec<_>> =
            run.iter().map(|&other| lifetimes[process].gap(&lifetimes[other])).collect();
        gaps?.into_iter().min()
    };
    for process in with_start.into_iter().chain(without_start) {
        let max_gap = if lifetimes[process].born.is_some() { Duration::ZERO } else { SLACK };
        let near = runs
            .iter_mut()
            .filter_map(|run| Some((gap_to_run(process, run).filter(|gap| *gap <= max_gap)?, run)));
        match near.min_by_key(|(gap, _)| *gap) {
            Some((_, run)) => run.push(process),
            None => runs.push(vec![process]),
        }
    }
    runs
}

/// The runs among files of Node.js with one key.
fn runs_of_node(members: Vec<Member<'_>>) -> Vec<Vec<Member<'_>>> {
    let is_main = |role: &Role| role.thread.as_deref() == Some("0");
    let (mains, workers): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|(role, _)| is_main(role));
    let mut runs: Vec<Vec<Member<'_>>> = mains.into_iter().map(|main| vec![main]).collect();
    for (role, file) in workers {
        let began_before =
            |run: &Vec<Member<'_>>| run[0].0.pid == role.pid && run[0].0.began <= role.began;
        let last = runs
            .iter_mut()
            .filter(|run| is_main(&run[0].0) && began_before(run))
            .max_by_key(|run| run[0].0.began.clone());
        let is_new =
            |run: &Vec<Member<'_>>| run.iter().all(|(other, _)| other.thread != role.thread);
        match last.filter(|run| written(file) <= written(run[0].1) + TOGETHER && is_new(run)) {
            Some(run) => run.push((role, file)),
            None => runs.push(vec![(role, file)]),
        }
    }
    runs
}

/// The files of the run that a file belongs to, which are in the same folder. Empty if the file is
/// not a profile.
pub fn run_in_folder(path: &Path, recognised: &mut Recognised) -> Vec<Candidate> {
    let Some(this) = recognised.candidate(path) else { return Vec::new() };
    let stem = |path: &Path, format| {
        parse(path.file_name()?.to_str()?, format).map(|name| name.stem.to_owned())
    };
    let mut all = vec![this.clone()];
    if let (Some(own), Some(folder)) = (stem(path, this.format), path.parent()) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let paths = entries.map(|entry| path.with_file_name(entry.file_name()));
        let alike =
            paths.filter(|other| other != path && stem(other, this.format).as_ref() == Some(&own));
        all.extend(alike.filter_map(|other| recognised.candidate(&other)));
    }
    let run = runs(&all).into_iter().find(|run| run.iter().any(|file| file.path == path));
    run.map_or_else(Vec::new, |run| run.into_iter().cloned().collect())
}

/// The thread that a file was recorded from, according to its name and header.
pub fn thread(candidate: &Candidate) -> Thread {
    let Some((key, role)) = run_key(candidate) else {
        let name = candidate.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Thread { name, ..Thread::default() };
    };
    let name = match (key.format, role.thread.as_deref()) {
        (Format::Callgrind, Some(thread)) => format!("thread {thread}"),
        (Format::V8Log, Some(isolate)) => format!("isolate {isolate}"),
        (_, Some("0")) => "main".to_owned(),
        (_, Some(thread)) => format!("worker {thread}"),
        (_, None) => format!("process {}", role.pid),
    };
    let program = key
        .command
        .as_deref()
        .and_then(|command| command.split_whitespace().next())
        .unwrap_or_default();
    let process_name = program.rsplit('/').next().unwrap_or_default().to_owned();
    let tid = role.thread.filter(|_| key.format != Format::V8Log);
    Thread { name, process_name, pid: Some(role.pid), tid, run: 0 }
}

/// The index of the run of each file. A file that is not recognized is a run by itself.
pub fn run_indexes(files: &[Option<Candidate>]) -> Vec<u32> {
    let recognised: Vec<Candidate> = files.iter().flatten().cloned().collect();
    let found = runs(&recognised);
    let mut known: Vec<usize> = Vec::new();
    let mut index_of = |run: usize| {
        let at = known.iter().position(|&other| other == run).unwrap_or_else(|| {
            known.push(run);
            known.len() - 1
        });
        at as u32
    };
    let run_of = |(at, file): (usize, &Option<Candidate>)| {
        let has = |run: &Vec<&Candidate>| {
            file.as_ref().is_some_and(|file| run.iter().any(|other| other.path == file.path))
        };
        index_of(found.iter().position(has).unwrap_or(found.len() + at))
    };
    files.iter().enumerate().map(run_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::stamp::Stamp;
    use formats::Origin;

    fn at(second: f64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs_f64(1000.0 + second)
    }

    /// A file that was last changed at `second`.
    fn file(name: &str, format: Format, second: f64) -> Candidate {
        // A stamp is taken from a file. Only `modified` matters here.
        let mut stamp = Stamp::of(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        stamp.modified = at(second);
        Candidate {
            path: Path::new("/p").join(name),
            stamp,
            format,
            origin: Origin::default(),
            born: None,
            companions: Vec::new(),
        }
    }

    /// A file by callgrind, with the command `./a`.
    fn callgrind(name: &str, pid: u32, second: f64) -> Candidate {
        let origin = Origin {
            producer: Some(Producer::parse("callgrind-3.19.0")),
            command: Some("./a".to_owned()),
            pid: Some(pid.to_string()),
            ..Origin::default()
        };
        Candidate { origin, ..file(name, Format::Callgrind, second) }
    }

    /// A dump by callgrind that covers these blocks.
    fn dump(name: &str, part: u64, blocks: (u64, u64), second: f64) -> Candidate {
        let file = callgrind(name, 7, second);
        Candidate {
            origin: Origin { part: Some(part), blocks: Some(blocks), ..file.origin.clone() },
            ..file
        }
    }

    fn born(second: f64, file: Candidate) -> Candidate {
        Candidate { born: Some(at(second)), ..file }
    }

    fn node(name: &str, second: f64) -> Candidate {
        file(&format!("CPU.20261122.{name}.cpuprofile"), Format::CpuProfile, second)
    }

    /// `expected` has a part of the name of each file of each run.
    #[track_caller]
    fn assert_runs(candidates: &[Candidate], expected: &[&[&str]]) {
        let names = |run: Vec<&Candidate>| {
            run.iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>()
        };
        let found: Vec<_> = runs(candidates).into_iter().map(names).collect();
        let fits = |(found, expected): (&Vec<String>, &&[&str])| {
            found.len() == expected.len()
                && found.iter().zip(*expected).all(|(found, part)| found.contains(part))
        };
        assert!(
            found.len() == expected.len() && found.iter().zip(expected).all(fits),
            "{found:#?}"
        );
    }

    #[test]
    fn isolates_of_one_process_are_one_run() {
        let log = |name, second| file(name, Format::V8Log, second);
        let candidates = [
            log("isolate-0x10-7-v8.log", 10.0),
            log("isolate-0x20-7-v8.log", 10.5),
            log("isolate-0x10-9-v8.log", 900.0),
        ];
        let names: Vec<Vec<_>> = runs(&candidates)
            .into_iter()
            .map(|run| run.into_iter().map(|file| file.path.file_name().unwrap()).collect())
            .collect();
        let expected: [&[&str]; 2] =
            [&["isolate-0x10-9-v8.log"], &["isolate-0x10-7-v8.log", "isolate-0x20-7-v8.log"]];
        assert_eq!(names, expected);
        assert_eq!(thread(&candidates[1]).name, "isolate 0x20");
    }

    #[test]
    fn threads_of_one_process_are_one_run() {
        let files = [
            callgrind("out.77-02", 77, 0.1),
            callgrind("out.77-01", 77, 0.0),
            callgrind("out.77-10.gz", 77, 4.0),
        ];
        assert_runs(&files, &[&["-01", "-02", "-10.gz"]]);
        // Thread 2 is a file of an earlier process with the same number.
        assert_runs(
            &[callgrind("out.77-02", 77, 0.1), callgrind("out.77-01", 77, 60.0)],
            &[&["-01"], &["-02"]],
        );
        let other = |mut file: Candidate, change: fn(&mut Origin)| {
            change(&mut file.origin);
            file
        };
        let first = || callgrind("out.77-01", 77, 0.0);
        let second = |change| other(callgrind("out.77-02", 77, 0.1), change);
        for change in [
            (|origin| origin.command = Some("./b".to_owned())) as fn(&mut Origin),
            |origin| origin.producer = Some(Producer::parse("callgrind-3.22.0")),
            |origin| origin.events = Some("Ir Dr".to_owned()),
            |origin| origin.command = None,
        ] {
            assert_runs(&[first(), second(change)], &[&["-02"], &["-01"]]);
        }
    }

    #[test]
    fn dumps_follow_each_other_without_a_gap_however_long_it_takes() {
        let first = dump("out.7.1-01", 1, (0, 100), 0.0);
        let second =
            [dump("out.7.2-01", 2, (100, 150), 600.0), dump("out.7.2-02", 2, (100, 150), 600.5)];
        let last = dump("out.7-01", 3, (150, 900), 4000.0);
        let all = [last.clone(), second[0].clone(), second[1].clone(), first.clone()];
        assert_runs(&all, &[&[".1-01", ".2-01", ".7-01", ".2-02"]]);
        // The second dump of an earlier process with the same number.
        let old = dump("out.7.2-01", 2, (100, 140), 601.0);
        assert_runs(
            &[last.clone(), old.clone(), first.clone()],
            &[&["out.7-01"], &[".1-01", ".2-01"]],
        );
        let other_blocks = dump("out.7-02", 3, (140, 900), 4000.0);
        assert_runs(&[last, other_blocks], &[&["out.7-01"], &["out.7-02"]]);
    }

    #[test]
    fn processes_that_ran_at_the_same_time_are_one_run() {
        let parent = || born(0.0, callgrind("out.100", 100, 3.0));
        // A forked process creates its file when it ends.
        let child = |pid: u32, second: f64| {
            born(second - 0.01, callgrind(&format!("out.{pid}"), pid, second))
        };
        assert_runs(
            &[parent(), child(101, 0.5), child(99, 2.5)],
            &[&["out.99", "out.100", "out.101"]],
        );
        let next = || born(3.1, callgrind("out.105", 105, 6.0));
        assert_runs(
            &[parent(), next(), child(101, 2.9), child(106, 3.2)],
            &[&["out.105", "out.106"], &["out.100", "out.101"]],
        );
        // The starts of these processes are unknown.
        assert_runs(
            &[callgrind("out.100", 100, 0.0), callgrind("out.102", 102, 1.0)],
            &[&["out.100", "out.102"]],
        );
        assert_runs(
            &[callgrind("out.100", 100, 0.0), callgrind("out.102", 102, 3.0)],
            &[&["out.102"], &["out.100"]],
        );
        // Copied files: created after their last change.
        let copied = [
            born(50.0, callgrind("out.100", 100, 0.0)),
            born(50.0, callgrind("out.102", 102, 30.0)),
        ];
        assert_runs(&copied, &[&["out.102"], &["out.100"]]);
    }

    #[test]
    fn recordings_of_perf_at_the_same_time_are_one_run() {
        let perf =
            |name: &str, from: f64, until: f64| born(from, file(name, Format::PerfData, until));
        let both = [perf("perf.4001.data", 0.0, 5.0), perf("perf.4002.data", 0.1, 5.2)];
        assert_runs(&both, &[&["4001", "4002"]]);
        let one_after_the_other = [perf("perf.data.1", 0.0, 5.0), perf("perf.data.2", 5.1, 9.0)];
        assert_runs(&one_after_the_other, &[&["data.2"], &["data.1"]]);
        let other_names = [
            perf("web.4001.data", 0.0, 5.0),
            perf("db.4002.data", 0.1, 5.2),
            perf("perf.data", 0.0, 5.1),
        ];
        assert_runs(&other_names, &[&["db"], &["perf.data"], &["web"]]);
        // Copied files: the time of the recording is unknown.
        let copied = [perf("perf.4001.data", 5.0, 5.0), perf("perf.4002.data", 5.0, 5.0)];
        assert_runs(&copied, &[&["4001"], &["4002"]]);
    }

    #[test]
    fn workers_belong_to_the_main_thread_that_started_before_them() {
        let first =
            [node("100000.7.0.001", 5.0), node("100001.7.1.002", 4.0), node("100002.7.2.003", 4.5)];
        assert_runs(&first, &[&["7.0.001", "7.1.002", "7.2.003"]]);
        // In a container, processes of successive runs have the same number.
        let second = [node("100006.7.0.001", 8.0), node("100006.7.1.002", 7.5)];
        let both: Vec<_> = first.into_iter().chain(second).collect();
        assert_runs(
            &both,
            &[&["100006.7.0.001", "100006.7.1.002"], &["7.0.001", "7.1.002", "7.2.003"]],
        );
        // The worker ended long after the main thread, so it belongs to another one without a file.
        let lost = [node("100000.7.0.001", 5.0), node("100001.7.1.002", 90.0)];
        assert_runs(&lost, &[&["7.1.002"], &["7.0.001"]]);
        assert_runs(
            &[node("100000.7.0.001", 5.0), node("100000.8.1.002", 5.0)],
            &[&["7.0.001"], &["8.1.002"]],
        );
    }

    #[test]
    fn files_with_other_names_are_separate_runs() {
        let names = ["bench-10.folded", "bench-20.folded", "profile1.json", "profile2.json"];
        let files = names.map(|name| file(name, Format::Folded, 0.0));
        assert_runs(&files, &[&[names[0]], &[names[1]], &[names[2]], &[names[3]]]);
        let profiles = [
            file("a.1.cpuprofile", Format::CpuProfile, 0.0),
            file("a.2.cpuprofile", Format::CpuProfile, 0.0),
        ];
        assert_runs(&profiles, &[&["a.1.cpuprofile"], &["a.2.cpuprofile"]]);
        let requests = [1, 2].map(|pid| {
            let mut file = callgrind(&format!("cachegrind.out.{pid}"), pid, 0.0);
            file.origin.producer = Some(Producer::parse("xdebug 3.4.1"));
            file
        });
        assert_runs(&requests, &[&["out.1"], &["out.2"]]);
    }

    #[test]
    fn a_rewritten_file_stays_in_the_run_that_is_shown() {
        let shown = [callgrind("out.77-01", 77, 0.0), callgrind("out.77-03", 77, 0.0)];
        let shown: Vec<_> = shown.iter().collect();
        assert!(belongs_to_run(&shown, &callgrind("out.77-02", 77, 900.0)));
        assert!(!belongs_to_run(&shown, &callgrind("other.77-02", 77, 900.0)));
        assert!(!belongs_to_run(
            &[&dump("out.7-01", 1, (0, 5), 0.0)],
            &dump("out.7-02", 1, (0, 6), 0.0)
        ));
    }

    #[test]
    fn threads_are_named_by_their_files() {
        let named = |file: &Candidate| {
            let Thread { name, process_name, pid, tid, .. } = thread(file);
            let text = |id: Option<String>| id.unwrap_or_default();
            format!("{process_name}/{name} {}:{}", text(pid), text(tid))
        };
        assert_eq!(named(&callgrind("out.77-02", 77, 0.0)), "a/thread 2 77:2");
        assert_eq!(named(&callgrind("out.78", 78, 0.0)), "a/process 78 78:");
        assert_eq!(named(&node("100000.7.0.001", 0.0)), "/main 7:0");
        assert_eq!(named(&node("100000.7.3.004", 0.0)), "/worker 3 7:3");
        assert_eq!(named(&file("a.folded", Format::Folded, 0.0)), "/a.folded :");
    }
}
