//! Recognised, not read.

use crate::{Format, Read, ReadError};

pub(crate) fn read(_bytes: &[u8]) -> Result<Read, ReadError> {
    Err(ReadError::not_read(Format::Pprof))
}
/// Whether binary data begin with fields of pprof's `Profile` (profile.proto), which stand in any order.
pub(crate) fn is_pprof(bytes: &[u8]) -> bool {
    fn varint(bytes: &mut &[u8]) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = bytes.split_first()?;
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
    let field = |rest: &mut &[u8]| match varint(rest)? {
        // Messages and packed numbers: types, samples, mappings, locations, functions, strings, comments.
        0x0a | 0x12 | 0x1a | 0x22 | 0x2a | 0x32 | 0x5a | 0x6a => {
            let len = usize::try_from(varint(rest)?).ok()?;
            *rest = rest.get(len..)?;
            Some(())
        }
        // Numbers: drop_frames, keep_frames, time, duration, period, default_sample_type.
        0x38 | 0x40 | 0x48 | 0x50 | 0x60 | 0x70 => varint(rest).map(drop),
        _ => None,
    };
    let is_binary = bytes.iter().take(64).any(|&b| b < b'\t');
    let mut rest = bytes;
    is_binary && (0..4).all(|_| field(&mut rest).is_some())
}
