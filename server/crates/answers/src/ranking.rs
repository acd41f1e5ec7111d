//! The rows of reports and lists of hot spots: functions, lines, calls, files, modules, packages,
//! libraries, threads, cliques or fields, in an order, down to a limit.

pub(crate) mod accessors;
pub(crate) mod by;
pub(crate) mod by_library;
pub(crate) mod check;
pub(crate) mod groups;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod row;
pub(crate) mod rows;

use list::List;
use loading::Snapshot;

pub use accessors::{Accessors, Field};
pub use by::By;
pub use groups::{Group, GroupKind};
pub use list::{InBaseline, Ranking};
pub use row::{Limits, Omitted, Row, Scope, Sort};
pub use rows::{Ranked, Rows};

impl Ranking {
    /// The rows of a snapshot. The error is a message for users, without a full stop.
    pub fn rows(
        &self,
        snapshot: &Snapshot,
        baseline: Option<InBaseline<'_>>,
    ) -> Result<Ranked, String> {
        let default = match self.by {
            By::Edge | By::Clique | By::Field => Sort::Total,
            _ => Sort::Self_,
        };
        let sort = self.sort.unwrap_or(default);
        self.check(sort, snapshot, baseline.is_some())?;
        let list = List { ranking: self, snapshot, baseline, sort };
        let (rows, omitted) = match self.by {
            By::Function => list.functions(),
            By::Line => list.lines(),
            By::Edge => list.edges(),
            By::File => list.groups(GroupKind::File),
            By::Module => list.groups(GroupKind::Module),
            By::Package => list.groups(GroupKind::Package),
            By::Library => list.groups(GroupKind::Library),
            By::Thread => list.threads(),
            By::Clique => list.cliques(),
            By::Field => list.fields(),
        }?;
        Ok(Ranked { rows, sort, omitted })
    }
}
