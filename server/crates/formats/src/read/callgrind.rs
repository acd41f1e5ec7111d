//! callgrind files: self costs by line, and for each call its count and inclusive cost. Written by
//! valgrind (callgrind and, without calls, cachegrind), rbspy, ruby-prof, Xdebug, `Devel::NYTProf`,
//! pyprof2calltree, and by Costline itself.
//!
//! Sources: Valgrind manual, "Callgrind Format Specification", and real files. Lines of text set
//! where costs belong: `fl=` is the file of the function that `fn=` names, `fi=` and `fe=` the file
//! that the next costs were inlined from, `ob=` the object; `cfi=`, `cfn=` and `cob=` are the same
//! for the function that the next `calls=` calls. Names may be compressed (`(3) main` once, `(3)`
//! from then on), with one numbering each for files, functions and objects; lines about jumps use
//! them too. Costs follow their line number, which may be relative to the line number of the
//! previous costs. The target line of a call does not change that number: after `16 400`, `calls=1
//! 50` and `+1 5`, the last cost is on line 17, not 51.
//!
//! Xdebug writes a block for each call, when it returns. The order of the blocks gives the call
//! tree, and with it all totals.
//!
//! This file interprets the lines. [`mod@text`] has their grammar, [`events`] the columns,
//! [`names`] the names and their suffixes, [`tree`] the calls of Xdebug, [`executions`] how often
//! lines were executed.

mod events;
mod executions;
mod names;
mod rows;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(crate) use text::is_callgrind;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::text::{open_end, source_name, utf8_at};
use crate::read::shared::texts::{Text, Texts};
use crate::writer::{Dialect, Producer, Writer};
use events::Events;
use executions::{Executions, Instruction};
use memchr::memchr;
use profile::{
    Call, FuncId, GraphTables, LineKnowledge, OwnCost, ProfileBuilder, Recording, SourceId,
    SymbolTables, WarningCode, Warnings,
};
use rows::Rows;
use rustc_hash::FxHashMap;
use text::Line;
use tree::{Block, Tree};

/// If at least this many functions each have all of their self cost on a single line, there is a
/// warning that the file does not tell lines apart.
const MIN_FUNCTIONS_WITH_ONE_LINE: usize = 10;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut reader = Reader::default();
    while let Some((bytes, offset)) = input.lines() {
        let text = utf8_at(bytes, offset, &mut reader.warnings);
        let mut rest = &*text;
        while let Some(end) = memchr(b'\n', rest.as_bytes()) {
            reader.line(&rest[..end], false)?;
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            reader.line(rest, true)?;
        }
    }
    reader.finish()
}

/// The name of the function that a name such as `f.cold`, `f.cold.3` or `f(int) [clone .cold]` is part
/// of; `None` for other names. GCC moves code that is rarely executed out of a function, under such a
/// name. Valgrind counts the jumps between the two as calls.
fn cold_part(name: &str) -> Option<String> {
    let (part, recursion) = name.split_at(name.rfind('\'').unwrap_or(name.len()));
    let part = part.strip_suffix(']').unwrap_or(part);
    let numbered = part.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.');
    let whole = part.strip_suffix(".cold").or_else(|| numbered?.strip_suffix(".cold"))?;
    let whole = whole.strip_suffix(" [clone ").unwrap_or(whole);
    (!whole.is_empty()).then(|| format!("{whole}{recursion}"))
}

