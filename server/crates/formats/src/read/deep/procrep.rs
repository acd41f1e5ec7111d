//! Representations of programs (`Deep.procrep`, versions 5 and 6), which Mercury writes beside the
//! data of its deep profiler: the body of each procedure as a tree of goals, with their lines.
//!
//! A goal is what Mercury executes: a call, a unification, or a conjunction, disjunction, switch,
//! if-then-else, negation or scope of other goals. Names and types of variables are skipped.
//!
//! Sources: `compiler/prog_rep.m` and `runtime/mercury_deep_profiling.c`, which write such files,
//! and `mdbcomp/program_representation.m` of Mercury.

use super::goal::{Determinism, FileId, Goal, GoalKind, Place};
use super::input::Input;
use super::proc_label::ProcLabel;
use crate::error::{At, ReadError};
use rustc_hash::FxHashMap;
use std::ops::Range;

#[cfg(test)]
mod tests;

pub(crate) const MAGIC: &[u8] = b"Mercury deep profiler procrep version ";

/// The content of a file.
#[derive(Debug, Default)]
pub(crate) struct Procrep<'a> {
    pub(super) procs: Vec<Procedure>,
    /// The goals of all procedures, each goal before those it consists of.
    goals: Vec<Goal>,
    /// File names.
    files: Vec<&'a [u8]>,
}

/// A procedure and its body.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) label: ProcLabel,
    goals: Range<usize>,
}

impl<'a> Procrep<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut input = Input { bytes, at: 0 };
        let version = version(&mut input)?;
        let procrep = Self::default();
        let mut reader =
            Reader { input, version, strings: 0..0, file_at: FxHashMap::default(), procrep };
        while reader.is_more("module")? {
            reader.module()?;
        }
        if !reader.input.is_at_end() {
            let message = "bytes follow the last module; expected the end of the file";
            return Err(ReadError::malformed(At::Byte(reader.input.at as u64), message));
        }
        Ok(reader.procrep)
    }

    /// The body of a procedure: its goal, and all goals that this consists of.
    pub(super) fn body(&self, procedure: &Procedure) -> &[Goal] {
        self.goals.get(procedure.goals.clone()).unwrap_or_default()
    }

    pub(super) fn file(&self, file: FileId) -> &'a [u8] {
        self.files.get(file.0 as usize).copied().unwrap_or_default()
    }
}

fn version(input: &mut Input<'_>) -> Result<u8, ReadError> {
    let line = input.bytes.strip_prefix(MAGIC).unwrap_or_default();
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let version = match line {
        b"5" => 5,
        b"6" => 6,
        _ => {
            let message = format!(
                "version {} of Mercury program representations is not supported; expected 5 or 6",
                String::from_utf8_lossy(&line[..line.len().min(20)])
            );
            return Err(ReadError::malformed(At::File, message));
        }
    };
    input.take(MAGIC.len() + line.len() + 1)?;
    Ok(version)
}

/// The codes of goals.
mod code {
    pub(super) const CONJUNCTION: u8 = 1;
    pub(super) const DISJUNCTION: u8 = 2;
    pub(super) const SWITCH: u8 = 3;
    pub(super) const IF_THEN_ELSE: u8 = 4;
    pub(super) const NEGATION: u8 = 5;
    pub(super) const SCOPE: u8 = 6;
    pub(super) const CONSTRUCT: u8 = 7;
    pub(super) const DECONSTRUCT: u8 = 8;
    pub(super) const PARTIAL_CONSTRUCT: u8 = 9;
    pub(super) const PARTIAL_DECONSTRUCT: u8 = 10;
    pub(super) const ASSIGN: u8 = 11;
    pub(super) const CAST: u8 = 12;
    pub(super) const TEST: u8 = 13;
    pub(super) const FOREIGN: u8 = 14;
    pub(super) const HIGHER_ORDER_CALL: u8 = 15;
    pub(super) const METHOD_CALL: u8 = 16;
    pub(super) const CALL: u8 = 17;
    pub(super) const BUILTIN: u8 = 18;
    pub(super) const EVENT: u8 = 19;
}

/// A goal some of whose parts are still to be read.
struct Open {
    goal: usize,
    n_left: u32,
}

/// What goals of one procedure have in common.
#[derive(Clone, Copy)]
struct InProc {
    file: FileId,
    /// The number of bytes of a variable.
    variable: usize,
}

struct Reader<'a> {
    input: Input<'a>,
    version: u8,
    /// The bytes of the strings of the current module.
    strings: Range<usize>,
    /// The file whose name begins at a byte.
    file_at: FxHashMap<usize, FileId>,
    procrep: Procrep<'a>,
}

impl<'a> Reader<'a> {
    fn short(&mut self) -> Result<u16, ReadError> {
        let bytes = self.input.take(2)?;
        Ok(bytes.iter().fold(0, |number, &byte| number << 8 | u16::from(byte)))
    }

