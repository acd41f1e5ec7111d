//! perf.data: call chains compared with the output of `perf script` for the same file
//! (`chains.txt`, where callers are one byte before the return address), and files built byte by
//! byte.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks, unzipped};
use formats::{ErrorKind, Format, Read};
use profile::{AddressBase, Lib, Profile, RawArch, StackAccess, WarningCode};

/// All samples as `comm pid tid event period: module@address …`, the leaf first.
fn shown(profile: &Profile) -> Vec<String> {
    let mut rows = Vec::new();
    for (thread, samples) in profile.sampled_threads() {
        for i in 0..samples.len() {
            let weights = samples.weights().iter().zip(profile.metrics());
            let weights = weights
                .map(|(weights, metric)| (weights.get(i), metric))
                .filter(|(weight, _)| *weight != 0.0);
            let weights: Vec<_> =
                weights.map(|(weight, metric)| format!("{} {weight}", metric.name)).collect();
            let ids = [&thread.pid, &thread.tid].map(|id| id.as_deref().unwrap_or("-"));
            rows.push(format!(
                "{} {} {}:{}",
                thread.name,
                ids.join(" "),
                weights.join(","),
                chain(profile, samples.stack(i))
            ));
        }
    }
    rows.sort();
    rows
}

fn chain(profile: &Profile, mut next: Option<profile::StackId>) -> String {
    let mut text = String::new();
    while let Some(stack) = next {
        let func =
            profile.symbols().funcs.get(profile.frames().get(profile.stacks().frame(stack)).func);
        let lib = func.lib.map_or("", |lib| profile.symbols().libs[lib.index()].name.as_str());
        let address = profile.symbols().strings.get(func.name).strip_prefix("0x").unwrap();
        text.extend([" ", lib, "@", address]);
        next = profile.stacks().prefix(stack);
    }
    text
}

fn total(profile: &Profile, metric: usize) -> f64 {
    let weights = |samples: &profile::Samples| {
        (0..samples.len()).map(|i| samples.weights()[metric].get(i)).sum::<f64>()
    };
    profile.samples().iter().map(weights).sum()
}

fn lib<'a>(profile: &'a Profile, name: &str) -> &'a Lib {
    profile.symbols().libs.iter().find(|lib| lib.name == name).unwrap()
}

#[test]
fn chains_are_those_of_perf_script() {
    let cases = [
        (
            "cpp-raytrace-fp",
            unzipped("perf-data/cpp-raytrace-fp/fp.perf.data.gz"),
            unzipped("perf-data/cpp-raytrace-fp/chains.txt.gz"),
        ),
        (
            "c-threads-events",
            bytes("perf-data/c-threads-events/perf.data"),
            bytes("perf-data/c-threads-events/chains.txt"),
        ),
        (
            "c-threads-zstd",
            bytes("perf-data/c-threads-zstd/perf.data"),
            bytes("perf-data/c-threads-zstd/chains.txt"),
        ),
        (
            "c-threads-pipe",
            bytes("perf-data/c-threads-pipe/perf.data"),
            bytes("perf-data/c-threads-pipe/chains.txt"),
        ),
    ];
    for (case, file, chains) in cases {
        let read = read(file).unwrap();
        assert_eq!(
            (read.format, read.writer.text()),
            (Format::PerfData, Some("perf@6.1.187")),
            "{case}"
        );
        assert_eq!(read.warnings.as_slice(), [], "{case}");
        assert!(read.span_seconds.is_some(), "{case}");
        let entries = read.raw_stacks.as_ref().map_or(&[][..], |raw| {
            assert!(raw.stacks.is_empty(), "{case}");
            &raw.entries
        });
        // The places where the kernel was entered from the program.
        let profile = read.recording.sampled().unwrap();
        let is_kernel = |stack| {
            let func = profile.frames().get(profile.stacks().frame(stack)).func;
            let lib = profile.symbols().funcs.get(func).lib;
            lib.is_some_and(|lib| profile.symbols().libs[lib.index()].name.starts_with("[kernel"))
        };
        assert!(!entries.is_empty(), "{case}");
        assert!(
            entries
                .iter()
                .all(|&entry| is_kernel(entry)
                    && !is_kernel(profile.stacks().prefix(entry).unwrap())),
            "{case}"
        );
        let mut expected: Vec<_> =
            std::str::from_utf8(&chains).unwrap().lines().map(str::to_owned).collect();
        expected.sort();
        assert_eq!(shown(stacks(&read)), expected, "{case}");
    }
}