#[derive(Default)]
struct Reader {
    warnings: Warnings,
    /// The number of the current line, 1-based.
    number: usize,
    /// The first `creator:`.
    producer: Option<Producer>,
    /// Whether valgrind wrote it, so that functions can have [cold parts](cold_part).
    is_native: bool,
    events: Events,
    /// How many positions begin a line of costs, and which of them is the line number.
    positions: Positions,
    texts: Texts,
    names: names::Tables,
    here: Here,
    callee: Callee,
    /// What the next line of costs belongs to, if not to the function itself.
    pending: Option<Pending>,
    /// The line of the last costs.
    line: u64,
    /// The address of the last costs.
    address: u64,
    /// Whether there were costs since the beginning of this part.
    in_body: bool,
    builder: ProfileBuilder,
    funcs: Vec<RawFunc>,
    func_ids: FxHashMap<RawFunc, FuncId>,
    own: Vec<OwnCost>,
    own_rows: Rows,
    calls: Vec<Call>,
    call_rows: Rows,
    /// The number of all calls.
    n_calls: u128,
    values: Vec<f64>,
    executions: Executions,
    /// The call tree so far, if the file has a block for each call.
    tree: Option<Tree>,
    block: Option<Block>,
    summary: Option<Summary>,
    /// The number of parts with costs that have ended.
    n_parts: usize,
    /// The number of lines that end a file of callgrind, or one of its parts.
    n_totals: usize,
}

/// What the file states about its costs.
#[derive(Clone, Copy)]
struct Summary {
    /// Their sum, in the first event.
    sum: f64,
    /// Whether it is below the costs, so that it ends the file. Xdebug's includes time outside of
    /// functions.
    is_end: bool,
}

struct Positions {
    n: usize,
    line: Option<usize>,
    instr: Option<usize>,
}

impl Default for Positions {
    fn default() -> Self {
        Self { n: 1, line: Some(0), instr: None }
    }
}

/// The place that costs belong to.
struct Here {
    object: Text,
    /// The file of the function.
    home: Text,
    /// The file of the next costs, if it is another one.
    inlined: Option<Text>,
    /// The same file, once there are costs.
    source: Option<SourceId>,
    func: Option<FuncId>,
    /// Whether it is the cold part of the function.
    is_cold: bool,
}

impl Default for Here {
    fn default() -> Self {
        let empty = Texts::EMPTY;
        Self { object: empty, home: empty, inlined: None, source: None, func: None, is_cold: false }
    }
}

/// The function of the next `calls=`.
#[derive(Default)]
struct Callee {
    object: Option<Text>,
    file: Option<Text>,
    name: Option<Text>,
}

enum Pending {
    Call {
        callee: FuncId,
        count: u64,
    },
    /// A jump, with its count and the address of its target, if that is known.
    Jump(Option<(u64, u64)>),
}

/// A function as in the file. Empty texts mean "not stated".
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RawFunc {
    name: Text,
    file: Text,
    object: Text,
}

impl Reader {
    /// Handles the next line. `is_cut`: it has no end, so it is the last one.
    fn line(&mut self, line: &str, is_cut: bool) -> Result<(), ReadError> {
        self.number += 1;
        let number = self.number;
        let split = text::split(line);
        // Some writers omit the last newline. Nothing follows the sums.
        let is_end = matches!(split, Line::Nothing | Line::Header("totals" | "summary", _));
        let understood = match split {
            Line::Nothing => true,
            Line::Header(key, value) => self.header(key, value)?,
            Line::Position(key, value) => self.position(key, value)?,
            Line::Costs if self.events.is_empty() => {
                let message = "costs before `events:`; expected `events: Ir` above them";
                return Err(ReadError::malformed(At::Line(number, 1), message));
            }
            // A line with all of its numbers counts, although its last digits may be missing.
            Line::Costs if is_cut => {
                let is_whole = line.split_ascii_whitespace().count()
                    >= self.positions.n + self.events.part().len();
                is_whole && self.costs(line)?
            }
            Line::Costs => self.costs(line)?,
            Line::Unknown => false,
        };
        if is_cut && understood && !is_end {
            self.warnings.add(WarningCode::OpenEnd, || open_end(number));
        } else if is_cut && !understood {
            self.warnings.add(WarningCode::PartialLine, || {
                format!("line {number} is cut off; it is left out")
            });
        } else if !understood {
            let message = || {
                format!(
                    "line {number}: expected `fn=NAME`, `calls=COUNT LINE` or `LINE COST`; it is left out"
                )
            };
            self.warnings.add(WarningCode::MalformedLine, message);
        }
        Ok(())
    }

