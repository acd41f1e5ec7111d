//! Names of threads and memory maps of processes, over time.

use super::container::{Container, Record, hex, kind};
use super::words::Words;
use crate::error::ReadError;
use profile::{AddressBase, Lib, LibId, Mapping, ProfileBuilder, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// `PERF_RECORD_MISC_MMAP_DATA`: memory without code.
const MMAP_DATA: u16 = 1 << 13;
/// `PERF_RECORD_MISC_COMM_EXEC`: the name is set by starting another program.
const COMM_EXEC: u16 = 1 << 13;
/// `PERF_RECORD_MISC_FORK_EXEC`: perf reports a process that was already running; its mappings
/// follow.
const FORK_OF_PERF: u16 = 1 << 13;
/// `PERF_RECORD_MISC_MMAP_BUILD_ID`
const MMAP_BUILD_ID: u16 = 1 << 14;
/// `PROT_EXEC`
const EXECUTABLE: u32 = 4;
/// The largest number of mappings of one process. Linux allows 65 530.
const MAX_MAPPINGS: usize = 1 << 16;
/// The largest number of copied mappings. A copy is needed because samples and child processes keep
/// the mappings of their time.
const MAX_COPIES: usize = 1 << 22;

/// The state of all processes at one time.
#[derive(Default)]
pub(super) struct Processes {
    /// The mappings of each process, sorted by address.
    mappings: FxHashMap<i32, Arc<Vec<Mapping>>>,
    /// The mappings of the kernel and its modules.
    kernel: Vec<Mapping>,
    /// Names by thread.
    names: FxHashMap<i32, Arc<str>>,
    n_copied: usize,
}

impl Processes {
    /// Handles one record that is not a sample; `None` if it is malformed.
    pub(super) fn follow(
        &mut self,
        file: &Container<'_>,
        record: &Record<'_>,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<Option<()>, ReadError> {
        match record.kind {
            kind::MMAP | kind::MMAP2 => match Mapped::parse(record) {
                Some(mapped) => self.map(file, mapped, builder, warnings).map(Some),
                None => Ok(None),
            },
            kind::COMM => Ok(self.rename(record)),
            _ => Ok(self.fork(record)),
        }
    }

    /// The name of a thread; for threads without one, as perf does.
    pub(super) fn name(&self, tid: i32) -> Arc<str> {
        match self.names.get(&tid) {
            Some(name) => Arc::clone(name),
            None if tid == 0 => "swapper".into(),
            None => format!(":{tid}").into(),
        }
    }

    /// The mappings of a process.
    pub(super) fn mappings(&self, pid: i32) -> Option<&Arc<Vec<Mapping>>> {
        self.mappings.get(&pid)
    }

    /// The mappings of the kernel.
    pub(super) fn kernel(&self) -> &[Mapping] {
        &self.kernel
    }

    fn rename(&mut self, record: &Record<'_>) -> Option<()> {
        let mut body = record.body;
        let (pid, tid) = (body.i32()?, body.i32()?);
        self.names.insert(tid, body.text().into());
        if record.misc & COMM_EXEC != 0 {
            self.mappings.remove(&pid);
        }
        Some(())
    }

    fn fork(&mut self, record: &Record<'_>) -> Option<()> {
        let mut body = record.body;
        let (pid, parent, tid, parent_thread) =
            (body.i32()?, body.i32()?, body.i32()?, body.i32()?);
        if let Some(name) = self.names.get(&parent_thread) {
            let name = Arc::clone(name);
            self.names.insert(tid, name);
        }
        if pid != parent {
            let inherited = self.mappings.get(&parent).filter(|_| record.misc & FORK_OF_PERF == 0);
            let inherited = inherited.map(Arc::clone).unwrap_or_default();
            self.mappings.insert(pid, inherited);
        }
        Some(())
    }

    fn map(
        &mut self,
        file: &Container<'_>,
        mapped: Mapped,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<(), ReadError> {
        let Mapped { pid, start, end, .. } = mapped;
        let new = if mapped.is_code { Some(mapped.intern(file, builder)?) } else { None };
        let mappings = if pid == -1 {
            &mut self.kernel
        } else {
            let mappings = self.mappings.entry(pid).or_default();
            if Arc::get_mut(mappings).is_none() {
                self.n_copied = self.n_copied.saturating_add(mappings.len());
            }
            if self.n_copied > MAX_COPIES {
                warnings.add(WarningCode::Mappings, || {
                    "there are too many memory mappings; later addresses stay unknown".to_owned()
                });
                *mappings = Arc::default();
                return Ok(());
            }
            Arc::make_mut(mappings)
        };
        put(mappings, start, end, new);
        if mappings.len() > MAX_MAPPINGS {
            warnings.add(WarningCode::Mappings, || {
                format!(
                    "process {pid} has more than {MAX_MAPPINGS} mappings; the others are left out"
                )
            });
            mappings.truncate(MAX_MAPPINGS);
        }
        Ok(())
    }
}

/// Replaces whatever was mapped in a range.
fn put(mappings: &mut Vec<Mapping>, start: u64, end: u64, new: Option<Mapping>) {
    let first = mappings.partition_point(|mapping| mapping.end <= start);
    let behind = mappings.partition_point(|mapping| mapping.start < end);
    let overlapping = mappings.get(first..behind).unwrap_or_default();
    let front = overlapping
        .first()
        .filter(|old| old.start < start)
        .map(|&old| Mapping { end: start, ..old });
    let back = overlapping.last().filter(|old| old.end > end);
    let back = back.map(|&old| Mapping { start: end, offset: old.relative(end), ..old });
    if first <= behind {
        mappings.splice(first..behind, [front, new, back].into_iter().flatten());
    }
}

/// A record about mapped memory.
struct Mapped {
    /// -1 for the kernel.
    pid: i32,
    start: u64,
    end: u64,
    offset: u64,
    is_code: bool,
    /// In hex, empty if unknown.
    build_id: String,
    path: String,
}

impl Mapped {
    fn parse(record: &Record<'_>) -> Option<Self> {
        let mut body = record.body;
        let (pid, _tid) = (body.i32()?, body.i32()?);
        let (start, size, offset) = (body.u64()?, body.u64()?, body.u64()?);
        let end = start.checked_add(size).filter(|&end| end > start)?;
        // The records of perf itself about the kernel have no protection flags.
        let is_kernel = pid == -1;
        let mut is_code = record.misc & MMAP_DATA == 0;
        let mut build_id = String::new();
        if record.kind == kind::MMAP2 {
            let file = body.bytes(24)?;
            if let ([size, _, _, _, id @ ..], true) = (file, record.misc & MMAP_BUILD_ID != 0) {
                build_id = hex(id.get(..usize::from(*size))?);
            }
            let protection = body.u32()?;
            is_code &= is_kernel || protection & EXECUTABLE != 0;
            let _flags = body.u32()?;
        }
        Some(Self { pid, start, end, offset, is_code, build_id, path: path(body) })
    }

    fn intern(
        self,
        file: &Container<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<Mapping, ReadError> {
        let Self { pid, start, end, offset, build_id, path, .. } = self;
        let known_id = |name: &str| file.build_ids.get(name).cloned().unwrap_or_default();
        let code_id =
            |name: &str| if build_id.is_empty() { known_id(name) } else { build_id.clone() };
        let named = |name: &str| Lib {
            name: name.to_owned(),
            path: name.to_owned(),
            addresses: AddressBase::Image,
            ..Lib::default()
        };
        let (lib, offset) = if pid == -1 {
            let lib = match path.strip_prefix('[').and_then(|name| name.split_once(']')) {
                // `[kernel.kallsyms]_text`: its address differs after each boot.
                Some((name, _)) => {
                    let name = format!("[{name}]");
                    // The symbol after the name marks the beginning; other tools find the kernel by
                    // it.
                    Lib { code_id: code_id(&name), path: path.clone(), ..named(&name) }
                }
                // The addresses of a module's sections are not recorded, so its file must not be
                // searched.
                None => Lib { name: module_name(&path), ..Lib::default() },
            };
            (lib, 0)
        } else if is_anonymous(&path) {
            // Generated code. The program may have written a map of it (`perf-PID.map`), with
            // absolute addresses.
            let name = format!("perf-{pid}.map");
            (Lib { path: format!("/tmp/{name}"), ..named(&name) }, start)
        } else {
            let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&path);
            let lib = Lib {
                path: path.clone(),
                code_id: code_id(&path),
                addresses: AddressBase::File,
                ..named(name)
            };
            (lib, offset)
        };
        let lib: LibId = builder.intern_lib(lib)?;
        Ok(Mapping { start, end, offset, lib })
    }
}

/// The name of the file, without a mark that it was deleted.
fn path(body: Words<'_>) -> String {
    let path = body.text();
    path.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(path)
}

/// Whether a mapping has no file, by the names that Linux and perf give such mappings.
fn is_anonymous(path: &str) -> bool {
    let starts =
        ["//anon", "/anon_hugepage", "/dev/zero", "/memfd:", "/SYSV", "[anon", "[heap]", "[stack"];
    path.is_empty() || starts.iter().any(|start| path.starts_with(start))
}

/// `[btrfs]` for `/lib/modules/6.1.0/kernel/fs/btrfs/btrfs.ko.xz`.
fn module_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("[{}]", name.split_once(".ko").map_or(name, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mappings as `start-end@offset` in hex, all of different libraries.
    fn show(mappings: &[Mapping]) -> String {
        let one = |m: &Mapping| format!("{:x}-{:x}@{:x}", m.start, m.end, m.offset);
        mappings.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn new_mappings_replace_old_ones() {
        let mut mappings = Vec::new();
        let mut put = |start, end, offset: Option<u64>| {
            let new = offset.map(|offset| Mapping { start, end, offset, lib: LibId::new(0) });
            put(&mut mappings, start, end, new);
            show(&mappings)
        };
        assert_eq!(put(0x10, 0x40, Some(0)), "10-40@0");
        assert_eq!(put(0x60, 0x80, Some(0x500)), "10-40@0 60-80@500");
        assert_eq!(put(0x20, 0x30, Some(0x900)), "10-20@0 20-30@900 30-40@20 60-80@500");
        assert_eq!(put(0x38, 0x68, None), "10-20@0 20-30@900 30-38@20 68-80@508");
        assert_eq!(put(0, 0x100, Some(1)), "0-100@1");
        assert_eq!(put(0, 0x100, None), "");
    }

    #[test]
    fn memory_without_a_file_is_recognised_by_name() {
        let anonymous =
            ["//anon", "[anon:v8]", "/memfd:doublemapper", "/dev/zero", "[heap]", "[stack:12]", ""];
        assert!(anonymous.iter().all(|path| is_anonymous(path)));
        assert!(
            !["/usr/lib/libc.so.6", "[vdso]", "/srv/anon"].iter().any(|path| is_anonymous(path))
        );
        assert_eq!(module_name("/lib/modules/6.1/kernel/fs/btrfs.ko.xz"), "[btrfs]");
    }
}
