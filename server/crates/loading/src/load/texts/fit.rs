//! Whether a text can be the one that a profile was recorded from: its functions are where the
//! profile has them, and lines with cost are not blank.
//!
//! A text in which a function with a recorded start is elsewhere is not the recorded one. Its lines
//! are then found through the functions: each moves the lines up to the next one
//! (`LineMap::of_functions`). Compilers generate functions on the line of a type or macro; those prove
//! nothing. A checksum in debug info decides before everything else, but refutes no file, because the
//! file may have been edited.

use crate::functions::definitions::FileDefinitions;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::load::texts::inlinable::Inlinable;
use analysis::{FuncId, Recording, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use texts::{Definition, LineMap};

/// What a profile says about each of its sources.
#[derive(Debug, Default)]
pub struct Evidence(FxHashMap<SourceId, Rc<FileEvidence>>);

/// What a profile says about one file. Lines are 0-based.
#[derive(Debug, Default, Clone)]
pub struct FileEvidence {
    /// Lines with cost, with duplicates.
    lines: Vec<u32>,
    /// Lines with a count of executions.
    counted: Vec<u32>,
    /// Functions with a name, and closures.
    functions: FxHashMap<FuncId, FunctionEvidence>,
    /// The lines with cost of functions that have another name of a file, with duplicates.
    of_others: Vec<(FuncId, u32)>,
}

/// What a profile says about one function. Lines are 0-based.
#[derive(Debug, Clone)]
pub struct FunctionEvidence {
    /// Its name.
    pub name: FunctionName,
    /// The line it starts on, and the column (1-based, 0 = unknown).
    pub start: Option<(u32, u32)>,
    /// Lines with cost, with duplicates.
    pub lines: Vec<u32>,
}

impl Evidence {
    /// The evidence in a recording.
    pub fn of(recording: &Recording) -> Self {
        let symbols = recording.symbols();
        let mut found: FxHashMap<SourceId, FileEvidence> = FxHashMap::default();
        for func in symbols.funcs.ids() {
            let row = symbols.funcs.get(func);
            let name = FunctionName::of(symbols.strings.get(row.name));
            let Some(source) = row.source else { continue };
            if (name.name.is_some() || name.closure) && !name.block {
                let start = row.line.checked_sub(1).map(|line0| (line0, row.column));
                let function = FunctionEvidence { name, start, lines: Vec::new() };
                found.entry(source).or_default().functions.insert(func, function);
            }
        }
        recording.each_place(|func, source, line| {
            let file = found.entry(source).or_default();
            file.lines.push(line - 1);
            match file.functions.get_mut(&func) {
                Some(function) => function.lines.push(line - 1),
                None => file.of_others.push((func, line - 1)),
            }
        });
        for row in symbols.line_counts.iter().filter(|row| row.line != 0) {
            if let Some(file) = found.get_mut(&row.source) {
                file.counted.push(row.line - 1);
            }
        }
        Self(found.into_iter().map(|(source, file)| (source, Rc::new(file))).collect())
    }

    /// What it says about a source. `None` if neither functions nor lines are in it.
    pub fn of_source(&self, source: SourceId) -> Option<&Rc<FileEvidence>> {
        self.0.get(&source)
    }

    /// What it says about a file that has several names.
    pub fn of_file(&self, sources: &[SourceId]) -> Rc<FileEvidence> {
        let mut known = sources.iter().filter_map(|source| self.0.get(source));
        let Some(first) = known.next() else { return Rc::default() };
        let mut all = first.clone();
        for other in known {
            Rc::make_mut(&mut all).add(other);
        }
        all
    }
}

impl FileEvidence {
    /// Adds what is said about another name of the file.
    fn add(&mut self, other: &Self) {
        self.lines.extend(&other.lines);
        self.counted.extend(&other.counted);
        self.of_others.extend(&other.of_others);
        self.functions.extend(other.functions.iter().map(|(&func, it)| (func, it.clone())));
        for (func, line0) in std::mem::take(&mut self.of_others) {
            match self.functions.get_mut(&func) {
                Some(function) => function.lines.push(line0),
                None => self.of_others.push((func, line0)),
            }
        }
    }

    /// The same without lines, which may be those of other files.
    pub fn of_starts(&self) -> Self {
        let without_lines = |function: &FunctionEvidence| FunctionEvidence {
            lines: Vec::new(),
            ..function.clone()
        };
        let functions = self.functions.iter().map(|(&func, it)| (func, without_lines(it)));
        Self { functions: functions.collect(), ..Self::default() }
    }

    /// The functions with a name, and closures.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, &FunctionEvidence)> {
        self.functions.iter().map(|(&func, function)| (func, function))
    }

    /// The last line (1-based) with cost. 0 if there is none.
    pub fn last_line(&self) -> u32 {
        self.lines.iter().max().map_or(0, |line0| line0 + 1)
    }

    /// Whether the file can have been recorded with this text. A few contradictions are allowed:
    /// compilers give some code the line of something else.
    pub fn fits(&self, text: &str, definitions: Option<&FileDefinitions>) -> bool {
        self.fits_lines(text) && definitions.is_none_or(|it| self.has_functions(text, it))
    }

    /// Whether the functions are where this text has them, as far as it has them.
    pub fn has_functions(&self, text: &str, definitions: &FileDefinitions) -> bool {
        !self.starts_elsewhere(definitions, text) && self.fits_functions(definitions, text)
    }

    /// Whether the file cannot have been recorded with this text. This is not the opposite of
    /// [`Self::fits`]: lines in other functions are no contradiction, because some profiles do not mark
    /// inlined code.
    pub fn contradicts(&self, text: &str, definitions: Option<&FileDefinitions>) -> bool {
        !self.fits_lines(text)
            || definitions.is_some_and(|definitions| {
                self.starts_elsewhere(definitions, text)
                    || self.contradicts_functions(definitions, text)
            })
    }

    /// The lines of a text for the recorded lines, if functions start elsewhere in it: each function has
    /// the lines up to the next one. `None` if none does.
    pub fn moved(&self, text: &str, definitions: &FileDefinitions) -> Option<Arc<LineMap>> {
        let starts = self.starts(definitions, text);
        if starts.iter().all(|(recorded0, open0)| recorded0 == open0) {
            return None;
        }
        let starts: Vec<(u32, u32)> = starts.into_iter().collect();
        let last = self.lines.iter().chain(&self.counted).max().copied().unwrap_or(0);
        let n_open = text.lines().count() as u32;
        Some(Arc::new(LineMap::of_functions(&starts, n_open.max(last + 1), n_open)))
    }

    /// The number of functions that are in a text where they were recorded.
    pub fn n_found(&self, definitions: &FileDefinitions) -> usize {
        let text = File::new(definitions);
        self.named().filter(|function| function.is_found(&text) == Some(true)).count()
    }

    /// The number of lines with cost that are code in a text: no comment, and more than brackets.
    pub fn n_lines_of_code(&self, text: &str) -> usize {
        let lines: Vec<&str> = text.lines().collect();
        let all: BTreeSet<u32> = self.lines.iter().copied().collect();
        let is_code = |line0: &&u32| lines.get(**line0 as usize).is_some_and(|line| is_code(line));
        all.iter().filter(is_code).count()
    }

    /// The recorded lines (0-based) of functions that a text has as they were recorded: they start where the
    /// text has them, and so does what is next. The first one is the beginning of the file.
    pub fn certain(&self, text: &str, definitions: &FileDefinitions) -> Vec<Range<u32>> {
        let mut starts: Vec<(u32, Option<u32>)> = self.recorded_starts(definitions, text);
        starts.insert(0, (0, Some(0)));
        let pairs = starts.windows(2).filter_map(|pair| {
            let &[(start0, Some(open0)), (next0, Some(open_next0))] = pair else { return None };
            let is_same = next0.checked_sub(start0) == open_next0.checked_sub(open0);
            (is_same && is_next(definitions, open0, open_next0)).then_some(start0..next0)
        });
        pairs.collect()
    }

    /// The lines (0-based, ascending) of functions that the text has elsewhere: those with a cost, and
    /// those with a count. They are recorded lines or, if functions were moved, lines of the text.
    pub fn misplaced(&self, text: &FileDefinitions, moved: Option<&LineMap>) -> Vec<u32> {
        match moved {
            Some(moved) => self.after(moved).misplaced_in(text),
            None => self.misplaced_in(text),
        }
    }

    /// Where each function with an exact start is in a text, by the line on which it was recorded:
    /// there, or else at the only definition of its name.
    fn starts(&self, definitions: &FileDefinitions, text: &str) -> BTreeMap<u32, u32> {
        let starts = self.recorded_starts(definitions, text).into_iter();
        starts.filter_map(|(recorded0, open0)| Some((recorded0, open0?))).collect()
    }

    /// The lines on which functions start, ascending, each with the line of [`Self::starts`]. Without those
    /// that the compiler generated.
    fn recorded_starts(
        &self,
        definitions: &FileDefinitions,
        text: &str,
    ) -> Vec<(u32, Option<u32>)> {
        let file = File::new(definitions);
        let lines: Vec<&str> = text.lines().collect();
        let mut starts: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for function in self.named() {
            let FunctionEvidence { name, start: Some((line0, column)), .. } = function else {
                continue;
            };
            let is_there = file.may_start_at(name, *line0, *column)
                || file.around_neck(name, *line0).is_some();
            if is_there {
                starts.insert(*line0, Some(*line0));
            } else if !function.is_generated(&file, &lines) {
                let start = starts.entry(*line0).or_default();
                *start = start.or_else(|| file.start_of_only(name));
            }
        }
        starts.into_iter().collect()
    }

    /// Whether a function with an exact start is elsewhere in a text.
    fn starts_elsewhere(&self, definitions: &FileDefinitions, text: &str) -> bool {
        self.starts(definitions, text).iter().any(|(recorded0, line0)| recorded0 != line0)
    }

    /// The same evidence with the lines of a text. Lines that are mapped to nothing are left out.
    fn after(&self, map: &LineMap) -> Self {
        let lines = |lines: &[u32]| lines.iter().filter_map(|&line0| map.to_open(line0)).collect();
        let functions = self.functions.iter().map(|(&func, function)| {
            let start = function.start.map(|(line0, column)| {
                // The columns are those of the recorded line.
                map.to_open(line0).filter(|&to| to != line0).map_or((line0, column), |to| (to, 0))
            });
            let (name, lines) = (function.name.clone(), lines(&function.lines));
            (func, FunctionEvidence { name, start, lines })
        });
        Self {
            functions: functions.collect(),
            lines: lines(&self.lines),
            counted: lines(&self.counted),
            of_others: Vec::new(),
        }
    }

    fn fits_lines(&self, text: &str) -> bool {
        let is_code: Vec<bool> = text.lines().map(|line| !line.trim().is_empty()).collect();
        // Scripts as a whole are on the first line, and the end of a file may have a line.
        let n_lines = is_code.len() as u32;
        let counted = || self.lines.iter().filter(|&&line0| line0 != 0 && line0 != n_lines);
        let has_code = |line0: u32| is_code.get(line0 as usize).is_some_and(|is_code| *is_code);
        let n_wrong = counted().filter(|&&line0| !has_code(line0)).count();
        n_wrong * 10 <= counted().count()
    }

    fn fits_functions(&self, definitions: &FileDefinitions, text: &str) -> bool {
        // Some profiles do not mark inlined code.
        let is_compiled = definitions.language.is_compiled();
        let inlinable = LazyCell::new(|| Inlinable::new(definitions, text));
        let lines_of_text: Vec<&str> = text.lines().collect();
        let text = File::new(definitions);
        let has_inlined = |name: &FunctionName, lines: &[u32]| {
            is_compiled && text.agreeing(name).any(|at| inlinable.may_have(at, lines))
        };
        let (mut n_right, mut n_wrong) = (0, 0);
        for function in self.functions.values().filter(|function| !function.is_script()) {
            let FunctionEvidence { name, start, lines } = function;
            let is_found = match start {
                Some((line0, column)) => text.may_start_at(name, *line0, *column),
                None if lines.is_empty() => continue,
                // Without its type, the name is that of several methods (py-spy, rbspy).
                None => {
                    text.may_contain(name, lines)
                        || name.path.is_empty()
                            && lines.iter().all(|&it| text.may_contain(name, &[it]))
                        || has_inlined(name, lines)
                }
            };
            if is_found {
                n_right += 1;
            } else if !function.is_generated(&text, &lines_of_text)
                && (text.has(name) || text.has_closure_in(name))
            {
                // The text has the function elsewhere.
                n_wrong += 1;
            }
        }
        n_wrong * 4 <= n_right
    }

    fn contradicts_functions(&self, definitions: &FileDefinitions, text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let text = File::new(definitions);
        let is_compiled = definitions.language.is_compiled();
        let (mut n_right, mut n_wrong, mut n_doubtful) = (0, 0, 0);
        for function in self.named() {
            match function.is_found(&text) {
                None => {}
                Some(true) => n_right += 1,
                Some(false) if !text.has(&function.name) => {}
                Some(false) if function.is_generated(&text, &lines) => {}
                // All of its lines may be inlined ones of others.
                Some(false)
                    if function.start.is_none() && is_compiled && function.is_in_code(&text) =>
                {
                    n_doubtful += 1;
                }
                Some(false) => n_wrong += 1,
            }
        }
        n_wrong * 4 > n_right || n_doubtful > 1 && n_doubtful > n_right
    }

    fn misplaced_in(&self, definitions: &FileDefinitions) -> Vec<u32> {
        let text = File::new(definitions);
        let is_compiled = definitions.language.is_compiled();
        let mut misplaced = Vec::new();
        let (present, absent): (Vec<_>, Vec<_>) =
            self.named().partition(|function| text.has(&function.name));
        // A function is gone if some of its lines are now those of others.
        let of_others: FxHashSet<usize> = match absent.as_slice() {
            [] => FxHashSet::default(),
            _ => present.iter().flat_map(|function| text.agreeing(&function.name)).collect(),
        };
        let is_of_others =
            |line0: &u32| text.containing_lines(*line0, *line0).any(|at| of_others.contains(&at));
        for FunctionEvidence { lines, .. } in absent {
            if lines.iter().any(is_of_others) {
                misplaced.extend(lines);
            }
        }
        for function in present {
            let is_around = |line0: &u32| function.is_around(&text, *line0);
            // Functions that are not compiled have no lines of others.
            let is_moved = match (function.start, is_compiled) {
                (None, false) => !function.lines.iter().all(is_around),
                _ => function.is_found(&text) == Some(false),
            };
            let is_misplaced = |line0: &&u32| is_moved || !is_compiled && !is_around(line0);
            misplaced.extend(function.lines.iter().filter(is_misplaced));
        }
        misplaced.extend(self.counted_with(&misplaced));
        misplaced.sort_unstable();
        misplaced.dedup();
        misplaced
    }

    /// The counted lines whose nearest line with a cost, at or above them, is one of `lines`. Counts are
    /// not recorded by function, so they are where the costs around them are.
    fn counted_with(&self, lines: &[u32]) -> Vec<u32> {
        let lines: FxHashSet<u32> = lines.iter().copied().collect();
        let with_cost: BTreeSet<u32> = self.lines.iter().copied().collect();
        let is_with = |line0: &u32| {
            let nearest = with_cost.range(..=line0).next_back();
            nearest.is_some_and(|nearest| lines.contains(nearest))
        };
        self.counted.iter().copied().filter(is_with).collect()
    }

    /// The functions with a name. The places of closures are less certain: some tools write code around a
    /// script.
    fn named(&self) -> impl Iterator<Item = &FunctionEvidence> {
        self.functions.values().filter(|function| function.name.name.is_some())
    }
}

