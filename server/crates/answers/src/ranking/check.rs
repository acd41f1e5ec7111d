//! Whether rows have what they are sorted by, divided by and limited to.

use super::by::By;
use super::list::Ranking;
use super::row::{Scope, Sort};
use loading::Snapshot;

impl Ranking {
    /// Checks that the rows have what they are sorted by, divided by and limited to.
    pub(super) fn check(
        &self,
        sort: Sort,
        snapshot: &Snapshot,
        has_baseline: bool,
    ) -> Result<(), String> {
        let rows = self.by.plural();
        let is_graph = !snapshot.tree.has_stacks();
        let has_self = snapshot.costs.metric.lines.has_self();
        match (self.by, sort) {
            (_, Sort::Self_ | Sort::Charged | Sort::Change) if !has_self => {
                return Err(format!(
                    "the profile has no self costs, because the time of a line contains what it calls; sort \
                     {rows} by total"
                ));
            }
            (by, _) if !has_self && !matches!(by, By::Function | By::Line) => {
                return Err(format!(
                    "the costs of {rows} are not known, because those of functions contain each other; \
                     list functions or lines"
                ));
            }
            (By::Line | By::Thread | By::Label, Sort::Calls) => {
                return Err(format!(
                    "calls of {rows} are not counted; sort {rows} by self or total"
                ));
            }
            (by, Sort::Charged) if !by.is_charged() => {
                return Err(format!(
                    "{rows} are not charged for the libraries that they call; sort {rows} by another cost"
                ));
            }
            (_, Sort::Charged) if self.limits.per_call || self.module.is_some() => {
                return Err(format!(
                    "what libraries cost is known neither per call nor in one module; sort {rows} by \
                     self or total"
                ));
            }
            (by, Sort::Self_) if !by.has_self() => {
                return Err("calls have no self cost; sort them by total or calls".to_owned());
            }
            (by, Sort::Total) if is_graph && by.is_group() => {
                return Err(format!(
                    "{rows} have no total, because calls between their functions overlap; sort \
                     them by self or calls"
                ));
            }
            (By::Edge | By::Thread | By::Clique | By::Field, Sort::Change) => {
                return Err(format!(
                    "changes of {rows} are not known; sort functions, lines or files by change"
                ));
            }
            (_, Sort::Change) if !has_baseline => {
                return Err(
                    "there is no profile to compare with; choose a baseline to sort by change"
                        .to_owned(),
                );
            }
            _ => {}
        }
        if self.limits.per_call && sort == Sort::Change {
            return Err("changes in costs per call are not known".to_owned());
        }
        if matches!(self.by, By::Line | By::Thread | By::Label) && self.limits.per_call {
            return Err(format!(
                "calls of {rows} are not counted, so their costs per call are unknown"
            ));
        }
        if !self.by.has_own_code() && self.scope == Scope::Own {
            return Err(format!(
                "{rows} cannot be limited to own code; list functions or files instead"
            ));
        }
        if self.module.is_some() && !matches!(self.by, By::Function | By::Field) {
            return Err(format!(
                "only functions and fields can be limited to a module, not {rows}"
            ));
        }
        Ok(())
    }
}
