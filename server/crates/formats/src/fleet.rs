//! What `costline fetch` knows about a profile that an engine merged from many hosts: it travels inside
//! the file, as a comment that other programs ignore.
//!
//! The comment is `costline: ` followed by one JSON object: a comment of a pprof file, or a line
//! `# costline: …` at the top of folded stacks.

use crate::error::ReadError;
use crate::format::Format;
use crate::input;
use crate::limits::Limits;
use crate::pprof_proto::{self as proto, Fields};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;

/// What the comment begins with.
const PREFIX: &str = "costline: ";
/// The field number of `Profile.string_table`.
const STRINGS: u64 = 6;

/// Where a merged profile comes from. What is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Fleet {
    /// The name of the source in the file of sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What kind of source it is: `pyroscope`.
    pub kind: String,
    /// The type of profiles: `process_cpu:cpu:nanoseconds:cpu:nanoseconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_type: Option<String>,
    /// The labels that everything in the profile has.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The time range that was asked for, in milliseconds since 1970; it ends before the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_ms: Option<[i64; 2]>,
    /// The number of hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u64>,
    /// The number of profiles that were merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profiles: Option<u64>,
    /// The revision that the program was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The repository of that revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The weight over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// What the source left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<FleetCut>,
}

/// The weight of equal spans of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Series {
    /// When the first span begins, in milliseconds since 1970.
    pub start_ms: i64,
    /// The length of a span in milliseconds.
    pub step_ms: i64,
    /// The weight of each span, in the unit of the profile.
    pub values: Vec<f64>,
}

/// What the source left out of a profile, so that it is small enough to be sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FleetCut {
    /// How it was cut: `stacks of at most 20 frames`.
    pub how: String,
    /// The weight that is not where it was spent, but at a caller or in a function of its own. `None`
    /// if the source does not say.
    pub weight: Option<f64>,
}

impl Fleet {
    /// The text of the comment.
    fn comment(&self) -> String {
        // There is nothing in it that JSON cannot represent.
        PREFIX.to_owned() + &serde_json::to_string(self).unwrap_or_default()
    }

    /// What a comment says. `None` for other comments.
    pub(crate) fn of_comment(comment: &str) -> Option<Self> {
        serde_json::from_str(comment.strip_prefix(PREFIX)?).ok()
    }

    /// The same file with the comment. Other formats than pprof and folded stacks stay as they are.
    ///
    /// # Errors
    /// The file cannot be decompressed, or is no pprof file.
    pub fn add_to(
        &self,
        bytes: Vec<u8>,
        format: Format,
        limits: Limits,
    ) -> Result<Vec<u8>, ReadError> {
        if !matches!(format, Format::Pprof | Format::Folded) {
            return Ok(bytes);
        }
        let (mut bytes, _) = input::whole(bytes.into(), limits)?;
        if format == Format::Folded {
            bytes.splice(0..0, format!("# {}\n", self.comment()).into_bytes());
            return Ok(bytes);
        }
        let mut n_strings = 0;
        for field in Fields::of(&bytes) {
            n_strings += i64::from(field?.tag == STRINGS);
        }
        // String 0 is empty.
        let mut strings = vec![Vec::new(); usize::from(n_strings == 0)];
        let comment = n_strings.max(1);
        strings.push(self.comment().into_bytes());
        let more = proto::Profile {
            string_table: strings,
            comment: vec![comment],
            ..proto::Profile::default()
        };
        // Concatenated messages are one message.
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        // Memory takes everything: neither can fail.
        let _ = out.write_all(&bytes);
        let _ = out.write_all(&more.encode_to_vec());
        Ok(out.finish().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use std::ops::ControlFlow;

    fn fleet() -> Fleet {
        Fleet {
            kind: "pyroscope".to_owned(),
            labels: [("service_name".to_owned(), "shop; \"a\"\n".to_owned())].into(),
            hosts: Some(12),
            ..Fleet::default()
        }
    }

    fn of(bytes: Vec<u8>) -> (Option<Fleet>, u64) {
        let read = read(bytes, Limits::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(read.warnings.into_iter().count(), 0);
        (read.fleet.map(|fleet| *fleet), read.format as u64)
    }

    #[test]
    fn it_travels_in_pprof_and_folded_files() {
        let folded = b"main;parse 3\nmain 1\n".to_vec();
        let noted = fleet().add_to(folded.clone(), Format::Folded, Limits::default()).unwrap();
        assert!(noted.ends_with(&folded) && noted.starts_with(b"# costline: {"));
        assert_eq!(of(noted), (Some(fleet()), Format::Folded as u64));

        let mut rows = crate::merge::Rows::new("cpu", "nanoseconds");
        rows.add([("main", "a.go", 3)], 5).unwrap();
        let pprof = rows.finish();
        assert_eq!(of(pprof.clone()).0, None);
        let noted = fleet().add_to(pprof, Format::Pprof, Limits::default()).unwrap();
        assert_eq!(of(noted), (Some(fleet()), Format::Pprof as u64));
    }

    #[test]
    fn other_comments_are_not_read() {
        assert_eq!(Fleet::of_comment("costline"), None);
        assert_eq!(Fleet::of_comment("costline: no JSON"), None);
        assert_eq!(Fleet::of_comment("costline: {\"future\": 1}"), Some(Fleet::default()));
    }
}
