//! How often each line of a procedure was executed.
//!
//! A deep profile counts calls, and executions at coverage points. The compiler places so many
//! points that the counts of all other goals follow from these: the goals of a conjunction, for
//! example, begin as often as the goal before them ends. Rules as in `deep_profiler/coverage.m` of
//! Mercury.
//!
//! Points and call sites are identified by goal paths: `c2;?;` is the condition of the second goal
//! of the body.

use super::goal::{FileId, Goal, GoalKind, Place};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// The counts of a procedure, summed over its contexts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProcCounts<'a> {
    pub(super) calls: u64,
    pub(super) exits: u64,
    pub(super) sites: Vec<SiteCounts<'a>>,
    pub(super) points: Vec<PointCount<'a>>,
}

/// The counts of a call site, summed over its callees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SiteCounts<'a> {
    pub(super) goal_path: &'a str,
    pub(super) line: u32,
    pub(super) calls: u64,
    pub(super) exits: u64,
    pub(super) exceptions: u64,
}

/// The count of a coverage point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PointCount<'a> {
    pub(super) goal_path: &'a str,
    /// Whether it counts how often the goal begins, as a branch, not how often it ends.
    pub(super) is_branch: bool,
    pub(super) count: u64,
}

/// Why the counts of a procedure do not tell how often its lines were executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The call sites or points are not those of the body.
    Body,
    /// A goal has two different counts.
    Counts,
}

/// A count of executions; `None` if it does not follow from those in the file.
type Count = Option<u64>;

/// The number of executions of each line: the maximum over its goals.
pub(super) fn lines(
    body: &[Goal],
    counts: &ProcCounts<'_>,
) -> Result<BTreeMap<(FileId, u32), Option<u64>>, Misfit> {
    let mut walk = Walk { body, paths: Paths::of(counts)?, n_found: 0, lines: BTreeMap::new() };
    let end = walk.goals(Some(counts.calls))?;
    agreed(end.after, Some(counts.exits))?;
    if walk.n_found == walk.paths.n_used { Ok(walk.lines) } else { Err(Misfit::Body) }
}

/// A count from two sources, which must agree.
fn agreed(one: Count, other: Count) -> Result<Count, Misfit> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(Misfit::Counts),
        _ => Ok(one.or(other)),
    }
}

fn sum(one: Count, other: Count) -> Count {
    one?.checked_add(other?)
}

/// A step of a goal path: its letter, and its number or 0.
type Step = (u8, u32);

/// A goal path that leads to a call site or a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PathId(u32);

/// The call sites and points by goal path.
#[derive(Debug, Default)]
struct Paths<'a> {
    /// The path with one more step.
    longer: FxHashMap<(PathId, Step), PathId>,
    marks: Vec<Marks<'a>>,
    /// The number of paths with a call site or point.
    n_used: usize,
}

/// What is known at a goal path.
#[derive(Debug, Clone, Copy, Default)]
struct Marks<'a> {
    site: Option<SiteCounts<'a>>,
    before: Count,
    after: Count,
}

impl Marks<'_> {
    fn is_used(&self) -> bool {
        self.site.is_some() || self.before.is_some() || self.after.is_some()
    }
}

impl<'a> Paths<'a> {
    fn of(counts: &ProcCounts<'a>) -> Result<Self, Misfit> {
        let mut paths = Self { marks: vec![Marks::default()], ..Self::default() };
        for site in &counts.sites {
            let marks = paths.marks_at(site.goal_path)?;
            if marks.site.replace(*site).is_some() {
                return Err(Misfit::Body);
            }
        }
        for point in &counts.points {
            let marks = paths.marks_at(point.goal_path)?;
            let count = if point.is_branch { &mut marks.before } else { &mut marks.after };
            if count.replace(point.count).is_some() {
                return Err(Misfit::Body);
            }
        }
        paths.n_used = paths.marks.iter().filter(|marks| marks.is_used()).count();
        Ok(paths)
    }

