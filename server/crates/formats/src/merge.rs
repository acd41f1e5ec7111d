//! Merges many files into one, in the format of the files: pprof into pprof, folded stacks into folded
//! stacks. Sums are exact.
//!
//! [`Part::read`] does what can be done for each file alone, on any thread. [`Merger::add`] adds one
//! file after another; what it keeps grows with the different stacks, not with the files.

mod cut;
mod folded;
mod pprof;
mod rows;
mod sum;

use crate::detect::{detect, unknown, without_bom};
use crate::error::ReadError;
use crate::format::Format;
use crate::input;
use crate::limits::Limits;

pub use cut::{CUT, Cuts};
pub use rows::Rows;
pub use sum::MergeError;

/// A file that was decoded and checked.
#[derive(Debug)]
pub struct Part(Content);

#[derive(Debug)]
enum Content {
    Pprof(Box<pprof::Part>),
    Folded(folded::Part),
}

impl Part {
    /// Decodes a file, which may be compressed.
    ///
    /// # Errors
    /// The file cannot be read as a whole, or its format cannot be merged.
    pub fn read(bytes: Vec<u8>, limits: Limits) -> Result<Self, ReadError> {
        let (bytes, cut) = input::whole(bytes.into(), limits)?;
        if let Some(cut) = cut {
            return Err(cut);
        }
        let bytes = without_bom(&bytes);
        match detect(bytes) {
            Some(Format::Pprof) => Ok(Self(Content::Pprof(Box::new(pprof::Part::read(bytes)?)))),
            Some(Format::Folded) => Ok(Self(Content::Folded(folded::Part::read(bytes)?))),
            Some(format) => Err(ReadError::unrecognised(format!(
                "the format is `{}`; only pprof profiles and folded stacks can be merged",
                format.name()
            ))),
            None => Err(unknown(bytes)),
        }
    }
}

/// The sum of the files that were added.
#[derive(Debug, Default)]
pub struct Merger(Option<Tables>);

#[derive(Debug)]
enum Tables {
    Pprof(Box<pprof::Tables>),
    Folded(folded::Tables),
}

impl Merger {
    /// Adds a file. The order of files decides only what the header takes from the first one, and the
    /// order of rows.
    ///
    /// # Errors
    /// The file has another format or other sample types than the first one, or a sum exceeds 64 bits.
    /// The sum is of no use then.
    pub fn add(&mut self, part: Part) -> Result<(), MergeError> {
        match (self.0.as_mut(), part.0) {
            (None, Content::Pprof(part)) => {
                let mut tables = Box::<pprof::Tables>::default();
                tables.add(&part)?;
                self.0 = Some(Tables::Pprof(tables));
            }
            (None, Content::Folded(part)) => {
                let mut tables = folded::Tables::default();
                tables.add(part)?;
                self.0 = Some(Tables::Folded(tables));
            }
            (Some(Tables::Pprof(tables)), Content::Pprof(part)) => tables.add(&part)?,
            (Some(Tables::Folded(tables)), Content::Folded(part)) => tables.add(part)?,
            (Some(Tables::Pprof(_)), Content::Folded(_)) => {
                return Err(MergeError(
                    "has folded stacks, unlike the files before it, which are pprof profiles"
                        .to_owned(),
                ));
            }
            (Some(Tables::Folded(_)), Content::Pprof(_)) => {
                return Err(MergeError(
                    "is a pprof profile, unlike the files before it, which have folded stacks"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Leaves out what `cuts` say. Returns the weight that was moved to other functions, in the
    /// metric that is shown by default.
    ///
    /// # Errors
    /// A sum exceeds 64 bits. This value must not be used after that.
    pub fn cut(&mut self, cuts: &Cuts) -> Result<u128, MergeError> {
        match &mut self.0 {
            None => Ok(0),
            Some(Tables::Pprof(tables)) => tables.cut(cuts),
            Some(Tables::Folded(tables)) => tables.cut(cuts),
        }
    }

    /// The merged file and its format: pprof compressed with gzip, or folded stacks as text. `None` if
    /// nothing was added.
    pub fn finish(self) -> Option<(Vec<u8>, Format)> {
        match self.0? {
            Tables::Pprof(tables) => Some((tables.finish(), Format::Pprof)),
            Tables::Folded(tables) => Some((tables.finish(), Format::Folded)),
        }
    }
}

#[cfg(test)]
mod tests;