impl FunctionEvidence {
    /// Whether it is a script as a whole, which profiles of JavaScript have as a function without a name.
    fn is_script(&self) -> bool {
        self.name.name.is_none() && matches!(self.start, Some((0, 0..=1)))
    }

    /// Whether a text has the function where it starts, or else around one of its lines. `None` if it has
    /// neither a start nor lines.
    fn is_found(&self, text: &File<'_>) -> Option<bool> {
        match self.start {
            Some((line0, column)) => Some(
                text.may_start_at(&self.name, line0, column)
                    || text.around_neck(&self.name, line0).is_some(),
            ),
            None if self.lines.is_empty() => None,
            None => Some(self.lines.iter().any(|line0| self.is_around(text, *line0))),
        }
    }

    /// Whether the compiler may have generated the function: compilers give such functions the line of a
    /// type or macro with their name (copy constructors of C++, derived methods of Rust).
    fn is_generated(&self, text: &File<'_>, lines: &[&str]) -> bool {
        let Some((line0, _)) = self.start.filter(|_| text.is_compiled()) else { return false };
        let line = lines.get(line0 as usize).filter(|line| names(line, &self.name));
        line.is_some() && text.containing_lines(line0, line0).next().is_none()
    }

    /// Whether all of its lines are in functions of a text.
    fn is_in_code(&self, text: &File<'_>) -> bool {
        self.lines.iter().all(|&line0| text.containing_lines(line0, line0).next().is_some())
    }

