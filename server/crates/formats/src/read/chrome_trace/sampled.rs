//! Sampled JavaScript inside a trace: `Profile` events and the `ProfileChunk`s that belong to them.
//!
//! Chunks belong to the profile with their process and id: ids repeat between processes. Nodes name their caller and may
//! arrive after it was used; samples refer to nodes of any chunk before. `lines` and `columns` are the executing position
//! of each sample, 1-based, as far as V8 knows it; nothing says where callers were executing.

use super::Names;
use super::event::{Event, id, number};
use crate::read::position;
use crate::read::v8::{CallFrame, callers_first, durations};
use crate::{At, Format, Read, ReadError};
use profile::{FuncId, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread, Warnings, Weights};
use rustc_hash::FxHashMap;
use serde::Deserialize;

#[derive(Deserialize)]
struct Args<'a> {
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    /// In microseconds.
    start_time: Option<f64>,
    end_time: Option<f64>,
    #[serde(borrow)]
    cpu_profile: Option<Chunk<'a>>,
    /// Microseconds since the sample before; the first of all since `start_time`.
    #[serde(default)]
    time_deltas: Vec<f64>,
    #[serde(default)]
    lines: Vec<f64>,
    #[serde(default)]
    columns: Vec<f64>,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    nodes: Vec<Node<'a>>,
    /// Node ids.
    #[serde(default)]
    samples: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node<'a> {
    id: i64,
    #[serde(borrow)]
    call_frame: CallFrame<'a>,
    parent: Option<i64>,
}

/// All profiles of a trace, in the order in which they are first mentioned.
#[derive(Default)]
pub(super) struct Sampled<'a> {
    profiles: Vec<CpuProfile<'a>>,
    ids: FxHashMap<(Option<&'a str>, Option<&'a str>), usize>,
}

/// One thread's samples.
#[derive(Default)]
struct CpuProfile<'a> {
    pid: Option<&'a str>,
    /// The thread that was sampled; that of the chunks only writes.
    tid: Option<&'a str>,
    start_time: Option<f64>,
    end_time: Option<f64>,
    /// With the time at which they were written.
    chunks: Vec<(f64, Data<'a>)>,
}

impl<'a> Sampled<'a> {
    /// Adds a `Profile` or `ProfileChunk`.
    pub(super) fn add(&mut self, event: &Event<'a>) -> serde_json::Result<()> {
        let args = event.args.map_or("{}", |args| args.get());
        let Args { data } = serde_json::from_str(args)?;
        let pid = id(event.pid);
        let next = self.profiles.len();
        let index = *self.ids.entry((pid, id(event.id.or(event.id2)))).or_insert(next);
        if index == next {
            self.profiles.push(CpuProfile { pid, ..CpuProfile::default() });
        }
        let Some(profile) = self.profiles.get_mut(index) else { return Ok(()) };
        if event.name() == "Profile" {
            profile.tid = id(event.tid);
        }
        profile.start_time = profile.start_time.or(data.start_time);
        profile.end_time = data.end_time.or(profile.end_time);
        profile.chunks.push((number(event.ts).unwrap_or(0.0), data));
        Ok(())
    }

    /// Whether anything was sampled.
    pub(super) fn is_empty(&self) -> bool {
        self.profiles.iter().all(|profile| profile.samples().next().is_none())
    }

