//! `costline.explain`: explains the cost of a line.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::Server;
use answers::{ExplainQuestion as Question, Explanation};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ExplainLine;

impl Command for ExplainLine {
    const NAME: &'static str = "costline.explain";
    const DESCRIPTION: &'static str = "Explain why a line shows its cost, or why it shows none.";
    type Arguments = (Required<Question>,);
    type Answer = Explanation;

    async fn run(
        server: &Server,
        (Required(question),): (Required<Question>,),
    ) -> Result<Explanation> {
        let uri = question.uri.clone();
        server.read_document(&uri, move |context| answers::explain(context, &question)).await
    }
}
