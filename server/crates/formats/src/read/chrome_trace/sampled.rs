//! Sampled JavaScript in a trace: `Profile` events with their `ProfileChunk`s, or `CpuProfile`
//! events, each a whole profile.
//!
//! Chunks belong to the profile with the same process and id; ids repeat between processes. Nodes
//! name their caller and may arrive after they are first used; samples refer to nodes of any
//! earlier chunk. `lines` and `columns` are the executing position of each sample, 1-based, if V8
//! knows it; nothing says where callers were executing. Without them, lines are known if nodes
//! count hits, as in a `.cpuprofile`: see [`Counted`].

use super::event::{Event, EventError, number};
use super::names::{Id, Names};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::number::position;
use crate::read::v8::{self, Counted, CpuProfile, Node, Tree, callers_first, durations};
use profile::{
    FuncId, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, WarningCode,
    Warnings, Weights,
};
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
    #[serde(borrow, default)]
    cpu_profile: Chunk<'a>,
    /// Microseconds since the previous sample; the very first counts from `start_time`.
    #[serde(default)]
    time_deltas: Vec<f64>,
    #[serde(default)]
    lines: Vec<f64>,
    #[serde(default)]
    columns: Vec<f64>,
}

/// Part of a profile, or a whole one, which has its times here.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    nodes: Vec<Node<'a>>,
    /// Node ids.
    #[serde(default)]
    samples: Vec<i64>,
    #[serde(default)]
    time_deltas: Vec<f64>,
    start_time: Option<f64>,
    end_time: Option<f64>,
}

/// All profiles of a trace, in order of their first events.
#[derive(Default)]
pub(super) struct Sampled {
    profiles: Vec<Parts>,
    ids: FxHashMap<(Id, Id), usize>,
    /// Whether any profile has samples or hits.
    has_costs: bool,
}

/// The profile of one thread.
#[derive(Default)]
struct Parts {
    pid: Id,
    /// The thread that was sampled. (The thread of the chunks is only the one that writes them.)
    tid: Id,
    start_time: Option<f64>,
    end_time: Option<f64>,
    /// The arguments of the chunks, each with the time when it was written.
    chunks: Vec<(f64, Box<str>)>,
}

impl Sampled {
    /// Whether an event is one of a profile.
    pub(super) fn has(event: &Event<'_>) -> bool {
        match event.name() {
            "Profile" | "ProfileChunk" => event.phase() == "P",
            // Its phase differs by writer, and a program may have an event of the same name.
            "CpuProfile" => event.args.is_some_and(|args| args.get().contains("\"cpuProfile\"")),
            _ => false,
        }
    }

    /// Adds an event of a profile.
    pub(super) fn add(&mut self, event: &Event<'_>, names: &mut Names) -> Result<(), EventError> {
        let args = event.args.map_or("{}", |args| args.get());
        let Args { data } = serde_json::from_str(args)?;
        let pid = names.id(event.pid)?;
        let next = self.profiles.len();
        let is_whole = event.name() == "CpuProfile";
        let index = if is_whole {
            next
        } else {
            let id = names.id(event.id.or(event.id2))?;
            *self.ids.entry((pid, id)).or_insert(next)
        };
        if index == next {
            self.profiles.push(Parts { pid, ..Parts::default() });
        }
        let Some(profile) = self.profiles.get_mut(index) else { return Ok(()) };
        if is_whole || event.name() == "Profile" {
            profile.tid = names.id(event.tid)?;
        }
        let Chunk { nodes, samples, start_time, end_time, .. } = &data.cpu_profile;
        profile.start_time = profile.start_time.or(data.start_time).or(*start_time);
        profile.end_time = data.end_time.or(*end_time).or(profile.end_time);
        self.has_costs |= !samples.is_empty() || nodes.iter().any(Node::has_hits);
        profile.chunks.push((number(event.ts).unwrap_or(0.0), args.into()));
        Ok(())
    }

