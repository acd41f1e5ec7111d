//! pprof's `profile.proto`: Go, gperftools (after `pprof -proto`), the Rust crate pprof, rbspy and
//! many more.
//!
//! Notable: ids have gaps and 0 means "none". In a location, inlined calls come first and the
//! function that was called comes last, but the Rust crate pprof writes a separate location for
//! each. Fields are in any order (Go writes samples before the tables that they refer to), so samples
//! are kept as a tree of location ids until the file was read ([`samples`]). The file may ask for
//! frames to be left out ([`prune`]). Without symbols there are only addresses.
//!
//! A location without a function is named by its address in its file, and looked up as it is: by
//! the specification, the address of a caller is already within the call, and those of gperftools
//! are.

mod labels;
mod locations;
mod mappings;
mod metrics;
mod prune;
mod revisions;
mod samples;
mod sniff;
pub(crate) mod tables;
mod threads;

pub(crate) use sniff::is_pprof;

use crate::error::{ErrorKind, ReadError};
use crate::fleet::Fleet;
use crate::format::Format;
use crate::input::Input;
use crate::pprof_proto::{self as proto, Field, Fields};
use crate::read::result::Read;
use crate::read::shared::rows::Rows;
use locations::locations;
use metrics::metrics;
use profile::{LabelSetId, ProfileBuilder, Recording, Warnings};
use prost::Message;
use revisions::Revisions;
use samples::Samples;
use tables::{Strings, at_key, malformed};
use threads::ThreadLabels;

/// The field numbers of `Profile.sample` and `Profile.location`.
const SAMPLE: u64 = 2;
const LOCATION: u64 = 4;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let (file, samples) = decode(input)?;
    finish(file, &samples)
}

/// Reads a profile that was made from another format. Each sample has one value, of the sample type with this
/// number.
pub(crate) fn read_profile(
    file: proto::Profile,
    samples: Vec<(proto::Sample, usize)>,
) -> Result<Read, ReadError> {
    let mut kept = Samples::default();
    for (mut sample, column) in samples {
        let value = sample.value.first().copied().unwrap_or(0);
        sample.value = vec![0; file.sample_type.len()];
        sample.value[column] = value;
        kept.push(&sample)?;
    }
    finish(file, &kept)
}

fn finish(mut file: proto::Profile, samples: &Samples) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let strings = Strings::of(&file.string_table, &mut warnings);
    let (metrics, default_metric) = metrics(&file, &strings)?;
    let n_metrics = metrics.len();
    if let Some((row, n)) = samples.with_other_than(n_metrics) {
        return Err(at_key(
            format!("sample[{row}].value"),
            format!("{n} values; expected {n_metrics}, one per sample type"),
        ));
    }
    let mut builder = ProfileBuilder::new(metrics, default_metric);
    let locations = locations(&file, &strings, &mut builder, &mut warnings)?;
    file.location = Vec::new();
    let stacks = samples.stacks(&locations, &mut builder)?;
    drop(locations);

    let roles = ThreadLabels::of(&strings);
    let threads = samples.labels().map(|labels| roles.thread(labels)).collect::<Vec<_>>();
    let mut revisions = Revisions::of(&strings);
    for labels in samples.labels() {
        revisions.add(labels);
    }
    let sets = samples.labels().map(|labels| builder.intern_labels(strings.labels(labels)));
    let sets = sets.collect::<Result<Vec<_>, _>>()?;
    let mut rows = Rows::new(n_metrics);
    for sample in samples.iter(n_metrics) {
        let thread = threads.get(sample.labels).copied().unwrap_or_default();
        let leaf = sample.leaf.and_then(|leaf| stacks.get(leaf).copied().flatten());
        let weight = |metric: usize| sample.values.get(metric).map_or(0.0, |&value| value as f64);
        let row = rows.push(thread, || strings.thread(thread), leaf, weight);
        rows.labelled(row, sets.get(sample.labels).copied().unwrap_or(LabelSetId::NONE));
    }
    rows.finish(&mut builder)?;
    let mut comments = file.comment.iter().filter_map(|&id| strings.get(id, String::new).ok());
    Ok(Read {
        fleet: comments.find_map(Fleet::of_comment).map(Box::new),
        revisions: revisions.finish(&file, &strings),
        span_seconds: (file.duration_nanos > 0).then(|| file.duration_nanos as f64 / 1e9),
        ..Read::new(Format::Pprof, Recording::Stacks(builder.build()), warnings)
    })
}

/// Decodes a file: its tables, and its samples, which are most of it.
fn decode(input: &mut Input<'_>) -> Result<(proto::Profile, Samples), ReadError> {
    let (mut file, mut samples) = (proto::Profile::default(), Samples::default());
    let (mut sample, mut location) = (proto::Sample::default(), proto::Location::default());
    each_field(input, &mut |field, offset| {
        let malformed = |error| malformed(offset, &error);
        match field.tag {
            SAMPLE => {
                sample.clear();
                sample.merge(field.content).map_err(malformed)?;
                samples.push(&sample)?;
            }
            LOCATION => {
                location.clear();
                location.merge(field.content).map_err(malformed)?;
                // A copy has no room for more lines. Most locations have one, and there are many.
                file.location.push(location.clone());
            }
            _ => file.merge(field.whole).map_err(malformed)?,
        }
        Ok(())
    })?;
    Ok((file, samples))
}

/// Calls `handle` for each field of a message, with its offset in the file.
fn each_field(
    input: &mut Input<'_>,
    handle: &mut dyn FnMut(&Field<'_>, u64) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    loop {
        let (offset, bytes) = (input.offset(), input.bytes());
        let mut fields = Fields::of(bytes);
        let mut end = 0;
        let error = loop {
            match fields.next() {
                Some(Ok(field)) => {
                    handle(&field, offset + field.at as u64)?;
                    end = field.at + field.whole.len();
                }
                Some(Err(error)) => break Some(error),
                None => break None,
            }
        };
        let n_left = bytes.len() - end;
        input.take(end);
        // A field may end in the next block, or much later.
        let enough = 2 * n_left;
        let has_more = input.fill();
        while has_more && input.bytes().len() < enough && input.fill() {}
        match error {
            Some(error) if !(has_more && error.kind == ErrorKind::Truncated) => {
                return Err(error.moved_by(offset));
            }
            None if !has_more => return Ok(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
