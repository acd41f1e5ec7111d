//! What is fuzzed: functions of any bytes, which panic if something is wrong.
//!
//! `main.rs` runs them on mutated fixtures.

mod documents;
mod guard;
mod input;
#[path = "../../corpus/numbers.rs"]
mod numbers;
mod paths;
pub mod profiles;
mod readers;
mod symbols;
mod tree;
mod view;

pub use documents::{functions, lines};
pub use guard::messages;
pub use paths::paths;
pub use profiles::exports;
pub use readers::readers;
pub use symbols::symbols;
pub use view::views;
