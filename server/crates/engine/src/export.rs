//! Exports profiles to other formats: applies the view, limits the depth of stacks and calls a
//! writer of `formats`.

use crate::compare::baseline::different_metrics;
use crate::compare::comparison::{By, Comparison};
use crate::config::settings::Compare;
use crate::present::labels::totals;
use crate::present::marks::Marks;
use crate::snapshot::Snapshot;
use analysis::{Profile, Recording, Truncate};
use formats::Format;
use formats::write::{
    self, MAX_STACK_BYTES, Spelling, Written, callgrind, firefox, flamegraph, folded, pprof,
    speedscope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A format to export to.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// rbspy's callgrind output, in which each line of a function is a separate function
    Rbspy,
}

/// What to do with the frames below the maximum depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// Add their cost to the deepest frame that is kept
    #[default]
    Fold,
    /// Leave out their cost
    Drop,
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

/// Exports a snapshot. `baseline` is only possible for flame graphs and folded stacks. The error is a message for
/// users.
pub fn export(
    snapshot: &Snapshot,
    baseline: Option<(&Snapshot, Compare)>,
    options: Options,
) -> Result<Written, String> {
    options.check(baseline.is_some())?;
    if let Some(problem) = baseline.and_then(|(before, _)| different_metrics(before, snapshot)) {
        return Err(problem);
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
        Target::Folded => {
            write::stack_bytes(&profile, Spelling::Names, &write::threads_by_stack(&profile))
        }
        Target::Flamechart => {
            write::stack_bytes(&profile, Spelling::Names, &analysis::calls_by_stack(&profile))
        }
        Target::Speedscope => {
            write::stack_bytes(&profile, Spelling::Numbers, &write::samples_by_stack(&profile))
        }
        Target::Pprof => {
            write::stack_bytes(&profile, Spelling::Numbers, &write::threads_by_stack(&profile))
        }
    };
    if stack_bytes > MAX_STACK_BYTES {
        let (title, gigabytes) = (options.target.title(), stack_bytes >> 30);
        return Err(format!(
            "{title} would have more than {gigabytes} GiB, because stacks are deep and numerous; \
             limit them with --max-depth, select fewer samples with --range, or export to firefox, \
             which stores each stack once"
        ));
    }
    let by = baseline.map(|(before, how)| Comparison::new(&[before], snapshot, how));
    let base = baseline.map(|(before, _)| reshaped(before, options)).transpose()?;
    let base = base.as_ref().zip(by);
    let mut written = match (options.target, options.compat) {
        (Target::Callgrind, None) => callgrind::write(&analysis::call_graph(&profile)),
        (Target::Callgrind, Some(Compat::Rbspy)) => {
            let lines =
                analysis::lines_as_functions(&profile).map_err(|error| error.to_string())?;
            callgrind::write_as_rbspy(&analysis::call_graph_without_levels(&lines))
        }
        (Target::Folded, _) => match base {
            Some((base, by)) => folded::differential(base, by.scale(), &profile),
            None => folded::write(&profile, folded::Frames::WithLines),
        },
        (Target::Flamechart, _) => folded::flamechart(&analysis::one_sample_per_call(&profile)),
        (Target::Flamegraph, _) => {
            let name = snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
            let mut marks = Marks::of(snapshot).all();
            marks.extend(by.map(|by| totals(by.total(), &snapshot.costs.metric)));
            let title =
                std::iter::once(name.into_owned()).chain(marks).collect::<Vec<_>>().join(" · ");
            let base =
                base.map(|(profile, by)| flamegraph::Base { profile, share: by.by != By::Weight });
            flamegraph::write(&profile, base, &title).map_err(|error| error.to_string())?
        }
        (Target::Speedscope, _) => speedscope::write(&profile),
        (Target::Firefox, _) => firefox::write(&profile),
        (Target::Pprof, _) => pprof::write(&profile),
    };
    // These have their samples in chronological order, with or without times.
    let is_in_order =
        matches!(snapshot.loaded.format, Format::AustinMojo | Format::Rbspy | Format::Stackprof);
    let has_order = is_in_order || analysis::has_times(&profile);
    if options.target == Target::Flamechart && !has_order {
        written.lost.push("chronological order, which the profile does not record");
    }
    // A call graph does not distinguish threads.
    if options.target == Target::Callgrind && profile.threads().len() > 1 {
        written.lost.push("threads");
    }
    Ok(written)
}

/// The samples of a snapshot under its view, with stacks of limited depth.
fn reshaped(snapshot: &Snapshot, options: Options) -> Result<Profile, String> {
    let recording: &Recording = &snapshot.grouped.recording;
    let sampled = recording.sampled().ok_or(
        "this recording is a call graph without stacks; it can only be exported to callgrind (--to callgrind)",
    )?;
    let mut profile = analysis::apply(sampled, &snapshot.grouped.view);
    if let Some(max_depth) = options.max_depth {
        let cut = match options.cut {
            Cut::Fold => Truncate::Fold,
            Cut::Drop => Truncate::Drop,
        };
        profile = analysis::truncate(&profile, max_depth, cut);
    }
    Ok(profile)
}

/// Writes a file. Fails if it exists, unless `overwrite` is set. If writing fails, an existing file
/// is unchanged, and no new one is left.
pub fn store(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let write = |mut file: &File| {
        file.write_all(bytes)?;
        // Some file systems report a full disk only then.
        file.sync_all()
    };
    let existing = fs::metadata(path).ok().filter(|_| overwrite);
    let Some(existing) = existing else {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        return write(&file).inspect_err(|_| {
            // The error of writing is more informative than the error of removing.
            let _ = fs::remove_file(path);
        });
    };
    if !existing.is_file() {
        // Nothing can replace a pipe or a device, such as `/dev/null`.
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // The target of a symbolic link is replaced, not the link.
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = NamedTempFile::new_in(folder)?;
    write(file.as_file())?;
    file.as_file().set_permissions(existing.permissions())?;
    file.persist(&path)?;
    Ok(())
}

/// The message for an error of [`store`]. `overwrite` is the option that replaces existing files.
pub fn refusal(path: &Path, error: &io::Error, overwrite: &str) -> String {
    match error.kind() {
        _ if path.is_dir() => {
            format!("{}: is a folder; pass a file name", path.display())
        }
        io::ErrorKind::AlreadyExists => {
            format!("{}: the file exists; use {overwrite} to replace it", path.display())
        }
        _ => format!("{}: cannot be written: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = {
            let path = path.clone();
            std::thread::spawn(move || fs::read(path).unwrap())
        };
        store(&path, b"main 1\n", true).unwrap();
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), b"main 1\n");
    }

    #[test]
    fn an_overwritten_file_keeps_its_permissions_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.folded");
        store(&path, b"main 1\n", false).unwrap();
        let refused = store(&path, b"main 2\n", false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"main 1\n");
        #[cfg(unix)]
        let (path, mode) = {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let link = folder.path().join("link");
            symlink(&path, &link).unwrap();
            (link, |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777)
        };
        store(&path, b"main 3\n", true).unwrap();
        assert_eq!(fs::read(folder.path().join("a.folded")).unwrap(), b"main 3\n");
        #[cfg(unix)]
        {
            assert!(path.is_symlink());
            assert_eq!(mode(&path), 0o640);
        }
    }
}
