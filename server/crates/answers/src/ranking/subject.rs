//! What a row is about, in the same fields for all kinds of rows.

use analysis::{Cost, FileId, FunctionId, ThreadId};
use schemars::JsonSchema;
use serde::Serialize;

/// What a row is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The text for display, on one line.
    pub title: String,
    /// The recorded name. `None` for lines, calls and cliques, and for functions without a file, library
    /// or whatever is listed.
    pub name: Option<String>,
    /// The library of a function, or the module of a field.
    pub lib: Option<String>,
    /// Where it is.
    pub place: Place,
    /// The functions that it consists of.
    pub members: Vec<Members>,
    /// Whether its members call each other, or themselves.
    pub recursive: bool,
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The key of a label.
    pub key: Option<String>,
}

/// Where the subject of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    None,
    /// At the definition of a function.
    Function(FunctionId),
    /// At a recorded line (1-based).
    Line(FileId, u32),
    /// At the first line of a file.
    File(FileId),
}

/// Functions of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Members {
    /// What they are in it.
    pub role: Role,
    /// The functions.
    pub functions: Vec<FunctionId>,
    /// Their cost, if it is a part of that of the row, and the number of their calls, if they are counted.
    pub cost: Option<(Cost, Option<u64>)>,
}

/// What functions are in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotRole")]
pub enum Role {
    /// The calling function.
    Caller,
    /// The called function.
    Callee,
    /// Functions that call each other.
    Clique,
    /// Procedures that get a field.
    Getter,
    /// Procedures that set a field.
    Setter,
}

impl Subject {
    /// One with a text for display alone.
    pub fn new(title: String) -> Self {
        Self {
            title,
            name: None,
            lib: None,
            place: Place::None,
            members: Vec::new(),
            recursive: false,
            thread: None,
            key: None,
        }
    }

    /// The function, if the row is about one.
    pub fn function(&self) -> Option<FunctionId> {
        match self.place {
            Place::Function(function) if self.members.is_empty() => Some(function),
            _ => None,
        }
    }

    /// The recorded line (1-based), if the row is about one.
    pub fn line(&self) -> Option<(FileId, u32)> {
        match self.place {
            Place::Line(file, line) if self.members.is_empty() => Some((file, line)),
            _ => None,
        }
    }
}
