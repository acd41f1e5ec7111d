//! The work of a helper ([`crate::load::helper`]): reads files under a limit for memory, and ends.

use crate::load::helper::{DEADLINE, Request};
use crate::load::libraries::{Libraries, Places, unwound};
use crate::load::loaded::Loaded;
use crate::load::memory;
use crate::settings::{CostSettings, Symbols};
use crate::snapshot::load::{Caches, Environment, load_read};
use sources::{Limits, SourceIndex, limit_memory};
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::sync::Arc;

/// The limit for a request, in bytes.
const MAX_REQUEST: u64 = 1 << 20;

/// Reads the files of the request on standard input with at most `memory` bytes. If these are not
/// enough, returns an error, or the process ends. Other errors count as success, because the process
/// that asked will report them itself.
///
/// # Errors
/// There is no request, or not enough memory.
pub fn serve(memory: u64) -> io::Result<()> {
    limit_memory(memory);
    memory::take_any();
    end_with_parent();
    let mut request = Vec::new();
    io::stdin().take(MAX_REQUEST).read_to_end(&mut request)?;
    let request = serde_json::from_slice(&request)?;
    catch_unwind(|| carry_out(request)).unwrap_or(Ok(()))
}

/// Ends this process together with the one that waits for it.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(DEADLINE);
        std::process::exit(1);
    });
}

fn carry_out(request: Request) -> io::Result<()> {
    let Request { files, max_bytes, libraries } = request;
    let places = libraries.map(Places::from);
    let (index, caches) = (SourceIndex::build(Vec::new(), Limits::default()), Caches::default());
    let (settings, symbols) = (&CostSettings::default(), Symbols::default());
    for path in files {
        let loaded = match Loaded::read(&path, max_bytes, &mut |_| ControlFlow::Continue(())) {
            Ok(loaded) => loaded,
            Err(error) if error.is_about_memory() => return Err(io::ErrorKind::OutOfMemory.into()),
            Err(_) => continue,
        };
        if let Some(places) = &places {
            let loaded = unwound(loaded, &symbols, places, &caches.symbols);
            let libraries = Libraries::of(&loaded.recording, &symbols, &caches.symbols);
            let _ = libraries.resolve_all(&loaded, places, &caches.symbols);
        } else {
            load_read(Arc::new(loaded), Environment { settings, index: &index, caches: &caches });
        }
    }
    Ok(())
}
