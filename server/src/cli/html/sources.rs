//! The own sources, with the costs of their lines and functions.

use super::markup::{class, escape, number};
use crate::cli::document;
use answers::text::one_line;
use answers::{
    AnnotatedLine, AnnotatedSource, CostFields, FileLines, FunctionId, FunctionLens, Functions,
    Highlight, HotRow, LabelScale as Scale, NameParts, OpenFile, PlaceFields, Snapshot,
    SourceIndex, Weight, World, function_costs, units,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Once the sources have this many bytes, no other is added.
const MAX_BYTES: usize = 2 << 20;
/// Longer sources are left out, so that the page stays below 5 MB.
const MAX_SOURCE_BYTES: usize = 1 << 20;
/// The number of lines to show before and after a line with a cost.
const CONTEXT_LINES: u32 = 3;
/// The number of callees that a line links to.
const MAX_LINKS: usize = 3;

/// The part of the page with sources.
#[derive(Default)]
pub(super) struct Sources {
    pub html: String,
    /// In the order of the page.
    pub files: Vec<Source>,
}

/// A source on the page.
pub(super) struct Source {
    path: PathBuf,
    /// Its path in the project.
    pub name: String,
    /// Its cost, for display.
    pub cost: String,
    /// The lines that are shown, 0-based.
    lines: BTreeSet<u32>,
}

/// What sources are written with.
pub(super) struct Writer<'a> {
    pub world: &'a Arc<World>,
    pub snapshot: &'a Snapshot,
    pub index: &'a SourceIndex,
    /// The numbers of the rows of functions.
    pub rows: &'a BTreeMap<FunctionId, usize>,
}

impl Sources {
    /// The element of a place, if it is on the page: that of its line, or of its file.
    pub fn anchor(&self, place: &PlaceFields) -> Option<String> {
        let path = place.uri.as_ref()?.to_file_path().ok()?;
        let at = self.files.iter().position(|file| file.path == path)?;
        let line0 = place.line0.filter(|line0| self.files[at].lines.contains(line0));
        Some(line0.map_or_else(|| format!("s{at}"), |line0| format!("s{at}-{}", line0 + 1)))
    }

    /// Appends formatted text. Writing to a string cannot fail.
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.html.write_fmt(text);
    }
}

impl Writer<'_> {
    /// The own sources, hottest first, until the page is full.
    pub fn write(&self, files: &[HotRow]) -> Sources {
        let mut sources = Sources::default();
        let (mut left, mut left_self) = (0, 0.0);
        for file in files {
            let uri = file.place.as_ref().and_then(|place| place.uri.as_ref());
            let path = uri.and_then(|uri| uri.to_file_path().ok());
            let is_shown = path.is_some_and(|path| {
                let is_full = sources.html.len() >= MAX_BYTES;
                !is_full && self.source(&mut sources, path, &file.cost.label).is_some()
            });
            if !is_shown {
                left += 1;
                left_self += file.cost.cost.self_.map_or(0.0, |own| own.0);
            }
        }
        if left > 0 {
            let text = format!(
                "{} with self {} left out: too large, not readable, or without line costs",
                units::counted(f64::from(left), "files"),
                units::absolute(left_self, &self.snapshot.costs.metric)
            );
            sources.add(format_args!("<p id=\"left-out-sources\">{}</p>\n", escape(&text)));
        }
        sources
    }

    /// A source with the costs of its lines. `None` if it has none, or is too large.
    fn source(&self, sources: &mut Sources, path: PathBuf, cost: &str) -> Option<()> {
        let (context, document) = document::open(self.world, self.index, &path).ok()?;
        let open = context.open_file(&document.uri)?;
        let lines = open.lines();
        let annotated = AnnotatedSource::new(&lines, document.text.as_str());
        if annotated.costs.is_empty() {
            return None;
        }
        let callees = callees_by_line(&lines);
        let highlights = document.functions().map(Functions::highlights).unwrap_or_default();
        let mut lenses: BTreeMap<u32, Vec<FunctionLens>> = BTreeMap::new();
        for lens in function_costs(&context, &document.uri) {
            lenses.entry(lens.line0).or_default().push(lens);
        }
        let start = sources.html.len();
        let name = one_line(&self.index.inside_root(&path).unwrap_or(&path).display().to_string())
            .into_owned();
        let number = sources.files.len();
        source_head(sources, number, &name, document::note(&open));
        let source =
            Rows { number, scale: context.scale(&open.snapshot), open: &open, lines: &lines };
        let is_shown =
            |line0| annotated.is_near_cost(line0, CONTEXT_LINES) || lenses.contains_key(&line0);
        let shown = annotated.shown(is_shown);
        for (line, i) in shown.iter().zip(0..) {
            if line.after_gap && i > 0 {
                sources.html += "<tr><td></td><td></td><td class=\"number\">⋮</td><td></td></tr>\n";
            }
            for lens in lenses.get(&line.line0).into_iter().flatten() {
                let title = escape(&lens.title);
                sources.add(format_args!(
                    "<tr class=\"lens\"><td></td><td></td><td></td><td>{title}</td></tr>\n"
                ));
            }
            let parts = highlights.get(line.line0 as usize).map_or(&[][..], Vec::as_slice);
            source.row(sources, *line, parts);
            let callees = callees.get(&line.line0).into_iter().flatten();
            self.call_links(sources, callees.take(MAX_LINKS));
            sources.html += "</td></tr>\n";
        }
        sources.html += "</tbody></table></div>\n";
        if sources.html.len() - start > MAX_SOURCE_BYTES {
            sources.html.truncate(start);
            return None;
        }
        let lines = shown.iter().map(|line| line.line0).collect();
        sources.files.push(Source { path, name, cost: cost.to_owned(), lines });
        Some(())
    }

    /// Links from a line to the functions that it calls, as far as they are in the table.
    fn call_links<'c>(&self, sources: &mut Sources, callees: impl Iterator<Item = &'c FunctionId>) {
        for callee in callees {
            if let Some(i) = self.rows.get(callee) {
                let name = escape(&NameParts::of(self.snapshot.function(*callee).name).short_name);
                sources.add(format_args!(" <a href=\"#f{i}\">→ {name}</a>"));
            }
        }
    }
}

