//! From files to functions and lines, whatever their format.

use crate::elf::{Arena, Elf};
use crate::file::{LibFile, ready};
use crate::{Found, Frame, Id, Search, is_kernel, kernel};
use profile::{AddressBase, Lib};
use samply_symbols::LookupAddress;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Of addresses in a library without id, one in so many may lie outside its instructions: stacks are not always read rightly.
const MAX_OUTSIDE: usize = 100;

/// Takes the functions of an address, the outermost first.
pub(crate) type Take<'a> = &'a mut dyn FnMut(u64, Vec<Frame>) -> ControlFlow<()>;

/// Looks addresses of a library up, until `take` has enough.
pub(crate) fn look_up(lib: &Lib, addresses: &[u64], search: &Search<'_>, take: Take<'_>) -> Found {
    // Readers of debug info trust compilers here and there; a broken file must cost no more than its own lines.
    let result = catch_unwind(AssertUnwindSafe(|| look_up_unguarded(lib, addresses, search, take)));
    let broken = |_| Found::Unreadable { path: lib.path.clone().into(), why: "its debug info is malformed".to_owned() };
    result.unwrap_or_else(broken)
}

fn look_up_unguarded(lib: &Lib, addresses: &[u64], search: &Search<'_>, take: Take<'_>) -> Found {
    let files = match search.find(lib, false) {
        Ok(files) => files,
        Err(_) if is_kernel(lib) => return kernel(lib, addresses, search, take),
        Err(found) => return found,
    };
    let Some(best) = files.best() else { return Found::Missing { recorded: lib.path.clone() } };
    let id = files.is_checked.then(|| best.id.clone());
    if !best.is_elf {
        return other(best, id, lib, addresses, take);
    }
    let arena = Arena::default();
    let Some(elf) = Elf::open(&files, search, &arena) else {
        return Found::Unreadable { path: best.path.clone(), why: "it is malformed".to_owned() };
    };
    let stated = |address: u64| elf.stated(lib.addresses, address);
    if id.is_none() {
        let n_outside = addresses.iter().filter(|&&address| stated(address).is_none()).count();
        if n_outside > addresses.len() / MAX_OUTSIDE {
            return Found::Outside { path: elf.path };
        }
    }
    for &address in addresses {
        let frames = stated(address).map(|stated| elf.frames(stated));
        if take(address, frames.unwrap_or_default()).is_break() {
            break;
        }
    }
    let lacks = elf.lacks();
    if elf.has_lines { Found::DebugInfo { path: elf.path, id, lacks } } else { Found::NamesOnly { path: elf.path, id } }
}

/// Functions of the kernel, which have no lines.
fn kernel(lib: &Lib, addresses: &[u64], search: &Search<'_>, take: Take<'_>) -> Found {
    let (path, functions) = match kernel::functions(lib, search) {
        Ok(known) => known,
        Err(found) => return found,
    };
    for &address in addresses {
        let frame = functions.at(address).map(|name| Frame { name: name.into(), file: None, line: 0, declared: None });
        if take(address, frame.into_iter().collect()).is_break() {
            break;
        }
    }
    Found::Kernel { path }
}

/// Mach-O, PE with PDB, and Breakpad's files.
fn other(file: &LibFile, id: Option<Id>, lib: &Lib, addresses: &[u64], take: Take<'_>) -> Found {
    let path = file.path.clone();
    let Some(map) = file.symbol_map(lib) else {
        return Found::Unreadable { path, why: "it is no program, library or debug info that is known here".to_owned() };
    };
    let mut has_lines = false;
    for &address in addresses {
        let look_up = match lib.addresses {
            AddressBase::Unknown => None,
            AddressBase::Image => u32::try_from(address).ok().map(LookupAddress::Relative),
            AddressBase::File => Some(LookupAddress::FileOffset(address)),
        };
        let info = look_up.and_then(|address| ready(async { map.lookup(address).await.ok_or(()) }));
        let mut frames = Vec::new();
        if let Some(info) = info {
            for frame in info.frames.into_iter().flatten().rev() {
                let name = frame.function.unwrap_or_default().into();
                let file = frame.file_path.map(samply_symbols::SourceFilePath::into_raw_path);
                frames.push(Frame { name, file, line: frame.line_number.unwrap_or(0), declared: None });
            }
            has_lines |= frames.iter().any(|frame| frame.line != 0);
            let name = info.symbol.name.into();
            match frames.first_mut() {
                Some(outermost) => outermost.name = name,
                None => frames.push(Frame { name, file: None, line: 0, declared: None }),
            }
        }
        if take(address, frames).is_break() {
            break;
        }
    }
    if has_lines { Found::DebugInfo { path, id, lacks: Vec::new() } } else { Found::NamesOnly { path, id } }
}
