//! Paths and globs in settings that name nothing that exists: the setting has no effect.

use loading::paths::in_first;
use loading::{Settings, is_outside};
use sources::{Root, RootKind};
use std::path::{Path, PathBuf};

/// A message for each path in the settings that does not exist, and for each glob that can only match
/// files outside the workspace. Reads the disk.
pub fn absent(settings: &Settings, workspace: &[PathBuf]) -> Vec<String> {
    let home = std::env::home_dir();
    let mut absent = missing_paths(settings, workspace, home.as_deref());
    absent.extend(outside_globs(settings, workspace, home.as_deref()));
    absent
}

fn missing_paths(settings: &Settings, workspace: &[PathBuf], home: Option<&Path>) -> Vec<String> {
    let workspace_root = |path: &PathBuf| Root { path: path.clone(), kind: RootKind::Workspace };
    let roots: Vec<Root> = workspace.iter().map(workspace_root).collect();
    let rules = settings.costs().sources.rules(&roots, home);
    let mappings = settings.path_mappings.iter().zip(&rules).filter_map(|(mapping, rule)| {
        // A relative folder may be in any workspace folder.
        let exists = roots.iter().any(|root| root.path.join(&rule.to).exists());
        (!exists).then_some(("pathMappings", &mapping.to))
    });
    let sources = settings.source_roots.iter().map(|path| ("sourceRoots", path));
    let symbols = settings.symbols.paths.iter().map(|path| ("symbols.paths", path));
    let others =
        sources.chain(symbols).filter(|(_, path)| !in_first(path, workspace, home).exists());
    let all = mappings.chain(others);
    all.map(|(key, path)| format!("costline.{key}: {path} does not exist")).collect()
}

fn outside_globs(settings: &Settings, workspace: &[PathBuf], home: Option<&Path>) -> Vec<String> {
    let sources = settings.costs().sources.roots(workspace);
    let sources: Vec<PathBuf> = sources.into_iter().map(|root| root.path).collect();
    let profiles = settings.profiles.iter().flatten().map(|glob| ("profiles", glob, workspace));
    let excluded = settings.exclude.iter().map(|glob| ("exclude", glob, sources.as_slice()));
    let outside = profiles.chain(excluded).filter(|(_, glob, roots)| is_outside(glob, roots, home));
    outside
        .map(|(key, glob, _)| {
            format!("costline.{key}: {glob} is outside the workspace folders and matches nothing")
        })
        .collect()
}
