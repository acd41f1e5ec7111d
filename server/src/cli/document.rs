//! Sources as they are on disk, as documents for queries.

use engine::text::{Encoding, Text};
use engine::world::World;
use engine::world::context::Context;
use engine::world::document::Document;
use lsp_types::Url;
use sources::SourceIndex;
use sources::regular_file::{self, MAX_SOURCE};
use std::path::Path;
use std::sync::Arc;

/// Opens a file of the project. The error is a message for users.
pub(super) fn open(
    world: &Arc<World>,
    index: &SourceIndex,
    path: &Path,
) -> Result<(Context, Arc<Document>), String> {
    let fail = |why: &str| format!("{}: {why}", path.display());
    let canonical = index.canonical(path).ok_or_else(|| fail("no file of the project"))?;
    let bytes =
        regular_file::read(&canonical, MAX_SOURCE).map_err(|error| fail(&error.to_string()))?;
    let text = Text::new(String::from_utf8_lossy(&bytes), Encoding::Utf16);
    let uri = Url::from_file_path(&canonical).map_err(|()| fail("has no URI"))?;
    let document = Arc::new(Document::new(uri, canonical, 0, text));
    let documents = [document.clone()].into_iter().collect();
    Ok((Context { world: world.clone(), documents }, document))
}
