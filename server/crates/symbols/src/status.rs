//! The result of the search for a library, and its message.

use profile::Lib;
use std::fmt;
use std::path::PathBuf;

/// How to build a program with debug info, by language.
pub const WITH_LINES: &str = "build it with debug info (Rust: `CARGO_PROFILE_RELEASE_DEBUG=line-tables-only cargo build --release`; C, C++ \
                              and most others: `-g`; Go: without `-ldflags=\"-s -w\"`) and record again";

/// The identity of one build of a library. Strings are empty if it has no such id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Id {
    /// Breakpad's id of the debug info, in upper-case hex without hyphens.
    debug: String,
    /// The ELF build id, the Mach-O UUID, or time stamp and size of a PE file, in lower-case hex.
    code: String,
}

impl Id {
    pub(crate) fn of(lib: &Lib) -> Self {
        Self::new(&lib.debug_id, &lib.code_id)
    }

    pub(crate) fn new(debug: &str, code: &str) -> Self {
        let mut debug = hex(debug).to_ascii_uppercase();
        if debug.len() == 32 {
            // The age, which only Windows counts.
            debug.push('0');
        }
        Self { debug, code: hex(code).to_ascii_lowercase() }
    }

    /// A library with this id.
    #[cfg(feature = "debug-info")]
    pub(crate) fn of_build(&self, lib: &Lib) -> Lib {
        Lib { debug_id: self.debug.clone(), code_id: self.code.clone(), ..lib.clone() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.debug.is_empty() && self.code.is_empty()
    }

    #[cfg(feature = "debug-info")]
    pub(crate) fn debug_id(&self) -> Option<samply_symbols::debugid::DebugId> {
        samply_symbols::debugid::DebugId::from_breakpad(&self.debug).ok()
    }

    /// Both ids as text, of the same kind if they have one in common.
    fn side_by_side<'a>(&'a self, other: &'a Self) -> (&'a str, &'a str) {
        let or_none = |id: &'a str| if id.is_empty() { "none" } else { id };
        if self.code.is_empty()
            || (other.code.is_empty() && !other.debug.is_empty() && !self.debug.is_empty())
        {
            return (or_none(&self.debug), or_none(&other.debug));
        }
        (&self.code, or_none(&other.code))
    }

    /// Whether both belong to one build. The code's id decides if both have one, because it is
    /// longer.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        if !self.code.is_empty() && !other.code.is_empty() {
            // `perf` pads short ids with zeros.
            return self.code.trim_end_matches('0') == other.code.trim_end_matches('0');
        }
        !self.debug.is_empty() && self.debug == other.debug
    }
}

/// A hex id without hyphens; empty if there is none. Linkers that write no id leave zeros, and Go's
/// ids are not hex.
fn hex(id: &str) -> String {
    let id = id.replace('-', "");
    let is_id =
        id.bytes().all(|byte| byte.is_ascii_hexdigit()) && id.bytes().any(|byte| byte != b'0');
    if is_id { id } else { String::new() }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code.as_str(), self.debug.as_str()) {
            ("", "") => f.write_str("none"),
            ("", id) | (id, _) => f.write_str(id),
        }
    }
}

/// The result of the search for a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LibStatus {
    /// Debug info: functions and lines.
    DebugInfo {
        /// The file with the debug info.
        path: PathBuf,
        /// The id that file and profile agree on. `None` if the profile has no id, so that only the
        /// file's place and time were checked.
        id: Option<Id>,
        /// Files with split debug info that were not found. Inlined functions described there are
        /// missing.
        missing: Vec<PathBuf>,
    },
    /// Symbols without debug info: functions without lines.
    NamesOnly {
        /// The file with the symbols.
        path: PathBuf,
        /// As in [`LibStatus::DebugInfo`].
        id: Option<Id>,
    },
    /// Names of the kernel's functions, from a list.
    Kernel {
        /// The list.
        path: PathBuf,
    },
    /// The kernel's functions were not found.
    NoKernel {
        /// The reason, and what to do.
        why: String,
    },
    /// Names that a just-in-time compiler wrote.
    PerfMap {
        /// The file.
        path: PathBuf,
    },
    /// Names from a sidecar.
    Sidecar {
        /// The reason why nothing better was found.
        instead_of: Box<LibStatus>,
    },
    /// The file is a different build of the library.
    Mismatch {
        /// The file.
        path: PathBuf,
        /// The recorded id.
        expected: Id,
        /// The id of the file.
        found: Id,
    },
    /// The profile has no id of the library, and the file is newer than the profile.
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
    /// The profile has no id of the library, and the file has no code at the recorded addresses.
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// There is no file.
    Missing {
        /// The recorded path; empty if the profile has none.
        recorded: String,
    },
    /// The profile does not name its program, and no file fits or several do.
    Unnamed {
        /// The files that fit.
        fitting: Vec<PathBuf>,
    },
    /// The file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Reading the file may take more memory than there is.
    NoMemory {
        /// The file.
        path: PathBuf,
    },
    /// Costline was built without support for debug info.
    Disabled,
}

