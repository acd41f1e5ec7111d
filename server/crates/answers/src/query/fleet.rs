//! Where a profile comes from that an engine merged from many hosts.

use crate::keys::weight::Weight;
use formats::Fleet;
use loading::text::one_line;
use loading::units;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// How many labels are in the text.
const MAX_LABELS: usize = 4;

/// What is known about a profile from `costline fetch`. Unknown values are null.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetNumbers {
    /// The name of the source, if it has one. It can be fetched again.
    pub source: Option<String>,
    /// The kind of the source: `pyroscope`, `parca`, `clickhouse`, `s3`, `folder`.
    pub kind: String,
    /// The type of profiles.
    pub profile_type: Option<String>,
    /// The labels that everything in the profile has.
    pub labels: BTreeMap<String, String>,
    /// The time range: its start and end, in milliseconds since 1970.
    pub range_ms: Option<[i64; 2]>,
    /// The number of hosts.
    pub hosts: Option<u64>,
    /// The number of profiles that were merged.
    pub profiles: Option<u64>,
    /// The revision that the program was built from.
    pub revision: Option<String>,
    /// The repository of the revision.
    pub repository: Option<String>,
    /// What was left out.
    pub cut: Option<FleetCut>,
    /// All of this as one line: `shop · 12 hosts · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC`.
    pub text: String,
}

/// What was left out of a profile. Its weight is charged to callers or to the function `(cut)`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FleetCut")]
pub struct FleetCut {
    /// What was kept: `20 frames of each stack`.
    pub how: String,
    /// The weight that was moved to other functions, in the unit of the profile. Null if the source
    /// does not state it.
    pub weight: Option<Weight>,
}

impl FleetNumbers {
    /// What a file says. Texts are of the file, so only `text` is safe to be shown as it is.
    pub fn new(fleet: &Fleet) -> Self {
        Self {
            source: fleet.source.clone(),
            kind: fleet.kind.clone(),
            profile_type: fleet.profile_type.clone(),
            labels: fleet.labels.clone(),
            range_ms: fleet.range_ms,
            hosts: fleet.hosts,
            profiles: fleet.profiles,
            revision: fleet.revision.clone(),
            repository: fleet.repository.clone(),
            cut: fleet
                .cut
                .as_ref()
                .map(|cut| FleetCut { how: cut.how.clone(), weight: cut.weight.map(Weight) }),
            text: text(fleet),
        }
    }
}

/// All that is known, as one line.
pub fn text(fleet: &Fleet) -> String {
    let counted = |n: Option<u64>, one: &str, several: &str| {
        let n = n?;
        Some(if n == 1 { format!("1 {one}") } else { units::counted(n as f64, several) })
    };
    let labels = fleet.labels.iter().take(MAX_LABELS);
    let labels: Vec<String> = labels.map(|(label, value)| format!("{label}={value}")).collect();
    let parts = [
        Some(name(fleet).to_owned()),
        counted(fleet.hosts, "host", "hosts"),
        counted(fleet.profiles, "profile", "profiles"),
        fleet.range_ms.and_then(range),
        (!labels.is_empty()).then(|| labels.join(", ")),
        fleet.cut.as_ref().map(|cut| format!("cut to {}", cut.how)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    one_line(&parts.join(" · ")).into_owned()
}

/// The name of the source, or else its kind.
pub(crate) fn name(fleet: &Fleet) -> &str {
    fleet.source.as_deref().unwrap_or(&fleet.kind)
}

/// A time range; the day is said once if it is the same.
pub(crate) fn range([from, until]: [i64; 2]) -> Option<String> {
    let (from, until) = (minute(at_ms(from)?)?, minute(at_ms(until)?)?);
    let same_day = from.split(' ').next() == until.split(' ').next();
    let until = if same_day { until.split(' ').next_back()? } else { &until };
    Some(format!("{from} to {until} UTC"))
}

/// A time in milliseconds since 1970.
pub(crate) fn at_ms(ms: i64) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(u64::try_from(ms).ok()?))
}

/// A time of UTC: `2025-11-24 10:00`.
pub fn minute(time: SystemTime) -> Option<String> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.strftime("%Y-%m-%d %H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_says_it_all() {
        let fleet = Fleet {
            source: Some("shop".to_owned()),
            labels: [("region".to_owned(), "eu\u{202e}\n".to_owned())].into(),
            range_ms: Some([1_763_978_400_000, 1_763_982_000_000]),
            hosts: Some(1),
            profiles: Some(3400),
            ..Fleet::default()
        };
        let expected = "shop · 1 host · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC · region=eu";
        assert!(text(&fleet).starts_with(expected), "{}", text(&fleet));
        assert!(!text(&fleet).contains(['\n', '\u{202e}']));
        let week =
            Fleet { range_ms: Some([0, 86_400_000]), kind: "parca".to_owned(), ..Fleet::default() };
        assert_eq!(text(&week), "parca · 1970-01-01 00:00 to 1970-01-02 00:00 UTC");
        assert_eq!(text(&Fleet { range_ms: Some([-1, i64::MAX]), ..Fleet::default() }), "");
    }
}
