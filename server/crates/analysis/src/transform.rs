//! Transforms of stacks and their notation. [`crate::reshape`] applies them.

use profile::FuncKey;
use std::fmt;
use std::str::FromStr;

/// Which frames to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Implementation {
    /// All of them.
    #[default]
    All,
    /// JavaScript, and frames that profilers mark as labels for both.
    Js,
    /// Everything except JavaScript and the code generated for it at run time.
    Native,
}

/// One transform of all stacks. Functions are given by key or name, categories and libraries by
/// name, so that it survives a rewrite of the profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transform {
    /// The operation.
    pub kind: TransformKind,
    /// The operands: a path of functions, or a single function, category or library.
    pub names: Vec<Name>,
    /// Frames that this filter hides are skipped when a path or a recursion is matched. `None`
    /// means the filter of the view.
    pub implementation: Option<Implementation>,
}

/// What identifies an operand of a transform.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Name {
    /// A name as users type it, which may match several functions.
    Text(String),
    /// The key of a function.
    Key(FunctionKey),
}

/// Identifies a function in all recordings of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// The key of one of its funcs. It may be an address that is resolved later.
    pub func: FuncKey,
    /// The start of that func as line and column (1-based, 0 = unknown). Only needed if several
    /// functions have funcs with this key.
    pub start: Option<(u32, u32)>,
}

impl Name {
    /// The text, or the name of the function.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Key(key) => &key.func.name,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The operation of a transform. Names and rules come from the Firefox Profiler's code or, for
/// transforms that it does not implement, from its call tree documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// Removes a function from all stacks. Its callers get its cost.
    MergeFunction,
    /// Removes the last function of a path from the stacks that begin with the path.
    MergeNode,
    /// Like `MergeNode`, including everything below.
    MergeSubtree,
    /// Drops the samples that contain a function.
    DropFunction,
    /// Drops the samples that begin with a path.
    DropNode,
    /// Keeps the samples that contain a function, from its outermost call down.
    FocusFunction,
    /// Keeps the samples that begin with a path, from its last function down.
    FocusSubtree,
    /// Keeps the samples that end with a path, which begins with the leaf, from the root to its
    /// last function.
    FocusSubtreeInverted,
    /// Keeps the samples whose leaf is a function, from there down.
    FocusSelf,
    /// Keeps the frames of a category.
    FocusCategory,
    /// Turns all functions of a library into one function.
    CollapseResource,
    /// Removes everything between the outermost and the innermost call of a function.
    CollapseRecursion,
    /// Merges direct recursion of a function into one call.
    CollapseDirectRecursion,
    /// Cuts off everything that a function calls. The cost becomes its self cost.
    CollapseFunctionSubtree,
    /// Puts a function named after the label of a key under the root of each stack, so that trees and
    /// flame graphs are divided by label. Not a transform of the Firefox Profiler; `-tagroot` of pprof.
    SplitByLabel,
}

/// What a transform takes as operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// One function.
    Function,
    /// Functions along a path.
    Path,
    /// A category of stacks.
    Category,
    /// A library.
    Resource,
    /// The key of a label.
    Label,
}

impl TransformKind {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::MergeFunction,
        Self::MergeNode,
        Self::MergeSubtree,
        Self::DropFunction,
        Self::DropNode,
        Self::FocusFunction,
        Self::FocusSubtree,
        Self::FocusSubtreeInverted,
        Self::FocusSelf,
        Self::FocusCategory,
        Self::CollapseResource,
        Self::CollapseRecursion,
        Self::CollapseDirectRecursion,
        Self::CollapseFunctionSubtree,
        Self::SplitByLabel,
    ];

    /// The name in the notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MergeFunction => "merge-function",
            Self::MergeNode => "merge-node",
            Self::MergeSubtree => "merge-subtree",
            Self::DropFunction => "drop-function",
            Self::DropNode => "drop-node",
            Self::FocusFunction => "focus-function",
            Self::FocusSubtree => "focus-subtree",
            Self::FocusSubtreeInverted => "focus-subtree-inverted",
            Self::FocusSelf => "focus-self",
            Self::FocusCategory => "focus-category",
            Self::CollapseResource => "collapse-resource",
            Self::CollapseRecursion => "collapse-recursion",
            Self::CollapseDirectRecursion => "collapse-direct-recursion",
            Self::CollapseFunctionSubtree => "collapse-function-subtree",
            Self::SplitByLabel => "split-by-label",
        }
    }

    /// Whether it keeps what it names, and nothing else.
    pub const fn is_focus(self) -> bool {
        matches!(
            self,
            Self::FocusFunction
                | Self::FocusSubtree
                | Self::FocusSubtreeInverted
                | Self::FocusSelf
                | Self::FocusCategory
        )
    }

    /// The kind of operand.
    pub const fn operand(self) -> Operand {
        match self {
            Self::MergeNode
            | Self::MergeSubtree
            | Self::DropNode
            | Self::FocusSubtree
            | Self::FocusSubtreeInverted => Operand::Path,
            Self::FocusCategory => Operand::Category,
            Self::CollapseResource => Operand::Resource,
            Self::SplitByLabel => Operand::Label,
            Self::MergeFunction
            | Self::DropFunction
            | Self::FocusFunction
            | Self::FocusSelf
            | Self::CollapseRecursion
            | Self::CollapseDirectRecursion
            | Self::CollapseFunctionSubtree => Operand::Function,
        }
    }
}

