//! `costline html`: one page with hot spots, a flame graph and annotated sources, for people without an
//! editor.
//!
//! The page loads nothing: its content security policy permits its own style and scripts alone, by
//! their hashes. `html/flame.js` is made of `editors/vscode/src/webview` by `npm run page` there. All
//! text of the profile is escaped. The page has a limited size; what it leaves out is said with its
//! cost.

mod flame_graph;
mod place;

use super::compare::CompareArgs;
use super::document;
use super::exit::Failure;
use super::heading::{compared_with, headline};
use super::loaded::Loaded;
use super::output::{Output, OutputArgs};
use super::view::ViewArgs;
use answers::hot_groups::HotGroup;
use answers::text::{one_line, plain};
use answers::{
    AnnotatedLine, AnnotatedSource, Before, Compare, Compared, Context, CostFields, FileLines,
    FunctionId, HotCost, HotRow, HotSpotsQuestion as Question, LabelScale as Scale, OpenDocuments,
    RankBy as By, RankScope as Scope, Settings, Snapshot, SourceIndex, Unit, Weight, World,
    hot_spots, units,
};
use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// The number of functions in the table.
const MAX_FUNCTIONS: usize = 500;
/// Once the page has this many bytes, no other source is added.
const MAX_BYTES: usize = 3 << 20;
/// Longer sources are left out, so that the page stays below 5 MB.
const MAX_SOURCE_BYTES: usize = 1 << 20;
/// The number of lines to show before and after a line with a cost.
const CONTEXT_LINES: u32 = 3;
/// The number of callees that a line links to.
const MAX_LINKS: usize = 3;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// Draws the flame graph. The page is also XML, in which the script is one text.
const FLAME_SCRIPT: &str = concat!("//<![CDATA[\n", include_str!("html/flame.js"), "\n//]]>\n");

/// The arguments of `costline html`.
#[derive(Debug, clap::Args)]
pub(super) struct HtmlArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Leave out the sources, for readers who must not see them
    #[arg(long)]
    no_sources: bool,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    view: ViewArgs,
}

impl HtmlArgs {
    /// Writes the page.
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let loaded = Loaded::load(&self.view, &[], &self.compare, None)?;
        let files = loaded.snapshot.loaded.files.iter().map(|(path, _)| path);
        self.output.check(files.chain(&self.compare.baseline))?;
        let page = Page::new(&loaded, self.compare.compare);
        let before = loaded.beside().before;
        let text = page.write(before, !self.no_sources).map_err(Failure::no_output)?;
        self.output.write(text.as_bytes(), out)
    }
}

/// The page and what it shows.
struct Page {
    context: Context,
    snapshot: Arc<Snapshot>,
    index: Arc<SourceIndex>,
    html: String,
}

impl Page {
    fn new(loaded: &Loaded, compare: Compare) -> Self {
        let (snapshot, index) = (loaded.snapshot.clone(), loaded.index.clone());
        let world = World {
            settings: Arc::new(Settings { unit: Unit::Both, compare, ..Settings::default() }),
            shown: Some(snapshot.clone()),
            index: Some(index.clone()),
            baseline: loaded.beside().before.map(|before| before.baseline.clone()),
            ..World::default()
        };
        let context = Context { world: Arc::new(world), documents: OpenDocuments::default() };
        Self { context, snapshot, index, html: String::new() }
    }

    fn write(mut self, before: Option<Compared<'_>>, with_sources: bool) -> Result<String, String> {
        let (groups, functions) = self.functions()?;
        let files = self.files();
        self.head(before);
        self.health();
        self.table(&groups, &functions);
        self.flame_graph();
        if with_sources && !files.is_empty() {
            self.sources(&files, &functions);
        }
        self.html += "</main></body></html>\n";
        Ok(self.html)
    }

    fn functions(&self) -> Result<(Vec<HotGroup>, Vec<HotRow>), String> {
        let question = Question { limit: Some(MAX_FUNCTIONS), ..Question::default() };
        let found = hot_spots(&self.context, question)?;
        Ok(found.map(|found| (found.groups, found.list.rows)).unwrap_or_default())
    }

