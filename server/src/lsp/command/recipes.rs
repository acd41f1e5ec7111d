//! `costline.recipes`: how to record profiles of what a document contains.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::Server;
use answers::{Recipe, RecipesQuestion as Question, recipes};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListRecipes;

impl Command for ListRecipes {
    const NAME: &'static str = "costline.recipes";
    const DESCRIPTION: &'static str = "List the programs, tests and benchmarks of a document, each with the commands that record a \
        profile of it. Nothing is run.";
    type Arguments = (Required<Question>,);
    type Answer = Vec<Recipe>;

    async fn run(
        server: &Server,
        (Required(question),): (Required<Question>,),
    ) -> Result<Vec<Recipe>> {
        let uri = question.uri;
        let asked = uri.clone();
        server.read_document(&asked, move |context| recipes(context, &uri)).await
    }
}
