//! Addresses of a profile to functions and lines, from what lies on this machine: debug info of the libraries and programs that
//! the profile names, or a sidecar that the profiler wrote beside it.
//!
//! Nothing is fetched, nothing is executed, and a file whose id is not the recorded one is never believed. Tables are rebuilt by
//! [`profile::symbolicate`]; formats and editors are not known here.

mod cache;
#[cfg(feature = "debug-info")]
mod debug_info;
#[cfg(feature = "debug-info")]
mod declared;
#[cfg(feature = "debug-info")]
mod elf;
#[cfg(feature = "debug-info")]
mod file;
mod found;
#[cfg(feature = "debug-info")]
mod kernel;
mod names;
mod perf_map;
#[cfg(feature = "debug-info")]
mod places;
mod search;
mod sidecar;
#[cfg(feature = "debug-info")]
mod unwind;
mod unwound;
mod wanted;

pub use cache::{Cache, Generics, LibSymbols};
pub use found::{Found, Id, WITH_LINES};
pub use names::collapse_generics;
pub use perf_map::PerfMap;
pub use search::{KernelFiles, Search, is_interrupt, is_kernel};
pub use sidecar::Sidecar;
#[cfg(feature = "debug-info")]
pub use unwind::unwind;
#[cfg(not(feature = "debug-info"))]
pub use unwound::unwind;
pub use unwound::{CUT_STACKS, Unwound};
pub use wanted::{Wanted, symbolicate, wanted};

/// A function that an address lies in.
struct Frame {
    name: std::sync::Arc<str>,
    /// The file that the line is in, as debug info spells it.
    file: Option<String>,
    /// 1-based; 0 = unknown.
    line: u32,
    /// Where the function is declared: file and line.
    declared: Option<(std::sync::Arc<str>, u32)>,
}
