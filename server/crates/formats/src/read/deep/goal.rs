//! Goals: what the body of a procedure consists of.

/// A goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Goal {
    pub(super) kind: GoalKind,
    pub(super) determinism: Determinism,
    /// The number of goals that it consists of, at all depths, with itself. They follow it.
    pub(super) size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoalKind {
    Conjunction,
    Disjunction,
    Switch {
        can_fail: bool,
    },
    IfThenElse,
    Negation,
    Scope {
        /// Whether all solutions but the first are discarded.
        cuts: bool,
    },
    Call(Place),
    /// Any other goal without parts.
    Atomic(Place),
}

impl GoalKind {
    /// Where a goal without parts is.
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Self::Call(place) | Self::Atomic(place) => Some(place),
            _ => None,
        }
    }
}

/// Where a goal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: FileId,
    /// 1-based; 0 for goals that the compiler inserted.
    pub(super) line: u32,
}

/// A file name of a [`Procrep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId(pub(super) u32);

/// How often a goal can succeed, as its code in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Determinism(pub(super) u8);

impl Determinism {
    const FAILURE: Self = Self(0);
    const SEMIDET: Self = Self(2);
    const NONDET: Self = Self(3);
    const ERRONEOUS: Self = Self(4);
    pub(super) const DET: Self = Self(6);
    const MULTI: Self = Self(7);
    const CC_NONDET: Self = Self(10);
    const CC_MULTI: Self = Self(14);
    const ALL: [Self; 8] = [
        Self::FAILURE,
        Self::SEMIDET,
        Self::NONDET,
        Self::ERRONEOUS,
        Self::DET,
        Self::MULTI,
        Self::CC_NONDET,
        Self::CC_MULTI,
    ];

    /// The determinism with a code, if there is one.
    pub(super) fn of(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|determinism| determinism.0 == code)
    }

    /// Whether it succeeds exactly once.
    pub(super) fn is_exactly_once(self) -> bool {
        matches!(self, Self::DET | Self::CC_MULTI)
    }

    /// Whether it never succeeds.
    pub(super) fn is_never(self) -> bool {
        matches!(self, Self::FAILURE | Self::ERRONEOUS)
    }

    /// Whether it can succeed more than once.
    pub(super) fn is_many(self) -> bool {
        matches!(self, Self::NONDET | Self::MULTI)
    }
}
