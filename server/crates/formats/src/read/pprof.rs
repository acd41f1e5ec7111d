//! pprof's `profile.proto`: Go, gperftools (after `pprof -proto`), the Rust crate pprof, rbspy and
//! many more.
//!
//! Notable: ids have gaps and 0 means "none". In a location, inlined calls come first and the
//! function that was called comes last, but the Rust crate pprof writes a separate location for
//! each. Fields are in any order (Go begins with times, Rust with sample types), so all tables are
//! read before the samples. The file may ask for frames to be left out ([`prune`]). Without symbols
//! there are only addresses.
//!
//! A location without a function is named by its address in its file, and looked up as it is: by
//! the specification, the address of a caller is already within the call, and those of gperftools
//! are.

mod locations;
mod mappings;
mod metrics;
mod prune;
mod sniff;
pub(crate) mod tables;
mod threads;

pub(crate) use sniff::is_pprof;

use super::rows::Rows;
use crate::error::ReadError;
use crate::format::Format;
use crate::pprof_proto::{self as proto, Fields};
use crate::read_result::Read;
use locations::locations;
use metrics::metrics;
use profile::{ProfileBuilder, Recording, Warnings};
use prost::Message;
use prune::Cut;
use tables::{Strings, at_key, malformed};
use threads::ThreadLabels;

/// The field number of `Profile.sample`.
const SAMPLE: u64 = 2;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let file = all_but_samples(bytes)?;
    let strings = Strings::of(&file.string_table, &mut warnings);
    let (metrics, default_metric) = metrics(&file, &strings)?;
    let n_metrics = metrics.len();
    let mut builder = ProfileBuilder::new(metrics, default_metric);
    let locations = locations(&file, &strings, &mut builder, &mut warnings)?;

    let roles = ThreadLabels::of(&strings);
    let mut rows = Rows::new(n_metrics);
    let mut sample = proto::Sample::default();
    // `all_but_samples` has checked that all fields are complete.
    for (row, field) in Fields::of(bytes).flatten().filter(|field| field.tag == SAMPLE).enumerate()
    {
        sample.clear();
        sample.merge(field.content).map_err(|error| malformed(field.at, &error))?;
        if sample.value.len() != n_metrics {
            let n = sample.value.len();
            return Err(at_key(
                format!("sample[{row}].value"),
                format!("{n} values; expected {n_metrics}, one per sample type"),
            ));
        }
        let mut leaf = None;
        let mut keeps_some = false;
        for (i, &id) in sample.location_id.iter().enumerate().rev() {
            let location = locations.get(id, || format!("sample[{row}].location_id[{i}]"))?;
            match location.cut {
                Cut::Nothing => keeps_some = true,
                Cut::Whole if keeps_some => break,
                Cut::Whole | Cut::Inner => {}
            }
            for &frame in &location.frames {
                leaf = Some(builder.intern_stack(leaf, frame)?);
            }
            if keeps_some && location.cut == Cut::Inner {
                break;
            }
        }
        let thread = roles.thread(&sample.label);
        let weight = |metric: usize| sample.value.get(metric).map_or(0.0, |&value| value as f64);
        rows.push(thread, || strings.thread(thread), leaf, weight);
    }
    rows.finish(&mut builder)?;
    Ok(Read {
        span_seconds: (file.duration_nanos > 0).then(|| file.duration_nanos as f64 / 1e9),
        ..Read::new(Format::Pprof, Recording::Stacks(builder.build()), warnings)
    })
}

/// Decodes the tables of a file. Samples are most of it and need the tables, so they are decoded
/// later, one by one.
fn all_but_samples(bytes: &[u8]) -> Result<proto::Profile, ReadError> {
    let mut file = proto::Profile::default();
    for field in Fields::of(bytes) {
        let field = field?;
        if field.tag != SAMPLE {
            file.merge(field.whole).map_err(|error| malformed(field.at, &error))?;
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests;
