//! Gets a profile from elsewhere, for a person who asked for it: from an HTTP endpoint, or merged from
//! a folder of many files.
//!
//! [`Sources`] has the sources that a project names, [`Request`] says what to fetch, [`fetch()`]
//! fetches it, and [`store()`] writes it as one file below `.costline/`. A profile was read as a whole
//! before it is stored, so a failed fetch leaves the old file as it is.
//!
//! No other crate of Costline has network code, and of these only `costline fetch` uses this one.

mod answer;
mod error;
mod folder;
mod http;
mod kind;
mod options;
mod pprof;
mod request;
mod secrets;
mod sources;
mod step;
mod store;

pub use answer::{Fetched, Merged};
pub use error::FetchError;

pub use kind::Kind;
pub use options::Options;
pub use request::{Place, Request};
pub use sources::{FILE, Sources};
pub use step::Step;
pub use store::{FOLDER, store};

/// Fetches a profile. `observe` is called with each step.
pub fn fetch(request: &Request, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    match &request.place {
        Place::Pprof(url) => pprof::fetch(url, &request.options, observe),
        Place::Folder(path) => folder::merge(path, observe),
    }
}
