//! One step of unwinding: from the registers of a frame to the registers of its caller.

use super::tables::{Row, Sections};
use gimli::{CfaRule, EvaluationResult, RegisterRule, UnwindExpression, Value};
use profile::{RawArch, Registers};

/// The most operations of an expression.
const MAX_OPERATIONS: u32 = 1000;

/// Why a frame has no known caller.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The memory at this address was not recorded.
    Unread(u64),
    Unknown,
}

/// The recorded part of a stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory<'a> {
    /// The address of the first byte.
    pub(super) start: u64,
    pub(super) bytes: &'a [u8],
}

impl Memory<'_> {
    /// Reads up to 8 bytes as a number.
    fn read(&self, address: u64, size: u8) -> Result<u64, Failure> {
        let at = usize::try_from(address.wrapping_sub(self.start)).ok();
        let range = at.and_then(|at| Some(at..at.checked_add(size.into())?));
        let bytes = range.and_then(|range| self.bytes.get(range));
        let mut word = [0; 8];
        let (Some(bytes), Some(part)) = (bytes, word.get_mut(..size.into())) else {
            return Err(Failure::Unread(address));
        };
        part.copy_from_slice(bytes);
        Ok(u64::from_le_bytes(word))
    }

    fn word(&self, address: u64) -> Result<u64, Failure> {
        self.read(address, 8)
    }
}

/// What steps depend on besides registers, memory and tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    arch: RawArch,
    /// The bits of return addresses that are part of the address.
    address_bits: u64,
}

impl Machine {
    /// `highest` is the end of the executable memory of the process.
    pub(super) fn new(arch: RawArch, highest: u64) -> Self {
        let address_bits = match arch {
            RawArch::X86_64 => u64::MAX,
            // The upper bits of return addresses may hold a signature.
            RawArch::Aarch64 => u64::MAX.checked_shr(highest.leading_zeros()).unwrap_or(0),
        };
        Self { arch, address_bits }
    }

    /// The registers of the caller. Registers that are not preserved are unknown. `None` if the
    /// frame is the outermost one. `is_interrupted` holds for a frame that has not called anything
    /// at the moment.
    pub(super) fn caller(
        self,
        row: &Row,
        sections: &Sections,
        registers: &Registers,
        memory: Memory<'_>,
        is_interrupted: bool,
    ) -> Result<Option<Registers>, Failure> {
        let (ip, sp) = (self.arch.ip(), self.arch.sp());
        let frame = Frame { row, sections, registers, memory };
        let cfa = frame.cfa()?;
        let mut caller = Registers::default();
        for number in (0..Registers::COUNT as u16).filter(|&number| self.is_preserved(number)) {
            caller.set(number, registers.get(number));
        }
        caller.set(sp, Some(cfa));
        let mut of_return_address = match self.arch {
            RawArch::X86_64 => &RegisterRule::Undefined,
            RawArch::Aarch64 => &RegisterRule::SameValue,
        };
        for (number, rule) in &row.rules {
            if *number == row.return_address {
                of_return_address = rule;
            }
            let value = frame.value(*number, rule, cfa);
            // Others may never be used.
            caller.set(*number, if *number == sp { value? } else { value.unwrap_or(None) });
        }
        let Some(return_address) = frame.value(row.return_address, of_return_address, cfa)? else {
            return Ok(None);
        };
        let return_address = return_address & self.address_bits;
        if return_address == 0 {
            return Ok(None);
        }
        // Each call takes memory on x86-64. On 64-bit ARM, functions that call nothing may take
        // none. A signal handler may have a stack of its own.
        let (old, new) = (registers.get(sp), caller.get(sp));
        let may_stay = is_interrupted && self.arch == RawArch::Aarch64;
        if !row.is_signal && (new < old || (new == old && !may_stay)) {
            return Err(Failure::Unknown);
        }
        if !row.is_signal {
            // The call has overwritten the link register.
            caller.set(row.return_address, None);
        }
        caller.set(ip, Some(return_address));
        Ok(Some(caller))
    }

