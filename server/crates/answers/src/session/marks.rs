//! What is not default about the view, as short labels: `focus: work`, `2 of 7 threads`.
//! Every surface shows them, so that the costs of a part are not mistaken for the costs of the
//! whole profile.

use crate::world::World;
use analysis::{
    Implementation, Name, Operand, ThreadChoice, TimeRange, Transform, TransformKind, WarningCode,
};
use loading::text::plain;
use loading::{FunctionName, Inlines, Snapshot};
use std::borrow::Cow;

/// The maximum length of a mark in characters. Paths may have any number of functions.
const MAX_CHARS: usize = 60;
/// The maximum length of a transform in characters. There may be several beside each other.
const MAX_TRANSFORM_CHARS: usize = 24;

/// What is not default about a view. The texts are sanitized.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The metric: `metric cpu`.
    pub metric: Option<String>,
    /// The threads: `2 of 7 threads`.
    pub threads: Option<String>,
    /// What else decides which costs are shown, and where: transforms, filters, inlined code.
    pub parts: Vec<String>,
    /// That the file is cut, or may be incomplete because it is still being written: `cut`.
    pub cut: Option<String>,
    /// The baseline: `vs. old.folded`.
    pub baseline: Option<String>,
    /// The overlay: `beside alloc_space`.
    pub overlay: Option<String>,
}

impl Marks {
    /// Those of the view of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (view, recording) = (&snapshot.grouped.view, &snapshot.grouped.recording);
        let name = &snapshot.costs.metric.name;
        let is_default = view.metric == recording.default_metric();
        let threads = match &view.threads {
            ThreadChoice::Only(chosen) if chosen.len() < recording.threads().len() => {
                Some(format!("{} of {} threads", chosen.len(), recording.threads().len()))
            }
            ThreadChoice::All | ThreadChoice::Only(_) => None,
        };
        let effect = |has_effect: bool| if has_effect { "" } else { " (no effect)" };
        let ignored = &snapshot.grouped.problems.ignored_transforms;
        let transforms = view.transforms.iter().enumerate();
        let transforms =
            transforms.map(|(at, transform)| in_words(transform) + effect(!ignored.contains(&at)));
        let range = view.range.map(|range| {
            let mut unmatched = snapshot.grouped.problems.unmatched.iter().map(|name| name.code);
            let is_known = recording.sampled().is_some()
                && !unmatched.any(|code| code == WarningCode::NoTimes);
            range_in_words(range) + effect(is_known)
        });
        let runs = snapshot.grouped.runs;
        let mean = (runs > 1).then(|| format!("mean of {runs} runs"));
        let ignored = &snapshot.grouped.problems.ignored_labels;
        let labels = view.labels.iter();
        let labels = labels.map(|filter| short(&plain(filter)) + effect(!ignored.contains(filter)));
        let parts = mean.into_iter().chain(labels).chain(range).chain(transforms);
        let mut parts: Vec<String> = parts.collect();
        match view.implementation {
            Implementation::Js if recording.knows_code() => parts.push("js only".to_owned()),
            Implementation::Native if recording.knows_code() => {
                parts.push("native only".to_owned());
            }
            Implementation::All | Implementation::Js | Implementation::Native => {}
        }
        if !view.search.is_empty() {
            let text = short(&format!("search {}", plain(&view.search)));
            parts.push(text + effect(recording.sampled().is_some()));
        }
        let knows_inlined = snapshot.identified.recording.knows_inlined();
        if snapshot.settings.view.inlines == Inlines::CallSite && knows_inlined {
            parts.push("inlines at call site".to_owned());
        }
        if view.own.is_some() || snapshot.tree.has_contour() {
            parts.push("own code".to_owned());
        }
        let metric = (!is_default).then(|| short(&format!("metric {}", plain(name))));
        Self { metric, threads, parts, cut: None, baseline: None, overlay: None }
    }

    /// Those of what is shown in a workspace folder. None without a profile.
    pub fn of_world(world: &World) -> Self {
        let Some(snapshot) = world.snapshot() else { return Self::default() };
        let baseline = world.baseline_of(snapshot);
        let name = baseline.map(|baseline| baseline.name_beside(snapshot));
        let baseline = name.map(|name| short(&format!("vs. {}", plain(&name))));
        let overlay = world.overlay_of(snapshot);
        let overlay = overlay.map(|overlay| short(&format!("beside {}", plain(&overlay.name()))));
        let cut = match (world.incomplete, snapshot.loaded.truncated) {
            (true, _) => Some("may be incomplete".to_owned()),
            (false, Some(true)) => Some("cut".to_owned()),
            (false, _) => None,
        };
        Self { cut, baseline, overlay, ..Self::of(snapshot) }
    }

    /// The name of the metric, and all of them, as one text.
    pub fn summary(&self, metric: &str) -> String {
        let metric = (self.metric.is_none() && !metric.is_empty()).then(|| plain(metric));
        let texts: Vec<_> = metric.into_iter().map(Cow::into_owned).chain(self.all()).collect();
        texts.join(" · ")
    }

    /// All of them. Empty if the view is the default.
    pub fn all(&self) -> Vec<String> {
        let Self { metric, threads, parts, cut, baseline, overlay } = self;
        let all = metric.iter().chain(threads).chain(parts).chain(cut);
        let all = all.chain(baseline).chain(overlay);
        all.cloned().collect()
    }
}

