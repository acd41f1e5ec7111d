//! Folded stacks: `main;parse;hash 42`, for FlameGraph, inferno, speedscope and Costline itself.
//!
//! A frame with a file is written as by py-spy, `name (file:line)`, so that lines are kept; a
//! following `_[i]` marks it as inlined. The file is the file of the line. A flame chart is not
//! summed: it has one line per sample, in order, with names only. A differential file has two
//! weights per line. Lines that would be read as comments begin with a backslash.

use super::{PARTS, UNKNOWN_LINE_TOTALS, Written, has_parts};
use crate::read::folded::{names_a_file, names_a_place, thread_name};
use profile::{Frame, FrameId, FuncId, Profile, StackAccess, StackId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The contents of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    /// Name, file and line.
    WithLines,
    /// Only the name.
    Names,
}

/// Writes one line per distinct stack, sorted.
pub fn write(profile: &Profile, frames: Frames) -> Written {
    let lines = collapsed(profile, frames).into_iter().filter(|(_, weight)| *weight != 0.0);
    written(profile, frames, lines)
}

/// Writes one line per distinct stack of either profile, sorted, with its weight in `base` multiplied
/// by `scale`, and its weight: the format of `difffolded.pl`. Only names are written, because lines
/// move between two versions of a program.
pub fn differential(base: &Profile, scale: f64, profile: &Profile) -> Written {
    let mut weights: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for (column, of) in [base, profile].into_iter().enumerate() {
        for (path, weight) in collapsed(of, Frames::Names) {
            weights.entry(path).or_default()[column] += weight;
        }
    }
    let mut text = String::new();
    for (path, [before, now]) in weights {
        let before = if scale == 1.0 { before } else { (before * scale).round() };
        if before != 0.0 || now != 0.0 {
            let _ = writeln!(text, "{}{path} {before} {now}", escape(&path));
        }
    }
    Written { bytes: text.into_bytes(), lost: lost(profile, Frames::Names) }
}

/// Writes one line per sample, in order, including those without cost. Merge the samples of each
/// call first: `analysis::one_sample_per_call`.
pub fn flamechart(profile: &Profile) -> Written {
    let mut texts = Texts::new(profile, Frames::Names);
    let samples: Vec<_> =
        in_order(profile).map(|(stack, weight)| (texts.path(stack), weight)).collect();
    written(profile, Frames::Names, samples.into_iter())
}

/// All distinct stacks as text with their weights in the default metric, sorted.
pub fn collapsed(profile: &Profile, frames: Frames) -> Vec<(String, f64)> {
    let mut weights: FxHashMap<StackId, f64> = FxHashMap::default();
    for (stack, weight) in in_order(profile) {
        *weights.entry(stack).or_default() += weight;
    }
    let mut texts = Texts::new(profile, frames);
    let mut lines: Vec<(String, f64)> =
        weights.into_iter().map(|(stack, weight)| (texts.path(stack), weight)).collect();
    // Equal texts are added up in a fixed order, so that sums of fractions are always the same.
    lines.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    lines.dedup_by(|next, sum| {
        next.0 == sum.0 && {
            sum.1 += next.1;
            true
        }
    });
    lines
}

/// All samples that have a stack, with their weights in the default metric.
fn in_order(profile: &Profile) -> impl Iterator<Item = (StackId, f64)> {
    let metric = profile.default_metric().index();
    profile.samples().iter().flat_map(move |samples| {
        let weights = samples.weights().get(metric);
        let weight = move |i| weights.map_or(0.0, |weights| weights.get(i));
        (0..samples.len()).filter_map(move |i| Some((samples.stack(i)?, weight(i))))
    })
}

fn written(
    profile: &Profile,
    frames: Frames,
    lines: impl Iterator<Item = (String, f64)>,
) -> Written {
    let mut text = String::new();
    for (path, weight) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{path} {weight}", escape(&path));
    }
    Written { bytes: text.into_bytes(), lost: lost(profile, frames) }
}

/// The prefix of a line that readers would take for a comment.
fn escape(path: &str) -> &'static str {
    let name = path.trim_start_matches('\\');
    let is_comment =
        path.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '#']));
    if is_comment || (name.len() < path.len() && name.starts_with('#')) { "\\" } else { "" }
}

