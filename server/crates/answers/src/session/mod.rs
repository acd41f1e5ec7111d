//! What is kept of the view for the next session, and shown of it.

pub(crate) mod marks;
pub(crate) mod named_views;
pub(crate) mod saved_views;
pub(crate) mod state;
