//! What to export, and how.

use analysis::Truncate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A format to export to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExportFormat")]
pub enum Target {
    /// For KCachegrind and QCachegrind
    Callgrind,
    /// Folded stacks: one line per stack, summed
    Folded,
    /// One line per call, in chronological order, not summed
    Flamechart,
    /// A flame graph as SVG, to open in a browser
    Flamegraph,
    /// For speedscope.app
    Speedscope,
    /// For profiler.firefox.com
    Firefox,
    /// For `pprof` and `go tool pprof`, compressed
    Pprof,
}

impl Target {
    /// The extension of its files, without the leading dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Callgrind => "callgrind",
            Self::Folded => "folded",
            Self::Flamechart => "flamechart",
            Self::Flamegraph => "svg",
            Self::Speedscope => "speedscope.json",
            Self::Firefox => "json",
            Self::Pprof => "pb.gz",
        }
    }

    /// Whether its files are binary.
    pub fn is_binary(self) -> bool {
        self == Self::Pprof
    }

    /// Whether it can show the difference from a baseline.
    pub fn compares(self) -> bool {
        matches!(self, Self::Flamegraph | Self::Folded)
    }

    /// Whether it says which samples are idle.
    pub fn keeps_idle_samples(self) -> bool {
        self == Self::Firefox
    }

    /// The name of the format in messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Callgrind => "callgrind",
            Self::Folded => "folded stacks",
            Self::Flamechart => "a flame chart",
            Self::Flamegraph => "a flame graph",
            Self::Speedscope => "speedscope",
            Self::Firefox => "the Firefox Profiler's format",
            Self::Pprof => "pprof",
        }
    }
}

/// Another program whose output to reproduce byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// rbspy's callgrind output, in which each line of a function is a separate function
    Rbspy,
}

/// What to do with the frames below the maximum depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// Add their cost to the deepest frame that is kept
    #[default]
    Fold,
    /// Leave out their cost
    Drop,
}

impl From<Cut> for Truncate {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Fold => Self::Fold,
            Cut::Drop => Self::Drop,
        }
    }
}

/// The options of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The format.
    pub target: Target,
    /// The program whose output to reproduce.
    pub compat: Option<Compat>,
    /// The maximum number of frames below the root; 0 = roots only.
    pub max_depth: Option<usize>,
    /// What to do with deeper frames.
    pub cut: Cut,
}

impl Options {
    /// Fails if the options do not go together. The error is a message for users.
    pub fn check(&self, has_baseline: bool) -> Result<(), String> {
        if has_baseline && !self.target.compares() {
            return Err(format!(
                "{} cannot be compared with a baseline; export folded stacks or a flame graph",
                self.target.title()
            ));
        }
        if self.compat.is_some() && self.target != Target::Callgrind {
            return Err("--compat rbspy needs the format callgrind".to_owned());
        }
        Ok(())
    }
}
