//! The documents that are open in the editor.

use super::from_proto;
use dashmap::DashMap;
use engine::document::{Document, OpenDocuments};
use engine::text::{Encoding, Text};
use lsp_types::{TextDocumentContentChangeEvent, Url};
use std::sync::Arc;

/// The open documents.
#[derive(Debug, Default)]
pub struct Documents {
    by_uri: DashMap<Url, Arc<Document>>,
}

impl Documents {
    /// The documents that are open at this moment.
    pub fn now(&self) -> OpenDocuments {
        self.by_uri.iter().map(|document| document.value().clone()).collect()
    }

    /// `textDocument/didOpen`. Documents that are not files are ignored, because only files have
    /// costs.
    pub fn open(&self, uri: Url, version: i32, text: &str, encoding: Encoding) {
        let Ok(path) = uri.to_file_path() else { return };
        let path = path.canonicalize().unwrap_or(path);
        let document = Document::new(uri.clone(), path, version, Text::new(text, encoding));
        self.by_uri.insert(uri, Arc::new(document));
    }

    /// `textDocument/didChange`.
    pub fn change(&self, uri: &Url, version: i32, changes: &[TextDocumentContentChangeEvent]) {
        let Some(old) = self.by_uri.get(uri).map(|document| document.value().clone()) else {
            return;
        };
        if let Some(new) = old.edited(version, changes.iter().map(from_proto::edit)) {
            self.by_uri.insert(uri.clone(), Arc::new(new));
        }
    }

    /// `textDocument/didClose`.
    pub fn close(&self, uri: &Url) {
        self.by_uri.remove(uri);
    }
}
