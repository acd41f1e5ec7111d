//! What became of the search for a library, and how it is said.

use profile::Lib;
use std::fmt;
use std::path::PathBuf;

/// What to do about a program without lines, by language.
pub const WITH_LINES: &str = "build it with lines (Rust: `CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo build --release`; C, C++ \
                              and most others: `-g`; Go: without `-ldflags=\"-s -w\"`) and record again";

/// What tells one build of a library from another. Texts are empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Id {
    /// Breakpad's id of the debug info, in upper case hex without hyphens.
    debug: String,
    /// The ELF build id, the Mach-O UUID, or time stamp and size of a PE file, in lower case hex.
    code: String,
}

impl Id {
    pub(crate) fn of(lib: &Lib) -> Self {
        Self::new(&lib.debug_id, &lib.code_id)
    }

    pub(crate) fn new(debug: &str, code: &str) -> Self {
        let hex = |id: &str| {
            let id = id.replace('-', "");
            // Linkers that write no id leave zeros; Go's ids are no hex.
            if id.bytes().all(|byte| byte.is_ascii_hexdigit()) && id.bytes().any(|byte| byte != b'0') {
                id
            } else {
                String::new()
            }
        };
        let mut debug = hex(debug).to_ascii_uppercase();
        if debug.len() == 32 {
            // The age, which only Windows counts.
            debug.push('0');
        }
        Self { debug, code: hex(code).to_ascii_lowercase() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.debug.is_empty() && self.code.is_empty()
    }

    #[cfg(feature = "debug-info")]
    pub(crate) fn debug_id(&self) -> Option<samply_symbols::debugid::DebugId> {
        samply_symbols::debugid::DebugId::from_breakpad(&self.debug).ok()
    }

    /// Both, told by the same kind of id if they have one in common.
    fn side_by_side<'a>(&'a self, other: &'a Self) -> (&'a str, &'a str) {
        let or_none = |id: &'a str| if id.is_empty() { "none" } else { id };
        if self.code.is_empty() || (other.code.is_empty() && !other.debug.is_empty() && !self.debug.is_empty()) {
            return (or_none(&self.debug), or_none(&other.debug));
        }
        (&self.code, or_none(&other.code))
    }

    /// Whether both are of one build: by the code's id, which says more, if both have one.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        if !self.code.is_empty() && !other.code.is_empty() {
            // `perf` fills short ids up with zeros.
            return self.code.trim_end_matches('0') == other.code.trim_end_matches('0');
        }
        !self.debug.is_empty() && self.debug == other.debug
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code.as_str(), self.debug.as_str()) {
            ("", "") => f.write_str("none"),
            ("", id) | (id, _) => f.write_str(id),
        }
    }
}

/// What became of the search for a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Debug info: functions and lines.
    DebugInfo {
        /// The file that holds it.
        path: PathBuf,
        /// The id that file and profile agree on; `None` if the profile has no id, so that nothing but the file's place and
        /// time speak for it.
        id: Option<Id>,
        /// Files that debug info was split off to and that are not there: what they describe has no inlined functions.
        lacks: Vec<PathBuf>,
    },
    /// Symbols without debug info: functions without lines.
    NamesOnly {
        /// The file that holds them.
        path: PathBuf,
        /// As in [`Found::DebugInfo`].
        id: Option<Id>,
    },
    /// Names of the kernel's functions.
    Kernel {
        /// The list that they are from.
        path: PathBuf,
    },
    /// The kernel's functions are not known.
    NoKernel {
        /// Why, and what to do.
        why: String,
    },
    /// Names that a just-in-time compiler wrote down.
    PerfMap {
        /// The file.
        path: PathBuf,
    },
    /// Names from a sidecar.
    Sidecar {
        /// Why there is nothing better.
        instead_of: Box<Found>,
    },
    /// There is another build of the library.
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What the profile wants.
        wanted: Id,
        /// What the file has.
        found: Id,
    },
    /// The profile has no id of the library, and the file was written after the profile.
    Newer {
        /// The file.
        path: PathBuf,
    },
    /// The profile has no id of the library, and there are several files.
    Ambiguous {
        /// One of them.
        path: PathBuf,
        /// Another one.
        other: PathBuf,
    },
    /// The profile has no id of the library, and its addresses are not those of functions in the file.
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// There is no file.
    Missing {
        /// Where it lay when it was recorded, as the profile spells it; empty if it does not say.
        recorded: String,
    },
    /// There is a file, and it cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// This build of the program reads no debug info.
    Disabled,
}

impl Found {
    /// What there is to say, in one sentence that begins with the library's name: which file, what is wrong, what to do.
    pub fn sentence(&self, lib: &str) -> String {
        const REBUILT: &str = "profile again, or put the old file into symbols.paths";
        const NO_ID: &str = "the profile has no build id to check it by";
        let unchecked =
            |id: &Option<Id>| if id.is_none() { format!(" ({NO_ID}: lines are wrong if it was rebuilt)") } else { String::new() };
        match self {
            Self::DebugInfo { path, id, lacks } => {
                let checked = unchecked(id);
                let split = match lacks.first() {
                    Some(first) => format!(
                        "; {} of its split debug info not there, the first is {}: inlined functions are missing",
                        count(lacks.len(), "file"),
                        first.display()
                    ),
                    None => String::new(),
                };
                format!("{lib}: debug info in {}{checked}{split}", path.display())
            }
            Self::NamesOnly { path, id } => format!(
                "{lib}: {} was built without debug info{}: names without lines; {WITH_LINES}, or put its debug info into symbols.paths",
                path.display(),
                unchecked(id)
            ),
            Self::Kernel { path } => format!("{lib}: names are those of {}", path.display()),
            Self::NoKernel { why } => format!("{lib}: {why}"),
            Self::PerfMap { path } => format!("{lib}: names are those that the runtime wrote into {}", path.display()),
            Self::Sidecar { instead_of } => {
                format!(
                    "{lib}: names are the sidecar's, whose lines are not used because they are wrong; {}",
                    instead_of.sentence(lib)
                )
            }
            Self::Mismatch { path, wanted, found } => {
                let (wanted, found) = wanted.side_by_side(found);
                let path = path.display();
                format!(
                    "{lib}: {path} is another build than the recorded one (its id is {found}, the profile wants {wanted}): {REBUILT}"
                )
            }
            Self::Newer { path } => {
                format!("{lib}: {} is newer than the profile, and {NO_ID}: {REBUILT}", path.display())
            }
            Self::Ambiguous { path, other } => format!(
                "{lib}: {} and {} may both be meant, and {NO_ID}: name the right one with pathMappings",
                path.display(),
                other.display()
            ),
            Self::Outside { path } => format!(
                "{lib}: {} has no code at addresses of the profile, so it is another build; {NO_ID}: {REBUILT}",
                path.display()
            ),
            // Names in brackets are no files: the kernel, what it maps into every process.
            Self::Missing { recorded } if recorded.is_empty() || recorded.starts_with('[') => {
                format!("{lib}: the profile does not say where it lies: put the file into symbols.paths")
            }
            Self::Missing { recorded } => {
                format!(
                    "{lib}: there is no {recorded} here: put the file into symbols.paths, or map its folder with pathMappings"
                )
            }
            Self::Unreadable { path, why } => format!("{lib}: {} cannot be read: {why}", path.display()),
            Self::Disabled => format!("{lib}: this build of costline reads no debug info: build it with the feature symbols"),
        }
    }

    /// Whether lines were found.
    pub fn has_lines(&self) -> bool {
        matches!(self, Self::DebugInfo { .. })
    }
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