    /// Handles `key: value`. Unknown keys are ignored.
    fn header(&mut self, key: &str, value: &str) -> Result<bool, ReadError> {
        let begins_part = matches!(
            key,
            "version" | "creator" | "part" | "pid" | "thread" | "positions" | "events"
        );
        if begins_part && self.in_body {
            self.end_part();
            self.end_block();
            self.names = names::Tables::default();
            self.here = Here::default();
            self.callee = Callee::default();
            self.pending = None;
            (self.line, self.address) = (0, 0);
            self.positions = Positions::default();
        }
        match key {
            // Each part may name it.
            "creator" if self.producer.is_none() => {
                let producer = Producer::parse(value);
                self.is_native = value.trim().starts_with("callgrind-");
                if producer.dialect() == Some(Dialect::Xdebug) {
                    self.tree = Some(Tree::default());
                }
                self.producer = Some(producer);
            }
            "positions" => {
                let columns: Vec<&str> = value.split_ascii_whitespace().collect();
                self.positions = Positions {
                    n: columns.len(),
                    line: columns.iter().position(|&column| column == "line"),
                    instr: columns.iter().position(|&column| column == "instr"),
                };
            }
            "events" => self.events.columns(value)?,
            "event" => self.events.describe(value)?,
            "totals" => self.n_totals += 1,
            "summary" => {
                let mut columns = self.events.part().iter().zip(value.split_ascii_whitespace());
                let first = columns
                    .find(|&(&event, _)| event == 0)
                    .and_then(|(_, sum)| text::number(sum))
                    .unwrap_or(0.0);
                // Each part may have one.
                let sum = self.summary.map_or(0.0, |before| before.sum) + first;
                self.summary = Some(Summary { sum, is_end: self.in_body });
            }
            _ => {}
        }
        Ok(true)
    }

    fn end_part(&mut self) {
        self.n_parts += usize::from(self.in_body);
        self.in_body = false;
    }

    /// Whether some parts have the line that ends them, and others do not.
    fn lacks_part(&self) -> bool {
        (1..self.n_parts).contains(&self.n_totals)
    }

    /// Handles `key=value`.
    fn position(&mut self, key: &str, value: &str) -> Result<bool, ReadError> {
        let mut name = |table| {
            let Self { names, texts, number, warnings, .. } = self;
            names.resolve(table, value, texts, *number, warnings)
        };
        match key {
            "ob" => self.here.object = name(names::OBJECTS)?,
            "fl" => {
                let home = name(names::FILES)?;
                self.here = Here { home, inlined: None, source: None, ..self.here };
            }
            "fi" | "fe" => {
                let inlined = Some(name(names::FILES)?);
                self.here = Here { inlined, source: None, ..self.here };
            }
            "fn" => {
                let name = name(names::FUNCTIONS)?;
                let (name, is_cold) = self.whole(name)?;
                let Here { home, object, .. } = self.here;
                let func = self.func(RawFunc { name, file: home, object });
                self.here =
                    Here { inlined: None, source: None, func: Some(func), is_cold, ..self.here };
                self.end_block();
                self.block = self.tree.is_some().then(|| Block::new(func));
            }
            "cob" | "cfi" | "cfl" | "cfn" => {
                let table = match key {
                    "cob" => names::OBJECTS,
                    "cfn" => names::FUNCTIONS,
                    _ => names::FILES,
                };
                let name = Some(name(table)?);
                // A callee without a `calls=` line.
                let before = if self.callee.name.is_some() {
                    Callee::default()
                } else {
                    std::mem::take(&mut self.callee)
                };
                self.callee = match key {
                    "cob" => Callee { object: name, ..before },
                    "cfn" => Callee { name, ..before },
                    _ => Callee { file: name, ..before },
                };
            }
            "calls" | "rcalls" => {
                let Callee { object, file, name } = std::mem::take(&mut self.callee);
                let (name, is_cold) = self.whole(name.unwrap_or(Texts::EMPTY))?;
                let func = RawFunc {
                    name,
                    file: file.or(self.here.inlined).unwrap_or(self.here.home),
                    object: object.unwrap_or(self.here.object),
                };
                let Some(count) = value.split_ascii_whitespace().next().and_then(text::whole)
                else {
                    return Ok(false);
                };
                let callee = self.func(func);
                let is_jump = (is_cold || self.here.is_cold) && self.here.func == Some(callee);
                self.pending = Some(if is_jump {
                    Pending::Jump(None)
                } else {
                    Pending::Call { callee, count }
                });
            }
            "jump" | "jcnd" => self.pending = Some(Pending::Jump(self.jump(value))),
            // These lines may define names.
            "jfi" | "jfl" => drop(name(names::FILES)?),
            "jfn" => drop(name(names::FUNCTIONS)?),
            "frfn" | "rec" | "bb" | "ln" | "rep" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ends a block of Xdebug: its call has returned.
    fn end_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.tree = self.tree.take().and_then(|tree| tree.returned(&block, self.events.len()));
        }
    }

