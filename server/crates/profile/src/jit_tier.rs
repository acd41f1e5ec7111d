//! How virtual machines run code.

/// How a virtual machine ran the code of a frame: by its interpreter, or compiled by one of its
/// compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum JitTier {
    /// The profile does not have it, or no virtual machine ran the code.
    #[default]
    Unknown,
    /// By the interpreter: Firefox's, V8's Ignition or the JVM's.
    Interpreter,
    /// By Firefox's baseline interpreter.
    BaselineInterpreter,
    /// Compiled without optimization: by Firefox's baseline compiler or V8's Sparkplug.
    Baseline,
    /// Compiled by the JVM's C1.
    C1,
    /// Compiled by V8's Maglev.
    Maglev,
    /// Compiled by Firefox's Ion.
    Ion,
    /// Compiled by V8's optimizing compiler, `TurboFan`.
    TurboFan,
    /// Compiled without optimization by .NET.
    Tier0,
    /// Compiled again by .NET, because it runs often.
    Tier1,
    /// Compiled; the profile does not have the compiler.
    Jit,
}

impl JitTier {
    /// The name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Interpreter => "interpreter",
            Self::BaselineInterpreter => "baseline interpreter",
            Self::Baseline => "baseline",
            Self::C1 => "C1",
            Self::Maglev => "Maglev",
            Self::Ion => "Ion",
            Self::TurboFan => "TurboFan",
            Self::Tier0 => "tier 0",
            Self::Tier1 => "tier 1",
            Self::Jit => "JIT",
        }
    }
}