    /// Whether no profile has samples or hits.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_costs
    }

    /// Builds the recording, with one thread per profile.
    pub(super) fn read(&self, names: &Names, mut warnings: Warnings) -> Result<Read, ReadError> {
        let mut profiles: Vec<Profile<'_>> = self.profiles.iter().map(Profile::of).collect();
        if profiles.iter().any(|profile| !profile.is_browser_page()) {
            profiles.retain(|profile| {
                let foreign = profile.is_browser_page();
                if foreign {
                    warnings.add(WarningCode::BrowserPage, || {
                        let n = profile.n_samples();
                        format!(
                            "{n} samples of a page of the browser itself (chrome://) are left out"
                        )
                    });
                }
                !foreign
            });
        }
        let profiles = profiles.into_iter().map(|profile| profile.put_together(&mut warnings));
        let profiles = profiles.collect::<Result<Vec<Joined<'_>>, _>>()?;
        let has_hits = |joined: &Joined<'_>| joined.profile.nodes.iter().any(Node::has_hits);
        let by_hits = profiles.iter().all(|joined| joined.positions.is_none())
            && profiles.iter().any(has_hits);
        let mut span = 0.0_f64;
        let mut builder;
        if by_hits {
            let count =
                |joined: &Joined<'_>| Counted::of(&joined.profile, &joined.tree, &mut warnings);
            let counted: Vec<Counted> = profiles.iter().map(count).collect();
            let any_line = counted.iter().any(Counted::any_line);
            let times = counted.iter().filter_map(Counted::total_time);
            builder = ProfileBuilder::new(
                v8::metrics(any_line).to_vec(),
                v8::default_metric(Some(times.sum())),
            );
            for (Joined { pid, tid, profile, tree, .. }, counted) in profiles.iter().zip(counted) {
                span = span.max(counted.total_time().unwrap_or(0.0));
                let samples = counted.samples(&mut builder, &profile.nodes, tree)?;
                builder.push_thread(names.thread(*pid, *tid), samples)?;
            }
        } else {
            let any_line = profiles
                .iter()
                .flat_map(|joined| joined.positions.iter().flatten())
                .any(|position| position.0 > 0);
            let metrics = [("samples", "samples"), ("time", "us")];
            let metrics = metrics
                .map(|(name, unit)| Metric::new(name, unit, None).with_lines(lines(any_line)));
            let total_time = profiles.iter().flat_map(Joined::durations).sum();
            builder = ProfileBuilder::new(metrics.to_vec(), v8::default_metric(Some(total_time)));
            for joined in profiles {
                span = span.max(joined.durations().sum());
                let samples = joined.samples(&mut builder, &mut warnings)?;
                builder.push_thread(names.thread(joined.pid, joined.tid), samples)?;
            }
        }
        let recording = Recording::Stacks(builder.build());
        Ok(Read {
            span_seconds: Some(span / 1e6),
            ..Read::new(Format::ChromeTrace, recording, warnings)
        })
    }
}

fn lines(any: bool) -> LineKnowledge {
    if any { LineKnowledge::SelfOnly } else { LineKnowledge::Nothing }
}

/// The profile of one thread, joined from its chunks.
struct Joined<'a> {
    pid: Id,
    tid: Id,
    profile: CpuProfile<'a>,
    tree: Tree,
    /// Executing line and column of each sample; `None` if the profile has no positions.
    positions: Option<Vec<(u32, u32)>>,
}

/// The profile of one thread, decoded.
struct Profile<'a> {
    parts: &'a Parts,
    /// The chunks in the order in which they were written.
    chunks: Vec<Data<'a>>,
}

impl<'a> Profile<'a> {
    fn of(parts: &'a Parts) -> Self {
        let mut chunks: Vec<_> = parts.chunks.iter().collect();
        chunks.sort_by(|a, b| a.0.total_cmp(&b.0));
        // They were decoded before.
        let data = |(_, args): &'a (f64, Box<str>)| serde_json::from_str::<Args<'a>>(args).ok();
        let chunks = chunks.into_iter().filter_map(data).map(|args| args.data).collect();
        Self { parts, chunks }
    }

    fn nodes(&self) -> impl Iterator<Item = &Node<'a>> {
        self.chunks.iter().flat_map(|data| &data.cpu_profile.nodes)
    }

    fn n_samples(&self) -> usize {
        self.chunks.iter().map(|data| data.cpu_profile.samples.len()).sum()
    }

    /// Whether all code belongs to pages of the browser itself, such as its toolbars.
    fn is_browser_page(&self) -> bool {
        let mut urls =
            self.nodes().map(|node| &*node.call_frame.url).filter(|url| !url.is_empty()).peekable();
        let own = ["chrome://", "chrome-untrusted://", "devtools://"];
        urls.peek().is_some() && urls.all(|url| own.iter().any(|scheme| url.starts_with(scheme)))
    }

    fn put_together(self, warnings: &mut Warnings) -> Result<Joined<'a>, ReadError> {
        let Self { parts: &Parts { pid, tid, start_time, end_time, .. }, chunks } = self;
        let has_positions = chunks.iter().any(|data| !data.lines.is_empty());
        let (mut nodes, mut samples, mut time_deltas, mut positions) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for data in chunks {
            let deltas = if data.time_deltas.is_empty() {
                &data.cpu_profile.time_deltas
            } else {
                &data.time_deltas
            };
            let cell = |column: &[f64], i: usize| column.get(i).copied().unwrap_or(0.0);
            for (i, node) in data.cpu_profile.samples.iter().enumerate() {
                samples.push(*node);
                time_deltas.push(cell(deltas, i));
                positions.push((position(cell(&data.lines, i)), position(cell(&data.columns, i))));
            }
            nodes.extend(data.cpu_profile.nodes);
        }
        let tree = tree(&nodes, warnings)?;
        let profile = CpuProfile {
            nodes,
            start_time,
            end_time,
            samples: Some(samples),
            time_deltas: Some(time_deltas),
        };
        Ok(Joined { pid, tid, profile, tree, positions: has_positions.then_some(positions) })
    }
}

