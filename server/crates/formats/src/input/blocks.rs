//! Blocks of bytes, read on this thread or ahead on another one.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

/// How many blocks may wait for their reader.
const AHEAD: usize = 2;

/// The bytes of the first block. Each block is twice as long as the one before it, up to a limit, so
/// that small files take little memory.
const FIRST: usize = 16 << 10;

/// A sequence of blocks.
pub(super) struct Blocks<'s> {
    from: From<'s>,
    /// The bytes of the next block, unless it is the last one.
    size: usize,
    /// The bytes of the largest block.
    max: usize,
    /// An error that comes after the blocks that were returned.
    failed: Option<io::Error>,
}

enum From<'s> {
    Reader(Box<dyn Read + Send + 's>),
    Thread { full: Receiver<io::Result<Vec<u8>>>, empty: Sender<Vec<u8>> },
}

impl<'s> Blocks<'s> {
    /// Blocks that are read when they are needed.
    pub(super) fn new(reader: Box<dyn Read + Send + 's>, max: usize) -> Self {
        Self { from: From::Reader(reader), size: FIRST.min(max), max, failed: None }
    }

    /// The same blocks, read on another thread if `ahead` and if there are threads.
    pub(super) fn ahead_if<'scope>(
        self,
        ahead: bool,
        scope: &'scope Scope<'scope, '_>,
    ) -> Blocks<'scope>
    where
        's: 'scope,
    {
        let Self { size, max, .. } = self;
        if !ahead || cfg!(target_family = "wasm") {
            return self;
        }
        let (full_sender, full) = sync_channel(AHEAD);
        let (empty, empty_receiver) = channel();
        scope.spawn(move || read_ahead(self, &full_sender, &empty_receiver));
        Blocks { from: From::Thread { full, empty }, size, max, failed: None }
    }

    /// The next block, which is not empty; `None` at the end. `spare` is a block whose memory can be
    /// used again.
    pub(super) fn next(&mut self, spare: Vec<u8>) -> io::Result<Option<Vec<u8>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        match &mut self.from {
            From::Reader(reader) => {
                let (block, failed) = fill(reader, spare, self.size);
                self.size = self.max.min(2 * self.size);
                match failed {
                    Some(error) if block.is_empty() => Err(error),
                    failed => {
                        self.failed = failed;
                        Ok((!block.is_empty()).then_some(block))
                    }
                }
            }
            From::Thread { full, empty } => {
                // If the thread has ended, nobody needs the memory.
                let _ = empty.send(spare);
                full.recv().ok().transpose()
            }
        }
    }
}

/// Reads blocks until the end, an error, or until nobody receives them.
fn read_ahead(
    mut blocks: Blocks<'_>,
    full: &SyncSender<io::Result<Vec<u8>>>,
    empty: &Receiver<Vec<u8>>,
) {
    loop {
        let spare = empty.try_recv().unwrap_or_default();
        let Some(block) = blocks.next(spare).transpose() else { return };
        let failed = block.is_err();
        if full.send(block).is_err() || failed {
            return;
        }
    }
}

/// Fills a block. It is shorter than `size` at the end of the data and before an error.
fn fill(reader: &mut dyn Read, mut block: Vec<u8>, size: usize) -> (Vec<u8>, Option<io::Error>) {
    block.resize(size, 0);
    let mut n = 0;
    let mut failed = None;
    while let Some(room) = block.get_mut(n..).filter(|room| !room.is_empty()) {
        match reader.read(room) {
            Ok(0) => break,
            Ok(read) => n += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    block.truncate(n);
    (block, failed)
}

/// Compressed bytes for a decoder. Counts those that it has taken.
pub(crate) struct Packed<'s> {
    blocks: Blocks<'s>,
    bytes: Vec<u8>,
    at: usize,
    /// The offset of `bytes`.
    offset: u64,
}

impl<'s> Packed<'s> {
    pub(super) fn new(blocks: Blocks<'s>) -> Self {
        Self { blocks, bytes: Vec::new(), at: 0, offset: 0 }
    }

    /// All bytes of a buffer.
    pub(crate) fn whole(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::new(Blocks::new(Box::new(io::empty()), 1)) }
    }

    /// The next `n` bytes, or fewer at the end of the data and before an error.
    pub(crate) fn peek(&mut self, n: usize) -> &[u8] {
        while self.rest().len() < n && self.blocks.failed.is_none() {
            match self.blocks.next(Vec::new()) {
                Ok(Some(block)) => {
                    self.drop_taken();
                    self.bytes.extend(block);
                }
                Ok(None) => break,
                Err(error) => self.blocks.failed = Some(error),
            }
        }
        let rest = self.rest();
        rest.get(..n).unwrap_or(rest)
    }

    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// The bytes that were not taken, and the blocks after them.
    pub(super) fn into_parts(mut self) -> (Vec<u8>, Blocks<'s>) {
        self.drop_taken();
        (self.bytes, self.blocks)
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn drop_taken(&mut self) {
        self.offset += self.at as u64;
        self.bytes.drain(..self.at);
        self.at = 0;
    }
}

impl Read for Packed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(buffer.len());
        buffer[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Packed<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest().is_empty() {
            self.offset += self.at as u64;
            self.at = 0;
            let spare = std::mem::take(&mut self.bytes);
            self.bytes = self.blocks.next(spare)?.unwrap_or_default();
        }
        Ok(self.rest())
    }

    fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.bytes.len());
    }
}
