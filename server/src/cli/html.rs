//! `costline html`: one page with a flame graph, hot spots and annotated sources, for people without an
//! editor.
//!
//! The page loads nothing: its content security policy permits its own style and scripts alone, by
//! their hashes. `html/flame.js` is made of `editors/vscode/src/webview` by `npm run page` there. All
//! text of the profile is escaped. The page has a limited size; what it leaves out is said with its
//! cost.

mod flame_graph;
mod hot_spots;
mod markup;
mod place;
mod sources;

use super::compare::CompareArgs;
use super::exit::Failure;
use super::heading::{compared_with, headline};
use super::loaded::Loaded;
use super::output::{Output, OutputArgs};
use super::view::ViewArgs;
use answers::hot_groups::HotGroup;
use answers::text::plain;
use answers::{
    Compare, Compared, Context, HotRow, HotSpotsQuestion as Question, OpenDocuments, RankBy as By,
    RankScope as Scope, Settings, Snapshot, SourceIndex, Unit, World, hot_spots, minute,
};
use data_encoding::BASE64;
use markup::escape;
use sha2::{Digest as _, Sha256};
use sources::{Sources, Writer};
use std::fmt::Write as _;
use std::sync::Arc;

/// The number of functions in the table.
const MAX_FUNCTIONS: usize = 500;
/// The number of sources in the contents.
const MAX_CONTENTS: usize = 20;

const STYLE: &str = include_str!("html/page.css");
/// The page is also XML, in which a script is one text.
const SCRIPT: &str = concat!("//<![CDATA[\n", include_str!("html/page.js"), "//]]>\n");
/// Draws the flame graph.
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
        let sources = if with_sources { self.sources(&functions) } else { Sources::default() };
        let flame_graph = flame_graph::data(&self.context);
        self.head(before);
        self.contents(flame_graph.is_some(), &sources);
        self.health();
        self.flame_graph(flame_graph);
        self.table(&groups, &functions, &sources);
        if !sources.html.is_empty() {
            self.add(format_args!("<h2 id=\"sources\">Sources</h2>\n{}", sources.html));
        }
        self.foot();
        Ok(self.html)
    }

    fn sources(&self, functions: &[HotRow]) -> Sources {
        let rows = functions
            .iter()
            .zip(0..)
            .filter_map(|(row, i)| Some((row.key.as_ref()?.function(&self.snapshot)?, i)));
        let (world, snapshot, index) = (&self.context.world, &*self.snapshot, &*self.index);
        Writer { world, snapshot, index, rows: &rows.collect() }.write(&self.files())
    }

    /// Links to the parts of the page and to its sources.
    fn contents(&mut self, has_flame_graph: bool, sources: &Sources) {
        let parts = [
            has_flame_graph.then_some(("flame-graph", "Flame graph")),
            Some(("hot-spots", "Hot spots")),
            (!sources.html.is_empty()).then_some(("sources", "Sources")),
        ];
        self.html += "<nav aria-label=\"Contents\"><p>";
        for (anchor, text) in parts.into_iter().flatten() {
            self.add(format_args!("<a href=\"#{anchor}\">{text}</a> "));
        }
        self.html += "</p>\n<ul>\n";
        for (source, i) in sources.files.iter().zip(0..).take(MAX_CONTENTS) {
            let (name, cost) = (escape(&source.name), escape(&source.cost));
            self.add(format_args!("<li><a href=\"#s{i}\">{name}</a> {cost}</li>\n"));
        }
        if sources.files.len() > MAX_CONTENTS {
            let more = sources.files.len() - MAX_CONTENTS;
            self.add(format_args!("<li><a href=\"#s{MAX_CONTENTS}\">{more} more</a></li>\n"));
        }
        self.html += "</ul></nav>\n";
    }

    /// When the profile was written, and by what the page was.
    fn foot(&mut self) {
        let written = self.snapshot.loaded.files.iter().map(|(_, stamp)| stamp.modified).max();
        let written = written.and_then(minute);
        let written =
            written.map(|time| format!("Profile written {time} UTC · ")).unwrap_or_default();
        self.add(format_args!(
            "<footer><p>{written}Costline {}</p></footer>\n</main></body></html>\n",
            env!("CARGO_PKG_VERSION")
        ));
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
        let name = self.snapshot.loaded.name();
        let (name, headline) = (plain(&name), headline(&self.snapshot));
        let headline = headline.strip_prefix(&*name).unwrap_or(&headline);
        let (name, headline) = (escape(&name), escape(headline.trim_start_matches(": ")));
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

    /// The flame graph, and its script after it.
    fn flame_graph(&mut self, data: Option<String>) {
        let Some(data) = data else { return };
        self.add(format_args!(
            "<h2 id=\"flame-graph\">Flame graph</h2>\n<div id=\"flame\"></div>\n\
             <script type=\"application/json\" id=\"flame-data\">{data}</script>\n\
             <script type=\"module\">{FLAME_SCRIPT}</script>\n"
        ));
    }
}
