//! Python's marshal, of all versions that profilers wrote, read as a stream: values are handed out
//! one by one, and what nobody asks for is stepped over. No value is kept but the places of those
//! that later ones refer to.
//!
//! Rules: `Python/marshal.c` of CPython 2.7 to 3.14. A byte says what follows; its highest bit,
//! that the value gets the next number, by which `r` refers to it. Python 2 numbers interned
//! strings alone (`t`, `R`).

use crate::error::{At, ReadError};

/// Python itself refuses values that are nested deeper.
const MAX_DEPTH: usize = 2000;
/// A function needs five or six.
const MAX_REFERENCES: usize = 1 << 24;
/// No code of a function has so many bytes; numbers that are taken for a length are greater.
const MAX_CODE: u32 = 1 << 24;
const FLAG: u8 = 0x80;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Int(i64),
    Float(f64),
    /// Where it stands, and its bytes.
    Text(usize, &'a [u8]),
    /// What was stepped over.
    Other,
}

/// What begins at some byte.
#[derive(Clone, Copy)]
enum Begun<'a> {
    /// A value that is read with its first bytes.
    Whole(Value<'a>),
    /// So many values follow.
    Values(u64),
    /// Pairs of values follow, and an end.
    Pairs,
    /// The end of a dictionary.
    End,
    Code,
}

/// What is still to be stepped over.
enum Todo {
    Values(u64),
    Pairs,
    Bytes(usize),
    /// The last parts of a code object, which differ between versions.
    CodeTail,
}

pub(super) struct Marshal<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the values begin that have a number.
    references: Vec<usize>,
    /// Where the strings begin that Python 2 numbers.
    interned: Vec<usize>,
    /// Whether a value is read again, for a reference to it: then it gets no number.
    again: bool,
}

/// Whether `bytes` begin as a dictionary does of which the first key is a tuple of three, a text
/// being the first of them.
pub(super) fn begins_with_function(bytes: &[u8]) -> bool {
    let [dict, rest @ ..] = bytes else { return false };
    let text = match rest {
        [b')' | 0xa9, 3, text, ..] | [b'(' | 0xa8, 3, 0, 0, 0, text, ..] => text & !FLAG,
        _ => return false,
    };
    dict & !FLAG == b'{' && matches!(text, b'z' | b'Z' | b'a' | b'A' | b'u' | b't' | b's')
}

/// Something else was expected at a byte.
pub(super) fn unexpected(at: usize, expected: &str) -> ReadError {
    ReadError::malformed(At::Byte(at as u64), format!("expected {expected}"))
}