#[test]
fn each_event_is_a_metric() {
    let read = read(bytes("perf-data/c-threads-events/perf.data")).unwrap();
    let profile = stacks(&read);
    let metrics: Vec<_> = profile
        .metrics()
        .iter()
        .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
        .collect();
    assert_eq!(metrics, [("cpu-clock", "ns"), ("page-faults", "page-faults")]);
    assert_eq!(profile.default_metric().index(), 0);
    // 28 samples at 499 Hz.
    assert_eq!(total(profile, 0), 28.0 * 2_004_008.0);
}

#[test]
fn libraries_have_ids_and_addresses_are_file_offsets() {
    let read = read(unzipped("perf-data/cpp-raytrace-fp/fp.perf.data.gz")).unwrap();
    let profile = stacks(&read);
    assert_eq!(total(profile, 0), 966_983_250.0);
    let program = lib(profile, "raytrace");
    assert_eq!(program.path, "/srv/demo/cpp-raytrace/bin/raytrace");
    assert_eq!(
        (program.code_id.as_str(), program.addresses),
        ("141cf987ac1361e5958807f566df057aff9696be", AddressBase::File)
    );
    let kernel = lib(profile, "[kernel.kallsyms]");
    assert_eq!(
        (kernel.code_id.as_str(), kernel.addresses),
        ("6ecd6ec21ec69416e50a8aa6737e500901ddb47a", AddressBase::Image)
    );
}

#[test]
fn copied_stacks_are_returned_with_their_leaves() {
    let read = read(unzipped("perf-data/cpp-raytrace-dwarf/dwarf.perf.data.gz")).unwrap();
    let profile = stacks(&read);
    assert_eq!(total(profile, 0), 1_367_892_729.0);
    let raw = read.raw_stacks.as_ref().unwrap();
    // The sum of the sizes that `perf report -D` gives.
    assert_eq!((raw.arch, raw.stacks.len(), raw.bytes.len()), (RawArch::X86_64, 409, 819_872));
    let first = &raw.stacks[0];
    // By their DWARF numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
    let registers: Vec<_> = (0..40).filter_map(|number| first.registers.get(number)).collect();
    assert_eq!(
        registers,
        [
            0x5581_dddd_4d30,
            0x7ffc_e6d9_d8e0,
            0x7f1c_e742_b010,
            0,
            0x7ffc_e6d9_da30,
            0x5582_060f_4ef0,
            0x7ffc_e6d9_d970,
            0x7ffc_e6d9_d868,
            0xffff_ffff,
            0,
            0x22,
            0x246,
            0x7ffc_e6d9_da30,
            0x5582_060f_51f8,
            0x7ffc_e6d9_d8e0,
            0x5582_060f_51a0,
            0x5581_dddd_12e0,
        ]
    );
    assert_eq!(first.bytes, 0..1944);
    // perf's unwound chains begin with the known frames.
    let chains = bytes("perf-data/cpp-raytrace-dwarf/chains.txt");
    for (row, line) in std::str::from_utf8(&chains).unwrap().lines().enumerate() {
        let (_, expected) = line.split_once(':').unwrap();
        let known = chain(profile, profile.samples()[0].stack(row));
        let known = known.replace("[kernel.kallsyms]@", "k");
        let known: String = known
            .split(' ')
            .skip(1)
            .flat_map(|frame| [" ", frame.rsplit('@').next().unwrap()])
            .collect();
        let n_known = known.split(' ').count() - 1;
        let n_kernel = expected.split(' ').filter(|frame| frame.starts_with('k')).count();
        assert!(
            expected.starts_with(&known) && n_known == n_kernel + 1,
            "{row}: {known} and {expected}"
        );
    }
}

