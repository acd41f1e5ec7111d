//! Execution counts in a deep profile, and the lines that they belong to. Lines are in a file
//! beside the profile: the representation of the program ([`crate::read::deep::procrep`]).

use crate::error::ReadError;
use crate::read::deep::coverage::{Misfit, PointCount, ProcCounts, SiteCounts, lines};
use crate::read::deep::goal::FileId;
use crate::read::deep::links::Links;
use crate::read::deep::nodes::{Coverage, File, Proc};
use crate::read::deep::proc_label::ProcLabel;
use crate::read::deep::procrep::Procrep;
use profile::{Recording, StringId, StringTable, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// How often procedures, call sites and coverage points were executed.
#[derive(Debug)]
pub struct Executions {
    procs: Vec<ProcExecutions>,
    sites: Vec<SiteExecutions>,
    points: Vec<PointExecutions>,
}

/// The counts of one procedure, summed over its contexts.
#[derive(Debug)]
struct ProcExecutions {
    label: ProcLabel,
    calls: u64,
    exits: u64,
    /// Rows of [`Executions::sites`].
    sites: Range<usize>,
    /// Rows of [`Executions::points`].
    points: Range<usize>,
    /// Whether nodes of the profile are missing or contradict each other.
    is_damaged: bool,
}

/// Goal paths are strings of the recording.
#[derive(Debug, Clone, Copy)]
struct SiteExecutions {
    goal_path: StringId,
    line: u32,
    calls: u64,
    exits: u64,
    exceptions: u64,
}

#[derive(Debug, Clone, Copy)]
struct PointExecutions {
    goal_path: StringId,
    is_branch: bool,
    count: u64,
}

impl Executions {
    /// The counts of a file; `None` if it was recorded without coverage.
    pub(super) fn of(file: &File, links: &Links) -> Option<Self> {
        if file.header.coverage == Coverage::None {
            return None;
        }
        let mut executions = Self {
            procs: Vec::with_capacity(file.procs.len()),
            sites: Vec::new(),
            points: Vec::new(),
        };
        let mut rows_of_site = vec![None; file.sites.len()];
        for procedure in file.procs.rows() {
            executions.add_proc(file, procedure, &mut rows_of_site);
        }
        for arc in &links.arcs {
            let counts = &file.calls.rows()[arc.call as usize].own;
            if let Some(row) = rows_of_site[arc.site as usize] {
                let site: &mut SiteExecutions = &mut executions.sites[row];
                site.calls = site.calls.saturating_add(counts.calls());
                site.exits = site.exits.saturating_add(counts.exits);
                site.exceptions = site.exceptions.saturating_add(counts.exceptions);
            }
            if let Some(callee) = links.proc_of_context[arc.callee as usize] {
                let callee = &mut executions.procs[callee as usize];
                callee.calls = callee.calls.saturating_add(counts.calls());
                callee.exits = callee.exits.saturating_add(counts.exits);
            }
        }
        if file.header.coverage == Coverage::Dynamic {
            executions.add_counts_of_contexts(file, links);
        }
        Some(executions)
    }

    fn add_proc(&mut self, file: &File, procedure: &Proc, rows_of_site: &mut [Option<usize>]) {
        let (first_site, first_point) = (self.sites.len(), self.points.len());
        let mut is_damaged = false;
        for site in procedure.sites(file) {
            let Some(site) = site.filter(|&site| rows_of_site[site].is_none()) else {
                is_damaged = true;
                continue;
            };
            rows_of_site[site] = Some(self.sites.len());
            let site = &file.sites.rows()[site];
            let (goal_path, line) = (site.goal_path, site.line);
            self.sites.push(SiteExecutions { goal_path, line, calls: 0, exits: 0, exceptions: 0 });
        }
        for point in procedure.points.clone() {
            let point = &file.points[point as usize];
            let (goal_path, is_branch, count) = (point.goal_path, point.is_branch, point.count);
            self.points.push(PointExecutions { goal_path, is_branch, count });
        }
        self.procs.push(ProcExecutions {
            label: procedure.label.clone(),
            calls: 0,
            exits: 0,
            sites: first_site..self.sites.len(),
            points: first_point..self.points.len(),
            is_damaged,
        });
    }

    fn add_counts_of_contexts(&mut self, file: &File, links: &Links) {
        for (context, procedure) in file.contexts.rows().iter().zip(&links.proc_of_context) {
            let Some(procedure) = *procedure else { continue };
            let procedure = &mut self.procs[procedure as usize];
            procedure.is_damaged |= context.counts.len() != procedure.points.len();
            let counts = &file.counts[context.counts.start as usize..context.counts.end as usize];
            for (point, count) in self.points[procedure.points.clone()].iter_mut().zip(counts) {
                point.count = point.count.saturating_add(*count);
            }
        }
    }

    /// Adds how often lines were executed to the recording of these counts, from the representation
    /// of the program.
    ///
    /// # Errors
    /// If the representation cannot be read.
    pub(crate) fn add_to(
        &self,
        recording: &mut Recording,
        warnings: &mut Warnings,
        procrep: &[u8],
    ) -> Result<(), ReadError> {
        let procrep = Procrep::read(procrep)?;
        let program = self.lines(&recording.symbols().strings, &procrep);
        if let Some(problem) = program.problem() {
            warnings.add(WarningCode::ProgramRepresentation, || {
                format!("some execution counts are unknown: {problem}")
            });
        }
        let mut names: FxHashMap<FileId, Cow<'_, str>> = FxHashMap::default();
        for &(file, _) in program.counts.keys() {
            names.entry(file).or_insert_with(|| String::from_utf8_lossy(procrep.file(file)));
        }
        let counts = program.counts.iter().filter_map(|(&(file, line), &count)| {
            let name = names.get(&file).filter(|name| line != 0 && !name.is_empty())?;
            Some((name.as_ref(), line, count))
        });
        Ok(recording.add_line_counts(counts)?)
    }

    /// The counts of each procedure; `None` if two procedures have its name.
    fn by_label<'a>(
        &'a self,
        strings: &'a StringTable,
    ) -> FxHashMap<&'a ProcLabel, Option<ProcCounts<'a>>> {
        let mut by_label = FxHashMap::default();
        for procedure in &self.procs {
            let site = |site: &SiteExecutions| SiteCounts {
                goal_path: strings.get(site.goal_path),
                line: site.line,
                calls: site.calls,
                exits: site.exits,
                exceptions: site.exceptions,
            };
            let point = |point: &PointExecutions| PointCount {
                goal_path: strings.get(point.goal_path),
                is_branch: point.is_branch,
                count: point.count,
            };
            let counts = ProcCounts {
                calls: procedure.calls,
                exits: procedure.exits,
                sites: self.sites[procedure.sites.clone()].iter().map(site).collect(),
                points: self.points[procedure.points.clone()].iter().map(point).collect(),
            };
            let counts = Some(counts).filter(|_| !procedure.is_damaged);
            by_label.entry(&procedure.label).and_modify(|known| *known = None).or_insert(counts);
        }
        by_label
    }

    /// The executions of lines, by file and line.
    fn lines(&self, strings: &StringTable, procrep: &Procrep<'_>) -> LinesOfProgram {
        let counts = self.by_label(strings);
        let mut program = LinesOfProgram::default();
        for procedure in &procrep.procs {
            let body = procrep.body(procedure);
            let lines = match counts.get(&procedure.label) {
                Some(Some(counts)) => lines(body, counts),
                Some(None) | None => Err(Misfit::Body),
            };
            program.n_procs += 1;
            match lines {
                Ok(lines) => {
                    for ((file, line), count) in lines {
                        program.add(file, line, count);
                    }
                    continue;
                }
                Err(Misfit::Body) => program.n_other += 1,
                Err(Misfit::Counts) => program.n_contradictory += 1,
            }
            for place in body.iter().filter_map(|goal| goal.kind.place()) {
                program.add(place.file, place.line, None);
            }
        }
        program
    }
}

/// The executions of the lines of all procedures.
#[derive(Debug, Default)]
struct LinesOfProgram {
    counts: BTreeMap<(FileId, u32), Option<u64>>,
    n_procs: usize,
    /// The number of procedures that are not in the profile, or have other calls or points there.
    n_other: usize,
    /// The number of procedures whose counts contradict each other.
    n_contradictory: usize,
}

impl LinesOfProgram {
    /// Adds the count of a line in one procedure: the code of a line can be in several, because it
    /// was inlined, or because it has several modes.
    fn add(&mut self, file: FileId, line: u32, count: Option<u64>) {
        let sum = self.counts.entry((file, line)).or_insert(Some(0));
        *sum = sum.zip(count).map(|(sum, count)| sum.saturating_add(count));
    }

    /// What does not fit, if anything.
    fn problem(&self) -> Option<String> {
        let Self { n_procs, n_other, n_contradictory, .. } = *self;
        if n_other > 0 {
            return Some(format!(
                "{n_other} of {n_procs} procedures of the program representation (`.procrep`) do \
                 not match the profile; run the program again, which writes both files"
            ));
        }
        (n_contradictory > 0).then(|| {
            format!("the counts of {n_contradictory} of {n_procs} procedures contradict each other")
        })
    }
}
