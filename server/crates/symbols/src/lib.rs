//! Symbolication: from addresses of a profile to functions and lines, by the debug info of
//! libraries and programs on this machine, or by a sidecar that the profiler wrote.
//!
//! Nothing is fetched and nothing is executed, and a file whose id differs from the recorded one is
//! never used. [`profile::symbolicate`] rebuilds the tables. No profile formats, no editors.
//!
//! ```
//! use symbols::PerfMap;
//!
//! // What a JIT compiler wrote: address and size in hexadecimal, and a name.
//! let map = PerfMap::parse("7f10 20 hash app.js:3\n");
//! assert_eq!(map.name(0x7f2f), Some("hash app.js:3"));
//! assert_eq!(map.name(0x7f30), None);
//! ```
//!
//! An unresolved function has a library, no file and a name `0x…`. The name is the address to look up;
//! for callers it is an address within the call instruction. The library's `AddressBase` defines what
//! the address is relative to. If a reader does not know that, nothing is looked up.
//!
//! A binary with a different build id is never used for lines. Its lines would be wrong. Without a
//! build id, a binary is used only if it is the only candidate, is not newer than the profile and
//! contains the code; this is reported and not cached.
//!
//! A program that the profile does not name is the only one whose code has the recorded size (gprof).
//!
//! A file is never read beyond its stated size. Kernel files state no size and may never end. The
//! kernel's own list of functions is read up to a limit.
//!
//! Only complete debug info is cached permanently. Debug info may be installed later, so anything that
//! was not found is searched again with each profile.

mod cache;
#[cfg(feature = "debug-info")]
mod checksums;
#[cfg(feature = "debug-info")]
mod debug_info;
#[cfg(feature = "debug-info")]
mod declared;
#[cfg(feature = "debug-info")]
mod elf;
#[cfg(feature = "debug-info")]
mod file;
mod frame;
#[cfg(feature = "debug-info")]
mod kernel;
mod names;
mod perf_map;
#[cfg(feature = "debug-info")]
mod places;
#[cfg(feature = "debug-info")]
mod program;
mod search;
mod sidecar;
mod status;
#[cfg(feature = "debug-info")]
mod stubs;
#[cfg(feature = "debug-info")]
mod symbol_table;
mod unresolved;
#[cfg(feature = "debug-info")]
mod unwind;
mod unwind_result;

pub use cache::{Cache, Generics, LibSymbols};
pub use frame::Md5;
pub use names::collapse_generics;
pub use perf_map::PerfMap;
pub use search::{KernelFiles, Search, is_interrupt, is_kernel};
pub use sidecar::Sidecar;
pub use status::{Id, LibStatus, WITH_LINES};
pub use unresolved::{Unresolved, symbolicate, unresolved};
#[cfg(feature = "debug-info")]
pub use unwind::unwind;
pub use unwind_result::UnwindResult;
#[cfg(not(feature = "debug-info"))]
pub use unwind_result::unwind;
