//! What is known while the server runs.

pub mod config;
pub mod lines;
pub mod roots;
pub mod snapshot;
