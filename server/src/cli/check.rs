//! `costline check`: what a profile contains, what it lacks, and how to record it better.

use super::{Output, advice, headline, times};
use analysis::{FileId, Metric, Total};
use engine::path_rules;
use engine::present::{
    text::{one_line, plain},
    units,
};
use engine::recorded::RecordedFunctions;
use engine::snapshot::Snapshot;
use sources::{How, Mapping, SourceIndex};
use std::collections::BTreeMap;
use std::io::{self, Write};
use symbols::Generics;

/// Writes what is known about a profile, one topic per row.
pub(super) fn check(snapshot: &Snapshot, index: &SourceIndex, out: &mut Output) -> io::Result<()> {
    let loaded = &snapshot.loaded;
    let costs = &snapshot.costs;
    writeln!(out, "{}", headline(snapshot))?;
    let details = [loaded.version.as_deref(), loaded.mode.as_deref(), loaded.writer.text()]
        .into_iter()
        .flatten()
        .map(|detail| format!(", {}", plain(detail)));
    writeln!(out, "format    {}{}", loaded.format.title(), details.collect::<String>())?;
    if let Some(seconds) = loaded.span_seconds {
        writeln!(out, "recorded  {}", units::duration(seconds))?;
    }
    metrics(snapshot, out)?;
    threads(snapshot, out)?;
    writeln!(out, "functions {}", RecordedFunctions::new(snapshot).costs().functions().count())?;
    if let Some([contexts, calls, cliques]) = snapshot.grouped.recording.n_contexts() {
        writeln!(out, "contexts  {contexts} in {cliques} cliques, {calls} calls between them")?;
    }
    let on_lines: f64 = costs.lines().iter().map(|line| line.cost.self_.abs()).sum();
    writeln!(
        out,
        "lines     {} with costs; {} of the self cost is on lines",
        costs.lines().len(),
        units::percent(on_lines, on_lines + costs.no_line.abs())
    )?;
    libraries(snapshot, out)?;
    files(snapshot, index, out)?;
    for warning in &snapshot.warnings {
        writeln!(out, "warning   {}{}", one_line(&warning.message), times(warning.count))?;
    }
    if !index.is_complete() {
        writeln!(
            out,
            "warning   the source folders have too many files, so not all are searched; pass a smaller --root"
        )?;
    }
    if let Some(advice) = advice::advice(snapshot) {
        writeln!(out, "advice    {advice}")?;
    }
    Ok(())
}

fn metrics(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    let names: Vec<_> = snapshot
        .grouped
        .recording
        .metrics()
        .iter()
        .map(|Metric { name, unit, .. }| {
            if name == unit {
                plain(name).into_owned()
            } else {
                format!("{} ({})", plain(name), plain(unit))
            }
        })
        .collect();
    let shown = if names.len() > 1 {
        format!("; shown: {}", plain(&snapshot.costs.metric.name))
    } else {
        String::new()
    };
    writeln!(out, "metrics   {}{shown}", names.join(", "))
}

/// Writes the number of threads, and the share, process, name and ids of each one in the view.
fn threads(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    let (costs, threads) = (&snapshot.costs, snapshot.grouped.recording.threads());
    writeln!(out, "threads   {}", threads.len())?;
    for cost in &costs.threads {
        let thread = &threads[cost.thread.index()];
        let process = if thread.process_name.is_empty() {
            String::new()
        } else {
            format!("{} / ", plain(&thread.process_name))
        };
        let name = if thread.name.is_empty() { "(unnamed)".into() } else { plain(&thread.name) };
        let ids: Vec<_> = [("pid", &thread.pid), ("tid", &thread.tid)]
            .iter()
            .filter_map(|(kind, id)| Some(format!("{kind} {}", plain(id.as_deref()?))))
            .collect();
        let ids = if ids.is_empty() { String::new() } else { format!("  {}", ids.join(", ")) };
        let share = units::percent(cost.total, costs.base);
        writeln!(out, "          {share:>7}  {process}{name}{ids}")?;
    }
    Ok(())
}

/// Writes how many addresses of each library were resolved, hottest first.
fn libraries(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    const MAX_ROWS: usize = 12;
    let (all, recording) = (snapshot.symbolicated.libraries.all(), &snapshot.loaded.recording);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "libraries {} with addresses instead of names", all.len())?;
    for library in all.iter().take(MAX_ROWS) {
        let n = library.unresolved.addresses.len();
        let samples = units::counted(library.unresolved.n_samples as f64, "samples");
        let Some(symbols) = &library.symbols else {
            let name = plain(library.name(recording));
            writeln!(
                out,
                "          {samples}, 0 of {n} addresses resolved: {name}: no file to resolve them with"
            )?;
            continue;
        };
        let resolved = library
            .unresolved
            .addresses
            .iter()
            .filter(|&&address| symbols.levels(address, Generics::Keep).next().is_some())
            .count();
        let message = symbols.status().message(library.name(recording));
        writeln!(
            out,
            "          {samples}, {resolved} of {n} addresses resolved: {}",
            one_line(&message)
        )?;
    }
    if let Some(more @ 1..) = all.len().checked_sub(MAX_ROWS) {
        writeln!(out, "          … and {more} more")?;
    }
    Ok(())
}

/// Writes which files were found and which were not, the hottest of each.
fn files(snapshot: &Snapshot, index: &SourceIndex, out: &mut Output) -> io::Result<()> {
    let mut hot: BTreeMap<FileId, f64> = BTreeMap::new();
    for line in snapshot.costs.lines() {
        let total = if let Total::Exact(total) = line.cost.total {
            total.abs()
        } else {
            line.cost.self_.abs()
        };
        let weight = hot.entry(line.file).or_default();
        *weight = weight.max(total);
    }
    let mut files: BTreeMap<FileId, (&str, &Mapping)> = BTreeMap::new();
    for (name, file, mapping) in snapshot.mappings() {
        files.entry(file).or_insert((name, mapping));
    }
    if files.is_empty() {
        return writeln!(out, "files     none in the profile");
    }
    let found =
        files.values().filter(|(_, mapping)| matches!(mapping, Mapping::Mapped { .. })).count();
    writeln!(out, "files     {found} of {} found in the sources", files.len())?;
    let mut rows: Vec<_> =
        files.iter().map(|(file, row)| (hot.get(file).copied().unwrap_or(0.0), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.0.cmp(b.1.0)));
    // Libraries are often hotter than all of the user's files, so the files found come first.
    let (found, missing): (Vec<_>, Vec<_>) =
        rows.iter().partition(|(_, (_, mapping))| matches!(mapping, Mapping::Mapped { .. }));
    for (rows, most) in [(found, 10), (missing, 5)] {
        for (_, (name, mapping)) in rows.iter().take(most) {
            let result = match mapping {
                Mapping::Mapped { how: How::Name, .. } => {
                    "found by the names of functions".to_owned()
                }
                Mapping::Mapped { path, .. } => {
                    format!("→ {}", one_line(&path.display().to_string()))
                }
                Mapping::Ambiguous { candidates } => {
                    let rules = path_rules::for_mapping(name, mapping, index);
                    let options = path_rules::as_options(&rules);
                    format!("matches {} files: pass {options} to select one", candidates.len())
                }
                Mapping::Unmapped(reason) => plain(&reason.to_string()).into_owned(),
            };
            writeln!(out, "          {} {result}", plain(name))?;
        }
        if let Some(more @ 1..) = rows.len().checked_sub(most) {
            writeln!(out, "          … and {more} more")?;
        }
    }
    Ok(())
}
