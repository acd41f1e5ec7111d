//! The functions of a recording, not grouped by definition, for programs that read reports. Their
//! costs are summed over the same stacks as those of the snapshot's functions, after transforms, so
//! that both add up to the same total.

use crate::snapshot::Snapshot;
use crate::stages::grouped::Function;
use analysis::{Costs, FunctionId, Groups};

/// The recorded functions of a snapshot. Funcs with the same name, file, library, line and column
/// are one recorded function. A function of the snapshot consists of one or more of them.
#[derive(Debug)]
pub struct RecordedFunctions<'a> {
    snapshot: &'a Snapshot,
    /// Groups and costs. `None` if they are those of the snapshot.
    own: Option<(Groups, Costs)>,
}

impl<'a> RecordedFunctions<'a> {
    /// The recorded functions of `snapshot`. Sums their costs, unless none has a definition.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let grouped = &snapshot.grouped;
        let own = (!grouped.source_functions.is_empty()).then(|| {
            let symbols = grouped.recording.symbols();
            let groups = (*grouped.groups).clone().with_functions(symbols, |_| None::<()>);
            let costs = analysis::costs(&grouped.recording, &grouped.view, &groups);
            (groups, costs)
        });
        Self { snapshot, own }
    }

    /// The number of functions.
    pub fn len(&self) -> usize {
        self.groups().n_functions()
    }

    /// Whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their costs. Files and lines are those of the snapshot.
    pub fn costs(&self) -> &Costs {
        self.own.as_ref().map_or(&self.snapshot.costs, |(_, costs)| costs)
    }

    /// The recorded name and place of a function.
    pub fn function(&self, recorded: FunctionId) -> Function<'a> {
        self.snapshot.grouped.recorded(self.groups().first_func(recorded))
    }

    /// The function of the snapshot that a recorded function is part of.
    pub fn function_of(&self, recorded: FunctionId) -> FunctionId {
        self.snapshot.grouped.groups.function(self.groups().first_func(recorded))
    }

    fn groups(&self) -> &Groups {
        self.own.as_ref().map_or(&self.snapshot.grouped.groups, |(groups, _)| groups)
    }
}
