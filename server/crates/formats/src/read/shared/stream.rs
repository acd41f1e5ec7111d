//! Scans the JSON of a file that is not in memory as a whole.

use crate::error::At;
use crate::input::Input;
use crate::scan::{Scanned, Scanner, Stop, next_structural};

/// A closure that is called for each member of an object with its key as written. It must consume the
/// value, which comes next.
type Member<'f, 'i> = &'f mut dyn FnMut(&mut Stream<'_, 'i>, &[u8]) -> Scanned;

/// A position in the JSON of a file.
pub(crate) struct Stream<'s, 'i> {
    input: &'s mut Input<'i>,
}

/// A column that has a cell that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadColumn<E> {
    /// The value is no array.
    NoArray,
    /// The error of a cell.
    Cell(E),
}

impl<'s, 'i> Stream<'s, 'i> {
    /// The JSON that comes next in `input`.
    pub(crate) fn new(input: &'s mut Input<'i>) -> Self {
        Self { input }
    }

    /// The offset of the next byte in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Where a scan stopped: for [`Stop::End`] the end of the file.
    pub(crate) fn stopped_at(&self, stop: Stop) -> At {
        let n_unread = if stop == Stop::End { self.input.bytes().len() as u64 } else { 0 };
        At::Byte(self.offset() + n_unread)
    }

    /// The bytes that have arrived and are not consumed.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.input.bytes()
    }

    /// Consumes `n` of them.
    pub(crate) fn take(&mut self, n: usize) {
        self.input.take(n);
    }

    /// Skips white space and returns the next byte without consuming it.
    pub(crate) fn peek(&mut self) -> Scanned<u8> {
        loop {
            let bytes = self.input.bytes();
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            if let Some(at) = bytes.iter().position(|byte| !is_blank(byte)) {
                let byte = bytes.get(at).copied();
                self.input.take(at);
                return byte.ok_or(Stop::End);
            }
            let n_blank = bytes.len();
            self.input.take(n_blank);
            self.fill()?;
        }
    }

    /// Consumes white space and `byte`.
    fn expect(&mut self, byte: u8) -> Scanned {
        if self.peek()? != byte {
            return Err(Stop::Broken);
        }
        self.input.take(1);
        Ok(())
    }

    /// Consumes a comma or the closing byte `close`; returns whether another element follows.
    fn another(&mut self, close: u8) -> Scanned<bool> {
        let byte = self.peek()?;
        self.input.take(1);
        match byte {
            b',' => Ok(true),
            _ if byte == close => Ok(false),
            _ => Err(Stop::Broken),
        }
    }

    /// Consumes an object and calls `member` for each member. Any other value is skipped.
    pub(crate) fn object(&mut self, member: Member<'_, 'i>) -> Scanned {
        if self.peek()? != b'{' {
            return self.skip();
        }
        self.input.take(1);
        if self.peek()? == b'}' {
            self.input.take(1);
            return Ok(());
        }
        loop {
            let key = self.key()?;
            self.expect(b':')?;
            member(self, &key)?;
            if !self.another(b'}')? {
                return Ok(());
            }
        }
    }

    /// Consumes an array and calls `element` for each element, which it must consume. A comma may
    /// follow the last one.
    pub(crate) fn array(&mut self, element: &mut dyn FnMut(&mut Self) -> Scanned) -> Scanned {
        self.expect(b'[')?;
        while self.peek()? != b']' {
            element(self)?;
            if !self.another(b']')? {
                return Ok(());
            }
        }
        self.expect(b']')
    }

    /// The text of the next value, which is consumed. It is in memory as a whole.
    pub(crate) fn value(&mut self) -> Scanned<&[u8]> {
        self.peek()?;
        loop {
            let mut scanner = Scanner::new(self.input.bytes());
            match scanner.skip() {
                Ok(()) => {
                    let n = scanner.at();
                    return Ok(self.input.take(n));
                }
                // Scanning begins again each time, so each time there must be much more.
                Err(Stop::End) => self.fill_to(2 * self.input.bytes().len())?,
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self) -> Scanned {
        match self.peek()? {
            b'"' => {
                self.input.take(1);
                self.skip_to_quote()
            }
            b'{' | b'[' => {
                self.input.take(1);
                self.skip_to_close()
            }
            _ => self.value().map(drop),
        }
    }

    /// Consumes an array of numbers and words. `cells` gets as many cells at once as have arrived,
    /// with the comma after each one except the last of the array. After an error the rest of the
    /// array is skipped.
    pub(crate) fn column<E>(
        &mut self,
        cells: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Scanned<Result<(), BadColumn<E>>> {
        if self.peek()? != b'[' {
            self.skip()?;
            return Ok(Err(BadColumn::NoArray));
        }
        self.input.take(1);
        loop {
            let bytes = self.input.bytes();
            let close = memchr::memchr(b']', bytes);
            let end = close.or_else(|| memchr::memrchr(b',', bytes).map(|comma| comma + 1));
            let Some(end) = end else {
                // Searching begins again each time, as in `value`.
                self.fill_to(2 * self.input.bytes().len())?;
                continue;
            };
            if let Err(error) = cells(bytes.get(..end).unwrap_or_default()) {
                // These bytes may be something else than numbers: the bracket may be in a string.
                self.skip_to_close()?;
                return Ok(Err(BadColumn::Cell(error)));
            }
            self.input.take(end);
            if close.is_some() {
                self.input.take(1);
                return Ok(Ok(()));
            }
            self.fill()?;
        }
    }

    fn key(&mut self) -> Scanned<Vec<u8>> {
        if self.peek()? != b'"' {
            return Err(Stop::Broken);
        }
        let text = self.value()?;
        Ok(text.get(1..text.len() - 1).unwrap_or_default().to_vec())
    }

    /// Skips the rest of a string.
    fn skip_to_quote(&mut self) -> Scanned {
        loop {
            let bytes = self.input.bytes();
            match memchr::memchr2(b'"', b'\\', bytes) {
                Some(at) if bytes.get(at) == Some(&b'"') => {
                    self.input.take(at + 1);
                    return Ok(());
                }
                Some(at) if at + 1 < bytes.len() => _ = self.input.take(at + 2),
                Some(at) => {
                    self.input.take(at);
                    self.fill()?;
                }
                None => {
                    self.input.take(bytes.len());
                    self.fill()?;
                }
            }
        }
    }

    /// Skips to the bracket that closes the value.
    fn skip_to_close(&mut self) -> Scanned {
        let mut depth = 1_usize;
        while depth > 0 {
            let bytes = self.input.bytes();
            let Some((at, byte)) = next_structural(bytes) else {
                self.input.take(bytes.len());
                self.fill()?;
                continue;
            };
            self.input.take(at + 1);
            match byte {
                b'"' => self.skip_to_quote()?,
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
        }
        Ok(())
    }

    fn fill(&mut self) -> Scanned {
        if self.input.fill() { Ok(()) } else { Err(Stop::End) }
    }

    /// Fills until there are `n` bytes. Fails if no byte arrives.
    fn fill_to(&mut self, n: usize) -> Scanned {
        self.fill()?;
        while self.input.bytes().len() < n && self.input.fill() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests;
