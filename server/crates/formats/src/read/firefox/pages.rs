//! The pages that a browser was running, as the label `page` of samples: the URL of the inner window of the
//! innermost frame that has one, so that the costs of pages add up. Frames of code of the browser have none,
//! nor have samples without script; both get no label.

use super::raw::Raw;
use crate::error::ReadError;
use crate::read::shared::json::ShortList;
use profile::{Label, LabelSetId, ProfileBuilder, StackId};
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// The key of the label.
const KEY: &str = "page";

/// One of `pages`. Ids are whole numbers of up to 53 bits.
#[derive(Deserialize)]
struct Page {
    #[serde(rename = "innerWindowID")]
    id: Option<f64>,
    url: Option<String>,
}

/// The pages of a file, and those of its stacks so far.
#[derive(Default)]
pub(super) struct Pages {
    /// The labels of each page, by the bits of its id.
    labels: FxHashMap<u64, LabelSetId>,
    /// By stack; empty if no frame has a page.
    of_stacks: Vec<LabelSetId>,
}

impl Pages {
    /// Adds the `pages` of a process. Costs do not need them, so a malformed list is none.
    pub(super) fn add(
        &mut self,
        builder: &mut ProfileBuilder,
        process: &Raw,
    ) -> Result<(), ReadError> {
        let pages: ShortList<Page> = process.decode_member("pages", "").unwrap_or_default();
        for Page { id, url } in pages.0 {
            if let (Some(id), Some(url)) = (id.filter(|id| *id > 0.0), url) {
                self.labels.insert(id.to_bits(), builder.intern_labels([Label::text(KEY, &url)])?);
            }
        }
        Ok(())
    }

    /// Finds the pages of the stacks from `first` on, whose frames are rows of the column `ids`.
    pub(super) fn mark(
        &mut self,
        builder: &ProfileBuilder,
        first: usize,
        frames: &[u32],
        ids: &[f64],
    ) {
        if !ids.iter().any(|id| self.labels.contains_key(&id.to_bits())) {
            return;
        }
        self.of_stacks.resize(first, LabelSetId::NONE);
        for (stack, &frame) in (first as u32..).map(StackId::new).zip(frames) {
            let own = ids.get(frame as usize).and_then(|id| self.labels.get(&id.to_bits()));
            let page = own.copied().unwrap_or_else(|| self.of(builder.prefix(stack)));
            self.of_stacks.push(page);
        }
    }

    /// The labels of samples with this stack.
    fn of(&self, stack: Option<StackId>) -> LabelSetId {
        let page = stack.and_then(|stack| self.of_stacks.get(stack.index()));
        page.copied().unwrap_or(LabelSetId::NONE)
    }

    /// The samples with their labels.
    pub(super) fn label(&self, samples: profile::Samples) -> profile::Samples {
        let labels: Vec<LabelSetId> = samples.stacks().map(|stack| self.of(stack)).collect();
        if labels.iter().all(|labels| *labels == LabelSetId::NONE) {
            return samples;
        }
        samples.with_labels(labels)
    }
}
