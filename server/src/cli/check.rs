//! `costline check`: what a profile contains, what it lacks, and how to record it better.

mod facts;
mod text;

#[cfg(test)]
pub use facts::schema;
pub use {facts::Check, text::text};
