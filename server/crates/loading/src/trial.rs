//! The work of a helper ([`crate::load::helper`]): reads files under a limit for memory, and ends.

use crate::load::helper::Request;
use crate::load::libraries::{Libraries, Places, unwound};
use crate::load::loaded::Loaded;
use crate::load::memory;
use crate::settings::{CostSettings, Symbols};
use crate::snapshot::load::{Caches, Environment, load_read};
use sources::{Limits, SourceIndex};
use std::io;
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::sync::Arc;

/// Reads the files of a request. Errors that are not about memory count as success, because the process
/// that asked will report them itself.
///
/// # Errors
/// The request is malformed, or there is not enough memory. The process may end, too.
pub fn work(request: &[u8]) -> io::Result<Vec<u8>> {
    memory::take_any();
    let request = serde_json::from_slice(request)?;
    catch_unwind(|| carry_out(request)).unwrap_or(Ok(()))?;
    Ok(Vec::new())
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
