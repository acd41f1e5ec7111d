//! Settings, and what the user chose instead.

pub(crate) mod absent;
pub(crate) mod baseline;
pub(crate) mod checks;
pub(crate) mod choices;
pub(crate) mod given;
pub(crate) mod node;
pub(crate) mod options;
pub(crate) mod overrides;
pub(crate) mod transforms;
