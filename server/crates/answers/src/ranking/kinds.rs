//! The rows of each kind, before they are sorted and limited.

use super::accessors::{Accessors, Field, fields};
use super::by::By;
use super::by_library::{ByLibrary, Part};
use super::groups::{Group, GroupKind, GroupsBefore, groups, module, module_of_mercury};
use super::list::List;
use super::order::{hottest_functions, sorted_lines};
use super::row::{Omitted, Row};
use super::subject::{Members, Place, Role, Subject};
use crate::compare::before::NO_COST;
use crate::functions::own_code::charge;
use analysis::{
    CliqueCost, Cost, Edge, FileId, FunctionCost, FunctionId, LabelCost, LineKnowledge,
    PartWithLabels, ThreadId, Total, nearest, thread_labels,
};
use formats::Format;
use loading::Snapshot;
use loading::text::{place, plain};
use rustc_hash::FxHashMap;

/// The rows to list and how many are omitted. The error is a message for users.
pub(super) type Listed = Result<(Vec<Row>, Omitted), String>;

impl<'a> List<'a> {
    /// The rows to list.
    pub fn rows(&self) -> Listed {
        match self.ranking.by {
            By::Function => self.functions(),
            By::Line => self.lines(),
            By::Edge => self.edges(),
            By::File => self.groups(GroupKind::File),
            By::Module => self.groups(GroupKind::Module),
            By::Package => self.groups(GroupKind::Package),
            By::Library => self.groups(GroupKind::Library),
            By::Thread => self.threads(),
            By::Label => self.labels(),
            By::Clique => self.cliques(),
            By::Field => self.fields(),
        }
    }

    fn title(&self, function: FunctionId) -> String {
        plain(self.name(function)).into_owned()
    }

    fn titles(&self, functions: &[FunctionId]) -> String {
        functions.iter().map(|&function| self.title(function)).collect::<Vec<_>>().join(", ")
    }

