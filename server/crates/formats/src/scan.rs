//! Walking JSON text without building anything: members of objects are handed out, what is not
//! wanted is skipped at the speed of memory.
//!
//! Lenient: it finds the ends of values, it does not validate them. What is read of a value is
//! validated by whoever reads it.

/// Why scanning stopped before the end of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The data ended.
    End,
    /// This is not JSON.
    Broken,
    /// Whoever was handed a member has seen enough.
    Enough,
}

pub(crate) type Scanned<T = ()> = Result<T, Stop>;

/// Called for each member of an object with its key as written, the scanner standing before the
/// value, which it has to pass.
pub(crate) type Member<'f, 'a> = &'f mut dyn FnMut(&mut Scanner<'a>, &'a [u8]) -> Scanned;

/// A place in JSON text.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The beginning of a text.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were passed.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is no white space, not passed.
    pub(crate) fn peek(&mut self) -> Scanned<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Stop::End),
            }
        }
    }

    /// Passes `byte`, after white space.
    pub(crate) fn expect(&mut self, byte: u8) -> Scanned {
        if self.peek()? != byte {
            return Err(Stop::Broken);
        }
        self.at += 1;
        Ok(())
    }

    /// Passes a separator or the `close` of a list; whether there is another element.
    pub(crate) fn another(&mut self, close: u8) -> Scanned<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Ok(true),
            _ if byte == close => Ok(false),
            _ => Err(Stop::Broken),
        }
    }

    /// Passes an object, handing each member to `member`. Any other value is skipped.
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

    /// Passes an array, handing the members of its first element to `member`. Any other value is
    /// skipped.
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

    /// Passes a string; its text as written, escapes and all.
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

    /// Passes a value.
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

    /// Passes all up to the bracket that closes what is open. Brackets are counted, not matched: no
    /// stack, no recursion.
    fn skip_to_close(&mut self) -> Scanned {
        let mut depth = 1_usize;
        loop {
            // Nearly everything is columns of numbers.
            while let Some(block) =
                self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<BLOCK>())
            {
                if block.iter().fold(0, |found, &byte| found | is_structural(byte)) != 0 {
                    break;
                }
                self.at += BLOCK;
            }
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let found = rest.iter().position(|&byte| is_structural(byte) != 0).ok_or(Stop::End)?;
            self.at += found;
            match rest[found] {
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

    /// Passes an array, handing each element to `element`, which has to pass it. A comma may follow
    /// the last one.
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

    /// Whether the next value is an array whose first element begins with `byte`. Passes nothing
    /// but white space.
    pub(crate) fn is_array_of(&mut self, byte: u8) -> Scanned<bool> {
        Ok(self.peek()? == b'[' && Self { bytes: self.bytes, at: self.at + 1 }.peek()? == byte)
    }

    /// The text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }
}

/// As many bytes as are looked at in one go; a few vector registers.
const BLOCK: usize = 64;

/// Not 0 for a byte that can change where a list ends. Without branches, so that a block of them is
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
        let mut scanner = Scanner::new(text);
        scanner.peek()?;
        let start = scanner.at();
        scanner.skip()?;
        Ok(scanner.since(start))
    }

    #[test]
    fn values_end_where_they_end() {
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
