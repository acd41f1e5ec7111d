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
//! use engine::ranking::order::sorted_lines;
//! use engine::config::settings::CostSettings;
//! use engine::load::stages::loaded::Loaded;
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

pub mod advice;
pub mod compare;
pub mod config;
pub mod discovery;
pub mod export;
pub mod functions;
pub mod items;
pub mod load;
pub mod present;
pub mod query;
pub mod ranking;
pub mod recipes;
pub mod recorded_texts;
pub mod snapshot;
pub mod text;
pub mod world;
