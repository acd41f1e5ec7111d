//! Settings, and what the user chose instead.

pub(crate) mod absent;
pub(crate) mod choices;
pub(crate) mod given;
pub(crate) mod node;
pub(crate) mod overrides;
pub(crate) mod transforms;
