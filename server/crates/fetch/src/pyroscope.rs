//! Grafana Pyroscope, by its public Connect API: the server merges the profiles of many hosts.
//!
//! Messages have the fields that are needed, with the numbers of `querier.v1` and `types.v1`
//! (<https://github.com/grafana/pyroscope/tree/main/api>). The merged profile is a message of its own
//! that is equal to pprof's.

use crate::answer::{Fetched, Listing};
use crate::error::FetchError;
use crate::http::{Ask, Http};
use crate::labels;
use crate::options::Options;
use crate::request::Query;
use crate::step::Step;
use crate::time::Range;
use formats::{Fleet, FleetCut, Format, Series};
use prost::Message;
use std::collections::BTreeMap;
use url::Url;

/// The number of spans of time to ask for.
const SPANS: i64 = 100;

#[derive(Clone, PartialEq, Message)]
struct SelectMergeProfileRequest {
    #[prost(string, tag = "1")]
    profile_type: String,
    #[prost(string, tag = "2")]
    label_selector: String,
    #[prost(int64, tag = "3")]
    start: i64,
    #[prost(int64, tag = "4")]
    end: i64,
    #[prost(int64, optional, tag = "5")]
    max_nodes: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct SelectSeriesRequest {
    #[prost(string, tag = "1")]
    profile_type: String,
    #[prost(string, tag = "2")]
    label_selector: String,
    #[prost(int64, tag = "3")]
    start: i64,
    #[prost(int64, tag = "4")]
    end: i64,
    /// In seconds.
    #[prost(double, tag = "6")]
    step: f64,
}

#[derive(Clone, PartialEq, Message)]
struct SelectSeriesResponse {
    #[prost(message, repeated, tag = "1")]
    series: Vec<PointSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct PointSeries {
    #[prost(message, repeated, tag = "2")]
    points: Vec<Point>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Point {
    #[prost(double, tag = "1")]
    value: f64,
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

#[derive(Clone, PartialEq, Message)]
struct SeriesRequest {
    #[prost(string, repeated, tag = "1")]
    matchers: Vec<String>,
    #[prost(int64, tag = "3")]
    start: i64,
    #[prost(int64, tag = "4")]
    end: i64,
}

#[derive(Clone, PartialEq, Message)]
struct SeriesResponse {
    #[prost(message, repeated, tag = "2")]
    labels_set: Vec<Labels>,
}

#[derive(Clone, PartialEq, Message)]
struct Labels {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<LabelPair>,
}

#[derive(Clone, PartialEq, Message)]
struct LabelPair {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ProfileTypesRequest {
    #[prost(int64, tag = "1")]
    start: i64,
    #[prost(int64, tag = "2")]
    end: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ProfileTypesResponse {
    #[prost(message, repeated, tag = "1")]
    types: Vec<ProfileType>,
}

#[derive(Clone, PartialEq, Message)]
struct ProfileType {
    #[prost(string, tag = "1")]
    id: String,
}

#[derive(Clone, PartialEq, Message)]
struct LabelNamesRequest {
    #[prost(string, repeated, tag = "1")]
    matchers: Vec<String>,
    #[prost(int64, tag = "2")]
    start: i64,
    #[prost(int64, tag = "3")]
    end: i64,
}

#[derive(Clone, PartialEq, Message)]
struct LabelValuesRequest {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, repeated, tag = "2")]
    matchers: Vec<String>,
    #[prost(int64, tag = "3")]
    start: i64,
    #[prost(int64, tag = "4")]
    end: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Names {
    #[prost(string, repeated, tag = "1")]
    names: Vec<String>,
}

/// A server.
struct Api<'a> {
    url: &'a Url,
    http: Http,
    options: &'a Options,
    range: Range,
}

impl<'a> Api<'a> {
    fn new(query: &'a Query) -> Self {
        let http = Http::new(query.options, query.secrets, query.options.timeout());
        Self { url: query.url, http, options: query.options, range: query.range }
    }

    /// The bytes of an answer.
    fn call(
        &self,
        method: &str,
        message: &impl Message,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<u8>, FetchError> {
        let url = below(self.url, &format!("querier.v1.QuerierService/{method}"));
        let mut ask = Ask::post(url, "application/proto", message.encode_to_vec());
        ask.headers.push(("connect-protocol-version", "1".to_owned()));
        if let Some(tenant) = &self.options.tenant {
            ask.headers.push(("x-scope-orgid", tenant.clone()));
        }
        self.http.open(&ask, observe)?.1.whole()
    }

    /// A decoded answer.
    fn ask<T: Message + Default>(
        &self,
        method: &str,
        message: &impl Message,
        observe: &mut dyn FnMut(Step),
    ) -> Result<T, FetchError> {
        let answer = self.call(method, message, observe)?;
        T::decode(answer.as_slice()).map_err(|error| FetchError::Answer {
            from: below(self.url, method).to_string(),
            message: format!("{error}; check that this is the address of a Pyroscope server"),
        })
    }

    fn types(&self, observe: &mut dyn FnMut(Step)) -> Result<Vec<String>, FetchError> {
        let Range { from_ms: start, until_ms: end } = self.range;
        let request = ProfileTypesRequest { start, end };
        let answer: ProfileTypesResponse = self.ask("ProfileTypes", &request, observe)?;
        Ok(answer.types.into_iter().map(|it| it.id).collect())
    }

    /// The labels of each series.
    fn series(
        &self,
        profile_type: &str,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Vec<BTreeMap<String, String>>, FetchError> {
        let Range { from_ms: start, until_ms: end } = self.range;
        let of_type = format!("__profile_type__={profile_type:?}");
        let matcher = labels::selector(self.options.labels.as_deref(), Some(&of_type));
        let request = SeriesRequest { matchers: vec![matcher], start, end };
        let answer: SeriesResponse = self.ask("Series", &request, observe)?;
        let pairs = |set: Labels| set.labels.into_iter().map(|it| (it.name, it.value)).collect();
        Ok(answer.labels_set.into_iter().map(pairs).collect())
    }

    /// The weight over time.
    fn strip(
        &self,
        profile_type: &str,
        observe: &mut dyn FnMut(Step),
    ) -> Result<Series, FetchError> {
        let Range { from_ms: start, until_ms: end } = self.range;
        let step_ms = ((end - start) / SPANS / 1000).max(1) * 1000;
        let request = SelectSeriesRequest {
            profile_type: profile_type.to_owned(),
            label_selector: labels::selector(self.options.labels.as_deref(), None),
            start,
            end,
            step: step_ms as f64 / 1000.0,
        };
        let answer: SelectSeriesResponse = self.ask("SelectSeries", &request, observe)?;
        let points = answer.series.into_iter().flat_map(|series| series.points);
        Ok(labels::spans(self.range, step_ms, points.map(|point| (point.timestamp, point.value))))
    }
}

pub(crate) fn fetch(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let api = Api::new(query);
    let options = query.options;
    let Some(profile_type) = options.profile_type.clone() else {
        return Err(labels::no_type(query.url, &api.types(observe)?));
    };
    let Range { from_ms: start, until_ms: end } = query.range;
    let request = SelectMergeProfileRequest {
        profile_type: profile_type.clone(),
        label_selector: labels::selector(options.labels.as_deref(), None),
        start,
        end,
        max_nodes: options.max_nodes,
    };
    let bytes = api.call("SelectMergeProfile", &request, observe)?;
    if bytes.is_empty() {
        return Err(labels::nothing(query.url));
    }
    let mut notes = Vec::new();
    let mut known = |error: FetchError| notes.push(format!("not known: {error}"));
    let sets = api.series(&profile_type, observe).map_err(&mut known).unwrap_or_default();
    let series = api.strip(&profile_type, observe).map_err(&mut known).ok();
    let cut = options
        .max_nodes
        .map(|n| FleetCut { how: format!("the {n} largest nodes of the call tree"), weight: None });
    let fleet = Fleet {
        profile_type: Some(profile_type),
        range_ms: Some([start, end]),
        series,
        cut,
        ..labels::fleet(&sets)
    };
    Ok(Fetched { notes, fleet: Some(fleet), ..Fetched::unread(bytes, Format::Pprof) })
}

/// The types of profiles, and the labels with their values.
pub(crate) fn list(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Listing, FetchError> {
    let api = Api::new(query);
    let Range { from_ms: start, until_ms: end } = query.range;
    let matchers = labels::matchers(query.options);
    let request = LabelNamesRequest { matchers: matchers.clone(), start, end };
    let types = api.types(observe)?;
    let names: Names = api.ask("LabelNames", &request, observe)?;
    let names = names.names.into_iter().filter(|it| !it.starts_with("__"));
    labels::listing(types, names, |name| {
        let request = LabelValuesRequest { name, matchers: matchers.clone(), start, end };
        api.ask("LabelValues", &request, observe).map(|values: Names| values.names)
    })
}

/// An address below the server's address, which may have a path of its own.
pub(crate) fn below(url: &Url, path: &str) -> Url {
    let mut below = url.clone();
    let base = url.path().trim_end_matches('/');
    below.set_path(&format!("{base}/{path}"));
    below.set_query(None);
    below
}
