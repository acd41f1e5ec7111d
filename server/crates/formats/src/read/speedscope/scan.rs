//! Scans a file as it arrives. Stacks refer to frames that may come later, so they are kept as a tree of
//! numbers.

use super::schema::{File, Profile};
use crate::error::{At, ReadError};
use crate::input::Input;
use crate::read::shared::id_tree::Node;
use crate::read::shared::json::{MAX_ELEMENTS, decode_part, no_json, too_long};
use crate::read::shared::stream::{BadColumn, Stream};
use crate::scan::cells::{Cell, each_cell};
use crate::scan::{Scanned, Stop};
use serde::Deserialize;

/// The member `shared`.
#[derive(Deserialize)]
struct Shared {
    frames: Vec<super::schema::SharedFrame>,
}

/// Reads a whole file.
pub(super) fn file(input: &mut Input<'_>) -> Result<File, ReadError> {
    let mut stream = Stream::new(input);
    let mut scan = Scan::default();
    let scanned = stream.object(&mut |stream, key| scan.member(stream, key));
    if let Some(error) = scan.failed {
        return Err(error);
    }
    scanned.map_err(|stop| no_json(stop, stream.stopped_at(stop)))?;
    for (member, is_there) in [("shared", scan.has_shared), ("profiles", scan.has_profiles)] {
        if !is_there {
            let message = "expected this member; the file does not have it";
            return Err(ReadError::malformed(At::Key(member.to_owned()), message));
        }
    }
    Ok(scan.file)
}

#[derive(Default)]
struct Scan {
    file: File,
    has_shared: bool,
    has_profiles: bool,
    /// The first error.
    failed: Option<ReadError>,
}

impl Scan {
    fn member(&mut self, stream: &mut Stream<'_, '_>, key: &[u8]) -> Scanned {
        match key {
            b"shared" => {
                let shared = decode_part(stream.value()?, || "shared".to_owned());
                self.file.frames = self.check(shared)?.map_or(Vec::new(), |it: Shared| it.frames);
                self.has_shared = true;
            }
            b"exporter" => self.file.exporter = self.decode(stream, || "exporter".to_owned())?,
            b"version" => self.file.version = self.decode(stream, || "version".to_owned())?,
            b"profiles" => {
                self.has_profiles = true;
                stream.array(&mut |stream| {
                    let i = self.file.profiles.len();
                    if i == MAX_ELEMENTS {
                        let at = At::Key("profiles".to_owned());
                        self.check::<()>(Err(ReadError::malformed(at, too_long())))?;
                    }
                    let mut profile = Profile::default();
                    stream
                        .object(&mut |stream, key| self.of_profile(stream, key, i, &mut profile))?;
                    self.file.profiles.push(profile);
                    Ok(())
                })?;
            }
            _ => stream.skip()?,
        }
        Ok(())
    }

    /// Scans a member of profile `i`.
    fn of_profile(
        &mut self,
        stream: &mut Stream<'_, '_>,
        key: &[u8],
        i: usize,
        profile: &mut Profile,
    ) -> Scanned {
        let place = |key: &str| format!("profiles[{i}].{key}");
        let is_null = stream.peek()? == b'n';
        match key {
            _ if is_null => stream.skip()?,
            b"name" => profile.name = self.decode(stream, || place("name"))?,
            b"unit" => profile.unit = self.decode(stream, || place("unit"))?,
            b"startValue" => profile.start_value = self.decode(stream, || place("startValue"))?,
            b"endValue" => profile.end_value = self.decode(stream, || place("endValue"))?,
            b"samples" => profile.samples = Some(self.samples(stream, &place("samples"))?),
            b"weights" => profile.weights = Some(self.weights(stream, &place("weights"))?),
            b"events" => {
                let mut events = Vec::new();
                stream.array(&mut |stream| {
                    let row = events.len();
                    let event =
                        decode_part(stream.value()?, || format!("{}[{row}]", place("events")));
                    events.extend(self.check(event)?);
                    Ok(())
                })?;
                profile.events = Some(events);
            }
            _ => stream.skip()?,
        }
        Ok(())
    }

    /// Scans stacks, each root first.
    fn samples(&mut self, stream: &mut Stream<'_, '_>, place: &str) -> Scanned<Vec<Node>> {
        let mut leaves = Vec::new();
        stream.array(&mut |stream| {
            let row = leaves.len();
            let leaf = self.stack(stream.value()?).map_err(|bad| {
                let (index, message) = match bad {
                    BadColumn::NoArray => {
                        (None, "expected a list of frames, root first".to_owned())
                    }
                    BadColumn::Cell((index, message)) => (Some(index), message),
                };
                let index = index.map_or(String::new(), |index| format!("[{index}]"));
                ReadError::malformed(At::Key(format!("{place}[{row}]{index}")), message)
            });
            leaves.extend(self.check(leaf)?);
            Ok(())
        })?;
        Ok(leaves)
    }

    /// Adds a stack. The error has the position in the stack.
    fn stack(&mut self, text: &[u8]) -> Result<Node, BadColumn<(usize, String)>> {
        let frames = text.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
        let frames = frames.ok_or(BadColumn::NoArray)?;
        let (mut index, mut failed) = (0, None);
        let frames = each_cell(frames, |cell| {
            let frame = match cell {
                Cell::Digits(frame) => frame,
                Cell::Decimal(_) => return None,
                Cell::Text(text) => std::str::from_utf8(text).ok()?.parse().ok()?,
            };
            if let Err(error) = self.file.stacks.push(frame) {
                failed = Some(error.to_string());
                return None;
            }
            index += 1;
            Some(())
        });
        frames.map_err(|cell| {
            let message = failed.unwrap_or(format!("is {cell}, expected the number of a frame"));
            BadColumn::Cell((index, message))
        })?;
        Ok(self.file.stacks.end())
    }

    fn weights(&mut self, stream: &mut Stream<'_, '_>, place: &str) -> Scanned<Vec<f64>> {
        let mut weights = Vec::new();
        let scanned = stream.column(&mut |text| {
            each_cell(text, |cell| {
                weights.push(cell.number().filter(|weight| !weight.is_nan())?);
                Some(())
            })
        })?;
        let scanned = scanned.map_err(|bad| match bad {
            BadColumn::NoArray => {
                ReadError::malformed(At::Key(place.to_owned()), "expected a list of numbers")
            }
            BadColumn::Cell(cell) => {
                let at = At::Key(format!("{place}[{}]", weights.len()));
                ReadError::malformed(at, format!("is {cell}, expected a number"))
            }
        });
        self.check(scanned)?;
        Ok(weights)
    }

    fn decode<T: for<'de> Deserialize<'de>>(
        &mut self,
        stream: &mut Stream<'_, '_>,
        place: impl FnOnce() -> String,
    ) -> Scanned<Option<T>> {
        let decoded = decode_part(stream.value()?, place);
        Ok(self.check(decoded)?.flatten())
    }

    /// Ends the scan after an error.
    fn check<T>(&mut self, result: Result<T, ReadError>) -> Scanned<Option<T>> {
        result.map(Some).map_err(|error| {
            self.failed = Some(error);
            Stop::Enough
        })
    }
}