/// Builds the tree of nodes. A caller may be missing if it was recorded before the trace began.
fn tree(nodes: &[Node<'_>], warnings: &mut Warnings) -> Result<Tree, ReadError> {
    if nodes.iter().any(Node::has_children) {
        return Tree::of(nodes);
    }
    let rows: FxHashMap<i64, usize> =
        nodes.iter().enumerate().rev().map(|(row, node)| (node.id, row)).collect();
    let caller = |node: &Node<'_>| {
        let parent = node.parent?;
        let row = rows.get(&parent).copied();
        if row.is_none() {
            warnings.add(WarningCode::UnknownCaller, || {
                format!("node {parent} does not exist; its callees have no caller")
            });
        }
        row
    };
    let caller: Vec<Option<usize>> = nodes.iter().map(caller).collect();
    let callers_first = callers_first(&caller).map_err(|row| {
        let id = nodes.get(row).map_or(0, |node| node.id);
        ReadError::malformed(
            At::Key("args.data.cpuProfile.nodes".to_owned()),
            format!("node {id} is its own caller"),
        )
    })?;
    Ok(Tree { rows, caller, callers_first })
}

impl Joined<'_> {
    /// How long each sample lasts, in microseconds.
    fn durations(&self) -> impl Iterator<Item = f64> {
        let CpuProfile { start_time, end_time, .. } = self.profile;
        let end = start_time.zip(end_time).map(|(start, end)| end - start);
        let deltas = self.profile.time_deltas.as_deref().unwrap_or_default();
        // Without samples, nothing lasts until the end.
        durations(deltas, end).take(deltas.len())
    }

    /// One row per sample.
    fn samples(
        &self,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<Samples, ReadError> {
        let CpuProfile { nodes, samples, time_deltas, start_time, .. } = &self.profile;
        // For each node: its caller's stack, its func, and its own stack.
        let mut calls: Vec<Option<(Option<StackId>, FuncId, StackId)>> = vec![None; nodes.len()];
        for &row in &self.tree.callers_first {
            let (Some(node), Some(&caller)) = (nodes.get(row), self.tree.caller.get(row)) else {
                continue;
            };
            let caller =
                caller.and_then(|row| calls.get(row).copied().flatten()).map(|(.., stack)| stack);
            if node.call_frame.is_root() {
                continue;
            }
            let func = node.call_frame.intern(builder)?;
            let stack = node.call_frame.stack(builder, caller, func, (0, 0))?;
            if let Some(call) = calls.get_mut(row) {
                *call = Some((caller, func, stack));
            }
        }

        let mut stacks = Vec::new();
        for (i, node) in samples.iter().flatten().enumerate() {
            let Some(&row) = self.tree.rows.get(node) else {
                warnings.add(WarningCode::UnknownNode, || {
                    format!("a sample refers to node {node}, which does not exist; it has no stack")
                });
                stacks.push(None);
                continue;
            };
            let position = self
                .positions
                .as_ref()
                .and_then(|positions| positions.get(i))
                .copied()
                .unwrap_or_default();
            let (node, call) = (nodes.get(row), calls.get(row).copied().flatten());
            stacks.push(match (node, call) {
                // Native functions have the position of their caller.
                (Some(node), Some((caller, func, _)))
                    if position.0 > 0 && !node.call_frame.url.is_empty() =>
                {
                    Some(node.call_frame.stack(builder, caller, func, position)?)
                }
                _ => call.map(|(.., stack)| stack),
            });
        }
        let time: Vec<f64> = self.durations().collect();
        // A sample lasts until the next; the first delta is the time since the start.
        let first = time_deltas.as_deref().and_then(<[f64]>::first);
        let times = first.zip(*start_time).map(|(first, start)| {
            let mut at = start + first;
            let starts = time.iter().map(|duration| {
                let start_ms = at / 1e3;
                at += duration;
                start_ms
            });
            starts.collect()
        });
        let mut samples = Samples::new(stacks, vec![Weights::Ones, Weights::Each(time)]);
        if let Some(times) = times {
            samples = samples.with_times(times);
        }
        Ok(samples)
    }
}
