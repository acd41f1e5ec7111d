//! The rule that maps a name to a given file.

use std::path::Path;

use crate::index::SourceIndex;
use crate::listing::file_key;
use crate::name::{Form, Name};
use crate::prefix::n_shared;
use crate::rule::Rule;

/// The rule that maps the folder of a name to the folder of `file`, a canonical path in a root.
/// The folders are as short as the common end of both paths permits. `None` for what is not the
/// name of a file, and for files outside the roots.
///
/// [`Rule::to`] is relative if there is only one root.
pub fn rule_for(name: &str, file: &Path, index: &SourceIndex) -> Option<Rule> {
    let name = Name::parse(name);
    if matches!(name.form, Form::NoFile) || name.text.is_empty() {
        return None;
    }
    let root = &index.roots().get(index.root_of(file)?)?.path;
    let inside = file.strip_prefix(root).ok()?;
    let n_common = n_shared(&name.key, &file_key(file)).min(inside.components().count());
    // A rule for `/` or `C:` would apply to all names.
    let is_folder = |from: &str| !matches!(from, "" | ".") && !from.ends_with(['/', ':']);
    let (n_common, from) = (1..=n_common)
        .rev()
        .map(|n| (n, name.split_last(n).0))
        .find(|(_, from)| is_folder(from))
        .unwrap_or((0, &name.text));
    let folder = inside.ancestors().nth(n_common)?;
    let to = match index.roots() {
        [_] if folder.as_os_str().is_empty() => ".".to_owned(),
        [_] => folder.to_string_lossy().replace('\\', "/"),
        _ => index.as_given(&root.join(folder)).to_string_lossy().into_owned(),
    };
    Some(Rule { from: from.to_owned(), to })
}
