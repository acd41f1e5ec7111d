//! The profilers of recipes. Their pages in `docs/recording` say more.

use std::path::Path;

/// A profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profiler {
    Samply,
    PySpy,
    Node,
    Go,
}

impl Profiler {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Samply => "samply",
            Self::PySpy => "py-spy",
            Self::Node => "Node.js",
            Self::Go => "go test",
        }
    }

    /// The command that installs it. `None` if it comes with the language.
    pub fn install(self) -> Option<&'static str> {
        match self {
            Self::Samply => Some("cargo install --locked samply"),
            Self::PySpy => Some("pip install py-spy"),
            Self::Node | Self::Go => None,
        }
    }

    /// The name of the file that it writes, or of the folder if it chooses the name.
    pub fn output(self) -> &'static Path {
        Path::new(match self {
            Self::Samply => "profile.json.gz",
            Self::PySpy => "profile.speedscope.json",
            Self::Node => "profiles",
            Self::Go => "cpu.prof",
        })
    }
}
