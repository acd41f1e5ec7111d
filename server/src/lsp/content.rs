//! `costline/textDocumentContent`: the text of a `costline:` document, which shows a function
//! without a source.

use answers::{Context, Key, function_details};
use lsp_types::Url;
use serde::{Deserialize, Serialize};

/// The parameters of `costline/textDocumentContent`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TextDocumentContentParams"))]
#[serde(deny_unknown_fields)]
pub struct ContentParams {
    /// The URI of the document.
    pub uri: Url,
}

/// A `costline:` document.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TextDocumentContent"))]
pub struct Content {
    /// The text of the document.
    pub text: String,
    /// Whether the profile shown has the function. If not, the text says so.
    pub found: bool,
}

/// The text of a document.
pub fn content(context: &Context, params: &ContentParams) -> Content {
    let snapshot = context.world.snapshot();
    let key = Key::from_uri(&params.uri).map(|(key, _)| key);
    let function = snapshot.zip(key.as_ref()).and_then(|(snapshot, key)| key.function(snapshot));
    let text = match (snapshot, function, key) {
        (Some(snapshot), Some(function), _) => {
            function_details(context, snapshot, function).plain()
        }
        (_, _, Some(key)) => {
            format!("{}\nThe current profile does not contain this function.\n", key.name)
        }
        (_, _, None) => "This URI is not a Costline document.\n".to_owned(),
    };
    Content { text, found: function.is_some() }
}
