//! What a request sees: one world and the open documents, both as of the arrival of the request.

use crate::baseline::{Baseline, Before};
use crate::document::{Document, Mapped, OpenDocuments};
use crate::file_lines::FileLines;
use crate::present::labels::Scale;
use crate::snapshot::Snapshot;
use crate::world::World;
use analysis::{FileId, FunctionId};
use std::sync::Arc;
use url::Url;

/// The input of queries.
#[derive(Debug, Clone)]
pub struct Context {
    /// The profiles and settings.
    pub world: Arc<World>,
    /// The open documents.
    pub documents: OpenDocuments,
}

/// An open document that is a file of the profile.
#[derive(Debug)]
pub struct OpenFile {
    /// The document.
    pub document: Arc<Document>,
    /// The profile shown.
    pub snapshot: Arc<Snapshot>,
    /// The file of the profile.
    pub file: FileId,
    /// The line map from the recorded text to the document.
    mapped: Arc<Mapped>,
    /// The same for the baseline. `None` if the text that the baseline was recorded from is not
    /// known.
    before: Option<(Arc<Baseline>, FileId, Arc<Mapped>)>,
}

impl Context {
    /// The document with this URI, if it is open and a file of the profile.
    pub fn open_file(&self, uri: &Url) -> Option<OpenFile> {
        let document = self.documents.get(uri)?.clone();
        let snapshot = self.world.snapshot()?.clone();
        let file = snapshot.file_at(&document.path)?;
        let mapped = document.mapped(self.world.revision, &snapshot);
        let before = self.world.baseline_of(&snapshot).and_then(|baseline| {
            let file = baseline.snapshot.file_at(&document.path)?;
            let mapped = document.mapped(self.world.revision, &baseline.snapshot);
            (!mapped.stale).then(|| (baseline.clone(), file, mapped))
        });
        Some(OpenFile { document, snapshot, file, mapped, before })
    }

    /// The cost of a function of `snapshot` in the baseline. `None` if there is no baseline, or no
    /// unique match in it.
    pub fn function_before(&self, snapshot: &Snapshot, function: FunctionId) -> Option<Before> {
        self.world.baseline_of(snapshot)?.function(snapshot, function)
    }

    /// The cost of a line (1-based, as recorded) in the baseline. `None` if there is no baseline,
    /// or the line cannot be matched.
    pub fn line_before(&self, snapshot: &Snapshot, file: FileId, line: u32) -> Option<Before> {
        let path = snapshot.path_of(file)?;
        if let Some(document) = self.documents.at(path) {
            let open = self.open_file(&document.uri)?;
            return open.line_before(open.mapped.map.to_open(line.checked_sub(1)?)?);
        }
        let baseline = self.world.baseline_of(snapshot)?;
        let file = baseline.snapshot.file_at(path)?;
        let [before, now] = [&baseline.snapshot, snapshot]
            .map(|snapshot| snapshot.texts.get(path).filter(|recorded| !recorded.is_guess()));
        // Without the texts, the line may be another one.
        (before?.text == now?.text).then(|| baseline.line(file, line))
    }

    /// The scale for labels of `snapshot`.
    pub fn scale<'s>(&self, snapshot: &'s Snapshot) -> Scale<'s> {
        Scale {
            metric: &snapshot.costs.metric,
            base: snapshot.costs.base,
            unit: self.world.settings.unit,
        }
    }
}

impl OpenFile {
    /// The cost of a line (0-based) of the document in the baseline. `None` if there is no
    /// baseline, or the line cannot be matched.
    pub fn line_before(&self, line0: u32) -> Option<Before> {
        let (baseline, file, mapped) = self.before.as_ref()?;
        // A stale line map is a guess: there is no delta then.
        mapped.map.to_recorded(line0).filter(|_| !self.mapped.stale)?;
        let (snapshot, map) = (&*baseline.snapshot, &mapped.map);
        let lines = FileLines { snapshot, file: *file, map, stale: false, document: None };
        let cost = lines.costs(line0..line0 + 1).first().map(|(_, line)| line.cost);
        Some(baseline.of_line(cost))
    }

    /// The costs of the document by line.
    pub fn lines(&self) -> FileLines<'_> {
        FileLines {
            snapshot: &self.snapshot,
            file: self.file,
            map: &self.mapped.map,
            stale: self.mapped.stale,
            document: Some(&self.document),
        }
    }
}
