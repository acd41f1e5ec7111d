//! Functions of the Linux kernel, from `/proc/kallsyms` if the running kernel is the recorded one,
//! or from a copy of that list made by perf.

use crate::{Id, LibStatus, Search};
use profile::Lib;
use std::cmp::Reverse;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The limit for lists; those of Linux 6 have 10 to 20 MB.
const MAX_BYTES: u64 = 256 << 20;
/// The limit for ELF notes; kernels have a few.
const MAX_NOTES: u64 = 1 << 16;

/// The functions of the recorded kernel, and the file they are from.
///
/// # Errors
/// A [`LibStatus::NoKernel`] with the reason.
pub(crate) fn functions(lib: &Lib, search: &Search<'_>) -> Result<(PathBuf, Functions), LibStatus> {
    let recorded = Id::of(lib);
    if recorded.is_empty() {
        return Err(LibStatus::NoKernel {
            why: "the profile has no build id of the kernel, so its functions cannot be found"
                .to_owned(),
        });
    }
    let files = search.kernel;
    let copy = files
        .copies
        .as_ref()
        .map(|copies| copies.join("[kernel.kallsyms]").join(recorded.to_string()).join("kallsyms"));
    let is_running = read(&files.notes, MAX_NOTES)
        .and_then(|notes| build_id(&notes))
        .is_some_and(|id| id.agrees_with(&recorded));
    let reference = lib.path.strip_prefix(&lib.name).unwrap_or_default();
    let mut hidden = None;
    for path in copy.into_iter().chain(is_running.then(|| files.functions.clone())) {
        let Some(text) = read(&path, MAX_BYTES) else { continue };
        match Functions::parse(String::from_utf8_lossy(&text).into_owned(), reference) {
            Some(functions) => return Ok((path, functions)),
            None => hidden = Some(path),
        }
    }
    let why = match hidden {
        Some(path) => format!(
            "{} hides addresses from this user: `sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1` shows them",
            path.display()
        ),
        None => format!(
            "the recorded kernel (build id {recorded}) is not running here, and perf has no list of its functions: add its vmlinux \
             to symbols.paths"
        ),
    };
    Err(LibStatus::NoKernel { why })
}

/// The beginning of a file. The kernel's files report a size of 0, and some never end.
fn read(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
    File::open(path).ok().filter(|_| is_file)?.take(max_bytes).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The build id in ELF notes. A note is the sizes of its name and content, its type, the name and
/// the content, both padded to 4 bytes.
fn build_id(mut notes: &[u8]) -> Option<Id> {
    const BUILD_ID: u32 = 3;
    loop {
        let (head, rest) = notes.split_at_checked(12)?;
        let mut words =
            head.chunks_exact(4).filter_map(|word| word.try_into().ok()).map(u32::from_ne_bytes);
        let (name_size, size, kind) = (words.next()?, words.next()?, words.next()?);
        let (name, rest) = padded(rest, name_size)?;
        let (content, rest) = padded(rest, size)?;
        if kind == BUILD_ID && name == b"GNU\0" {
            let hex: Vec<String> = content.iter().map(|byte| format!("{byte:02x}")).collect();
            return Some(Id::new("", &hex.concat()));
        }
        notes = rest;
    }
}

/// Splits off `size` bytes and their padding.
fn padded(bytes: &[u8], size: u32) -> Option<(&[u8], &[u8])> {
    let size = usize::try_from(size).ok()?;
    let content = bytes.get(..size)?;
    Some((content, bytes.get(size.next_multiple_of(4)..)?))
}

/// Functions by address.
pub(crate) struct Functions {
    text: String,
    /// Start addresses in order, of functions and of everything else. Functions have the range of
    /// their name in `text`.
    starts: Vec<(u64, Option<(usize, usize)>)>,
    /// The address that recorded addresses are relative to.
    origin: u64,
}

impl Functions {
    /// Parses lines `ffffffff81000000 T name`, in modules followed by `[module]`. Addresses are
    /// relative to the symbol `reference`. `None` if addresses are hidden: all of them are 0.
    fn parse(text: String, reference: &str) -> Option<Self> {
        let reference = if reference.is_empty() { "_text" } else { reference };
        let mut origin = None;
        let mut symbols = Vec::new();
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some(address), Some(kind), Some(name), None) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            if name == reference {
                origin = Some(address).filter(|&address| address != 0);
            }
            let is_function = matches!(kind, "T" | "t" | "W" | "w") && !is_boundary(name);
            let underscores = name.len() - name.trim_start_matches('_').len();
            let at = name.as_ptr() as usize - text.as_ptr() as usize;
            // Of several symbols at one address prefer a function, a global one, one with few
            // underscores, and else the last, like perf.
            let rank = (!is_function, kind != "T", kind != "t", underscores, Reverse(at));
            symbols.push((address, rank, is_function.then_some((at, at + name.len()))));
        }
        let origin = origin?;
        symbols.sort_unstable();
        symbols.dedup_by_key(|&mut (address, ..)| address);
        let starts = symbols.into_iter().map(|(address, _, name)| (address, name)).collect();
        Some(Self { text, starts, origin })
    }

    /// The function at a recorded address; `None` after the last symbol, whose end is unknown.
    pub fn at(&self, address: u64) -> Option<&str> {
        let address = self.origin.checked_add(address)?;
        let next = self.starts.partition_point(|&(start, _)| start <= address);
        let (start, end) =
            self.starts.get(next.checked_sub(1)?).filter(|_| next < self.starts.len())?.1?;
        self.text.get(start..end)
    }
}

