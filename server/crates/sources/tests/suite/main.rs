//! Paths, links and source maps of made and real workspaces.

#[path = "../../../../../tests/skip.rs"]
mod skip;

mod mapping;
mod rust_sources;
mod source_maps;
mod worlds;
