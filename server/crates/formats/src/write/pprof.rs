//! pprof's `profile.proto`, compressed with gzip, for `go tool pprof` and other programs that read
//! pprof.
//!
//! Values are whole numbers: times with fractions become nanoseconds. Samples of a thread with the
//! same stack become one. A function and the functions inlined into it share a location, innermost
//! first. There are no addresses. A function has one file in this format, so its code of other
//! files becomes functions of the same name.

use super::{PARTS, UNKNOWN_LINE_TOTALS, Written, elsewhere, has_idle_samples, has_parts};
use crate::pprof_proto as proto;
use flate2::Compression;
use flate2::read::GzEncoder;
use profile::{
    FrameId, FuncId, Label, LabelSetId, LabelValue, Lib, LineKnowledge, Metric, Profile, Samples,
    SourceId, StackAccess, StackId, Thread, Weights,
};
use prost::Message;
use rustc_hash::FxHashMap;
use std::io::Read;

/// Writes a profile for pprof. The same profile always gives the same bytes.
pub fn write(profile: &Profile) -> Written {
    let (file, strings) = (proto::Profile::default(), FxHashMap::default());
    let mut writer =
        Writer { profile, file, strings, parts: FxHashMap::default(), lost: Vec::new() };
    writer.string("");
    let scales = writer.metrics();
    writer.symbols();
    writer.note_losses();

    // Concatenated messages are one message, so samples need not be kept in memory.
    let string_table = std::mem::take(&mut writer.file.string_table);
    let mut bytes = writer.file.encode_to_vec();
    writer.file = proto::Profile { string_table, ..proto::Profile::default() };
    let mut locations = Locations {
        parts: std::mem::take(&mut writer.parts),
        leaves: vec![None; profile.stacks().len()],
        ..Locations::default()
    };
    for (thread, samples) in profile.sampled_threads() {
        let of_thread = labels_of_thread(thread);
        for ((stack, set), weights) in by_stack(samples) {
            let location_id = locations.of_stack(stack, profile);
            let value = weights
                .iter()
                .zip(&scales)
                .map(|(weight, scale)| (weight * scale).round() as i64)
                .collect();
            let label = writer.labels(set, &of_thread);
            let sample = vec![proto::Sample { location_id, value, label }];
            bytes.extend(proto::Profile { sample, ..proto::Profile::default() }.encode_to_vec());
        }
    }
    if locations.begins_inlined {
        writer.lost.push("that an outermost function is inlined");
    }
    writer.file.location = locations.rows;
    bytes.extend(writer.file.encode_to_vec());
    Written { bytes: gzip(&bytes), lost: writer.lost }
}

#[expect(clippy::expect_used, reason = "memory can be read and written")]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, Compression::default())
        .read_to_end(&mut packed)
        .expect("no file is involved");
    packed
}

/// What samples have in common that are written as one.
type SampleKey = (Option<StackId>, LabelSetId);

/// The stacks of a thread with their labels, in order of their first sample, with the sums of their
/// weights in each metric.
fn by_stack(samples: &Samples) -> Vec<(SampleKey, Vec<f64>)> {
    let mut rows: Vec<(SampleKey, Vec<f64>)> = Vec::new();
    let mut row_of = FxHashMap::default();
    for (i, stack) in samples.stacks().enumerate() {
        let key = (stack, samples.label_set(i));
        let row = *row_of.entry(key).or_insert_with(|| {
            rows.push((key, vec![0.0; samples.weights().len()]));
            rows.len() - 1
        });
        for (sum, weights) in rows[row].1.iter_mut().zip(samples.weights()) {
            *sum += weights.get(i);
        }
    }
    rows
}

/// A file being built.
struct Writer<'a> {
    profile: &'a Profile,
    file: proto::Profile,
    strings: FxHashMap<String, u32>,
    parts: Parts,
    lost: Vec<&'static str>,
}

/// The functions for the code of other files in a func.
type Parts = FxHashMap<(FuncId, SourceId), u64>;

