//! What the engines that merge profiles have in common: selectors, labels of series, weight over time.

use crate::answer::Listing;
use crate::error::FetchError;
use crate::options::Options;
use crate::time::Range;
use formats::{Fleet, Series};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// The labels that name a host, the most specific first.
const HOSTS: [&str; 5] = ["hostname", "host", "node", "instance", "pod"];
/// The labels that name a revision, the most certain first.
const REVISIONS: [&str; 4] = ["service_git_ref", "vcs_revision", "revision", "git_commit"];
/// How many labels are listed with their values.
const MAX_LABELS: usize = 50;
/// The label that names a repository.
const REPOSITORY: &str = "service_repository";

/// A selector in braces, with a further condition.
pub(crate) fn selector(labels: Option<&str>, more: Option<&str>) -> String {
    let labels = labels.unwrap_or_default().trim();
    let inner = labels.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or(labels);
    let inner = inner.trim().trim_end_matches(',');
    let conditions: Vec<&str> =
        [inner, more.unwrap_or_default()].into_iter().filter(|it| !it.is_empty()).collect();
    format!("{{{}}}", conditions.join(","))
}

/// The selectors for a list: none lists everything.
pub(crate) fn matchers(options: &Options) -> Vec<String> {
    options.labels.iter().map(|labels| selector(Some(labels), None)).collect()
}

/// The types of profiles, and the first labels with their values, which are asked for one by one.
pub(crate) fn listing(
    types: Vec<String>,
    names: impl IntoIterator<Item = String>,
    mut values: impl FnMut(String) -> Result<Vec<String>, FetchError>,
) -> Result<Listing, FetchError> {
    let names = names.into_iter().take(MAX_LABELS);
    let labels = names.map(|name| Ok((name.clone(), values(name)?))).collect::<Result<_, _>>()?;
    Ok(Listing { types, labels })
}

/// What the labels of all series say.
pub(crate) fn fleet(sets: &[BTreeMap<String, String>]) -> Fleet {
    let values =
        |name: &str| -> BTreeSet<&String> { sets.iter().filter_map(|set| set.get(name)).collect() };
    let common = |name: &str| {
        let mut all = sets.iter().map(|set| set.get(name));
        let first = all.next()??;
        all.all(|value| value == Some(first)).then(|| first.clone()).filter(|it| !it.is_empty())
    };
    let hosts = HOSTS.into_iter().map(|name| values(name).len()).find(|&n| n > 0);
    let names = sets.first().into_iter().flat_map(BTreeMap::keys);
    let shown = names.filter(|name| !name.starts_with("__"));
    Fleet {
        labels: shown.filter_map(|name| Some((name.clone(), common(name)?))).collect(),
        hosts: hosts.map(|n| n as u64),
        revision: REVISIONS.into_iter().find_map(common),
        repository: common(REPOSITORY),
        ..Fleet::default()
    }
}

/// The weight of equal spans of time, from values at points. Points outside of the range are left out, and
/// values that are not numbers, which the file cannot state.
pub(crate) fn spans(
    range: Range,
    step_ms: i64,
    points: impl Iterator<Item = (i64, f64)>,
) -> Series {
    let n = (range.until_ms - range.from_ms).div_euclid(step_ms) + 1;
    let mut values = vec![0.0; usize::try_from(n).unwrap_or_default()];
    for (at, value) in points {
        let since = at.checked_sub(range.from_ms);
        let span = since.and_then(|since| usize::try_from(since.div_euclid(step_ms)).ok());
        if let Some(sum) = span.and_then(|span| values.get_mut(span))
            && (*sum + value).is_finite()
        {
            *sum += value;
        }
    }
    Series { start_ms: range.from_ms, step_ms, values }
}

/// The error for a source whose type of profiles was not given.
pub(crate) fn no_type(url: &Url, types: &[String]) -> FetchError {
    if types.is_empty() {
        let message = "has no profiles in this time range; choose another one with --since";
        return FetchError::Answer { from: url.to_string(), message: message.to_owned() };
    }
    FetchError::Usage(format!("{url}: give --profile-type, one of {}", types.join(", ")))
}

/// The error for an answer without samples.
pub(crate) fn nothing(url: &Url) -> FetchError {
    FetchError::Answer {
        from: url.to_string(),
        message: "has no profiles with these labels in this time range; list what it has with \
                  --list, or choose another --since"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn selectors_are_in_braces() {
        assert_eq!(selector(None, None), "{}");
        assert_eq!(selector(Some(" {a=\"b\",} "), Some("c=\"d\"")), "{a=\"b\",c=\"d\"}");
        assert_eq!(selector(Some("a=\"b\""), None), "{a=\"b\"}");
    }

    #[test]
    fn labels_that_all_series_have_and_hosts_are_known() {
        let set = |host: &str, git: &str| -> BTreeMap<String, String> {
            let pairs =
                [("service", "shop"), ("pod", host), ("__x__", "y"), ("service_git_ref", git)];
            pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
        };
        let known = fleet(&[set("a", "1f"), set("b", "1f"), set("a", "1f")]);
        assert_eq!(known.hosts, Some(2));
        let labels: Vec<_> = known.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(labels, ["service=shop", "service_git_ref=1f"]);
        assert_eq!(known.revision.as_deref(), Some("1f"));
        let mixed = fleet(&[set("a", "1f"), set("b", "2f")]);
        assert_eq!(mixed.revision, None);
        assert_eq!(fleet(&[]), Fleet::default());
    }

    #[test]
    fn values_are_in_the_span_that_they_are_of() {
        let range = Range { from_ms: 1000, until_ms: 4000 };
        let points = [(1000, 1.0), (2999, 2.0), (2000, 4.0), (4000, 8.0), (9000, 16.0), (0, 32.0)];
        assert_eq!(spans(range, 1000, points.into_iter()).values, [1.0, 6.0, 0.0, 8.0]);
    }

    #[test]
    fn points_of_any_time_and_value_are_no_error() {
        let range = Range { from_ms: 1000, until_ms: 3000 };
        let values = [f64::NAN, f64::INFINITY, f64::MAX, f64::MAX, 1.0];
        let times = [i64::MIN, i64::MAX, 0, 1000];
        let points = times.into_iter().flat_map(|at| values.map(|value| (at, value)));
        let Series { values, .. } = spans(range, 1000, points);
        assert_eq!(values, [f64::MAX, 0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn points_that_a_server_invents_are_left_out(points: Vec<(i64, f64)>) {
            let range = Range { from_ms: 1_764_000_000_000, until_ms: 1_764_000_100_000 };
            let Series { values, .. } = spans(range, 1000, points.into_iter());
            prop_assert!(values.iter().all(|value| value.is_finite()));
        }
    }
}
