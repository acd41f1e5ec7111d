//! Files that a name relative to the folder of a build can mean: `./src/a.c`, as compilers write with
//! `-ffile-prefix-map=$PWD=.`, or `build/src/a.c` for a build in a folder below the sources.

use std::path::{Path, PathBuf};

use crate::index::SourceIndex;
use crate::name::{Form, Name};
use crate::prefix::n_shared;

/// The limit for the files of one name. More files with the same end tell nothing.
const MAX_FILES: usize = 16;

/// A file that ends like a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndsLike {
    /// Canonical, inside a root.
    pub file: PathBuf,
    /// The folder of the file that corresponds to `recorded`.
    pub folder: PathBuf,
    /// The folder that the name is in, before the end that both have in common: empty for the folder
    /// of the build itself.
    pub recorded: String,
}

/// The files with the longest end in common with a name that is relative to the folder of a build. Empty
/// for other names, and if the index is incomplete. None of these files is certain.
pub fn ends_like(name: &str, index: &SourceIndex) -> Vec<EndsLike> {
    let name = Name::parse(name);
    let is_relative =
        matches!(name.form, Form::Dotted | Form::Relative) && !name.text.contains(':');
    if !is_relative || !index.is_complete() {
        return Vec::new();
    }
    let ends = name.key.match_indices('/').map(|(slash, _)| &name.key[..=slash]);
    let files = ends.map(|end| index.ending_with(end)).take_while(|files| !files.is_empty());
    let files = files.last().unwrap_or_default();
    if files.len() > MAX_FILES {
        return Vec::new();
    }
    let files = files.iter().filter_map(|file| {
        let n_inside = below_root(&file.path, index)?.components().count();
        let n = n_shared(&name.key, &file.key).min(n_inside);
        let folder = file.path.ancestors().nth(n)?.to_owned();
        let recorded = name.split_last(n).0.trim_start_matches("./").trim_matches('.').to_owned();
        Some(EndsLike { file: file.path.clone(), folder, recorded })
    });
    files.collect()
}

fn below_root<'p>(path: &'p Path, index: &SourceIndex) -> Option<&'p Path> {
    path.strip_prefix(&index.roots().get(index.root_of(path)?)?.path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Root, RootKind};
    use crate::listing::Limits;
    use std::fs;

    #[test]
    fn a_name_ends_like_the_files_with_the_longest_common_end() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for file in ["app/src/a.c", "app/lib/src/b.c", "app/lib/b.c", "app/x/c.c", "app/y/c.c"] {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), "").unwrap();
        }
        let root = Root { path: top.join("app"), kind: RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits::default());
        let inside = |path: &Path| path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
        let show = |one: &EndsLike| {
            format!("{} = {}: {}", one.recorded, inside(&one.folder), inside(&one.file))
        };
        for (name, expected) in [
            ("./src/a.c", &[" = app: app/src/a.c"][..]),
            ("./build/../src/a.c", &[" = app: app/src/a.c"]),
            ("../src/a.c", &[" = app: app/src/a.c"]),
            ("build/src/a.c", &["build = app: app/src/a.c"]),
            ("./build/src/a.c", &["build = app: app/src/a.c"]),
            ("./src/b.c", &[" = app/lib: app/lib/src/b.c"]),
            ("out/app/src/a.c", &["out/app = app: app/src/a.c"]),
            ("./a.c", &[" = app/src: app/src/a.c"]),
            ("gen/c.c", &["gen = app/x: app/x/c.c", "gen = app/y: app/y/c.c"]),
            ("./none.c", &[]),
            ("/srv/src/a.c", &[]),
            ("http://h/src/a.c", &[]),
            ("<x>", &[]),
        ] {
            let found: Vec<String> = ends_like(name, &index).iter().map(show).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
