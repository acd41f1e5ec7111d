//! Splits a stream of bytes into messages, as strictly as the strictest client.

use serde_json::Value;

/// The end of a header.
const END: &[u8] = b"\r\n\r\n";

/// The bytes of a stream, received in pieces of any size.
#[derive(Default)]
pub struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether there is an incomplete message.
    pub fn is_incomplete(&self) -> bool {
        !self.bytes.is_empty()
    }
}

impl Iterator for Frames {
    /// A message, or the reason why it is malformed.
    type Item = Result<Value, String>;

    /// The next complete message.
    fn next(&mut self) -> Option<Self::Item> {
        let header = self.bytes.windows(END.len()).position(|window| window == END)?;
        let body = header + END.len();
        let length = match content_length(&self.bytes[..header]) {
            Ok(length) => length,
            Err(fault) => {
                self.bytes.drain(..body);
                return Some(Err(fault));
            }
        };
        let message = self.bytes.get(body..body + length)?;
        let message = serde_json::from_slice(message).map_err(|error| {
            format!("a body that is not JSON ({error}): {}", String::from_utf8_lossy(message))
        });
        self.bytes.drain(..body + length);
        Some(message)
    }
}

fn content_length(header: &[u8]) -> Result<usize, String> {
    let fault = || format!("a malformed header: {:?}", String::from_utf8_lossy(header));
    let header = str::from_utf8(header).map_err(|_| fault())?;
    let mut length = None;
    for field in header.split("\r\n") {
        match field.split_once(": ") {
            Some(("Content-Length", given)) if length.is_none() => {
                length = Some(given.parse().map_err(|_| fault())?);
            }
            Some(("Content-Type", "application/vscode-jsonrpc; charset=utf-8")) => {}
            _ => return Err(fault()),
        }
    }
    length.ok_or_else(fault)
}