#[test]
fn truncated_files_are_warned_of() {
    for (case, n_whole) in [("c-threads-events", 34), ("c-threads-pipe", 27)] {
        let whole = bytes(&format!("perf-data/{case}/perf.data"));
        let mut numbers = Vec::new();
        for end in (0..whole.len()).step_by(53) {
            match read(whole[..end].to_vec()) {
                Ok(read) => {
                    numbers.push(
                        stacks(&read).samples().iter().map(profile::Samples::len).sum::<usize>(),
                    );
                    let is_said = read
                        .warnings
                        .as_slice()
                        .iter()
                        .any(|warning| warning.code == WarningCode::Truncated);
                    assert!(is_said || case.ends_with("pipe"), "{case} cut at {end}");
                }
                Err(error) => assert!(
                    matches!(
                        error.kind,
                        ErrorKind::Truncated | ErrorKind::Unrecognised | ErrorKind::Malformed
                    ),
                    "{error}"
                ),
            }
        }
        assert!(numbers.is_sorted() && numbers.last() == Some(&n_whole), "{case}: {numbers:?}");
    }
}

#[test]
fn flipped_bits_never_panic() {
    for case in ["c-threads-events", "c-threads-zstd", "c-threads-pipe"] {
        let whole = bytes(&format!("perf-data/{case}/perf.data"));
        for at in (0..whole.len()).step_by(3) {
            let mut broken = whole.clone();
            broken[at] ^= 1 << (at / 3 % 8);
            let _ = read(broken);
        }
        for at in (0..whole.len().saturating_sub(8)).step_by(16) {
            let mut broken = whole.clone();
            broken[at..at + 8].fill(0xff);
            let _ = read(broken);
        }
    }
}

/// A file being built, in one byte order.
struct Written {
    big_endian: bool,
    bytes: Vec<u8>,
}

impl Written {
    fn u16(&mut self, number: u16) -> &mut Self {
        self.bytes.extend(if self.big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        });
        self
    }

    fn u32(&mut self, number: u32) -> &mut Self {
        self.bytes.extend(if self.big_endian {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        });
        self
    }

    fn u64s(&mut self, numbers: &[u64]) -> &mut Self {
        for number in numbers {
            self.bytes.extend(if self.big_endian {
                number.to_be_bytes()
            } else {
                number.to_le_bytes()
            });
        }
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        let padded = (self.bytes.len() + 1).next_multiple_of(8);
        self.bytes.resize(padded, 0);
        self
    }

    fn record(&mut self, kind: u32, misc: u16, body: impl FnOnce(&mut Written)) -> &mut Self {
        let mut written = Written { big_endian: self.big_endian, bytes: Vec::new() };
        body(&mut written);
        self.u32(kind).u16(misc).u16(u16::try_from(8 + written.bytes.len()).unwrap());
        self.bytes.extend(written.bytes);
        self
    }
}

const USER: u64 = (-512_i64).cast_unsigned();
const KERNEL: u64 = (-128_i64).cast_unsigned();

/// A file with one event whose samples have address, ids, time, period, call chain and last
/// branches; `records` adds the records. The header states that they have `size` bytes, or their
/// actual size.
fn file(big_endian: bool, size: Option<u64>, records: impl FnOnce(&mut Written)) -> Vec<u8> {
    let mut data = Written { big_endian, bytes: Vec::new() };
    records(&mut data);
    let size = size.unwrap_or(data.bytes.len() as u64);
    let mut file = Written { big_endian, bytes: Vec::new() };
    file.bytes.extend(if big_endian { b"2ELIFREP" } else { b"PERFILE2" });
    // Header, then one attr of 96 bytes with its (empty) section of ids, then records.
    file.u64s(&[104, 112, 104, 112, 216, size, 0, 0, 0, 0, 0, 0]);
    let (ip_tid_time, chain, period, branches) = (0b111, 1 << 5, 1 << 8, 1 << 11);
    file.u32(1).u32(96).u64s(&[0, 4000, ip_tid_time | chain | period | branches, 0]);
    // freq and sample_id_all, in the order of the machine.
    let flags: u64 = 1 << 10 | 1 << 18;
    let flags = flags.to_le_bytes();
    file.bytes.extend(if big_endian { flags.map(u8::reverse_bits) } else { flags });
    file.u64s(&[0, 0, 0, 1 << 11, 0, 0, 0, 0]);
    file.bytes.extend(data.bytes);
    file.bytes
}

