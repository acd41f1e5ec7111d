//! What rows are about.

use formats::Format;
use loading::Snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsBy")]
pub enum By {
    /// Functions.
    #[default]
    Function,
    /// Source lines.
    Line,
    /// Calls: caller → callee, with the hottest call site.
    Edge,
    /// Source files.
    File,
    /// Modules of Mercury, or else libraries.
    Module,
    /// Crates, npm packages, Python distributions, Go modules, or else libraries.
    Package,
    /// Shared libraries and programs.
    Library,
    /// Threads.
    Thread,
    /// Functions that call each other (call graphs only).
    Clique,
    /// Fields of Mercury data structures, with the procedures that get and set them.
    Field,
}

impl By {
    /// Whether profiles like this one have such rows.
    pub fn is_known_of(self, snapshot: &Snapshot) -> bool {
        match self {
            Self::Clique => !snapshot.tree.has_stacks(),
            Self::Field => snapshot.loaded.format == Format::MercuryDeep,
            _ => true,
        }
    }

    /// Whether rows are own code or not.
    pub fn has_own_code(self) -> bool {
        !matches!(self, Self::Thread | Self::Field)
    }

    /// Whether rows have a self cost.
    pub fn has_self(self) -> bool {
        self != Self::Edge
    }

    /// Whether rows are all functions of a file, module, package or library.
    pub fn is_group(self) -> bool {
        matches!(self, Self::File | Self::Module | Self::Package | Self::Library)
    }

    /// Whether own rows are charged for the libraries that they call.
    pub(super) fn is_charged(self) -> bool {
        self.is_group() || matches!(self, Self::Function | Self::Line)
    }

    /// The key of the rows in answers, which is also a word for command lines. Rows of calls are `edges`:
    /// `calls` is the number of calls.
    pub(crate) fn list(self) -> &'static str {
        if self == Self::Edge { "edges" } else { self.plural() }
    }

    /// The rows, for messages and menus.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Function => "functions",
            Self::Line => "lines",
            Self::Edge => "calls",
            Self::File => "files",
            Self::Module => "modules",
            Self::Package => "packages",
            Self::Library => "libraries",
            Self::Thread => "threads",
            Self::Clique => "cliques",
            Self::Field => "fields",
        }
    }
}
