//! What a request sees: one world, the open documents, the client. Taken when the request arrives, kept until it is answered.

use super::capabilities::Client;
use crate::present::labels::Scale;
use crate::session::baseline::{Baseline, Before};
use crate::session::documents::{Document, Mapped, OpenDocuments};
use crate::session::lines::{FileLines, is_newer};
use crate::session::snapshot::Snapshot;
use crate::session::world::World;
use lsp_types::Url;
use profile::{FileId, FunctionId};
use std::sync::Arc;

/// What a request sees.
#[derive(Debug, Clone)]
pub struct Context {
    /// What is shown.
    pub world: Arc<World>,
    /// The open texts.
    pub documents: OpenDocuments,
    /// The client.
    pub client: Arc<Client>,
}

/// An open document that has costs.
#[derive(Debug)]
pub struct OpenFile {
    /// The document.
    pub document: Arc<Document>,
    /// The profile.
    pub snapshot: Arc<Snapshot>,
    /// The file in it.
    pub file: FileId,
    /// Which lines are which.
    mapped: Arc<Mapped>,
    /// Likewise in what it is compared with, if that is known.
    before: Option<(Arc<Baseline>, FileId, Arc<Mapped>)>,
}

impl Context {
    /// The document at `uri`, if it is open and the profile has costs for it.
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

    /// What a function of `snapshot` cost in the baseline; `None` if there is none, or it cannot be told.
    pub fn function_before(&self, snapshot: &Snapshot, function: FunctionId) -> Option<Before> {
        self.world.baseline_of(snapshot)?.function(snapshot, function)
    }

    /// What a line (1-based, as recorded) cost in the baseline; `None` if there is none, or it cannot be told.
    pub fn line_before(&self, snapshot: &Snapshot, file: FileId, line: u32) -> Option<Before> {
        let path = snapshot.path_of(file)?;
        if let Some(document) = self.documents.at(path) {
            let open = self.open_file(&document.uri)?;
            return open.line_before(open.mapped.map.to_open(line.checked_sub(1)?)?);
        }
        let baseline = self.world.baseline_of(snapshot)?;
        let file = baseline.snapshot.file_at(path)?;
        // The same text was recorded twice.
        let is_one = !is_newer(path, snapshot) && !is_newer(path, &baseline.snapshot);
        is_one.then(|| baseline.line(file, line))
    }

    /// How weights of `snapshot` are worded.
    pub fn scale<'s>(&self, snapshot: &'s Snapshot) -> Scale<'s> {
        Scale { metric: &snapshot.costs.metric, base: snapshot.costs.base, unit: self.world.config.unit }
    }
}

impl OpenFile {
    /// What a line (0-based) of the text cost in the baseline; `None` if there is none, or it cannot be told.
    pub fn line_before(&self, line0: u32) -> Option<Before> {
        let (baseline, file, mapped) = self.before.as_ref()?;
        // What moved into the line by guess is not compared.
        let recorded0 = mapped.map.to_recorded(line0).filter(|_| !self.mapped.stale)?;
        Some(baseline.line(*file, recorded0 + 1))
    }

    /// Its costs, line by line.
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