    fn word(&mut self) -> Result<u32, ReadError> {
        let bytes = self.input.take(4)?;
        Ok(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// The number of items that follow, each of at least `size` bytes.
    fn count(&mut self, what: &str, size: usize) -> Result<u32, ReadError> {
        let start = self.input.at;
        let count = self.word()?;
        let left = self.input.bytes.len() - self.input.at;
        let is_possible = (count as usize).checked_mul(size).is_some_and(|size| size <= left);
        if is_possible {
            return Ok(count);
        }
        let message = format!("{count} {what} follow, but only {left} bytes are left");
        Err(ReadError::truncated(At::Byte(start as u64), message))
    }

    /// A byte of which only some values exist.
    fn code(&mut self, what: &str, largest: u8) -> Result<u8, ReadError> {
        let start = self.input.at;
        let code = self.input.byte()?;
        if code <= largest {
            return Ok(code);
        }
        let message = format!("the {what} is {code}; expected at most {largest}");
        Err(ReadError::malformed(At::Byte(start as u64), message))
    }

    fn is_more(&mut self, what: &str) -> Result<bool, ReadError> {
        Ok(self.code(&format!("mark before a {what}"), 1)? == 1)
    }

    fn module(&mut self) -> Result<(), ReadError> {
        let _name = self.input.text()?;
        let strings = self.input.text()?;
        self.strings = self.input.at - strings.len()..self.input.at;
        if self.version >= 6 {
            // Types with operations of their own, and the types of variables.
            for _ in 0..2 {
                if self.input.number()? > 0 {
                    self.block()?;
                }
            }
        }
        while self.is_more("procedure")? {
            self.procedure()?;
        }
        Ok(())
    }

    /// Skips bytes after their number, which includes its own four bytes.
    fn block(&mut self) -> Result<(), ReadError> {
        let start = self.input.at;
        let size = self.word()? as usize;
        let Some(rest) = size.checked_sub(4) else {
            let message = format!("a table of types has {size} bytes; expected at least 4");
            return Err(ReadError::malformed(At::Byte(start as u64), message));
        };
        self.input.take(rest)?;
        Ok(())
    }

    fn procedure(&mut self) -> Result<(), ReadError> {
        let label = ProcLabel::read(&mut self.input)?;
        let start = self.input.at;
        let size = self.word()?;
        let file = self.file(None)?;
        let variable = self.variables()?;
        let in_proc = InProc { file, variable };
        // Variables of the head, each with its state before and after.
        self.items("variables of a head", variable + 2)?;
        let goals = self.body(in_proc)?;
        self.determinism()?;
        let end = start + size as usize;
        if self.input.at != end {
            let message = format!(
                "a procedure is stated to end at byte {end}, but ends at byte {}",
                self.input.at
            );
            return Err(ReadError::malformed(At::Byte(start as u64), message));
        }
        self.procrep.procs.push(Procedure { label, goals });
        Ok(())
    }

    /// Skips the names and types of variables. The number of bytes of a variable.
    fn variables(&mut self) -> Result<usize, ReadError> {
        let is_old = self.version < 6;
        let flags = self.code("flags of variables", if is_old { 2 } else { 11 })?;
        let size = 1 << if is_old { flags } else { flags >> 2 };
        let (has_names, has_types) = (is_old || flags & 2 != 0, !is_old && flags & 1 != 0);
        if is_old {
            self.items("names of variables", size + 4)?;
        } else if has_names {
            for _ in 0..self.input.count("names of variables")? {
                self.input.take(size + 4)?;
                if has_types {
                    self.input.number()?;
                }
            }
        }
        Ok(size)
    }

    /// Skips items of `size` bytes after their number.
    fn items(&mut self, what: &str, size: usize) -> Result<(), ReadError> {
        let count = self.count(what, size)?;
        self.input.take(count as usize * size)?;
        Ok(())
    }

    /// A file, by the place of its name among the strings of the module. An empty name is that of
    /// the procedure.
    fn file(&mut self, of_proc: Option<FileId>) -> Result<FileId, ReadError> {
        let start = self.input.at;
        let code = self.word()?;
        let at = self.strings.start + code as usize / 2;
        if let Some(&file) = self.file_at.get(&at).filter(|_| code.is_multiple_of(2)) {
            return Ok(file);
        }
        let Some(name) = self.string(code) else {
            let message = format!(
                "string {code:#x} is not a file name; expected one of the \
                                   module"
            );
            return Err(ReadError::malformed(At::Byte(start as u64), message));
        };
        if let Some(file) = of_proc.filter(|_| name.is_empty()) {
            return Ok(file);
        }
        let file = FileId(u32::try_from(self.procrep.files.len()).map_err(|_| too_large())?);
        self.procrep.files.push(name);
        if !name.is_empty() {
            self.file_at.insert(at, file);
        }
        Ok(file)
    }

    /// A string of the module. Odd codes are compressed names of variables.
    fn string(&self, code: u32) -> Option<&'a [u8]> {
        let at = self.strings.start + code as usize / 2;
        let bytes: &'a [u8] = self.input.bytes;
        let rest = bytes.get(at..self.strings.end)?;
        // Strings do not share bytes, so that all of them together are at most as long as the file.
        let starts = code == 0 || bytes.get(at - 1) == Some(&0);
        let len = memchr::memchr(0, rest).filter(|_| code.is_multiple_of(2) && starts)?;
        Some(&rest[..len])
    }

    fn determinism(&mut self) -> Result<Determinism, ReadError> {
        let start = self.input.at;
        let code = self.input.byte()?;
        Determinism::of(code).ok_or_else(|| {
            let message = format!("a determinism is {code}; expected that of a goal");
            ReadError::malformed(At::Byte(start as u64), message)
        })
    }

    fn body(&mut self, in_proc: InProc) -> Result<Range<usize>, ReadError> {
        let first = self.procrep.goals.len();
        let mut open: Vec<Open> = Vec::new();
        loop {
            if let Some(parent) = open.last()
                && let GoalKind::Switch { .. } = self.procrep.goals[parent.goal].kind
            {
                self.case()?;
            }
            let (kind, n_left) = self.goal(in_proc)?;
            let goal = self.procrep.goals.len();
            self.procrep.goals.push(Goal { kind, determinism: Determinism::DET, size: 1 });
            open.push(Open { goal, n_left });
            // The determinism of a goal is after its parts.
            while let Some(last) = open.last_mut() {
                if last.n_left > 0 {
                    last.n_left -= 1;
                    break;
                }
                let size = self.procrep.goals.len() - last.goal;
                let determinism = self.determinism()?;
                let row = &mut self.procrep.goals[last.goal];
                row.determinism = determinism;
                row.size = u32::try_from(size).map_err(|_| too_large())?;
                open.pop();
            }
            if open.is_empty() {
                return Ok(first..self.procrep.goals.len());
            }
        }
    }

    /// The functors of an arm of a switch.
    fn case(&mut self) -> Result<(), ReadError> {
        const FUNCTOR: usize = 6;
        self.input.take(FUNCTOR)?;
        self.items("functors of a switch", FUNCTOR)
    }

    /// The kind of a goal, and the number of its parts, which follow.
    fn goal(&mut self, in_proc: InProc) -> Result<(GoalKind, u32), ReadError> {
        const STRING: usize = 4;
        /// The size of the smallest goal, an empty conjunction.
        const MIN_GOAL: usize = 6;
        let variable = in_proc.variable;
        let start = self.input.at;
        let kind = self.input.byte()?;
        match kind {
            code::CONJUNCTION => {
                return Ok((GoalKind::Conjunction, self.count("goals", MIN_GOAL)?));
            }
            code::DISJUNCTION => {
                return Ok((GoalKind::Disjunction, self.count("goals", MIN_GOAL)?));
            }
            code::SWITCH => {
                let can_fail = self.code("kind of a switch", 1)? == 0;
                self.input.take(variable)?;
                return Ok((GoalKind::Switch { can_fail }, self.count("arms", MIN_GOAL)?));
            }
            code::IF_THEN_ELSE => return Ok((GoalKind::IfThenElse, 3)),
            code::NEGATION => return Ok((GoalKind::Negation, 1)),
            code::SCOPE => {
                let cuts = self.code("kind of a scope", 1)? == 1;
                return Ok((GoalKind::Scope { cuts }, 1));
            }
            code::CONSTRUCT | code::DECONSTRUCT => {
                self.input.take(variable + STRING)?;
                self.items("variables", variable)?;
            }
            code::PARTIAL_CONSTRUCT | code::PARTIAL_DECONSTRUCT => {
                self.input.take(variable + STRING)?;
                for _ in 0..self.count("variables", 1)? {
                    if self.code("mark before a variable", 1)? == 1 {
                        self.input.take(variable)?;
                    }
                }
            }
            code::ASSIGN | code::CAST | code::TEST => {
                self.input.take(2 * variable)?;
            }
            code::FOREIGN => self.items("variables", variable)?,
            code::HIGHER_ORDER_CALL => {
                self.input.take(variable)?;
                self.items("variables", variable)?;
            }
            code::METHOD_CALL => {
                self.input.take(variable)?;
                let _method = self.short()?;
                self.items("variables", variable)?;
            }
            code::CALL | code::BUILTIN => {
                self.input.take(2 * STRING)?;
                self.items("variables", variable)?;
            }
            code::EVENT => {
                self.input.take(STRING)?;
                self.items("variables", variable)?;
            }
            _ => {
                let message = format!("a goal is of kind {kind}; expected 1 to 19");
                return Err(ReadError::malformed(At::Byte(start as u64), message));
            }
        }
        let place = Place { file: self.file(Some(in_proc.file))?, line: self.word()? };
        self.items("variables", variable)?;
        let is_call = matches!(kind, code::CALL | code::HIGHER_ORDER_CALL | code::METHOD_CALL);
        let kind = if is_call { GoalKind::Call(place) } else { GoalKind::Atomic(place) };
        Ok((kind, 0))
    }
}

fn too_large() -> ReadError {
    ReadError::too_large("the file has more than 2^32 goals; expected fewer")
}
