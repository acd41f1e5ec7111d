//! Labels of samples: which samples a view keeps by them, and what each of them costs.
//!
//! What names the process of a thread is a label of its samples, too, if the profile has several
//! processes: `process` and `pid`.

use crate::View;
use crate::label_filter::LabelFilter;
use crate::names::{Unmatched, nearest};
use crate::weighted::{Grid, is_counted};
use profile::{
    FileId, FunctionId, Groups, Label, LabelSetId, LabelTable, Profile, Recording, Samples,
    StackAccess, StackId, Thread, ThreadId, WarningCode,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The cost of the samples with a label.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelCost {
    /// The key of the label.
    pub key: String,
    /// The label. `None`: the samples without a label of this key.
    pub label: Option<Label>,
    /// The sum of their weights, as far as they are in the total of the view.
    pub total: f64,
}

impl LabelCost {
    /// The label, or what the samples lack: `size=large`, `no size`.
    pub fn title(&self) -> String {
        self.label.as_ref().map_or_else(|| format!("no {}", self.key), ToString::to_string)
    }
}

/// The part of a recording that [`label_costs`] sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartWithLabels {
    /// All of it.
    Whole,
    /// The samples with a line (1-based) on the stack.
    Line(FileId, u32),
    /// The samples with a function on the stack.
    Function(FunctionId),
}

/// The labels of a profile: those of samples and those of threads.
pub(crate) struct Labels<'p> {
    table: &'p LabelTable,
    /// By key of threads, the label of each thread.
    of_threads: Vec<(&'static str, Vec<Option<Label>>)>,
}

/// The keys of what names a process.
const PROCESS_KEYS: [&str; 2] = ["process", "pid"];

/// What a key says about the process of a thread.
fn process_of<'t>(key: &str, thread: &'t Thread) -> Option<&'t str> {
    match key {
        "pid" => thread.pid.as_deref(),
        _ => Some(thread.process_name.as_str()).filter(|name| !name.is_empty()),
    }
}

impl<'p> Labels<'p> {
    pub(crate) fn of(profile: &'p Profile) -> Self {
        let table = profile.labels();
        // pprof names threads and processes by labels.
        let names_processes = |label: &Label| {
            let key = &*label.key;
            key == "pid" || key == "service.name" || key.starts_with("process")
        };
        let keys = PROCESS_KEYS.into_iter().filter(|_| !table.labels().iter().any(names_processes));
        let of_threads = keys.map(|key| {
            let label = |thread| Some(Label::text(key, process_of(key, thread)?));
            (key, profile.threads().iter().map(label).collect())
        });
        let is_several = |(_, labels): &(&str, Vec<Option<Label>>)| {
            labels.iter().flatten().collect::<FxHashSet<_>>().len() > 1
        };
        Self { table, of_threads: of_threads.filter(is_several).collect() }
    }

    /// Each key, in the order of the profile.
    fn keys(&self) -> Vec<&str> {
        let mut known = FxHashSet::default();
        let keys = self.table.labels().iter().map(|label| &*label.key);
        let keys = keys.filter(|&key| known.insert(key));
        keys.chain(self.of_threads.iter().map(|(key, _)| *key)).collect()
    }

