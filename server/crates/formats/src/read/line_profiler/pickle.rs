//! Python's pickles, as far as line_profiler writes them: texts, numbers, tuples, lists, dictionaries and one
//! object. Nothing is ever imported or called: a class is only a name, and the opcodes that call something,
//! or that are not needed, are refused.
//!
//! Source: `Lib/pickletools.py` of CPython, protocols 2 to 5.

use crate::error::{At, ReadError};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A value. Parts of it are numbers of other values.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    Int(i64),
    Float(f64),
    Tuple(Vec<usize>),
    List(Vec<usize>),
    /// Keys and values in turn.
    Dict(Vec<usize>),
    /// An object, with its state once that was set.
    Object(Option<usize>),
    /// A class, `None`, `True` or `False`.
    Other,
}

/// All values of a file.
pub(super) struct Pickle<'a> {
    values: Vec<Value<'a>>,
    /// The value of the file.
    top: usize,
}

impl<'a> Pickle<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut machine = Machine {
            bytes,
            at: 0,
            values: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: FxHashMap::default(),
        };
        while machine.step()? {}
        let top = machine.pop()?;
        Ok(Self { values: machine.values, top })
    }

    pub(super) fn value(&self, number: usize) -> &Value<'a> {
        self.values.get(number).unwrap_or(&Value::Other)
    }

    /// An attribute of the object that the file is.
    pub(super) fn attribute(&self, name: &str) -> Option<&Value<'a>> {
        let Value::Object(Some(state)) = self.value(self.top) else { return None };
        let Value::Dict(state) = self.value(*state) else { return None };
        let is_named =
            |pair: &&[usize]| matches!(self.value(pair[0]), Value::Text(text) if text == name);
        let pair = state.chunks_exact(2).rev().find(is_named)?;
        Some(self.value(pair[1]))
    }
}

/// The state of the pickle machine. Each opcode makes at most one value, so there are no more values than
/// bytes.
struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    values: Vec<Value<'a>>,
    stack: Vec<usize>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: FxHashMap<u32, usize>,
}