    fn is_around(&self, text: &File<'_>, line0: u32) -> bool {
        text.may_contain(&self.name, &[line0])
    }
}

/// Whether the definition on `next0` is the next one after that on `line0` (both 0-based), apart from those
/// within it.
fn is_next(text: &FileDefinitions, line0: u32, next0: u32) -> bool {
    let starts = |it: &&Definition| it.name_line0 == line0 || *it.lines.start() == line0;
    let end0 = text.all.iter().filter(starts).map(|it| *it.lines.end()).max();
    let all = text.all.iter().zip(&text.starts);
    let mut between = all.filter(|(_, start0)| (line0 + 1..next0).contains(start0));
    between
        .all(|(it, _)| it.name_line0 == next0 || end0.is_some_and(|end0| *it.lines.end() <= end0))
}

/// Whether a line is more than brackets, and no comment.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    let is_comment = ["//", "/*", "*", "#", "--", "%"].iter().any(|mark| line.starts_with(mark));
    !is_comment && line.contains(char::is_alphanumeric)
}

/// Whether a line has the name of a function as a word, in upper or lower case.
fn names(line: &str, name: &FunctionName) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = name.name.as_deref().unwrap_or_default().trim_matches(|c| !is_word(c));
    line.split(|c| !is_word(c)).any(|word| word.eq_ignore_ascii_case(name))
}