    /// The labels of a key that the samples of a thread with a set of labels have.
    pub(crate) fn of_sample<'s>(
        &'s self,
        key: &'s str,
        thread: ThreadId,
        set: LabelSetId,
    ) -> impl Iterator<Item = &'s Label> {
        let own = self.table.of_set(set).filter(move |label| &*label.key == key);
        let of_thread = self.of_threads.iter().filter(move |(known, _)| *known == key);
        own.chain(of_thread.filter_map(move |(_, labels)| labels.get(thread.index())?.as_ref()))
    }

    /// The key with this name. Fails with the nearest ones.
    pub(crate) fn find_key(&self, key: &str) -> Result<&str, Unmatched> {
        let keys = self.keys();
        keys.iter().find(|known| **known == key).copied().ok_or_else(|| {
            Unmatched::new(
                WarningCode::UnknownLabel,
                if keys.is_empty() {
                    "the samples of this profile have no labels".to_owned()
                } else {
                    let near = nearest(key, keys.iter().copied());
                    format!("no sample has a label with the key `{key}`{near}")
                },
            )
        })
    }

    /// All labels of a key, in the order of the profile.
    fn with_key(&self, key: &str) -> impl Iterator<Item = &Label> {
        let of_threads = self.of_threads.iter().flat_map(|(_, labels)| labels.iter().flatten());
        self.table.labels().iter().chain(of_threads).filter(move |label| &*label.key == key)
    }

    /// Fails if no label of the profile is what a filter names.
    fn check(&self, filter: &LabelFilter<'_>) -> Result<(), Unmatched> {
        self.find_key(filter.key)?;
        if filter.is_of_key() || self.with_key(filter.key).any(|label| filter.fits(&label.value)) {
            return Ok(());
        }
        let values: Vec<String> = self.with_key(filter.key).map(value_of).collect();
        let near = match filter.value() {
            Some(value) => nearest(value, values.iter().map(String::as_str)),
            None => String::new(),
        };
        let problem = format!("no sample has a label that fits `{}`{near}", filter.text);
        Err(Unmatched::new(WarningCode::UnknownLabel, problem))
    }
}

/// The value of a label as it can be written in a filter.
fn value_of(label: &Label) -> String {
    let text = label.to_string();
    text.split_once('=').map_or(String::new(), |(_, value)| value.to_owned())
}

/// The samples that have the labels that a filter asks for.
pub(crate) fn labelled(profile: &Profile, filter: &str) -> Result<Profile, Unmatched> {
    let filter = LabelFilter::parse(filter)?;
    let labels = Labels::of(profile);
    labels.check(&filter)?;
    let n_sets = labels.table.sets().len() as u32;
    Ok(profile.with_samples(profile.default_metric(), |thread, samples| {
        let keeps = |set| filter.keeps(labels.of_sample(filter.key, thread, set));
        let kept: Vec<bool> = (0..n_sets).map(LabelSetId::new).map(keeps).collect();
        Some(samples.labelled(|set| kept.get(set.index()) == Some(&true)))
    }))
}

/// Checks that a recording has the labels that a filter names.
pub fn check_label(recording: &Recording, filter: &str) -> Result<(), Unmatched> {
    let filter = LabelFilter::parse(filter)?;
    let profile = recording.sampled().ok_or_else(crate::problems::no_stacks)?;
    Labels::of(profile).check(&filter)
}

/// The keys of the labels of a recording, in its order.
pub fn label_keys(recording: &Recording) -> Vec<String> {
    let keys = recording.sampled().map(|profile| {
        Labels::of(profile).keys().into_iter().map(str::to_owned).collect::<Vec<_>>()
    });
    keys.unwrap_or_default()
}

/// What each label costs in a part of a recording: by key, the labels with a cost in the order of the
/// profile, then the samples without a label of this key, if there are any. A sample counts for each of
/// its labels. Fails if no label has the `key`; without one, those of all keys are returned.
pub fn label_costs(
    recording: &Recording,
    view: &View,
    groups: &Groups,
    part: PartWithLabels,
    key: Option<&str>,
) -> Result<Vec<LabelCost>, Unmatched> {
    let profile = recording.sampled().ok_or_else(crate::problems::no_stacks)?;
    let labels = Labels::of(profile);
    let keys = match key {
        Some(key) => vec![labels.find_key(key)?],
        None => labels.keys(),
    };
    let is_in = in_part(profile, groups, part);
    let grid = Grid::of(profile, view);
    // By thread in the view, the weight of the samples with each set of labels.
    let mut weights: Vec<(ThreadId, Vec<f64>)> = Vec::new();
    for (thread, samples) in profile.samples().iter().enumerate() {
        if !view.includes(thread) {
            continue;
        }
        let mut of_sets = vec![0.0; labels.table.sets().len()];
        each_weight(profile, view, samples, |stack, set, weight| {
            if is_in(stack) {
                of_sets[set.index()] += grid.round(weight);
            }
        });
        weights.push((ThreadId::new(thread as u32), of_sets));
    }
    Ok(keys.into_iter().flat_map(|key| costs_of_key(&labels, key, &weights)).collect())
}

