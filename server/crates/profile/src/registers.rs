//! The general registers of a sample, by the numbers that DWARF gives them.

/// General registers by their DWARF numbers: 0 to 16 on x86-64 (the last is the instruction
/// pointer), 0 to 32 on 64-bit ARM (31 is the stack pointer, 32 the instruction pointer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    values: [u64; Self::COUNT],
    /// The registers that are known, as a bit mask. The values of others are 0.
    known: u64,
}

impl Registers {
    /// The most registers that an architecture has.
    pub const COUNT: usize = 33;

    /// The value of a register; `None` if it is unknown.
    pub fn get(&self, number: u16) -> Option<u64> {
        let value = self.values.get(usize::from(number))?;
        (self.known & (1 << number) != 0).then_some(*value)
    }

    /// Sets a register. Numbers of other than general registers are ignored.
    pub fn set(&mut self, number: u16, value: Option<u64>) {
        let Some(slot) = self.values.get_mut(usize::from(number)) else { return };
        *slot = value.unwrap_or(0);
        self.known &= !(1 << number);
        self.known |= u64::from(value.is_some()) << number;
    }
}

impl Default for Registers {
    /// No register is known.
    fn default() -> Self {
        Self { values: [0; Self::COUNT], known: 0 }
    }
}

/// Architectures whose stacks can be unwound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawArch {
    /// x86-64.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

impl RawArch {
    /// The number of the instruction pointer.
    pub fn ip(self) -> u16 {
        match self {
            Self::X86_64 => 16,
            Self::Aarch64 => 32,
        }
    }

    /// The number of the stack pointer.
    pub fn sp(self) -> u16 {
        match self {
            Self::X86_64 => 7,
            Self::Aarch64 => 31,
        }
    }

    /// The number of the frame pointer.
    pub fn fp(self) -> u16 {
        match self {
            Self::X86_64 => 6,
            Self::Aarch64 => 29,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_unknown_until_they_are_set() {
        let mut registers = Registers::default();
        registers.set(3, Some(0));
        registers.set(32, Some(7));
        registers.set(33, Some(8));
        registers.set(200, Some(9));
        let known: Vec<_> = (0..300).filter_map(|n| Some((n, registers.get(n)?))).collect();
        assert_eq!(known, [(3, 0), (32, 7)]);
        registers.set(32, None);
        registers.set(3, None);
        assert_eq!(registers, Registers::default());
    }
}
