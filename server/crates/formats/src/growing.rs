//! Files that are read while a profiler still appends to them.

use crate::format::Format;
use crate::input::inflate::{Codec, MAGIC_BYTES};
use memchr::memmem;
use std::io::{self, Read};

/// How many bytes are read at once.
const BLOCK: usize = 64 << 10;

/// The whole records of a text that is still being written. The bytes after the last record are left out,
/// because the first half of a number is another number. Compressed files, and formats whose readers
/// notice an incomplete record, are read to their end.
pub struct WholeRecords<R> {
    reader: R,
    /// What ends a record. Empty if everything is read.
    end: &'static [u8],
    /// The bytes that are not passed on yet.
    held: Vec<u8>,
    /// How many of these bytes belong to whole records.
    n_whole: usize,
    /// Whether nothing was passed on yet.
    is_front: bool,
}

impl<R: Read> WholeRecords<R> {
    /// The whole records of a file of this format.
    pub fn new(reader: R, format: Format) -> Self {
        let end: &[u8] = match format {
            Format::Folded => b"\n",
            Format::PerfScript => b"\n\n",
            _ => b"",
        };
        Self { reader, end, held: Vec::new(), n_whole: 0, is_front: true }
    }

    /// Reads another block. `false` at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        let before = self.held.len();
        self.held.resize(before + BLOCK, 0);
        let read = self.reader.read(self.held.get_mut(before..).unwrap_or_default());
        self.held.truncate(before + read.as_ref().map_or(0, |n| *n));
        if read? == 0 {
            return Ok(false);
        }
        let head = self.held.get(..MAGIC_BYTES).unwrap_or(&self.held);
        if self.is_front && Codec::of(head).is_some() {
            self.end = b"";
        }
        // The end of a record may begin in the block before.
        let searched = before.saturating_sub(self.end.len());
        let new = self.held.get(searched..).unwrap_or_default();
        if let Some(at) = memmem::rfind(new, self.end) {
            self.n_whole = searched + at + self.end.len();
        }
        Ok(true)
    }
}

impl<R: Read> Read for WholeRecords<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.n_whole == 0 {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let n = self.n_whole.min(buffer.len());
        buffer[..n].copy_from_slice(&self.held[..n]);
        self.held.drain(..n);
        self.n_whole -= n;
        self.is_front = false;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = buffer.len().min(1);
            self.0.read(&mut buffer[..n])
        }
    }

    fn whole(text: &[u8], format: Format) -> Vec<u8> {
        let (mut at_once, mut slowly) = (Vec::new(), Vec::new());
        WholeRecords::new(text, format).read_to_end(&mut at_once).unwrap();
        WholeRecords::new(Slow(text), format).read_to_end(&mut slowly).unwrap();
        assert_eq!(at_once, slowly);
        at_once
    }

    #[test]
    fn the_last_record_is_left_out_unless_it_is_whole() {
        assert_eq!(whole(b"main;f 12\nmain;g 3", Format::Folded), b"main;f 12\n");
        assert_eq!(whole(b"main;f 12\nmain;g 3\n", Format::Folded), b"main;f 12\nmain;g 3\n");
        assert_eq!(whole(b"main;f 1", Format::Folded), b"");
        let perf = b"a 1 2.0: 3 cycles:\n\tf1 f (a)\n\na 1 3.0: 3 cycles:\n\tf1 f (a)\n";
        assert_eq!(whole(perf, Format::PerfScript), &perf[..30]);
        assert_eq!(whole(b"[{\"ph\": \"X\"},\n{\"p", Format::ChromeTrace).len(), 17);
    }

    #[test]
    fn long_files_are_the_same() {
        let text = "main;parse 123\n".repeat(20_000);
        let mut read = Vec::new();
        WholeRecords::new(text.as_bytes(), Format::Folded).read_to_end(&mut read).unwrap();
        assert_eq!(read, text.as_bytes());
    }

    #[test]
    fn compressed_files_are_read_to_their_end() {
        let bytes = b"\x1f\x8b\x08\n123";
        assert_eq!(whole(bytes, Format::Folded), bytes);
    }
}
