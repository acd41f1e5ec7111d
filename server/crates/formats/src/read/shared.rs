//! What several readers share.

pub(crate) mod apple;
pub(crate) mod calls;
pub(crate) mod func_text;
pub(crate) mod id_tree;
pub(crate) mod java;
pub(crate) mod json;
pub(crate) mod line_table;
pub(crate) mod nested;
pub(crate) mod number;
pub(crate) mod rows;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod texts;
