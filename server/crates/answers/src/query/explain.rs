//! Explains why a line shows a cost or none.

use super::ask::{Ask, Takes};
use crate::items::CostData;
use crate::lines::document::path_of;
use crate::lines::file_lines::{FileLines, UNKNOWN_LINE};
use crate::present::details::Markup;
use crate::query::hover::line_details;
use crate::query::line_costs::shows_counts;
use crate::query::path_rules;
use crate::query::provenance::provenance;
use crate::ranking::order::hottest_functions;
use crate::session::marks::Marks;
use crate::world::context::{Context, OpenFile};
use analysis::{FileId, WarningCode};
use loading::text::one_line;
use loading::{Program, Show, Snapshot, ViewSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sources::{How, Mapping, Reason as Unmapped, SourceIndex};
use std::path::Path;
use url::Url;

/// The line to explain.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExplainArgument")]
pub struct Question {
    /// The document.
    pub uri: Url,
    /// The line, 0-based.
    pub line: u32,
}

/// The reason why a line shows a cost or none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The reason as a code.
    pub code: Reason,
    /// The reason as text.
    pub message: String,
    /// The cost of the line. Missing if it has none.
    #[serde(flatten)]
    pub cost: Option<CostData>,
    /// Whether the recorded text is not known, so that lines may have moved. Missing if the line has no cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub stale: Option<bool>,
    /// How the cost got to the line, one sentence for each step: metric, code, file, text, line. Empty if the line has no cost.
    pub steps: Vec<String>,
    /// The report on the line as plain text, as in hovers. Missing if the line has neither a cost nor a
    /// count of executions, or is in no open document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub report: Option<String>,
}

/// A reason why a line shows a cost or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ExplanationCode")]
pub enum Reason {
    /// No profile is loaded.
    NoProfile,
    /// The document is not a file on disk.
    NotAFile,
    /// The editor has not opened the document in this server.
    NotOpen,
    /// The profile contains addresses that were not resolved.
    Unsymbolicated,
    /// The program was built without debug info.
    NoDebugInfo,
    /// A source map moves the costs of this line, or of the whole file, to another file.
    SourceMapped,
    /// The profile has functions of this file, but no lines.
    NoLines,
    /// The profile names no file for a function that could be this one or another one.
    FunctionAmbiguous,
    /// The line was changed after the profile was recorded.
    StaleLine,
    /// The line has no samples.
    NoCost,
    /// The line has samples, but none in the view.
    OutOfView,
    /// The profile has no execution count for the line.
    NoCount,
    /// The profile has no file with this name.
    FileNotInProfile,
    /// The profile has a file with this name that is not mapped to this file.
    FileNotMatched,
    /// The profile has a file with this name that could be any of several workspace files.
    FileAmbiguous,
    /// The setting `exclude` hides the file.
    FileExcluded,
    /// The file is neither in a workspace folder nor in a folder of the setting `sourceRoots`.
    FileOutside,
    /// Hints are disabled by the setting `hints.enable`.
    HintsOff,
    /// The cost is below the setting `hints.minPercent`.
    BelowThreshold,
    /// The line has a hint.
    Shown,
}

impl Explanation {
    /// The explanation of a line without a cost.
    fn new(code: Reason, message: &str) -> Self {
        Self {
            code,
            message: one_line(message).into_owned(),
            cost: None,
            stale: None,
            steps: Vec::new(),
            report: None,
        }
    }
}

impl Ask for Question {
    const NAME: &'static str = "explain";
    const DESCRIPTION: &'static str = "Explain why a line shows its cost, or why it shows none.";
    const TAKES: Takes = Takes::Object;
    type Answer = Explanation;

    fn answer(self, context: &Context) -> Result<Explanation, String> {
        let open = context.open_file(&self.uri);
        let details = open.and_then(|open| line_details(context, &open, self.line));
        let report = details.map(|details| details.hover(Markup::Plain));
        Ok(Explanation { report, ..explain(context, &self) })
    }
}

