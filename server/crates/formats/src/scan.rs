//! A JSON scanner that builds nothing: it passes the members of objects to closures and skips
//! unwanted values fast (`docs/decisions/json-scanner.md`).
//!
//! It is lenient: it finds the ends of values but does not validate them. Whoever decodes a value
//! validates it.
//!
//! [`Scanner`] scans bytes in memory, [`Stream`] a file as it arrives.

pub(crate) mod cells;

/// Why scanning stopped before the end of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The data end.
    End,
    /// The data are not JSON.
    Broken,
    /// The closure needs no more.
    Enough,
}

pub(crate) type Scanned<T = ()> = Result<T, Stop>;

/// A closure that is called for each member of an object with its key as written. It must consume
/// the value, which comes next.
pub(crate) type Member<'f, 'a> = &'f mut dyn FnMut(&mut Scanner<'a>, &'a [u8]) -> Scanned;

/// A position in JSON text.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the beginning of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Skips white space and returns the next byte without consuming it.
    pub(crate) fn peek(&mut self) -> Scanned<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Stop::End),
            }
        }
    }

    /// Consumes white space and `byte`.
    pub(crate) fn expect(&mut self, byte: u8) -> Scanned {
        if self.peek()? != byte {
            return Err(Stop::Broken);
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes a comma or the closing byte `close`; returns whether another element follows.
    pub(crate) fn another(&mut self, close: u8) -> Scanned<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Ok(true),
            _ if byte == close => Ok(false),
            _ => Err(Stop::Broken),
        }
    }

    /// Consumes an object and calls `member` for each member. Any other value is skipped.
    pub(crate) fn object(&mut self, member: Member<'_, 'a>) -> Scanned {
        if self.peek()? != b'{' {
            return self.skip();
        }
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            member(self, key)?;
            if !self.another(b'}')? {
                return Ok(());
            }
        }
    }

    /// Consumes an array and calls `member` for each member of its first element. Any other value
    /// is skipped.
    pub(crate) fn first(&mut self, member: Member<'_, 'a>) -> Scanned {
        if self.peek()? != b'[' {
            return self.skip();
        }
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        self.object(member)?;
        if self.another(b']')? { self.skip_to_close() } else { Ok(()) }
    }

    /// Consumes a string and returns its text as written, with escapes.
    pub(crate) fn string(&mut self) -> Scanned<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(Stop::End)?;
            let offset = memchr::memchr2(b'"', b'\\', rest).ok_or(Stop::End)?;
            let end = self.at + offset;
            if rest.get(offset) == Some(&b'"') {
                self.at = end + 1;
                return self.bytes.get(start..end).ok_or(Stop::End);
            }
            self.at = end + 2;
        }
    }

    /// Consumes a value and returns its text.
    pub(crate) fn value(&mut self) -> Scanned<&'a [u8]> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        Ok(self.since(start))
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self) -> Scanned {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' | b'[' => {
                self.at += 1;
                self.skip_to_close()
            }
            _ => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let len = rest.iter().position(
                    |b| !matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.'),
                );
                let (word, _) = rest.split_at_checked(len.ok_or(Stop::End)?).ok_or(Stop::End)?;
                self.at += word.len();
                let literal =
                    matches!(word, b"true" | b"false" | b"null" | [b'-' | b'0'..=b'9', ..]);
                if literal { Ok(()) } else { Err(Stop::Broken) }
            }
        }
    }

    /// Skips to the bracket that closes the value. Brackets are counted, not matched, so no stack
    /// or recursion is needed.
    fn skip_to_close(&mut self) -> Scanned {
        let mut depth = 1_usize;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let (found, byte) = next_structural(rest).ok_or(Stop::End)?;
            self.at += found;
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Consumes an array and calls `element` for each element, which it must consume. A comma may
    /// follow the last one.
    pub(crate) fn array(
        &mut self,
        element: &mut dyn FnMut(&mut Scanner<'a>) -> Scanned,
    ) -> Scanned {
        self.expect(b'[')?;
        while self.peek()? != b']' {
            element(self)?;
            if !self.another(b']')? {
                return Ok(());
            }
        }
        self.expect(b']')
    }

    /// Whether the next value is an array whose first element begins with `byte`. Consumes only
    /// white space.
    pub(crate) fn is_array_of(&mut self, byte: u8) -> Scanned<bool> {
        Ok(self.peek()? == b'[' && Self { bytes: self.bytes, at: self.at + 1 }.peek()? == byte)
    }

    /// The text from `start` to the current position.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }
}

/// How many bytes are compared at once: a few vector registers.
const BLOCK: usize = 64;

/// The first quote or bracket, and its offset.
pub(crate) fn next_structural(bytes: &[u8]) -> Option<(usize, u8)> {
    // Most bytes are columns of numbers.
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let has_none = |block: &&[u8; BLOCK]| {
        block.iter().fold(0, |found, &byte| found | is_structural(byte)) == 0
    };
    let skipped = blocks.iter().take_while(has_none).count() * BLOCK;
    let rest = bytes.get(skipped..)?;
    let found = rest.iter().position(|&byte| is_structural(byte) != 0)?;
    Some((skipped + found, *rest.get(found)?))
}

/// Not 0 for a byte that can change where a list ends. Has no branches, so that a block of bytes is
/// compared at once.
fn is_structural(byte: u8) -> u8 {
    u8::from(byte == b'"')
        | u8::from(byte == b'[')
        | u8::from(byte == b']')
        | u8::from(byte == b'{')
        | u8::from(byte == b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &[u8]) -> Scanned<&[u8]> {
        Scanner::new(text).value()
    }

    #[test]
    fn ends_of_values_are_found() {
        let long = format!("[{}[\"]\\\"\"],{{\"a\":[]}}] ,", "1234567,".repeat(40));
        for (text, expected) in [
            (" 12.5e-3,", "12.5e-3"),
            ("\"a]\\\"\" :", "\"a]\\\"\""),
            ("{\"a\":[1,{\"b\":\"}\"}]}]", "{\"a\":[1,{\"b\":\"}\"}]}"),
            (&*long, long.trim_end_matches([' ', ','])),
        ] {
            assert_eq!(value(text.as_bytes()), Ok(expected.as_bytes()), "{text}");
        }
        for cut in 1..long.len() - 3 {
            assert_eq!(value(&long.as_bytes()[..cut]), Err(Stop::End), "{cut}");
        }
        assert_eq!(value(b"nonsense"), Err(Stop::End));
        assert_eq!(value(b"nonsense "), Err(Stop::Broken));
    }
}