/// The costs of the labels of a key. `weights` are those of each thread and set of labels.
fn costs_of_key(
    labels: &Labels<'_>,
    key: &str,
    weights: &[(ThreadId, Vec<f64>)],
) -> Vec<LabelCost> {
    let mut costs: Vec<LabelCost> = Vec::new();
    let mut rows: FxHashMap<&Label, usize> = FxHashMap::default();
    for label in labels.with_key(key) {
        rows.entry(label).or_insert_with(|| {
            costs.push(LabelCost { key: key.to_owned(), label: Some(label.clone()), total: 0.0 });
            costs.len() - 1
        });
    }
    let mut without = 0.0;
    for (thread, of_sets) in weights {
        let sets = (0..).map(LabelSetId::new).zip(of_sets);
        for (set, weight) in sets.filter(|(_, weight)| **weight != 0.0) {
            let mut has_key = false;
            for label in labels.of_sample(key, *thread, set) {
                has_key = true;
                if let Some(cost) = rows.get(label).and_then(|&row| costs.get_mut(row)) {
                    cost.total += weight;
                }
            }
            if !has_key {
                without += weight;
            }
        }
    }
    costs.push(LabelCost { key: key.to_owned(), label: None, total: without });
    costs.retain(|cost| cost.total != 0.0);
    costs
}

/// Calls `add` with the stack, labels and weight of each sample in the total of the view.
fn each_weight(
    profile: &Profile,
    view: &View,
    samples: &Samples,
    mut add: impl FnMut(StackId, LabelSetId, f64),
) {
    let Some(weights) = samples.weights().get(view.metric.index()) else { return };
    for (i, stack) in samples.stacks().enumerate() {
        if let Some(stack) = stack.filter(|_| is_counted(profile, view, stack)) {
            add(stack, samples.label_set(i), weights.get(i));
        }
    }
}

/// Whether a stack is in a part of the recording.
fn in_part(profile: &Profile, groups: &Groups, part: PartWithLabels) -> impl Fn(StackId) -> bool {
    let stacks = profile.stacks();
    let is_there = |stack: StackId| {
        let frame = stacks.frame(stack);
        match part {
            PartWithLabels::Whole => true,
            PartWithLabels::Line(file, line) => profile
                .place(frame)
                .is_some_and(|(source, at)| at == line && groups.file(source) == file),
            PartWithLabels::Function(function) => {
                groups.function(profile.frames().get(frame).func) == function
            }
        }
    };
    let mut within: Vec<bool> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let of_caller = stacks.prefix(stack).is_some_and(|caller| within[caller.index()]);
        within.push(of_caller || is_there(stack));
    }
    move |stack| within.get(stack.index()) == Some(&true)
}

