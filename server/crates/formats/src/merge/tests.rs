//! Hand-checkable files. Rows of pprof are written as `LOCATIONS LABELS: VALUES`, leaf first.

use super::{Cuts, Merger, Part};
use crate::format::Format;
use crate::limits::Limits;
use crate::pprof_proto::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use flate2::read::GzDecoder;
use prost::Message;
use std::io::Read as _;

const STRINGS: [&str; 13] = [
    "",
    "samples",
    "count",
    "cpu",
    "nanoseconds",
    "main",
    "parse",
    "/bin/app",
    "a.go",
    "key",
    "x",
    "y",
    "bytes",
];

fn id(text: &str) -> i64 {
    (0..).zip(STRINGS).find(|&(_, string)| string == text).unwrap().0
}

/// A program at `start` with `main` at offset 0x10 and `parse` at 0x20, whose ids begin with `first`.
fn program(start: u64, first: u64, samples: Vec<Sample>) -> Profile {
    let value_type = |name, unit| ValueType { r#type: id(name), unit: id(unit) };
    let function = |n, name| Function {
        id: first + n,
        name: id(name),
        filename: id("a.go"),
        ..Function::default()
    };
    let location = |n, line| Location {
        id: first + n,
        mapping_id: first,
        address: start + 0x10 * (n + 1),
        line: vec![Line { function_id: first + n, number: line, column: 0 }],
        is_folded: false,
    };
    Profile {
        sample_type: vec![value_type("samples", "count"), value_type("cpu", "nanoseconds")],
        sample: samples,
        mapping: vec![Mapping {
            id: first,
            memory_start: start,
            memory_limit: start + 0x3000,
            filename: id("/bin/app"),
            ..Mapping::default()
        }],
        location: vec![location(0, 3), location(1, 7)],
        function: vec![function(0, "main"), function(1, "parse")],
        string_table: STRINGS.map(|text| text.as_bytes().to_vec()).to_vec(),
        duration_nanos: 10,
        time_nanos: start.cast_signed(),
        period_type: Some(value_type("cpu", "nanoseconds")),
        period: first.cast_signed(),
        ..Profile::default()
    }
}

fn sample(locations: &[u64], value: i64, label: &[Label]) -> Sample {
    Sample {
        location_id: locations.to_vec(),
        value: vec![value, value * 10],
        label: label.to_vec(),
    }
}

fn text(key: &str, str: &str) -> Label {
    Label { key: id(key), str: id(str), ..Label::default() }
}

fn merge(files: &[Profile]) -> Result<Profile, String> {
    let mut merger = Merger::default();
    for file in files {
        let part =
            Part::read(file.encode_to_vec(), Limits::default()).map_err(|e| e.to_string())?;
        merger.add(part).map_err(|error| error.to_string())?;
    }
    let (bytes, format) = merger.finish().unwrap();
    assert_eq!(format, Format::Pprof);
    let mut inner = Vec::new();
    GzDecoder::new(&*bytes).read_to_end(&mut inner).unwrap();
    Ok(Profile::decode(&*inner).unwrap())
}

fn rows(file: &Profile) -> Vec<String> {
    let string = |index: i64| {
        String::from_utf8_lossy(&file.string_table[usize::try_from(index).unwrap()]).into_owned()
    };
    let place = |id: &u64| {
        let location = file.location.iter().find(|location| location.id == *id).unwrap();
        let names = location.line.iter().map(|line| {
            let function = file.function.iter().find(|f| f.id == line.function_id).unwrap();
            format!("{}:{}", string(function.name), line.number)
        });
        format!("{}@{:x}", names.collect::<Vec<_>>().join("+"), location.address)
    };
    let row = |sample: &Sample| {
        let places: Vec<_> = sample.location_id.iter().map(place).collect();
        let labels: Vec<_> = sample
            .label
            .iter()
            .map(|label| {
                format!(
                    "{}={}{}{}",
                    string(label.key),
                    string(label.str),
                    label.num,
                    string(label.num_unit)
                )
            })
            .collect();
        format!("{} {}: {:?}", places.join(" "), labels.join(" "), sample.value)
    };
    file.sample.iter().map(row).collect()
}

#[test]
fn samples_with_the_same_places_and_labels_are_added() {
    let number = Label { key: id("bytes"), num: 512, num_unit: id("bytes"), ..Label::default() };
    let first = program(
        0x1000,
        1,
        vec![
            sample(&[2, 1], 1, &[]),
            sample(&[2, 1], 2, &[text("key", "x"), number]),
            sample(&[1], 4, &[]),
        ],
    );
    // The program is at another address and has other ids.
    let second = program(
        0x9000,
        5,
        vec![
            sample(&[6, 5], 10, &[]),
            sample(&[6, 5], 20, &[number, text("key", "x")]),
            sample(&[6, 5], 40, &[text("key", "y")]),
            sample(&[5], -4, &[]),
        ],
    );
    let merged = merge(&[first, second]).unwrap();
    assert_eq!(
        rows(&merged),
        [
            "parse:7@1020 main:3@1010 : [11, 110]",
            "parse:7@1020 main:3@1010 key=x0 bytes=512bytes: [22, 220]",
            "parse:7@1020 main:3@1010 key=y0: [40, 400]",
        ]
    );
    let sizes = (merged.mapping.len(), merged.function.len(), merged.location.len());
    assert_eq!(sizes, (1, 2, 2));
    let times = (merged.time_nanos, merged.duration_nanos, merged.period);
    assert_eq!(times, (0x1000, 20, 5));
}

#[test]
fn rows_that_nothing_uses_are_left_out() {
    let first = program(0x1000, 1, vec![sample(&[2], 1, &[]), sample(&[1], 3, &[])]);
    let second = program(0x1000, 1, vec![sample(&[2], -1, &[]), sample(&[], 0, &[])]);
    let merged = merge(&[first, second]).unwrap();
    assert_eq!(rows(&merged), ["main:3@1010 : [3, 30]"]);
    assert_eq!((merged.function.len(), merged.location.len()), (1, 1));
}

#[test]
fn files_that_do_not_go_together_are_refused() {
    let file = || program(0x1000, 1, vec![sample(&[1], 1, &[])]);
    let mut other = file();
    other.sample_type[1].r#type = id("bytes");
    assert_eq!(
        merge(&[file(), other]).unwrap_err(),
        "has the sample types samples/count, bytes/nanoseconds, unlike the first file, which has \
         samples/count, cpu/nanoseconds"
    );
    let mut other = file();
    other.period_type = None;
    assert_eq!(
        merge(&[file(), other]).unwrap_err(),
        "has the period type /, unlike the first file, which has cpu/nanoseconds"
    );
    let mut large = file();
    large.sample[0].value[0] = i64::MAX;
    assert!(merge(&[file(), large]).unwrap_err().contains("larger than 64 bits"));
}

/// What is damaged, and the beginning of the message.
type Case<'a> = (&'a dyn Fn(&mut Profile), &'a str);

#[test]
fn damaged_files_are_refused_one_by_one() {
    let damaged = |damage: &dyn Fn(&mut Profile)| {
        let mut file = program(0x1000, 1, vec![sample(&[1], 1, &[text("key", "x")])]);
        damage(&mut file);
        merge(&[file]).unwrap_err()
    };
    let cases: [Case<'_>; 8] = [
        (&|file| file.sample[0].location_id[0] = 9, "sample[0]: there is no location 9"),
        (&|file| file.sample[0].value.truncate(1), "sample[0].value: 1 values; expected 2"),
        (&|file| file.sample[0].label[0].key = 99, "sample[0]: there is no string 99"),
        (&|file| file.location[1].id = 1, "location[1].id: expected an id above 0 that no other"),
        (&|file| file.location[1].mapping_id = 8, "location[1]: there is no mapping 8"),
        (&|file| file.location[0].line[0].function_id = 7, "location[0]: there is no function 7"),
        (&|file| file.function[0].name = -1, "function[0]: there is no string -1"),
        (&|file| file.comment = vec![13], "comment[0]: there is no string 13"),
    ];
    for (damage, expected) in cases {
        let message = damaged(damage);
        assert!(message.starts_with(expected), "{message}");
    }
}

fn folded(files: &[&str]) -> Result<String, String> {
    let mut merger = Merger::default();
    for file in files {
        let part = Part::read(file.as_bytes().to_vec(), Limits::default());
        merger.add(part.map_err(|e| e.to_string())?).map_err(|error| error.to_string())?;
    }
    Ok(String::from_utf8(merger.finish().unwrap().0).unwrap())
}

#[test]
fn folded_stacks_are_added() {
    let files = [
        "main;parse 3\nmain 9007199254740993\nmain;parse 1\n",
        "# by hand\nmain;f (a b) 2\nmain 2",
    ];
    assert_eq!(folded(&files).unwrap(), "main 9007199254740995\nmain;f (a b) 2\nmain;parse 4\n");
    let austin = |mode: &str, us| {
        format!("# austin: 3.6.0\n# mode: {mode}\nP1;T1;a.py:f:3 {us}\n# duration: {us}\n")
    };
    let files = [austin("wall", 5), austin("wall", 6)];
    let merged = folded(&files.each_ref().map(String::as_str)).unwrap();
    assert_eq!(merged, "# mode: wall\n# duration: 11\nP1;T1;a.py:f:3 11\n");
    let files = [austin("wall", 5), austin("cpu", 6)];
    let message = folded(&files.each_ref().map(String::as_str)).unwrap_err();
    assert_eq!(message, "has the mode cpu, unlike the first file, which has wall");
}

#[test]
fn lines_without_a_whole_number_are_refused() {
    let message = folded(&["main 1\nmain;f 1.5\n"]).unwrap_err();
    assert!(
        message.starts_with("line 2, column 1: expected frames and a whole number"),
        "{message}"
    );
    let message = folded(&["main;f 1 2\nmain;parse;hash 3 4\n"]).unwrap_err();
    assert!(message.starts_with("the lines have several values"), "{message}");
    let max = format!("main;f {}\n", i64::MAX);
    let message = folded(&[&max, "main;f 1\n"]).unwrap_err();
    assert_eq!(message, "makes a sum larger than 64 bits can hold");
}

#[test]
fn formats_are_not_mixed() {
    let mut merger = Merger::default();
    merger.add(Part::read(b"main 1\n".to_vec(), Limits::default()).unwrap()).unwrap();
    let pprof = program(0x1000, 1, vec![sample(&[1], 1, &[])]).encode_to_vec();
    let message = merger.add(Part::read(pprof, Limits::default()).unwrap()).unwrap_err();
    assert!(message.to_string().starts_with("is a pprof profile, unlike"), "{message}");
}

fn by_percent(percent: f64) -> Cuts {
    Cuts { min_percent: Some(percent), ..Cuts::default() }
}

/// The text after a cut, and the weight that is not where it was spent.
fn cut_folded(text: &str, cuts: &Cuts) -> (String, u128) {
    let mut merger = Merger::default();
    merger.add(Part::read(text.as_bytes().to_vec(), Limits::default()).unwrap()).unwrap();
    let moved = merger.cut(cuts).unwrap();
    (String::from_utf8(merger.finish().unwrap().0).unwrap(), moved)
}

/// `work` costs 16 on four lines.
const WORK: &str = "\
main (m.py:1);rest (m.py:20) 84
main (m.py:1);work (m.py:10) 4
main (m.py:1);work (m.py:11) 4
main (m.py:2);work (m.py:12) 4
main (m.py:2);work (m.py:13) 4
";

#[test]
fn folded_stacks_are_cut_by_function() {
    assert_eq!(cut_folded(WORK, &by_percent(5.0)), (WORK.to_owned(), 0));
    assert_eq!(cut_folded(WORK, &by_percent(16.0)), (WORK.to_owned(), 0));
    let expected = "main (m.py:1) 8\nmain (m.py:1);rest (m.py:20) 84\nmain (m.py:2) 8\n";
    assert_eq!(cut_folded(WORK, &by_percent(17.0)), (expected.to_owned(), 16));
    // Functions of two files are two. Interpreted and compiled code of a function are one.
    let text = "f (a.py:1);g (a.py:3) 4\nf (a.py:1);g (b.py:4) 4\nf (a.py:2) 92\n";
    let expected = "f (a.py:1) 8\nf (a.py:2) 92\n";
    assert_eq!(cut_folded(text, &by_percent(5.0)), (expected.to_owned(), 8));
    let text = "A.run;B.get_[0] 4\nA.run;B.get_[j] 4\nA.run;C.put 92\n";
    assert_eq!(cut_folded(text, &by_percent(5.0)), (text.to_owned(), 0));
}

/// `main` calls `parse`, which has 4% at each of two locations, and code without a name. Another
/// location is `main` with `parse` inlined.
#[test]
fn pprof_is_cut_by_function() {
    let mut file = program(0x1000, 1, Vec::new());
    let line = |function_id, number| Line { function_id, number, column: 0 };
    let mut location = |id, line: &[Line]| {
        let address = 0x1000 + 0x10 * id;
        file.location.push(Location {
            id,
            mapping_id: 1,
            address,
            line: line.to_vec(),
            is_folded: false,
        });
    };
    location(3, &[line(2, 8)]);
    location(4, &[]);
    location(5, &[line(2, 9), line(1, 4)]);
    let cut = |samples: &[(&[u64], i64)], percent| {
        let sample = samples.iter().map(|&(stack, value)| sample(stack, value, &[])).collect();
        let mut merger = Merger::default();
        let bytes = Profile { sample, ..file.clone() }.encode_to_vec();
        merger.add(Part::read(bytes, Limits::default()).unwrap()).unwrap();
        let moved = merger.cut(&by_percent(percent)).unwrap();
        let mut inner = Vec::new();
        GzDecoder::new(&*merger.finish().unwrap().0).read_to_end(&mut inner).unwrap();
        let mut rows = rows(&Profile::decode(&*inner).unwrap());
        rows.sort();
        (rows.join(", "), moved)
    };
    let by_line: &[(&[u64], i64)] = &[(&[2, 1], 4), (&[3, 1], 4), (&[4, 1], 2), (&[1], 90)];
    let lines = "parse:7@1020 main:3@1010 : [4, 40], parse:8@1030 main:3@1010 : [4, 40]";
    assert_eq!(cut(by_line, 5.0), (format!("main:3@1010 : [92, 920], {lines}"), 20));
    assert_eq!(
        cut(by_line, 2.0),
        (format!("@1040 main:3@1010 : [2, 20], main:3@1010 : [90, 900], {lines}"), 0)
    );
    // `main` has all on two locations. What `parse` costs in the second stays at `main` there.
    let inlined: &[(&[u64], i64)] = &[(&[1], 96), (&[5], 3), (&[2, 5], 1)];
    assert_eq!(
        cut(inlined, 5.0),
        ("main:3@1010 : [96, 960], main:4@1050 : [4, 40]".to_owned(), 40)
    );
    assert_eq!(
        cut(inlined, 4.0),
        ("main:3@1010 : [96, 960], parse:9+main:4@1050 : [4, 40]".to_owned(), 10)
    );
}
