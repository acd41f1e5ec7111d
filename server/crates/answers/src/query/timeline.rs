//! The weight of what is shown over time.

use super::ask::{Ask, Takes};
use crate::keys::weight::Weight;
use crate::query::fleet;
use crate::session::marks::Marks;
use crate::world::World;
use crate::world::context::Context;
use analysis::{Activity, Metric, Thread};
use formats::{Fleet, Series};
use loading::text::one_line;
use loading::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default number of buckets.
const BUCKETS: usize = 100;

/// The largest number of buckets.
const MAX_BUCKETS: usize = 10_000;

/// The timeline to return.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "TimelineArgument")]
pub struct Question {
    /// The number of buckets, at most 10000. Default: 100.
    pub buckets: Option<usize>,
    /// Whether to return the timeline of each thread too. Default: false.
    pub by_thread: Option<bool>,
}

/// The weight of what is shown over time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The metric.
    pub metric: String,
    /// The unit of weights.
    pub unit: String,
    /// What is not default about the view: `2..5 ms`.
    pub marks: Vec<String>,
    /// The total of the view. If times are known, the sum of all buckets and of `withoutTime`.
    pub total: Weight,
    /// Why there is no timeline: the profile does not record times. Null if there is one.
    pub problem: Option<String>,
    /// When the first bucket starts: at the first sample of the recording, or at the start of the
    /// chosen range. In milliseconds since the first sample. Null if times are unknown.
    pub start_ms: Option<f64>,
    /// When the last bucket ends: at the last sample of the recording, or at the end of the chosen
    /// range. In milliseconds since the first sample. Null if times are unknown.
    pub end_ms: Option<f64>,
    /// The length of a bucket in milliseconds. Null if times are unknown.
    pub bucket_ms: Option<f64>,
    /// When each bucket starts, and when the last one ends. Empty if times are unknown.
    pub edges: Vec<Edge>,
    /// The timeline of all chosen threads.
    #[serde(flatten)]
    pub all: Row,
    /// The weight over time that the source of a fetched profile states. It covers the whole
    /// profile, whatever is shown. Missing if the source states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Collected")]
    pub collected: Option<Collected>,
    /// The timelines of the chosen threads. Missing if they were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<ThreadRow>")]
    pub threads: Option<Vec<ThreadRow>>,
}

/// One timeline.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TimelineRow")]
pub struct Row {
    /// The buckets, in chronological order. A sample at the end of a bucket is in the next one; at
    /// the end of the recording, in the last one. Empty if times are unknown.
    pub buckets: Vec<Bucket>,
    /// The weight of the samples whose time is unknown. They are in no bucket.
    pub without_time: Option<Weight>,
}

/// The start of a bucket, or the end of the last one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TimelineEdge")]
pub struct Edge {
    /// The time in milliseconds since the first sample. `costline.setView` with the range from one
    /// edge to another shows the buckets between them. Null at the end of the recording, where the
    /// range must be open to include a sample at the end.
    pub ms: Option<f64>,
    /// The time for display: `1.20 s`.
    pub text: String,
}

/// The weight over time that the source of a fetched profile states.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TimelineCollected")]
pub struct Collected {
    /// When the first bucket starts, in milliseconds since 1970.
    pub start_ms: i64,
    /// The length of a bucket in milliseconds.
    pub bucket_ms: i64,
    /// The buckets, in chronological order.
    pub buckets: Vec<Bucket>,
    /// When each bucket starts, and when the last one ends, for display: `2025-11-24 10:00`.
    pub edges: Vec<String>,
    /// What it is, for display: `CPU of the whole profile, as stated by shop: 2025-11-24 10:00 to
    /// 11:00 UTC`.
    pub text: String,
}

impl Collected {
    /// What the source of a profile states. `None` if it states nothing.
    fn of(fleet: &Fleet, metric: &Metric) -> Option<Self> {
        let Series { start_ms, step_ms, values } = fleet.series.as_ref()?;
        let edge = |at: usize| {
            let ms = i64::try_from(at).unwrap_or(i64::MAX).saturating_mul(*step_ms);
            start_ms.saturating_add(ms)
        };
        let (from, until) = (edge(0), edge(values.len()));
        let mut text =
            format!("{} of the whole profile, as stated by {}", metric.name, fleet::name(fleet));
        if let Some(range) = fleet::range([from, until]) {
            text = format!("{text}: {range}");
        }
        Some(Self {
            start_ms: *start_ms,
            bucket_ms: *step_ms,
            buckets: values.iter().map(|&weight| Bucket::new(weight, metric)).collect(),
            edges: (0..=values.len())
                .map(|at| fleet::at_ms(edge(at)).and_then(fleet::minute).unwrap_or_default())
                .collect(),
            text: one_line(&text).into_owned(),
        })
    }
}