/// `PERF_RECORD_MMAP2` of executable memory with a build id of two bytes.
fn map(file: &mut Written, time: u64, pid: u32, place: [u64; 3], path: &str) {
    file.record(10, 1 << 14, |body| {
        body.u32(pid).u32(pid).u64s(&place);
        body.bytes.extend([2, 0, 0, 0, 0xab, 0xcd]);
        body.bytes.extend([0; 18]);
        body.u32(5).u32(0).text(path).u32(pid).u32(pid).u64s(&[time]);
    });
}

fn sample(
    file: &mut Written,
    time: u64,
    (pid, tid): (u32, u32),
    misc: u16,
    ip: u64,
    chain: &[u64],
    branches: &[u64],
) {
    file.record(9, misc, |body| {
        body.u64s(&[ip]).u32(pid).u32(tid).u64s(&[time, 100, chain.len() as u64]).u64s(chain);
        body.u64s(&[branches.len() as u64 / 3]).u64s(branches);
    });
}

fn renamed(file: &mut Written, time: u64, id: u32, exec: bool, name: &str) {
    file.record(3, if exec { 1 << 13 } else { 0 }, |body| {
        body.u32(id).u32(id).text(name).u32(id).u32(id).u64s(&[time]);
    });
}

fn forked(file: &mut Written, time: u64, parent: u32, child: u32) {
    file.record(7, 0, |body| {
        body.u32(child)
            .u32(parent)
            .u32(child)
            .u32(parent)
            .u64s(&[time])
            .u32(child)
            .u32(child)
            .u64s(&[time]);
    });
}

#[test]
fn child_processes_inherit_mappings_until_exec() {
    for big_endian in [false, true] {
        let file = file(big_endian, None, |file| {
            // Out of order, as different processors write them.
            sample(file, 30, (8, 8), 2, 0x1010, &[USER, 0x1010, 0x1021], &[]);
            sample(file, 60, (8, 8), 2, 0x1010, &[USER, 0x1010], &[]);
            renamed(file, 1, 7, true, "shell");
            map(file, 2, 7, [0x1000, 0x1000, 0x3000], "/srv/shell (deleted)");
            forked(file, 20, 7, 8);
            renamed(file, 40, 8, true, "app");
            map(file, 50, 8, [0x1000, 0x100, 0], "/srv/app");
            sample(file, 70, (8, 8), 2, 0x1110, &[USER, 0x1110], &[]);
            map(file, 80, 8, [0x7000, 0x100, 0x9999], "//anon");
            sample(file, 90, (8, 8), 2, 0x7008, &[USER, 0x7008], &[]);
            sample(file, 10, (7, 7), 1, 0xffff_8000, &[KERNEL, 0xffff_8000, USER, 0x1fff], &[]);
        });
        let read = read(file).unwrap();
        assert_eq!(read.warnings.as_slice(), []);
        let expected = [
            "app 8 8 cpu-clock 100: @1110",
            "app 8 8 cpu-clock 100: app@10",
            "app 8 8 cpu-clock 100: perf-8.map@7008",
            "shell 7 7 cpu-clock 100: [kernel]@ffff8000 shell@3ffe",
            "shell 8 8 cpu-clock 100: shell@3010 shell@3020",
        ];
        assert_eq!(shown(stacks(&read)), expected);
        assert_eq!(lib(stacks(&read), "shell").code_id, "abcd");
        assert_eq!(lib(stacks(&read), "perf-8.map").path, "/tmp/perf-8.map");
        assert_eq!(read.span_seconds, Some(80e-9));
    }
}