impl Writer<'_> {
    fn string(&mut self, text: &str) -> i64 {
        if let Some(&index) = self.strings.get(text) {
            return i64::from(index);
        }
        let next = self.file.string_table.len() as u32;
        self.file.string_table.push(text.as_bytes().to_vec());
        self.strings.insert(text.to_owned(), next);
        i64::from(next)
    }

    /// Adds the metrics; returns the factors for their weights.
    fn metrics(&mut self) -> Vec<f64> {
        let metrics = self.profile.metrics();
        let mut scales = Vec::with_capacity(metrics.len());
        for (i, metric) in metrics.iter().enumerate() {
            let seconds = seconds_of_unit(metric);
            let weights =
                self.profile.samples().iter().filter_map(|samples| samples.weights().get(i));
            let is_whole = weights.into_iter().all(|weights| match weights {
                Weights::Ones | Weights::Counts(_) => true,
                Weights::Each(weights) => weights.iter().all(|weight| weight.fract() == 0.0),
            });
            let (unit, scale) = match seconds {
                Some(seconds) if !is_whole || metric.unit == "tracing-ms" => {
                    ("nanoseconds", (seconds * 1e9).round())
                }
                _ => (metric.unit.as_str(), 1.0),
            };
            if !is_whole && seconds.is_none() {
                self.lost.push("fractions of weights");
            }
            let sample_type =
                proto::ValueType { r#type: self.string(&metric.name), unit: self.string(unit) };
            self.file.sample_type.push(sample_type);
            scales.push(scale);
        }
        if let Some(default) = metrics.get(self.profile.default_metric().index()) {
            self.file.default_sample_type = self.string(&default.name);
        }
        let interval = metrics
            .iter()
            .filter(|metric| seconds_of_unit(metric).is_none())
            .find_map(|metric| metric.seconds_per_unit);
        if let Some(seconds) = interval {
            self.file.period = (seconds * 1e9).round() as i64;
            self.file.period_type = Some(proto::ValueType {
                r#type: self.string("time"),
                unit: self.string("nanoseconds"),
            });
        }
        scales
    }

    /// Adds libraries and funcs, then the parts of funcs in other files. Ids are row numbers from
    /// 1.
    fn symbols(&mut self) {
        let symbols = self.profile.symbols();
        let mut libs: Vec<(u64, &Lib)> = (1..).zip(&symbols.libs).collect();
        // pprof takes the first mapping for the program, so `[kernel.kallsyms]` must not be it.
        libs.sort_by_key(|(_, lib)| lib.name.starts_with('['));
        for (id, lib) in libs {
            let filename = self.string(if lib.path.is_empty() { &lib.name } else { &lib.path });
            // Otherwise pprof would search the program for names.
            let (has_functions, has_filenames, has_line_numbers, has_inline_frames) =
                (true, true, true, true);
            let flags = proto::Mapping {
                has_functions,
                has_filenames,
                has_line_numbers,
                has_inline_frames,
                ..proto::Mapping::default()
            };
            let build_id = self.string(&lib.code_id);
            self.file.mapping.push(proto::Mapping { id, filename, build_id, ..flags });
        }
        for (id, func) in (1..).zip(symbols.funcs.ids()) {
            let func = symbols.funcs.get(func);
            let name = self.string(symbols.strings.get(func.name));
            let filename = func.source.map_or(0, |source| self.string(symbols.source_name(source)));
            let start_line = i64::from(func.line);
            // If the mangled name were the same, pprof would take it for C++ and shorten it:
            // `<T>::f` would become `::f`.
            self.file.function.push(proto::Function {
                id,
                name,
                system_name: 0,
                filename,
                start_line,
            });
        }
        for frame in (0..self.profile.frames().len() as u32).map(FrameId::new) {
            let Some((source, _)) = elsewhere(self.profile, frame) else { continue };
            let func = self.profile.frames().get(frame).func;
            if self.parts.contains_key(&(func, source)) {
                continue;
            }
            let id = self.file.function.len() as u64 + 1;
            self.parts.insert((func, source), id);
            let (name, filename) =
                (self.string(symbols.func_name(func)), self.string(symbols.source_name(source)));
            self.file.function.push(proto::Function {
                id,
                name,
                system_name: 0,
                filename,
                start_line: 0,
            });
        }
    }

    /// A set of labels of samples, and those of their thread whose texts it does not have.
    fn labels(&mut self, set: LabelSetId, of_thread: &[Label]) -> Vec<proto::Label> {
        let profile = self.profile;
        let own: Vec<&Label> = profile.labels().of_set(set).collect();
        let is_missing = |label: &&Label| {
            !own.iter().any(|own| own.value.to_string() == label.value.to_string())
        };
        let of_thread = of_thread.iter().filter(is_missing);
        own.iter().copied().chain(of_thread).map(|label| self.label(label)).collect()
    }

    fn label(&mut self, Label { key, value }: &Label) -> proto::Label {
        let label = proto::Label { key: self.string(key), ..proto::Label::default() };
        match value {
            LabelValue::Text(text) => proto::Label { str: self.string(text), ..label },
            LabelValue::Number(num, unit) => {
                proto::Label { num: *num, num_unit: self.string(unit), ..label }
            }
        }
    }

    fn note_losses(&mut self) {
        let profile = self.profile;
        let funcs = &profile.symbols().funcs;
        let knows_lines = has_parts(profile) || profile.frames().iter().any(|frame| frame.line > 0);
        let lines = if knows_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let metrics = profile.metrics();
        let losses = [
            (UNKNOWN_LINE_TOTALS, metrics.iter().any(|metric| metric.lines.is_self_alone())),
            (
                "which metrics have no lines",
                metrics.iter().any(|metric| metric.lines != lines && !metric.lines.is_self_alone()),
            ),
            (PARTS, has_parts(profile)),
            (
                "the columns at which functions start",
                funcs.ids().any(|id| funcs.get(id).column > 0),
            ),
            ("which samples are idle", has_idle_samples(profile)),
            ("call counts", profile.samples().iter().any(|samples| samples.calls().is_some())),
            ("threads without samples", profile.samples().iter().any(Samples::is_empty)),
        ];
        self.lost.extend(losses.iter().filter(|(_, is_lost)| *is_lost).map(|(what, _)| what));
    }
}

