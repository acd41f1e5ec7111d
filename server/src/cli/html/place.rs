//! Places as the page names them.

use answers::text::one_line;
use answers::{Context, PlaceFields};

/// A place with the folder of its file, which tells files of one name apart: `app/main.py:12`.
pub(super) fn text(context: &Context, place: &PlaceFields) -> String {
    let text = place.current_text();
    let in_folder = || {
        let path = place.uri.as_ref()?.to_file_path().ok()?;
        let (index, folder) = (context.world.index.as_ref()?, path.parent()?);
        let inside = index.inside_root(folder)?;
        let folder = if index.roots().len() == 1 { inside } else { folder };
        Some(one_line(&folder.join(&text).display().to_string()).into_owned())
    };
    in_folder().unwrap_or(text)
}