    /// The name without the suffix of a cold part, and whether it had one.
    fn whole(&mut self, name: Text) -> Result<(Text, bool), ReadError> {
        let text = self.texts.get(name);
        // In other languages, `.cold` may be a method.
        match Some(text).filter(|text| self.is_native && text.contains(".cold")).and_then(cold_part)
        {
            Some(whole) => Ok((self.texts.intern(&whole)?, true)),
            None => Ok((name, false)),
        }
    }

    fn func(&mut self, func: RawFunc) -> FuncId {
        *self.func_ids.entry(func).or_insert_with(|| {
            self.funcs.push(func);
            FuncId::new(self.funcs.len() as u32 - 1)
        })
    }

    /// The number of jumps and the address of their target.
    fn jump(&self, value: &str) -> Option<(u64, u64)> {
        let (jumps, target) = text::jump(value, self.positions.n)?;
        let address = target.get(self.positions.instr?)?;
        Some((jumps, text::position(address, self.address)?))
    }

    /// Handles a line of positions and costs. Costs at the end may be missing.
    fn costs(&mut self, line: &str) -> Result<bool, ReadError> {
        self.in_body = true;
        let mut words = line.split_ascii_whitespace();
        for column in 0..self.positions.n {
            let Some(word) = words.next() else { break };
            if self.positions.line == Some(column) {
                let Some(line) = text::position(word, self.line) else { return Ok(false) };
                self.line = line;
            } else if self.positions.instr == Some(column)
                && let Some(address) = text::position(word, self.address)
            {
                self.address = address;
            }
        }
        let call = match self.pending.take() {
            Some(Pending::Jump(jump)) => {
                if let (Some((jumps, target)), Some(here)) = (jump, self.instruction()?) {
                    self.executions.jump(here, target, jumps);
                }
                return Ok(true);
            }
            Some(Pending::Call { callee, count }) => Some((callee, count)),
            None => None,
        };
        self.values.clear();
        self.values.resize(self.events.len(), 0.0);
        for (&column, word) in self.events.part().iter().zip(words) {
            let Some(value) = text::number(word) else { return Ok(false) };
            if value < 0.0 {
                self.warnings.add(WarningCode::NegativeCost, || {
                    format!("{word} is below zero and counts as 0")
                });
            }
            if let Some(slot) = self.values.get_mut(column) {
                *slot += value.max(0.0);
            }
        }
        self.add(call)?;
        Ok(true)
    }

