//! Detection and all readers. Whatever is read has sums that agree.

use super::numbers::check_sums;
use super::tree::check_tree;
use analysis::{Groups, MetricId, View, at_call_sites};
use formats::{ErrorKind, Limits};
use std::ops::ControlFlow;

/// Files that inflate to more are not read here.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a file of any format.
pub fn readers(data: &[u8]) {
    let prefix = formats::inflate::prefix(data, 160 << 10);
    let detected = formats::detect(&prefix);
    let text = String::from_utf8_lossy(data);
    let _ = (formats::Foreign::of(&prefix), formats::lcov(&text), formats::generated(&text));
    if let Some(format) = detected {
        let _ = (formats::origin(format, &prefix), formats::detect::ends(format, data));
    }
    let limits = Limits { max_inflated_bytes: MAX_BYTES };
    let read = formats::read(data.to_vec(), limits, &mut |_| ControlFlow::Continue(()));
    let read = match read {
        Ok(read) => read,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
            assert_ne!(error.kind, ErrorKind::Cancelled);
            return;
        }
    };
    let recording = &read.recording;
    let (call_sites, groups) = (at_call_sites(recording), Groups::identity(recording.symbols()));
    for metric in (0..recording.metrics().len() as u32).map(MetricId::new) {
        let view = View { metric, ..View::of(recording) };
        let sums = [recording, &call_sites].map(|recording| {
            let costs = analysis::costs(recording, &view, &groups);
            check_sums(read.format.name(), &costs, recording, metric);
            (costs.total, costs.idle, costs.no_stack)
        });
        assert_eq!(sums[0], sums[1], "where inlined code counts changes no total");
        check_tree(recording, &view, &groups);
    }
}