/// Explains why a line shows a cost or none.
pub fn explain(context: &Context, Question { uri, line: line0 }: &Question) -> Explanation {
    let Some(snapshot) = context.world.snapshot() else { return no_profile(context) };
    let Some(path) = path_of(uri) else {
        return Explanation::new(Reason::NotAFile, "only files on disk have costs");
    };
    if context.documents.get(uri).is_none() {
        return Explanation::new(
            Reason::NotOpen,
            "the editor has not opened this document in this server",
        );
    }
    if snapshot.is_unsymbolicated() {
        let message = "the profile contains addresses instead of names and lines: run `costline \
                       check` to see how to record them";
        return unresolved(snapshot)
            .unwrap_or_else(|| Explanation::new(Reason::Unsymbolicated, message));
    }
    let index = context.world.index.as_deref();
    let ambiguous = ambiguous_function(snapshot, &path, *line0, index);
    let Some(open) = context.open_file(uri) else {
        return without_file(snapshot, &path, index, ambiguous);
    };
    let lines = open.lines();
    let whole = lines.costs(*line0..*line0 + 1).is_empty().then(|| whole_profile(snapshot));
    let whole = whole.flatten();
    let all = whole.as_ref().unwrap_or(snapshot);
    let file = all.file_at(&open.document.path).unwrap_or(open.file);
    let counts = snapshot.line_counts.of_file(open.file, 1..u32::MAX);
    let has_lines = !all.costs.lines_of(file, 1..u32::MAX).is_empty() || !counts.is_empty();
    let explanation = source_mapped(&lines, *line0, has_lines)
        .or_else(|| out_of_view(context, &open, whole.as_ref()?, *line0))
        .or_else(|| (!has_lines).then(|| without_lines(all, file, ambiguous)))
        .unwrap_or_else(|| with_lines(context, &open, &lines, *line0));
    let steps = explanation.cost.iter().flat_map(|_| provenance(&open, *line0)).collect();
    Explanation { steps, ..explanation }
}

fn no_profile(context: &Context) -> Explanation {
    let message = match context.world.problems.first() {
        Some((_, problem)) => format!("no profile is loaded: {problem}"),
        None => match &context.world.missing {
            Some(missing) => format!(
                "no profile is loaded: {} of the setting `profile` does not exist",
                missing.display()
            ),
            None => "no profile is loaded: none was found in the workspace folders (change the setting `profiles` to search other files)".to_owned(),
        },
    };
    Explanation::new(Reason::NoProfile, &message)
}

/// Explains a line of a file that the profile has no costs of.
fn without_file(
    snapshot: &Snapshot,
    path: &Path,
    index: Option<&SourceIndex>,
    ambiguous: Option<Explanation>,
) -> Explanation {
    // Unresolved functions may belong to this file.
    index
        .and_then(|index| hidden(snapshot, path, index))
        .or(ambiguous)
        .or_else(|| unmapped(snapshot, path, index))
        .or_else(|| unresolved(snapshot))
        .or_else(|| Some(Explanation::new(Reason::NoDebugInfo, &snapshot.no_debug_info()?)))
        .unwrap_or_else(|| not_in_profile(snapshot, path))
}

/// Explains a line of a file that the profile has functions of, but no lines.
fn without_lines(snapshot: &Snapshot, of: FileId, ambiguous: Option<Explanation>) -> Explanation {
    if let Some(ambiguous) = ambiguous {
        return ambiguous;
    }
    if let Some(reason) = snapshot.no_debug_info() {
        return Explanation::new(Reason::NoDebugInfo, &reason);
    }
    let is_by_name = |(_, file, mapping): (&str, FileId, &Mapping)| {
        file == of && matches!(mapping, Mapping::Mapped { how: How::Name, .. })
    };
    let message = if snapshot.mappings().any(is_by_name) {
        "the profile has neither files nor lines; functions of this file were found by their names: run `costline check` to see how to record lines"
    } else if snapshot.costs.lines().is_empty() {
        "the profile has functions, but no lines: run `costline check` to see how to record them"
    } else {
        "the profile has functions of this file, but no lines"
    };
    Explanation::new(Reason::NoLines, message)
}

