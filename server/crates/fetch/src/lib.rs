//! Gets a profile from elsewhere, for a person who asked for it: from an HTTP endpoint, from an engine
//! that merges the profiles of many hosts, or merged from many files in a folder or an object store.
//!
//! [`Sources`] has the sources that a project names, [`Request`] says what to fetch, [`Secrets`] has the
//! secrets for it, [`fetch()`] fetches it, and [`store()`] writes it as one file below `.costline/`. A
//! profile is stored once the whole of it was read, so a failed fetch leaves the old file as it is.
//!
//! No other Costline crate has network code, and only `costline fetch` uses this one.

mod answer;
mod clickhouse;
mod error;
mod folder;
mod http;
mod kind;
mod labels;
mod options;
mod parca;
mod parts;
mod pprof;
mod project;
mod pyroscope;
mod request;
mod s3;
mod schema;
mod secrets;
mod step;
mod store;
mod time;

pub use answer::{Fetched, Listing, Merged};
pub use error::FetchError;
pub use kind::Kind;
pub use options::Options;
pub use project::Sources;
pub use request::{Place, Request};
pub use schema::Template;
pub use secrets::Secrets;
pub use step::Step;
pub use store::store;
pub use time::Range;

use formats::FleetCut;
use formats::merge::{Merger, Part};
use formats::{Fleet, Limits};
use request::Query;

/// Fetches a profile. `observe` is called with each step.
pub fn fetch(
    request: &Request,
    secrets: &Secrets,
    observe: &mut dyn FnMut(Step),
) -> Result<Fetched, FetchError> {
    let fetched = ask(request, secrets, observe).map_err(|error| secrets.hide_in(error))?;
    let notes = fetched.notes.iter().map(|note| secrets.hide(note)).collect();
    let fetched = cut_here(request, Fetched { notes, ..fetched })?;
    named(request, fetched)
}

/// Fetches a profile as the source has it.
fn ask(
    request: &Request,
    secrets: &Secrets,
    observe: &mut dyn FnMut(Step),
) -> Result<Fetched, FetchError> {
    let options = &request.options;
    match &request.place {
        Place::Folder(path) => folder::merge(path, options, observe),
        Place::Url(kind, url) => {
            let query = Query { url, options, secrets, range: request.range };
            match kind {
                Kind::Pprof | Kind::Folder => pprof::fetch(&query, observe),
                Kind::Pyroscope => pyroscope::fetch(&query, observe),
                Kind::Parca => parca::fetch(&query, observe),
                Kind::Clickhouse => clickhouse::fetch(&query, observe),
                Kind::S3 => s3::fetch(&query, observe),
            }
        }
    }
}

/// What a source has.
pub fn list(
    request: &Request,
    secrets: &Secrets,
    observe: &mut dyn FnMut(Step),
) -> Result<Listing, FetchError> {
    let Place::Url(kind, url) = &request.place else { return Err(no_list()) };
    let query = Query { url, options: &request.options, secrets, range: request.range };
    let listing = match kind {
        Kind::Pyroscope => pyroscope::list(&query, observe),
        Kind::Parca => parca::list(&query, observe),
        Kind::Clickhouse => clickhouse::list(&query, observe),
        Kind::Pprof | Kind::S3 | Kind::Folder => Err(no_list()),
    };
    listing.map_err(|error| secrets.hide_in(error))
}

fn no_list() -> FetchError {
    FetchError::Usage("only Pyroscope, Parca and ClickHouse can be listed".to_owned())
}

/// Cuts a profile that the source did not cut.
fn cut_here(request: &Request, fetched: Fetched) -> Result<Fetched, FetchError> {
    let cuts = request.options.cuts();
    let is_cut = fetched.fleet.as_ref().is_some_and(|fleet| fleet.cut.is_some());
    // Pyroscope says itself what it left out, but knows no other cuts.
    let is_cut = is_cut && request.options.max_nodes.is_none();
    if cuts.is_empty() || is_cut {
        return Ok(fetched);
    }
    let from = request.place.to_string();
    let fails = |message: String| FetchError::Answer { from: from.clone(), message };
    let part = Part::read(fetched.bytes, Limits::default())
        .map_err(|error| fails(format!("the profile cannot be cut: {error}")))?;
    let mut merger = Merger::default();
    merger.add(part).map_err(|error| fails(error.to_string()))?;
    let moved = merger.cut(&cuts).map_err(|error| fails(error.to_string()))?;
    let (bytes, format) = merger.finish().unwrap_or((Vec::new(), fetched.format));
    let how = match fetched.fleet.as_ref().and_then(|fleet| fleet.cut.as_ref()) {
        Some(earlier) => format!("{}, {cuts}", earlier.how),
        None => cuts.to_string(),
    };
    let cut = Some(FleetCut { how, weight: Some(moved as f64) });
    let fleet = Fleet { cut, ..fetched.fleet.unwrap_or_default() };
    Ok(Fetched { bytes, format, fleet: Some(fleet), ..fetched })
}

/// Notes in a profile where it comes from. One that came as it is stays so, unless its source has a name.
fn named(request: &Request, fetched: Fetched) -> Result<Fetched, FetchError> {
    if fetched.fleet.is_none() && request.source.is_none() {
        return Ok(fetched);
    }
    let fleet = Fleet {
        source: request.source.clone(),
        kind: request.place.kind().name().to_owned(),
        ..fetched.fleet.unwrap_or_default()
    };
    let from = request.place.to_string();
    let bytes = fleet
        .add_to(fetched.bytes, fetched.format, Limits::default())
        .map_err(|error| FetchError::NoProfile { from: from.clone(), error })?;
    let checked = Fetched::checked(bytes, &from)?;
    Ok(Fetched { fleet: Some(fleet), merged: fetched.merged, notes: fetched.notes, ..checked })
}
