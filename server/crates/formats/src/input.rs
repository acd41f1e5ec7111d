//! The bytes of a file as they arrive.
//!
//! A [`Source`] says where they come from. [`Input`] has those that have arrived and are not consumed
//! yet. Large files are read and decompressed ahead on other threads, in blocks, so that no file is in
//! memory as a whole unless its reader asks for that ([`Input::whole`]).
//!
//! A failure ends the input like the end of the file does. [`Input::failure`] has the error then, and
//! it counts more than what a reader says of the end.
//!
//! Readers of formats that can be large take blocks, not a whole file, and keep what they need in the
//! smallest form: columns of numbers, trees of ids. A reader that needs all bytes asks for them
//! (`Input::whole`). `formats/tests/suite/broken_files.rs` reads all fixtures in small blocks.

pub mod inflate;

mod blocks;

use crate::error::{At, ErrorKind, ReadError};
use crate::format::Format;
use crate::input::inflate::Codec;
use crate::limits::Limits;
use blocks::Blocks;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::thread;

pub(crate) use blocks::Packed;

/// How many layers of compression are removed. Two occur: a `profile.json.gz` that a server
/// compressed once more.
const MAX_LAYERS: usize = 2;

/// The bytes of a block. Small enough for the caches of a processor, and large enough for passing it
/// between threads to cost nothing.
const BLOCK: usize = 512 << 10;

/// From how many bytes on a file is read ahead on another thread.
const LARGE: u64 = 1 << 20;

/// From how many compressed bytes on a file is decompressed on another thread.
const LARGE_PACKED: u64 = 128 << 10;

/// Called after each block with the most memory in bytes that the file may take as far as it is known
/// ([`Format::max_memory`]); `Break` cancels the read.
pub type Observer<'o> = &'o mut dyn FnMut(u64) -> ControlFlow<()>;

/// Where the bytes of a file come from.
pub struct Source<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// How many bytes are expected, before decompression.
    len: Option<u64>,
    block: usize,
}

impl<'a> Source<'a> {
    /// The bytes of a reader. `len` is how many are expected, if that is known. It may be wrong.
    pub fn new(reader: impl Read + Send + 'a, len: Option<u64>) -> Self {
        Self { reader: Box::new(reader), len, block: BLOCK }
    }

    /// The same bytes, read in blocks of this many.
    #[must_use]
    pub fn in_blocks(self, bytes: usize) -> Self {
        Self { block: bytes, ..self }
    }
}

impl From<Vec<u8>> for Source<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self::new(io::Cursor::new(bytes), Some(len))
    }
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::new(bytes, Some(bytes.len() as u64))
    }
}

/// The bytes of a file that have arrived and are not consumed.
pub(crate) struct Input<'i> {
    blocks: Blocks<'i>,
    bytes: Vec<u8>,
    /// A block whose memory can be used again.
    spare: Vec<u8>,
    /// How many of `bytes` are consumed.
    at: usize,
    /// The offset of `bytes` in the decompressed file.
    offset: u64,
    /// The first layer of compression.
    codec: Option<Codec>,
    /// How many bytes are expected, before decompression.
    expected: Option<u64>,
    format: Option<Format>,
    limits: Limits,
    observe: Observer<'i>,
    failure: Option<ReadError>,
    ended: bool,
}