/// Whether a symbol marks the begin or end of a section, not a function.
fn is_boundary(name: &str) -> bool {
    let ends = ["_text", "_stext", "_etext", "_sinittext", "_einittext"].contains(&name);
    ends || (name.starts_with("__")
        && (name.ends_with("_text_start") || name.ends_with("_text_end")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000040 t __helper
ffffffff81000040 T helper
ffffffff81000040 W help
ffffffff81000100 T do_syscall_64
ffffffff81000200 T _etext
ffffffff82000000 D data
ffffffffc0000000 t of_a_module\t[btrfs]
";

    #[test]
    fn finds_the_function_at_or_before_an_address() {
        let functions = Functions::parse(LIST.to_owned(), "_text").unwrap();
        let names = [0x0, 0x3f, 0x40, 0xff, 0x100, 0x1ff, 0x200, 0x0100_0000, 0x3f00_0000]
            .map(|address| functions.at(address));
        let (helper, syscall) = (Some("helper"), Some("do_syscall_64"));
        assert_eq!(names, [None, None, helper, helper, syscall, syscall, None, None, None]);
        // Relative to another symbol.
        let from_helper = Functions::parse(LIST.to_owned(), "helper").unwrap();
        assert_eq!(from_helper.at(0xc0), syscall);
    }

    #[test]
    fn rejects_lists_with_hidden_addresses() {
        let hidden = LIST.replace("ffffffff", "00000000").replace("81000000", "00000000");
        assert!(Functions::parse(hidden, "_text").is_none());
        assert!(Functions::parse(String::new(), "_text").is_none());
    }

    #[test]
    fn finds_the_build_id_among_other_notes() {
        let note = |name: &[u8], kind: u32, content: &[u8]| {
            let mut note = Vec::new();
            for word in [name.len() as u32, content.len() as u32, kind] {
                note.extend(word.to_ne_bytes());
            }
            for part in [name, content] {
                note.extend(part);
                note.resize(note.len().next_multiple_of(4), 0);
            }
            note
        };
        let notes =
            [note(b"Linux\0", 257, &[0; 6]), note(b"GNU\0", 3, &[0xab, 0xcd, 0x12, 0x34, 0x56])]
                .concat();
        assert_eq!(build_id(&notes), Some(Id::new("", "abcd123456")));
        assert_eq!(build_id(&notes[..20]), None);
        assert_eq!(build_id(&[0xff; 40]), None);
    }
}
