//! Labels of samples: texts, and numbers with a unit.
//!
//! A number without a unit is in bytes if its key is one that the format reserves for bytes, or else in a
//! unit called like its key, as in pprof's own tool.

use super::tables::Strings;
use crate::pprof_proto as proto;
use profile::Label;

impl Strings<'_> {
    /// The labels of a sample. Those without a key are left out.
    pub(super) fn labels(&self, labels: &[proto::Label]) -> Vec<Label> {
        let text = |index| self.get(index, String::new).unwrap_or_default();
        let label = |label: &proto::Label| {
            let key = Some(text(label.key)).filter(|key| !key.is_empty())?;
            Some(match (label.str, text(label.num_unit)) {
                (0, "") if matches!(key, "request" | "alignment") => {
                    Label::number(key, label.num, "bytes")
                }
                (0, "") => Label::number(key, label.num, key),
                (0, unit) => Label::number(key, label.num, unit),
                (string, _) => Label::text(key, text(string)),
            })
        };
        labels.iter().filter_map(label).collect()
    }
}