/// Explains a line (0-based) of a file that the profile has lines of.
fn with_lines(
    context: &Context,
    open: &OpenFile,
    lines: &FileLines<'_>,
    line0: u32,
) -> Explanation {
    let Some(line) = lines.recorded(line0) else {
        let message = if open.document.text.end_of_line(line0).is_none() {
            "the file has no such line"
        } else if lines.stale {
            UNKNOWN_LINE
        } else {
            "this line was changed or added after the profile was recorded"
        };
        return Explanation::new(Reason::StaleLine, message);
    };
    if shows_counts(context, open) {
        return counted(context, lines, line0, line);
    }
    let mut explanation = of_line(context, lines, line0, line);
    let unknown = lines.snapshot.no_line_counts();
    let unknown = unknown.filter(|_| context.world.settings.hints.show == Show::Counts);
    if let Some(unknown) = unknown {
        explanation.message += &one_line(&format!("; {unknown}"));
    }
    explanation
}

/// An explanation if the line (0-based) is in a function that the profile may mean by a name of
/// several.
fn ambiguous_function(
    snapshot: &Snapshot,
    path: &Path,
    line0: u32,
    index: Option<&SourceIndex>,
) -> Option<Explanation> {
    let ambiguous = &snapshot.identified.ambiguous;
    let path = index.filter(|_| !ambiguous.is_empty())?.canonical(path)?;
    let function = ambiguous.iter().find(|function| {
        let mut candidates = function.candidates.iter();
        candidates.any(|place| place.path == path && place.lines().contains(&line0))
    })?;
    Some(Explanation::new(Reason::FunctionAmbiguous, &function.message()))
}

/// The whole profile in the metric of `shown`. `None` if that shows all of it.
fn whole_profile(shown: &Snapshot) -> Option<Snapshot> {
    let marks = Marks::of(shown);
    let is_part = marks.threads.is_some() || !marks.parts.is_empty();
    let metric = shown.settings.view.metric.clone();
    is_part.then(|| shown.with_view(&ViewSettings { metric, ..ViewSettings::default() }))
}

/// An explanation if the line (0-based), which has no cost in the view, has one in the whole profile.
fn out_of_view(
    context: &Context,
    open: &OpenFile,
    whole: &Snapshot,
    line0: u32,
) -> Option<Explanation> {
    let marks = Marks::of(&open.snapshot);
    let file = whole.file_at(&open.document.path)?;
    let lines = FileLines { snapshot: whole, file, ..open.lines() };
    let [(_, line)] = *lines.costs(line0..line0 + 1) else { return None };
    let scale = context.scale(whole).of_lines();
    let own = scale.own(line.cost, |weight| scale.both(weight));
    let total = scale.total(line.cost.total, |weight| scale.both(weight));
    let view: Vec<String> = marks.threads.into_iter().chain(marks.parts).collect();
    let message = format!(
        "the line has no cost in the view ({}); in the whole profile it has self {own}, total \
         {total}",
        view.join(", ")
    );
    Some(Explanation::new(Reason::OutOfView, &message))
}

/// An explanation if the profile has unresolved addresses.
fn unresolved(snapshot: &Snapshot) -> Option<Explanation> {
    let message = if snapshot.symbolicated.libraries.is_complete() {
        snapshot.symbolicated.libraries.warning(&snapshot.loaded.recording)?.message
    } else {
        "the profile contains addresses that are not resolved yet; try again in a moment".to_owned()
    };
    Some(Explanation::new(Reason::Unsymbolicated, &message))
}

