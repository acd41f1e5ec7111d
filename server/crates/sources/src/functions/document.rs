//! One text with its syntax tree and its functions: parsed, parsed again after an edit, asked.

use std::iter::successors;
use std::path::Path;
use std::sync::Arc;

use tree_sitter::Tree;

use super::grammar::Roles;
use super::{Call, Definition, calls, tree, walk};

/// A language whose functions can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "languages are known by their names")]
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
}

impl Language {
    #[cfg(test)]
    pub(super) const ALL: [Language; 13] = {
        use Language::{C, CSharp, Cpp, Go, Java, JavaScript, Lua, Php, Python, Ruby, Rust, Tsx, TypeScript};
        [Rust, C, Cpp, Python, JavaScript, TypeScript, Tsx, Go, Ruby, Java, CSharp, Php, Lua]
    };

    /// By the file's extension. A `.h` is taken for C++, which reads nearly all of C, while C reads no C++.
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        Some(match extension {
            "rs" => Language::Rust,
            "c" => Language::C,
            "C" | "cc" | "cpp" | "cxx" | "c++" | "h" | "H" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" => {
                Language::Cpp
            }
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
            _ => return None,
        })
    }
}

/// The functions of one text, and the tree they were found in.
#[derive(Debug, Clone)]
pub struct Functions {
    language: Language,
    text: Arc<str>,
    tree: Tree,
    /// In the order of the text, outer before inner.
    definitions: Vec<Definition>,
}

impl Functions {
    /// `None` for a text longer than 8 MiB, and for one that takes more work than any text a person writes.
    pub fn parse(language: Language, text: impl Into<Arc<str>>) -> Option<Functions> {
        let text = text.into();
        let tree = tree::parse(language, &text, None)?;
        Some(Functions::found(language, text, tree))
    }

    /// The functions of the text that this one has become; only what the edit touches is parsed again, unless syntax is broken:
    /// how the parser recovers depends on what it has seen before, and the functions of a text must not. `None` as for
    /// [`Functions::parse`].
    pub fn edited(&self, text: impl Into<Arc<str>>) -> Option<Functions> {
        let text = text.into();
        let old = tree::moved(&self.tree, &self.text, &text);
        match tree::parse(self.language, &text, Some(&old)) {
            Some(tree) if !tree.root_node().has_error() => Some(Functions::found(self.language, text, tree)),
            _ => Functions::parse(self.language, text),
        }
    }

    fn found(language: Language, text: Arc<str>, tree: Tree) -> Functions {
        let definitions = walk::definitions(&tree, &text, &Roles::new(language));
        Functions { language, text, tree, definitions }
    }

    /// All functions in the order of the text, outer before inner.
    pub fn all(&self) -> &[Definition] {
        &self.definitions
    }

    /// The innermost function around a byte.
    pub fn at_byte(&self, byte: usize) -> Option<&Definition> {
        let n_before = self.definitions.partition_point(|definition| definition.bytes.start <= byte);
        self.outwards(n_before).find(|definition| definition.bytes.contains(&byte))
    }

    /// The innermost function that a line is in. A closure without name does not own the line it starts on: that is the line of
    /// the function that passes it. Of several functions in one line it is the last.
    pub fn at_line(&self, line0: u32) -> Option<&Definition> {
        let n_before = self.definitions.partition_point(|definition| *definition.lines.start() <= line0);
        let owns = |definition: &&Definition| {
            definition.lines.contains(&line0) && !(definition.name.is_empty() && *definition.lines.start() == line0)
        };
        self.outwards(n_before).find(owns)
    }

    /// The last of the first `n_before` functions, and those around it.
    fn outwards(&self, n_before: usize) -> impl Iterator<Item = &Definition> {
        let last = n_before.checked_sub(1).and_then(|last| self.definitions.get(last));
        successors(last, |definition| self.definitions.get(definition.parent?))
    }

    /// The call whose name is at a byte or ends there.
    pub fn call_at(&self, byte: usize) -> Option<Call> {
        let roles = Roles::new(self.language);
        calls::calls(&self.tree, &self.text, &roles, byte..=byte).pop()
    }

    /// The calls whose names are in a line, in the order of the text.
    pub fn calls_in_line(&self, line0: u32) -> Vec<Call> {
        let Some(bytes) = tree::line(&self.text, line0) else { return Vec::new() };
        let roles = Roles::new(self.language);
        calls::calls(&self.tree, &self.text, &roles, bytes)
    }
}
