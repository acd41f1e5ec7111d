//! Which funcs of a recording are one function, what it is called, and whose code it is.

pub(crate) mod definitions;
pub(crate) mod divided;
pub(crate) mod file;
pub(crate) mod function_name;
pub(crate) mod functions_by_key;
pub(crate) mod initializers;
pub(crate) mod own_files;
pub(crate) mod source_functions;
pub(crate) mod unversioned;