/// An explanation if a source map moves the costs of a line, or of the whole file, to other files.
fn source_mapped(lines: &FileLines<'_>, line0: u32, has_lines: bool) -> Option<Explanation> {
    let originals = lines.snapshot.original_lines(lines.file)?;
    if let Some((file, line)) = lines.recorded(line0).and_then(|line| originals.get(&line)) {
        let message = format!(
            "the source map of this file maps the line to {file}:{line}; its costs are shown there"
        );
        return Some(Explanation::new(Reason::SourceMapped, &message));
    }
    let message = "the source map of this file maps it to other files; its costs are shown there";
    (!has_lines).then(|| Explanation::new(Reason::SourceMapped, message))
}

/// Explains a line that is in the recorded text, if hints are how often lines were executed.
fn counted(context: &Context, lines: &FileLines<'_>, line0: u32, line: u32) -> Explanation {
    let snapshot = lines.snapshot;
    let count = lines.executions(line0..line0 + 1).first().and_then(|(_, count)| *count);
    let (code, message) = match count.map(|count| snapshot.executed(count)) {
        None => {
            let name = snapshot.file_name(lines.file);
            (Reason::NoCount, format!("the profile has no execution count for {name}:{line}"))
        }
        Some(count) if !context.world.settings.hints.enable => (
            Reason::HintsOff,
            format!("hints are disabled (setting `hints.enable`); this line was {count}"),
        ),
        Some(count) => (
            Reason::Shown,
            format!(
                "this line has a hint ({count}); if you do not see it, the editor hides hints or costs"
            ),
        ),
    };
    let costs = lines.costs(line0..line0 + 1);
    let cost = costs.first().map(|(_, line)| {
        let scale = context.scale(snapshot).of_line(snapshot, line.file, line.line);
        CostData::new(scale, line.cost, None)
    });
    let stale = cost.as_ref().map(|_| lines.is_doubtful(line0));
    Explanation { cost, stale, ..Explanation::new(code, &message) }
}