/// The labels that name a thread.
fn labels_of_thread(thread: &Thread) -> Vec<Label> {
    let labels = [
        ("thread", Some(&thread.name)),
        ("process_name", Some(&thread.process_name)),
        ("pid", thread.pid.as_ref()),
        ("thread_id", thread.tid.as_ref()),
    ];
    let given = labels.into_iter().filter_map(|(key, text)| Some((key, text?)));
    given.filter(|(_, text)| !text.is_empty()).map(|(key, text)| Label::text(key, text)).collect()
}

/// The seconds of one unit, regardless of the sampling interval.
fn seconds_of_unit(metric: &Metric) -> Option<f64> {
    Metric::new("", &metric.unit, None).seconds_per_unit
}

/// Locations. Their ids are row numbers from 1.
#[derive(Default)]
struct Locations {
    rows: Vec<proto::Location>,
    /// Ids by function, line and column of each frame, innermost first.
    ids: FxHashMap<Vec<(u64, u32, u32)>, u64>,
    parts: Parts,
    /// The leaf location of each stack and the stack below it, once they are known.
    leaves: Vec<Option<(u64, Option<StackId>)>>,
    begins_inlined: bool,
}

impl Locations {
    /// The locations of a stack, leaf first.
    fn of_stack(&mut self, stack: Option<StackId>, profile: &Profile) -> Vec<u64> {
        let mut ids = Vec::new();
        let mut next = stack;
        while let Some(stack) = next {
            let (id, caller) =
                self.leaves[stack.index()].unwrap_or_else(|| self.leaf(stack, profile));
            ids.push(id);
            next = caller;
        }
        ids
    }

