//! The functions of a snapshot as the recording has them, each row on its own, for programs that
//! read reports. They are summed over the same stacks as the functions of the snapshot, after
//! transforms, so that both add up to the same total.

use crate::snapshot::Snapshot;
use crate::stages::grouped::Function;
use analysis::{Costs, FunctionId, Groups};

/// The recorded functions of a snapshot: the funcs that agree in name, file, library, line and
/// column are one. A function of the snapshot consists of one or more of them.
#[derive(Debug)]
pub struct RecordedFunctions<'a> {
    snapshot: &'a Snapshot,
    /// `None` if they are the functions of the snapshot.
    apart: Option<(Groups, Costs)>,
}

impl<'a> RecordedFunctions<'a> {
    /// The recorded functions of `snapshot`, summed anew where they are not its functions.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let grouped = &snapshot.grouped;
        let apart = (!grouped.source_functions.is_empty()).then(|| {
            let symbols = grouped.recording.symbols();
            let groups = (*grouped.groups).clone().with_functions(symbols, |_| None::<()>);
            let costs = analysis::costs(&grouped.recording, &grouped.view, &groups);
            (groups, costs)
        });
        Self { snapshot, apart }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.groups().n_functions()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they cost. Files and lines are those of the snapshot.
    pub fn costs(&self) -> &Costs {
        self.apart.as_ref().map_or(&self.snapshot.costs, |(_, costs)| costs)
    }

    /// What the recording says of one.
    pub fn function(&self, recorded: FunctionId) -> Function<'a> {
        self.snapshot.grouped.recorded(self.groups().first_func(recorded))
    }

    /// The function of the snapshot that one is part of.
    pub fn function_of(&self, recorded: FunctionId) -> FunctionId {
        self.snapshot.grouped.groups.function(self.groups().first_func(recorded))
    }

    fn groups(&self) -> &Groups {
        self.apart.as_ref().map_or(&self.snapshot.grouped.groups, |(groups, _)| groups)
    }
}