/// Explains a line that is in the recorded text.
fn of_line(context: &Context, lines: &FileLines<'_>, line0: u32, line: u32) -> Explanation {
    let snapshot = lines.snapshot;
    let [(_, line_cost)] = *lines.costs(line0..line0 + 1) else {
        let name = snapshot.file_name(lines.file);
        let message = format!("the profile has no samples on {name}:{line}");
        if lines.stale {
            let message = format!(
                "{message}, but the text that was recorded is not known: lines that were moved since \
                 then may have no costs here; record again"
            );
            return Explanation::new(Reason::StaleLine, &message);
        }
        return Explanation::new(Reason::NoCost, &message);
    };
    let cost = line_cost.cost;
    let scale = context.scale(snapshot).of_line(snapshot, line_cost.file, line_cost.line);
    let hints = &context.world.settings.hints;
    let own = scale.own(cost, |weight| scale.both(weight));
    let amount = scale.total(cost.total, |weight| scale.both(weight));
    let (code, message) = if !hints.enable {
        let message = format!(
            "hints are disabled (setting `hints.enable`); this line has self {own}, total {amount}"
        );
        (Reason::HintsOff, message)
    } else if !scale.shows(cost, hints.show, hints.min_percent) {
        let message = format!(
            "self {own}, total {amount}: below the threshold of {}% (setting `hints.minPercent`)",
            hints.min_percent
        );
        (Reason::BelowThreshold, message)
    } else {
        let message = format!(
            "this line has a hint (self {own}, total {amount}); if you do not see it, the editor hides hints or costs"
        );
        (Reason::Shown, message)
    };
    Explanation {
        cost: Some(CostData::new(scale, cost, None)),
        stale: Some(lines.is_doubtful(line0)),
        ..Explanation::new(code, &message)
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or("")
}

fn not_in_profile(snapshot: &Snapshot, path: &Path) -> Explanation {
    let is_by_name = |mapping: &Mapping| matches!(mapping, Mapping::Mapped { how: How::Name, .. });
    let message = if snapshot.mappings().next().is_none() {
        without_files(snapshot)
    } else if snapshot.mappings().all(|(.., mapping)| is_by_name(mapping)) {
        "the profile names functions and no files; none of its functions was found in this file"
            .to_owned()
    } else {
        format!("the profile has no file named {}", file_name(path))
    };
    Explanation::new(Reason::FileNotInProfile, &message)
}

/// Which functions of a profile that names no files were looked for.
fn without_files(snapshot: &Snapshot) -> String {
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().take(4).map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let defined = |program: &&Program| program.defined.len();
    if let Some(Program { defined, n_names, .. }) =
        snapshot.identified.programs.iter().max_by_key(defined)
    {
        return format!(
            "the profile names functions and no files; the workspace defines {} of its {n_names} names \
             ({}), too few to tell that this program was recorded: run `costline check` to see how to record files",
            defined.len(),
            quoted(defined)
        );
    }
    let mut warnings = snapshot.warnings.iter();
    if let Some(cut) = warnings.find(|it| it.code == WarningCode::UnmatchedFunction) {
        return cut.message.clone();
    }
    let hottest = hottest_functions(snapshot).into_iter().take(4);
    let names: Vec<String> = hottest.map(|it| snapshot.key(it).name).collect();
    format!(
        "the profile names functions and no files, such as {}; none of them was found in the workspace",
        quoted(&names)
    )
}

/// An explanation if costs of a file are not shown, whatever the profile has.
fn hidden(snapshot: &Snapshot, path: &Path, index: &SourceIndex) -> Option<Explanation> {
    if index.is_outside(path) {
        let message = "this file is outside the workspace folders, so its costs are not shown; add its folder to the setting `sourceRoots`";
        return Some(Explanation::new(Reason::FileOutside, message));
    }
    let path = index.canonical(path)?;
    let (name, ..) = snapshot.mappings().find(
        |(_, _, mapping)| matches!(mapping, Mapping::Unmapped(Unmapped::Excluded(file)) if *file == path),
    )?;
    let message = format!("the profile's {name} is this file, which the setting `exclude` hides");
    Some(Explanation::new(Reason::FileExcluded, &message))
}

/// An explanation if the profile has a file with the same name that is not mapped to this file.
fn unmapped(snapshot: &Snapshot, path: &Path, index: Option<&SourceIndex>) -> Option<Explanation> {
    let (other, mapping) = path_rules::same_name(snapshot, path)?;
    let (code, message) = match mapping {
        Mapping::Unmapped(why) => {
            let file = index.and_then(|index| Some((index, index.canonical(path)?)));
            let rule = file.as_ref().and_then(|(index, file)| {
                let rule = path_rules::for_file(other, file, index)?;
                Some(path_rules::as_settings(&[rule]))
            });
            let rule = rule.unwrap_or_else(|| "a rule".to_owned());
            let is_ignored = file.is_some_and(|(index, file)| !index.is_listed(&file));
            let ignored = if is_ignored {
                "; this file is ignored (`.gitignore`), hidden or in `node_modules`, so it is only \
                 found by its full path, or it is newer than the last search for files (reload the \
                 profile to search again)"
            } else {
                ""
            };
            let message = format!(
                "the profile's {other} {why}{ignored}; to map it to this file, add {rule} to `pathMappings`"
            );
            (Reason::FileNotMatched, message)
        }
        Mapping::Ambiguous { candidates } => {
            let rules = index.map(|index| path_rules::for_mapping(other, mapping, index));
            let rules = rules.filter(|rules| !rules.is_empty());
            let rule = rules.map_or("a rule".to_owned(), |rules| path_rules::as_settings(&rules));
            let candidates: Vec<_> =
                candidates.iter().map(|path| path.display().to_string()).collect();
            let message = format!(
                "the profile's {other} could be any of {}; to choose one, add {rule} to `pathMappings`",
                candidates.join(", ")
            );
            (Reason::FileAmbiguous, message)
        }
        Mapping::Mapped { path, .. } => {
            let message =
                format!("the profile's {other} is mapped to {}, not to this file", path.display());
            (Reason::FileNotMatched, message)
        }
    };
    Some(Explanation::new(code, &message))
}
