use super::*;
use crate::read::text_rows::{profile, rows, warnings};
use profile::JitTier::{Tier0, Tier1, Unknown};
use profile::StackAccess;

/// Metadata of the kinds of events: number, provider, id, name.
const KINDS: [(u32, &str, u32, &str); 7] = [
    (1, "Microsoft-DotNETCore-SampleProfiler", 0, ""),
    (2, "Microsoft-Windows-DotNETRuntimeRundown", 144, ""),
    (3, "Microsoft-Windows-DotNETRuntimeRundown", 154, ""),
    (4, "Microsoft-Windows-DotNETRuntime", 9, ""),
    (5, "Universal.Events", 1, "cpu"),
    (6, "Universal.System", 3, "ProcessMapping"),
    (7, "Universal.System", 4, "ProcessSymbol"),
];

fn var(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

fn text(text: &str) -> Vec<u8> {
    [var(text.len() as u64), text.as_bytes().to_vec()].concat()
}

fn short_text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// The payload of `MethodDCEndVerbose`.
fn method(start: u64, size: u32, flags: u32, [namespace, name, signature]: [&str; 3]) -> Vec<u8> {
    let ids = [7, 0x99, start].map(u64::to_le_bytes).concat();
    let numbers = [size, 0, flags].map(u32::to_le_bytes).concat();
    [ids, numbers, wide(namespace), wide(name), wide(signature), vec![0; 2]].concat()
}

/// The payload of `ModuleDCEnd`.
fn module(path: &str) -> Vec<u8> {
    [0x99_u64.to_le_bytes().to_vec(), vec![0; 16], wide(path), wide("")].concat()
}

/// Events of a block, each with all fields.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    time: u64,
    sequence: u32,
}

impl Block {
    fn event(mut self, metadata: u32, thread: u64, stack: u32, time: u64, payload: &[u8]) -> Self {
        self.bytes.push(0b1000_1111);
        self.sequence += 1;
        for field in [metadata.into(), 0, 1, 0, thread, stack.into(), time - self.time] {
            self.bytes.extend(var(field));
        }
        self.bytes.extend(var(payload.len() as u64));
        self.bytes.extend(payload);
        self.time = time;
        self
    }

    fn sample(self, thread: u64, stack: u32, time: u64, kind: u32) -> Self {
        self.event(1, thread, stack, time, &kind.to_le_bytes())
    }

    fn content(self) -> Vec<u8> {
        [&[20, 0, 1, 0][..], &[0; 16], &self.bytes].concat()
    }
}

/// A file that is written.
struct Writer {
    bytes: Vec<u8>,
    version: u32,
}

impl Writer {
    /// A million ticks a second.
    fn new(version: u32) -> Self {
        let mut this = Self { bytes: b"Nettrace".to_vec(), version };
        let times = [[0; 16].to_vec(), [1000, 1_000_000].map(u64::to_le_bytes).concat()].concat();
        if version == 6 {
            this.bytes.extend([0, 6, 0].map(u32::to_le_bytes).concat());
            let numbers = [8_u32, 1].map(u32::to_le_bytes).concat();
            let pairs = [text("ExpectedCPUSamplingRate"), text("2000000")].concat();
            return this.block("Trace", 1, &[times, numbers, pairs].concat());
        }
        this.bytes.extend(b"\x14\0\0\0!FastSerialization.1");
        this.bytes.extend(b"\x05\x05\x01\x04\0\0\0\x04\0\0\0\x05\0\0\0Trace\x06");
        this.bytes
            .extend([times, [8_u32, 42, 4, 1_000_000].map(u32::to_le_bytes).concat()].concat());
        this.bytes.push(6);
        this
    }

    fn block(mut self, name: &str, kind: u8, content: &[u8]) -> Self {
        let size = content.len() as u32;
        if self.version == 6 {
            self.bytes.extend((size | u32::from(kind) << 24).to_le_bytes());
            self.bytes.extend(content);
            return self;
        }
        self.bytes.extend([5, 5, 1, 2, 0, 0, 0, 2, 0, 0, 0, name.len() as u8, 0, 0, 0]);
        self.bytes.extend(name.as_bytes());
        self.bytes.push(6);
        self.bytes.extend(size.to_le_bytes());
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.bytes.extend(content);
        self.bytes.push(6);
        self
    }

