//! Parsers of values of arguments.

use answers::values;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// Parses one of the names of a type ([`values`]).
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let names = values::<T>().into_iter().map(|of| PossibleValue::new(of.name).help(of.help));
    PossibleValuesParser::new(names.collect::<Vec<_>>())
        .try_map(|name| serde_json::from_value(name.into()))
}

/// Parses `2%` or `2`.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number
        .filter(|percent| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| "expected a percentage from 0, for example 2%".to_owned())
}

/// Parses a value in units of the metric.
pub(super) fn least_value(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    number
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "expected a number from 0".to_owned())
}
