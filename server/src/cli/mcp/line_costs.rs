//! `line_costs`: the lines of a file or function with their costs.

use super::answers::{At, Of, relative};
use super::fit::short;
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use crate::cli::document;
use answers::targets::{functions, named};
use answers::{
    AnnotatedLine, AnnotatedSource, CostData, CostFields, FunctionId, PlaceFields,
    ShownLines as Shown, Target, TargetProblem, Weight,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The number of lines to show before and after a line with a cost.
const CONTEXT_LINES: u32 = 2;

/// `line_costs`.
pub struct ShowLines;

/// What to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// A file, or the end of its path; a line, `FILE:LINE`; or a function: its name, a suffix, a glob or
    /// /regex/, or `FILE::NAME`.
    target: String,
}

/// The lines of a file or function, in the order of the text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotated {
    #[serde(flatten)]
    of: Of,
    /// The file, relative to the project's folder.
    path: String,
    /// Whether the recorded text is not known, so that lines may have moved since.
    stale: bool,
    /// The functions that are defined on these lines.
    functions: Vec<FunctionLine>,
    /// The lines with costs, those around them, and those where functions are defined.
    lines: Vec<Row>,
    /// The number of lines that were left out to keep the answer short. They cost less.
    more: usize,
    /// Other places that the target matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
}

/// A function.
#[derive(Debug, Serialize)]
struct FunctionLine {
    /// Its name.
    name: String,
    #[serde(flatten)]
    place: At,
    /// Its cost as text.
    cost: String,
}

/// A line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// Its number, 1-based.
    line: u32,
    /// Its text.
    source: String,
    #[serde(flatten)]
    costs: Option<LineCosts>,
}

/// The cost of a line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LineCosts {
    /// The self cost. Null if it is unknown.
    #[serde(rename = "self")]
    self_: Option<Weight>,
    /// The total. Null if it is not exact; `totalText` then has its bounds.
    total: Option<Weight>,
    /// The self cost as text. Null if it is unknown.
    self_text: Option<String>,
    /// The total as text. Null if it is unknown.
    total_text: Option<String>,
}

impl From<CostData> for LineCosts {
    fn from(cost: CostData) -> Self {
        let CostFields { self_text, total_text, .. } = cost.fields;
        Self { self_: cost.self_, total: cost.total, self_text, total_text }
    }
}

impl Query for ShowLines {
    const NAME: &'static str = "line_costs";
    const DESCRIPTION: &'static str = "Show the source of a file, a line or a function with the \
                                       cost of each line. Lines far from any cost are left out.";
    const LIMIT: usize = 150;
    type Arguments = Question;
    type Answer = Annotated;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Annotated, String> {
        let opened = project.open(view)?;
        let (target, also) = target(project, &opened, &question.target)?;
        let (context, document) =
            document::open(&opened.context.world, &opened.index, &target.path)?;
        let open = context.open_file(&document.uri);
        let open = open.ok_or_else(|| format!("{}: not in the profile", question.target))?;
        let lines = open.lines();
        let annotated = AnnotatedSource::new(&lines, document.text.as_str());
        let ranges = annotated.ranges(&target.shown);
        let is_whole_file = target.shown == Shown::Whole;
        let scale = context.scale(&opened.snapshot);
        let cost = |function| opened.snapshot.costs.function(function).cost;
        let min_percent = context.world.settings.lenses.min_percent;
        let functions = lines.functions();
        let hot = functions.iter().filter(|(_, it)| scale.has_lens(cost(*it), None, min_percent));
        let headers: BTreeSet<u32> = hot.map(|&(line0, _)| line0).collect();
        let is_near =
            |line0: u32| annotated.is_near_cost(line0, CONTEXT_LINES) || headers.contains(&line0);
        let mut shown = annotated.shown(|line0| {
            ranges.iter().any(|range| range.contains(&line0)) && (!is_whole_file || is_near(line0))
        });
        let n_wanted = shown.len();
        keep_hottest(&mut shown, most);
        let row = |line: &AnnotatedLine<'_>| Row {
            line: line.line0 + 1,
            source: short(line.text),
            costs: line.cost.map(|line| {
                let scale = scale.of_line(&opened.snapshot, line.file, line.line);
                CostData::new(scale, line.cost, None).into()
            }),
        };
        let lines0: BTreeSet<u32> = shown.iter().map(|line| line.line0).collect();
        let defined = functions.iter().filter(|(line0, _)| lines0.contains(line0));
        let function = |&(_, function): &(u32, FunctionId)| {
            let place = PlaceFields::of_function(&context, &opened.snapshot, function);
            FunctionLine {
                name: short(opened.snapshot.function(function).name),
                place: At::new(&opened, &place),
                cost: scale.lens(cost(function), None),
            }
        };
        Ok(Annotated {
            of: Of::new(&opened),
            path: relative(&opened, &target.path),
            stale: shown.iter().any(|it| it.cost.is_some() && lines.is_doubtful(it.line0)),
            functions: defined.take(most).map(function).collect(),
            more: n_wanted - shown.len(),
            lines: shown.iter().map(row).collect(),
            also,
        })
    }
}

/// What the client asks for, and the other places that match.
fn target(
    project: &Project,
    opened: &Opened,
    target: &str,
) -> Result<(Target, Vec<String>), String> {
    /// With more places than this, the others are left out.
    const MAX_OTHERS: usize = 10;
    let is_pattern = target.len() > 2 && target.starts_with('/') && target.ends_with('/');
    let (mut targets, mut problems) = if is_pattern {
        match functions(&opened.snapshot, target) {
            Ok(found) => (found, Vec::new()),
            Err(problem) => (Vec::new(), vec![problem]),
        }
    } else {
        let in_project = project.path(target.as_ref());
        // The system is not asked about other paths: they may be on another machine.
        if opened.index.is_outside(&in_project) {
            return Err(format!("{target}: outside the project"));
        }
        let file = target.rsplit_once(':').map_or(target, |(file, _)| file);
        let is_file = in_project.exists() || project.path(file.as_ref()).is_file();
        let name = if is_file { in_project } else { PathBuf::from(target) };
        named(&opened.snapshot, &opened.index, &[name])
    };
    if targets.is_empty() {
        return Err(problems.pop().map_or_else(
            || format!("{target}: nothing with this name has a cost"),
            TargetProblem::into_message,
        ));
    }
    let others = targets.split_off(1);
    let others = others.iter().take(MAX_OTHERS).map(|other| relative(opened, &other.path));
    let others = others.collect();
    let first = targets.pop().ok_or_else(|| format!("{target}: nothing found"))?;
    Ok((first, others))
}

/// Keeps the `most` hottest lines, in the order of the text.
fn keep_hottest(lines: &mut Vec<AnnotatedLine<'_>>, most: usize) {
    let heat = |line: &AnnotatedLine<'_>| line.cost.map_or(0.0, |line| line.cost.magnitude());
    lines.sort_by(|a, b| heat(b).total_cmp(&heat(a)).then(a.line0.cmp(&b.line0)));
    lines.truncate(most);
    lines.sort_by_key(|line| line.line0);
}