impl LibStatus {
    /// The result as one sentence that begins with the library's name: which file, what is wrong,
    /// what to do.
    pub fn message(&self, lib: &str) -> String {
        const REBUILT: &str = "profile again, or add the old file to symbols.paths";
        // Firefox leaves out the name of its own program.
        let lib = if lib.is_empty() { "(no name)" } else { lib };
        let unchecked = |id: &Option<Id>| match id {
            Some(_) => "",
            None => " (no build id recorded; if the file was rebuilt, names and lines are wrong)",
        };
        match self {
            Self::DebugInfo { path, id, missing } => {
                let checked = unchecked(id);
                let split = match missing.first() {
                    Some(first) => format!(
                        "; {} of split debug info not found (first: {}), so inlined functions are missing",
                        count(missing.len(), "file"),
                        first.display()
                    ),
                    None => String::new(),
                };
                format!("{lib}: debug info from {}{checked}{split}", path.display())
            }
            Self::NamesOnly { path, id } => format!(
                "{lib}: {} has no debug info{}, so its functions have no lines: build it with debug info, or add its debug info to symbols.paths",
                path.display(),
                unchecked(id)
            ),
            Self::Kernel { path } => format!("{lib}: names from {}", path.display()),
            Self::NoKernel { why } => format!("{lib}: {why}"),
            Self::PerfMap { path } => {
                format!("{lib}: names from {}, which the runtime wrote", path.display())
            }
            Self::Sidecar { instead_of } => {
                format!(
                    "{lib}: names from the sidecar (its line numbers are unreliable and ignored); {}",
                    instead_of.message(lib)
                )
            }
            Self::Mismatch { path, expected, found } => {
                let (expected, found) = expected.side_by_side(found);
                let path = path.display();
                format!(
                    "{lib}: {path} is a different build than the recorded one (its id is {found}, expected {expected}): {REBUILT}"
                )
            }
            Self::Newer { path } => {
                format!(
                    "{lib}: {} is newer than the profile, which has no build id to check it: {REBUILT}",
                    path.display()
                )
            }
            Self::Ambiguous { path, other } => format!(
                "{lib}: both {} and {} match, and the profile has no build id to tell them apart: select one with pathMappings",
                path.display(),
                other.display()
            ),
            Self::Outside { path } => format!(
                "{lib}: {} has no code at addresses of the profile, so it is a different build: {REBUILT}",
                path.display()
            ),
            // Names in brackets are not files: the kernel, and what it maps into every process.
            Self::Missing { recorded } if recorded.is_empty() || recorded.starts_with('[') => {
                format!(
                    "{lib}: the profile does not say where the file is: add it to symbols.paths (`--symbols`)"
                )
            }
            Self::Missing { recorded } => {
                format!(
                    "{lib}: {recorded} does not exist here: add the file to symbols.paths (`--symbols`), or map its folder with pathMappings (`--map`)"
                )
            }
            Self::Unnamed { fitting } => match &fitting[..] {
                [path, other, ..] => format!(
                    "{lib}: both {} and {} fit the profile, which does not name its program: add the one that ran to symbols.paths (`--symbols`)",
                    path.display(),
                    other.display()
                ),
                _ => format!(
                    "{lib}: no program in the workspace has code of the size in the profile, so it was rebuilt or is elsewhere: {REBUILT} (`--symbols`)"
                ),
            },
            Self::Unreadable { path, why } => {
                format!("{lib}: {} cannot be read: {why}", path.display())
            }
            Self::NoMemory { path } => format!(
                "{lib}: reading {} needs more memory than is free: close other programs",
                path.display()
            ),
            Self::Disabled => format!(
                "{lib}: this build of costline does not read debug info: build it with the feature symbols"
            ),
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