/// Two calls, the innermost first: from `0x1300` to `0x1100`, from `0x1500` to `0x1200`.
const CALLS: [u64; 6] = [0x1300, 0x1100, 0, 0x1500, 0x1200, 0];

#[test]
fn calls_recorded_by_the_processor_are_callers() {
    let file = file(false, None, |file| {
        map(file, 1, 7, [0x1000, 0x1000, 0], "/srv/app");
        sample(file, 2, (7, 7), 2, 0x1110, &[], &CALLS);
        sample(file, 3, (7, 7), 1, 0xffff_8000, &[KERNEL, 0xffff_8000], &CALLS);
    });
    let expected = [
        ":7 7 7 cpu-clock 100: [kernel]@ffff8000 app@100 app@300 app@500",
        ":7 7 7 cpu-clock 100: app@110 app@300 app@500",
    ];
    assert_eq!(shown(stacks(&read(file).unwrap())), expected);
}

#[test]
fn unfinished_recordings_are_read() {
    let codes = |read: &Read| {
        read.warnings.as_slice().iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    let one_sample = |file: &mut Written| {
        map(file, 1, 7, [0x1000, 0x1000, 0], "/srv/app");
        sample(file, 2, (7, 7), 2, 0x1110, &[], &[]);
    };
    let unended = read(file(false, Some(0), one_sample)).unwrap();
    assert_eq!(
        (shown(stacks(&unended)), codes(&unended)),
        (vec![":7 7 7 cpu-clock 100: app@110".to_owned()], vec![WarningCode::Truncated])
    );
    let broken = read(file(false, None, |file| {
        one_sample(file);
        file.record(9, 2, |body| {
            body.u64s(&[0x1110]);
        });
        file.record(10, 0, |body| {
            body.u32(7);
        });
    }));
    let broken = broken.unwrap();
    assert_eq!(
        (shown(stacks(&broken)).len(), codes(&broken)),
        (1, vec![WarningCode::MalformedRecord])
    );
    let error = read(file(false, None, |_| {})).unwrap_err();
    assert!(error.to_string().contains("there is no sample"), "{error}");
}

#[test]
fn formats_of_tracepoints_are_after_their_record_or_in_it() {
    // 37 bytes, which are padded.
    let formats = [7; 40];
    let recordings = [false, true].map(|are_within| {
        file(false, None, |file| {
            map(file, 1, 7, [0x1000, 0x1000, 0], "/srv/app");
            file.record(66, 0, |body| {
                body.u32(37);
                body.bytes.extend(if are_within { &formats[..] } else { &[] });
            });
            file.bytes.extend(if are_within { &[] } else { &formats[..] });
            sample(file, 2, (7, 7), 2, 0x1110, &[], &[]);
        })
    });
    for recording in recordings {
        let read = read(recording).unwrap();
        assert_eq!(shown(stacks(&read)), [":7 7 7 cpu-clock 100: app@110"]);
        assert!(read.warnings.as_slice().is_empty());
    }
}

/// Such as those of older kernels, which are hashes of 16 bytes.
#[test]
fn padding_is_no_part_of_a_build_id() {
    let file = file(false, None, |file| {
        file.record(67, 0, |body| {
            body.u32(7);
            body.bytes.extend([0xab; 16]);
            body.bytes.extend([0; 8]);
            body.text("/srv/app");
        });
        file.record(1, 2, |body| {
            body.u32(7).u32(7).u64s(&[0x1000, 0x1000, 0]).text("/srv/app");
            body.u32(7).u32(7).u64s(&[1]);
        });
        sample(file, 2, (7, 7), 2, 0x1110, &[], &[]);
    });
    let read = read(file).unwrap();
    assert_eq!(lib(stacks(&read), "app").code_id, "ab".repeat(16));
}

/// Recorded by `perf record -B -N -m 1 -F 25000 -g -e cpu-clock:u`: one page of memory is too small a
/// buffer. `perf report --stats` counts 1252 samples and 145 lost ones, 10.4% of 1397. The kernel's two
/// records have only 112 of these: after the others, it had no room for a third one.
#[test]
fn lost_samples_are_said() {
    let mut file = Vec::new();
    let packed = &include_bytes!("files/lost.perf.data.gz")[..];
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut file).unwrap();
    let read = read(file).unwrap();
    let n_samples = stacks(&read).samples().iter().map(profile::Samples::len).sum::<usize>();
    let [warning] = read.warnings.as_slice() else { panic!("{:?}", read.warnings) };
    assert_eq!((n_samples, warning.code), (1252, WarningCode::LostSamples));
    let expected =
        "145 samples (10.4%) were lost while recording, so costs are too low; record with";
    assert!(warning.message.starts_with(expected), "{}", warning.message);
    // The file has its end.
    assert_eq!(read.truncated, Some(false));
}