/// Opens `source` and calls `read` with its bytes. Threads that read ahead end when `read` returns.
///
/// # Errors
/// The bytes are compressed too many times, or the source fails at once.
pub(crate) fn open<T>(
    source: Source<'_>,
    limits: Limits,
    observe: Observer<'_>,
    read: impl FnOnce(&mut Input<'_>) -> T,
) -> Result<T, ReadError> {
    thread::scope(|scope| {
        let Source { reader, len, block } = source;
        let is_more = |bytes| len.is_none_or(|len| len > bytes);
        let first = Blocks::new(reader, block).ahead_if(is_more(LARGE), scope);
        let mut packed = Packed::new(first);
        let mut outer = None;
        for _ in 0..MAX_LAYERS {
            let Some(codec) = Codec::of(packed.peek(inflate::MAGIC_BYTES)) else { break };
            outer = outer.or(Some(codec));
            let inner = Blocks::new(inflate::decoder(codec, packed), block);
            packed = Packed::new(inner.ahead_if(is_more(LARGE_PACKED), scope));
        }
        if Codec::of(packed.peek(inflate::MAGIC_BYTES)).is_some() {
            let message = format!("the data are compressed more than {MAX_LAYERS} times");
            return Err(ReadError::malformed(At::File, message));
        }
        let (bytes, blocks) = packed.into_parts();
        let mut input = Input {
            blocks,
            bytes,
            spare: Vec::new(),
            at: 0,
            offset: 0,
            codec: outer,
            expected: len,
            format: None,
            limits,
            observe,
            failure: None,
            ended: false,
        };
        input.check();
        Ok(read(&mut input))
    })
}

/// Calls `read` with bytes that are in memory.
///
/// # Errors
/// As for [`open`].
pub(crate) fn in_memory<T>(
    bytes: &[u8],
    read: impl FnOnce(&mut Input<'_>) -> T,
) -> Result<T, ReadError> {
    let go_on: Observer<'_> = &mut |_| ControlFlow::Continue(());
    open(bytes.into(), Limits::default(), go_on, read)
}

/// All bytes of `source`, decompressed, and the error if compressed data end too early: the bytes are
/// only the first part then.
///
/// # Errors
/// As for [`Input::failure`].
pub(crate) fn whole(
    source: Source<'_>,
    limits: Limits,
) -> Result<(Vec<u8>, Option<ReadError>), ReadError> {
    let go_on: Observer<'_> = &mut |_| ControlFlow::Continue(());
    let (bytes, failure) =
        open(source, limits, go_on, |input| (input.whole(), input.failure.take()))?;
    match failure {
        Some(error) if error.kind != ErrorKind::Truncated => Err(error),
        cut => Ok((bytes, cut)),
    }
}

impl Input<'_> {
    /// The bytes that have arrived and are not consumed. [`Input::fill`] adds more.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The offset of the first of [`Input::bytes`] in the decompressed file.
    pub(crate) fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Consumes the first `n` of [`Input::bytes`] and returns them.
    pub(crate) fn take(&mut self, n: usize) -> &[u8] {
        let start = self.at;
        self.at = (start + n).min(self.bytes.len());
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    /// Adds the next block to [`Input::bytes`]. `false` at the end of the file.
    pub(crate) fn fill(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.offset += self.at as u64;
        self.bytes.drain(..self.at);
        self.at = 0;
        match self.blocks.next(std::mem::take(&mut self.spare)) {
            Ok(Some(block)) if self.bytes.is_empty() => {
                self.spare = std::mem::replace(&mut self.bytes, block);
            }
            Ok(Some(block)) => {
                if self.bytes.try_reserve(block.len()).is_err() {
                    return self.fail(ReadError::no_memory());
                }
                self.bytes.extend_from_slice(&block);
                self.spare = block;
            }
            Ok(None) => self.ended = true,
            Err(error) => {
                self.failure = Some(inflate::error_in(error));
                self.ended = true;
            }
        }
        !self.ended && self.check()
    }

    /// Adds blocks until [`Input::bytes`] has at least `n` bytes. `false` if the file ends before.
    pub(crate) fn has(&mut self, n: usize) -> bool {
        let missing = n.saturating_sub(self.bytes().len());
        if let (None, Some(expected)) = (self.codec, self.expected)
            && self.offset().saturating_add(n as u64) <= expected
        {
            // If this fails, the buffer grows block by block, and that may fail.
            let _ = self.bytes.try_reserve_exact(missing);
        }
        while self.bytes().len() < n && self.fill() {}
        self.bytes().len() >= n
    }

    /// Consumes the complete lines that have arrived, at least one, and returns them with their offset.
    /// The last line of the file may have no end. `None` at the end of the file.
    pub(crate) fn lines(&mut self) -> Option<(&[u8], u64)> {
        let offset = self.offset();
        let mut searched = 0;
        loop {
            let unread = self.bytes();
            let new = unread.get(searched..).unwrap_or_default();
            if let Some(end) = memchr::memrchr(b'\n', new) {
                return Some((self.take(searched + end + 1), offset));
            }
            searched = unread.len();
            if !self.fill() {
                return (searched > 0).then(|| (self.take(searched), offset));
            }
        }
    }

    /// All bytes that are not consumed, to the end of the file. Consumes them.
    pub(crate) fn whole(&mut self) -> Vec<u8> {
        if let (None, Some(expected)) = (self.codec, self.expected) {
            let missing = expected.saturating_sub(self.offset + self.bytes.len() as u64);
            // If this fails, the buffer grows block by block, and that may fail.
            let _ = usize::try_from(missing).map(|missing| self.bytes.try_reserve_exact(missing));
        }
        while self.fill() {}
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.drain(..self.at);
        self.offset += (self.at + bytes.len()) as u64;
        self.at = 0;
        bytes
    }

    /// Consumes everything up to the end of the file, which shows whether it can be read.
    pub(crate) fn skip_to_end(&mut self) {
        while self.fill() {
            self.take(self.bytes.len());
        }
    }

    /// Whether the bytes are compressed, and end with a checksum or a last block.
    pub(crate) fn is_compressed(&self) -> bool {
        self.codec.is_some()
    }

    /// What ended the input before the end of the file: the source failed, compressed data are cut or
    /// corrupt, there are more bytes than [`Limits::max_inflated_bytes`], or the observer returned
    /// `Break`.
    pub(crate) fn failure(&mut self) -> Option<ReadError> {
        self.failure.take()
    }

    /// Checks the limit and asks the observer. `false` if the input ends here.
    fn check(&mut self) -> bool {
        let n = self.offset + self.bytes.len() as u64;
        let limit = self.limits.max_inflated_bytes;
        match self.codec {
            Some(codec) if n > limit => self.fail(inflate::too_large(codec, limit)),
            _ => match self.ask(n) {
                Ok(()) => true,
                Err(cancelled) => self.fail(cancelled),
            },
        }
    }

    /// Asks the observer whether a file of `n` decompressed bytes may be read.
    ///
    /// # Errors
    /// It may not.
    pub(crate) fn ask(&mut self, n: u64) -> Result<(), ReadError> {
        let expected = self.expected.filter(|_| self.codec.is_none()).unwrap_or(0);
        let n = n.max(expected);
        let memory = n.saturating_add(self.format.map_or(0, |format| format.max_memory(n)));
        if (self.observe)(memory).is_break() { Err(ReadError::cancelled()) } else { Ok(()) }
    }

    /// Sets the format, which tells how much memory the file may take.
    pub(crate) fn set_format(&mut self, format: Option<Format>) {
        self.format = format;
        self.check();
    }

    /// Ends the input at once, without the bytes that have arrived.
    fn fail(&mut self, failure: ReadError) -> bool {
        self.failure = Some(failure);
        self.ended = true;
        self.bytes.clear();
        self.at = 0;
        false
    }
}

#[cfg(test)]
mod tests;
