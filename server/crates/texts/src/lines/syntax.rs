//! What the lexer has to know about a language.

use std::path::Path;

use crate::mercury::is_mercury;
use crate::size::is_plain;

/// How texts in a language are divided into tokens and statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// An unknown language: statements end at line ends, and there are no comments.
    #[default]
    Unknown,
    /// None: each line is a statement and a token. For texts that are plain ([`crate::is_plain`]).
    Lines,
    /// C, C++, Java, C#, Zig: statements end at semicolons and braces.
    C,
    /// Like C, but with lifetimes, raw strings and nested comments.
    Rust,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Go, Kotlin, Swift: like C, but statements also end at line ends.
    Go,
    /// PHP.
    Php,
    /// Python: indentation instead of braces.
    Python,
    /// Ruby, Perl, Elixir and shells: `#` starts a comment.
    Ruby,
    /// Lua.
    Lua,
    /// R: like Ruby, but with parentheses after `if`, and regular expressions are strings.
    R,
    /// Mercury: `%` starts a comment, and each line is a statement unless it is in brackets.
    Mercury,
}

impl Syntax {
    /// The syntax by the file's extension, and for `.m` by its text: Mercury, or else Objective-C. None
    /// for a plain text.
    pub fn of_text(path: &Path, text: &str) -> Self {
        if is_plain(text) {
            return Self::Lines;
        }
        let is_m = path.extension().is_some_and(|extension| extension == "m");
        if is_m && is_mercury(text) { Self::Mercury } else { Self::of_path(path) }
    }

    /// The syntax by the file's extension.
    pub fn of_path(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
            "c" | "C" | "cc" | "cpp" | "cxx" | "c++" | "h" | "H" | "hh" | "hpp" | "hxx" | "h++"
            | "inl" | "ipp" | "tpp" | "cu" | "m" | "mm" | "java" | "cs" | "zig" | "d" => Self::C,
            "rs" => Self::Rust,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::JavaScript,
            "go" | "kt" | "kts" | "swift" | "scala" | "dart" => Self::Go,
            "php" => Self::Php,
            "py" | "pyi" | "pyw" => Self::Python,
            "rb" | "rake" | "gemspec" | "ru" => Self::Ruby,
            "lua" => Self::Lua,
            "R" | "r" => Self::R,
            _ => Self::Unknown,
        }
    }

    /// The syntax to compare with a text: none if that is plain.
    pub(super) fn with(self, open: &str) -> Self {
        if is_plain(open) { Self::Lines } else { self }
    }

    /// Whether `#` starts a comment.
    pub(super) fn has_hash_comments(self) -> bool {
        matches!(self, Self::Python | Self::Ruby | Self::Php | Self::R)
    }

    /// Whether `%` starts a comment.
    pub(super) fn has_percent_comments(self) -> bool {
        self == Self::Mercury
    }

    /// Whether `//` and `/*` start comments.
    pub(super) fn has_slash_comments(self) -> bool {
        matches!(self, Self::C | Self::Rust | Self::JavaScript | Self::Go | Self::Php)
    }

    /// Whether a line end can end a statement.
    pub(super) fn ends_at_newline(self) -> bool {
        !matches!(self, Self::C | Self::Rust | Self::Php)
    }

    /// Whether `{` and `}` are around statements.
    pub(super) fn has_blocks(self) -> bool {
        !matches!(self, Self::Python | Self::Mercury | Self::Lines)
    }

    /// Whether `if (…)`, `for (…)` and `while (…)` have parentheses, so that a statement without
    /// braces can follow.
    pub(super) fn has_headers(self) -> bool {
        matches!(self, Self::C | Self::JavaScript | Self::Php | Self::R)
    }

    /// Whether formatters change the quotes of strings.
    pub(super) fn has_equal_quotes(self) -> bool {
        matches!(
            self,
            Self::JavaScript | Self::Python | Self::Ruby | Self::Php | Self::Lua | Self::R
        )
    }
}