/// A span of time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "TimelineBucket")]
pub struct Bucket {
    /// The weight of the samples that were taken in it, in the unit of the metric. A sample that
    /// stands for a duration is in the bucket in which it starts. A recorded call is in each bucket
    /// that contains self time of the call, with that part of the time.
    pub weight: Weight,
    /// The weight for display: `45 samples`.
    pub text: String,
}

impl Bucket {
    fn new(weight: f64, metric: &Metric) -> Self {
        Self { weight: Weight(weight), text: units::absolute(weight, metric) }
    }
}

/// The timeline of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TimelineThread")]
pub struct ThreadRow {
    /// The name of the thread, or else of its process.
    pub name: String,
    /// The process id.
    pub pid: Option<String>,
    /// The thread id.
    pub tid: Option<String>,
    /// Its timeline.
    #[serde(flatten)]
    pub row: Row,
}

impl Row {
    fn new(activity: Activity, metric: &Metric) -> Self {
        let buckets = activity.buckets.into_iter().map(|weight| Bucket::new(weight, metric));
        Self { buckets: buckets.collect(), without_time: Some(Weight(activity.without_time)) }
    }
}

impl Ask for Question {
    const NAME: &'static str = "timeline";
    const DESCRIPTION: &'static str = "Return the weight of the samples over time, from the first \
                                       sample to the last or over the chosen range, in buckets of \
                                       equal length. Null without a profile.";
    const TAKES: Takes = Takes::Options;
    const OF_ANY_PROFILE: bool = true;
    type Answer = Option<Timeline>;

    fn answer(self, context: &Context) -> Result<Self::Answer, String> {
        timeline(&context.world, &self)
    }
}

/// The weight of what is shown over time. `None` without a profile. The error is a message for
/// users.
pub fn timeline(world: &World, question: &Question) -> Result<Option<Timeline>, String> {
    let n = question.buckets.unwrap_or(BUCKETS);
    if !(1..=MAX_BUCKETS).contains(&n) {
        return Err(format!("`buckets` is {n}; expected 1 to {MAX_BUCKETS}"));
    }
    let by_thread = question.by_thread.unwrap_or_default();
    let Some(shown) = world.snapshot() else { return Ok(None) };
    let (recorded, recording) = (&shown.loaded.recording, &shown.grouped.recording);
    let timeline = analysis::timeline(recorded, recording, &shown.grouped.view, n, by_thread);
    let metric = &shown.costs.metric;
    let unknown = Timeline {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        marks: Marks::of_world(world).all(),
        total: Weight(shown.costs.total),
        problem: None,
        start_ms: None,
        end_ms: None,
        bucket_ms: None,
        edges: Vec::new(),
        all: Row::default(),
        collected: shown.loaded.fleet.as_ref().and_then(|fleet| Collected::of(fleet, metric)),
        threads: by_thread.then(Vec::new),
    };
    let timeline = match timeline {
        Ok(timeline) => timeline,
        Err(unmatched) => {
            return Ok(Some(Timeline { problem: Some(unmatched.problem), ..unknown }));
        }
    };
    let ms = |ns: u64| ns as f64 / 1e6;
    let is_whole = shown.grouped.view.range.is_none_or(|range| range.end_ns > timeline.end_ns);
    let edge = |at: usize| {
        let ns = timeline.edge_ns(at, n);
        let is_end = at == n && is_whole;
        Edge { ms: (!is_end).then(|| ms(ns)), text: units::duration(ns as f64 / 1e9) }
    };
    let edges: Vec<_> = (0..=n).map(edge).collect();
    let threads = timeline.threads.into_iter().map(|(id, activity)| {
        let thread = recording.threads().get(id.index()).cloned().unwrap_or_default();
        let Thread { name, process_name, pid, tid, run: _ } = thread;
        let name = if name.is_empty() { process_name } else { name };
        ThreadRow { name, pid, tid, row: Row::new(activity, metric) }
    });
    Ok(Some(Timeline {
        start_ms: Some(ms(timeline.start_ns)),
        end_ms: Some(ms(timeline.end_ns)),
        bucket_ms: Some(ms(timeline.end_ns - timeline.start_ns) / n as f64),
        edges,
        threads: by_thread.then(|| threads.collect()),
        all: Row::new(timeline.all, metric),
        ..unknown
    }))
}