/// A range in milliseconds: `201–520 ms`, `from 201 ms`.
fn range_in_words(TimeRange { start_ns, end_ns }: TimeRange) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    match end_ns {
        u64::MAX => format!("from {} ms", ms(start_ns)),
        _ => format!("{}–{} ms", ms(start_ns), ms(end_ns)),
    }
}

/// A transform with the name of its function, or of the last function of its path: `focus: work`.
fn in_words(transform: &Transform) -> String {
    let what = match transform.kind {
        TransformKind::MergeFunction => "merge",
        TransformKind::MergeNode => "merge node",
        TransformKind::MergeSubtree => "merge calls",
        TransformKind::DropFunction => "hide",
        TransformKind::DropNode => "hide node",
        TransformKind::FocusFunction => "focus",
        TransformKind::FocusSubtree => "node",
        TransformKind::FocusSubtreeInverted => "callers",
        TransformKind::FocusSelf => "self",
        TransformKind::FocusCategory => "category",
        TransformKind::CollapseRecursion => "recursion",
        TransformKind::CollapseDirectRecursion => "direct recursion",
        TransformKind::CollapseResource | TransformKind::CollapseFunctionSubtree => "collapse",
        TransformKind::SplitByLabel => "by label",
    };
    let name = transform.names.last().map(Name::text).unwrap_or_default();
    let name = match transform.kind.operand() {
        Operand::Function | Operand::Path => FunctionName::of(name).name,
        Operand::Category | Operand::Resource | Operand::Label => None,
    }
    .unwrap_or_else(|| name.to_owned());
    cut(&format!("{what}: {}", plain(&name)), MAX_TRANSFORM_CHARS)
}

/// A text without its end if it is too long.
fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max_chars - 1).chain(['…']).collect(),
    }
}

/// A text without its middle if it is too long.
fn short(text: &str) -> String {
    let n = text.chars().count();
    if n <= MAX_CHARS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_CHARS / 2 - 1).collect();
    let end: String = text.chars().skip(n - MAX_CHARS / 2).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_milliseconds() {
        let words = |text: &str| range_in_words(text.parse().unwrap());
        assert_eq!(words("201..520"), "201–520 ms");
        assert_eq!(words("1.5s..2s"), "1500–2000 ms");
        assert_eq!(words("0.5.."), "from 0.5 ms");
    }

    #[test]
    fn transforms_are_words_and_a_short_name() {
        let words = |text: &str| in_words(&text.parse().unwrap());
        assert_eq!(words("focus-function:crate_a::simplify::flatten"), "focus: flatten");
        assert_eq!(words("merge-node:main>run>parse"), "merge node: parse");
        assert_eq!(words("focus-subtree:A>B"), "node: B");
        assert_eq!(words("collapse-resource:libc.so.6"), "collapse: libc.so.6");
        let long = words("drop-function:a_function_with_a_very_long_name");
        assert_eq!((long.as_str(), long.chars().count()), ("hide: a_function_with_a…", 24));
    }

    #[test]
    fn a_long_text_keeps_its_start_and_end() {
        assert_eq!(short("vs. old.folded"), "vs. old.folded");
        let marked = short(&format!("vs. {}parse", "main ".repeat(20)));
        assert_eq!(marked.chars().count(), MAX_CHARS);
        assert!(marked.starts_with("vs. main "), "{marked}");
        assert!(marked.ends_with("…main main main main main parse"), "{marked}");
    }
}