/// The text of the labels of a key, as the name of a root of split stacks: `size=large`, `no size`.
pub(crate) fn root_name<'l>(key: &str, labels: impl Iterator<Item = &'l Label>) -> String {
    let values: Vec<String> = labels.map(value_of).collect();
    if values.is_empty() { format!("no {key}") } else { format!("{key}={}", values.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::text_samples;

    /// 1 sample that is small, 2 that are large, of which one has two endpoints, 4 without labels.
    fn recording() -> Recording {
        let text = "
            main@1[file:a.c]   main@1             main@2             main@3
            f@9[is:size=small] f@9[is:size=large] g[is:size=large]   idle[idle]
                                                  h[is:url=/a][is:url=/b]
        ";
        Recording::from(text_samples::weighted(text, &[1.0, 2.0, 4.0, 8.0]))
    }

    fn costs(recording: &Recording, part: PartWithLabels, key: Option<&str>) -> Vec<String> {
        let groups = Groups::identity(recording.symbols());
        let costs = label_costs(recording, &View::of(recording), &groups, part, key).unwrap();
        let text = |cost: LabelCost| {
            let label = cost.label.map_or(format!("no {}", cost.key), |label| label.to_string());
            format!("{label} {}", cost.total)
        };
        costs.into_iter().map(text).collect()
    }

    #[test]
    fn a_sample_counts_for_each_of_its_labels() {
        let recording = recording();
        assert_eq!(label_keys(&recording), ["size", "url"]);
        let all = ["size=small 1", "size=large 6", "url=/a 4", "url=/b 4", "no url 3"];
        assert_eq!(costs(&recording, PartWithLabels::Whole, None), all);
        assert_eq!(costs(&recording, PartWithLabels::Whole, Some("url")), all[2..]);
        let groups = Groups::identity(recording.symbols());
        let unknown = label_costs(
            &recording,
            &View::of(&recording),
            &groups,
            PartWithLabels::Whole,
            Some("sise"),
        );
        assert_eq!(
            unknown.unwrap_err().problem,
            "no sample has a label with the key `sise` (did you mean `size`?)"
        );
    }

    #[test]
    fn labels_of_a_line_and_of_a_function_are_those_of_their_samples() {
        let recording = recording();
        let groups = Groups::identity(recording.symbols());
        let main = crate::find_function(recording.symbols(), &groups, "main").unwrap();
        let f = crate::find_function(recording.symbols(), &groups, "f").unwrap();
        let file = groups.file(profile::SourceId::new(0));
        let of = |part| costs(&recording, part, Some("size"));
        assert_eq!(of(PartWithLabels::Function(main)), ["size=small 1", "size=large 6"]);
        assert_eq!(of(PartWithLabels::Function(f)), ["size=small 1", "size=large 2"]);
        assert_eq!(of(PartWithLabels::Line(file, 2)), ["size=large 4"]);
        assert_eq!(of(PartWithLabels::Line(file, 7)), <[&str; 0]>::default());
    }

    #[test]
    fn filters_keep_samples() {
        let total = |filter: &str| -> Result<f64, Unmatched> {
            let recording = recording();
            let kept = labelled(recording.sampled().unwrap(), filter)?;
            let recording = Recording::from(kept);
            let groups = Groups::identity(recording.symbols());
            Ok(crate::costs(&recording, &View::of(&recording), &groups).total)
        };
        for (filter, kept) in [
            ("size=large", 6.0),
            ("size!=large", 1.0),
            ("url", 4.0),
            ("!url", 3.0),
            ("url=~b$", 4.0),
        ] {
            assert_eq!(total(filter), Ok(kept), "{filter}");
        }
        let problem = |filter| total(filter).unwrap_err().problem;
        assert_eq!(
            problem("size=larg"),
            "no sample has a label that fits `size=larg` (did you mean `large`?)"
        );
        assert_eq!(problem("size>3"), "no sample has a label that fits `size>3`");
        assert_eq!(
            problem("bytes>3"),
            "no sample has a label with the key `bytes` (there are `size`, `url`)"
        );
    }

    #[test]
    fn processes_are_labels_if_there_are_several() {
        let mut builder = profile::ProfileBuilder::default();
        for (pid, name) in [("1", "app"), ("2", "app"), ("3", "worker")] {
            let (pid, process_name) = (Some(pid.to_owned()), name.to_owned());
            let thread = Thread { pid, process_name, ..Thread::default() };
            builder.push_thread(thread, Samples::default()).unwrap();
        }
        let profile = builder.build();
        let labels = Labels::of(&profile);
        assert_eq!(labels.keys(), ["process", "pid"]);
        let third: Vec<_> = labels
            .of_sample("process", ThreadId::new(2), LabelSetId::NONE)
            .map(ToString::to_string)
            .collect();
        assert_eq!(third, ["process=worker"]);
    }
}
