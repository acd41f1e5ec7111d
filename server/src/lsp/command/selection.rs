//! `costline.selection`: what selected lines cost, and who calls them.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::Server;
use answers::{Selection, SelectionQuestion as Question};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ShowSelection;

impl Command for ShowSelection {
    const NAME: &'static str = "costline.selection";
    const DESCRIPTION: &'static str = "Return the cost of selected lines of an open document, \
                                       together (a sample on several of them counts once) and of \
                                       each line, and the callers of the functions on them. Null \
                                       if none of the lines has a cost.";
    type Arguments = (Required<Question>,);
    type Answer = Option<Selection>;

    async fn run(
        server: &Server,
        (Required(question),): (Required<Question>,),
    ) -> Result<Option<Selection>> {
        let uri = question.uri.clone();
        server.read_document(&uri, move |context| answers::selection(context, &question)).await
    }
}
