//! `costline annotate`: source files with the cost of each line.

mod hottest;

use super::compare::CompareArgs;
use super::document;
use super::exit::{Failure, warn};
use super::heading::{beside_overlay, compared_with, headline};
use super::left_out::{not_found, not_shown};
use super::loaded::Loaded;
use super::output::Output;
use super::overlay::{Beside, OverlayArgs};
use super::read::{file_name, is_empty_file, is_standard_input};
use super::style::{Style, StyleArgs};
use super::view::ViewArgs;
use answers::targets::named;
use answers::text::plain;
use answers::{
    AnnotatedLine, AnnotatedSource, Cost, FileId, Foreign, LabelPart as CostPart,
    LabelScale as Scale, Language, LineCost, NO_COST, OpenFile, Overlaid, Settings, Show,
    ShownLines as Shown, Target, TargetProblem, Total, Unit, World, is_named_like_profile, sniff,
};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Files with more lines than this are shown only near lines with costs.
const MAX_FULL_LINES: usize = 100;
/// The number of lines to show before and after a line with a cost.
const CONTEXT_LINES: u32 = 2;

/// The arguments of `costline annotate`.
#[derive(Debug, clap::Args)]
pub(super) struct AnnotateArgs {
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    overlay: OverlayArgs,
    #[command(flatten)]
    style: StyleArgs,
    #[command(flatten)]
    view: ViewArgs,
}

impl AnnotateArgs {
    pub fn run(mut self, out: &mut Output) -> Result<(), Failure> {
        let profiles = &mut self.view.profiles;
        let names = profiles.split_off(count_profiles(profiles));
        let Self { compare, overlay, style, view } = self;
        let loaded = Loaded::load(&view, &names, &compare, Some(&overlay))?;
        annotate(&loaded, &names, style.style(Unit::Percent), out)
    }
}

/// Counts the profiles at the start of the arguments. A file that is recognized but cannot be read
/// counts, so that the error message is about it. So does the first argument if it cannot be a
/// source.
fn count_profiles(arguments: &[PathBuf]) -> usize {
    let is_profile =
        |path: &PathBuf| is_standard_input(path) || is_empty_file(path) || sniff(path).is_some();
    let cannot_be_source = |path: &&PathBuf| {
        let is_no_source = path.is_file() && Language::of_path(path).is_none();
        let is_bundle = path.is_dir() && Foreign::of_folder(&file_name(path)).is_some();
        is_named_like_profile(path) || is_no_source || is_bundle
    };
    let n = arguments.iter().take_while(|path| is_profile(path)).count();
    n.max(arguments.first().filter(cannot_be_source).iter().len())
}

/// Writes what `names` select, or the hottest files. Fails if one of the names has no cost, after it
/// has written the others.
fn annotate(
    loaded: &Loaded,
    names: &[PathBuf],
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let (snapshot, index, beside) = (&*loaded.snapshot, &*loaded.index, loaded.beside());
    let (targets, problems) = if names.is_empty() {
        let targets = hottest::hottest(snapshot, index)?;
        let shown: Vec<FileId> = targets.iter().map(|target| target.file).collect();
        let messages = [not_found(snapshot, index), not_shown(snapshot, &shown)];
        messages.iter().flatten().for_each(|message| warn(message));
        (targets, Vec::new())
    } else {
        named(snapshot, index, names)
    };
    if !targets.is_empty() {
        writeln!(out, "{}", headline(snapshot))?;
        if let Some(before) = beside.before {
            writeln!(out, "{}", compared_with(before, snapshot))?;
        }
        if let Some(overlay) = beside.overlay {
            writeln!(out, "{}", beside_overlay(overlay))?;
        }
    }
    let world = Arc::new(World {
        shown: Some(loaded.snapshot.clone()),
        index: Some(loaded.index.clone()),
        ..World::default()
    });
    for target in targets {
        let (context, document) =
            document::open(&world, index, &target.path).map_err(Failure::no_output)?;
        let open = context.open_file(&document.uri).ok_or_else(|| {
            Failure::no_output(format!("{}: not in the profile", target.path.display()))
        })?;
        show(&open, &target, beside, style, out)?;
    }
    let mut failures = problems.into_iter().map(|problem| match problem {
        TargetProblem::Unmatched(message) => Failure::usage(message),
        TargetProblem::NoCost(message) => Failure::no_output(message),
    });
    let Some(last) = failures.next_back() else { return Ok(()) };
    failures.for_each(|failure| failure.print());
    Err(last)
}

