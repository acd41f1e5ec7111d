use super::*;
use crate::read::text_rows::{labelled_rows, warnings};

const PYTHON: u32 = 0x0308_0000;
const MAIN: u64 = 7;

fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, super::read)?
}

fn rows(bytes: &[u8]) -> String {
    labelled_rows(&read(bytes).unwrap(), |thread| thread.name.clone())
}

fn header(version: u32, is_aggregated: bool, n_skipped: u64) -> Vec<u8> {
    let mut bytes = [MAGIC, &version.to_le_bytes()].concat();
    bytes.extend(if version < 12 { vec![] } else { PYTHON.to_le_bytes().to_vec() });
    bytes.extend([0, u8::from(is_aggregated)]);
    bytes.extend([0; 32]);
    bytes.extend(b"memray run app.py\0");
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([MAIN, n_skipped].map(u64::to_le_bytes).concat());
    bytes.extend(vec![0; [1, 2, 3, 3][version.clamp(10, 13) as usize - 10]]);
    bytes.extend(if version < 13 { &b""[..] } else { b"/lib\0/site\0\0/a\0/b\0\0" });
    bytes
}

fn switch(thread: u64) -> Vec<u8> {
    [&[12][..], &thread.to_le_bytes()].concat()
}

/// A code object that begins on a line after that of the last one. Its code is on the next line from byte 4 on.
fn code(id: u8, name: &str, later: u8) -> Vec<u8> {
    [&[14, id][..], name.as_bytes(), b"\0app.py\0", &[later * 2, 2, 4, 1]].concat()
}

fn push(code: u8, instruction: u8) -> Vec<u8> {
    vec![64, code, instruction * 2]
}

/// At an address that is eight times a number above that of the last one.
fn change(allocator: u8, above: u8, size: Option<u8>) -> Vec<u8> {
    let kind = 128 | 15 << 3 | if allocator < 8 { allocator } else { 0 };
    let own = (allocator >= 8).then_some(allocator);
    [kind, above * 2].into_iter().chain(own).chain(size).collect()
}

const MALLOC: u8 = 6;
const FREE: u8 = 5;
const MMAP: u8 = 14;
const MUNMAP: u8 = 15;

#[test]
fn what_is_alive_at_the_last_peak_and_at_the_end_counts() {
    let file = [
        header(13, false, 1),
        switch(MAIN),
        code(1, "run", 3),
        code(2, "main", 4),
        code(3, "load", 10),
        push(1, 0),
        push(2, 0),
        // 100 bytes, and 50 in `load`.
        change(MALLOC, 1, Some(100)),
        push(3, 4),
        change(MALLOC, 1, Some(50)),
        vec![16],
        // The second one again, by its place among the last ones; then 150 bytes are in use again.
        vec![128 | FREE],
        change(MALLOC, 1, Some(50)),
        vec![128 | FREE],
        switch(8),
        b"\x0aworker\0".to_vec(),
        push(3, 0),
        change(MALLOC, 1, Some(9)),
        vec![1],
    ]
    .concat();
    // Frames of memray itself are left out, and `load` has freed its memory when the last peak was.
    let expected = "\
main|app.py@7:7 150 2 100 1
worker: load|app.py@17:17 0 0 9 1
";
    assert_eq!(rows(&file), expected);
    assert!(warnings(&read(&file).unwrap()).is_empty());
}

#[test]
fn mapped_ranges_may_be_freed_in_parts() {
    let file = |freed: &[Vec<u8>]| {
        let start = [header(13, false, 0), switch(MAIN), code(1, "main", 3), push(1, 0)];
        let mapped = [change(MMAP, 50, Some(80))];
        [&start[..], &mapped, freed, &[vec![1]]].concat().concat()
    };
    // The range begins at 400. Of its middle, 16 bytes; of its end, 8, and 8 after it.
    let middle = file(&[change(MUNMAP, 1, Some(16))]);
    assert_eq!(rows(&middle), "main|app.py@3:3 80 1 64 2\n");
    let end = file(&[change(MUNMAP, 9, Some(16))]);
    assert_eq!(rows(&end), "main|app.py@3:3 80 1 72 1\n");
    let all = file(&[change(MUNMAP, 0, Some(80))]);
    assert_eq!(rows(&all), "main|app.py@3:3 80 1 0 0\n");
}