    fn marks_at(&mut self, goal_path: &str) -> Result<&mut Marks<'a>, Misfit> {
        let mut path = PathId(0);
        for step in goal_path.split_terminator(';') {
            let step = parse_step(step).ok_or(Misfit::Body)?;
            let next = PathId(u32::try_from(self.marks.len()).map_err(|_| Misfit::Body)?);
            path = *self.longer.entry((path, step)).or_insert(next);
            if path == next {
                self.marks.push(Marks::default());
            }
        }
        self.marks.get_mut(path.0 as usize).ok_or(Misfit::Body)
    }

    fn step(&self, path: Option<PathId>, step: Step) -> Option<PathId> {
        self.longer.get(&(path?, step)).copied()
    }

    fn marks(&self, path: Option<PathId>) -> Marks<'a> {
        path.and_then(|path| self.marks.get(path.0 as usize)).copied().unwrap_or_default()
    }
}

/// Parses a step such as `c2`, `s1-3` (arm 1 of a switch over a type of 3 functors), `?` or `q!`.
fn parse_step(step: &str) -> Option<Step> {
    let (&letter, rest) = step.as_bytes().split_first()?;
    let number = match letter {
        b'c' | b'd' | b's' | b'o' => {
            let rest = step.get(1..)?;
            rest.split_once('-').map_or(rest, |(number, _)| number).parse().ok()?
        }
        b'q' if rest == b"!" => 0,
        _ if rest.is_empty() => 0,
        _ => return None,
    };
    Some((letter, number))
}

/// How a goal ended.
#[derive(Debug, Clone, Copy)]
struct End {
    before: Count,
    after: Count,
    /// Whether calls in it ended with an exception.
    throws: bool,
}

/// A goal whose parts are being counted.
#[derive(Debug)]
struct Frame {
    goal: usize,
    path: Option<PathId>,
    before: Count,
    /// The next part, and the number of those before it.
    next: usize,
    n_begun: u32,
    /// The sum of the starts of the arms of a switch so far.
    begun: Count,
    /// The count after the parts so far.
    after: Count,
    /// The count before the else-part.
    before_else: Count,
    throws: bool,
}

impl Frame {
    /// The last step of the path of the next part.
    fn step(&self, kind: GoalKind) -> Step {
        let number = self.n_begun + 1;
        match kind {
            GoalKind::Conjunction => (b'c', number),
            GoalKind::Disjunction => (b'd', number),
            GoalKind::Switch { .. } => (b's', number),
            GoalKind::IfThenElse => match self.n_begun {
                0 => (b'?', 0),
                1 => (b't', 0),
                _ => (b'e', 0),
            },
            GoalKind::Negation => (b'~', 0),
            GoalKind::Scope { .. } => (b'q', 0),
            GoalKind::Call(_) | GoalKind::Atomic(_) => (0, 0),
        }
    }

    /// Adds the counts of a part.
    fn add(&mut self, kind: GoalKind, end: End) {
        self.throws |= end.throws;
        self.after = match kind {
            GoalKind::Disjunction | GoalKind::Switch { .. } => sum(self.after, end.after),
            GoalKind::IfThenElse if self.n_begun == 3 => sum(self.after, end.after),
            GoalKind::Negation | GoalKind::Scope { cuts: true } => None,
            _ => end.after,
        };
        self.begun = sum(self.begun, end.before);
    }
}

struct Walk<'a> {
    body: &'a [Goal],
    paths: Paths<'a>,
    /// The number of goals with a call site or point.
    n_found: usize,
    lines: BTreeMap<(FileId, u32), Option<u64>>,
}

