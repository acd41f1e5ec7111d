//! Parsers of values of arguments.

use answers::{Listing, RankBy, values};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::ffi::OsStr;

/// Parses one of the names of a type ([`values`]).
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let names = values::<T>().into_iter().map(|of| PossibleValue::new(of.name).help(of.help));
    PossibleValuesParser::new(names.collect::<Vec<_>>())
        .try_map(|name| serde_json::from_value(name.into()))
}

/// Parses a number of rows, or `all`.
pub(super) fn rows(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(usize::MAX);
    }
    text.parse().map_err(|_| "expected a number or `all`".to_owned())
}

/// Parses what to list: one of the names of [`RankBy`], or `label:KEY`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListingParser;

impl TypedValueParser for ListingParser {
    type Value = Listing;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Listing, Error> {
        match value.to_str().and_then(Listing::of_label) {
            Some(listing) => Ok(listing),
            None => one_of::<RankBy>().parse_ref(command, argument, value).map(RankBy::into),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let names: Vec<_> = one_of::<RankBy>().possible_values()?.collect();
        Some(Box::new(names.into_iter()))
    }
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
