//! `costline annotate`: source files with the cost of each line.

use super::left_out::{not_found, not_shown, weights};
use super::{Failure, Output, headline, warn};
use analysis::{Cost, FileId, Total};
use engine::document::Document;
use engine::file_lines::FileLines;
use engine::path_rules;
use engine::present::labels::Scale;
use engine::present::text::plain;
use engine::recorded_texts::{Origin, RecordedText};
use engine::settings::{Settings, Unit};
use engine::snapshot::Snapshot;
use engine::text::{Encoding, Text};
use sources::{LineMap, Mapping, SourceIndex};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of files to show if the user names none.
const DEFAULT_FILES: usize = 3;
/// Files with more lines than this are shown only near lines with costs.
const MAX_FULL_LINES: usize = 100;
/// The number of lines to show before and after a line with a cost.
const CONTEXT_LINES: u32 = 2;

/// Writes the named sources, or the hottest ones. Fails if one of the named sources has no cost,
/// after it has written the others.
pub(super) fn annotate(
    snapshot: &Snapshot,
    index: &SourceIndex,
    sources: &[PathBuf],
    out: &mut Output,
) -> Result<(), Failure> {
    let (files, mut failures) = if sources.is_empty() {
        let files = hottest(snapshot, index)?;
        let shown: Vec<FileId> = files.iter().map(|(file, _)| *file).collect();
        let messages = [not_found(snapshot, index), not_shown(snapshot, &shown)];
        messages.iter().flatten().for_each(|message| warn(message));
        (files, Vec::new())
    } else {
        named(snapshot, index, sources)
    };
    if !files.is_empty() {
        writeln!(out, "{}", headline(snapshot))?;
    }
    for (file, path) in files {
        show(snapshot, file, &path, &Source::read(snapshot, index, &path)?, out)?;
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
    note: &'static str,
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
            let bytes = std::fs::read(path).map_err(fail)?;
            let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
            (Arc::new(LineMap::identity(text.lines().count() as u32)), text)
        };
        let is_edited = recorded.is_some_and(|recorded| recorded.origin == Origin::Edited);
        let note = if is_edited {
            " (edited after the program was built: lines may have moved)"
        } else if stale {
            " (newer than the profile: lines may have moved)"
        } else if recorded.is_some_and(|recorded| recorded.text != text) {
            " (edited since the profile was recorded: changed lines have no cost)"
        } else {
            ""
        };
        Ok(Self { text, map, note, stale })
    }
}

/// The files with the highest costs that were found, hottest first.
fn hottest(snapshot: &Snapshot, index: &SourceIndex) -> Result<Vec<(FileId, PathBuf)>, Failure> {
    let mut files: Vec<_> = weights(snapshot)
        .into_iter()
        .filter_map(|(file, weight)| Some((weight, file, snapshot.path_of(file)?.to_owned())))
        .collect();
    files.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    if files.is_empty() {
        let no_lines = if snapshot.costs.lines().is_empty() {
            "the profile has no lines (run `costline check`)".to_owned()
        } else if let Some(ambiguous) = ambiguous(snapshot, index) {
            format!("none of the files in the profile was found: {ambiguous}")
        } else if let Some(not_found) = not_found(snapshot, index) {
            format!("none of the files in the profile was found; {not_found}")
        } else {
            "none of the files in the profile was found (run `costline check`, or pass --root or --map)".to_owned()
        };
        let reason = snapshot.no_debug_info().unwrap_or(no_lines);
        return Err(Failure::no_output(format!(
            "{}: nothing to show: {reason}",
            snapshot.loaded.path.display()
        )));
    }
    Ok(files.into_iter().take(DEFAULT_FILES).map(|(_, file, path)| (file, path)).collect())
}

/// The first name that matches several files, and the options that select each of them.
fn ambiguous(snapshot: &Snapshot, index: &SourceIndex) -> Option<String> {
    let (name, _, mapping) =
        snapshot.mappings().find(|(_, _, mapping)| matches!(mapping, Mapping::Ambiguous { .. }))?;
    let options = path_rules::as_options(&path_rules::for_mapping(name, mapping, index));
    Some(format!("{} matches several files; pass {options}", plain(name)))
}

/// The files of the profile that are these sources, and a message for each source without cost.
fn named(
    snapshot: &Snapshot,
    index: &SourceIndex,
    sources: &[PathBuf],
) -> (Vec<(FileId, PathBuf)>, Vec<Failure>) {
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for source in sources {
        match named_file(snapshot, index, source) {
            Ok(file) => files.push(file),
            Err(failure) => failures.push(failure),
        }
    }
    (files, failures)
}

