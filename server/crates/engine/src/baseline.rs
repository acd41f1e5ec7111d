//! The *baseline*: the profile that costs are compared with.
//!
//! It is a snapshot like the one shown and has the same settings. It does not change when its file
//! is rewritten. Two functions are the same if they have definitions with the same name in the same
//! workspace file. Without definitions, they are the same if they have the same key in both
//! profiles. Lines are matched by their text ([`crate::context`]). An unmatched cost is unknown,
//! not zero.

use crate::snapshot::Snapshot;
use analysis::{Cost, FileId, FunctionId, Metric, ThreadChoice, Total};
use rustc_hash::FxHashMap;
use sources::{Arity, Definition};
use std::sync::Arc;

/// The definitions of a file by container, name and arity; `None` if several have the same.
type Defined = FxHashMap<DefinitionKey, Option<FunctionId>>;
type DefinitionKey = (Option<String>, String, Option<Arity>);

fn key(definition: &Definition) -> DefinitionKey {
    (definition.container.clone(), definition.name.clone(), definition.arity)
}

/// A profile to compare with.
#[derive(Debug)]
pub struct Baseline {
    /// The profile, under the settings of the one shown.
    pub snapshot: Arc<Snapshot>,
    defined: FxHashMap<FileId, Defined>,
}

/// The cost of a line or function in the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Before {
    /// The raw cost.
    pub cost: Cost,
    /// [`analysis::Costs::base`] of the baseline, which its percentages are relative to.
    pub of: f64,
}

/// Why two recordings cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// They have different metrics or units.
    Metric,
    /// One shows all threads, the other does not.
    Threads,
    /// The baseline has no costs.
    NoCosts,
}

impl Difference {
    fn between(before: &Snapshot, now: &Snapshot) -> Option<Self> {
        let [was, is] = [before, now].map(|snapshot| &snapshot.costs.metric);
        let shows_all = |snapshot: &Snapshot| snapshot.grouped.view.threads == ThreadChoice::All;
        if (&was.name, &was.unit) != (&is.name, &is.unit) {
            Some(Self::Metric)
        } else if shows_all(before) != shows_all(now) {
            Some(Self::Threads)
        } else {
            (before.costs.total == 0.0).then_some(Self::NoCosts)
        }
    }

    fn message(self, before: &Snapshot, now: &Snapshot) -> String {
        let [path, other] = [before, now].map(|snapshot| snapshot.loaded.path.display());
        let [was, is] = [before, now].map(|snapshot| {
            let Metric { name, unit, .. } = &snapshot.costs.metric;
            if name == unit { format!("`{name}`") } else { format!("`{name}` ({unit})") }
        });
        let why = match self {
            Self::Metric => {
                format!("it measures {was}, not {is}; choose a baseline with the same metric")
            }
            Self::Threads => {
                "only one of them has the chosen threads; show all threads, or choose another \
                 baseline"
                    .to_owned()
            }
            Self::NoCosts => {
                format!("it has no costs in {is} for the threads shown; choose another baseline")
            }
        };
        format!("{path}: cannot be compared with {other}: {why}")
    }
}

/// A message if the costs of two recordings must not be subtracted because they have different
/// metrics.
pub fn different_metrics(before: &Snapshot, now: &Snapshot) -> Option<String> {
    let difference =
        Difference::between(before, now).filter(|difference| *difference == Difference::Metric);
    difference.map(|difference| difference.message(before, now))
}

impl Baseline {
    /// A baseline from a snapshot.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let mut defined: FxHashMap<FileId, Defined> = FxHashMap::default();
        for (function, _) in snapshot.costs.functions() {
            let Some(source) = snapshot.source_function(function) else { continue };
            let same = defined
                .entry(source.file)
                .or_default()
                .entry(key(source.definition()))
                .or_insert(Some(function));
            *same = same.filter(|other| *other == function);
        }
        Self { snapshot, defined }
    }

    /// Whether costs of `shown` can be compared with this baseline.
    pub fn is_comparable(&self, shown: &Snapshot) -> bool {
        Difference::between(&self.snapshot, shown).is_none()
    }

    /// A message if costs of `shown` cannot be compared with this baseline.
    pub fn problem(&self, shown: &Snapshot) -> Option<String> {
        Difference::between(&self.snapshot, shown)
            .map(|difference| difference.message(&self.snapshot, shown))
    }

    /// The cost in the baseline of a function of `shown`. `None` if it has no unique match.
    pub fn function(&self, shown: &Snapshot, function: FunctionId) -> Option<Before> {
        let cost = |function| self.before(self.snapshot.costs.function(function).cost);
        let Some(source) = shown.source_function(function) else {
            // A func of one profile may be part of a definition in the other. Such functions have
            // no match.
            return match self.snapshot.find(&shown.key(function)) {
                [same] if self.snapshot.source_function(*same).is_none() => Some(cost(*same)),
                _ => None,
            };
        };
        let file = self.snapshot.file_at(shown.path_of(source.file)?)?;
        let (defined, definition) = (self.defined.get(&file)?, source.definition());
        match defined.get(&key(definition)) {
            _ if definition.name.is_empty() => None,
            Some(same) => same.map(cost),
            // The definitions of the file were found, and none of this name had costs.
            None => Some(self.zero()),
        }
    }

    /// The cost in the baseline of a line: 1-based, in the text that the baseline was recorded
    /// from.
    pub fn line(&self, file: FileId, line: u32) -> Before {
        let line = self.snapshot.costs.lines_of(file, line..line + 1).first();
        self.of_line(line.map(|line| line.cost))
    }

    /// The cost of a line in the baseline, zero if it has none.
    pub fn of_line(&self, cost: Option<Cost>) -> Before {
        cost.map_or_else(|| self.zero(), |cost| self.before(cost))
    }

    fn before(&self, cost: Cost) -> Before {
        Before { cost, of: self.snapshot.costs.base }
    }

    fn zero(&self) -> Before {
        self.before(Cost { self_: 0.0, total: Total::Exact(0.0) })
    }
}
