//! Exports profiles to other formats: applies the view, limits the depth of stacks and calls a
//! writer of `formats`.

pub(crate) mod options;
pub(crate) mod store;

use crate::compare::baseline::different_metrics;
use crate::compare::comparison::{By, Comparison};
use crate::present::labels::totals;
use crate::session::marks::Marks;
use analysis::{IdleSamples, Profile};
use formats::Format;
use formats::write::{
    self, MAX_STACK_BYTES, Spelling, Written, callgrind, firefox, flamegraph, folded, pprof,
    speedscope,
};
use loading::{Compare, Snapshot};
pub use options::{Compat, Cut, Options, Target};
pub use store::{refusal, store};

/// Exports a snapshot. `baseline` is only possible for flame graphs and folded stacks. The error is a
/// message for users.
pub fn export(
    snapshot: &Snapshot,
    baseline: Option<(&Snapshot, Compare)>,
    options: Options,
) -> Result<Written, String> {
    options.check(baseline.is_some())?;
    snapshot.check_calls()?;
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
    check_size(&profile, options.target)?;
    let by = baseline.map(|(before, how)| Comparison::new(&[before], snapshot, how));
    let base = baseline.map(|(before, _)| reshaped(before, options)).transpose()?;
    let base = base.as_ref().zip(by);
    let mut written = match options.target {
        Target::Callgrind => write_callgrind(&profile, options.compat)?,
        Target::Folded => match base {
            Some((base, by)) => folded::differential(base, by.scale(), &profile),
            None => folded::write(&profile, folded::Frames::WithLines),
        },
        Target::Flamechart => folded::flamechart(&analysis::one_sample_per_call(&profile)),
        Target::Flamegraph => write_flame_graph(snapshot, &profile, base)?,
        Target::Speedscope => speedscope::write(&profile),
        Target::Firefox => firefox::write(&profile),
        Target::Pprof => pprof::write(&profile),
    };
    if options.target == Target::Flamechart && !is_chronological(snapshot, &profile) {
        written.lost.push("chronological order, which the profile does not record");
    }
    let counts_calls = snapshot.costs.functions().any(|(_, cost)| cost.calls.is_some());
    if options.target == Target::Callgrind && !counts_calls {
        written.lost.push(
            "call counts (the profile has none; `calls=` counts consecutive samples of a call once)",
        );
    }
    if !options.target.keeps_idle_samples() && snapshot.costs.idle != 0.0 {
        written.lost.push("idle samples");
    }
    // A call graph does not distinguish threads.
    if options.target == Target::Callgrind && profile.threads().len() > 1 {
        written.lost.push("threads");
    }
    Ok(written)
}

/// The samples of a snapshot under its view, with stacks of limited depth. Idle samples are kept if
/// the format says which ones they are.
fn reshaped(snapshot: &Snapshot, options: Options) -> Result<Profile, String> {
    let sampled = snapshot.grouped.recording.sampled().ok_or(
        "this recording is a call graph without stacks; it can only be exported to callgrind (--to callgrind)",
    )?;
    let mut view = snapshot.grouped.view.clone();
    if options.target.keeps_idle_samples() {
        view.idle = IdleSamples::Included;
    }
    let profile = analysis::apply(sampled, &view);
    Ok(match options.max_depth {
        Some(max_depth) => analysis::truncate(&profile, max_depth, options.cut.into()),
        None => profile,
    })
}

/// Fails if a format that writes out each stack would become too large.
fn check_size(profile: &Profile, target: Target) -> Result<(), String> {
    let (spelling, times) = match target {
        Target::Callgrind | Target::Flamegraph | Target::Firefox => return Ok(()),
        Target::Folded => (Spelling::Names, write::threads_by_stack(profile)),
        Target::Flamechart => (Spelling::Names, analysis::calls_by_stack(profile)),
        Target::Speedscope => (Spelling::Numbers, write::samples_by_stack(profile)),
        Target::Pprof => (Spelling::Numbers, write::threads_by_stack(profile)),
    };
    let bytes = write::stack_bytes(profile, spelling, &times);
    if bytes <= MAX_STACK_BYTES {
        return Ok(());
    }
    Err(format!(
        "{} would have more than {} GiB, because stacks are deep and numerous; \
         limit them with --max-depth, select fewer samples with --range, or export to firefox, \
         which stores each stack once",
        target.title(),
        bytes >> 30
    ))
}

fn write_callgrind(profile: &Profile, compat: Option<Compat>) -> Result<Written, String> {
    Ok(match compat {
        None => callgrind::write(&analysis::call_graph(profile)),
        Some(Compat::Rbspy) => {
            let lines = analysis::lines_as_functions(profile).map_err(|error| error.to_string())?;
            callgrind::write_as_rbspy(&analysis::call_graph_without_levels(&lines))
        }
    })
}

/// `base` is the baseline, if there is one, and how it is compared.
fn write_flame_graph(
    snapshot: &Snapshot,
    profile: &Profile,
    base: Option<(&Profile, Comparison)>,
) -> Result<Written, String> {
    let name = snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
    let mut title = vec![name.into_owned()];
    title.extend(Marks::of(snapshot).all());
    title.extend(base.map(|(_, by)| totals(by.total(), &snapshot.costs.metric)));
    let base = base.map(|(profile, by)| flamegraph::Base { profile, share: by.by != By::Weight });
    flamegraph::write(profile, base, &title.join(" · ")).map_err(|error| error.to_string())
}

/// Whether the samples are in chronological order, with or without times.
fn is_chronological(snapshot: &Snapshot, profile: &Profile) -> bool {
    matches!(snapshot.loaded.format, Format::AustinMojo | Format::Rbspy | Format::Stackprof)
        || analysis::has_times(profile)
}
