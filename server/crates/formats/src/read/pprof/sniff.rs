//! Detection of pprof profiles by their first fields.

use crate::error::ErrorKind;
use crate::pprof_proto::{Fields, ValueType};
use prost::Message;

/// Whether `bytes` are binary and begin with fields of pprof's `Profile`, which are in any order.
pub(crate) fn is_pprof(bytes: &[u8]) -> bool {
    let is_binary = bytes.iter().take(64).any(|&byte| byte < b'\t');
    let mut n_fields = 0;
    for field in Fields::of(if is_binary { bytes } else { &[] }).take(4) {
        let fits = match field {
            // Other protobuf files begin with the same fields, for example models of TensorFlow,
            // but their messages are more than two numbers.
            Ok(field) if matches!(field.tag, 1 | 11) => ValueType::decode(field.content).is_ok(),
            Ok(field) => (2..=15).contains(&field.tag),
            // A prefix of a file.
            Err(error) => return n_fields >= 2 && error.kind == ErrorKind::Truncated,
        };
        if !fits {
            return false;
        }
        n_fields += 1;
    }
    n_fields == 4
}
