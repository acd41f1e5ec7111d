//! The stacks of samples.

use crate::error::ReadError;
use profile::{FrameId, ProfileBuilder, StackId};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::fmt;

/// Stacks in one list, each root first. A list of lists would take several times the memory.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Stacks {
    frames: Vec<u32>,
    /// The end of each stack in `frames`.
    pub(super) ends: Vec<usize>,
}

impl Stacks {
    /// Interns the stacks; `frame` looks up a frame of a sample. Frames shared with the previous
    /// stack are not looked up again.
    pub(super) fn intern(
        self,
        builder: &mut ProfileBuilder,
        frame: impl Fn(u32, usize) -> Result<Option<FrameId>, ReadError>,
    ) -> Result<Vec<Option<StackId>>, ReadError> {
        let mut rest = &*self.frames;
        let mut start = 0;
        let mut before: &[u32] = &[];
        let mut path: Vec<Option<StackId>> = Vec::new();
        let mut stacks = Vec::with_capacity(self.ends.len());
        for (row, end) in self.ends.into_iter().enumerate() {
            let (stack, after) = rest.split_at_checked(end - start).unwrap_or((rest, &[]));
            (rest, start) = (after, end);
            path.truncate(stack.iter().zip(before).take_while(|(a, b)| a == b).count());
            for &index in stack.iter().skip(path.len()) {
                let caller = path.last().copied().flatten();
                path.push(match frame(index, row)? {
                    Some(frame) => Some(builder.intern_stack(caller, frame)?),
                    None => caller,
                });
            }
            stacks.push(path.last().copied().flatten());
            before = stack;
        }
        Ok(stacks)
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut stacks = Self::default();
        deserializer.deserialize_seq(&mut stacks)?;
        Ok(stacks)
    }
}

/// Decodes the list of stacks.
impl<'de> Visitor<'de> for &mut Stacks {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut stacks: A) -> Result<(), A::Error> {
        while stacks.next_element_seed(OneStack(&mut self.frames))?.is_some() {
            self.ends.push(self.frames.len());
        }
        Ok(())
    }
}

/// Decodes one stack.
struct OneStack<'s>(&'s mut Vec<u32>);

impl<'de> DeserializeSeed<'de> for OneStack<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneStack<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of frames, root first")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut frames: A) -> Result<(), A::Error> {
        while let Some(frame) = frames.next_element()? {
            self.0.push(frame);
        }
        Ok(())
    }
}
