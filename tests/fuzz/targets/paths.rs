//! File names of profiles, and source maps: nothing outside of the roots is found.

use super::input::Input;
use sources::{
    Limits, Mapping, Root, RootKind, Rule, SourceIndex, SourceMap, library_paths, map_paths,
    rule_for,
};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// A folder with a workspace and a file outside of it.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for file in ["w/src/app.js", "w/src/lib/app.js", "w/a b/ü.py", "w/Cargo.toml", "out/secret.js"]
    {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "a\nb\nc\n").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("../out", folder.path().join("w/link")).unwrap();
    folder
});

/// Maps names, with rules, and reads a source map.
pub fn paths(data: &[u8]) {
    let workspace = FOLDER.path().join("w").canonicalize().unwrap();
    let mut input = Input(data);
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    let rules: Vec<Rule> = (0..input.below(3))
        .map(|_| Rule { from: text(input.part()), to: text(input.part()) })
        .collect();
    let mut names: Vec<String> = Vec::new();
    while !input.is_empty() && names.len() < 16 {
        // `\x01` stands for the folder around the workspace.
        let above = FOLDER.path().to_str().unwrap();
        names.push(text(input.part()).replace('\u{1}', above));
    }
    let root = Root { path: workspace.clone(), kind: RootKind::Workspace };
    let index = SourceIndex::build(vec![root], Limits::default());
    let mappings = map_paths(names.iter().map(String::as_str), &index, &rules, Some(&workspace));
    assert_eq!(mappings.len(), names.len());
    for (name, mapping) in names.iter().zip(&mappings) {
        if let Mapping::Mapped { path, .. } = mapping {
            assert!(path.starts_with(&workspace), "{name} is mapped to {}", path.display());
            assert!(path.is_file(), "{name}");
        }
        for path in library_paths(name, std::slice::from_ref(&workspace), &rules) {
            let is_inside = path.starts_with(&workspace);
            assert!(is_inside || path == Path::new(name), "{name}: {}", path.display());
        }
        for file in ["src/app.js", "a b/ü.py"] {
            let _ = rule_for(name, &workspace.join(file), &index);
        }
    }
    source_map(data, &workspace, &index);
}

fn source_map(data: &[u8], workspace: &Path, index: &SourceIndex) {
    let generated = workspace.join("bundle.js");
    fs::write(&generated, "f();g();h();\n//# sourceMappingURL=bundle.js.map\n").unwrap();
    fs::write(workspace.join("bundle.js.map"), data).unwrap();
    if let Ok(Some(map)) = SourceMap::of(&generated, "bundle.js", index) {
        for (line, column) in [(1, 1), (1, 5), (2, 1), (u32::MAX, u32::MAX), (0, 0)] {
            let _ = (map.start(line, column), map.executing(line, column));
            let _ = map.could_start_at(line, column);
        }
        for original in map.originals() {
            let path = original.path.as_deref();
            assert!(path.is_none_or(|path| path.starts_with(workspace)), "{path:?}");
        }
    }
    fs::remove_file(workspace.join("bundle.js.map")).unwrap();
    fs::remove_file(generated).unwrap();
}