impl Walk<'_> {
    /// Counts all goals, from the count before the first.
    fn goals(&mut self, before: Count) -> Result<End, Misfit> {
        let mut open: Vec<Frame> = Vec::new();
        let mut begins = Some((0, Some(PathId(0)), before));
        loop {
            let mut end = match begins.take() {
                Some((goal, path, before)) => self.begin(goal, path, before, &mut open)?,
                None => None,
            };
            loop {
                let Some(frame) = open.last_mut() else {
                    return end.ok_or(Misfit::Body);
                };
                let goal = self.body[frame.goal];
                if let Some(end) = end.take() {
                    frame.add(goal.kind, end);
                }
                if frame.next < frame.goal + goal.size as usize {
                    begins = Some(self.next_part(frame, goal)?);
                    break;
                }
                let (path, before, throws) = (frame.path, frame.before, frame.throws);
                let after = self.after(goal, path, before, frame.after)?;
                end = Some(End { before, after, throws });
                open.pop();
            }
        }
    }

    /// Begins a goal. Its end if it has no parts.
    fn begin(
        &mut self,
        row: usize,
        path: Option<PathId>,
        before: Count,
        open: &mut Vec<Frame>,
    ) -> Result<Option<End>, Misfit> {
        let goal = *self.body.get(row).ok_or(Misfit::Body)?;
        let marks = self.paths.marks(path);
        self.n_found += usize::from(marks.is_used());
        match goal.kind {
            GoalKind::Call(place) => {
                let site = marks.site.filter(|site| site.line == place.line).ok_or(Misfit::Body)?;
                let before = agreed(before, Some(site.calls))?;
                self.add_line(place, before);
                let after = self.after(goal, path, before, Some(site.exits))?;
                Ok(Some(End { before, after, throws: site.exceptions > 0 }))
            }
            GoalKind::Atomic(place) => {
                self.add_line(place, before);
                let after = before.filter(|_| goal.determinism.is_exactly_once());
                let after = self.after(goal, path, before, after)?;
                Ok(Some(End { before, after, throws: false }))
            }
            kind => {
                let starts_with_before = matches!(kind, GoalKind::Conjunction);
                open.push(Frame {
                    goal: row,
                    path,
                    before,
                    next: row + 1,
                    n_begun: 0,
                    begun: Some(0),
                    after: if starts_with_before { before } else { Some(0) },
                    before_else: None,
                    throws: false,
                });
                Ok(None)
            }
        }
    }

    /// The next part of a goal: its row, path, and the count before it.
    fn next_part(
        &self,
        frame: &mut Frame,
        goal: Goal,
    ) -> Result<(usize, Option<PathId>, Count), Misfit> {
        let row = frame.next;
        let size = self.body.get(row).map_or(1, |part| part.size as usize);
        let is_last = row + size == frame.goal + goal.size as usize;
        let path = self.paths.step(frame.path, frame.step(goal.kind));
        let point = self.paths.marks(path).before;
        let derived = match goal.kind {
            GoalKind::Conjunction => frame.after,
            GoalKind::Disjunction if frame.n_begun > 0 => None,
            // The compiler places no point at the last arm.
            GoalKind::Switch { can_fail: false } if is_last => {
                difference(frame.before, frame.begun)?
            }
            GoalKind::Switch { .. } => None,
            GoalKind::IfThenElse => match frame.n_begun {
                0 => frame.before,
                1 => frame.after,
                _ => frame.before_else,
            },
            _ => frame.before,
        };
        // What is in a goal that never begins does not begin either.
        let derived = derived.or(frame.before.filter(|&before| before == 0));
        let before = agreed(point, derived)?;
        if goal.kind == GoalKind::IfThenElse && frame.n_begun == 1 {
            // A condition either succeeds or fails, unless it has several solutions or throws.
            let condition = self.body[frame.goal + 1];
            let is_either = !condition.determinism.is_many() && !frame.throws;
            frame.before_else = if is_either { difference(frame.before, before)? } else { None };
        }
        frame.next += size;
        frame.n_begun += 1;
        Ok((row, path, before))
    }

    /// The count after a goal. `derived` is that of its parts.
    fn after(
        &self,
        goal: Goal,
        path: Option<PathId>,
        before: Count,
        derived: Count,
    ) -> Result<Count, Misfit> {
        let after = agreed(self.paths.marks(path).after, derived)?;
        let is_never = goal.determinism.is_never() || before == Some(0);
        if is_never { agreed(after, Some(0)) } else { Ok(after) }
    }

    fn add_line(&mut self, place: Place, before: Count) {
        let line = self.lines.entry((place.file, place.line)).or_insert(Some(0));
        *line = line.zip(before).map(|(line, before)| line.max(before));
    }
}

fn difference(one: Count, other: Count) -> Result<Count, Misfit> {
    let Some((one, other)) = one.zip(other) else { return Ok(None) };
    one.checked_sub(other).map(Some).ok_or(Misfit::Counts)
}
