//! Reads profile files into recordings and writes recordings as profile files.
//!
//! [`read()`] decompresses the bytes ([`inflate`]), detects the format by content ([`mod@detect`])
//! and calls the reader of that format. Readers check every index once and collect recoverable
//! problems as warnings. What they cannot read is one [`ReadError`] that names the place and what
//! was expected there.
//!
//! The crate uses no files and no clock, and computes no costs.
//!
//! ```
//! use formats::{Format, Limits, read};
//! use std::ops::ControlFlow;
//!
//! let folded = "main (app.rs:10);parse (app.rs:22) 3\nmain (app.rs:10) 1\n";
//! let read = read(folded.as_bytes(), Limits::default(), &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(read.format, Format::Folded);
//! assert_eq!(read.recording.n_samples(), 2);
//! assert_eq!(read.recording.metrics()[0].name, "samples");
//! # Ok::<(), formats::ReadError>(())
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod detect;
mod error;
pub mod fetched;
mod fleet;
pub mod foreign;
mod foreign_kind;
mod format;
mod growing;
mod input;
mod lcov;
mod limits;
pub mod merge;
mod origin;
mod pprof_proto;
mod read;
mod reading;
mod scan;
mod signature;
pub mod write;
mod writer;

pub use crate::read::deep::executions::Executions;
pub use crate::read::result::Read;
pub use detect::{PREFIX, detect};
pub use error::{At, ErrorKind, ReadError};
pub use fleet::{Fleet, FleetCut, Series};
pub use foreign::Foreign;
pub use foreign_kind::quoted;
pub use format::Format;
pub use growing::WholeRecords;
pub use input::inflate;
pub use input::{Observer, Source};
pub use lcov::{LcovCount, lcov};
pub use limits::Limits;
pub use origin::{Origin, origin};
pub use read::perf_script::{Generated, generated};
pub use reading::{dump, read};
pub use writer::{Dialect, Producer, Writer};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