/// Writes a source with the costs of its lines and functions.
fn show(
    open: &OpenFile,
    target: &Target,
    beside: Beside<'_>,
    style: Style,
    out: &mut Output,
) -> io::Result<()> {
    let lines = open.lines();
    let annotated = AnnotatedSource::new(&lines, open.document.text.as_str());
    let columns = Columns::new(open, &annotated.costs, &target.shown, beside, style.unit);
    let ranges = annotated.ranges(&target.shown);
    let is_long = ranges.iter().map(ExactSizeIterator::len).sum::<usize>() > MAX_FULL_LINES;
    let is_shown = |line0| {
        ranges.iter().any(|range| range.contains(&line0)) && (!is_long || columns.is_near(line0))
    };

    let path = format!("{}:", target.path.display());
    let note = document::note(open).map(|note| format!(" ({note})")).unwrap_or_default();
    writeln!(out, "\n{}{note}", style.bold(&path))?;
    let [own_width, total_width, count_width] = columns.widths();
    let margin = own_width + 1 + total_width + count_width;
    let header = if count_width == 0 { "" } else { "executed" };
    writeln!(out, "{:>own_width$} {:>total_width$}{header:>count_width$}", "self", "total")?;
    for AnnotatedLine { line0, text, after_gap, .. } in annotated.shown(is_shown) {
        if after_gap {
            writeln!(out, "{:>margin$} {:>5}", "", "⋮")?;
        }
        let indent: String = text.chars().take_while(|c| c.is_whitespace()).collect();
        for lens in columns.lenses.get(&line0).into_iter().flatten() {
            writeln!(out, "{:>margin$} {:>5}  {indent}{}", "", "", style.dim(lens))?;
        }
        let none = LineCells::default();
        let LineCells { own, total, share } = columns.cells.get(&line0).unwrap_or(&none);
        let cells = format!("{own:>own_width$} {total:>total_width$}");
        let cells = style.costs(&cells, *share, beside.before.is_some());
        let count = columns.counts.get(&line0).map_or("", String::as_str);
        let number = line0 + 1;
        writeln!(out, "{cells}{count:>count_width$} {number:>5}  {}", without_control(text))?;
    }
    Ok(())
}

