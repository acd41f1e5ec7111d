//! The choice of labels.

use crate::query::choices::{Choice, ChoiceKey, ChoiceOption, Chosen};
use analysis::{LabelCost, PartWithLabels, label_costs};
use loading::text::plain;
use loading::{Snapshot, units};

/// The maximum number of values of a key in the menu: some keys have one per sample.
const MAX_VALUES: usize = 20;

/// One option per label, by key, the costliest first, with its share of the threads that are shown,
/// whatever else of them is. Filters in another form are options, too, once they are chosen.
pub(super) fn labels(shown: &Snapshot) -> Choice {
    let (recording, view) = (&shown.identified.recording, &shown.grouped.view);
    let groups = &shown.grouped.groups;
    let threads = analysis::thread_totals(recording, view).into_iter();
    let threads = threads.filter(|thread| view.threads.includes(thread.thread.index()));
    let all: f64 = threads.map(|thread| thread.total).sum();
    let costs = label_costs(recording, view, groups, PartWithLabels::Whole, None);
    let costs = costs.unwrap_or_default();
    let mut options: Vec<ChoiceOption> = Vec::new();
    for of_key in costs.chunk_by(|a, b| a.key == b.key) {
        let mut labels: Vec<&LabelCost> = of_key.iter().filter(|it| it.label.is_some()).collect();
        labels.sort_by(|a, b| b.total.abs().total_cmp(&a.total.abs()));
        let n_more = labels.len().saturating_sub(MAX_VALUES);
        let listed = labels.into_iter().take(MAX_VALUES).filter_map(|cost| {
            let label = cost.label.as_ref()?.to_string();
            let share = units::percent(cost.total, all);
            Some(option(&label, Some(share), view.labels.contains(&label)))
        });
        options.extend(listed);
        if let Some(last) = options.last_mut().filter(|_| n_more > 0) {
            last.detail = Some(units::counted(n_more as f64, "more values"));
        }
    }
    let is_other =
        |filter: &&String| !options.iter().any(|option| option.value == filter.as_str().into());
    let others: Vec<_> = view.labels.iter().filter(is_other).collect();
    options.splice(0..0, others.into_iter().map(|filter| option(filter, None, true)));
    Choice {
        key: ChoiceKey::Labels,
        title: "Labels".to_owned(),
        multiple: true,
        value: Chosen::Several(view.labels.iter().map(|filter| filter.as_str().into()).collect()),
        options,
    }
}

fn option(filter: &str, description: Option<String>, active: bool) -> ChoiceOption {
    let label = plain(filter).into_owned();
    ChoiceOption { value: filter.into(), label, description, detail: None, active }
}
