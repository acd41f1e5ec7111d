//! The real binary over real pipes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
#![allow(clippy::format_collect, reason = "the texts are small")]

mod baseline;
mod call_graphs;
mod call_tree;
mod clients;
mod code_actions;
#[cfg(all(feature = "grammars", feature = "symbols"))]
mod command_line;
mod commands;
mod edits;
mod fields;
mod flamegraph;
mod fleet;
#[cfg(feature = "grammars")]
mod function_names;
mod health;
mod hierarchy;
mod hints;
mod hot_line;
mod lifecycle;
mod line_counts;
mod line_tables;
mod mercury;
mod other_profiles;
mod overlay;
mod own_code;
#[cfg(unix)]
mod pipes;
mod progress;
#[cfg(feature = "grammars")]
mod recipes;
mod recorded_texts;
mod reload;
mod roots;
mod runs;
mod settings;
#[cfg(feature = "grammars")]
mod source_functions;
mod source_maps;
mod state;
mod support;
#[cfg(feature = "symbols")]
mod symbols;
mod timeline;
mod transforms;
mod vectors;
mod view;
#[path = "../wire/mod.rs"]
mod wire;
mod workspaces;
