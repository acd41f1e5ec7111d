//! What may name the revision that a program was built from.

use super::tables::Strings;
use crate::pprof_proto as proto;

/// The keys of labels with a revision, the most certain first.
const KEYS: [&str; 5] = ["service_git_ref", "vcs.revision", "revision", "git_commit", "commit"];

/// The revisions that the labels of samples name.
pub(super) struct Revisions([Found; KEYS.len()]);

/// What the labels of one key say.
#[derive(Clone, Copy)]
struct Found {
    /// The string of the key; 0 if the file does not have it.
    key: i64,
    /// The string of the revision; 0 before the first one.
    revision: i64,
    /// Whether samples have different ones.
    differs: bool,
}

impl Revisions {
    pub(super) fn of(strings: &Strings<'_>) -> Self {
        let string = |key| (0..).zip(&strings.0).find(|(_, string)| *string == key);
        Self(KEYS.map(|key| Found {
            key: string(key).map_or(0, |(id, _)| id),
            revision: 0,
            differs: false,
        }))
    }

    pub(super) fn add(&mut self, labels: &[proto::Label]) {
        for label in labels.iter().filter(|label| label.key != 0) {
            let found = self.0.iter_mut().find(|found| found.key == label.key);
            let Some(found) = found else { continue };
            found.differs |= found.revision != 0 && found.revision != label.str;
            found.revision = label.str;
        }
    }

    /// The revisions, and the build id of the program, which some builds set to one.
    pub(super) fn finish(self, file: &proto::Profile, strings: &Strings<'_>) -> Vec<String> {
        let labels = self.0.into_iter().filter(|found| !found.differs);
        let labels = labels.map(|found| found.revision);
        let build_id = file.mapping.first().map(|mapping| mapping.build_id);
        let texts = labels.chain(build_id).filter_map(|id| strings.get(id, String::new).ok());
        texts.filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }
}
