//! Which funcs of a recording are one function, what it is called, and whose code it is.

pub mod definitions;
pub(crate) mod divided;
pub(crate) mod file;
pub mod function_name;
pub(crate) mod functions_by_key;
pub(crate) mod initializers;
pub mod own_code;
pub mod own_files;
pub mod recorded;
pub(crate) mod same_name;
pub mod source_functions;
pub(crate) mod unversioned;
