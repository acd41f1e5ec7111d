//! `costline.pushTransform`: adds a transform.

use super::arguments::{Required, TextOr};
use super::definition::Command;
use crate::lsp::server::Server;
use answers::transforms::parse;
use answers::{TransformData, View, ViewChange as Change};
use tower_lsp::jsonrpc::{Error, Result};

/// The command.
pub struct PushTransform;

impl Command for PushTransform {
    const NAME: &'static str = "costline.pushTransform";
    const DESCRIPTION: &'static str = "Add a transform after the existing ones. A string has the form `KIND:NAME`, as on the command line. \
        Returns the new view, like `costline.view`.";
    type Arguments = (Required<TextOr<TransformData>>,);
    type Answer = View;

    async fn run(server: &Server, (Required(given),): Self::Arguments) -> Result<View> {
        let transform = match given {
            TextOr::Text(text) => parse(&text),
            TextOr::Object(data) => data.transform(),
        };
        let transform = transform
            .map_err(|problem| Error::invalid_params(format!("{}: {problem}", Self::NAME)))?;
        server.choose(Change::Push(transform)).await
    }
}
