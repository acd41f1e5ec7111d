//! Python's marshal format, in all versions used by profilers, read as a stream: values are
//! returned one by one, and unused ones are skipped. Only the offsets of values that can be
//! referred to are kept.
//!
//! Source: `Python/marshal.c` of CPython 2.7 to 3.14. A byte gives the type; its highest bit says
//! that the value gets the next reference number, which `r` uses. Python 2 numbers only interned
//! strings (`t`, `R`).

use crate::error::{At, ReadError};

/// Python itself rejects values with deeper nesting.
const MAX_DEPTH: usize = 2000;
/// The largest number of references. A function needs five or six.
const MAX_REFERENCES: usize = 1 << 24;
/// The code of a function has fewer bytes. If another number is taken for a length, it is greater.
const MAX_CODE: u32 = 1 << 24;
const FLAG: u8 = 0x80;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Int(i64),
    Float(f64),
    /// A text: its offset and bytes.
    Text(usize, &'a [u8]),
    /// A value that was skipped.
    Other,
}

/// The beginning of a value.
#[derive(Clone, Copy)]
enum Begun<'a> {
    /// A complete value.
    Whole(Value<'a>),
    /// This number of values follows.
    Values(u64),
    /// Pairs of values follow, then an end.
    Pairs,
    /// The end of a dictionary.
    End,
    Code,
}

/// What remains to be skipped.
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
    /// The offsets of numbered values.
    references: Vec<usize>,
    /// The offsets of strings numbered by Python 2.
    interned: Vec<usize>,
    /// Whether a value is read again because of a reference; it then gets no new number.
    again: bool,
}

/// Whether `bytes` begin with a dictionary whose first key is a tuple of three values, the first of
/// them a text.
pub(super) fn begins_with_function(bytes: &[u8]) -> bool {
    let [dict, rest @ ..] = bytes else { return false };
    let text = match rest {
        [b')' | 0xa9, 3, text, ..] | [b'(' | 0xa8, 3, 0, 0, 0, text, ..] => text & !FLAG,
        _ => return false,
    };
    dict & !FLAG == b'{' && matches!(text, b'z' | b'Z' | b'a' | b'A' | b'u' | b't' | b's')
}

/// Whether `bytes` begin with a dictionary whose first key is a tuple of one short text, `mark`.
pub(super) fn begins_with_mark(bytes: &[u8], mark: &[u8]) -> bool {
    let [dict, b')' | 0xa9, 1, text, length, rest @ ..] = bytes else { return false };
    dict & !FLAG == b'{'
        && matches!(text & !FLAG, b'z' | b'Z')
        && usize::from(*length) == mark.len()
        && rest.starts_with(mark)
}

/// The error for an unexpected value at a byte.
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

    /// Enters a dictionary: its pairs come next. Returns whether there was one; any other value is
    /// skipped.
    pub(super) fn dict(&mut self) -> Result<bool, ReadError> {
        match self.begin()? {
            Begun::Pairs => Ok(true),
            begun => self.rest(begun).map(|_| false),
        }
    }

    /// Whether the dictionary has another pair. Consumes its end if not.
    pub(super) fn has_pair(&mut self) -> Result<bool, ReadError> {
        let is_end = self.byte(self.at)? & !FLAG == b'0';
        self.at += usize::from(is_end);
        Ok(!is_end)
    }

    /// Enters the next tuple, here or at the offset referred to: its values come next, followed by
    /// a call of [`Self::leave`]. Any other value is skipped.
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
            // The value was skipped where it is defined.
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

    /// Continues after a tuple whose values were all read.
    pub(super) fn leave(&mut self, place: Place) {
        if let Place(Some(at)) = place {
            (self.at, self.again) = (at, false);
        }
    }

    /// The next value; tuples and other containers are skipped.
    pub(super) fn value(&mut self) -> Result<Value<'a>, ReadError> {
        let begun = self.begin()?;
        self.rest(begun)
    }

    /// The last value of an entered tuple, which is then left. A container that was skipped where
    /// the tuple is defined is not skipped again.
    pub(super) fn last(&mut self, place: Place) -> Result<Value<'a>, ReadError> {
        let value = match self.begin()? {
            Begun::Whole(value) => value,
            _ if place.is_elsewhere() => Value::Other,
            begun => self.rest(begun)?,
        };
        self.leave(place);
        Ok(value)
    }

    /// Skips the rest of a value.
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
                    // Up to 3.10: free and cell variables, file, name, first line, table of lines.
                    // Since 3.11: kinds of variables, file, name and qualified name, first line,
                    // tables of lines and of exceptions.
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

    /// Adds what remains of a value to the list.
    fn open(&mut self, begun: Begun<'a>, open: &mut Vec<Todo>) -> Result<(), ReadError> {
        match begun {
            Begun::Whole(_) | Begun::End => {}
            Begun::Values(n) => open.push(Todo::Values(n)),
            Begun::Pairs => open.push(Todo::Pairs),
            Begun::Code => {
                // Numbers come first, 4 to 6 of them depending on the version; then the code, a
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
                    // If none match, the data may end early.
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

    /// Whether the next value is a text, here or at the offset referred to.
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
        // References get no number, so that none refers to itself.
        let is_numbered = kind & FLAG != 0 && !b"rR0".contains(&(kind & !FLAG));
        if is_numbered && !self.again {
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

    /// The text or number at an earlier offset.
    fn look(&mut self, target: usize) -> Result<Value<'a>, ReadError> {
        let before =
            (std::mem::replace(&mut self.at, target), std::mem::replace(&mut self.again, true));
        let begun = self.begin();
        (self.at, self.again) = before;
        Ok(if let Begun::Whole(value) = begun? { value } else { Value::Other })
    }

    /// The offset of the value whose number comes next.
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

    /// Reads a number of any length, in digits of 15 bits; numbers that are too large become the
    /// largest one.
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
            "the file ends within a value; expected the rest of it",
        )
    }
}

/// The next value.
pub(super) enum Entered<'a> {
    /// A tuple with this number of values, which are not read yet.
    Tuple(u64, Place),
    Value(Value<'a>),
}

/// Where to continue after a tuple.
#[derive(Clone, Copy)]
#[must_use]
pub(super) struct Place(Option<usize>);

impl Place {
    /// Whether the tuple was read through a reference, so that it may be referred to again.
    pub(super) fn is_elsewhere(self) -> bool {
        self.0.is_some()
    }
}