    fn name(&self, function: FunctionId) -> &'a str {
        self.snapshot.function(function).name
    }

    fn functions(&self) -> Listed {
        let Self { snapshot, baseline, charges, .. } = *self;
        let charged = |row: &Row<FunctionId>| {
            let weight = *charges?.functions.get(&row.what)?;
            Some(charge(snapshot, weight, row.cost.self_))
        };
        let rows = self.in_module()?.map(|row| Row {
            charged: charged(&row),
            own: snapshot.is_own(row.what),
            last: is_runtime(snapshot, row.what),
            ..row
        });
        let before = |&function: &FunctionId| baseline?.compared.function(snapshot, function);
        let (rows, omitted) = self.select(rows, &before, |&function, has| {
            let file = snapshot.function(function).file;
            has(self.name(function)) || file.is_some_and(|file| has(snapshot.file_name(file)))
        })?;
        let part = |partial: bool| self.ranking.module.clone().filter(|_| partial);
        let subject = |row: Row<FunctionId>| {
            let this = snapshot.function(row.what);
            let lib = part(row.partial).or_else(|| this.lib.map(str::to_owned));
            row.about(|function| Subject {
                name: Some(this.name.to_owned()),
                lib,
                place: Place::Function(function),
                ..Subject::new(self.title(function))
            })
        };
        Ok((rows.into_iter().map(subject).collect(), omitted))
    }

    fn lines(&self) -> Listed {
        let Self { snapshot, baseline, charges, .. } = *self;
        let lines = sorted_lines(snapshot).into_iter().map(|line| {
            let at = (line.file, line.line);
            let own = snapshot.is_own_file(line.file);
            // Code of libraries that was inlined into own files has no charge.
            let charged = charges.filter(|_| own).map(|charges| {
                let weight = charges.lines.get(&at).copied().unwrap_or(0.0);
                match snapshot.costs.metric.lines {
                    LineKnowledge::SelfEstimated => Total::Estimated(weight),
                    _ => charge(snapshot, weight, line.cost.self_),
                }
            });
            Row { charged, own, ..Row::new(at, line.cost, None) }
        });
        let before = |&(file, line): &(FileId, u32)| (baseline?.line)(file, line);
        let (rows, omitted) =
            self.select(lines, &before, |&(file, _), has| has(snapshot.file_name(file)))?;
        let subject = |(file, line)| Subject {
            place: Place::Line(file, line),
            ..Subject::new(place(&snapshot.shown_file(file), Some(line)))
        };
        Ok((about(rows, subject), omitted))
    }

    fn edges(&self) -> Listed {
        let mut edges: Vec<_> = self.snapshot.tree.edges().all().iter().map(edge_row).collect();
        edges.sort_by(|a, b| b.cost.magnitude().total_cmp(&a.cost.magnitude()));
        let edges = edges.into_iter();
        let edges = edges.map(|row| Row { own: self.snapshot.is_own(row.what.caller), ..row });
        let (rows, omitted) = self.select(edges, &|_| None, |edge, has| {
            has(self.name(edge.caller)) || has(self.name(edge.callee))
        })?;
        let member = |role, function| Members { role, functions: vec![function], cost: None };
        let subject = |edge: Edge| Subject {
            place: match self.snapshot.tree.edges().sites(&edge).first() {
                Some(site) => Place::Line(site.file, site.line),
                None => Place::Function(edge.caller),
            },
            members: vec![member(Role::Caller, edge.caller), member(Role::Callee, edge.callee)],
            ..Subject::new(format!("{} → {}", self.title(edge.caller), self.title(edge.callee)))
        };
        Ok((about(rows, subject), omitted))
    }

    fn groups(&self, kind: GroupKind) -> Listed {
        let Self { snapshot, baseline, .. } = *self;
        let was = baseline.map(|baseline| GroupsBefore::new(baseline.compared, kind));
        let before = |group: &Group| was.as_ref()?.of(group, snapshot);
        let rows = groups(snapshot, kind, self.charges)?;
        let (rows, omitted) = self.select(rows, &before, |group, has| {
            let file = group.file.map(|file| snapshot.file_name(file));
            group.name.as_deref().or(file).is_some_and(has)
        })?;
        let subject = |group: Group| {
            let title = group.title(kind, snapshot);
            Subject {
                place: group.file.map_or(Place::None, Place::File),
                name: group.name,
                ..Subject::new(title)
            }
        };
        Ok((about(rows, subject), omitted))
    }

    fn threads(&self) -> Listed {
        let threads = self.snapshot.grouped.recording.threads();
        let rows = self.snapshot.costs.threads.iter().map(|thread| {
            let cost = Cost { self_: thread.total, total: Total::Exact(thread.total) };
            Row::new(thread.thread, cost, None)
        });
        let rows = rows.filter(|row| row.cost.self_ != 0.0);
        let (rows, omitted) = self.select(rows, &|_| None, |thread, has| {
            threads.get(thread.index()).is_some_and(|thread| has(&thread.name))
        })?;
        let labels = thread_labels(threads);
        let subject = |thread: ThreadId| {
            let this = threads.get(thread.index());
            let names = this.map(|this| [&this.name, &this.process_name]);
            let name = names.into_iter().flatten().find(|name| !name.is_empty());
            let label = labels.get(thread.index()).map(|label| plain(label).into_owned());
            Subject {
                name: name.cloned(),
                thread: Some(thread),
                ..Subject::new(label.unwrap_or_default())
            }
        };
        Ok((about(rows, subject), omitted))
    }

    /// The labels, in order of cost, with the samples without a label if only one key is asked for.
    fn labels(&self) -> Listed {
        let Self { snapshot, baseline, ranking, .. } = *self;
        let key = ranking.label.as_deref();
        let rows = labels(snapshot, key)?.into_iter();
        let rows = rows.filter(|row| key.is_some() || row.what.label.is_some());
        let runs: Vec<_> = baseline
            .iter()
            .flat_map(|baseline| baseline.compared.baseline.runs())
            .map(|run| labels(&run.snapshot, key).unwrap_or_default())
            .collect();
        let before = |of: &LabelCost| {
            let in_run = |rows: &Vec<Row<LabelCost>>| {
                let row = rows.iter().find(|row| row.what.title() == of.title());
                (!rows.is_empty()).then(|| row.map_or(NO_COST, |row| row.cost))
            };
            baseline?.compared.before_in(runs.iter().map(in_run))
        };
        let (rows, omitted) = self.select(rows, &before, |label, has| has(&label.title()))?;
        let subject = |of: LabelCost| Subject {
            name: of.label.as_ref().map(|label| label.value.to_string()),
            key: Some(of.key.clone()),
            ..Subject::new(plain(&of.title()).into_owned())
        };
        Ok((about(rows, subject), omitted))
    }

    fn cliques(&self) -> Listed {
        let snapshot = self.snapshot;
        let cliques = clique_rows(snapshot).ok_or(
            "only call graphs have cliques, and this profile has stacks; list functions, whose totals \
             count recursion once",
        )?;
        let has_own = |clique: &CliqueCost| {
            clique.functions.iter().any(|&function| snapshot.is_own(function))
        };
        let cliques = cliques.into_iter().map(|row| Row { own: has_own(&row.what), ..row });
        let (rows, omitted) = self.select(cliques, &|_| None, |clique, has| {
            clique.functions.iter().any(|&function| has(self.name(function)))
        })?;
        let subject = |clique: CliqueCost| {
            let title = self.titles(&clique.functions);
            let members = Members { role: Role::Clique, functions: clique.functions, cost: None };
            Subject { members: vec![members], recursive: clique.recursive, ..Subject::new(title) }
        };
        Ok((about(rows, subject), omitted))
    }

    fn fields(&self) -> Listed {
        if !self.ranking.by.is_known_of(self.snapshot) {
            return Err("only Mercury deep profiles have fields".to_owned());
        }
        let rows = fields(self.snapshot, self.in_module()?);
        let (rows, omitted) = self
            .select(rows, &|_| None, |field, has| has(&field.full_name()) || has(&field.module))?;
        let members = |role, accessors: Option<Accessors>| {
            let Accessors { functions, cost, calls } = accessors?;
            Some(Members { role, functions, cost: Some((cost, calls)) })
        };
        let subject = |field: Field| {
            let name = field.full_name();
            let title = format!("{} {}", plain(&field.module), plain(&name));
            let Field { module, getters, setters, .. } = field;
            let all = [members(Role::Getter, getters), members(Role::Setter, setters)];
            Subject {
                name: Some(name),
                lib: Some(module),
                members: all.into_iter().flatten().collect(),
                ..Subject::new(title)
            }
        };
        Ok((about(rows, subject), omitted))
    }

    /// The functions of the module, hottest first.
    fn in_module(&self) -> Result<impl Iterator<Item = Row<FunctionId>> + use<'a>, String> {
        let costs = &self.snapshot.costs;
        let mut functions = hottest_functions(self.snapshot);
        functions.retain(|&id| self.ranking.idle || costs.function(id).cost.magnitude() > 0.0);
        let parts = match &self.ranking.module {
            Some(name) => Some(self.parts_in_module(name)?),
            None => None,
        };
        let row = move |id: FunctionId| {
            let (cost, partial) = match &parts {
                Some(parts) => *parts.get(&id)?,
                None => (costs.function(id), false),
            };
            Some(Row { partial, ..Row::new(id, cost.cost, cost.calls) })
        };
        Ok(functions.into_iter().filter_map(row))
    }

    /// The costs in a module of its functions, and whether they are only a part of the function.
    fn parts_in_module(
        &self,
        name: &str,
    ) -> Result<FxHashMap<FunctionId, (FunctionCost, bool)>, String> {
        let snapshot = self.snapshot;
        let has_cost = |part: &Part<'_>| part.cost.cost.magnitude() > 0.0;
        let mut parts = ByLibrary::new(snapshot).parts();
        // Idle costs are known of whole functions.
        parts.retain(|part| has_cost(part) || (self.ranking.idle && !part.is_divided));
        if !parts.iter().any(|part| module(snapshot, part) == Some(name)) {
            let near = nearest(name, parts.iter().filter_map(|part| module(snapshot, part)));
            return Err(format!(
                "no {} is called `{name}`{near}",
                GroupKind::Module.noun(snapshot)
            ));
        }
        let parts = parts.into_iter().filter(|part| module(snapshot, part) == Some(name));
        Ok(parts.map(|part| (part.function, (part.cost, part.is_divided))).collect())
    }
}

