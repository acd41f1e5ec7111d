//! Many pprof or folded files, which become one file.
//!
//! Threads read and decode the files, and each has one file at a time; this thread adds them in
//! their order. Memory is therefore needed only for the merged tables and for one file per thread.

use crate::answer::{Fetched, Merged};
use crate::error::FetchError;
use crate::step::Step;
use formats::merge::{Cuts, Merger, Part};
use formats::{Fleet, FleetCut, Limits};
use std::fmt;
use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::thread;

/// More threads would wait for the one that adds.
const MAX_THREADS: usize = 8;

/// A file that was decoded, or why it is left out. Other errors end the fetch.
pub(crate) type Decoded = Result<Result<Part, String>, FetchError>;

/// Merges files. `unread` are those that are known to be left out.
pub(crate) fn merge<F: Sync + fmt::Display>(
    from: &str,
    all: &[F],
    mut unread: Vec<(String, String)>,
    cuts: &Cuts,
    read: &(dyn Fn(&F) -> Decoded + Sync),
    observe: &mut dyn FnMut(Step),
) -> Result<Fetched, FetchError> {
    let fails = |at: &str, message| FetchError::Merge { path: at.into(), message };
    let mut merger = Merger::default();
    let mut n_files = 0;
    let n_threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    thread::scope(|scope| {
        let mut channels = Vec::new();
        for first in 0..n_threads {
            // Without a buffer, a thread waits with its file until that is added.
            let (sender, receiver) = sync_channel(0);
            let files = all.iter().skip(first).step_by(n_threads);
            scope.spawn(move || {
                for file in files {
                    if sender.send(read(file)).is_err() {
                        break;
                    }
                }
            });
            channels.push(receiver);
        }
        for (i, file) in all.iter().enumerate() {
            let part = channels.get(i % n_threads).and_then(|channel| channel.recv().ok());
            match part.unwrap_or_else(|| Ok(Err("its thread ended".to_owned())))? {
                Ok(part) => {
                    merger.add(part).map_err(|error| {
                        fails(&file.to_string(), format!("{error}; nothing was written"))
                    })?;
                    n_files += 1;
                }
                Err(message) => unread.push((file.to_string(), message)),
            }
            observe(Step::Merged(i + 1, all.len()));
        }
        Ok(())
    })?;
    let mut fleet = Fleet { profiles: Some(n_files as u64), ..Fleet::default() };
    if !cuts.is_empty() {
        let moved = merger.cut(cuts).map_err(|error| fails(from, error.to_string()))?;
        fleet.cut = Some(FleetCut { how: cuts.to_string(), weight: Some(moved as f64) });
    }
    let Some((bytes, format)) = merger.finish() else {
        let message = match unread.first() {
            None => "has no files".to_owned(),
            Some((name, message)) => {
                let n = unread.len();
                format!("none of its files can be merged ({n}); the first is {name}: {message}")
            }
        };
        return Err(fails(from, message));
    };
    let fetched = Fetched::unread(bytes, format);
    Ok(Fetched { merged: Some(Merged { n_files, unread }), fleet: Some(fleet), ..fetched })
}

/// Decodes the content of a file.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<Part, String> {
    Part::read(bytes, Limits::default()).map_err(|error| error.to_string())
}