    fn metadata(self) -> Self {
        if self.version == 6 {
            let row = |&(number, provider, id, name): &(u32, &str, u32, &str)| {
                let row =
                    [var(number.into()), text(provider), var(id.into()), text(name), vec![0; 4]];
                let row = row.concat();
                [(row.len() as u16).to_le_bytes().to_vec(), row].concat()
            };
            let rows = KINDS.iter().flat_map(row);
            return self.block("", 3, &[0, 0].into_iter().chain(rows).collect::<Vec<u8>>());
        }
        let add = |block: Block, &(number, provider, id, name): &(u32, &str, u32, &str)| {
            let number = number.to_le_bytes().to_vec();
            let kind = [number, wide(provider), id.to_le_bytes().to_vec(), wide(name)].concat();
            block.event(0, 0, 0, 0, &kind)
        };
        let block = KINDS.iter().fold(Block::default(), add);
        self.block("MetadataBlock", 3, &block.content())
    }

    /// Stacks from number 1 on, innermost first.
    fn stacks(self, stacks: &[&[u64]]) -> Self {
        let mut content = [1, stacks.len() as u32].map(u32::to_le_bytes).concat();
        for stack in stacks {
            content.extend((8 * stack.len() as u32).to_le_bytes());
            content.extend(stack.iter().flat_map(|address| address.to_le_bytes()));
        }
        self.block("StackBlock", 5, &content)
    }

    fn events(self, block: Block) -> Self {
        self.block("EventBlock", 2, &block.content())
    }

    /// A sequence point without threads.
    fn sequence_point(self) -> Self {
        let n = if self.version == 6 { 16 } else { 12 };
        self.block("SPBlock", 4, &[0; 16][..n])
    }

    fn rundown(self) -> Self {
        let work = ["Shop.Cart", "Total", "instance float64  (int32)"];
        let block = Block::default()
            .event(
                2,
                1,
                0,
                9000,
                &method(
                    0x1000,
                    0x100,
                    0,
                    ["Shop.Program", "Main", "void  (class System.String[])"],
                ),
            )
            .event(2, 1, 0, 9000, &method(0x1100, 0x80, 3 << 7 | 8, work))
            .event(2, 1, 0, 9000, &method(0x2000, 0x80, 4 << 7 | 8, work))
            .event(3, 1, 0, 9000, &module(r"C:\app\Shop.dll"));
        self.events(block)
    }

    fn end(mut self) -> Vec<u8> {
        let end: &[u8] = if self.version == 6 { &[0; 4] } else { &[1] };
        self.bytes.extend(end);
        self.bytes
    }
}

/// Samples of two threads, with a sequence point between them.
fn sampled(version: u32) -> Writer {
    let first = Block::default()
        .sample(11, 2, 2000, 2)
        .sample(12, 1, 2000, 1)
        .event(4, 11, 1, 2500, &[])
        .sample(11, 2, 3500, 1);
    let second = Block::default().sample(11, 1, 4000, 2).sample(12, 2, 6000, 1);
    Writer::new(version)
        .metadata()
        .stacks(&[&[0x1050], &[0x1110, 0x1050]])
        .events(first)
        .sequence_point()
        .stacks(&[&[0x2000, 0x1050], &[0x3000, 0x1050]])
        .events(second)
}

fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, super::read)?
}

