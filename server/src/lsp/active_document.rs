//! `costline/activeDocument`: the client announces the document in front.

use lsp_types::Url;
use serde::Deserialize;

/// The parameters of `costline/activeDocument`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ActiveDocumentParams"))]
#[serde(deny_unknown_fields)]
pub struct ActiveDocument {
    /// The URI of the document.
    pub uri: Url,
}