/// Replaces control characters other than tabs.
fn without_control(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// The costs of a source by 0-based line.
struct Columns {
    cells: BTreeMap<u32, LineCells>,
    /// How often lines were executed.
    counts: BTreeMap<u32, String>,
    /// The function costs, above the lines of their names.
    lenses: BTreeMap<u32, Vec<String>>,
}

/// The cost of a line.
#[derive(Default)]
struct LineCells {
    own: String,
    total: String,
    /// The magnitude relative to the base, 0 to 1.
    share: f64,
}

impl Columns {
    fn new(
        open: &OpenFile,
        by_line: &BTreeMap<u32, LineCost>,
        shown: &Shown,
        Beside { before, overlay }: Beside<'_>,
        unit: Unit,
    ) -> Self {
        let lines = &open.lines();
        let snapshot = lines.snapshot;
        let costs = &snapshot.costs;
        let scale = Scale::new(&costs.metric, costs.base, unit);
        // A line joined from several recorded lines has no counterpart in the baseline.
        let line_before = |line0: u32, line: &LineCost| {
            let is_one = lines.all_recorded(line0).count() == 1;
            let before = before.filter(|_| is_one && !lines.is_doubtful(line0))?;
            before.recorded_line(snapshot, line.file, line.line)
        };
        let mut overlaid_lines =
            overlay.map(|overlay| open.overlaid_by(overlay)).unwrap_or_default();
        let mut cells: BTreeMap<u32, LineCells> = BTreeMap::new();
        for (&line0, line) in by_line {
            let scale = scale.of_line(snapshot, line.file, line.line);
            let before = line_before(line0, line);
            let mark = lines.mark(line0);
            let (mut own, mut total) = (own(scale, line.cost, mark), total(scale, line.cost, mark));
            if !own.is_empty() {
                own += &scale.delta(line.cost, before, CostPart::Self_);
            }
            total += &scale.delta(line.cost, before, CostPart::Total);
            let overlaid = overlaid_lines.remove(&line0);
            total += &overlaid.map(|overlaid| overlaid.hint(Show::Total)).unwrap_or_default();
            let share = line.cost.magnitude() / scale.base;
            cells.insert(line0, LineCells { own, total, share });
        }
        // Lines that have the second cost only.
        cells.extend(overlaid_lines.into_iter().map(|(line0, overlaid)| {
            let total = total(scale, NO_COST, lines.mark(line0)) + &overlaid.hint(Show::Total);
            (line0, LineCells { total, ..LineCells::default() })
        }));
        let counts = lines.executions(0..u32::MAX).into_iter();
        let count = |line0, n| format!("{}{}", lines.mark(line0), snapshot.times(n));
        let counts = counts.filter_map(|(line0, n)| Some((line0, count(line0, n?))));
        let mut columns = Self { cells, counts: counts.collect(), lenses: BTreeMap::new() };
        let min_percent = Settings::default().lenses.min_percent;
        for (line0, function) in lines.functions() {
            let cost = costs.function(function).cost;
            let before = before.and_then(|before| before.function(snapshot, function));
            if shown.names(function) || scale.has_lens(cost, before, min_percent) {
                let name = plain(snapshot.function(function).name);
                let overlaid = overlay.and_then(|overlay| overlay.function(snapshot, function));
                let beside = overlaid.map(Overlaid::lens).unwrap_or_default();
                let mark = lines.function_mark(function);
                let lens = format!("{mark}{name}: {}{beside}", scale.lens(cost, before));
                columns.lenses.entry(line0).or_default().push(lens);
            }
        }
        columns
    }

    /// The widths of the columns for self, total, and counts with a leading space. The last is 0
    /// without counts.
    fn widths(&self) -> [usize; 3] {
        let width = |text: fn(&LineCells) -> &str| {
            self.cells.values().map(|cells| text(cells).chars().count()).max().unwrap_or(0).max(8)
        };
        let counts = self.counts.values().map(|count| count.chars().count()).max();
        let count_width = counts.map_or(0, |width| width.max("executed".len()) + 1);
        [width(|cells| &cells.own), width(|cells| &cells.total), count_width]
    }

    /// Whether a line (0-based), or one near it, has a cost or a function's cost above it.
    fn is_near(&self, line0: u32) -> bool {
        let near = line0.saturating_sub(CONTEXT_LINES)..=line0 + CONTEXT_LINES;
        self.lenses.range(near.clone()).next().is_some() || self.cells.range(near).next().is_some()
    }
}

/// The self cost of a line, with the prefix `mark`; empty if it is zero.
fn own(scale: Scale<'_>, cost: Cost, mark: &str) -> String {
    if cost.self_ == 0.0 {
        return String::new();
    }
    format!("{mark}{}", scale.own(cost, |weight| scale.weight(weight)))
}

/// The total of a line, with the prefix `mark`.
fn total(scale: Scale<'_>, cost: Cost, mark: &str) -> String {
    match cost.total {
        Total::Unknown => "–".to_owned(),
        total => format!("{mark}{}", scale.of_lines().total(total, |weight| scale.weight(weight))),
    }
}