fn lost(profile: &Profile, frames: Frames) -> Vec<&'static str> {
    let symbols = profile.symbols();
    let func =
        |test: fn(profile::Func) -> bool| symbols.funcs.ids().any(|id| test(symbols.funcs.get(id)));
    let metric = profile.metrics().get(profile.default_metric().index());
    let unit = metric.is_some_and(|metric| metric.unit != "samples");
    let self_alone = metric.is_some_and(|metric| metric.lines.is_self_alone());
    let stackless =
        profile.samples().iter().any(|samples| samples.stacks().any(|stack| stack.is_none()));
    let lines = frames == Frames::Names && profile.frames().iter().any(|frame| frame.line != 0);
    let has_name =
        |test: fn(&str) -> bool| symbols.funcs.ids().any(|id| test(symbols.func_name(id)));
    let separators = has_name(|name| name.contains(';'));
    let places = symbols
        .funcs
        .ids()
        .any(|id| symbols.funcs.get(id).source.is_none() && names_a_place(symbols.func_name(id)));
    let ambiguous = |frame| {
        let func = profile.frames().get(frame).func;
        profile.place(frame).is_none()
            && with_file_alone(profile, func).is_some_and(|text| !names_a_file(&text))
    };
    let files = frames == Frames::WithLines
        && (0..profile.frames().len() as u32).map(FrameId::new).any(ambiguous);
    let facts = [
        (separators, "semicolons in names"),
        (files, "files of frames without a line"),
        (places, "names that read like places"),
        (has_name(|name| thread_name(name).is_some()), "names that read like threads"),
        (profile.threads().len() > 1, "threads"),
        (profile.metrics().len() > 1, "the other metrics"),
        (unit, "the unit"),
        (lines, "lines"),
        (frames == Frames::WithLines && self_alone, UNKNOWN_LINE_TOTALS),
        (frames == Frames::WithLines && has_parts(profile), PARTS),
        (func(|func| func.line != 0), "where functions start"),
        (func(|func| func.lib.is_some()), "libraries"),
        (stackless, "samples without a stack"),
    ];
    facts.into_iter().filter_map(|(is_lost, what)| is_lost.then_some(what)).collect()
}

/// The texts of frames, each made once.
struct Texts<'p> {
    profile: &'p Profile,
    frames: Frames,
    by_frame: FxHashMap<FrameId, String>,
}

impl<'p> Texts<'p> {
    fn new(profile: &'p Profile, frames: Frames) -> Self {
        Self { profile, frames, by_frame: FxHashMap::default() }
    }

    /// The path of a stack, root first.
    fn path(&mut self, stack: StackId) -> String {
        let stacks = self.profile.stacks();
        let up = std::iter::successors(Some(stack), |&stack| stacks.prefix(stack));
        let mut frames: Vec<FrameId> = up.map(|stack| stacks.frame(stack)).collect();
        frames.reverse();
        let mut path = String::new();
        for (i, frame) in frames.into_iter().enumerate() {
            if i > 0 {
                path.push(';');
            }
            let (profile, style) = (self.profile, self.frames);
            path.push_str(
                self.by_frame.entry(frame).or_insert_with(|| text(profile, style, frame)),
            );
        }
        path
    }
}

fn text(profile: &Profile, frames: Frames, frame: FrameId) -> String {
    let symbols = profile.symbols();
    let Frame { func, inlined, .. } = profile.frames().get(frame);
    let mut text = plain(symbols.func_name(func));
    if frames == Frames::WithLines {
        if let Some((source, line)) = profile.place(frame) {
            let _ = write!(text, " ({}:{line})", plain(symbols.source_name(source)));
        } else if let Some(with_file) =
            with_file_alone(profile, func).filter(|text| names_a_file(text))
        {
            text = with_file;
        }
        if inlined {
            text.push_str("_[i]");
        }
    }
    text
}

/// The text of a frame without a line, if its function has a file.
fn with_file_alone(profile: &Profile, func: FuncId) -> Option<String> {
    let symbols = profile.symbols();
    let source = symbols.funcs.get(func).source?;
    Some(format!("{} ({})", plain(symbols.func_name(func)), plain(symbols.source_name(source))))
}

/// The text without characters that separate frames and lines, or that would join a frame to the
/// previous one.
fn plain(text: &str) -> String {
    let replace = |c: char| match c {
        ';' => ',',
        c if c.is_control() => ' ',
        c => c,
    };
    let text: String = text.chars().map(replace).collect();
    match text.trim() {
        "" => "(anonymous)".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_read_as_parts_of_others() {
        let names = ["a;b\n", "  lead", "", "# c", "f 12"].map(plain);
        assert_eq!(names, ["a,b", "lead", "(anonymous)", "# c", "f 12"]);
    }

    #[test]
    fn lines_that_would_be_comments_are_escaped_and_others_are_not() {
        let paths = ["#get;f", "# c;f", "#", "##", "#;f", "a;# b", r"\#get", r"\\# c", r"\f"];
        assert_eq!(paths.map(escape), ["", r"\", r"\", r"\", "", "", r"\", r"\", ""]);
    }
}
