//! `explain`: why a line has its cost, or none.

use super::project::Project;
use super::tool::Query;
use super::view::View;
use crate::cli::document;
use answers::{Explanation, explain};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// `explain`.
pub struct ExplainLine;

/// The line to explain.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// The file, relative to the project's folder.
    file: PathBuf,
    /// The line, 1-based.
    line: u32,
}

impl Query for ExplainLine {
    const NAME: &'static str = "explain";
    const DESCRIPTION: &'static str = "Explain the cost of a line, or why it has none: the file \
                                       was not matched, the profile has no lines, the line was \
                                       edited, and so on.";
    const LIMIT: usize = 1;
    type Arguments = Question;
    type Answer = Explanation;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        _: usize,
    ) -> Result<Explanation, String> {
        let opened = project.open(view)?;
        let (context, document) =
            document::open(&opened.context.world, &opened.index, &project.path(&question.file))?;
        let line = question.line.checked_sub(1).ok_or("line: the first line is 1")?;
        Ok(explain(&context, &answers::ExplainQuestion { uri: document.uri.clone(), line }))
    }
}
