//! Sources as they are on disk, as documents for queries.

use answers::regular_file::MAX_SOURCE;
use answers::{
    Context, Document, Encoding, OpenFile, Origin, SourceIndex, Text, World, regular_file,
};
use lsp_types::Url;
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
    // The text that the load has read.
    let read = world.snapshot().and_then(|shown| shown.texts().now(&canonical));
    let text = match read {
        Some(text) => text,
        None => regular_file::read(&canonical, MAX_SOURCE)
            .map(|bytes| String::from_utf8_lossy(&bytes).into())
            .map_err(|error| fail(&error.to_string()))?,
    };
    let text = Text::new(text, Encoding::Utf16);
    let uri = Url::from_file_path(&canonical).map_err(|()| fail("has no URI"))?;
    let document = Arc::new(Document::new(uri, canonical, 0, text));
    let documents = [document.clone()].into_iter().collect();
    Ok((Context { world: world.clone(), documents }, document))
}

/// What to say about costs in a document whose text is not, or may not be, the recorded one.
pub(super) fn note(open: &OpenFile) -> Option<String> {
    let recorded = open.snapshot.texts().get(&open.document.path);
    let origin = recorded.map_or(Origin::Guess, |recorded| recorded.origin);
    let lines = open.lines();
    let is_doubtful =
        || lines.costs(0..u32::MAX).iter().any(|&(line0, _)| lines.is_doubtful(line0));
    if let Some(doubt) = origin.doubt().filter(|_| is_doubtful()) {
        return Some(format!("{doubt}: lines marked with ~ may have moved"));
    }
    let is_edited = recorded.is_some_and(|it| *it.text != *open.document.text.as_str());
    is_edited
        .then(|| "edited since the profile was recorded: changed lines have no cost".to_owned())
}
