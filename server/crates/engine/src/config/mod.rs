//! Settings, and what the user chose instead.

pub mod absent;
pub mod choices;
pub mod given;
pub mod json;
pub mod named_views;
pub mod node;
pub mod overrides;
pub mod paths;
pub mod saved_views;
pub mod settings;
pub mod state;
pub mod transforms;
