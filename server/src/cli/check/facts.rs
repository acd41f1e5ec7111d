//! What is known about a profile.

use crate::cli::output::Output;
use answers::text::{one_line, plain};
use answers::{
    Advice, FleetNumbers, HealthEntry, HowMapped as How, LabelCost, PartWithLabels, RecordedFile,
    RecordedFunctions, Snapshot, SourceIndex, SymbolGenerics as Generics, Weight, advice,
    recorded_files,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// What is known about a profile. Weights are in `unit`s of `metric`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "costline check --json")]
pub struct Check {
    /// The version of this format.
    pub version: u32,
    /// The version of Costline that wrote it.
    pub costline: &'static str,
    /// The path of the profile, as given on the command line.
    pub profile: PathBuf,
    /// The format of the profile.
    pub format: String,
    /// The version of the format, what was recorded, and the program that wrote the file, as far as
    /// they are known.
    pub details: Vec<String>,
    /// The time from the first to the last sample, in seconds; null if the profile has no times.
    pub duration_seconds: Option<f64>,
    /// Where the profile comes from, if `costline fetch` got it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetNumbers>,
    /// Whether the file is truncated; null if this cannot be known, because a part of such a file
    /// is a valid file.
    pub truncated: Option<bool>,
    /// The metric of all weights.
    pub metric: String,
    /// The unit of the metric.
    pub unit: String,
    /// All metrics of the profile.
    pub metrics: Vec<Metric>,
    /// Weight of all samples that have a stack and are not idle.
    pub total: Weight,
    /// The number of threads in the profile.
    pub all_threads: usize,
    /// The threads of the view.
    pub threads: Vec<Thread>,
    /// The keys of the labels of samples, in the order of the profile.
    pub labels: Vec<LabelKey>,
    /// The number of functions with cost.
    pub functions: usize,
    /// The size of a Mercury profile; null for other formats.
    pub contexts: Option<Contexts>,
    /// The number of lines with cost.
    pub lines: usize,
    /// The weight of the self cost that is on lines.
    pub on_lines: Weight,
    /// What the shares of self cost are relative to: the sum of its magnitudes.
    pub all_self: Weight,
    /// The libraries with addresses instead of names, hottest first.
    pub libraries: Vec<Library>,
    /// The files in the profile, those that were found first, hottest first.
    pub files: Vec<File>,
    /// The rules about paths, lines and texts that changed something when the sources were identified, in
    /// their order.
    pub rules: Vec<Rule>,
    /// The problems of the profile.
    pub warnings: Vec<Warning>,
    /// How to record a better profile; null if it lacks nothing.
    pub advice: Option<String>,
    /// What is wrong, the most severe first. Empty for a healthy profile.
    pub health: Vec<HealthEntry>,
}

/// The advice on a profile whose files were not found.
const NO_FILE_FOUND: &str =
    "none of the files in the profile was found: pass the project with --root, or --map FROM=TO";

/// A metric of the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

/// A thread of the view.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Its name. May be empty.
    pub name: String,
    /// The name of its process. May be empty.
    pub process_name: String,
    /// The id of its process.
    pub pid: Option<String>,
    /// Its id.
    pub tid: Option<String>,
    /// Its weight.
    pub total: Weight,
}

/// A key of labels.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LabelKey {
    /// The key.
    pub key: String,
    /// The number of its values in the view.
    pub values: usize,
}

/// The size of a call graph with contexts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Contexts {
    /// The number of contexts.
    #[serde(rename = "contexts")]
    pub all: usize,
    /// The number of calls between them.
    pub calls: usize,
    /// The number of cliques.
    pub cliques: usize,
}

/// A library with addresses.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// The number of samples with addresses in it.
    pub samples: u64,
    /// The number of addresses.
    pub addresses: usize,
    /// The number of addresses that were resolved to functions.
    pub resolved: usize,
    /// What they were resolved with, or why they were not.
    pub status: String,
}

/// A file in the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// Its name in the profile.
    pub name: String,
    /// The file on this machine; null if it was not found.
    pub path: Option<PathBuf>,
    /// How it was found, or why it was not.
    pub status: String,
}

/// A rule by which sources are identified.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The number of files that it decided; 0 if it only moved lines or confirmed files.
    pub files: usize,
}

/// A problem of the profile.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Warning {
    /// Its code, as in `report --json`; null for problems of the source folders.
    pub code: Option<&'static str>,
    /// What happened, and what to do.
    pub message: String,
    /// How often.
    pub count: u64,
}

/// The JSON Schema of `check --json`.
#[cfg(test)]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Check)
}

