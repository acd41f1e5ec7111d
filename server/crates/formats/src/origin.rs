//! Which run wrote a profile, by the header of the file. This is enough to decide whether two files
//! are of one run, without reading either as a whole.

use crate::detect;
use crate::format::Format;
use crate::writer::Producer;

/// The run that wrote a profile. A field is empty if the format does not state it, or not at the
/// beginning of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The program that wrote the file.
    pub producer: Option<Producer>,
    /// The command that was recorded.
    pub command: Option<String>,
    /// The id of the recorded process.
    pub pid: Option<String>,
    /// The thread, if the file is of a single one.
    pub thread: Option<String>,
    /// The number of the dump among the dumps of the process, from 1.
    pub part: Option<u64>,
    /// The first and last basic block that the dump covers. A dump begins where the previous one
    /// ended.
    pub blocks: Option<(u64, u64)>,
    /// The names of the events, as the file has them (`Ir Dr`).
    pub events: Option<String>,
}

/// Reads the header of a file from its first bytes, decompressed.
pub fn origin(format: Format, head: &[u8]) -> Origin {
    match format {
        Format::Callgrind => callgrind(&String::from_utf8_lossy(detect::without_bom(head))),
        _ => Origin::default(),
    }
}

/// Reads the header of a callgrind file: lines `key: value` before the first costs.
fn callgrind(head: &str) -> Origin {
    let mut origin = Origin::default();
    for line in head.lines() {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| !key.contains('=')) else {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            break;
        };
        let value = value.trim();
        let text = || Some(value.to_owned());
        match key {
            "creator" => origin.producer = Some(Producer::parse(value)),
            "cmd" => origin.command = text(),
            "pid" => origin.pid = text(),
            "thread" => origin.thread = text(),
            "part" => origin.part = value.parse().ok(),
            "desc" => origin.blocks = origin.blocks.or_else(|| blocks(value)),
            "events" => {
                origin.events = text();
                break;
            }
            _ => {}
        }
    }
    origin
}

/// Parses `Timerange: Basic block 26020 - 127521`.
fn blocks(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.strip_prefix("Timerange: Basic block ")?.split_once(" - ")?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_headers_have_dump_and_thread() {
        let head = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 2843\ncmd:  ../a --x=y\npart: 2\nthread: 1\n\n\n\
                    desc: I1 cache: \ndesc: Timerange: Basic block 26020 - 127521\ndesc: Trigger: --dump-every-bb=20000\n\n\
                    positions: line\nevents: Ir Dr\nsummary: 7\n\npid: 1\nfn=(1) main\n";
        let text = |text: &str| Some(text.to_owned());
        let expected = Origin {
            producer: Some(Producer::parse("callgrind-3.19.0")),
            command: text("../a --x=y"),
            pid: text("2843"),
            thread: text("1"),
            part: Some(2),
            blocks: Some((26020, 127_521)),
            events: text("Ir Dr"),
        };
        assert_eq!(origin(Format::Callgrind, head.as_bytes()), expected);
        assert_eq!(origin(Format::Callgrind, b"fn=a: b\npid: 1\n"), Origin::default());
        assert_eq!(origin(Format::Folded, head.as_bytes()), Origin::default());
    }
}
