//! The metrics of a file.

use super::tables::{Strings, at_key};
use crate::error::ReadError;
use crate::pprof_proto as proto;
use profile::{LineKnowledge, Metric};

/// The largest number of sample types: each is a column as long as all samples.
const MAX_SAMPLE_TYPES: usize = 64;

/// The metrics and the index of the default one: the one that the file names, else the last, as in
/// pprof. For a heap profile of Go that names none, the default is `alloc_space` (allocated bytes),
/// although the last metric is `inuse_space`.
pub(super) fn metrics(
    file: &proto::Profile,
    strings: &Strings<'_>,
) -> Result<(Vec<Metric>, usize), ReadError> {
    let n = file.sample_type.len();
    if !(1..=MAX_SAMPLE_TYPES).contains(&n) {
        return Err(at_key(
            "sample_type".to_owned(),
            format!("there are {n}; expected 1 to {MAX_SAMPLE_TYPES}"),
        ));
    }
    let period_unit =
        strings.get(file.period_type.unwrap_or_default().unit, || "period_type.unit".to_owned())?;
    let period_seconds = Metric::new("", period_unit, None)
        .seconds_per_unit
        .map(|seconds| seconds * file.period as f64);
    let knows_lines =
        file.location.iter().flat_map(|location| &location.line).any(|line| line.number > 0);
    let lines = if knows_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };

    let default = strings.get(file.default_sample_type, || "default_sample_type".to_owned())?;
    let mut default_metric = n - 1;
    let mut metrics = Vec::with_capacity(n);
    for (row, sample_type) in file.sample_type.iter().enumerate() {
        let name = strings.get(sample_type.r#type, || format!("sample_type[{row}].type"))?;
        let unit = strings.get(sample_type.unit, || format!("sample_type[{row}].unit"))?;
        metrics.push(Metric::new(name, unit, period_seconds).with_lines(lines));
        if !default.is_empty() && name == default {
            default_metric = row;
        }
    }
    let position = |name: &str| metrics.iter().position(|metric| metric.name == name);
    if default.is_empty() && position("inuse_space").is_some() {
        default_metric = position("alloc_space").unwrap_or(default_metric);
    }
    Ok((metrics, default_metric))
}