fn source_head(sources: &mut Sources, number: usize, name: &str, note: Option<String>) {
    let name = escape(name);
    let note = note.map(|note| format!("<p>{}</p>\n", escape(&note))).unwrap_or_default();
    sources.add(format_args!(
        "<h3 id=\"s{number}\">{name}</h3>\n{note}<div class=\"scroll\" tabindex=\"0\"><table class=\"source\" data-path=\"{name}\">\
         <thead><tr><th scope=\"col\" class=\"number\">self</th><th scope=\"col\" class=\"number\">total</th><th scope=\"col\" class=\"number\">line</th>\
         <th scope=\"col\">source</th></tr></thead><tbody>\n"
    ));
}

/// The rows of one source.
struct Rows<'a> {
    /// The number of the source.
    number: usize,
    scale: Scale<'a>,
    open: &'a OpenFile,
    lines: &'a FileLines<'a>,
}

impl Rows<'_> {
    /// A line and its costs, without the end of the last cell.
    fn row(
        &self,
        sources: &mut Sources,
        line: AnnotatedLine<'_>,
        parts: &[(Range<usize>, Highlight)],
    ) {
        let scale = match line.cost {
            Some(line) => self.scale.of_line(&self.open.snapshot, line.file, line.line),
            None => self.scale.of_lines(),
        };
        let (mark, before) = (self.lines.mark(line.line0), self.open.line_before(line.line0));
        let cost = line.cost.map(|line| line.cost);
        let fields = cost.map(|cost| CostFields::new(scale, Some(cost.self_), cost.total, before));
        let class = fields.as_ref().map_or_else(String::new, class);
        let own = cost.map(|cost| Weight(cost.self_));
        let total = cost.and_then(|cost| Weight::of_total(cost.total));
        let text = |text: Option<String>, weight: Option<Weight>| {
            let is_shown = weight.is_none_or(|weight| weight.0 != 0.0);
            let text = text.filter(|_| is_shown).map(|text| escape(&format!("{mark}{text}")));
            text.unwrap_or_default()
        };
        let texts = fields.map(|it| (text(it.self_text, own), text(it.total_text, total)));
        let (own_text, total_text) = texts.unwrap_or_default();
        let (own, total, line1) = (number(own), number(total), line.line0 + 1);
        sources.add(format_args!(
            "<tr class=\"{class}\"><td class=\"number\" data-value=\"{own}\">{own_text}</td>\
             <td class=\"number\" data-value=\"{total}\">{total_text}</td>\
             <td class=\"number\" id=\"s{}-{line1}\">{line1}</td><td>{}",
            self.number,
            colored(line.text, parts),
        ));
    }
}

/// A line of code, escaped, with its parts in elements that the style colors.
fn colored(line: &str, parts: &[(Range<usize>, Highlight)]) -> String {
    let code = |text: &str| {
        let text = text.split('\t').map(|part| escape(&one_line(part)));
        text.collect::<Vec<_>>().join("\t")
    };
    let mut html = String::new();
    let mut end = 0;
    for (bytes, highlight) in parts {
        let (Some(between), Some(part)) = (line.get(end..bytes.start), line.get(bytes.clone()))
        else {
            continue;
        };
        let class = match highlight {
            Highlight::Comment => "c",
            Highlight::Text => "t",
            Highlight::Number => "n",
            Highlight::Keyword => "k",
        };
        let (between, part) = (code(between), code(part));
        let _ = write!(html, "{between}<span class=\"{class}\">{part}</span>");
        end = bytes.end;
    }
    html + &code(line.get(end..).unwrap_or_default())
}

/// The functions that lines (0-based) of the text call.
fn callees_by_line(lines: &FileLines<'_>) -> BTreeMap<u32, Vec<FunctionId>> {
    let mut callees: BTreeMap<u32, Vec<FunctionId>> = BTreeMap::new();
    let edges = lines.snapshot.tree.edges();
    for edge in edges.all() {
        let sites = edges.sites(edge).iter().filter(|site| site.file == lines.file);
        for line0 in sites.filter_map(|site| lines.map.to_open(site.line.checked_sub(1)?)) {
            callees.entry(line0).or_default().push(edge.callee);
        }
    }
    callees
}