impl Check {
    /// What is known about a profile.
    pub fn new(snapshot: &Snapshot, index: &SourceIndex) -> Self {
        let (loaded, costs) = (&snapshot.loaded, &snapshot.costs);
        let recording = &snapshot.grouped.recording;
        let details = [loaded.version.as_deref(), loaded.mode.as_deref(), loaded.writer.text()];
        let selfs = costs.lines().iter().map(|line| line.cost.self_.abs());
        // The sum of no floats is -0.0.
        let on_lines = selfs.sum::<f64>() + 0.0;
        let metric = |metric: &answers::Metric| Metric {
            name: metric.name.clone(),
            unit: metric.unit.clone(),
        };
        Self {
            version: 1,
            costline: env!("CARGO_PKG_VERSION"),
            profile: loaded.path.clone(),
            format: loaded.format.title().to_owned(),
            details: details.into_iter().flatten().map(str::to_owned).collect(),
            duration_seconds: loaded.span_seconds,
            fleet: loaded.fleet.as_deref().map(FleetNumbers::new),
            truncated: loaded.truncated,
            metric: costs.metric.name.clone(),
            unit: costs.metric.unit.clone(),
            metrics: recording.metrics().iter().map(metric).collect(),
            total: Weight(costs.total),
            all_threads: recording.threads().len(),
            threads: threads(snapshot),
            labels: labels(snapshot),
            functions: RecordedFunctions::new(snapshot).costs().functions().count(),
            contexts: recording.n_contexts().map(|[all, calls, cliques]| Contexts {
                all,
                calls,
                cliques,
            }),
            lines: costs.lines().len(),
            on_lines: Weight(on_lines),
            all_self: Weight(on_lines + costs.no_line.abs()),
            libraries: libraries(snapshot),
            files: files(snapshot, index),
            rules: snapshot
                .identified
                .steps
                .iter()
                .map(|&(name, files)| Rule { name, files })
                .collect(),
            warnings: warnings(snapshot, index),
            advice: advice(snapshot).map(|advice| match advice {
                Advice::Record(text) => text,
                Advice::FindFiles => NO_FILE_FOUND.to_owned(),
            }),
            health: answers::health::of_snapshot(snapshot, index, None),
        }
    }

    /// Writes it as JSON.
    pub fn write_json(&self, out: &mut Output) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}

/// The threads of the view.
fn threads(snapshot: &Snapshot) -> Vec<Thread> {
    let threads = snapshot.grouped.recording.threads();
    let thread = |cost: &answers::ThreadTotal| {
        let thread = &threads[cost.thread.index()];
        Thread {
            name: thread.name.clone(),
            process_name: thread.process_name.clone(),
            pid: thread.pid.clone(),
            tid: thread.tid.clone(),
            total: Weight(cost.total),
        }
    };
    snapshot.costs.threads.iter().map(thread).collect()
}

/// The keys of labels. A call graph has none.
fn labels(snapshot: &Snapshot) -> Vec<LabelKey> {
    let costs = snapshot.labels(PartWithLabels::Whole, None).unwrap_or_default();
    let of_key = |costs: &[LabelCost]| LabelKey {
        key: costs[0].key.clone(),
        values: costs.iter().filter(|cost| cost.label.is_some()).count(),
    };
    costs.chunk_by(|a, b| a.key == b.key).map(of_key).collect()
}

/// How many addresses of each library were resolved, hottest first.
fn libraries(snapshot: &Snapshot) -> Vec<Library> {
    let recording = &snapshot.loaded.recording;
    let library = |library: &answers::Library| {
        let name = library.name(recording);
        let (resolved, status) = match &library.symbols {
            None => (0, format!("{}: no file to resolve them with", plain(name))),
            Some(symbols) => {
                let addresses = library.unresolved.addresses.iter();
                let resolved = addresses
                    .filter(|&&address| symbols.levels(address, Generics::Keep).next().is_some());
                (resolved.count(), symbols.status().message(name))
            }
        };
        Library {
            name: name.to_owned(),
            samples: library.unresolved.n_samples,
            addresses: library.unresolved.addresses.len(),
            resolved,
            status,
        }
    };
    snapshot.symbolicated.libraries.all().iter().map(library).collect()
}

/// The files in the profile, each with its first name. Libraries are often hotter than all of the user's
/// files, so the files that were found come first.
fn files(snapshot: &Snapshot, index: &SourceIndex) -> Vec<File> {
    let names = snapshot.mappings().filter(|(name, file, _)| snapshot.file_name(*file) == *name);
    let first: BTreeSet<&str> = names.map(|(name, ..)| name).collect();
    let mut rows = recorded_files(snapshot, Some(index));
    rows.retain(|row| first.contains(row.name.as_str()));
    rows.sort_by_key(|row| row.path.is_none());
    rows.into_iter().map(file).collect()
}

/// A file, with how it was found or why it was not.
fn file(row: RecordedFile) -> File {
    let status = match (&row.path, row.how) {
        (Some(_), How::Name) => "found by function names".to_owned(),
        (Some(path), _) => format!("→ {}", one_line(path)),
        (None, How::Ambiguous) => {
            let n_files = row.candidates.map_or(0, |candidates| candidates.len());
            let options = answers::path_rules::as_options(&row.rules);
            format!("matches {n_files} files: pass {options} to select one")
        }
        (None, _) => plain(&row.reason.unwrap_or_default()).into_owned(),
    };
    File { name: row.name, path: row.path.map(PathBuf::from), status }
}

/// The problems of a profile and of the source folders.
fn warnings(snapshot: &Snapshot, index: &SourceIndex) -> Vec<Warning> {
    let of_profile = snapshot.warnings.iter().map(|warning| Warning {
        code: Some(warning.code.as_str()),
        message: warning.message.clone(),
        count: warning.count,
    });
    let of_folders = (!index.is_complete()).then(|| Warning {
        code: None,
        message: "the source folders have too many files, so not all are searched; pass a smaller \
                  --root"
            .to_owned(),
        count: 1,
    });
    of_profile.chain(of_folders).collect()
}
