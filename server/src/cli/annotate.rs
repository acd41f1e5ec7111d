//! `costline annotate`: source files with the cost of each line.

mod targets;

use super::compare::CompareArgs;
use super::exit::{Failure, warn};
use super::heading::{beside_overlay, compared_with, headline};
use super::left_out::{not_found, not_shown};
use super::loaded::Loaded;
use super::output::Output;
use super::overlay::{Beside, OverlayArgs};
use super::read::{file_name, is_empty_file, is_standard_input};
use super::style::{Style, StyleArgs};
use super::view::{Places, ViewArgs};
use analysis::{Cost, FileId, LineCost, Total};
use engine::compare::overlay::Overlaid;
use engine::config::settings::{Settings, Show, Unit};
use engine::discovery::{is_named_like_profile, sniff};
use engine::present::labels::{Part as CostPart, Scale};
use engine::present::text::plain;
use engine::present::units;
use engine::recorded_texts::{Origin, RecordedText};
use engine::snapshot::Snapshot;
use engine::text::{Encoding, Text};
use engine::world::document::Document;
use engine::world::file_lines::FileLines;
use formats::Foreign;
use sources::regular_file::{self, MAX_SOURCE};
use sources::{Definition, Language, LineMap, SourceIndex};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use targets::Part;

pub(super) use targets::{Target, named};

/// Files with more lines than this are shown only near lines with costs.
const MAX_FULL_LINES: usize = 100;
/// The number of lines to show before and after a line with a cost.
pub(super) const CONTEXT_LINES: u32 = 2;
/// The number of lines to show before and after a line that the user names.
const NEAR_LINES: u32 = 10;

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
        let loaded = Loaded::load(&view, Places::Current, &names, &compare, Some(&overlay))?;
        annotate(&loaded, &names, style.style(Unit::Percent), out)
    }
}

/// Counts the profiles at the start of the arguments. A file that is recognised but cannot be read
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
    let (targets, mut failures) = if names.is_empty() {
        let targets = targets::hottest(snapshot, index)?;
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
    for target in targets {
        let source = Source::read(snapshot, index, &target.path)?;
        show(snapshot, &target, &source, beside, style, out)?;
    }
    let Some(last) = failures.pop() else { return Ok(()) };
    for failure in failures {
        failure.print();
    }
    Err(last)
}

/// A source as it is on disk.
struct Source {
    text: Arc<str>,
    /// From the recorded text.
    map: Arc<LineMap>,
    /// What to say about the recorded text.
    note: String,
    /// Whether the recorded text is a guess.
    stale: bool,
}

impl Source {
    /// Reads a source, if the index permits it.
    fn read(snapshot: &Snapshot, index: &SourceIndex, path: &Path) -> Result<Self, Failure> {
        let fail = |error| Failure::no_output(format!("{}: {error}", path.display()));
        if !index.contains(path) {
            return Err(fail(io::Error::from(io::ErrorKind::PermissionDenied)));
        }
        let recorded = snapshot.texts.get(path);
        let stale = recorded.is_none_or(RecordedText::is_guess);
        let (map, text) = if let Some(found) = snapshot.texts.to_disk(path) {
            found
        } else {
            let bytes = regular_file::read(path, MAX_SOURCE).map_err(fail)?;
            let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
            (Arc::new(LineMap::identity(text.lines().count() as u32)), text)
        };
        let doubt = recorded.map_or(Origin::Guess, |recorded| recorded.origin).doubt();
        let note = match doubt {
            Some(doubt) => format!(" ({doubt}: lines may have moved)"),
            None if recorded.is_some_and(|recorded| recorded.text != text) => {
                " (edited since the profile was recorded: changed lines have no cost)".to_owned()
            }
            None => String::new(),
        };
        Ok(Self { text, map, note, stale })
    }
}

/// Writes a source with the costs of its lines and functions.
fn show(
    snapshot: &Snapshot,
    target: &Target,
    source: &Source,
    beside: Beside<'_>,
    style: Style,
    out: &mut Output,
) -> io::Result<()> {
    let Target { file, path, parts } = target;
    let Source { text, map, note, stale } = source;
    let source: Vec<&str> = text.lines().collect();
    let document = lsp_types::Url::from_file_path(path)
        .ok()
        .map(|uri| Document::new(uri, path.clone(), 0, Text::new(text.clone(), Encoding::Utf16)));
    let lines =
        FileLines { snapshot, file: *file, map, stale: *stale, document: document.as_ref() };
    let columns = Columns::new(snapshot, &lines, beside, style.unit);
    let shown = shown_lines(&lines, parts, source.len());
    let is_long = shown.iter().map(ExactSizeIterator::len).sum::<usize>() > MAX_FULL_LINES;

    writeln!(out, "\n{}{note}", style.bold(&format!("{}:", path.display())))?;
    let [own_width, total_width, count_width] = columns.widths();
    let margin = own_width + 1 + total_width + count_width;
    let header = if count_width == 0 { "" } else { "executed" };
    writeln!(out, "{:>own_width$} {:>total_width$}{header:>count_width$}", "self", "total")?;
    let mut skipped = false;
    for (text, line0) in source.iter().zip(0..) {
        let is_shown = shown.iter().any(|range| range.contains(&line0));
        if !is_shown || is_long && !columns.is_near_costs(line0) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            writeln!(out, "{:>margin$} {:>5}", "", "⋮")?;
        }
        let indent: String = text.chars().take_while(|c| c.is_whitespace()).collect();
        for lens in columns.lenses.get(&line0).into_iter().flatten() {
            writeln!(out, "{:>margin$} {:>5}  {indent}{}", "", "", style.dim(lens))?;
        }
        let none = LineCells::default();
        let LineCells { own, total, share } = columns.cells.get(&line0).unwrap_or(&none);
        let cells = style.heat(&format!("{own:>own_width$} {total:>total_width$}"), *share);
        let count = columns.counts.get(&line0).map_or("", String::as_str);
        let number = line0 + 1;
        writeln!(out, "{cells}{count:>count_width$} {number:>5}  {}", without_control(text))?;
    }
    Ok(())
}

