//! What is known while the server runs.
//!
//! [`world`] is everything that requests see, [`loader`] the only task that replaces it; [`documents`] are the open texts.

pub mod baseline;
pub mod broken_stacks;
pub mod chosen;
pub mod config;
pub mod debug_info;
pub mod definitions;
pub mod discovery;
pub mod documents;
pub mod libraries;
pub mod lines;
pub mod loader;
pub mod originals;
pub mod progress;
pub mod refresh;
pub mod roots;
pub mod runs;
pub mod snapshot;
pub mod source_functions;
pub mod spoken;
pub mod transforms;
pub mod watch;
pub mod work;
pub mod world;
