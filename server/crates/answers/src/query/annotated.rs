//! The lines of a source that are shown with their costs: those of the parts that were asked for, or
//! those near costs.

use crate::lines::document::Document;
use crate::lines::file_lines::FileLines;
use analysis::{FunctionId, LineCost};
use std::collections::BTreeMap;
use std::ops::Range;
use texts::Definition;

/// The number of lines to show before and after a line that the user names.
const NEAR_LINES: u32 = 10;

/// What to show of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    Whole,
    /// Parts of it.
    Parts(Vec<Part>),
}

impl Shown {
    /// Whether a function was asked for.
    pub fn names(&self, function: FunctionId) -> bool {
        matches!(self, Self::Parts(parts) if parts.contains(&Part::Function(function)))
    }
}

/// A part of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A line, 1-based, and those around it.
    Line(u32),
    /// A function.
    Function(FunctionId),
}

/// A source with the costs of its lines.
#[derive(Debug)]
pub struct AnnotatedSource<'a> {
    lines: &'a FileLines<'a>,
    text: Vec<&'a str>,
    /// By 0-based line.
    pub costs: BTreeMap<u32, LineCost>,
}

/// A line to show.
#[derive(Debug, Clone, Copy)]
pub struct AnnotatedLine<'a> {
    /// 0-based.
    pub line0: u32,
    /// Its text.
    pub text: &'a str,
    /// Its cost, if it has one.
    pub cost: Option<LineCost>,
    /// Whether lines above it are left out.
    pub after_gap: bool,
}

impl<'a> AnnotatedSource<'a> {
    /// The costs of `lines` in their text.
    pub fn new(lines: &'a FileLines<'a>, text: &'a str) -> Self {
        let costs = lines.costs(0..u32::MAX).into_iter().collect();
        Self { lines, text: text.lines().collect(), costs }
    }

    /// The lines (0-based) of what is to show. Those of parts may be beyond the end of the text.
    pub fn ranges(&self, shown: &Shown) -> Vec<Range<u32>> {
        match shown {
            Shown::Whole => std::iter::once(0..self.text.len() as u32).collect(),
            Shown::Parts(parts) => parts.iter().filter_map(|part| self.range_of(*part)).collect(),
        }
    }

    fn range_of(&self, part: Part) -> Option<Range<u32>> {
        let around = |line0: u32| line0.saturating_sub(NEAR_LINES)..line0 + NEAR_LINES + 1;
        let function = match part {
            Part::Line(line) => return Some(around(line.saturating_sub(1))),
            Part::Function(function) => function,
        };
        let mut functions = self.lines.functions().into_iter();
        let (line0, _) = functions.find(|(_, this)| *this == function)?;
        let functions = self.lines.document.and_then(Document::functions);
        let definitions = functions.map_or(&[][..], |functions| functions.all()).iter();
        let here = definitions.filter(|definition| definition.lines.contains(&line0));
        let length = |here: &Definition| here.lines.end() - here.lines.start();
        let innermost = here.min_by_key(|here| (here.name_line0 != line0, length(here)));
        let lines = innermost.map(|here| *here.lines.start()..here.lines.end() + 1);
        Some(lines.unwrap_or_else(|| around(line0)))
    }

    /// Whether a line (0-based) has a cost, or one of the `distance` lines before and after it.
    pub fn is_near_cost(&self, line0: u32, distance: u32) -> bool {
        let near = line0.saturating_sub(distance)..=line0 + distance;
        self.costs.range(near).next().is_some()
    }

    /// The lines of the text that are shown, in order.
    pub fn shown(&self, is_shown: impl Fn(u32) -> bool) -> Vec<AnnotatedLine<'a>> {
        let mut next0 = 0;
        let mut shown = Vec::new();
        for (text, line0) in self.text.iter().zip(0..).filter(|(_, line0)| is_shown(*line0)) {
            let cost = self.costs.get(&line0).copied();
            shown.push(AnnotatedLine { line0, text, cost, after_gap: line0 != next0 });
            next0 = line0 + 1;
        }
        shown
    }
}
