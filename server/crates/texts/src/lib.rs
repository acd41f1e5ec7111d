//! The functions of a text, and maps from the lines of a recorded text to those of an edited one.
//!
//! Opens no file. A text whose parse takes more work than that of hand-written code is parsed in a helper
//! process first (`functions/trial.rs`).
//!
//! ```
//! use texts::{LineMap, Syntax};
//! use std::path::Path;
//!
//! let recorded = "fn main() {\n    run();\n}\n";
//! let open = "// Edited.\nfn main() {\n    run();\n}\n";
//! let syntax = Syntax::of_text(Path::new("main.rs"), open);
//! let map = LineMap::new(recorded, open, syntax);
//! assert_eq!(map.to_open(1), Some(2));
//! ```

mod by_text;
mod functions;
mod lines;
mod mercury;
mod size;

pub use by_text::ByText;
#[cfg(feature = "grammars")]
pub use functions::trial::{WORK, work};
pub use functions::{Arity, Call, Definition, FunctionKind, Functions, Highlight, Language};
pub use lines::{LexedTexts, LineMap, MIN_TOKENS, Syntax, TextWithFunctions, code_tokens};
pub use size::is_plain;
