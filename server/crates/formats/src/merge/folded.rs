//! Merges files of folded stacks: the values of lines with the same stack are added.

use super::cut::{CUT, Cuts, Frames, cut};
use super::sum::{MergeError, add};
use crate::error::{At, ReadError};
use crate::read::folded::line::Separator::JoinsLines;
use crate::read::folded::{functions, line, one_value_per_line};
use crate::read::shared::text::utf8;
use profile::Warnings;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::mem;

/// A file: its stacks with their sums.
#[derive(Debug)]
pub(super) struct Part {
    mode: Option<String>,
    duration_us: Option<f64>,
    sums: FxHashMap<Box<str>, i64>,
}

impl Part {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let text = utf8(bytes, &mut Warnings::default());
        let Some((mode, duration_us)) = one_value_per_line(&text) else {
            let message = "the lines have several values, or the value first; only lines `main;parse;hash 42` can be merged";
            return Err(ReadError::malformed(At::File, message));
        };
        let mut sums = FxHashMap::<Box<str>, i64>::default();
        for (i, row) in text.lines().enumerate() {
            if row.trim().is_empty() || line::comment(row).is_some() {
                continue;
            }
            let at = || At::Line(i + 1, 1);
            let value = line::last_word(row)
                .and_then(|(stack, word)| Some((stack, word.parse::<i64>().ok()?)));
            let Some((stack, value)) = value else {
                let message = "expected frames and a whole number, `main;parse;hash 42`";
                return Err(ReadError::malformed(at(), message));
            };
            match sums.get_mut(stack) {
                Some(sum) => add(sum, value)
                    .map_err(|_| ReadError::too_large("a sum does not fit into 64 bits"))?,
                None => _ = sums.insert(stack.into(), value),
            }
        }
        Ok(Self { mode: mode.map(ToOwned::to_owned), duration_us, sums })
    }
}

/// The sum of files.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Whether a file was added.
    has_header: bool,
    mode: Option<String>,
    duration_us: f64,
    sums: FxHashMap<Box<str>, i64>,
}

impl Tables {
    pub(super) fn add(&mut self, part: Part) -> Result<(), MergeError> {
        if !self.has_header {
            self.mode.clone_from(&part.mode);
            self.has_header = true;
        }
        if self.mode != part.mode {
            let text = |mode: Option<String>| mode.unwrap_or_else(|| "unknown".to_owned());
            let (this, others) = (text(part.mode), text(self.mode.take()));
            return Err(MergeError(format!(
                "has the mode {this}, unlike the first file, which has {others}"
            )));
        }
        self.duration_us += part.duration_us.unwrap_or_default();
        for (stack, value) in part.sums {
            add(self.sums.entry(stack).or_default(), value)?;
        }
        Ok(())
    }

    pub(super) fn cut(&mut self, cuts: &Cuts) -> Result<u128, MergeError> {
        let sums: Vec<(Box<str>, i64)> = mem::take(&mut self.sums).into_iter().collect();
        let mut ids: FxHashMap<&str, u64> = FxHashMap::default();
        let mut stacks = Vec::with_capacity(sums.len());
        for (stack, value) in &sums {
            let mut id = |frame| {
                let next = ids.len() as u64;
                *ids.entry(frame).or_insert(next)
            };
            stacks
                .push((line::frames(stack, JoinsLines).map(&mut id).collect::<Vec<u64>>(), *value));
        }
        let mut texts = vec![""; ids.len()];
        for (frame, id) in ids {
            if let Some(text) = texts.get_mut(id as usize) {
                *text = frame;
            }
        }
        let moved = cut(&mut stacks, cuts, &mut Texts::new(&texts));
        for ((stack, value), (kept, _)) in sums.iter().zip(stacks) {
            let frames: Vec<&str> = line::frames(stack, JoinsLines).take(kept.len()).collect();
            let stack = if frames.is_empty() { CUT.to_owned() } else { frames.join(";") };
            add(self.sums.entry(stack.into()).or_default(), *value)?;
        }
        Ok(moved)
    }

    /// The stacks in alphabetical order.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut text = String::new();
        // Writing to a string cannot fail.
        if let Some(mode) = self.mode {
            let _ = writeln!(text, "# mode: {mode}");
        }
        if self.duration_us > 0.0 {
            let _ = writeln!(text, "# duration: {}", self.duration_us);
        }
        let mut rows: Vec<_> = self.sums.into_iter().collect();
        rows.sort_unstable();
        for (stack, value) in rows {
            let _ = writeln!(text, "{stack} {value}");
        }
        text.into_bytes()
    }
}

/// The function of each frame, by id.
struct Texts(Vec<[u64; 1]>);

impl Texts {
    fn new(frames: &[&str]) -> Self {
        let mut ids = FxHashMap::default();
        let id = |function| {
            let next = ids.len() as u64;
            [*ids.entry(function).or_insert(next)]
        };
        Self(functions(frames).map(id).collect())
    }
}

impl Frames for Texts {
    fn functions(&self, frame: u64) -> &[u64] {
        self.0.get(frame as usize).map_or(&[], <[u64; 1]>::as_slice)
    }

    /// There are no frames of several functions.
    fn outer(&mut self, frame: u64, _: usize) -> u64 {
        frame
    }
}