/// The lines (0-based) of the text to show, of which there are `n_lines`.
pub(super) fn shown_lines(
    lines: &FileLines<'_>,
    parts: &[Part],
    n_lines: usize,
) -> Vec<Range<u32>> {
    if parts.is_empty() {
        return std::iter::once(0..n_lines as u32).collect();
    }
    let line0_of = |function| {
        let mut functions = lines.functions().into_iter();
        functions.find_map(|(line0, this)| (this == function).then_some(line0))
    };
    let around = |line0: u32| line0.saturating_sub(NEAR_LINES)..line0 + NEAR_LINES + 1;
    let of_part = |part: &Part| match *part {
        Part::Line(line) => Some(around(line.saturating_sub(1))),
        Part::Function(function) => line0_of(function).map(|line0| {
            let functions = lines.document.and_then(Document::functions);
            let definitions = functions.map_or(&[][..], |functions| functions.all()).iter();
            let here = definitions.filter(|definition| definition.lines.contains(&line0));
            let length = |here: &Definition| here.lines.end() - here.lines.start();
            let innermost = here.min_by_key(|here| (here.name_line0 != line0, length(here)));
            innermost
                .map_or_else(|| around(line0), |here| *here.lines.start()..here.lines.end() + 1)
        }),
    };
    parts.iter().filter_map(of_part).collect()
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
    /// The costs of functions, above the lines of their names.
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
        snapshot: &Snapshot,
        lines: &FileLines<'_>,
        Beside { before, overlay }: Beside<'_>,
        unit: Unit,
    ) -> Self {
        let costs = &snapshot.costs;
        let scale = Scale { metric: &costs.metric, base: costs.base, unit };
        // A line that several recorded lines were joined into is none of the baseline's.
        let line_before = |line0: u32, line: &LineCost| {
            let is_one = lines.all_recorded(line0).count() == 1;
            let before = before.filter(|_| is_one && !lines.stale)?;
            before.recorded_line(snapshot, line.file, line.line)
        };
        let cells = lines.costs(0..u32::MAX).into_iter().map(|(line0, line)| {
            let before = line_before(line0, &line);
            let (mut own, mut total) =
                (own(scale, line.cost), total(scale, line.cost, lines.mark()));
            if !own.is_empty() {
                own += &scale.delta(line.cost, before, CostPart::Self_);
            }
            total += &scale.delta(line.cost, before, CostPart::Total);
            let overlaid =
                overlay.and_then(|overlay| overlay.recorded_line(snapshot, line.file, line.line));
            total += &overlaid.map(|overlaid| overlaid.hint(Show::Total)).unwrap_or_default();
            (line0, LineCells { own, total, share: line.cost.magnitude() / costs.base })
        });
        let counts = lines.executions(0..u32::MAX).into_iter();
        let count = |count: u64| format!("{}{}", lines.mark(), units::times(count));
        let counts = counts.filter_map(|(line0, n)| Some((line0, count(n?))));
        let mut columns =
            Self { cells: cells.collect(), counts: counts.collect(), lenses: BTreeMap::new() };
        let min_percent = Settings::default().lenses.min_percent;
        for (line0, function) in lines.functions() {
            let cost = costs.function(function).cost;
            if scale.reaches(cost, min_percent) {
                let name = plain(snapshot.function(function).name);
                let before = before.and_then(|before| before.function(snapshot, function));
                let overlaid = overlay.and_then(|overlay| overlay.function(snapshot, function));
                let beside = overlaid.map(Overlaid::lens).unwrap_or_default();
                let lens = format!("{}{name}: {}{beside}", lines.mark(), scale.lens(cost, before));
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

    fn is_near_costs(&self, line0: u32) -> bool {
        let near = line0.saturating_sub(CONTEXT_LINES)..=line0 + CONTEXT_LINES;
        self.cells.range(near.clone()).next().is_some() || self.lenses.range(near).next().is_some()
    }
}

/// The self cost of a line; empty if it is zero.
fn own(scale: Scale<'_>, cost: Cost) -> String {
    if cost.self_ == 0.0 { String::new() } else { scale.own(cost, |weight| scale.weight(weight)) }
}

/// The total of a line, with the prefix `mark`.
fn total(scale: Scale<'_>, cost: Cost, mark: &str) -> String {
    match cost.total {
        Total::Unknown => format!("{mark}–"),
        total => format!("{mark}{}", scale.line_total(total)),
    }
}
