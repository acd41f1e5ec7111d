//! The documents that are open in the editor.
//!
//! Messages about them are handled in order, so nothing here reads the disk. The links in the path of
//! a document are resolved on another thread, because the disk may be a network mount that does not
//! answer. Requests about the document wait for that, but not for long.

use super::from_proto;
use answers::document::path_of;
use answers::{Document, Encoding, OpenDocuments, Text};
use dashmap::DashMap;
use lsp_types::{TextDocumentContentChangeEvent, Url};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long requests wait for the canonical path of their document.
const DEADLINE: Duration = Duration::from_secs(1);

/// The open documents.
#[derive(Debug, Default)]
pub struct Documents {
    by_uri: DashMap<Url, Arc<Document>>,
    /// The documents whose path is being resolved.
    unresolved: watch::Sender<HashSet<Url>>,
}

impl Documents {
    /// The documents that are open at this moment.
    pub fn now(&self) -> OpenDocuments {
        self.by_uri.iter().map(|document| document.value().clone()).collect()
    }

    /// `textDocument/didOpen`. [`Self::resolve`] must follow. Documents that are not files are
    /// ignored, because only files have costs.
    pub fn open(&self, uri: Url, version: i32, text: &str, encoding: Encoding) {
        let Some(path) = path_of(&uri) else { return };
        self.unresolved.send_modify(|unresolved| {
            unresolved.insert(uri.clone());
        });
        let document = Document::new(uri.clone(), path, version, Text::new(text, encoding));
        self.by_uri.insert(uri, Arc::new(document));
    }

    /// Resolves the links in the path of a document. Returns the path before and after if they
    /// differ. The disk may not answer.
    pub fn resolve(&self, uri: &Url) -> Option<(PathBuf, PathBuf)> {
        let given = self.by_uri.get(uri).map(|document| document.path.clone());
        let canonical = given.as_ref().and_then(|path| path.canonicalize().ok());
        let differ = given.zip(canonical).filter(|(given, canonical)| given != canonical);
        if let Some((given, canonical)) = &differ
            && let Some(mut document) = self.by_uri.get_mut(uri)
            && document.path == *given
        {
            let moved = document.moved(canonical.clone());
            *document = Arc::new(moved);
        }
        self.unresolved.send_modify(|unresolved| {
            unresolved.remove(uri);
        });
        differ
    }

    /// Waits until the path of a document is canonical, for [`DEADLINE`] at most. If it is, this does
    /// not even yield, because changes that arrive meanwhile would overtake the request.
    pub async fn resolved(&self, uri: &Url) {
        if !self.unresolved.borrow().contains(uri) {
            return;
        }
        let mut unresolved = self.unresolved.subscribe();
        let resolved = unresolved.wait_for(|unresolved| !unresolved.contains(uri));
        let _ = tokio::time::timeout(DEADLINE, resolved).await;
    }

    /// `textDocument/didChange`.
    pub fn change(&self, uri: &Url, version: i32, changes: &[TextDocumentContentChangeEvent]) {
        let Some(mut document) = self.by_uri.get_mut(uri) else { return };
        if let Some(new) = document.edited(version, changes.iter().map(from_proto::edit)) {
            *document = Arc::new(new);
        }
    }

    /// `textDocument/didClose`.
    pub fn close(&self, uri: &Url) {
        self.by_uri.remove(uri);
    }
}
