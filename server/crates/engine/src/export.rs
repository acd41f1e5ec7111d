//! Profiles in other formats: the view applied, stacks cut, and a writer of `formats` that puts
//! down what is left. The command line and the server's command both come here.

use crate::baseline::different_metrics;
use crate::snapshot::Snapshot;
use analysis::{Profile, Recording, Truncate};
use formats::write::{
    self, MAX_STACK_BYTES, Spelling, Written, callgrind, firefox, flamegraph, folded, pprof,
    speedscope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// A format that is written.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExportFormat")]
pub enum Target {
    /// For KCachegrind and QCachegrind
    Callgrind,
    /// Folded stacks: one line per stack, summed
    Folded,
    /// One line per call, in order of time, not summed
    Flamechart,
    /// A flame graph as SVG, to be opened in a browser
    Flamegraph,
    /// For speedscope.app
    Speedscope,
    /// For profiler.firefox.com
    Firefox,
    /// For `pprof` and `go tool pprof`, compressed
    Pprof,
}

impl Target {
    /// The end of the names of its files, without the dot before it.
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

    /// Whether its files are no text.
    pub fn is_binary(self) -> bool {
        self == Self::Pprof
    }

    /// A name for people.
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

/// Another program whose output is imitated byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// rbspy's callgrind output: every line of a function is a function of its own
    Rbspy,
}

/// What becomes of frames deeper than wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// Their cost goes to the last frame that is kept
    #[default]
    Fold,
    /// Their cost is left out
    Drop,
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The format.
    pub target: Target,
    /// Whom to imitate.
    pub compat: Option<Compat>,
    /// Frames below the root at most; 0 = roots only.
    pub max_depth: Option<usize>,
    /// What becomes of deeper ones.
    pub cut: Cut,
}

/// Writes what a snapshot shows; `baseline` is what it is compared with, where the format can. The
/// error is a sentence.
pub fn export(
    snapshot: &Snapshot,
    baseline: Option<&Snapshot>,
    options: Options,
) -> Result<Written, String> {
    if baseline.is_some() && options.target != Target::Flamegraph {
        return Err(format!(
            "{} cannot show a difference; a flame graph can",
            options.target.title()
        ));
    }
    if let Some(problem) = baseline.and_then(|baseline| different_metrics(baseline, snapshot)) {
        return Err(problem);
    }
    if options.compat.is_some() && options.target != Target::Callgrind {
        return Err("only callgrind is written as rbspy does; leave --compat away".to_owned());
    }
    if let (Some(graph), Target::Callgrind, None) =
        (snapshot.grouped.recording.summed(), options.target, options.compat)
    {
        let graph = analysis::apply_to_graph(graph, &snapshot.grouped.view);
        let mut written = callgrind::write(&graph);
        if graph.n_threads() > 1 {
            written.lost.push("threads");
        }
        return Ok(written);
    }
    let profile = reshaped(snapshot, options)?;
    let stack_bytes = match options.target {
        Target::Callgrind | Target::Flamegraph | Target::Firefox => 0,
        Target::Folded => write::stack_bytes(&profile, Spelling::Names, true),
        Target::Flamechart => write::stack_bytes(&profile, Spelling::Names, false),
        Target::Speedscope => write::stack_bytes(&profile, Spelling::Numbers, false),
        Target::Pprof => write::stack_bytes(&profile, Spelling::Numbers, true),
    };
    if stack_bytes > MAX_STACK_BYTES {
        let (title, gigabytes) = (options.target.title(), stack_bytes >> 30);
        return Err(format!(
            "the stacks are so deep and so many that {title} would have more than {gigabytes} GiB; cut them with --max-depth 200, \
             or write firefox, which has each stack once"
        ));
    }
    let of_tables = |error: analysis::BuildError| error.to_string();
    let mut written = match (options.target, options.compat) {
        (Target::Callgrind, None) => callgrind::write(&analysis::call_graph(&profile)),
        (Target::Callgrind, Some(Compat::Rbspy)) => {
            let lines = analysis::lines_as_functions(&profile).map_err(of_tables)?;
            callgrind::write_as_rbspy(&analysis::call_graph_without_levels(&lines))
        }
        (Target::Folded, _) => folded::write(&profile, folded::Frames::WithLines),
        (Target::Flamechart, _) => folded::flamechart(&profile),
        (Target::Flamegraph, _) => {
            let base = baseline.map(|baseline| reshaped(baseline, options)).transpose()?;
            let name = snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
            flamegraph::write(&profile, base.as_ref(), &name).map_err(|error| error.to_string())?
        }
        (Target::Speedscope, _) => speedscope::write(&profile),
        (Target::Firefox, _) => firefox::write(&profile),
        (Target::Pprof, _) => pprof::write(&profile),
    };
    // A call graph knows no threads any more.
    if options.target == Target::Callgrind && profile.threads().len() > 1 {
        written.lost.push("threads");
    }
    Ok(written)
}

/// The samples that the snapshot's view looks at, their stacks cut.
fn reshaped(snapshot: &Snapshot, options: Options) -> Result<Profile, String> {
    let recording: &Recording = &snapshot.grouped.recording;
    let sampled = recording.sampled().ok_or(
        "this recording has sums without stacks, which only callgrind can carry (--to callgrind)",
    )?;
    let mut profile = analysis::apply(sampled, &snapshot.grouped.view);
    if let Some(max_depth) = options.max_depth {
        let cut = match options.cut {
            Cut::Fold => Truncate::Fold,
            Cut::Drop => Truncate::Drop,
        };
        profile = analysis::truncate(&profile, max_depth, cut);
    }
    Ok(if options.target == Target::Flamechart {
        analysis::one_sample_per_call(&profile)
    } else {
        profile
    })
}

/// Puts a file where nothing is yet or, with `overwrite`, in the place of what is there.
pub fn store(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options =
        if overwrite { options.create(true).truncate(true) } else { options.create_new(true) };
    options.write(true).open(path)?.write_all(bytes)
}

/// Why a file could not be put there; `overwrite` is what would have replaced it.
pub fn refusal(path: &Path, error: &io::Error, overwrite: &str) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{}: there is a file already; {overwrite} replaces it", path.display())
        }
        _ => format!("{}: cannot be written: {error}", path.display()),
    }
}
