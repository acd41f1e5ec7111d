//! `costline check`: what a profile is, what it lacks, and how to record it better.

use super::{Output, advice, headline, times};
use analysis::{FileId, Metric, Total};
use engine::present::{
    text::{one_line, plain},
    units,
};
use engine::recorded::RecordedFunctions;
use engine::snapshot::Snapshot;
use sources::{Mapping, SourceIndex};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn check(snapshot: &Snapshot, index: &SourceIndex, out: &mut Output) -> io::Result<()> {
    let loaded = &snapshot.loaded;
    let costs = &snapshot.costs;
    let recording = &snapshot.grouped.recording;
    writeln!(out, "{}", headline(snapshot))?;
    let details = [loaded.version.as_deref(), loaded.mode.as_deref(), loaded.writer.text()]
        .into_iter()
        .flatten()
        .map(|detail| format!(", {}", plain(detail)));
    writeln!(out, "format    {}{}", loaded.format.title(), details.collect::<String>())?;
    if let Some(seconds) = loaded.span_seconds {
        writeln!(out, "recorded  {}", units::duration(seconds))?;
    }
    let word = |Metric { name, unit, .. }: &Metric| {
        if name == unit {
            plain(name).into_owned()
        } else {
            format!("{} ({})", plain(name), plain(unit))
        }
    };
    let metrics: Vec<_> = recording.metrics().iter().map(word).collect();
    let shown = if metrics.len() > 1 {
        format!("; shown: {}", plain(&costs.metric.name))
    } else {
        String::new()
    };
    writeln!(out, "metrics   {}{shown}", metrics.join(", "))?;
    writeln!(out, "threads   {}", recording.threads().len())?;
    for thread in &costs.threads {
        let this = &recording.threads()[thread.thread.index()];
        let process = if this.process_name.is_empty() {
            String::new()
        } else {
            format!("{} / ", plain(&this.process_name))
        };
        let ids = [("pid", &this.pid), ("tid", &this.tid)];
        let ids: Vec<_> = ids
            .iter()
            .filter_map(|(what, id)| Some(format!("{what} {}", plain(id.as_deref()?))))
            .collect();
        let ids = if ids.is_empty() { String::new() } else { format!("  {}", ids.join(", ")) };
        let name = if this.name.is_empty() { "(unnamed)".into() } else { plain(&this.name) };
        let share = units::percent(thread.total, costs.base);
        writeln!(out, "          {share:>7}  {process}{name}{ids}")?;
    }
    writeln!(out, "functions {}", RecordedFunctions::new(snapshot).costs().functions().count())?;
    let on_lines: f64 = costs.lines().iter().map(|line| line.cost.self_.abs()).sum();
    writeln!(
        out,
        "lines     {} with cost; {} of self cost lies on a line",
        costs.lines().len(),
        units::percent(on_lines, on_lines + costs.no_line.abs())
    )?;
    libraries(snapshot, out)?;
    files(snapshot, out)?;
    for warning in &snapshot.warnings {
        writeln!(out, "warning   {}{}", one_line(&warning.message), times(warning.count))?;
    }
    if !index.is_complete() {
        writeln!(
            out,
            "warning   the source folders hold more files than are looked at; name a smaller --root"
        )?;
    }
    for advice in advice::advice(snapshot) {
        writeln!(out, "advice    {advice}")?;
    }
    Ok(())
}

/// What became of the addresses of each library, the hottest first.
fn libraries(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    const MOST: usize = 12;
    let (all, recording) = (snapshot.symbolicated.libraries.all(), &snapshot.loaded.recording);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "libraries {} with addresses in place of names", all.len())?;
    for library in all.iter().take(MOST) {
        let n = library.unresolved.addresses.len();
        let samples = units::counted(library.unresolved.n_samples as f64, "samples");
        let Some(known) = &library.symbols else {
            let name = plain(library.name(recording));
            writeln!(
                out,
                "          {samples}, 0 of {n} addresses resolved: {name}: no file that could be looked into"
            )?;
            continue;
        };
        let resolved = library
            .unresolved
            .addresses
            .iter()
            .filter(|&&address| known.levels(address, symbols::Generics::Keep).next().is_some())
            .count();
        let sentence = known.status().message(library.name(recording));
        writeln!(
            out,
            "          {samples}, {resolved} of {n} addresses resolved: {}",
            one_line(&sentence)
        )?;
    }
    if let Some(more @ 1..) = all.len().checked_sub(MOST) {
        writeln!(out, "          … and {more} more")?;
    }
    Ok(())
}

/// Which files were found and which were not, the hottest of each.
fn files(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    let mut hot: BTreeMap<FileId, f64> = BTreeMap::new();
    for line in snapshot.costs.lines() {
        let total = if let Total::Exact(total) = line.cost.total {
            total.abs()
        } else {
            line.cost.self_.abs()
        };
        let slot = hot.entry(line.file).or_default();
        *slot = slot.max(total);
    }
    let mut files: BTreeMap<FileId, (&str, &Mapping)> = BTreeMap::new();
    for (name, file, mapping) in snapshot.mappings() {
        files.entry(file).or_insert((name, mapping));
    }
    if files.is_empty() {
        return writeln!(out, "files     the profile names none");
    }
    let found =
        files.values().filter(|(_, mapping)| matches!(mapping, Mapping::Mapped { .. })).count();
    writeln!(out, "files     {found} of {} found in the sources", files.len())?;
    let mut rows: Vec<_> =
        files.iter().map(|(file, row)| (hot.get(file).copied().unwrap_or(0.0), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.0.cmp(b.1.0)));
    // A library is often hotter than all of the user's files: what was found comes first.
    let (found, missing): (Vec<_>, Vec<_>) =
        rows.iter().partition(|(_, (_, mapping))| matches!(mapping, Mapping::Mapped { .. }));
    for (rows, most) in [(found, 10), (missing, 5)] {
        for (_, (name, mapping)) in rows.iter().take(most) {
            let what = match mapping {
                Mapping::Mapped { path, .. } => {
                    format!("→ {}", one_line(&path.display().to_string()))
                }
                Mapping::Ambiguous { candidates } => {
                    format!("could be {} files: --map can decide", candidates.len())
                }
                Mapping::Unmapped(reason) => plain(&reason.to_string()).into_owned(),
            };
            writeln!(out, "          {} {what}", plain(name))?;
        }
        if let Some(more @ 1..) = rows.len().checked_sub(most) {
            writeln!(out, "          … and {more} more")?;
        }
    }
    Ok(())
}
