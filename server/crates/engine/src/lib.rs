//! The engine: everything between the bytes of a profile and an answer about costs.
//!
//! It does not depend on the protocol, the async runtime or the terminal. The language server and
//! the command line both load profiles and run queries here, so their numbers are the same.
//!
//! A host indexes the sources, reads the files of a profile, and loads them as a
//! [`Snapshot`](snapshot::Snapshot), which has all costs:
//!
//! ```
//! use engine::load::{Caches, Environment, index_sources, load_with_symbols};
//! use engine::order::sorted_lines;
//! use engine::settings::CostSettings;
//! use engine::stages::loaded::Loaded;
//! use std::ops::ControlFlow;
//!
//! let folder = tempfile::tempdir()?;
//! let source = folder.path().join("app.py");
//! std::fs::write(&source, "def parse():\n    pass\n\nparse()\n")?;
//! let profile = folder.path().join("cpu.folded");
//! std::fs::write(&profile, "main (app.py:4);parse (app.py:2) 3\nmain (app.py:4) 1\n")?;
//!
//! let settings = CostSettings::default();
//! let index = index_sources(&[folder.path().to_owned()], &settings.sources);
//! let caches = Caches::default();
//! let environment = Environment { settings: &settings, index: &index, caches: &caches };
//! let mut go_on = |_| ControlFlow::Continue(());
//! let loaded = Loaded::read(&profile, 1 << 30, &mut go_on)?;
//! let snapshot = load_with_symbols(vec![(loaded, analysis::Thread::default())], environment, &mut go_on)?;
//!
//! // Line 4 is on the stack of all 4 samples, and the leaf of one.
//! let hottest = &sorted_lines(&snapshot)[0];
//! assert_eq!((hottest.line, hottest.cost.self_, hottest.cost.total.exact()), (4, 1.0, Some(4.0)));
//! assert!(snapshot.path_of(hottest.file).is_some_and(|path| path.ends_with("app.py")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The example `hot_lines` is a whole program. It also runs in WebAssembly (`wasm32-wasip1`, without
//! `grammars`).

pub mod absent;
pub mod advice;
pub mod average;
pub mod baseline;
mod broken_stacks;
pub mod catalog;
pub mod companions;
pub mod comparison;
pub mod context;
mod coverage;
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
mod functions_by_key;
mod hashed;
pub mod helper;
mod initializers;
pub mod items;
pub mod kept_baseline;
pub mod kept_runs;
pub mod keys;
pub mod libraries;
pub mod load;
pub mod marks;
pub mod memory;
pub mod named_views;
pub mod node;
pub mod order;
pub mod overlay;
pub mod overrides;
pub mod own_code;
mod own_files;
pub mod path_rules;
pub mod places;
pub mod preference;
pub mod present;
mod private_files;
pub mod profile_total;
pub mod query;
pub mod ranking;
pub mod recipes;
pub mod recorded;
pub mod recorded_texts;
pub mod roots;
mod run_names;
pub mod runs;
mod same_name;
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
pub mod trial;
mod unversioned;
pub mod weight;
pub mod world;
pub mod worlds;
