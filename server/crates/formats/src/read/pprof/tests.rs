use super::*;
use crate::error::{At, ErrorKind};
use crate::pprof_proto::{Function, Label, Line, Mapping, Sample, ValueType};
use profile::{AddressBase, Lib, LineKnowledge, StackAccess, WarningCode};
use std::fmt::Write;

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, read)?
}

/// A file whose strings are the words of `text`, after the empty one. Functions 10, 20 … have the
/// words from index `first` on as names and are in file 4.
fn file(text: &str, first: i64, n_functions: i64) -> proto::Profile {
    let function = |i: i64| Function {
        id: 10 * (i.cast_unsigned() + 1),
        name: first + i,
        filename: 4,
        start_line: i,
        system_name: 0,
    };
    proto::Profile {
        string_table: std::iter::once("")
            .chain(text.split(' '))
            .map(|word| word.as_bytes().to_vec())
            .collect(),
        sample_type: vec![ValueType { r#type: 1, unit: 2 }, ValueType { r#type: 3, unit: 2 }],
        function: (0..n_functions).map(function).collect(),
        ..proto::Profile::default()
    }
}

/// A location of functions and lines, innermost first.
fn location(id: u64, lines: &[(u64, i64)]) -> proto::Location {
    let line = |&(function_id, number): &(u64, i64)| Line { function_id, number, column: 0 };
    let line = lines.iter().map(line).collect();
    proto::Location { id, line, ..proto::Location::default() }
}

fn sample(locations: &[u64], value: i64) -> Sample {
    Sample { location_id: locations.to_vec(), value: vec![1, value], label: Vec::new() }
}

/// Each sample as `thread: caller:line>callee:line weights`; inlined frames have `~`.
fn rows(file: &proto::Profile) -> String {
    let read = read_bytes(&file.encode_to_vec()).unwrap();
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    let mut out = String::new();
    for (thread, samples) in profile.sampled_threads() {
        for row in 0..samples.len() {
            let (mut frames, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let lib = profile
                    .symbols()
                    .funcs
                    .get(frame.func)
                    .lib
                    .map(|lib| &profile.symbols().libs[lib.index()].name);
                let lib = lib.map(|name| format!("|{name}")).unwrap_or_default();
                let mark = if frame.inlined { "~" } else { "" };
                frames.push(format!(
                    "{}{lib}:{}{mark}",
                    profile.symbols().func_name(frame.func),
                    frame.line
                ));
                next = profile.stacks().prefix(stack);
            }
            frames.reverse();
            let weights: Vec<_> =
                samples.weights().iter().map(|weights| weights.get(row).to_string()).collect();
            let ids = [&thread.pid, &thread.tid].map(|id| id.as_deref().unwrap_or("-"));
            let name = format!("{} {}", thread.name, ids.join("/"));
            writeln!(out, "{name}: {} {}", frames.join(">"), weights.join(",")).unwrap();
        }
    }
    out
}

#[test]
fn inlined_calls_precede_their_caller_and_ids_have_gaps() {
    let mut profile =
        file("samples count cpu a.c main f g /lib/libx.so thread pid tid worker", 5, 3);
    profile.mapping = vec![Mapping { id: 7, filename: 8, ..Mapping::default() }];
    profile.location = vec![location(900, &[(30, 3), (20, 2), (10, 1)]), location(5, &[(20, 9)])];
    profile.location[1].mapping_id = 7;
    let label = |key, str, num| Label { key, str, num, num_unit: 0 };
    profile.sample = vec![sample(&[5, 900], 4), sample(&[], 5), sample(&[900], -6)];
    profile.sample[1].label = vec![label(9, 12, 0), label(10, 0, 33), label(4, 12, 0)];
    let expected = " -/-: main:1>f:2~>g:3~>f|libx.so:9 1,4
 -/-: main:1>f:2~>g:3~ 1,-6
worker 33/-:  1,5
";
    assert_eq!(rows(&profile), expected);
    // Fields in another order: the strings first, the sample types last.
    let strings =
        proto::Profile { string_table: profile.string_table.clone(), ..proto::Profile::default() };
    let types =
        proto::Profile { sample_type: profile.sample_type.clone(), ..proto::Profile::default() };
    (profile.string_table, profile.sample_type) = (Vec::new(), Vec::new());
    let bytes = [strings, profile, types].map(|part| part.encode_to_vec()).concat();
    assert_eq!(rows(&proto::Profile::decode(&*bytes).unwrap()), expected);
}

#[test]
fn a_function_without_a_name_is_an_address() {
    // Function 10 is `main`; 20 has a file and lines, but no name.
    let mut profile = file("samples count cpu a.c main f /lib/app", 5, 2);
    profile.function[1].name = 0;
    profile.mapping = vec![Mapping {
        id: 1,
        memory_start: 4096,
        memory_limit: 8192,
        file_offset: 256,
        filename: 7,
        ..Mapping::default()
    }];
    let at = |id, address, lines: &[(u64, i64)]| proto::Location {
        mapping_id: 1,
        address,
        ..location(id, lines)
    };
    profile.location = vec![
        at(1, 4112, &[(20, 3)]),
        // A part of the levels is known, so the rest is not looked up.
        at(2, 4113, &[(20, 4), (10, 5)]),
        at(3, 0, &[(20, 6)]),
    ];
    profile.sample = vec![sample(&[1], 1), sample(&[2], 2), sample(&[3], 4)];
    assert_eq!(
        rows(&profile),
        " -/-: 0x110|app:3 1,1\n -/-: main|app:5>0x1011:4~ 1,2\n -/-: (anonymous):6 1,4\n"
    );
}

#[test]
fn a_location_that_makes_a_sample_a_thousand_times_as_deep_is_refused() {
    let mut profile = file("samples count cpu a.c main", 5, 1);
    for (n, is_read) in [(256, true), (4096, false)] {
        profile.location = vec![location(1, &vec![(10, 1); n])];
        profile.sample = vec![sample(&vec![1; n], 1)];
        let read = read_bytes(&profile.encode_to_vec());
        assert_eq!(read.is_ok(), is_read, "{n}");
        if let Err(error) = read {
            assert_eq!(error.kind, ErrorKind::TooLarge);
        }
    }
}

#[test]
fn allocations_are_the_default_unless_the_file_names_memory_in_use() {
    let mut profile = file("alloc_objects count alloc_space bytes inuse_objects inuse_space", 0, 0);
    profile.sample_type = [(1, 2), (3, 4), (5, 2), (6, 4)]
        .map(|(name, unit)| ValueType { r#type: name, unit })
        .to_vec();
    for (named, shown) in [(0, 1), (6, 3), (3, 1)] {
        profile.default_sample_type = named;
        assert_eq!(
            read_bytes(&profile.encode_to_vec()).unwrap().recording.default_metric().index(),
            shown
        );
    }
}

#[test]
fn the_default_metric_is_the_named_one_or_the_last() {
    let mut profile = file("samples count cpu nanoseconds alloc_objects", 0, 0);
    profile.sample_type =
        [(1, 2), (3, 4), (5, 2)].map(|(name, unit)| ValueType { r#type: name, unit }).to_vec();
    profile.period_type = Some(ValueType { r#type: 3, unit: 4 });
    profile.period = 10_000_000;
    profile.duration_nanos = 1_500_000_000;
    for (named, shown) in [(0, 2), (3, 1), (1, 0), (2, 2)] {
        profile.default_sample_type = named;
        let read = read_bytes(&profile.encode_to_vec()).unwrap();
        assert_eq!(read.recording.default_metric().index(), shown);
        let seconds: Vec<_> =
            read.recording.metrics().iter().map(|metric| metric.seconds_per_unit).collect();
        assert_eq!(seconds, [Some(0.01), Some(1e-9), None]);
        assert_eq!(read.recording.metrics()[0].unit, "count");
        assert_eq!(read.recording.metrics()[0].lines, LineKnowledge::Nothing);
        assert_eq!(read.span_seconds, Some(1.5));
    }
    // The period is not a time.
    profile.period_type = Some(ValueType { r#type: 3, unit: 2 });
    assert_eq!(
        read_bytes(&profile.encode_to_vec()).unwrap().recording.metrics()[0].seconds_per_unit,
        None
    );
}

#[test]
fn addresses_are_those_in_the_library() {
    let mut profile = file("samples count cpu a.c main /bin/app", 5, 1);
    let range = Mapping {
        memory_start: 0x5000,
        memory_limit: 0x6000,
        file_offset: 0x100,
        ..Mapping::default()
    };
    profile.mapping = vec![Mapping { id: 1, filename: 6, ..range }];
    let at = |id, mapping_id, address, lines| proto::Location {
        mapping_id,
        address,
        ..location(id, lines)
    };
    profile.location = vec![
        at(1, 1, 0x5abc, &[]),
        at(2, 1, 0x7001, &[]),
        at(3, 0, 0x7001, &[(0, 0)]),
        at(4, 0, 0, &[]),
    ];
    profile.sample = vec![sample(&[1, 2, 3, 4], 1)];
    // An address outside of its mapping has no address in the file.
    assert_eq!(rows(&profile), " -/-: :0>0x7001:0>0x7001:0>0xbbc|app:0 1,1\n");

    // Only some of the inlined functions have names; two locations have one address; a mapping is
    // not stated.
    profile.location = vec![
        at(1, 1, 0x5abc, &[(10, 3), (0, 0)]),
        at(2, 0, 0x5abc, &[]),
        at(3, 1, 0x5abc, &[(0, 7)]),
    ];
    profile.sample = vec![sample(&[1, 2, 3], 1)];
    assert_eq!(rows(&profile), " -/-: 0xbbc|app:7>0xbbc|app:0>0x5abc:0>main|app:3~ 1,1\n");
    profile.mapping.push(Mapping { id: 2, ..profile.mapping[0] });
    assert_eq!(rows(&profile), " -/-: 0xbbc|app:7>0x5abc:0>0x5abc:0>main|app:3~ 1,1\n");
}

#[test]
fn libraries_have_their_build_ids() {
    let mut profile = file("samples count cpu a.c main /bin/app 0a1b2c [vdso] abc/def", 5, 1);
    let mapping = |id: u64, filename, build_id| Mapping {
        id,
        filename,
        build_id,
        memory_start: id << 12,
        memory_limit: (id + 1) << 12,
        ..Mapping::default()
    };
    profile.mapping = vec![mapping(1, 6, 7), mapping(2, 6, 7), mapping(3, 8, 9), mapping(4, 0, 0)];
    profile.location = (1..=4)
        .map(|id| proto::Location { mapping_id: id, address: id << 12 | 0x10, ..location(id, &[]) })
        .collect();
    profile.sample = vec![sample(&[1, 2, 3, 4], 1)];
    assert_eq!(rows(&profile), " -/-: 0x10:0>0x10|[vdso]:0>0x10|app:0>0x10|app:0 1,1\n");
    let read = read_bytes(&profile.encode_to_vec()).unwrap();
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    let lib = |name: &str, path: &str, code_id: &str| {
        let [name, path, code_id] = [name, path, code_id].map(str::to_owned);
        Lib { name, path, code_id, addresses: AddressBase::File, ..Lib::default() }
    };
    assert_eq!(profile.symbols().libs, [lib("app", "/bin/app", "0a1b2c"), lib("[vdso]", "", "")]);
}

#[test]
fn frames_are_left_out_as_pprof_does() {
    // a calls b, which calls c and d; d is inlined into c at location 5.
    let mut profile = file("samples count cpu a.c a b c d(int) a|d|b b", 5, 4);
    profile.location = vec![
        location(1, &[(10, 1)]),
        location(2, &[(20, 2)]),
        location(3, &[(30, 3)]),
        location(4, &[(40, 4)]),
        location(5, &[(40, 4), (30, 3)]),
    ];
    let stacks: [&[u64]; 6] =
        [&[4, 3, 2, 1], &[1, 4, 3], &[5, 2], &[2, 5, 2, 1], &[4, 1], &[5, 1, 3]];
    profile.sample = stacks.iter().map(|stack| sample(stack, 1)).collect();
    profile.drop_frames = 9;
    profile.keep_frames = 10;
    let kept = "a:1>b:2>c:3|c:3|b:2>c:3|a:1>b:2>c:3|a:1>d(int):4|c:3";
    assert_eq!(
        rows(&profile),
        kept.split('|').fold(String::new(), |all, row| format!("{all} -/-: {row} 1,1\n"))
    );

    profile.string_table[9] = b"(".to_vec();
    let read = read_bytes(&profile.encode_to_vec()).unwrap();
    assert_eq!(read.warnings.as_slice()[0].code, WarningCode::DropFrames);
    assert!(rows(&profile).starts_with(" -/-: a:1>b:2>c:3>d(int):4 1,1\n"));
}

#[test]
fn dangling_references_are_errors() {
    let mut good = file("samples count cpu a.c main f", 5, 2);
    good.location = vec![location(1, &[(10, 1), (20, 2)])];
    good.sample = vec![sample(&[1], 4)];
    let broken = |change: fn(&mut proto::Profile)| {
        let mut profile = good.clone();
        change(&mut profile);
        let error = read_bytes(&profile.encode_to_vec()).unwrap_err();
        let is_cut = error.message.ends_with("cut off");
        assert_eq!(error.kind, if is_cut { ErrorKind::Truncated } else { ErrorKind::Malformed });
        error.to_string()
    };
    assert_eq!(rows(&good), " -/-: f:2>main:1~ 1,4\n");
    let cases = [
        (
            broken(|p| p.sample_type[1].unit = 7),
            "sample_type[1].unit: there is no string 7; the file may be cut off",
        ),
        (
            broken(|p| p.function[1].name = -1),
            "function[1].name: there is no string -1; the file may be cut off",
        ),
        (
            broken(|p| p.sample[0].location_id[0] = 2),
            "sample[0].location_id[0]: there is no location 2; the file may be cut off",
        ),
        (
            broken(|p| p.location[0].mapping_id = 3),
            "location[0].mapping_id: there is no mapping 3; the file may be cut off",
        ),
        (
            broken(|p| p.location[0].line[1].function_id = 3),
            "location[0].line[1].function_id: there is no function 3; the file may be cut off",
        ),
        (
            broken(|p| p.function[1].id = 10),
            "function[1].id: expected an id above 0 that no other function has, found 10",
        ),
        (
            broken(|p| p.location[0].id = 0),
            "location[0].id: expected an id above 0 that no other location has, found 0",
        ),
        (
            broken(|p| p.sample[0].value = vec![1]),
            "sample[0].value: 1 values; expected 2, one per sample type",
        ),
        (broken(|p| p.sample_type.clear()), "sample_type: there are 0; expected 1 to 64"),
    ];
    for (error, expected) in cases {
        assert_eq!(error, expected);
    }
    let bytes = good.encode_to_vec();
    let error = read_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(bytes.len() as u64 - 3)));
    let error = read_bytes(b"\x32\x00\x0a\x00\x12\x02\x0a\x05").unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Byte(4)));
}

#[test]
fn invalid_utf8_in_names_loses_nothing_else() {
    let mut profile = file("samples count cpu a.c main", 5, 1);
    profile.string_table[5] = b"m\xff".to_vec();
    profile.location = vec![location(1, &[(10, -1)])];
    profile.sample = vec![sample(&[1], 4)];
    assert_eq!(rows(&profile), " -/-: m\u{fffd}:0 1,4\n");
    assert_eq!(
        read_bytes(&profile.encode_to_vec()).unwrap().warnings.as_slice()[0].code,
        WarningCode::InvalidUtf8
    );
}

#[test]
fn a_hundred_thousand_levels_are_read_without_recursion() {
    let mut profile = file("samples count cpu a.c f", 5, 1);
    profile.location = vec![location(1, &[(10, 1)])];
    profile.sample = vec![sample(&[1; 100_000], 1)];
    let read = read_bytes(&profile.encode_to_vec()).unwrap();
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    assert_eq!(profile.stacks().len(), 100_000);
}

#[test]
fn prefixes_are_recognised_in_any_order_of_fields() {
    let mut profile = file("samples count cpu a.c f", 5, 1);
    profile.sample = vec![sample(&[1; 1000], 1)];
    let whole = profile.encode_to_vec();
    assert!(is_pprof(&whole) && is_pprof(&whole[..100]));
    // Strings first, as in some files.
    assert!(is_pprof(b"\x32\x00\x32\x03cpu\x32\x05count\x0a\x04\x08\x01\x10\x02"));
    // A graph of TensorFlow: nodes with names.
    assert!(!is_pprof(
        b"\x0a\x0c\x0a\x05input\x12\x03abc\x0a\x02\x0a\x00\x0a\x02\x0a\x00\x0a\x02\x0a\x00"
    ));
    assert!(!is_pprof(b"\x0a\x04\x08\x01\x10\x02"), "too little to say");
    assert!(
        !is_pprof(b"") && !is_pprof(b"P1;T0:2 191\n") && !is_pprof(b"PK\x03\x04\x14\x00\x00\x00")
    );
}

#[test]
fn labels_and_the_build_id_name_revisions() {
    let mut file = file("samples count cpu a.c main revision 1f2e 3d4c service_git_ref abcd", 5, 1);
    let label = |key, str| Label { key, str, ..Label::default() };
    let with = |labels: &[Label]| Sample { label: labels.to_vec(), ..sample(&[1], 1) };
    file.location = vec![location(1, &[(10, 3)])];
    file.mapping = vec![Mapping { id: 1, build_id: 10, ..Mapping::default() }];
    let revisions = |file: &proto::Profile| read_bytes(&file.encode_to_vec()).unwrap().revisions;
    file.sample = vec![with(&[label(6, 7)]), sample(&[1], 1), with(&[label(6, 7)])];
    assert_eq!(revisions(&file), ["1f2e", "abcd"]);
    file.sample.push(with(&[label(9, 8)]));
    assert_eq!(revisions(&file), ["3d4c", "1f2e", "abcd"]);
    // Samples of two builds are of no one revision.
    file.sample.push(with(&[label(6, 8)]));
    assert_eq!(revisions(&file), ["3d4c", "abcd"]);
}