impl<'a> Marshal<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, references: Vec::new(), interned: Vec::new(), again: false }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes into a dictionary: its pairs follow. Says whether there was one; if not, what was there
    /// is stepped over.
    pub(super) fn dict(&mut self) -> Result<bool, ReadError> {
        match self.begin()? {
            Begun::Pairs => Ok(true),
            begun => self.rest(begun).map(|_| false),
        }
    }

    /// Whether the dictionary has another pair. If not, its end is passed.
    pub(super) fn has_pair(&mut self) -> Result<bool, ReadError> {
        let is_end = self.byte(self.at)? & !FLAG == b'0';
        self.at += usize::from(is_end);
        Ok(!is_end)
    }

    /// Goes into the tuple that is next, here or at the place that is referred to: its values
    /// follow, and then [`Self::leave`]. Anything else is passed.
    pub(super) fn enter(&mut self) -> Result<Entered<'a>, ReadError> {
        let mut place = Place(None);
        if self.byte(self.at)? == b'r' {
            self.at += 1;
            let target = self.reference()?;
            place = Place(Some(self.at));
            (self.at, self.again) = (target, true);
        }
        match self.begin()? {
            Begun::Values(n) => Ok(Entered::Tuple(n, place)),
            // What is referred to was passed when it came.
            Begun::Pairs | Begun::Code | Begun::End if place.0.is_some() => {
                self.leave(place);
                Ok(Entered::Value(Value::Other))
            }
            begun => {
                let value = self.rest(begun)?;
                self.leave(place);
                Ok(Entered::Value(value))
            }
        }
    }

    /// Goes on after a tuple whose values were all read.
    pub(super) fn leave(&mut self, place: Place) {
        if let Place(Some(at)) = place {
            (self.at, self.again) = (at, false);
        }
    }

    /// The next value; tuples and the like are stepped over.
    pub(super) fn value(&mut self) -> Result<Value<'a>, ReadError> {
        let begun = self.begin()?;
        self.rest(begun)
    }

    /// Steps over what has begun.
    fn rest(&mut self, begun: Begun<'a>) -> Result<Value<'a>, ReadError> {
        if let Begun::Whole(value) = begun {
            return Ok(value);
        }
        let mut open = Vec::new();
        self.open(begun, &mut open)?;
        while let Some(todo) = open.pop() {
            match todo {
                Todo::Values(0) => {}
                Todo::Values(n) => {
                    open.push(Todo::Values(n - 1));
                    let begun = self.begin()?;
                    self.open(begun, &mut open)?;
                }
                Todo::Pairs => {
                    if self.has_pair()? {
                        open.push(Todo::Pairs);
                        open.push(Todo::Values(2));
                    }
                }
                Todo::Bytes(n) => drop(self.take(n)?),
                Todo::CodeTail => {
                    // Until 3.10: free and cell variables, file, name, first line, table of lines.
                    // Then: kinds of variables, file, name and qualified name, first line, tables
                    // of lines and of exceptions.
                    let is_new = self.is_text()?;
                    open.extend([
                        Todo::Values(if is_new { 2 } else { 1 }),
                        Todo::Bytes(4),
                        Todo::Values(4),
                    ]);
                }
            }
            if open.len() > MAX_DEPTH {
                return Err(ReadError::too_large(format!(
                    "values are nested deeper than {MAX_DEPTH}; expected a profile"
                )));
            }
        }
        Ok(Value::Other)
    }

    /// Notes what of a value is still to come.
    fn open(&mut self, begun: Begun<'a>, open: &mut Vec<Todo>) -> Result<(), ReadError> {
        match begun {
            Begun::Whole(_) | Begun::End => {}
            Begun::Values(n) => open.push(Todo::Values(n)),
            Begun::Pairs => open.push(Todo::Pairs),
            Begun::Code => {
                // Numbers come first, by version 4 to 6 of them; what follows them is the code, a
                // text.
                let is_text_after = |n: &&usize| {
                    let text =
                        self.bytes.get(self.at + 4 * **n..).and_then(<[u8]>::first_chunk::<5>);
                    text.is_some_and(|&[kind, length @ ..]| {
                        kind & !FLAG == b's' && u32::from_le_bytes(length) < MAX_CODE
                    })
                };
                let Some(&n) = [4, 5, 6].iter().find(is_text_after) else {
                    let at = self.at;
                    // All of it may be still to come.
                    self.take(4 * 6 + 5)?;
                    return Err(unexpected(at, "a code object of Python 2.7 to 3.14"));
                };
                self.take(4 * n)?;
                match n {
                    5 => open.extend([Todo::CodeTail, Todo::Values(4)]),
                    _ => open.extend([Todo::Values(1), Todo::Bytes(4), Todo::Values(8)]),
                }
            }
        }
        Ok(())
    }

    /// Whether the next value is a text, here or where it is referred to.
    fn is_text(&self) -> Result<bool, ReadError> {
        let mut kind = self.byte(self.at)?;
        if kind == b'r' {
            let number = self
                .bytes
                .get(self.at + 1..)
                .and_then(<[u8]>::first_chunk)
                .map(|bytes| u32::from_le_bytes(*bytes));
            let target = number.and_then(|number| self.references.get(number as usize));
            kind = target.map_or(Ok(kind), |&target| self.byte(target))?;
        }
        Ok(kind & !FLAG == b's')
    }

    /// Reads the first bytes of the next value.
    fn begin(&mut self) -> Result<Begun<'a>, ReadError> {
        let at = self.at;
        let kind = self.byte(at)?;
        self.at += 1;
        if kind & FLAG != 0 && !self.again {
            if self.references.len() >= MAX_REFERENCES {
                return Err(ReadError::too_large(format!(
                    "there are more than {MAX_REFERENCES} values that others refer to"
                )));
            }
            self.references.push(at);
        }
        let whole = match kind & !FLAG {
            b'0' => return Ok(Begun::End),
            b'N' | b'F' | b'T' | b'S' | b'.' => Value::Other,
            b'i' => Value::Int(i64::from(i32::from_le_bytes(self.array()?))),
            b'I' => Value::Int(i64::from_le_bytes(self.array()?)),
            b'l' => self.long()?,
            b'g' => Value::Float(f64::from_le_bytes(self.array()?)),
            b'f' => {
                let digits = self.short_text()?;
                let number =
                    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                Value::Float(number.ok_or_else(|| unexpected(at, "a number"))?)
            }
            b'y' => self.take(16).map(|_| Value::Other)?,
            b'x' => {
                self.short_text()?;
                self.short_text()?;
                Value::Other
            }
            b'z' | b'Z' => Value::Text(at, self.short_text()?),
            b's' | b'a' | b'A' | b'u' => Value::Text(at, self.text()?),
            b't' => {
                if !self.again {
                    self.interned.push(at);
                }
                Value::Text(at, self.text()?)
            }
            b'r' => {
                let target = self.reference()?;
                self.look(target)?
            }
            b'R' => {
                let number = self.length()?;
                let target = self.interned.get(number).copied();
                self.look(target.ok_or_else(|| unexpected(at, "the number of a string before"))?)?
            }
            b')' => {
                let [n] = self.array()?;
                return Ok(Begun::Values(u64::from(n)));
            }
            b'(' | b'[' | b'<' | b'>' => return Ok(Begun::Values(self.length()? as u64)),
            b':' => return Ok(Begun::Values(3)),
            b'{' => return Ok(Begun::Pairs),
            b'c' => return Ok(Begun::Code),
            _ => return Err(unexpected(at, "a value as Python's marshal writes them")),
        };
        Ok(Begun::Whole(whole))
    }

    /// The text or number at a place before.
    fn look(&mut self, target: usize) -> Result<Value<'a>, ReadError> {
        let before =
            (std::mem::replace(&mut self.at, target), std::mem::replace(&mut self.again, true));
        let begun = self.begin();
        (self.at, self.again) = before;
        Ok(if let Begun::Whole(value) = begun? { value } else { Value::Other })
    }

    /// Where the value begins whose number is next.
    fn reference(&mut self) -> Result<usize, ReadError> {
        let at = self.at;
        let number = self.length()?;
        self.references
            .get(number)
            .copied()
            .ok_or_else(|| unexpected(at, "the number of a value before"))
    }

    fn byte(&self, at: usize) -> Result<u8, ReadError> {
        self.bytes.get(at).copied().ok_or_else(|| self.truncated())
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], ReadError> {
        let bytes = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.get(..n))
            .ok_or_else(|| self.truncated())?;
        self.at += n;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let bytes = self.take(N)?;
        bytes.first_chunk().copied().ok_or_else(|| self.truncated())
    }

    fn length(&mut self) -> Result<usize, ReadError> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn text(&mut self) -> Result<&'a [u8], ReadError> {
        let n = self.length()?;
        self.take(n)
    }

    fn short_text(&mut self) -> Result<&'a [u8], ReadError> {
        let [n] = self.array()?;
        self.take(usize::from(n))
    }

    /// A number of any length, in digits of 15 bits; what is too large is as large as can be.
    fn long(&mut self) -> Result<Value<'a>, ReadError> {
        let n = i32::from_le_bytes(self.array()?);
        let digits = self.take(n.unsigned_abs() as usize * 2)?.chunks_exact(2);
        let digit =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | i64::from(byte));
        let number = digits
            .rev()
            .fold(0_i64, |sum, bytes| sum.saturating_mul(1 << 15).saturating_add(digit(bytes)));
        Ok(Value::Int(if n < 0 { -number } else { number }))
    }

    fn truncated(&self) -> ReadError {
        ReadError::truncated(
            At::Byte(self.bytes.len() as u64),
            "the file ends within a value; expected more of it",
        )
    }
}

/// What was next.
pub(super) enum Entered<'a> {
    /// A tuple of so many values, which were not read yet.
    Tuple(u64, Place),
    Value(Value<'a>),
}

/// Where to go on after a tuple.
#[derive(Clone, Copy)]
#[must_use]
pub(super) struct Place(Option<usize>);

impl Place {
    /// Whether the tuple stands elsewhere, and may be referred to again.
    pub(super) fn is_elsewhere(self) -> bool {
        self.0.is_some()
    }
}
