//! The choice of threads.

use crate::query::choices::{Choice, ChoiceKey, ChoiceOption, Chosen};
use analysis::{Thread, ThreadChoice, ThreadId, ThreadTotal};
use loading::text::plain;
use loading::{Snapshot, units};
use std::borrow::Cow;
use std::collections::HashMap;

/// One option per thread. Threads that have no unique name or id share one.
pub(super) fn threads(shown: &Snapshot) -> Choice {
    let totals = analysis::thread_totals(&shown.grouped.recording, &shown.grouped.view);
    let all: f64 = totals.iter().map(|thread| thread.total).sum();
    let named = by_name(shown.grouped.recording.threads());
    // A name that a thread has literally is not interpreted as a glob or regular expression.
    let threads_named = |value: &str| named.get(value).map_or(&[][..], Vec::as_slice);
    let mut listed: Vec<&[ThreadId]> = Vec::new();
    let mut options = Vec::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(shown.grouped.recording.threads()) {
        let unique = names(thread).into_iter().find(|value| threads_named(value) == [id]);
        let value = unique.as_deref().unwrap_or(&thread.name);
        let group = threads_named(value);
        if listed.contains(&group) {
            continue;
        }
        listed.push(group);
        let total: f64 = totals
            .iter()
            .filter(|total| group.contains(&total.thread))
            .map(|ThreadTotal { total, .. }| total)
            .sum();
        let active = match &shown.grouped.view.threads {
            ThreadChoice::All => true,
            ThreadChoice::Only(chosen) => group.iter().all(|thread| chosen.contains(thread)),
        };
        let share = units::percent(total, all);
        options.push(thread_option(thread, value, group.len(), &share, active));
    }
    let value = match &shown.grouped.view.threads {
        ThreadChoice::All => Vec::new(),
        ThreadChoice::Only(_) => {
            let chosen = options.iter().filter(|option| option.active);
            chosen.map(|option| option.value.clone()).collect()
        }
    };
    Choice {
        key: ChoiceKey::Threads,
        title: "Threads".to_owned(),
        multiple: true,
        value: Chosen::Several(value),
        options,
    }
}

/// The name and ids of a thread. A process may have the same id as one of its threads.
fn names(thread: &Thread) -> Vec<Cow<'_, str>> {
    let tid = thread.tid.as_ref().map(|tid| Cow::Owned(format!("tid:{tid}")));
    let ids = [&thread.tid, &thread.pid].map(|id| id.as_deref().map(Cow::Borrowed));
    let name = Cow::Borrowed(thread.name.as_str());
    [name].into_iter().chain(ids.into_iter().flatten()).chain(tid).collect()
}

/// The threads with each name or id.
fn by_name(threads: &[Thread]) -> HashMap<Cow<'_, str>, Vec<ThreadId>> {
    let mut named: HashMap<Cow<'_, str>, Vec<ThreadId>> = HashMap::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(threads) {
        for name in names(thread) {
            let ids = named.entry(name).or_default();
            ids.extend((ids.last() != Some(&id)).then_some(id));
        }
    }
    named
}

/// The option for the `count` threads with the name or id `value`. `thread` is the first of them.
fn thread_option(
    thread: &Thread,
    value: &str,
    count: usize,
    share: &str,
    active: bool,
) -> ChoiceOption {
    let threads = if count > 1 { format!(" · {count} threads") } else { String::new() };
    let part = |what: &str, name: Option<&String>| {
        name.filter(|name| count == 1 && !name.is_empty())
            .map(|name| format!("{what} {}", plain(name)))
    };
    let process = Some(&thread.process_name).filter(|name| **name != thread.name);
    let parts = [
        part("process", process),
        part("pid", thread.pid.as_ref()),
        part("tid", thread.tid.as_ref()),
    ];
    let detail: Vec<_> = parts.into_iter().flatten().collect();
    let label = if thread.name.is_empty() { value } else { &thread.name };
    ChoiceOption {
        value: value.into(),
        label: plain(label).into_owned(),
        description: Some(format!("{share}{threads}")),
        detail: (!detail.is_empty()).then(|| detail.join(" · ")),
        active,
    }
}