impl FromStr for TransformKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| {
            format!(
                "no transform is called `{name}`, expected one of {}",
                Self::ALL.map(Self::name).join(", ")
            )
        })
    }
}

impl FromStr for Transform {
    type Err = String;

    /// Parses `kind:name`, or `kind:name>name` if it takes a path. A `>` separates two names unless
    /// it closes a bracket. Names for which that is wrong can be given one by one, as JSON.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "for example merge-function:parse or focus-subtree:main>parse";
        let (kind, names) =
            text.split_once(':').ok_or_else(|| format!("expected TRANSFORM:NAME, {form}"))?;
        let kind: TransformKind = kind.parse()?;
        let names =
            if kind.operand() == Operand::Path { split_path(names) } else { vec![names.trim()] };
        if names.iter().any(|name| name.is_empty()) {
            return Err(format!(
                "expected a name after `{}:` and around each `>`, {form}",
                kind.name()
            ));
        }
        Ok(Self { kind, names: names.into_iter().map(Name::from).collect(), implementation: None })
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.iter().map(Name::text).collect();
        write!(f, "{}:{}", self.kind.name(), names.join(">"))
    }
}

/// Splits a path into names. `>` is no separator if it closes a bracket (`Vec<T>::push`) or belongs
/// to an arrow or an operator.
fn split_path(text: &str) -> Vec<&str> {
    let (mut names, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut operator = false;
    for (at, sign) in text.char_indices() {
        let before = text.get(start..at).unwrap_or_default();
        operator = before.ends_with("operator")
            || operator && matches!(before.chars().last(), Some('<' | '>' | '=' | '-'));
        match sign {
            '<' | '>' if operator => {}
            // Firefox appends `/<` to the name of the enclosing function for anonymous ones.
            '<' if !before.ends_with('/') => depth += 1,
            '>' if before.ends_with(['-', '=']) => {}
            '>' if depth > 0 => depth -= 1,
            '>' => {
                names.push(before.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    names.push(text.get(start..).unwrap_or_default().trim());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_each_kind_by_name() {
        for kind in TransformKind::ALL {
            let text = format!("{}:f", kind.name());
            let transform: Transform = text.parse().unwrap();
            assert_eq!((transform.kind, transform.to_string()), (kind, text));
        }
    }

    #[test]
    fn splits_paths_between_names_only() {
        for (text, names) in [
            ("main>parse>hash", &["main", "parse", "hash"][..]),
            ("main > parse", &["main", "parse"]),
            ("<A as B>::c>Vec<Vec<T>>::push", &["<A as B>::c", "Vec<Vec<T>>::push"]),
            ("f(int)->g>h", &["f(int)->g", "h"]),
            ("std::operator<<>S::operator->", &["std::operator<<>S::operator->"]),
            ("solve/</<>place", &["solve/</<", "place"]),
            ("<module>>f", &["<module>", "f"]),
            ("a.c:3::x::f>g", &["a.c:3::x::f", "g"]),
        ] {
            let transform: Transform = format!("merge-node:{text}").parse().unwrap();
            let found: Vec<_> = transform.names.iter().map(Name::text).collect();
            assert_eq!(found, names, "{text}");
        }
        // Only paths are split.
        assert_eq!("merge-function:a>b".parse::<Transform>().unwrap().names, ["a>b".into()]);
    }

    #[test]
    fn rejects_malformed_transforms_with_an_example() {
        let error = |text: &str| text.parse::<Transform>().unwrap_err();
        assert!(
            error("merge").contains("expected TRANSFORM:NAME, for example merge-function:parse")
        );
        assert!(error("merge-all:x").contains(
            "no transform is called `merge-all`, expected one of merge-function, merge-node"
        ));
        for text in ["merge-function:", "merge-node:a>", "focus-subtree:a>>b"] {
            assert!(error(text).contains("expected a name after"), "{text}");
        }
    }
}
