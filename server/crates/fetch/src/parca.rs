//! Parca and Polar Signals Cloud, by their query API over gRPC-Web, which their own pages speak: the
//! server merges the profiles of many hosts.
//!
//! Messages have the fields that are needed, with the numbers of `parca.query.v1alpha1`
//! (<https://github.com/parca-dev/parca/tree/main/proto>).

use crate::answer::{Fetched, Listing};
use crate::error::FetchError;
use crate::http::{Ask, Http};
use crate::labels;
use crate::options::Options;
use crate::pyroscope::below;
use crate::request::Query;
use crate::step::Step;
use crate::time::Range;
use formats::{Fleet, Format};
use prost::Message;
use std::collections::BTreeMap;
use url::Url;

/// `QueryRequest.mode` for a merge.
const MODE_MERGE: i32 = 2;
/// `QueryRequest.report_type` for pprof.
const REPORT_PPROF: i32 = 1;
/// The flag of a frame that has the status.
const TRAILER: u8 = 0x80;
/// The length of the header of a frame.
const HEADER: usize = 5;

#[derive(Clone, Copy, PartialEq, Message)]
struct Time {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

impl Time {
    fn of_ms(ms: i64) -> Self {
        let nanos = ms.rem_euclid(1000) as i32 * 1_000_000;
        Self { seconds: ms.div_euclid(1000), nanos }
    }
}

#[derive(Clone, PartialEq, Message)]
struct QueryRequest {
    #[prost(int32, tag = "1")]
    mode: i32,
    #[prost(message, optional, tag = "3")]
    merge: Option<MergeProfile>,
    #[prost(int32, tag = "5")]
    report_type: i32,
}

#[derive(Clone, PartialEq, Message)]
struct MergeProfile {
    #[prost(string, tag = "1")]
    query: String,
    #[prost(message, optional, tag = "2")]
    start: Option<Time>,
    #[prost(message, optional, tag = "3")]
    end: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
struct QueryResponse {
    #[prost(bytes = "vec", tag = "6")]
    pprof: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct QueryRangeRequest {
    #[prost(string, tag = "1")]
    query: String,
    #[prost(message, optional, tag = "2")]
    start: Option<Time>,
    #[prost(message, optional, tag = "3")]
    end: Option<Time>,
    /// A duration has the fields of a time.
    #[prost(message, optional, tag = "5")]
    step: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
struct QueryRangeResponse {
    #[prost(message, repeated, tag = "1")]
    series: Vec<MetricsSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct MetricsSeries {
    #[prost(message, optional, tag = "1")]
    labels: Option<LabelSet>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<MetricsSample>,
}

#[derive(Clone, PartialEq, Message)]
struct LabelSet {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct MetricsSample {
    #[prost(message, optional, tag = "1")]
    timestamp: Option<Time>,
    #[prost(int64, tag = "2")]
    value: i64,
    /// The profiles in it; older servers do not say.
    #[prost(int32, tag = "5")]
    count: i32,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ProfileTypesRequest {
    #[prost(message, optional, tag = "1")]
    start: Option<Time>,
    #[prost(message, optional, tag = "2")]
    end: Option<Time>,
}

#[derive(Clone, PartialEq, Message)]
struct ProfileTypesResponse {
    #[prost(message, repeated, tag = "1")]
    types: Vec<ProfileType>,
}

#[derive(Clone, PartialEq, Message)]
struct ProfileType {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    sample_type: String,
    #[prost(string, tag = "3")]
    sample_unit: String,
    #[prost(string, tag = "4")]
    period_type: String,
    #[prost(string, tag = "5")]
    period_unit: String,
    #[prost(bool, tag = "6")]
    delta: bool,
}

impl ProfileType {
    /// The type as queries name it.
    fn text(&self) -> String {
        let Self { name, sample_type, sample_unit, period_type, period_unit, delta } = self;
        let delta = if *delta { ":delta" } else { "" };
        format!("{name}:{sample_type}:{sample_unit}:{period_type}:{period_unit}{delta}")
    }
}

#[derive(Clone, PartialEq, Message)]
struct LabelsRequest {
    #[prost(string, repeated, tag = "1")]
    matchers: Vec<String>,
    #[prost(message, optional, tag = "2")]
    start: Option<Time>,
    #[prost(message, optional, tag = "3")]
    end: Option<Time>,
    #[prost(string, optional, tag = "4")]
    profile_type: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ValuesRequest {
    #[prost(string, tag = "1")]
    label_name: String,
    #[prost(string, repeated, tag = "2")]
    matchers: Vec<String>,
    #[prost(message, optional, tag = "3")]
    start: Option<Time>,
    #[prost(message, optional, tag = "4")]
    end: Option<Time>,
    #[prost(string, optional, tag = "5")]
    profile_type: Option<String>,
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
    start: Option<Time>,
    end: Option<Time>,
}

impl<'a> Api<'a> {
    fn new(query: &'a Query) -> Self {
        let Range { from_ms, until_ms } = query.range;
        Self {
            url: query.url,
            http: Http::new(query.options, query.secrets, query.options.timeout()),
            options: query.options,
            start: Some(Time::of_ms(from_ms)),
            end: Some(Time::of_ms(until_ms)),
        }
    }

    fn ask<T: Message + Default>(
        &self,
        method: &str,
        message: &impl Message,
        observe: &mut dyn FnMut(Step),
    ) -> Result<T, FetchError> {
        let url = below(self.url, &format!("api/parca.query.v1alpha1.QueryService/{method}"));
        let content = message.encode_to_vec();
        let mut body = vec![0];
        body.extend((content.len() as u32).to_be_bytes());
        body.extend(content);
        let mut ask = Ask::post(url.clone(), "application/grpc-web+proto", body);
        ask.headers.push(("x-grpc-web", "1".to_owned()));
        if let Some(tenant) = &self.options.tenant {
            ask.headers.push(("projectid", tenant.clone()));
        }
        let (headers, mut content) = self.http.open(&ask, observe)?;
        let content = content.whole()?;
        let header = |name| headers.get(name)?.to_str().ok();
        let fails = |message| FetchError::Answer { from: url.to_string(), message };
        check_status(header("grpc-status"), header("grpc-message")).map_err(fails)?;
        let message = message_of(&content).map_err(fails)?;
        T::decode(message).map_err(|error| fails(format!("{error}; {NO_PARCA}")))
    }

    fn types(&self, observe: &mut dyn FnMut(Step)) -> Result<Vec<String>, FetchError> {
        let request = ProfileTypesRequest { start: self.start, end: self.end };
        let answer: ProfileTypesResponse = self.ask("ProfileTypes", &request, observe)?;
        Ok(answer.types.iter().map(ProfileType::text).collect())
    }
}

const NO_PARCA: &str = "check that this is the address of a Parca server";

/// The first message of the frames of an answer.
fn message_of(content: &[u8]) -> Result<&[u8], String> {
    let mut rest = content;
    let mut message = None;
    while let Some((header, after)) = rest.split_at_checked(HEADER) {
        let [flags, length @ ..] = header else { break };
        let length = length.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let Some((frame, after)) = after.split_at_checked(length) else {
            return Err(format!("the response is truncated or uses another protocol; {NO_PARCA}"));
        };
        if flags & TRAILER == 0 {
            message = message.or(Some(frame));
        } else {
            let text = String::from_utf8_lossy(frame);
            let value = |name: &str| {
                let lines = text.lines().filter_map(|line| line.split_once(':'));
                let mut of_name = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
                of_name.next().map(|(_, value)| value.trim())
            };
            check_status(value("grpc-status"), value("grpc-message"))?;
        }
        rest = after;
    }
    message.ok_or_else(|| format!("the response has no message; {NO_PARCA}"))
}

/// The error of a status other than 0.
fn check_status(status: Option<&str>, message: Option<&str>) -> Result<(), String> {
    match status {
        None | Some("0") => Ok(()),
        Some(status) => {
            let message = percent_encoding::percent_decode_str(message.unwrap_or_default())
                .decode_utf8_lossy();
            let message = message.lines().next().unwrap_or_default();
            Err(format!("answered with gRPC status {status}: {message}"))
        }
    }
}

pub(crate) fn fetch(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let api = Api::new(query);
    let options = query.options;
    let Some(profile_type) = options.profile_type.clone() else {
        return Err(labels::no_type(query.url, &api.types(observe)?));
    };
    let text = format!("{profile_type}{}", labels::selector(options.labels.as_deref(), None));
    let (start, end) = (api.start, api.end);
    let merge = MergeProfile { query: text.clone(), start, end };
    let request = QueryRequest { mode: MODE_MERGE, merge: Some(merge), report_type: REPORT_PPROF };
    let answer: QueryResponse = api.ask("Query", &request, observe)?;
    if answer.pprof.is_empty() {
        return Err(labels::nothing(query.url));
    }
    let mut notes = Vec::new();
    let request = QueryRangeRequest { query: text, start, end, step: None };
    let answered: Result<QueryRangeResponse, _> = api.ask("QueryRange", &request, observe);
    let known = match answered {
        Ok(answer) => of_series(answer, query.range),
        Err(error) => {
            notes.push(format!("not known: {error}"));
            Fleet::default()
        }
    };
    let Range { from_ms, until_ms } = query.range;
    let fleet =
        Fleet { profile_type: Some(profile_type), range_ms: Some([from_ms, until_ms]), ..known };
    Ok(Fetched { notes, fleet: Some(fleet), ..Fetched::unread(answer.pprof, Format::Pprof) })
}

/// What the series of a range say.
fn of_series(answer: QueryRangeResponse, range: Range) -> Fleet {
    let mut sets = Vec::new();
    let mut profiles = 0;
    let mut points = Vec::new();
    for series in answer.series {
        for sample in series.samples {
            profiles += u64::from(sample.count.max(1).unsigned_abs());
            let at = sample.timestamp.unwrap_or_default();
            let ms = i64::from(at.nanos / 1_000_000);
            let at_ms = at.seconds.saturating_mul(1000).saturating_add(ms);
            points.push((at_ms, sample.value as f64));
        }
        let pairs = series.labels.unwrap_or_default().labels.into_iter();
        sets.push(pairs.map(|label| (label.name, label.value)).collect::<BTreeMap<_, _>>());
    }
    let step_ms = ((range.until_ms - range.from_ms) / 100).max(1000);
    Fleet {
        profiles: Some(profiles),
        series: Some(labels::spans(range, step_ms, points.into_iter())),
        ..labels::fleet(&sets)
    }
}

/// The types of profiles, and the labels with their values.
pub(crate) fn list(query: &Query, observe: &mut dyn FnMut(Step)) -> Result<Listing, FetchError> {
    let api = Api::new(query);
    let (start, end) = (api.start, api.end);
    let types = api.types(observe)?;
    let profile_type = query.options.profile_type.clone();
    let matchers = labels::matchers(query.options);
    let request = LabelsRequest {
        matchers: matchers.clone(),
        start,
        end,
        profile_type: profile_type.clone(),
    };
    let names: Names = api.ask("Labels", &request, observe)?;
    labels::listing(types, names.names, |label_name| {
        let (matchers, profile_type) = (matchers.clone(), profile_type.clone());
        let request = ValuesRequest { label_name, matchers, start, end, profile_type };
        api.ask("Values", &request, observe).map(|values: Names| values.names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn frames_have_a_message_and_a_status() {
        let frame = |flags: u8, content: &[u8]| {
            let mut frame = vec![flags];
            frame.extend((content.len() as u32).to_be_bytes());
            frame.extend(content);
            frame
        };
        let good = [frame(0, b"abc"), frame(TRAILER, b"grpc-status:0\r\n")].concat();
        assert_eq!(message_of(&good).unwrap(), b"abc");
        let status = frame(TRAILER, b"Grpc-Status: 5\r\ngrpc-message: no%20profile\r\n");
        let message = message_of(&status).unwrap_err();
        assert_eq!(message, "answered with gRPC status 5: no profile");
        assert!(message_of(&good[..6]).unwrap_err().starts_with("the response is truncated"));
        assert!(message_of(b"<html>").unwrap_err().starts_with("the response is truncated"));
        assert!(message_of(b"").unwrap_err().starts_with("the response has no message"));
    }

    #[test]
    fn times_that_no_clock_has_are_left_out() {
        let range = Range { from_ms: 1000, until_ms: 3000 };
        let sample = |seconds, nanos| MetricsSample {
            timestamp: Some(Time { seconds, nanos }),
            value: i64::MAX,
            count: i32::MIN,
        };
        let samples =
            vec![sample(i64::MAX, i32::MAX), sample(i64::MIN, i32::MIN), sample(1, 5_000_000)];
        let series = vec![MetricsSeries { labels: None, samples }];
        let known = of_series(QueryRangeResponse { series }, range);
        assert_eq!(known.series.unwrap().values, [i64::MAX as f64, 0.0, 0.0]);
        assert_eq!(known.profiles, Some(3));
    }

    proptest! {
        #[test]
        fn no_answer_is_a_panic(content: Vec<u8>, value: i64, seconds: i64, nanos: i32) {
            let _ = message_of(&content);
            let timestamp = Some(Time { seconds, nanos });
            let samples = vec![MetricsSample { timestamp, value, count: nanos }];
            let answer = QueryRangeResponse::decode(content.as_slice()).unwrap_or_default();
            let more = MetricsSeries { labels: None, samples };
            let series = answer.series.into_iter().chain([more]).collect();
            of_series(QueryRangeResponse { series }, Range { from_ms: 0, until_ms: 3_600_000 });
        }
    }
}
