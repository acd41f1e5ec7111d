//! Looks addresses up in libraries of any file format.

use crate::elf::{Arena, Elf};
use crate::file::{LibFile, ready};
use crate::frame::Frame;
use crate::{Id, LibStatus, Md5, Search, is_kernel, kernel};
use profile::{AddressBase, Lib};
use samply_symbols::LookupAddress;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// In a library without an id, at most one of this many addresses may be outside its code. More
/// means another build; a few come from stacks that the profiler misread.
const MAX_OUTSIDE: usize = 100;

/// The bytes that gprof counts as one.
const BIN: u64 = 4;

/// Receives the functions of each address, the outermost first.
pub(crate) type Take<'a> = &'a mut dyn FnMut(u64, Vec<Frame>) -> ControlFlow<()>;

/// Looks up addresses of a library until `take` breaks. Adds the checksums of the source files to
/// `checksums`.
pub(crate) fn look_up(
    lib: &Lib,
    addresses: &[u64],
    search: &Search<'_>,
    take: Take<'_>,
    checksums: &mut Vec<(String, Md5)>,
) -> LibStatus {
    // The readers of debug info trust compilers in places. A malformed file must not cost more than
    // its own lines.
    catch_unwind(AssertUnwindSafe(|| look_up_unguarded(lib, addresses, search, take, checksums)))
        .unwrap_or_else(|_| LibStatus::Unreadable {
            path: lib.path.clone().into(),
            why: "its debug info is malformed".to_owned(),
        })
}

fn look_up_unguarded(
    lib: &Lib,
    addresses: &[u64],
    search: &Search<'_>,
    take: Take<'_>,
    checksums: &mut Vec<(String, Md5)>,
) -> LibStatus {
    let files = match search.find(lib, false) {
        Ok(files) => files,
        Err(_) if is_kernel(lib) => return kernel(lib, addresses, search, take),
        Err(status) => return status,
    };
    let Some(best) = files.best() else { return LibStatus::Missing { recorded: lib.path.clone() } };
    let id = files.is_checked.then(|| best.id.clone());
    if !best.is_elf {
        return other(best, id, lib, addresses, search, take);
    }
    let arena = Arena::default();
    let Some(elf) = Elf::open(&files, search, &arena) else {
        return LibStatus::Unreadable {
            path: best.path.clone(),
            why: "it is malformed".to_owned(),
        };
    };
    let in_memory = |address: u64| {
        let address = elf.in_memory(lib.addresses, address)?;
        // The last address of a bin may be between functions.
        let in_function = (lib.text_size != 0).then(|| elf.in_function(address, BIN)).flatten();
        Some(in_function.unwrap_or(address))
    };
    if id.is_none() {
        let n_outside = addresses.iter().filter(|&&address| in_memory(address).is_none()).count();
        if n_outside > addresses.len() / MAX_OUTSIDE {
            return LibStatus::Outside { path: elf.path };
        }
    }
    for &address in addresses {
        let frames = in_memory(address).map(|address| elf.frames(address));
        if take(address, frames.unwrap_or_default()).is_break() {
            break;
        }
    }
    *checksums = elf.checksums();
    let missing = elf.missing();
    if elf.has_lines {
        LibStatus::DebugInfo { path: elf.path, id, missing }
    } else {
        LibStatus::NamesOnly { path: elf.path, id }
    }
}

/// The kernel's functions. They have no lines.
fn kernel(lib: &Lib, addresses: &[u64], search: &Search<'_>, take: Take<'_>) -> LibStatus {
    let (path, functions) = match kernel::functions(lib, search) {
        Ok(found) => found,
        Err(status) => return status,
    };
    for &address in addresses {
        let frame = functions.at(address).map(|name| Frame::named(name.into()));
        if take(address, frame.into_iter().collect()).is_break() {
            break;
        }
    }
    LibStatus::Kernel { path }
}

/// Mach-O, PE with PDB, and Breakpad files.
fn other(
    file: &LibFile,
    id: Option<Id>,
    lib: &Lib,
    addresses: &[u64],
    search: &Search<'_>,
    take: Take<'_>,
) -> LibStatus {
    let path = file.path.clone();
    let Some(map) = file.symbol_map(lib, search) else {
        return LibStatus::Unreadable {
            path,
            why: "it is not a program, library or debug info of a supported format".to_owned(),
        };
    };
    let mut has_lines = false;
    for &address in addresses {
        let lookup_address = match lib.addresses {
            AddressBase::Unknown => None,
            AddressBase::Image => u32::try_from(address).ok().map(LookupAddress::Relative),
            AddressBase::File => Some(LookupAddress::FileOffset(address)),
        };
        let info =
            lookup_address.and_then(|address| ready(async { map.lookup(address).await.ok_or(()) }));
        let mut frames = Vec::new();
        if let Some(info) = info {
            for frame in info.frames.into_iter().flatten().rev() {
                let name = frame.function.unwrap_or_default().into();
                let file = frame.file_path.map(samply_symbols::SourceFilePath::into_raw_path);
                let line = frame.line_number.unwrap_or(0);
                frames.push(Frame { file, line, ..Frame::named(name) });
            }
            has_lines |= frames.iter().any(|frame| frame.line != 0);
            let name = info.symbol.name.into();
            match frames.first_mut() {
                Some(outermost) => outermost.name = name,
                None => frames.push(Frame::named(name)),
            }
        }
        if take(address, frames).is_break() {
            break;
        }
    }
    if has_lines {
        LibStatus::DebugInfo { path, id, missing: Vec::new() }
    } else {
        LibStatus::NamesOnly { path, id }
    }
}