    /// The leaf location of a stack: its leaf frame, the frames that it is inlined into and the one
    /// that they are all inlined into.
    fn leaf(&mut self, stack: StackId, profile: &Profile) -> (u64, Option<StackId>) {
        let mut lines = Vec::new();
        let mut caller = Some(stack);
        let mut lib = None;
        while let Some(stack) = caller {
            let id = profile.stacks().frame(stack);
            let frame = profile.frames().get(id);
            lib = profile.symbols().funcs.get(frame.func).lib;
            let own = (u64::from(frame.func.raw()) + 1, frame.line, frame.column);
            let part = elsewhere(profile, id).and_then(|(source, line)| {
                Some((*self.parts.get(&(frame.func, source))?, line, 0))
            });
            lines.push(part.unwrap_or(own));
            caller = profile.stacks().prefix(stack);
            if !frame.inlined {
                break;
            }
            self.begins_inlined |= caller.is_none();
        }
        let id = self.ids.get(&lines).copied().unwrap_or_else(|| {
            let id = self.rows.len() as u64 + 1;
            let line = |&(function_id, line, column): &(u64, u32, u32)| proto::Line {
                function_id,
                number: i64::from(line),
                column: i64::from(column),
            };
            let mapping_id = lib.map_or(0, |lib| u64::from(lib.raw()) + 1);
            self.rows.push(proto::Location {
                id,
                mapping_id,
                address: 0,
                line: lines.iter().map(line).collect(),
                ..proto::Location::default()
            });
            self.ids.insert(lines, id);
            id
        });
        self.leaves[stack.index()] = Some((id, caller));
        (id, caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{ProfileBuilder, text_samples};

    fn written(profile: &Profile) -> (proto::Profile, Written) {
        let written = write(profile);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&*written.bytes).read_to_end(&mut plain).unwrap();
        (proto::Profile::decode(&*plain).unwrap(), written)
    }

    fn text(file: &proto::Profile, index: i64) -> String {
        String::from_utf8(file.string_table[usize::try_from(index).unwrap()].clone()).unwrap()
    }

    #[test]
    fn inlined_frames_share_the_location_of_their_caller() {
        let (file, written) = written(&text_samples::weighted(
            "
             main@1[file:a.c]  main@1            main@1            main@2            main@1
             run@2[inl]        run@2[inl]        run@2[inl]                          run@2[inl]
             step@3[inl]       call@9[lib:x]                                         step@3[inl]",
            &[1.0, 2.0, 3.0, -4.0, 5.0],
        ));
        let text = |index| text(&file, index);
        let name =
            |id: u64| text(file.function.iter().find(|function| function.id == id).unwrap().name);
        let locations: Vec<String> = (file.location.iter())
            .map(|location| {
                location
                    .line
                    .iter()
                    .map(|line| format!("{}:{}", name(line.function_id), line.number))
                    .collect::<Vec<_>>()
            })
            .map(|lines| lines.join(" in "))
            .collect();
        assert_eq!(locations, ["step:3 in run:2 in main:1", "call:9", "run:2 in main:1", "main:2"]);
        let samples: Vec<_> =
            file.sample.iter().map(|sample| (&*sample.location_id, sample.value[0])).collect();
        assert_eq!(samples, [(&[1][..], 6), (&[2, 3], 2), (&[3], 3), (&[4], -4)]);
        assert_eq!(text(file.mapping[0].filename), "x");
        assert_eq!(
            file.location.iter().map(|location| location.mapping_id).collect::<Vec<_>>(),
            [0, 1, 0, 0]
        );
        assert_eq!(written.lost, <[&str; 0]>::default());
    }

    #[test]
    fn the_kernel_is_not_the_first_mapping() {
        let mut builder = ProfileBuilder::default();
        for name in ["[kernel.kallsyms]", "app"] {
            builder.intern_lib(Lib { name: name.to_owned(), ..Lib::default() }).unwrap();
        }
        let (file, _) = written(&builder.build());
        let mappings = file.mapping.iter().map(|it| (it.id, text(&file, it.filename)));
        let expected = [(2, "app".to_owned()), (1, "[kernel.kallsyms]".to_owned())];
        assert_eq!(mappings.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn times_become_whole_numbers() {
        let metrics = vec![
            Metric::new("wall", "ms", None),
            Metric::new("cpu", "us", None),
            Metric::new("share", "percent", None),
            Metric::new("samples", "samples", Some(0.002)),
        ];
        let mut builder = ProfileBuilder::new(metrics, 1);
        let weights = [0.25, 7.0, 1.5, 3.0].map(|weight| Weights::Each(vec![weight])).to_vec();
        let samples = Samples::new([None], weights).with_calls(vec![1]);
        builder
            .push_thread(Thread { tid: Some("8".to_owned()), ..Thread::default() }, samples)
            .unwrap();
        let (file, written) = written(&builder.build());

        let text = |index| text(&file, index);
        let types: Vec<_> = file
            .sample_type
            .iter()
            .map(|kind| format!("{}/{}", text(kind.r#type), text(kind.unit)))
            .collect();
        assert_eq!(types, ["wall/nanoseconds", "cpu/us", "share/percent", "samples/samples"]);
        assert_eq!(file.sample[0].value, [250_000, 7, 2, 3]);
        assert_eq!(text(file.default_sample_type), "cpu");
        assert_eq!(
            (file.period, text(file.period_type.unwrap().unit)),
            (2_000_000, "nanoseconds".to_owned())
        );
        let label = file.sample[0].label[0];
        assert_eq!((text(label.key), text(label.str)), ("thread_id".to_owned(), "8".to_owned()));
        assert_eq!(
            written.lost,
            ["fractions of weights", "which metrics have no lines", "call counts"]
        );
    }
}
