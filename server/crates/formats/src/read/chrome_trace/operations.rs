//! Async operations: `b` and `e` events, which nest among events with the same category and id, as
//! `B` and `E` do within a thread. Instants (`n`) have no duration and are skipped.
//!
//! An id belongs to its process, unless the event says that it is global (`id2.global`). All
//! operations of a process and category become one thread of the recording. They run concurrently,
//! with each other and with the calls of threads, so their times are a metric of their own: the sum
//! of it can exceed the time that passed.

use super::event::{Event, Raw};
use super::names::{Id, Names};
use crate::read::shared::calls;
use profile::{BuildError, ProfileBuilder};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// The operations of a process and category.
pub(super) struct Category {
    /// `None` for global ids.
    pub(super) pid: Id,
    pub(super) name: String,
    /// The events of each id.
    pub(super) tracks: Vec<calls::Events>,
}

#[derive(Default)]
pub(super) struct Operations {
    pub(super) categories: Vec<Category>,
    /// By process and category.
    category_ids: FxHashMap<(Id, u32), usize>,
    /// By category, scope and id.
    track_ids: FxHashMap<(usize, Id, Id), usize>,
}

#[derive(Deserialize)]
struct Id2<'a> {
    #[serde(borrow)]
    local: Option<Raw<'a>>,
    #[serde(borrow)]
    global: Option<Raw<'a>>,
}

impl Operations {
    /// Whether an event begins or ends an operation.
    pub(super) fn has(event: &Event<'_>) -> bool {
        matches!(event.phase(), "b" | "e")
    }

    /// The events of the operation that `event` belongs to; `None` if it has no id.
    pub(super) fn track(
        &mut self,
        event: &Event<'_>,
        names: &mut Names,
        builder: &mut ProfileBuilder,
    ) -> Result<Option<&mut calls::Events>, BuildError> {
        let id2 = event.id2.and_then(|id2| serde_json::from_str::<Id2<'_>>(id2.get()).ok());
        let (local, global) = id2.map_or((None, None), |id2| (id2.local, id2.global));
        let raw = global.or(event.id).or(local);
        if raw.is_none() {
            return Ok(None);
        }
        let pid = if global.is_some() { None } else { names.id(event.pid)? };
        let (scope, track) = (names.id(event.scope)?, names.id(raw)?);

        let name = builder.intern_string(event.category())?.raw();
        let next = self.categories.len();
        let category = *self.category_ids.entry((pid, name)).or_insert(next);
        if category == next {
            self.categories.push(Category {
                pid,
                name: event.category().to_owned(),
                tracks: Vec::new(),
            });
        }
        let tracks = &mut self.categories[category].tracks;
        let next = tracks.len();
        let track = *self.track_ids.entry((category, scope, track)).or_insert(next);
        if track == next {
            tracks.push(calls::Events::default());
        }
        Ok(tracks.get_mut(track))
    }
}
