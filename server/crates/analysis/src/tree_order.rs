//! Which way a call tree goes.

use crate::rewrites::PathKind;

/// The order of functions on the paths of a call tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TreeOrder {
    /// From the roots to their callees.
    #[default]
    TopDown,
    /// From the functions with self cost to their callers. The inverted call tree of the Firefox
    /// Profiler.
    BottomUp,
}

/// The direction of the branches around a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// What the function calls.
    Callees,
    /// What calls the function.
    Callers,
}

impl TreeOrder {
    /// The order of the inverted tree, or of the other one.
    pub fn from_inverted(inverted: bool) -> Self {
        if inverted { Self::BottomUp } else { Self::TopDown }
    }

    /// What is below a function.
    pub fn toward(self) -> Around {
        match self {
            Self::TopDown => Around::Callees,
            Self::BottomUp => Around::Callers,
        }
    }

    /// What a path from the top of the tree consists of.
    pub fn path_kind(self) -> PathKind {
        match self {
            Self::TopDown => PathKind::Node,
            Self::BottomUp => PathKind::InvertedNode,
        }
    }
}
