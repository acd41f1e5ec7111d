//! The languages whose functions can be found, by file extension.

use std::path::Path;

/// A language whose functions can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Language {
    Rust,
    C,
    Cpp,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Ruby,
    Java,
    CSharp,
    Php,
    Lua,
    R,
    Mercury,
}

impl Language {
    /// In the order of their discriminants.
    pub(super) const ALL: [Language; 15] = {
        use Language::{
            C, CSharp, Cpp, Go, Java, JavaScript, Lua, Mercury, Php, Python, R, Ruby, Rust, Tsx,
            TypeScript,
        };
        [
            Rust, C, Cpp, Python, JavaScript, TypeScript, Tsx, Go, Ruby, Java, CSharp, Php, Lua, R,
            Mercury,
        ]
    };

    /// The language by the file's extension. A `.h` counts as C++, whose grammar parses nearly all
    /// of C. A `.m` may be Mercury; [`Functions::parse`](super::Functions::parse) decides by its
    /// content.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        Some(match extension {
            "rs" => Language::Rust,
            "c" => Language::C,
            "C" | "cc" | "cpp" | "cxx" | "c++" | "h" | "H" | "hh" | "hpp" | "hxx" | "h++"
            | "inl" | "ipp" | "tpp" => Language::Cpp,
            "py" | "pyi" | "pyw" => Language::Python,
            "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "go" => Language::Go,
            "rb" | "rake" | "gemspec" | "ru" => Language::Ruby,
            "java" => Language::Java,
            "cs" => Language::CSharp,
            "php" | "phtml" => Language::Php,
            "lua" => Language::Lua,
            "R" | "r" => Language::R,
            "m" => Language::Mercury,
            _ => return None,
        })
    }

    /// Whether the start line in profiles may be below the line on which a definition starts. In
    /// Mercury it is the line of the `:-` or `=` after the head, and each mode of a predicate may
    /// have clauses of its own.
    pub fn may_start_below_head(self) -> bool {
        self == Language::Mercury
    }

    /// Whether functions start on the line of their first decorator in profiles, not on that of their
    /// name.
    pub fn starts_at_decorator(self) -> bool {
        self == Language::Python
    }

    /// Whether a compiler turns its functions into machine code. Profilers then may not know which
    /// lines of a function are inlined from others.
    pub fn is_compiled(self) -> bool {
        matches!(
            self,
            Language::Rust | Language::C | Language::Cpp | Language::Go | Language::Mercury
        )
    }

    /// Whether its compiler copies the closures of a closure that it inlines, and numbers the copies.
    pub fn copies_closures(self) -> bool {
        self == Language::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_extensions() {
        let of = |extensions: &str| -> Vec<Option<Language>> {
            let path = |extension| Path::new("dir.x/a").with_extension(extension);
            extensions.split(' ').map(|it| Language::of_path(&path(it))).collect()
        };
        for (language, extensions) in [
            (Language::Rust, "rs"),
            (Language::C, "c"),
            (Language::Cpp, "C cc cpp cxx c++ h H hh hpp hxx h++ inl ipp tpp"),
            (Language::Python, "py pyi pyw"),
            (Language::JavaScript, "js mjs cjs jsx"),
            (Language::TypeScript, "ts mts cts"),
            (Language::Tsx, "tsx"),
            (Language::Go, "go"),
            (Language::Ruby, "rb rake gemspec ru"),
            (Language::Java, "java"),
            (Language::CSharp, "cs"),
            (Language::Php, "php phtml"),
            (Language::Lua, "lua"),
            (Language::R, "R r"),
            (Language::Mercury, "m"),
        ] {
            assert!(of(extensions).iter().all(|it| *it == Some(language)), "{extensions}");
        }
        assert!(of("txt RS rs2").iter().all(Option::is_none));
        assert_eq!(Language::of_path(Path::new("rs")), None);
    }
}