#[test]
fn a_file_without_samples_says_how_many_were_lost() {
    for big_endian in [false, true] {
        let whole = file(big_endian, None, |file| {
            file.record(2, 0, |body| {
                body.u64s(&[1, 30]).u32(7).u32(7).u64s(&[5]);
            });
            file.record(2, 0, |body| {
                body.u64s(&[1]);
            });
        });
        let error = read(whole).unwrap_err().to_string();
        let expected = "there is no sample: 30 samples were lost while recording; record with";
        assert!(error.contains(expected), "{error}");
    }
}

/// A file with a group of two events, the second of which is only counted (`{…}:S`), and the samples
/// of the first: time, address, and the counters of both.
fn group_file(samples: &[(u64, u64, [u64; 2])]) -> Vec<u8> {
    let (leader, member) = (11, 12);
    let mut data = Written { big_endian: false, bytes: Vec::new() };
    for &(time, ip, counts) in samples {
        data.record(9, 2, |body| {
            body.u64s(&[ip]).u32(7).u32(7).u64s(&[time, leader, 100]);
            body.u64s(&[2, counts[0], leader, counts[1], member]);
            body.u64s(&[2, USER, ip]);
        });
    }
    let mut file = Written { big_endian: false, bytes: b"PERFILE2".to_vec() };
    // Header, two attrs of 96 bytes with their sections of ids, the ids, then records.
    file.u64s(&[104, 112, 104, 224, 344, data.bytes.len() as u64, 0, 0, 0, 0, 0, 0]);
    let (ip_tid_time, read, chain, id, period) = (0b111, 1 << 4, 1 << 5, 1 << 6, 1 << 8);
    let (with_id, group) = (1 << 2, 1 << 3);
    for (config, frequency, ids_at) in [(0, 4000, 328), (2, 0, 336)] {
        file.u32(1).u32(96).u64s(&[config, frequency, ip_tid_time | read | chain | id | period]);
        file.u64s(&[with_id | group, 1 << 10 | 1 << 18, 0, 0, 0, 0, 0, 0, ids_at, 8]);
    }
    file.u64s(&[leader, member]);
    file.bytes.extend(data.bytes);
    file.bytes
}

/// The sum is the last value of the counter, as `perf report` counts it, also for the first event.
#[test]
fn counted_events_of_a_group_are_weights_of_its_samples() {
    let samples = [(2, 0x1010, [90, 5]), (3, 0x1020, [190, 5]), (4, 0x1010, [290, 12])];
    let read = read(group_file(&samples)).unwrap();
    let profile = stacks(&read);
    let metric = |at: usize| {
        let metric = &profile.metrics()[at];
        (metric.name.as_str(), metric.unit.as_str(), total(profile, at))
    };
    assert_eq!(metric(0), ("cpu-clock", "ns", 290.0));
    assert_eq!(metric(1), ("page-faults", "page-faults", 12.0));
    let rows = [
        ":7 7 7 cpu-clock 100,page-faults 7: @1010",
        ":7 7 7 cpu-clock 100: @1020",
        ":7 7 7 cpu-clock 90,page-faults 5: @1010",
    ];
    assert_eq!(shown(profile), rows);
    // A member that counted nothing is no metric, as one without samples.
    let nothing = crate::common::read(group_file(&[(2, 0x1010, [90, 0])])).unwrap();
    assert_eq!(stacks(&nothing).metrics().len(), 1);
}