/// The rows with what they are about.
fn about<T>(rows: Vec<Row<T>>, subject: impl Fn(T) -> Subject) -> Vec<Row> {
    rows.into_iter().map(|row| row.about(&subject)).collect()
}

/// Whether a function is the one in which Mercury's runtime begins. It is not part of the program.
fn is_runtime(snapshot: &Snapshot, function: FunctionId) -> bool {
    snapshot.loaded.format == Format::MercuryDeep
        && module_of_mercury(snapshot, function).is_some_and(|module| module == "Mercury runtime")
}

/// What each label costs. The error is a message for users.
fn labels(snapshot: &Snapshot, key: Option<&str>) -> Result<Vec<Row<LabelCost>>, String> {
    let costs = snapshot.labels(PartWithLabels::Whole, key);
    let costs = costs.map_err(|unmatched| unmatched.problem)?;
    let row = |of: LabelCost| {
        let cost = Cost { self_: of.total, total: Total::Exact(of.total) };
        Row::new(of, cost, None)
    };
    Ok(costs.into_iter().map(row).collect())
}

fn edge_row(edge: &Edge) -> Row<Edge> {
    Row::new(edge.clone(), Cost { self_: 0.0, total: edge.as_total() }, edge.calls)
}

fn clique_rows(snapshot: &Snapshot) -> Option<Vec<Row<CliqueCost>>> {
    let row = |clique: CliqueCost| {
        let cost = Cost { self_: clique.self_, total: clique.total };
        let calls = clique.calls;
        Row::new(clique, cost, calls)
    };
    Some(snapshot.tree.cliques()?.into_iter().map(row).collect())
}
