//! `callers` and `callees`: who calls a function and whom it calls, along a path.

use super::answers::{At, Of};
use super::fit::short;
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use answers::calls::{RecursionFields, step};
use answers::{
    CallPath, CostFields, Direction, FunctionId, PathEntry, PlaceFields, Recursion, Weight,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of call sites of a row.
const MAX_SITES: usize = 5;

/// `callers`.
pub struct ListCallers;
/// `callees`.
pub struct ListCallees;

/// The function or path to start from.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// Its name, a suffix, a glob or /regex/ that matches one; of several with one name, `FILE::NAME`.
    function: String,
    /// The functions that were followed from it: `path` of a row.
    #[serde(default)]
    path: Vec<String>,
}

/// The callers or callees, hottest first. Recursive calls come last.
#[derive(Debug, Serialize)]
pub struct Step {
    #[serde(flatten)]
    of: Of,
    /// The function that they call, or that calls them.
    function: String,
    #[serde(flatten)]
    place: At,
    /// The total of the path. It is the sum of the rows that are not recursive, and of `rest`.
    #[serde(rename = "pathTotal")]
    path_total: Weight,
    /// For callees, the self cost on this path; for callers, the cost of samples without a caller.
    /// Null if it is unknown.
    rest: Option<Weight>,
    /// The recursion that the function takes part in: its kind and depth. Missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    recursion: Option<String>,
    /// The callers or callees.
    calls: Vec<Call>,
    /// The number of rows that are not listed.
    more: usize,
}

/// A caller or callee.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    /// Its name.
    name: String,
    #[serde(flatten)]
    place: At,
    /// The total of the path that it extends.
    total: Weight,
    /// The same as text, with its share.
    total_text: Option<String>,
    /// Whether it is a recursive call, which is not part of the sum.
    recursive: bool,
    /// Whether it has no callers or callees itself.
    leaf: bool,
    /// Where the calls are, hottest first. Empty if not recorded.
    sites: Vec<Site>,
    /// The number of call sites that are not listed.
    more_sites: usize,
    /// The path to follow it with.
    path: Vec<String>,
}

/// Lines that call.
#[derive(Debug, Serialize)]
struct Site {
    #[serde(flatten)]
    place: At,
    /// The weight of the calls.
    total: Weight,
}

impl Query for ListCallers {
    const NAME: &'static str = "callers";
    const DESCRIPTION: &'static str = "List the callers of a function, with the cost and the lines \
                                       of their calls. Pass the `path` of a row to continue with \
                                       its callers.";
    const LIMIT: usize = 15;
    type Arguments = Question;
    type Answer = Step;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Step, String> {
        calls(&project.open(view)?, Direction::Incoming, question, most)
    }
}

impl Query for ListCallees {
    const NAME: &'static str = "callees";
    const DESCRIPTION: &'static str = "List what a function calls, with the cost and the lines of \
                                       the calls. Pass the `path` of a row to continue with its \
                                       callees.";
    const LIMIT: usize = 15;
    type Arguments = Question;
    type Answer = Step;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Step, String> {
        calls(&project.open(view)?, Direction::Outgoing, question, most)
    }
}

fn calls(
    opened: &Opened,
    direction: Direction,
    question: &Question,
    most: usize,
) -> Result<Step, String> {
    let snapshot = &opened.snapshot;
    snapshot.check_calls()?;
    let root = opened.function(&question.function)?;
    let mut path = CallPath { functions: vec![root], recursion: Recursion::Collapsed };
    for name in &question.path {
        let next = following(opened, direction, &path, name)?;
        path.functions.push(next);
    }
    let last = *path.functions.last().unwrap_or(&root);
    let found = step(snapshot, direction, &path);
    let rows = found.entries.iter().take(most);
    Ok(Step {
        of: Of::new(opened),
        function: short(snapshot.function(last).name),
        place: At::new(opened, &PlaceFields::of_function(&opened.context, snapshot, last)),
        path_total: Weight(found.total),
        rest: found.self_.map(Weight),
        recursion: snapshot.tree.recursion(last).map(|found| RecursionFields::from(found).text),
        calls: rows.map(|entry| call(opened, &question.path, entry)).collect(),
        more: found.entries.len().saturating_sub(most),
    })
}

/// The function of this name among the callers or callees of a path; among all functions if the
/// name is not the exact name of one of them.
fn following(
    opened: &Opened,
    direction: Direction,
    path: &CallPath,
    name: &str,
) -> Result<FunctionId, String> {
    let entries = step(&opened.snapshot, direction, path).entries;
    let mut same = entries
        .iter()
        .map(|entry| entry.function)
        .filter(|&function| opened.snapshot.function(function).name == name);
    match (same.next(), same.next()) {
        (Some(only), None) => Ok(only),
        _ => opened.function(name),
    }
}

fn call(opened: &Opened, above: &[String], entry: &PathEntry) -> Call {
    let (context, snapshot) = (&opened.context, &opened.snapshot);
    let fields = CostFields::new(context.scale(snapshot), entry.self_, entry.as_total(), None);
    let name = snapshot.function(entry.function).name;
    let site = |site: &answers::SiteCost| {
        let place = PlaceFields::of_line(context, snapshot, site.file, site.line);
        Site { place: At::new(opened, &place), total: Weight(site.total) }
    };
    Call {
        name: short(name),
        place: At::new(opened, &PlaceFields::of_function(context, snapshot, entry.function)),
        total: Weight(entry.total),
        total_text: fields.total_text,
        recursive: entry.recursive,
        leaf: entry.leaf,
        sites: entry.sites.iter().take(MAX_SITES).map(site).collect(),
        more_sites: entry.sites.len().saturating_sub(MAX_SITES),
        path: [above, &[name.to_owned()]].concat(),
    }
}
