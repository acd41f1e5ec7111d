//! What something cost in another recording that the user compares with: the *baseline*.
//!
//! It is a snapshot like the one shown, seen under the same settings, and stays as it was when it was chosen. A function is the
//! same in both if its definition has the same name in the same file of the workspace, else if the profiles call it the same. A
//! line is the same if the text says so (`lines.rs`). What cannot be told is unknown, which is not nothing.

use crate::session::snapshot::Snapshot;
use analysis::ThreadChoice;
use profile::{Cost, FileId, FunctionId, Metric, Total};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The definitions of a file by container and name; `None` where several are called that.
type Defined = FxHashMap<(Option<String>, String), Option<FunctionId>>;

/// A recording to compare with.
#[derive(Debug)]
pub struct Baseline {
    /// How it is seen.
    pub snapshot: Arc<Snapshot>,
    defined: FxHashMap<FileId, Defined>,
}

/// What something cost in the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Before {
    /// Its cost.
    pub cost: Cost,
    /// The total of the baseline, which its shares are of.
    pub of: f64,
}

/// Why two recordings cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    /// They count different things.
    Metric,
    /// Threads are chosen in one of them only.
    Threads,
    /// What is compared with has no costs.
    Nothing,
}

impl Difference {
    fn between(before: &Snapshot, now: &Snapshot) -> Option<Self> {
        let [was, is] = [before, now].map(|snapshot| &snapshot.costs.metric);
        let shows_all = |snapshot: &Snapshot| snapshot.view.threads == ThreadChoice::All;
        if (&was.name, &was.unit) != (&is.name, &is.unit) {
            Some(Self::Metric)
        } else if shows_all(before) != shows_all(now) {
            Some(Self::Threads)
        } else {
            (before.costs.total == 0.0).then_some(Self::Nothing)
        }
    }

    fn sentence(self, before: &Snapshot, now: &Snapshot) -> String {
        let [path, other] = [before, now].map(|snapshot| snapshot.loaded.path.display());
        let [was, is] = [before, now].map(|snapshot| {
            let Metric { name, unit, .. } = &snapshot.costs.metric;
            if name == unit { format!("`{name}`") } else { format!("`{name}` ({unit})") }
        });
        let why = match self {
            Self::Metric => format!("it counts {was}, and {other} counts {is}"),
            Self::Threads => format!("its threads are not those that are shown of {other}"),
            Self::Nothing => format!("it has no costs by {is} of the threads that are shown of {other}"),
        };
        format!("{path}: nothing is compared with it: {why}")
    }
}

/// Why the costs of two recordings must not be subtracted, if they count different things: a sentence.
pub fn different_metrics(before: &Snapshot, now: &Snapshot) -> Option<String> {
    let difference = Difference::between(before, now).filter(|difference| *difference == Difference::Metric);
    difference.map(|difference| difference.sentence(before, now))
}

impl Baseline {
    /// Compares with `snapshot`.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        let mut defined: FxHashMap<FileId, Defined> = FxHashMap::default();
        for (function, _) in snapshot.costs.functions() {
            let Some(source) = snapshot.source_function(function) else { continue };
            let (container, name) = (source.definition().container.clone(), source.definition().name.clone());
            let same = defined.entry(source.file).or_default().entry((container, name)).or_insert(Some(function));
            *same = same.filter(|known| *known == function);
        }
        Self { snapshot, defined }
    }

    /// Whether costs of `shown` can be compared with it.
    pub fn is_comparable(&self, shown: &Snapshot) -> bool {
        Difference::between(&self.snapshot, shown).is_none()
    }

    /// Why costs of `shown` cannot be compared with it, if so: a sentence.
    pub fn problem(&self, shown: &Snapshot) -> Option<String> {
        Difference::between(&self.snapshot, shown).map(|difference| difference.sentence(&self.snapshot, shown))
    }

    /// What a function of `shown` cost; `None` if that cannot be told.
    pub fn function(&self, shown: &Snapshot, function: FunctionId) -> Option<Before> {
        let cost = |function| self.before(self.snapshot.costs.function(function).cost);
        let Some(source) = shown.source_function(function) else {
            // One func there may be a part of a definition here, and the other way round.
            return match self.snapshot.find(&shown.key(function)) {
                [same] if self.snapshot.source_function(*same).is_none() => Some(cost(*same)),
                _ => None,
            };
        };
        let file = self.snapshot.file_at(shown.path_of(source.file)?)?;
        let (defined, definition) = (self.defined.get(&file)?, source.definition());
        match defined.get(&(definition.container.clone(), definition.name.clone())) {
            _ if definition.name.is_empty() => None,
            Some(same) => same.map(cost),
            // The definitions of the file are known, and none of this name had costs.
            None => Some(self.nothing()),
        }
    }

    /// What a line (1-based, of the text that the baseline was recorded from) cost.
    pub fn line(&self, file: FileId, line: u32) -> Before {
        match self.snapshot.costs.lines_of(file, line..line + 1) {
            [line] => self.before(line.cost),
            _ => self.nothing(),
        }
    }

    fn before(&self, cost: Cost) -> Before {
        Before { cost, of: self.snapshot.costs.base }
    }

    fn nothing(&self) -> Before {
        self.before(Cost { self_: 0.0, total: Total::Exact(0.0) })
    }
}
