//! Follows the ids of nodes: which procedure a call site is in, which context makes a call and
//! which it calls. Nodes that contradict each other are reported and ignored.

use super::nodes::{File, Site, SiteKind};
use profile::{WarningCode, Warnings};

const NONE: u32 = u32::MAX;

/// A call from one context to another, as indexes of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arc {
    /// The context of the caller.
    pub(super) caller: u32,
    /// The context of the callee.
    pub(super) callee: u32,
    /// The call site.
    pub(super) site: u32,
    /// The dynamic call, which has the counts.
    pub(super) call: u32,
}

/// The nodes with their connections.
#[derive(Debug)]
pub(super) struct Links {
    /// The procedure of each context.
    pub(super) proc_of_context: Vec<Option<u32>>,
    /// All calls, by caller.
    pub(super) arcs: Vec<Arc>,
}

/// Counts of contradictions.
#[derive(Debug, Default)]
struct Problems {
    missing: usize,
    duplicate: usize,
    wrong_size: usize,
    wrong_kind: usize,
    wrong_callee: usize,
    shared: usize,
    unused: usize,
}

impl Links {
    pub(super) fn of(file: &File, warnings: &mut Warnings) -> Self {
        let mut problems = Problems {
            missing: file.procs.n_missing()
                + file.sites.n_missing()
                + file.contexts.n_missing()
                + file.calls.n_missing(),
            duplicate: file.procs.duplicates
                + file.sites.duplicates
                + file.contexts.duplicates
                + file.calls.duplicates,
            ..Problems::default()
        };
        let mut is_in_proc = vec![false; file.sites.len()];
        for procedure in file.procs.rows() {
            for site in procedure.sites(file) {
                match site {
                    Some(site) if !is_in_proc[site] => is_in_proc[site] = true,
                    Some(_) => problems.shared += 1,
                    None => problems.missing += 1,
                }
            }
        }
        let proc_of_context =
            file.contexts.rows().iter().map(|context| {
                file.procs.index(context.procedure).map(|procedure| procedure as u32)
            });
        let mut links = Self { proc_of_context: proc_of_context.collect(), arcs: Vec::new() };
        links.add_arcs(file, &mut problems);
        problems.report(warnings);
        links
    }

    fn add_arcs(&mut self, file: &File, problems: &mut Problems) {
        let mut caller_of = vec![NONE; file.calls.rows().len()];
        for (caller, context) in (0..).zip(file.contexts.rows()) {
            let Some(procedure) = self.proc_of_context[caller as usize] else {
                problems.missing += 1;
                continue;
            };
            let procedure = &file.procs.rows()[procedure as usize];
            problems.wrong_size += usize::from(procedure.sites.len() != context.slots.len());
            for (slot, site) in context.slots.clone().zip(procedure.sites(file)) {
                let slot = &file.slots[slot as usize];
                let Some(site) = site else { continue };
                problems.wrong_kind += usize::from(file.sites.rows()[site].kind != slot.kind);
                for id in &file.called[slot.calls.start as usize..slot.calls.end as usize] {
                    let Some(call) = file.calls.index(*id) else {
                        problems.missing += 1;
                        continue;
                    };
                    if caller_of[call] != NONE {
                        problems.shared += 1;
                        continue;
                    }
                    caller_of[call] = caller;
                    let callee = file.contexts.index(file.calls.rows()[call].callee);
                    let known = callee.and_then(|at| Some((at, self.proc_of_context[at]?)));
                    let Some((callee, called)) = known else {
                        problems.missing += 1;
                        continue;
                    };
                    let Site { kind, callee: stated, .. } = file.sites.rows()[site];
                    let is_stated = file.procs.index(stated) == Some(called as usize);
                    problems.wrong_callee += usize::from(kind == SiteKind::Normal && !is_stated);
                    let (callee, site, call) = (callee as u32, site as u32, call as u32);
                    self.arcs.push(Arc { caller, callee, site, call });
                }
            }
        }
        problems.unused = caller_of.iter().filter(|&&caller| caller == NONE).count();
    }
}

impl Problems {
    fn report(&self, warnings: &mut Warnings) {
        let found = [
            (self.missing, "nodes are missing"),
            (self.duplicate, "nodes have the id of an earlier one"),
            (self.wrong_size, "contexts have more or fewer call sites than their procedure"),
            (self.wrong_kind, "calls are of another kind than their call site"),
            (self.wrong_callee, "calls are to another procedure than their call site states"),
            (self.shared, "nodes belong to two others"),
            (self.unused, "calls belong to no context"),
        ];
        let found: Vec<String> = found
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !found.is_empty() {
            warnings.add(WarningCode::InconsistentNodes, || {
                format!("{}; the file may be damaged, and costs incomplete", found.join(", "))
            });
        }
    }
}
