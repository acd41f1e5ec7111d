//! `costline.explain`: why a line shows what it shows, above all when that is nothing.

use super::context::Context;
use super::to_proto;
use crate::present::{text::one_line, units};
use crate::session::debug_info::no_debug_info;
use crate::session::lines::FileLines;
use lsp_types::Url;
use serde_json::{Value, json};
use sources::Mapping;
use std::path::Path;

/// The reason as a code for programs and a sentence for people. `line0` is 0-based.
pub fn explain(context: &Context, uri: &Url, line0: u32) -> Value {
    let Some(snapshot) = context.world.snapshot() else {
        let message = match context.world.problems.first() {
            Some((_, problem)) => format!("no profile is shown: {problem}"),
            None => {
                "no profile is shown: none was found in the workspace folders (setting `profiles` says where to look)".to_owned()
            }
        };
        return reason("no-profile", &message);
    };
    let Ok(path) = uri.to_file_path() else {
        return reason("not-a-file", "only files on disk have costs");
    };
    if context.documents.get(uri).is_none() {
        return reason("not-open", "the editor has not opened this document here");
    }
    // The file may be one whose functions nobody could name.
    let unresolved = || {
        let message = if snapshot.libraries.is_complete() {
            snapshot.libraries.warning(&snapshot.loaded.recording)?.message
        } else {
            "the profile holds addresses; not all of their names and lines have been looked up yet".to_owned()
        };
        Some(reason("unsymbolicated", &message))
    };
    if snapshot.is_unsymbolicated() {
        let message = "the profile holds addresses instead of names and lines: `costline check` says how to record them";
        return unresolved().unwrap_or_else(|| reason("unsymbolicated", message));
    }
    let Some(open) = context.open_file(uri) else {
        let without_lines = || Some(reason("no-debug-info", &no_debug_info(snapshot)?));
        return unmapped(context, &path).or_else(unresolved).or_else(without_lines).unwrap_or_else(|| not_named(&path));
    };
    let has_lines = !snapshot.costs.lines_of(open.file, 1..u32::MAX).is_empty();
    if let Some(written) = snapshot.written(open.file) {
        if let Some((file, line)) = open.lines().recorded(line0).and_then(|line| written.get(&line)) {
            let message = format!("its source map says that this line was written as {file}:{line}; its costs are shown there");
            return reason("source-mapped", &message);
        }
        if !has_lines {
            return reason("source-mapped", "its source map leads costs to the files that were written; they are shown there");
        }
    }
    if !has_lines {
        let message = if snapshot.costs.lines().is_empty() {
            "the profile has no lines at all, only functions: `costline check` says how to record them"
        } else {
            "the profile has functions of this file, but no lines of it"
        };
        return reason("no-lines", message);
    }
    let lines = open.lines();
    let Some(line) = lines.recorded(line0) else {
        return reason("stale-line", "this line was changed or added after the profile was recorded");
    };
    line_reason(context, &lines, line0, line)
}

fn line_reason(context: &Context, lines: &FileLines<'_>, line0: u32, line: u32) -> Value {
    let snapshot = lines.snapshot;
    let scale = context.scale(snapshot);
    let [(_, line_cost)] = *lines.costs(line0..line0 + 1) else {
        let name = snapshot.file_name(lines.file);
        return reason("no-cost", &format!("no sample of the profile is on {name}:{line}"));
    };
    let cost = line_cost.cost;
    let hints = &context.world.config.hints;
    let own = scale.own(cost, |weight| scale.both(weight));
    let amount = units::total(cost.total, |weight| scale.both(weight));
    let (code, message) = if !hints.enable {
        ("hints-off", format!("hints are switched off (setting `hints.enable`); this line has self {own}, total {amount}"))
    } else if !scale.reaches(cost, hints.min_percent) {
        let message =
            format!("self {own}, total {amount}: below the threshold of {}% (setting `hints.minPercent`)", hints.min_percent);
        ("below-threshold", message)
    } else {
        let message =
            format!("this line has a hint (self {own}, total {amount}); if it does not show, hints are off in the editor");
        ("shown", message)
    };
    let mut answer = to_proto::cost_data(snapshot, cost);
    answer.insert("code".to_owned(), json!(code));
    answer.insert("message".to_owned(), json!(message));
    answer.insert("stale".to_owned(), json!(lines.stale));
    Value::Object(answer)
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or("")
}

fn not_named(path: &Path) -> Value {
    reason("file-not-in-profile", &format!("the profile names no file called {}", file_name(path)))
}

/// Why a file that is open is none of the profile's, though it names one like it.
fn unmapped(context: &Context, path: &Path) -> Option<Value> {
    let snapshot = context.world.snapshot()?;
    let name = file_name(path);
    let alike = snapshot.mappings().find(|(other, ..)| !name.is_empty() && other.rsplit(['/', '\\']).next() == Some(name));
    let (other, _, mapping) = alike?;
    Some(match mapping {
        Mapping::Unmapped(why) => reason(
            "file-not-matched",
            &format!("the profile's {other} {why}; a rule in `pathMappings` can say that it is this file"),
        ),
        Mapping::Ambiguous { candidates } => {
            let candidates: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
            let message =
                format!("the profile's {other} could be any of {}; a rule in `pathMappings` can decide", candidates.join(", "));
            reason("file-ambiguous", &message)
        }
        Mapping::Mapped { path, .. } => {
            reason("file-not-matched", &format!("the profile's {other} is {}, not this file", path.display()))
        }
    })
}

fn reason(code: &str, message: &str) -> Value {
    json!({"code": code, "message": one_line(message)})
}