fn named_file(
    snapshot: &Snapshot,
    index: &SourceIndex,
    source: &Path,
) -> Result<(FileId, PathBuf), Failure> {
    let fail = |why: &str| Failure::no_output(format!("{}: {why}", source.display()));
    let path = source.canonicalize().map_err(|error| fail(&error.to_string()))?;
    if let Some(file) = snapshot.file_at(&path) {
        let has_cost = !snapshot.costs.lines_of(file, 1..u32::MAX).is_empty()
            || !snapshot.defined_in(file).is_empty();
        return if has_cost {
            Ok((file, path))
        } else {
            Err(fail("the profile names this file, but without cost in this view"))
        };
    }
    if let Some(reason) = snapshot.no_debug_info() {
        return Err(fail(&format!("no cost on lines in this profile: {reason}")));
    }
    let rule = path_rules::same_name(snapshot, &path)
        .filter(|(_, mapping)| !matches!(mapping, Mapping::Mapped { .. }))
        .and_then(|(name, _)| Some((name, path_rules::for_file(name, &path, index)?)));
    Err(fail(&match rule {
        Some((name, rule)) => format!(
            "no cost in this profile; if this is its file {}, pass {}",
            plain(name),
            path_rules::as_options(&[rule])
        ),
        None => {
            "no cost in this profile; if the profile has the file under another name, pass --map"
                .to_owned()
        }
    }))
}

/// Writes a source with the costs of its lines and functions.
fn show(
    snapshot: &Snapshot,
    file: FileId,
    path: &Path,
    source: &Source,
    out: &mut Output,
) -> io::Result<()> {
    let style =
        Style { colour: io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    let Source { text, map, note, stale } = source;
    let source: Vec<&str> = text.lines().collect();
    let document = lsp_types::Url::from_file_path(path).ok().map(|uri| {
        Document::new(uri, path.to_owned(), 0, Text::new(text.clone(), Encoding::Utf16))
    });
    let lines = FileLines { snapshot, file, map, stale: *stale, document: document.as_ref() };
    let columns = Columns::new(snapshot, &lines);

    writeln!(out, "\n{}{note}", style.bold(&format!("{}:", path.display())))?;
    let [own_width, total_width, count_width] = columns.widths();
    let margin = own_width + 1 + total_width + count_width;
    let header = if count_width == 0 { "" } else { "executed" };
    writeln!(out, "{:>own_width$} {:>total_width$}{header:>count_width$}", "self", "total")?;
    let mut skipped = false;
    for (text, line0) in source.iter().zip(0..) {
        if source.len() > MAX_FULL_LINES && !columns.is_near_costs(line0) {
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
    fn new(snapshot: &Snapshot, lines: &FileLines<'_>) -> Self {
        let costs = &snapshot.costs;
        let scale = Scale { metric: &costs.metric, base: costs.base, unit: Unit::Percent };
        let cells = lines.costs(0..u32::MAX).into_iter().map(|(line0, line)| {
            let (own, total) = (own(scale, line.cost), total(scale, line.cost, lines.mark()));
            (line0, LineCells { own, total, share: line.cost.magnitude() / costs.base })
        });
        let counts = lines.executions(0..u32::MAX).into_iter();
        let count = |count: u64| format!("{}{count}×", lines.mark());
        let counts = counts.filter_map(|(line0, n)| Some((line0, count(n?))));
        let mut columns =
            Self { cells: cells.collect(), counts: counts.collect(), lenses: BTreeMap::new() };
        let min_percent = Settings::default().lenses.min_percent;
        for (line0, function) in lines.functions() {
            let cost = costs.function(function).cost;
            if scale.reaches(cost, min_percent) {
                let name = plain(snapshot.function(function).name);
                let lens = format!("{}{name}: {}", lines.mark(), scale.lens(cost, None));
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

/// Formats text with ANSI escape sequences if `colour` is set.
#[derive(Clone, Copy)]
struct Style {
    colour: bool,
}

impl Style {
    fn paint(self, text: &str, code: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.paint(text, "1")
    }

    fn dim(self, text: &str) -> String {
        self.paint(text, "2")
    }

    /// `share` is the cost relative to the base, 0 to 1.
    fn heat(self, text: &str, share: f64) -> String {
        match share {
            s if s >= 0.2 => self.paint(text, "1;31"),
            s if s >= 0.05 => self.paint(text, "33"),
            s if s > 0.0 => self.paint(text, "32"),
            _ => text.to_owned(),
        }
    }
}