    /// The function, the file if it is not the function's, and the line (1-based, 0 if unknown) that
    /// costs belong to.
    fn place(&mut self) -> Result<(FuncId, Option<SourceId>, u32), ReadError> {
        let Here { home, inlined, source, func, object, .. } = self.here;
        let func = match func {
            Some(func) => func,
            None => self.func(RawFunc { name: Texts::EMPTY, file: home, object }),
        };
        let line =
            if self.positions.line.is_some() { u32::try_from(self.line).unwrap_or(0) } else { 0 };
        Ok(match inlined.filter(|&file| file != home) {
            Some(Texts::EMPTY) => (func, None, 0),
            Some(file) if source.is_none() => {
                let file = source_name(self.texts.get(file));
                self.here.source = Some(self.builder.intern_source(&file)?);
                (func, self.here.source, line)
            }
            Some(_) => (func, source, line),
            None => (func, None, line),
        })
    }

    /// The instruction that costs belong to. `None` if the file has no addresses.
    fn instruction(&mut self) -> Result<Option<Instruction>, ReadError> {
        if self.positions.instr.is_none() {
            return Ok(None);
        }
        let (func, source, line) = self.place()?;
        Ok(Some(Instruction { func, source, line, address: self.address }))
    }

    /// Adds the values to the row of the current place, or of this many calls from there.
    fn add(&mut self, call: Option<(FuncId, u64)>) -> Result<(), ReadError> {
        let (func, source, line) = self.place()?;
        if self.positions.instr.is_some() {
            let instruction = Instruction { func, source, line, address: self.address };
            let ir = self.events.instructions().and_then(|event| self.values.get(event));
            match (call, ir) {
                (Some(_), _) => self.executions.call(instruction),
                #[expect(clippy::cast_sign_loss, reason = "not negative")]
                (None, Some(&ir)) => self.executions.add(instruction, ir as u64),
                (None, None) => {}
            }
        }
        match (&mut self.block, call) {
            (_, Some((_, count))) if count != 1 => self.tree = None,
            (Some(block), Some((callee, _))) => block.call(callee, line),
            (Some(block), None) => block.own(line, &self.values),
            (None, _) => {}
        }
        let weights = match call {
            Some((callee, count)) => {
                let row = self.call_rows.row((func, source, line, Some(callee)), &mut self.calls);
                row.count = row.count.saturating_add(count);
                self.n_calls += u128::from(count);
                &mut row.weights
            }
            None => &mut self.own_rows.row((func, source, line, None), &mut self.own).weights,
        };
        if weights.len() < self.values.len() {
            weights.resize(self.values.len(), 0.0);
        }
        weights.iter_mut().zip(&self.values).for_each(|(sum, value)| *sum += value);
        Ok(())
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        if self.events.is_empty() {
            let message = "the file ends before `events:`; expected `events: Ir`";
            return Err(ReadError::truncated(At::File, message));
        }
        self.end_part();
        self.warn();
        self.end_block();
        let writer = match self.producer.take() {
            Some(producer) => Writer::of_producer(Some(producer)),
            None => Writer { producer: None, dialect: self.events.dialect() },
        };
        let starts = if writer.dialect == Some(Dialect::Pyprof2calltree) {
            self.starts()
        } else {
            FxHashMap::default()
        };
        let texts = std::mem::take(&mut self.texts);
        let names = names::without_suffixes(self.funcs.iter().map(|func| texts.get(func.name)));
        let (mut inner, mut functions) = (Vec::new(), Vec::new());
        let mut first: FxHashMap<_, FuncId> = FxHashMap::default();
        for (id, (raw, (name, is_inner))) in
            (0..).map(FuncId::new).zip(self.funcs.iter().zip(names))
        {
            let first = *first.entry((name, raw.file, raw.object)).or_insert(id);
            let line = starts.get(&id).copied().unwrap_or(0);
            let name = name.strip_suffix(&format!(":{line}")).unwrap_or(name);
            let (file, lib) = (texts.get(raw.file), texts.get(raw.object));
            let func = FuncText { name, file, lib, line, column: 0 }.func(&mut self.builder)?;
            functions.push((first, func.source));
            self.builder.push_func(func)?;
            inner.extend(is_inner.then_some(id));
        }
        let lines = match self
            .own
            .iter()
            .map(|own| own.line)
            .chain(self.calls.iter().map(|call| call.line))
            .max()
        {
            Some(0) => LineKnowledge::Nothing,
            _ => LineKnowledge::SelfAndTotal,
        };
        let line_counts =
            std::mem::take(&mut self.executions).finish(|func| functions[func.index()]);
        let has_end = self.n_totals > 0 && !self.lacks_part() || self.summary.is_some();
        let Self { mut own, mut calls, events, mut warnings, builder, tree, .. } = self;
        let (metrics, derive) = events.finish(writer.dialect, lines, &mut warnings);
        let recording = if let Some(tree) = tree {
            Recording::Stacks(tree.stacks(builder, metrics, &derive)?)
        } else {
            for weights in own
                .iter_mut()
                .map(|own| &mut own.weights)
                .chain(calls.iter_mut().map(|call| &mut call.weights))
            {
                derive.apply(weights);
            }
            let symbols = SymbolTables { line_counts, ..builder.build().into_symbols() };
            Recording::from(GraphTables {
                symbols,
                metrics,
                own,
                calls,
                inner,
                ..GraphTables::default()
            })
        };
        let truncated = has_end.then_some(false);
        Ok(Read { writer, truncated, ..Read::new(Format::Callgrind, recording, warnings) })
    }

