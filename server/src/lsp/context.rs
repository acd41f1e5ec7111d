//! What a request sees: one world, the open documents, the client. Taken when the request arrives, kept until it is answered.

use super::capabilities::Client;
use crate::present::labels::Scale;
use crate::session::documents::{Document, Mapped, OpenDocuments};
use crate::session::lines::FileLines;
use crate::session::snapshot::Snapshot;
use crate::session::world::World;
use lsp_types::Url;
use profile::FileId;
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
}

impl Context {
    /// The document at `uri`, if it is open and the profile has costs for it.
    pub fn open_file(&self, uri: &Url) -> Option<OpenFile> {
        let document = self.documents.get(uri)?.clone();
        let snapshot = self.world.snapshot()?.clone();
        let file = snapshot.file_at(&document.path)?;
        let mapped = document.mapped(self.world.revision, &snapshot);
        Some(OpenFile { document, snapshot, file, mapped })
    }

    /// How weights of `snapshot` are worded.
    pub fn scale<'s>(&self, snapshot: &'s Snapshot) -> Scale<'s> {
        Scale { metric: &snapshot.costs.metric, total: snapshot.costs.total, unit: self.world.config.unit }
    }
}

impl OpenFile {
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