    /// The caller by the frame pointer, which must point to the frame pointer of the caller and the
    /// return address. `None` if the frame is the outermost one.
    pub(super) fn caller_by_frame_pointer(
        self,
        registers: &Registers,
        memory: Memory<'_>,
    ) -> Result<Option<Registers>, Failure> {
        let fp = registers.get(self.arch.fp()).ok_or(Failure::Unknown)?;
        if fp == 0 && self.arch == RawArch::X86_64 {
            return Ok(None);
        }
        let sp = fp.checked_add(16).filter(|&sp| registers.get(self.arch.sp()) < Some(sp));
        let sp = sp.ok_or(Failure::Unknown)?;
        let (next, return_address) = (memory.word(fp)?, memory.word(fp + 8)? & self.address_bits);
        if return_address == 0 || (next == 0 && self.arch == RawArch::Aarch64) {
            return Ok(None);
        }
        if next <= fp && self.arch == RawArch::Aarch64 {
            return Err(Failure::Unknown);
        }
        let mut caller = Registers::default();
        caller.set(self.arch.ip(), Some(return_address));
        caller.set(self.arch.sp(), Some(sp));
        caller.set(self.arch.fp(), Some(next));
        Ok(Some(caller))
    }

    /// Whether functions leave a register as it was, unless their tables say otherwise.
    fn is_preserved(self, number: u16) -> bool {
        match self.arch {
            // rbx, rbp, r12 to r15
            RawArch::X86_64 => matches!(number, 3 | 6 | 12..=15),
            RawArch::Aarch64 => matches!(number, 19..=29),
        }
    }
}

/// A frame whose row is being evaluated.
struct Frame<'a> {
    row: &'a Row,
    sections: &'a Sections,
    registers: &'a Registers,
    memory: Memory<'a>,
}

impl Frame<'_> {
    /// The canonical frame address: the stack pointer before the call.
    fn cfa(&self) -> Result<u64, Failure> {
        match &self.row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => {
                let base = self.registers.get(register.0).ok_or(Failure::Unknown)?;
                Ok(base.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate(expression, None),
        }
    }

    /// The value of a register in the caller; `None` if it is undefined.
    fn value(
        &self,
        number: u16,
        rule: &RegisterRule<usize>,
        cfa: u64,
    ) -> Result<Option<u64>, Failure> {
        let value = match rule {
            RegisterRule::SameValue => self.registers.get(number).ok_or(Failure::Unknown)?,
            RegisterRule::Register(other) => self.registers.get(other.0).ok_or(Failure::Unknown)?,
            RegisterRule::Offset(offset) => self.memory.word(cfa.wrapping_add_signed(*offset))?,
            RegisterRule::ValOffset(offset) => cfa.wrapping_add_signed(*offset),
            RegisterRule::Expression(expression) => {
                self.memory.word(self.evaluate(expression, Some(cfa))?)?
            }
            RegisterRule::ValExpression(expression) => self.evaluate(expression, Some(cfa))?,
            RegisterRule::Undefined => return Ok(None),
            _ => return Err(Failure::Unknown),
        };
        Ok(Some(value))
    }

    /// The result of an expression. Those of registers start with the CFA.
    fn evaluate(
        &self,
        expression: &UnwindExpression<usize>,
        cfa: Option<u64>,
    ) -> Result<u64, Failure> {
        let unknown = |_| Failure::Unknown;
        let expression = self.sections.expression(self.row, expression).ok_or(Failure::Unknown)?;
        let mut evaluation = expression.evaluation(self.row.encoding);
        evaluation.set_max_iterations(MAX_OPERATIONS);
        if let Some(cfa) = cfa {
            evaluation.set_initial_value(cfa);
        }
        let mut state = evaluation.evaluate().map_err(unknown)?;
        loop {
            let value = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresMemory { address, size, space: None, .. } => {
                    let value = Value::Generic(self.memory.read(address, size)?);
                    evaluation.resume_with_memory(value)
                }
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = self.registers.get(register.0).ok_or(Failure::Unknown)?;
                    evaluation.resume_with_register(Value::Generic(value))
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    evaluation.resume_with_call_frame_cfa(cfa.ok_or(Failure::Unknown)?)
                }
                _ => return Err(Failure::Unknown),
            };
            state = value.map_err(unknown)?;
        }
        let value = evaluation.value_result().ok_or(Failure::Unknown)?;
        value.to_u64(u64::MAX).map_err(unknown)
    }
}