#[test]
fn sums_have_stacks_by_number() {
    let sum = |thread: u64, stack: u64, numbers: [u64; 4]| {
        let numbers = [&[thread, 6, 0, stack, 0][..], &numbers].concat();
        [&[2][..], &numbers.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>()].concat()
    };
    let file = [
        header(13, true, 1),
        code(1, "run", 3),
        code(2, "main", 4),
        vec![4, 0, 1, 0, 1, 4, 1, 2, 8, 0],
        // `run`, and `main` on it.
        vec![3, 0, 0, 3, 1, 1],
        sum(MAIN, 2, [2, 1, 300, 100]),
        sum(8, 2, [1, 0, 20, 0]),
        vec![15],
    ]
    .concat();
    let expected = "\
main|app.py@7:8 300 2 100 1
run|app.py@3:3 > main|app.py@7:8 20 1 0 0
";
    assert_eq!(rows(&file), expected);
}

/// Frames have a number and a line, records have four bits, and allocators other numbers.
#[test]
fn older_versions_have_lines_in_frames() {
    let own = |kind: u8, own: u8| kind | own << 4;
    let frame = |name: &str, line: u8| {
        [&[own(3, 1), 2][..], name.as_bytes(), b"\0app.py\0", &[line * 2]].concat()
    };
    for version in [10, 11] {
        let file = [
            header(version, false, 0),
            switch(MAIN),
            frame("main", 7),
            vec![4, 0],
            // The same function on another line, 2 below.
            frame("main", 2),
            vec![own(1, 1), 16, 100],
            vec![own(9, 0), 4, 0],
            vec![own(1, 1), 16, 50],
            vec![own(1, 2), 0],
            vec![own(0, 1)],
        ]
        .concat();
        let expected = "main|app.py:7 100 1 100 1\nmain|app.py:9 50 1 0 0\n";
        assert_eq!(rows(&file), expected);
    }
    let sums = [
        header(11, true, 0),
        [&[4][..], &9_u64.to_le_bytes(), b"main\0app.py\0", &7_u32.to_le_bytes(), &[1]].concat(),
        [&[3][..], &9_u64.to_le_bytes(), &0_u32.to_le_bytes()].concat(),
        [&[2][..], &[MAIN, 1, 0, 1, 0, 2, 1, 300, 100].map(u64::to_le_bytes).concat()].concat(),
        vec![15],
    ]
    .concat();
    assert_eq!(rows(&sums), "main|app.py:7 300 2 100 1\n");
}

#[test]
fn recordings_without_an_end_are_shown() {
    let whole = [
        header(13, false, 0),
        switch(MAIN),
        code(1, "main", 3),
        push(1, 0),
        change(MALLOC, 1, Some(100)),
    ]
    .concat();
    // A file grows by zeros; or the last record is incomplete.
    for end in [&[0, 0, 0][..], &[], &[14, 2, b'x']] {
        let read = read(&[&whole, end].concat()).unwrap();
        assert_eq!(warnings(&read), [(WarningCode::Truncated, 1)]);
        assert_eq!(labelled_rows(&read, |_| String::new()), "main|app.py@3:3 100 1 100 1\n");
    }
    assert_eq!(
        warnings(&read(&[&whole, &[3][..]].concat()).unwrap()),
        [(WarningCode::Malformed, 1)]
    );
    assert!(read(&whole[..60]).unwrap_err().to_string().contains("ends within its header"));
    let empty = [header(13, false, 0), vec![1]].concat();
    assert!(read(&empty).unwrap_err().to_string().contains("has no allocations"));
    let error = read(&header(9, false, 0)).unwrap_err().to_string();
    assert!(error.contains("version 9 of memray's format is not supported"), "{error}");
}
