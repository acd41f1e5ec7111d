//! Data of Mercury's deep profiler (`Deep.data`, versions 8 and 9): what each procedure and call
//! site cost in each context, counted exactly.
//!
//! A context is a procedure with the calls that led to it; recursion returns to the context where
//! it began. The file has four kinds of nodes ([`nodes`]), which refer to each other by ids
//! ([`links`]). Inclusive costs are not in the file ([`costs`]).
//!
//! Sources: `runtime/mercury_deep_profiling.c`, which writes such files, and
//! `deep_profiler/read_profile.m` of Mercury.

pub(crate) mod executions;

pub(crate) mod contour;

mod costs;
mod coverage;
mod dump;
mod goal;
mod graph;
mod input;
mod links;
mod measure;
mod nodes;
mod proc_label;
pub(crate) mod procrep;
#[cfg(test)]
mod tests;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::deep::executions::Executions;
use crate::read::result::Read;
use crate::writer::{Producer, Writer};
use costs::{Cost, Costs};
use links::Links;
use nodes::File;
use profile::both;
use profile::{ProfileBuilder, Recording, WarningCode, Warnings};

pub(crate) use dump::dump;
pub(crate) use nodes::MAGIC;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut builder = ProfileBuilder::default();
    let file = File::read(bytes, &mut builder)?;
    if file.header.is_unfinished() {
        let message = "the header has no counts yet: the program is still running, or it was \
                       killed; expected a program that ran to its end";
        return Err(ReadError::truncated(At::File, message));
    }
    let mut warnings = Warnings::default();
    let links = Links::of(&file, &mut warnings);
    let ((rows, executions), costs) = both(
        || (graph::rows(&file, &links), Executions::of(&file, &links)),
        || Costs::of(&file, &links, &mut warnings),
    );
    let (graph, ()) = both(
        || graph::tables(&file, &links, &costs, rows, builder),
        || check_sums(&file, &costs, &mut warnings),
    );
    let graph = graph?;
    Ok(Read {
        version: Some(file.header.version.to_string()),
        writer: Writer::of_producer(Some(Producer::parse("Mercury"))),
        executions,
        ..Read::new(Format::MercuryDeep, Recording::from(graph), warnings)
    })
}

/// Compares costs with the sums in the header.
fn check_sums(file: &File, costs: &Costs, warnings: &mut Warnings) {
    let header = &file.header;
    let own = costs.arcs.iter().fold(Cost::default(), |sum, arc| sum.plus(arc.own));
    let root = file.contexts.index(header.root);
    let root = root.map(|root| costs.contexts[root].own.plus(costs.contexts[root].below));
    let root = root.unwrap_or_default().callseqs;
    if own.callseqs != header.callseqs || root != header.callseqs {
        warnings.add(WarningCode::InconsistentSums, || {
            format!(
                "the file states {} call sequence numbers, its calls add up to {}, and {root} are \
                 below its first context; the file may be damaged",
                header.callseqs, own.callseqs
            )
        });
    }
    if own.quanta > header.user_ticks {
        warnings.add(WarningCode::InconsistentSums, || {
            format!(
                "the file states {} ticks, but its calls add up to {}",
                header.user_ticks, own.quanta
            )
        });
    }
    if file.n_with_calls > 0 {
        warnings.add(WarningCode::UnknownVersion, || {
            "calls have a count of their own, which only special builds of Mercury write; calls are \
             counted from exits, failures, exceptions and redos"
                .to_owned()
        });
    }
    let n_nodes = [file.calls.len(), file.sites.len(), file.contexts.len(), file.procs.len()];
    if n_nodes.into_iter().zip(header.largest).any(|(n, largest)| n as u64 != largest) {
        warnings.add(WarningCode::InconsistentNodes, || {
            let [calls, sites, contexts, procs] = header.largest;
            format!(
                "the header states {calls} calls, {sites} call sites, {contexts} contexts and \
                 {procs} procedures, but the file has {}, {}, {} and {}",
                n_nodes[0], n_nodes[1], n_nodes[2], n_nodes[3]
            )
        });
    }
}
