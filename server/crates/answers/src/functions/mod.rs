//! What is said of functions: whose code they are, and which of them share a name.

pub(crate) mod own_code;
pub(crate) mod recorded;
pub(crate) mod same_name;