/// A file with the event `cycles` of both kinds of cores of a hybrid processor, named if `named`, and
/// samples of one thread: time, kind of core and period.
fn hybrid_file(named: bool, samples: &[(u64, u64, u64)]) -> Vec<u8> {
    let mut data = Written { big_endian: false, bytes: Vec::new() };
    for (id, name) in [(11, "cpu_core/cycles/P"), (12, "cpu_atom/cycles/P")] {
        if named {
            data.record(78, 0, |body| {
                body.u64s(&[2, id]).text(name);
            });
        }
    }
    for &(time, id, period) in samples {
        data.record(9, 2, |body| {
            body.u64s(&[0x1010]).u32(7).u32(7).u64s(&[time, id, period, 2, USER, 0x1010]);
        });
    }
    let mut file = Written { big_endian: false, bytes: b"PERFILE2".to_vec() };
    // Header, two attrs of 96 bytes with their sections of ids, the ids, then records.
    file.u64s(&[104, 112, 104, 224, 344, data.bytes.len() as u64, 0, 0, 0, 0, 0, 0]);
    let (ip_tid_time, chain, id, period) = (0b111, 1 << 5, 1 << 6, 1 << 8);
    for (kind_of_core, ids_at) in [(4, 328), (10, 336)] {
        let config = kind_of_core << 32;
        file.u32(0).u32(96).u64s(&[config, 4000, ip_tid_time | chain | id | period, 0]);
        file.u64s(&[1 << 10 | 1 << 18, 0, 0, 0, 0, 0, 0, ids_at, 8]);
    }
    file.u64s(&[11, 12]);
    file.bytes.extend(data.bytes);
    file.bytes
}

#[test]
fn cycles_of_each_kind_of_core_are_one_metric() {
    let samples = [(2, 11, 1000), (3, 12, 900), (4, 11, 1000)];
    for (named, name) in [(true, "cycles:P"), (false, "cycles")] {
        let read = read(hybrid_file(named, &samples)).unwrap();
        let profile = stacks(&read);
        let metrics: Vec<_> =
            profile.metrics().iter().map(|metric| (&*metric.name, &*metric.unit)).collect();
        assert_eq!(metrics, [(name, "cycles")]);
        assert_eq!(total(profile, 0), 2900.0);
    }
    // Also if one kind of core was never sampled, so that runs can be compared.
    let read = read(hybrid_file(true, &samples[..1])).unwrap();
    assert_eq!(stacks(&read).metrics()[0].name, "cycles:P");
}

/// Two processes in the control groups `/web` and `/db`, recorded with `--all-cgroups -F 199 -e cpu-clock`.
/// `perf report --sort cgroup --show-total-period` prints these sums.
#[test]
fn control_groups_are_labels() {
    let file = include_bytes!("files/cgroups.perf.data.gz");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&file[..]), &mut bytes).unwrap();
    let read = read(bytes).unwrap();
    let profile = read.recording.sampled().unwrap();
    let mut sums = std::collections::BTreeMap::new();
    for samples in profile.samples() {
        for i in 0..samples.len() {
            for label in profile.labels().of_set(samples.label_set(i)) {
                *sums.entry(label.to_string()).or_insert(0.0) += samples.weights()[0].get(i);
            }
        }
    }
    let sums: Vec<_> = sums.iter().map(|(label, sum)| (label.as_str(), *sum)).collect();
    assert_eq!(sums, [("cgroup=/db", 266_331_625.0), ("cgroup=/web", 854_271_250.0)]);
}
