//! Paths and globs in settings that name nothing that exists: the setting has no effect.

use crate::config::paths::{in_first, is_outside};
use crate::config::settings::Settings;
use sources::{Root, RootKind};
use std::path::PathBuf;

/// A message for each path in the settings that does not exist, and for each glob that can only match
/// files outside the workspace. Reads the disk.
pub fn absent(settings: &Settings, workspace: &[PathBuf]) -> Vec<String> {
    let home = std::env::home_dir();
    let home = home.as_deref();
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
    let missing = all.map(|(key, path)| format!("costline.{key}: {path} does not exist"));
    let profiles = settings.profiles.iter().flatten().map(|glob| ("profiles", glob));
    let excluded = settings.exclude.iter().map(|glob| ("exclude", glob));
    let outside = profiles.chain(excluded).filter(|(_, glob)| is_outside(glob, workspace, home));
    let outside = outside.map(|(key, glob)| {
        format!("costline.{key}: {glob} is outside the workspace folders and matches nothing")
    });
    missing.chain(outside).collect()
}