    /// The lines where functions start: pyprof2calltree puts all costs of a function there. (It
    /// appends the line to names that occur several times: `f:20`.)
    fn starts(&self) -> FxHashMap<FuncId, u32> {
        self.own.iter().map(|own| (own.func, own.line)).collect()
    }

    /// Adds the warnings about the file as a whole.
    fn warn(&mut self) {
        let total: f64 = self.own.iter().filter_map(|own| own.weights.first()).sum();
        let Summary { sum, is_end } = self.summary.unwrap_or(Summary { sum: 0.0, is_end: false });
        let dialect = self.producer.as_ref().and_then(Producer::dialect);
        // Other programs that write a summary may round it.
        let is_callgrind =
            self.producer.as_ref().is_some_and(|producer| producer.name() == "callgrind");
        let lacks_totals = is_callgrind && self.n_totals == 0;
        let is_less = total < sum * 0.99 || (total < sum && lacks_totals);
        let is_whole = dialect == Some(Dialect::Xdebug) && is_end;
        if is_less && !is_whole {
            let message = || {
                format!(
                    "the costs add up to {total}, but the file states {sum}; its end may be missing"
                )
            };
            self.warnings.add(WarningCode::Incomplete, message);
        } else if self.lacks_part() {
            let message = || {
                "a part of the file has no line `totals:`; the end of the file may be missing"
                    .to_owned()
            };
            self.warnings.add(WarningCode::Incomplete, message);
        } else if dialect == Some(Dialect::Xdebug) && self.summary.is_none() {
            let message =
                || "the line `summary:` is missing; the end of the file may be missing".to_owned();
            self.warnings.add(WarningCode::Incomplete, message);
        }
        if self.n_calls > u128::from(u64::MAX) {
            let message =
                || format!("call counts add up to more than {}, which is shown instead", u64::MAX);
            self.warnings.add(WarningCode::TooManyCalls, message);
        }
        let costs =
            |own: &&OwnCost| own.line != 0 && own.weights.iter().any(|&weight| weight != 0.0);
        let mut lines: FxHashMap<FuncId, u32> = FxHashMap::default();
        let one_each =
            self.own.iter().filter(costs).all(|own| lines.insert(own.func, own.line).is_none());
        if one_each && lines.len() >= MIN_FUNCTIONS_WITH_ONE_LINE {
            let message = || "each function has all of its self cost on one line; the file has no costs of single lines";
            self.warnings.add(WarningCode::OneLinePerFunction, || message().to_owned());
        }
    }
}