    /// The own files that were found, hottest first. Empty if the profile names no files.
    fn files(&self) -> Vec<HotRow> {
        let question = Question {
            by: Some(By::File.into()),
            scope: Some(Scope::Own),
            limit: Some(usize::MAX),
            ..Question::default()
        };
        let found = hot_spots(&self.context, question).ok().flatten();
        let mut files = found.map(|found| found.list.rows).unwrap_or_default();
        files.retain(|file| file.place.as_ref().is_some_and(|place| place.uri.is_some()));
        files
    }

    /// Appends formatted text. Writing to a string cannot fail.
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.html.write_fmt(text);
    }

    fn head(&mut self, before: Option<Compared<'_>>) {
        let hash = |text: &str| BASE64.encode(&Sha256::digest(text.as_bytes()));
        let name = escape(&plain(&self.snapshot.loaded.name()));
        let headline = escape(&headline(&self.snapshot));
        let (style, script, flame) = (hash(STYLE), hash(SCRIPT), hash(FLAME_SCRIPT));
        self.add(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
             'sha256-{style}'; script-src 'sha256-{script}' 'sha256-{flame}'; base-uri 'none'; form-action 'none'\"/>\
             <meta name=\"viewport\" content=\"width=device-width\"/>\
             <meta name=\"generator\" content=\"costline {}\"/><title>{name} – Costline</title>\
             <style>{STYLE}</style><script type=\"module\">{SCRIPT}</script></head>\n\
             <body><main><h1>{name}</h1>\n<p>{headline}</p>\n",
            env!("CARGO_PKG_VERSION")
        ));
        if let Some(before) = before {
            let text = escape(&compared_with(before, &self.snapshot));
            self.add(format_args!("<p id=\"comparison\">{text}</p>\n"));
        }
    }

    fn health(&mut self) {
        let entries = answers::health::of_snapshot(&self.snapshot, &self.index, None);
        if entries.is_empty() {
            return;
        }
        self.html += "<h2>Health</h2>\n<ul>\n";
        for entry in entries {
            self.add(format_args!("<li>{}</li>\n", escape(&entry.message)));
        }
        self.html += "</ul>\n";
    }

    fn table(&mut self, groups: &[HotGroup], functions: &[HotRow]) {
        self.html += "<h2>Hot spots</h2>\n";
        // Rows can be sorted, so groups have no headings among them.
        for HotGroup { text, note, .. } in groups {
            let note = if note.is_empty() { String::new() } else { format!(": {note}") };
            let text = escape(&format!("{text}{note}"));
            self.add(format_args!("<p class=\"group\">{text}</p>\n"));
        }
        self.html += "<div class=\"scroll\" tabindex=\"0\"><table id=\"functions\"><thead><tr>";
        let has_changes = functions.iter().any(|row| row.cost.cost.fields.change.is_some());
        let charges = functions.iter().any(|row| {
            let HotCost { charged_text, cost, .. } = &row.cost;
            charged_text.is_some() && *charged_text != cost.fields.self_text
        });
        let charges = charges.then_some("with libraries");
        // Own code is first, so no column is sorted yet.
        let changes = has_changes.then_some("change of total");
        for heading in charges.into_iter().chain(["self", "total"]).chain(changes) {
            self.add(format_args!(
                "<th scope=\"col\" class=\"number\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>"
            ));
        }
        for heading in ["function", "place"] {
            self.add(format_args!(
                "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{heading}</button></th>"
            ));
        }
        self.html += "</tr></thead><tbody>\n";
        for (row, i) in functions.iter().zip(0..) {
            self.function(row, i, charges.is_some(), has_changes);
        }
        self.html += "</tbody></table></div>\n";
        let own: f64 =
            functions.iter().filter_map(|row| row.cost.cost.self_).map(|own| own.0).sum();
        let costs = &self.snapshot.costs;
        let all: f64 = costs.functions().map(|(_, cost)| cost.cost.self_).sum();
        let left = costs.functions().count().saturating_sub(functions.len());
        if left > 0 {
            let text = format!(
                "{} with self {} left out",
                units::counted(left as f64, "functions"),
                units::absolute(all - own, &costs.metric)
            );
            self.add(format_args!("<p id=\"left-out\">{}</p>\n", escape(&text)));
        }
    }

    fn function(&mut self, row: &HotRow, i: usize, charges: bool, has_changes: bool) {
        let fields = &row.cost.cost.fields;
        let (class, CostFields { self_text, total_text, change, .. }) = (class(fields), fields);
        let (own, total) = (number(row.cost.cost.self_), number(row.cost.cost.total));
        let (scale, spread) = (self.context.scale(&self.snapshot), row.cost.spread.as_ref());
        let text = |text: &Option<String>, spread: Option<Weight>| {
            let spread = scale.spread(spread.map(|deviation| deviation.0));
            escape(text.as_deref().unwrap_or("–")) + &escape(&spread)
        };
        let self_text = text(self_text, spread.map(|spread| spread.self_));
        let total_text = text(total_text, spread.and_then(|spread| spread.total));
        self.add(format_args!("<tr id=\"f{i}\" class=\"{class}\">"));
        if charges {
            let value = number(row.cost.charged);
            let text = escape(row.cost.charged_text.as_deref().unwrap_or_default());
            self.add(format_args!("<td class=\"number\" data-value=\"{value}\">{text}</td>"));
        }
        self.add(format_args!(
            "<td class=\"number\" data-value=\"{own}\">{self_text}</td>\
             <td class=\"number\" data-value=\"{total}\">{total_text}</td>"
        ));
        if has_changes {
            let change =
                change.as_ref().and_then(|change| change.total.as_ref().or(change.self_.as_ref()));
            let value = number(change.map(|change| change.change));
            let text =
                change.filter(|change| !change.may_be_noise).and_then(|change| change.text.clone());
            let text = escape(&text.unwrap_or_default());
            self.add(format_args!("<td class=\"number\" data-value=\"{value}\">{text}</td>"));
        }
        let place = row.place.as_ref().map(|at| place::text(&self.context, at));
        let (name, place) = (escape(&row.title), escape(&place.unwrap_or_default()));
        self.add(format_args!(
            "<td data-value=\"{name}\">{name}</td><td data-value=\"{place}\">{place}</td></tr>\n"
        ));
    }

    /// The flame graph, and its script after it.
    fn flame_graph(&mut self) {
        let Some(data) = flame_graph::data(&self.context) else { return };
        self.add(format_args!(
            "<h2>Flame graph</h2>\n<div id=\"flame\"></div>\n\
             <script type=\"application/json\" id=\"flame-data\">{data}</script>\n\
             <script type=\"module\">{FLAME_SCRIPT}</script>\n"
        ));
    }

    /// The own sources, hottest first, until the page is full.
    fn sources(&mut self, files: &[HotRow], functions: &[HotRow]) {
        self.html += "<h2>Sources</h2>\n";
        let anchors: BTreeMap<FunctionId, usize> = functions
            .iter()
            .zip(0..)
            .filter_map(|(row, i)| Some((row.key.as_ref()?.function(&self.snapshot)?, i)))
            .collect();
        let (mut left, mut left_self) = (0, 0.0);
        for file in files {
            let path = file
                .place
                .as_ref()
                .and_then(|place| place.uri.as_ref())
                .and_then(|uri| uri.to_file_path().ok());
            let is_shown = path.is_some_and(|path| {
                self.html.len() < MAX_BYTES && self.source(&path, &anchors).is_some()
            });
            if !is_shown {
                left += 1;
                left_self += file.cost.cost.self_.map_or(0.0, |own| own.0);
            }
        }
        if left > 0 {
            let metric = &self.snapshot.costs.metric;
            let text = format!(
                "{} with self {} left out: too large, not readable, or without line costs",
                units::counted(f64::from(left), "files"),
                units::absolute(left_self, metric)
            );
            self.add(format_args!("<p id=\"left-out-sources\">{}</p>\n", escape(&text)));
        }
    }

    /// A source with the costs of its lines. `None` if it has none, or is too large.
    fn source(&mut self, path: &Path, anchors: &BTreeMap<FunctionId, usize>) -> Option<()> {
        let (context, document) = document::open(&self.context.world, &self.index, path).ok()?;
        let open = context.open_file(&document.uri)?;
        let lines = open.lines();
        let annotated = AnnotatedSource::new(&lines, document.text.as_str());
        if annotated.costs.is_empty() {
            return None;
        }
        let callees = callees_by_line(&lines);
        let before = self.html.len();
        self.source_head(path, document::note(&open));
        let is_shown = |line0| annotated.is_near_cost(line0, CONTEXT_LINES);
        for (line, i) in annotated.shown(is_shown).into_iter().zip(0..) {
            if line.after_gap && i > 0 {
                self.html += "<tr><td></td><td></td><td class=\"number\">⋮</td><td></td></tr>\n";
            }
            let (scale, mark) = (context.scale(&open.snapshot), lines.mark(line.line0));
            let scale = match line.cost {
                Some(line) => scale.of_line(&open.snapshot, line.file, line.line),
                None => scale.of_lines(),
            };
            self.source_row(scale, line, mark, open.line_before(line.line0));
            let callees = callees.get(&line.line0).into_iter().flatten();
            self.call_links(callees.take(MAX_LINKS), anchors);
            self.html += "</td></tr>\n";
        }
        self.html += "</tbody></table></div>\n";
        if self.html.len() - before > MAX_SOURCE_BYTES {
            self.html.truncate(before);
            return None;
        }
        Some(())
    }

    fn source_head(&mut self, path: &Path, note: Option<String>) {
        let name =
            escape(&one_line(&self.index.inside_root(path).unwrap_or(path).display().to_string()));
        let note = note.map(|note| format!("<p>{}</p>\n", escape(&note))).unwrap_or_default();
        self.add(format_args!(
            "<h3>{name}</h3>\n{note}<div class=\"scroll\" tabindex=\"0\"><table class=\"source\" data-path=\"{name}\">\
             <thead><tr><th scope=\"col\" class=\"number\">self</th><th scope=\"col\" class=\"number\">total</th><th scope=\"col\" class=\"number\">line</th>\
             <th scope=\"col\">source</th></tr></thead><tbody>\n"
        ));
    }

    /// A line and its costs with the prefix `mark`, without the end of the last cell.
    fn source_row(
        &mut self,
        scale: Scale<'_>,
        line: AnnotatedLine<'_>,
        mark: &str,
        before: Option<Before>,
    ) {
        let cost = line.cost.map(|line| line.cost);
        let fields = cost.map(|cost| CostFields::new(scale, Some(cost.self_), cost.total, before));
        let class = fields.as_ref().map_or_else(String::new, class);
        let own = number(cost.map(|cost| Weight(cost.self_)));
        let total = number(cost.and_then(|cost| Weight::of_total(cost.total)));
        let [own_text, total_text] = fields
            .map_or([None, None], |fields| [fields.self_text, fields.total_text])
            .map(|text| text.map(|text| escape(&format!("{mark}{text}"))).unwrap_or_default());
        let text = line.text.split('\t').map(|part| escape(&one_line(part))).collect::<Vec<_>>();
        self.add(format_args!(
            "<tr class=\"{class}\"><td class=\"number\" data-value=\"{own}\">{own_text}</td>\
             <td class=\"number\" data-value=\"{total}\">{total_text}</td>\
             <td class=\"number\">{}</td><td>{}",
            line.line0 + 1,
            text.join("\t")
        ));
    }

    /// Links from a line to the functions that it calls, as far as they are in the table.
    fn call_links<'c>(
        &mut self,
        callees: impl Iterator<Item = &'c FunctionId>,
        anchors: &BTreeMap<FunctionId, usize>,
    ) {
        for callee in callees {
            if let Some(i) = anchors.get(callee) {
                let name = escape(&plain(self.snapshot.function(*callee).name));
                self.add(format_args!(" <a href=\"#f{i}\">→ {name}</a>"));
            }
        }
    }
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

/// A raw weight, as in `report --json`. Empty if it is unknown.
fn number(weight: Option<Weight>) -> String {
    weight.and_then(|weight| serde_json::to_string(&weight).ok()).unwrap_or_default()
}

/// Escapes text for elements and quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// The class of a row: its heat, or with a baseline the direction and tier of the change.
fn class(fields: &CostFields) -> String {
    match fields.change_tier {
        None => format!("tier{}", fields.tier),
        Some(Some(tier)) if tier > 0 => format!("slower{tier}"),
        Some(Some(tier)) if tier < 0 => format!("faster{}", -tier),
        Some(_) => String::new(),
    }
}
