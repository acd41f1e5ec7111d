//! `costline check` as text: one topic per row.

use super::facts::{Check, File, LabelKey, Library};
use crate::cli::heading::headline;
use crate::cli::output::Output;
use answers::text::{one_line, plain, times};
use answers::{HealthCode, Snapshot, units};
use std::io::{self, Write};

/// With more libraries than this, the others are counted.
const MAX_LIBRARIES: usize = 12;
/// With more files than this that were found, or were not found, the others are counted.
const MAX_FOUND: usize = 10;
const MAX_MISSING: usize = 5;

/// Writes what is known about a profile.
pub fn text(snapshot: &Snapshot, check: &Check, out: &mut Output) -> io::Result<()> {
    writeln!(out, "{}", headline(snapshot))?;
    let details = check.details.iter().map(|detail| format!(", {}", plain(detail)));
    writeln!(out, "format    {}{}", check.format, details.collect::<String>())?;
    if let Some(fleet) = &check.fleet {
        writeln!(out, "fetched   {}", fleet.text)?;
        if let Some(weight) = fleet.cut.as_ref().and_then(|cut| cut.weight) {
            let share = units::percent(weight.0, check.total.0);
            writeln!(out, "cut       {share} of the cost was moved to other functions")?;
        }
    }
    if let Some(seconds) = check.duration_seconds {
        writeln!(out, "recorded  {}", units::duration(seconds))?;
    }
    let complete = match check.truncated {
        Some(false) => "yes",
        Some(true) => "no",
        None => "unknown: nothing in the file marks its end",
    };
    writeln!(out, "complete  {complete}")?;
    metrics(check, out)?;
    threads(snapshot, check, out)?;
    labels(check, out)?;
    writeln!(out, "functions {}", check.functions)?;
    if let Some(contexts) = &check.contexts {
        writeln!(
            out,
            "contexts  {} in {} cliques, {} calls between them",
            contexts.all, contexts.cliques, contexts.calls
        )?;
    }
    let covered = match check.all_self.0 {
        0.0 => String::new(),
        all => format!(", covering {} of the self cost", units::percent(check.on_lines.0, all)),
    };
    writeln!(out, "lines     {} with costs{covered}", check.lines)?;
    libraries(check, out)?;
    files(check, out)?;
    for warning in &check.warnings {
        writeln!(out, "warning   {}{}", one_line(&warning.message), times(warning.count))?;
    }
    // The other entries are written above and below.
    let few_samples = HealthCode::FewSamples.as_str();
    for entry in check.health.iter().filter(|entry| entry.code == few_samples) {
        writeln!(out, "samples   {}", one_line(&entry.message))?;
    }
    if let Some(advice) = &check.advice {
        writeln!(out, "advice    {advice}")?;
    }
    Ok(())
}

fn metrics(check: &Check, out: &mut Output) -> io::Result<()> {
    let names: Vec<_> = check
        .metrics
        .iter()
        .map(|metric| {
            if metric.name == metric.unit {
                plain(&metric.name).into_owned()
            } else {
                format!("{} ({})", plain(&metric.name), plain(&metric.unit))
            }
        })
        .collect();
    let shown =
        if names.len() > 1 { format!("; shown: {}", plain(&check.metric)) } else { String::new() };
    writeln!(out, "metrics   {}{shown}", names.join(", "))
}

/// Writes the number of threads, and the share, name and process of each one in the view.
fn threads(snapshot: &Snapshot, check: &Check, out: &mut Output) -> io::Result<()> {
    // Tables and most call graphs have none.
    if check.all_threads > 0 {
        writeln!(out, "threads   {}", check.all_threads)?;
    }
    let threads = snapshot.grouped.recording.threads();
    for cost in &snapshot.costs.threads {
        let label = answers::thread_and_process(&threads[cost.thread.index()]);
        let share = units::percent(cost.total, snapshot.costs.base);
        writeln!(out, "          {share:>7}  {}", plain(&label))?;
    }
    Ok(())
}

/// Writes the keys of labels with the number of their values.
fn labels(check: &Check, out: &mut Output) -> io::Result<()> {
    if check.labels.is_empty() {
        return Ok(());
    }
    let key = |LabelKey { key, values }: &LabelKey| {
        format!("{} ({})", plain(key), units::counted(*values as f64, "values"))
    };
    let keys: Vec<String> = check.labels.iter().map(key).collect();
    writeln!(out, "labels    {}", keys.join(", "))
}

fn libraries(check: &Check, out: &mut Output) -> io::Result<()> {
    if check.libraries.is_empty() {
        return Ok(());
    }
    let sum = |n: fn(&Library) -> usize| check.libraries.iter().map(n).sum::<usize>();
    let (n, resolved, all) = (check.libraries.len(), sum(|it| it.resolved), sum(|it| it.addresses));
    writeln!(out, "libraries {n}, with {resolved} of {all} addresses resolved")?;
    for library in check.libraries.iter().take(MAX_LIBRARIES) {
        let samples = match library.samples {
            // Of tables and call graphs.
            0 => String::new(),
            n => format!("{}, ", units::counted(n as f64, "samples")),
        };
        let status = one_line(&library.status);
        let (resolved, all) = (library.resolved, library.addresses);
        writeln!(out, "          {samples}{resolved} of {all} addresses resolved: {status}")?;
    }
    more(check.libraries.len(), MAX_LIBRARIES, out)
}

/// Writes which files were found and which were not, the hottest of each.
fn files(check: &Check, out: &mut Output) -> io::Result<()> {
    if check.files.is_empty() {
        return writeln!(out, "files     none in the profile");
    }
    let n_found = check.files.iter().filter(|file| file.path.is_some()).count();
    writeln!(out, "files     {n_found} of {} found in the workspace", check.files.len())?;
    let (found, missing) = check.files.split_at(n_found);
    for (rows, most) in [(found, MAX_FOUND), (missing, MAX_MISSING)] {
        for File { name, status, .. } in rows.iter().take(most) {
            writeln!(out, "          {} {status}", plain(name))?;
        }
        more(rows.len(), most, out)?;
    }
    Ok(())
}

/// Writes how many of `all` rows are not shown.
fn more(all: usize, shown: usize, out: &mut Output) -> io::Result<()> {
    match all.checked_sub(shown) {
        Some(more @ 1..) => writeln!(out, "          … and {more} more"),
        _ => Ok(()),
    }
}