    /// The recording, one thread per profile.
    pub(super) fn read(mut self, names: &Names<'a>, mut warnings: Warnings) -> Result<Read, ReadError> {
        if self.profiles.iter().any(|profile| !profile.is_browser_page()) {
            self.profiles.retain(|profile| {
                let foreign = profile.is_browser_page();
                if foreign {
                    warnings.add("browser-page", || {
                        let n = profile.samples().count();
                        format!("{n} samples of a page of the browser itself (chrome://) are left out")
                    });
                }
                !foreign
            });
        }
        for profile in &mut self.profiles {
            profile.chunks.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let any_line = self.profiles.iter().any(|profile| profile.samples().any(|sample| sample.position.0 > 0));
        let lines = if any_line { LineKnowledge::SelfOnly } else { LineKnowledge::Nothing };
        let metrics = [("samples", "samples"), ("time", "us")];
        let metrics = metrics.map(|(name, unit)| Metric::new(name, unit, None).with_lines(lines));

        let mut builder = ProfileBuilder::new(metrics.to_vec(), 0);
        let mut span = 0.0_f64;
        for profile in self.profiles {
            let (samples, time) = profile.convert(&mut builder, &mut warnings)?;
            span = span.max(time);
            builder.push_thread(Thread { samples, ..names.thread(profile.pid, profile.tid) })?;
        }
        let recording = Recording::Stacks(builder.build());
        Ok(Read { recording, format: Format::ChromeTrace, version: None, span_seconds: Some(span / 1e6), warnings })
    }
}

struct Sample {
    node: i64,
    delta: f64,
    position: (u32, u32),
}

impl CpuProfile<'_> {
    fn nodes(&self) -> impl Iterator<Item = &Node<'_>> {
        self.chunks.iter().filter_map(|(_, data)| data.cpu_profile.as_ref()).flat_map(|chunk| &chunk.nodes)
    }

    fn samples(&self) -> impl Iterator<Item = Sample> {
        let samples = |data: &Data<'_>| data.cpu_profile.as_ref().map_or(0, |chunk| chunk.samples.len());
        self.chunks.iter().flat_map(move |(_, data)| {
            let cell = |column: &[f64], i: usize| column.get(i).copied().unwrap_or(0.0);
            (0..samples(data)).filter_map(move |i| {
                Some(Sample {
                    node: *data.cpu_profile.as_ref()?.samples.get(i)?,
                    delta: cell(&data.time_deltas, i),
                    position: (position(cell(&data.lines, i)), position(cell(&data.columns, i))),
                })
            })
        })
    }

    /// Whether all code is that of pages that come with the browser, such as its own toolbars.
    fn is_browser_page(&self) -> bool {
        let mut urls = self.nodes().map(|node| &*node.call_frame.url).filter(|url| !url.is_empty()).peekable();
        let own = ["chrome://", "chrome-untrusted://", "devtools://"];
        urls.peek().is_some() && urls.all(|url| own.iter().any(|scheme| url.starts_with(scheme)))
    }

    /// One row per sample, and the microseconds that they last.
    fn convert(&self, builder: &mut ProfileBuilder, warnings: &mut Warnings) -> Result<(Samples, f64), ReadError> {
        let nodes: Vec<&Node<'_>> = self.nodes().collect();
        let rows: FxHashMap<i64, usize> = nodes.iter().enumerate().rev().map(|(row, node)| (node.id, row)).collect();
        let caller = |node: &&Node<'_>| {
            let parent = node.parent?;
            let row = rows.get(&parent).copied();
            if row.is_none() {
                warnings.add("unknown-caller", || format!("node {parent} is not there; what it called has no caller"));
            }
            row
        };
        let callers: Vec<Option<usize>> = nodes.iter().map(caller).collect();
        let order = callers_first(&callers).map_err(|row| {
            let id = nodes.get(row).map_or(0, |node| node.id);
            ReadError::malformed(At::Key("args.data.cpuProfile.nodes".to_owned()), format!("node {id} is its own caller"))
        })?;

        // Of each node: its caller's stack, its func, and its stack.
        let mut calls: Vec<Option<(Option<StackId>, FuncId, StackId)>> = vec![None; nodes.len()];
        for row in order {
            let (Some(node), Some(&caller)) = (nodes.get(row), callers.get(row)) else { continue };
            let caller = caller.and_then(|row| calls.get(row).copied().flatten()).map(|(.., stack)| stack);
            if node.call_frame.is_root() {
                continue;
            }
            let func = node.call_frame.intern(builder)?;
            let stack = node.call_frame.stack(builder, caller, func, (0, 0))?;
            if let Some(call) = calls.get_mut(row) {
                *call = Some((caller, func, stack));
            }
        }

        let (mut stacks, mut deltas) = (Vec::new(), Vec::new());
        for Sample { node, delta, position } in self.samples() {
            deltas.push(delta);
            let Some(&row) = rows.get(&node) else {
                warnings.add("unknown-node", || format!("a sample names node {node}, which is not there; it has no stack"));
                stacks.push(None);
                continue;
            };
            let (node, call) = (nodes.get(row), calls.get(row).copied().flatten());
            stacks.push(match (node, call) {
                // Natives have the position of their caller.
                (Some(node), Some((caller, func, _))) if position.0 > 0 && !node.call_frame.url.is_empty() => {
                    Some(node.call_frame.stack(builder, caller, func, position)?)
                }
                _ => call.map(|(.., stack)| stack),
            });
        }
        let end = self.start_time.zip(self.end_time).map(|(start, end)| end - start);
        let time: Vec<f64> = durations(&deltas, end).take(stacks.len()).collect();
        let total = time.iter().sum();
        Ok((Samples::new(stacks, vec![Weights::Ones, Weights::Each(time)]), total))
    }
}
