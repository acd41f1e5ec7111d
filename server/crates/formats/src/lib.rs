//! Bytes of profile files to recordings.
//!
//! [`read()`] looks through compression ([`inflate`]), recognises the format by content
//! ([`mod@detect`]) and hands the bytes to the reader of that format. Readers check every index
//! once and collect recoverable oddities as warnings; what they cannot read is one [`ReadError`]
//! that says where and what was expected.
//!
//! No files, no clocks, no costs: bytes in, tables out.

pub mod detect;
mod error;
pub mod foreign;
mod format;
pub mod inflate;
mod limits;
mod origin;
mod phase;
mod pprof_proto;
mod read;
mod read_result;
mod scan;
pub mod write;
mod writer;

pub use detect::detect;
pub use error::{At, ErrorKind, ReadError};
pub use foreign::Foreign;
pub use format::Format;
pub use limits::Limits;
pub use origin::{Origin, origin};
pub use phase::Phase;
pub use read::perf_script::{Generated, generated};
pub use read::read;
pub use read_result::Read;
pub use writer::{Dialect, Producer, Writer};
