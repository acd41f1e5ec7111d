//! `export`: a profile in another format, as text.

use super::fit::MAX_LENGTH;
use super::project::Project;
use super::tool::Query;
use super::view::View;
use answers::{ExportCut as Cut, ExportOptions as Options, ExportTarget as Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `export`.
pub struct Export;

/// What to export.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The format.
    to: Target,
    /// The maximum number of frames of a stack below its root. The cost of deeper ones is kept.
    max_depth: Option<usize>,
}

/// The exported profile.
#[derive(Debug, Serialize)]
pub struct Exported {
    /// The file.
    content: String,
    /// What the format cannot carry.
    lost: Vec<&'static str>,
}

impl Query for Export {
    const NAME: &'static str = "export";
    const DESCRIPTION: &'static str = "Return a profile in another text format, such as folded \
                                       stacks, if it is short; select a part with `transforms` \
                                       and `maxDepth`. No file is \
                                       written.";
    const LIMIT: usize = 1;
    type Arguments = Question;
    type Answer = Exported;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        _: usize,
    ) -> Result<Exported, String> {
        let opened = project.open(view)?;
        let Question { to, max_depth } = *question;
        let options = Options { target: to, compat: None, max_depth, cut: Cut::Fold };
        let written = answers::export(&opened.snapshot, None, options)?;
        let instead = format!("run `costline export` with `-o FILE` to get {}", to.title());
        if written.bytes.len() >= MAX_LENGTH {
            return Err(format!(
                "{} bytes are too long for a response: pass `maxDepth` or `transforms`, or \
                 {instead}",
                written.bytes.len()
            ));
        }
        let content = String::from_utf8(written.bytes)
            .map_err(|_| format!("the format is binary: {instead}"))?;
        Ok(Exported { content, lost: written.lost })
    }
}