impl<'a> Machine<'a> {
    /// Runs an opcode. Returns whether there are more.
    fn step(&mut self) -> Result<bool, ReadError> {
        let start = self.at;
        let [opcode] = self.take()?;
        match opcode {
            // PROTO, FRAME
            0x80 => drop(self.take::<1>()?),
            0x95 => drop(self.take::<8>()?),
            // SHORT_BINUNICODE, BINUNICODE, BINUNICODE8; SHORT_BINSTRING and BINSTRING of Python 2
            0x8c | b'U' => {
                let [length] = self.take()?;
                self.text(usize::from(length))?;
            }
            b'X' | b'T' => {
                let length = u32::from_le_bytes(self.take()?);
                self.text(length as usize)?;
            }
            0x8d => {
                let length = u64::from_le_bytes(self.take()?);
                self.text(usize::try_from(length).unwrap_or(usize::MAX))?;
            }
            // BININT, BININT1, BININT2, LONG1, BINFLOAT
            b'J' => {
                let number = i32::from_le_bytes(self.take()?);
                self.push(Value::Int(number.into()));
            }
            b'K' => {
                let [number] = self.take()?;
                self.push(Value::Int(number.into()));
            }
            b'M' => {
                let number = u16::from_le_bytes(self.take()?);
                self.push(Value::Int(number.into()));
            }
            0x8a => self.long(start)?,
            b'G' => {
                let number = f64::from_be_bytes(self.take()?);
                self.push(Value::Float(number));
            }
            // NONE, NEWTRUE, NEWFALSE
            b'N' | 0x88 | 0x89 => self.push(Value::Other),
            // MEMOIZE, BINPUT, LONG_BINPUT, BINGET, LONG_BINGET
            0x94 => self.memoize(self.memo.len() as u32)?,
            b'q' => {
                let [slot] = self.take()?;
                self.memoize(slot.into())?;
            }
            b'r' => {
                let slot = u32::from_le_bytes(self.take()?);
                self.memoize(slot)?;
            }
            b'h' => {
                let [slot] = self.take()?;
                self.recall(slot.into(), start)?;
            }
            b'j' => {
                let slot = u32::from_le_bytes(self.take()?);
                self.recall(slot, start)?;
            }
            // GLOBAL, STACK_GLOBAL
            b'c' => {
                self.line()?;
                self.line()?;
                self.push(Value::Other);
            }
            0x93 => {
                self.pop_several(2)?;
                self.push(Value::Other);
            }
            // NEWOBJ, BUILD
            0x81 => {
                self.pop_several(2)?;
                self.push(Value::Object(None));
            }
            b'b' => {
                let state = self.pop()?;
                let object = self.last()?;
                let Some(Value::Object(of)) = self.values.get_mut(object) else {
                    return Err(refused(start, "sets the state of something that is no object"));
                };
                *of = Some(state);
            }
            // EMPTY_TUPLE, EMPTY_LIST, EMPTY_DICT
            b')' => self.push(Value::Tuple(Vec::new())),
            b']' => self.push(Value::List(Vec::new())),
            b'}' => self.push(Value::Dict(Vec::new())),
            // MARK, TUPLE, TUPLE1, TUPLE2, TUPLE3
            b'(' => self.marks.push(self.stack.len()),
            b't' => {
                let items = self.pop_to_mark()?;
                self.push(Value::Tuple(items));
            }
            0x85..=0x87 => {
                let items = self.pop_several(usize::from(opcode - 0x84))?;
                self.push(Value::Tuple(items));
            }
            // APPEND, APPENDS, SETITEM, SETITEMS
            b'a' | b's' => {
                let items = self.pop_several(if opcode == b'a' { 1 } else { 2 })?;
                self.extend(items, start)?;
            }
            b'e' | b'u' => {
                let items = self.pop_to_mark()?;
                self.extend(items, start)?;
            }
            // STOP
            b'.' => return Ok(false),
            _ => return Err(refused(start, "has an operation that line_profiler does not use")),
        }
        Ok(true)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        let found = *found.ok_or_else(|| self.ends())?;
        self.at += N;
        Ok(found)
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(length);
        let found = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| self.ends())?;
        self.at += length;
        Ok(found)
    }

    fn text(&mut self, length: usize) -> Result<(), ReadError> {
        let text = self.slice(length)?;
        self.push(Value::Text(String::from_utf8_lossy(text)));
        Ok(())
    }

    /// Skips a line of text.
    fn line(&mut self) -> Result<(), ReadError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).ok_or_else(|| self.ends())?;
        self.at += end + 1;
        Ok(())
    }

    /// A number of any length.
    fn long(&mut self, start: usize) -> Result<(), ReadError> {
        let [length] = self.take()?;
        let digits = self.slice(length.into())?;
        let sign = if digits.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 };
        let mut number = [sign; 8];
        match number.get_mut(..digits.len()) {
            Some(low) => low.copy_from_slice(digits),
            None => return Err(refused(start, "has a number of more than 64 bits")),
        }
        self.push(Value::Int(i64::from_le_bytes(number)));
        Ok(())
    }

    fn push(&mut self, value: Value<'a>) {
        self.stack.push(self.values.len());
        self.values.push(value);
    }

    /// The height below which nothing is taken.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn last(&self) -> Result<usize, ReadError> {
        self.stack.last().copied().ok_or_else(|| refused(self.at, "takes a value that is missing"))
    }

    fn pop(&mut self) -> Result<usize, ReadError> {
        let value = self.last()?;
        if self.stack.len() <= self.floor() {
            return Err(refused(self.at, "takes a value that is missing"));
        }
        self.stack.pop();
        Ok(value)
    }

    fn pop_several(&mut self, n: usize) -> Result<Vec<usize>, ReadError> {
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(self.pop()?);
        }
        values.reverse();
        Ok(values)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<usize>, ReadError> {
        let mark =
            self.marks.pop().ok_or_else(|| refused(self.at, "ends a list that did not begin"))?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn extend(&mut self, items: Vec<usize>, start: usize) -> Result<(), ReadError> {
        let target = self.last()?;
        match self.values.get_mut(target) {
            Some(Value::List(all)) => all.extend(items),
            Some(Value::Dict(all)) if items.len().is_multiple_of(2) => all.extend(items),
            _ => return Err(refused(start, "adds items to something that has none")),
        }
        Ok(())
    }

    fn memoize(&mut self, slot: u32) -> Result<(), ReadError> {
        let value = self.last()?;
        self.memo.insert(slot, value);
        Ok(())
    }

    fn recall(&mut self, slot: u32, start: usize) -> Result<(), ReadError> {
        let value = self.memo.get(&slot).copied();
        self.stack.push(value.ok_or_else(|| refused(start, "refers to a value that is missing"))?);
        Ok(())
    }

    fn ends(&self) -> ReadError {
        let at = At::Byte(self.bytes.len() as u64);
        ReadError::truncated(at, "the pickle ends in the middle; expected the rest of it")
    }
}

fn refused(at: usize, what: &str) -> ReadError {
    ReadError::malformed(At::Byte(at as u64), format!("the pickle {what}; it is not executed"))
}
