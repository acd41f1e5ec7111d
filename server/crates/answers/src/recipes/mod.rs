//! Recipes: the commands that record a profile of the programs, tests and benchmarks that a document
//! contains. They are found in its text and in the manifests of its project. Running them is up to
//! the user.

pub(crate) mod cargo;
pub(crate) mod cmake;
pub(crate) mod entry;
pub(crate) mod go;
pub(crate) mod node;
pub(crate) mod profiler;
pub(crate) mod python;
pub(crate) mod source;

pub use entry::Entry;
pub use source::Source;

/// What can be recorded in a document, in the order of the text.
pub fn entries(source: &Source) -> Vec<Entry> {
    let extension = source.path.extension().and_then(|extension| extension.to_str());
    let mut entries = match extension.unwrap_or_default() {
        "rs" => cargo::entries(source),
        "go" => go::entries(source),
        "py" => python::entries(source),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => node::entries(source),
        "c" | "cc" | "cpp" | "cxx" => cmake::entries(source),
        _ => Vec::new(),
    };
    entries.sort_by_key(|entry| entry.line0);
    entries
}

#[cfg(test)]
#[cfg(feature = "grammars")]
mod tests;
