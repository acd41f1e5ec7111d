//! What the search for functions by name has found.

use analysis::{FuncId, LibId};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of functions that were found by name.
#[derive(Debug, Default)]
pub struct ByName {
    /// The canonical path of the file of each func.
    pub files: FxHashMap<FuncId, Arc<Path>>,
    /// The functions that were not found, because several may be meant.
    pub ambiguous: Vec<AmbiguousFunction>,
    /// The programs with names without a path that the workspace defines some of.
    pub programs: Vec<Program>,
    /// Whether there was too much code to search. Nothing is found then, because there may be other
    /// functions with each name.
    pub is_cut: bool,
}

/// What the workspace defines of the names without a path that a program has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program. `None` if the profile has no libraries.
    pub lib: Option<LibId>,
    /// The names that are defined.
    pub defined: Vec<String>,
    /// The number of names that the program has.
    pub n_names: usize,
    /// Whether it is built from the workspace.
    pub is_own: Own,
}

/// Whether a program is built from the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// The workspace defines nearly all of its names, or most of them and `main`.
    Certainly,
    /// The workspace defines several.
    Likely,
    /// Any program may have these names.
    Unknown,
}

/// A function of the profile that may be any of several in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousFunction {
    /// The name in the profile.
    pub name: String,
    /// The definitions that may be meant; only the first few if there are many.
    pub candidates: Vec<Candidate>,
}

/// A definition that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The canonical path of its file.
    pub path: PathBuf,
    /// The 0-based line of its name.
    pub line0: u32,
    /// The 0-based last line of its body.
    pub end0: u32,
}

impl AmbiguousFunction {
    /// The name and the places, as a sentence.
    pub fn message(&self) -> String {
        let places = self
            .candidates
            .iter()
            .map(|candidate| format!("{}:{}", candidate.path.display(), candidate.line0 + 1));
        let places: Vec<String> = places.collect();
        format!(
            "the profile names no file for the function `{}`, which could be {}; it is shown without a source",
            self.name,
            places.join(" or ")
        )
    }
}

impl Candidate {
    /// The lines from its name to the end of its body, 0-based.
    pub fn lines(&self) -> RangeInclusive<u32> {
        self.line0..=self.end0
    }
}