fn read_error(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// 1000 ticks are a millisecond.
const SAMPLED: &str = "\
42/11: Shop.Program.Main(class System.String[])|Shop > Shop.Cart.Total(int32)|Shop 1.5
42/11: Shop.Program.Main(class System.String[])|Shop > Shop.Cart.Total(int32)|Shop 0.5
42/11: Shop.Program.Main(class System.String[])|Shop > Shop.Cart.Total(int32)|Shop 0
42/12: Shop.Program.Main(class System.String[])|Shop 4
42/12: Shop.Program.Main(class System.String[])|Shop > ? 0
";

#[test]
fn a_sample_lasts_until_the_next_one_of_its_thread() {
    let read = read(&sampled(4).rundown().end()).unwrap();
    assert_eq!(rows(&read), SAMPLED);
    assert!(warnings(&read).is_empty());
    assert_eq!((read.version.as_deref(), read.span_seconds), (Some("4"), Some(0.004)));
    assert_eq!(read.recording.metrics()[0].name, "milliseconds");
}

#[test]
fn samples_say_in_which_code_the_thread_was() {
    let read = read(&sampled(4).rundown().end()).unwrap();
    let profile = profile(&read);
    let states = profile.samples().iter().flat_map(|samples| {
        let label = |row| profile.labels().of_set(samples.label_set(row)).next().unwrap();
        (0..samples.len()).map(move |row| label(row).value.to_string())
    });
    assert_eq!(
        states.collect::<Vec<_>>(),
        ["managed", "external", "managed", "external", "external"]
    );
}

/// The code that a method was compiled to again is the same method.
#[test]
fn frames_have_tiers() {
    let read = read(&sampled(4).rundown().end()).unwrap();
    let profile = profile(&read);
    let tier = |at: u32| profile.frames().get(FrameId::new(at)).tier;
    let tiers: Vec<_> = (0..4).map(tier).collect();
    assert_eq!(tiers, [Unknown, Tier0, Tier1, Unknown]);
}

#[test]
fn fields_repeat_unless_a_flag_says_so() {
    // A row with its time alone, and one with a payload of another size.
    let mut block = Block::default().sample(11, 1, 2000, 2);
    block.bytes.extend([0, 0xe8, 7, 2, 0, 0, 0]);
    block.bytes.extend([0b1100_0000, 0xf4, 3, 6, 1, 0, 0, 0, 0, 0]);
    let bytes = Writer::new(4).metadata().stacks(&[&[0x1050]]).events(block).rundown().end();
    let main = "42/11: Shop.Program.Main(class System.String[])|Shop";
    let read = read(&bytes).unwrap();
    assert_eq!(rows(&read), format!("{main} 1\n{main} 0.5\n{main} 0\n"));
}

#[test]
fn addresses_may_have_four_bytes() {
    let mut bytes = Writer::new(4).bytes;
    let pointer_size = bytes.len() - 17;
    bytes[pointer_size] = 4;
    let stack = [1, 1, 8, 0x1110, 0x1050].map(u32::to_le_bytes).concat();
    let file = Writer { bytes, version: 4 }
        .metadata()
        .block("StackBlock", 5, &stack)
        .events(Block::default().sample(11, 1, 2000, 2))
        .rundown();
    let expected =
        "42/11: Shop.Program.Main(class System.String[])|Shop > Shop.Cart.Total(int32)|Shop 0\n";
    assert_eq!(rows(&read(&file.end()).unwrap()), expected);
}

#[test]
fn version_6_numbers_its_threads() {
    let thread = |number: u64, tid: u64, name: &str| {
        let row = [var(number), vec![2], var(42), vec![3], var(tid), vec![1], text(name)].concat();
        [(row.len() as u16).to_le_bytes().to_vec(), row].concat()
    };
    let threads = [thread(11, 501, "main"), thread(12, 502, ""), thread(1, 501, "")].concat();
    let mut file = sampled(6);
    let events = file.bytes.split_off(Writer::new(6).metadata().bytes.len());
    let mut file = file.block("", 6, &threads);
    file.bytes.extend(events);
    let read = read(&file.rundown().end()).unwrap();
    assert_eq!(rows(&read), SAMPLED.replace("42/11", "42/501").replace("42/12", "42/502"));
    assert_eq!(read.version.as_deref(), Some("6"));
    let names: Vec<_> =
        profile(&read).threads().iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", ""]);
}

#[test]
fn samples_of_linux_are_counted() {
    let symbol = |mapping: u64, start: u64, name: &str| {
        [var(3), var(mapping), var(start), var(start + 0xff), short_text(name)].concat()
    };
    let mapping = [var(5), var(0x7000), var(0x8000), var(0), short_text("/lib/libc.so.6")].concat();
    let thread = [&[6, 0, 1, 2][..], &var(42), &[3], &var(501)].concat();
    let block = Block::default()
        .event(6, 1, 0, 1000, &mapping)
        .event(7, 1, 0, 1000, &symbol(5, 0x7000, "memcpy"))
        .event(
            7,
            1,
            0,
            1000,
            &symbol(6, 0x1000, "void [Shop] Shop.Program::Main(string[])[OptimizedTier1]"),
        )
        .event(5, 1, 1, 2000, &var(1))
        .event(5, 1, 2, 3000, &var(3));
    let file =
        Writer::new(6).metadata().stacks(&[&[0x7010, 0x1010], &[0x9000]]).block("", 6, &thread);
    let read = read(&file.events(block).end()).unwrap();
    assert_eq!(
        rows(&read),
        "42/501: Shop.Program.Main(string[])|Shop > memcpy|libc.so.6 1\n42/501: ? 3\n"
    );
    let metric = &read.recording.metrics()[0];
    assert_eq!(
        (&*metric.name, &*metric.unit, metric.seconds_per_unit),
        ("cpu", "samples", Some(0.002))
    );
}

#[test]
fn a_trace_that_was_killed_has_no_names() {
    let read = read(&sampled(4).bytes).unwrap();
    assert_eq!(warnings(&read), [(WarningCode::UnnamedMethods, 1), (WarningCode::Truncated, 1)]);
    let message = &read.warnings.as_slice()[0].message;
    assert!(message.starts_with("4 of 4 addresses are in no known method"), "{message}");
    assert!(rows(&read).starts_with("42/11: ? > ? 1.5\n"));
}

#[test]
fn lost_events_are_counted() {
    let mut block = Block::default().sample(11, 1, 2000, 2);
    // The sequence grows by 1 for the event and by 3 for those before it.
    block.bytes.extend([2, 3, 1, 0, 0xe8, 7, 2, 0, 0, 0]);
    let point = [&[0; 8][..], &[1, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0], &[7, 0, 0, 0]].concat();
    let file = Writer::new(4).metadata().stacks(&[&[0x1050]]).events(block);
    let read = read(&file.block("SPBlock", 4, &point).rundown().end()).unwrap();
    assert_eq!(warnings(&read), [(WarningCode::LostSamples, 1)]);
    let message = &read.warnings.as_slice()[0].message;
    // 2, 3 and 4 before the sample 5; then 6 and 7.
    assert!(message.starts_with("the runtime lost 5 events"), "{message}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let empty = Writer::new(4).metadata().rundown();
    assert!(read_error(&empty.end()).contains("has no samples of threads; record with"));
    let mut newer = b"Nettrace\0\0\0\0\x07\0\0\0\0\0\0\0".to_vec();
    assert!(read_error(&newer).starts_with("version 7 of the nettrace format is not supported"));
    newer[8] = 9;
    assert!(read_error(&newer).contains("expected the version"));
    let mut newer = Writer::new(4).end();
    newer[39] = 8;
    assert!(read_error(&newer).starts_with("version 8 of the nettrace format is not supported"));
    assert!(read_error(&Writer::new(6).end()[..30]).contains("ends within its header"));
}

#[test]
fn a_bad_block_loses_only_itself() {
    let file = sampled(4).block("EventBlock", 2, &[20, 0, 0, 0]).rundown();
    let damaged = read(&file.end()).unwrap();
    assert_eq!(rows(&damaged), SAMPLED);
    assert_eq!(warnings(&damaged), [(WarningCode::MalformedRecord, 1)]);
    let unknown = read(&sampled(4).rundown().block("OtherBlock", 9, &[]).end()).unwrap();
    assert_eq!(rows(&unknown), SAMPLED);
    assert_eq!(warnings(&unknown), [(WarningCode::Malformed, 1)]);
    let event = Block::default().event(2, 1, 0, 9000, &[1; 30]).sample(11, 1, 9000, 2);
    let damaged = read(&sampled(4).rundown().events(event).end()).unwrap();
    assert_eq!(warnings(&damaged), [(WarningCode::MalformedRecord, 1)]);
    assert_eq!(rows(&damaged).lines().count(), 6);
}

#[test]
fn files_may_be_cut_anywhere() {
    for version in [4, 6] {
        let whole = sampled(version).rundown().end();
        for end in MAGIC.len()..whole.len() {
            match read(&whole[..end]) {
                Ok(read) => {
                    let is_said = |&(code, _): &(WarningCode, u64)| code == WarningCode::Truncated;
                    assert!(warnings(&read).iter().any(is_said), "{version}: {end}");
                }
                Err(error) => {
                    assert_eq!(error.kind, crate::error::ErrorKind::Truncated, "{end}: {error}");
                }
            }
        }
    }
}
