//! Recognised, not read.

use crate::{Format, Read, ReadError};

pub(crate) fn read(_bytes: &[u8]) -> Result<Read, ReadError> {
    Err(ReadError::not_read(Format::PerfScript))
}

/// Whether text is what `perf script` prints: `comm tid time: period event:` and, indented, `address symbol (module)`.
pub(crate) fn is_perf_script(bytes: &[u8]) -> bool {
    let front = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes));
    if front.starts_with("# ========") {
        return true;
    }
    let mut lines = front.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let (Some(first), second) = (lines.next(), lines.next().unwrap_or("")) else { return false };
    let address = second.trim_start().split(' ').next().unwrap_or("");
    let is_address = address.len() < second.len() && !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit());
    first.trim_end().ends_with(':') && is_address
}
