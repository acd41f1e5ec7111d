//! Recognised, not read.

use crate::{Format, Read, ReadError};

pub(crate) fn read(_bytes: &[u8]) -> Result<Read, ReadError> {
    Err(ReadError::not_read(Format::Gecko))
}
