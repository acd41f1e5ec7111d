//! The engine: everything between the bytes of a profile and an answer about costs.
//!
//! It does not depend on the protocol, the async runtime or the terminal. The language server and
//! the command line both load profiles and run queries here, so their numbers are the same.

pub mod baseline;
mod broken_stacks;
pub mod catalog;
pub mod companions;
pub mod comparison;
pub mod context;
pub mod debug_info;
pub mod definitions;
pub mod diff;
pub mod discovery;
mod divided;
pub mod document;
pub mod earlier_paths;
pub mod export;
pub mod fields;
pub mod file_lines;
pub mod function_name;
mod initializers;
pub mod items;
pub mod kept_runs;
pub mod keys;
pub mod libraries;
pub mod load;
pub mod marks;
pub mod node;
pub mod order;
pub mod overrides;
pub mod own_code;
pub mod path_rules;
pub mod places;
pub mod present;
mod private_files;
pub mod query;
pub mod ranking;
pub mod recorded;
pub mod recorded_texts;
pub mod roots;
mod run_names;
pub mod runs;
pub mod same_nodes;
pub mod sampling;
pub mod saved_views;
pub mod settings;
pub mod snapshot;
pub mod source_functions;
pub mod source_maps;
pub mod stages;
pub mod stamp;
pub mod state;
pub mod text;
pub mod transforms;
pub mod weight;
pub mod world;
pub mod worlds;
