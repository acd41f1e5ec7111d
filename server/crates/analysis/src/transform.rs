//! What can be done to stacks before anything is summed, and how it is spelled. What it does is up to [`crate::reshape`].

use std::fmt;
use std::str::FromStr;

/// Which frames are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Implementation {
    /// All of them.
    #[default]
    All,
    /// JavaScript, and what profilers mark as to be seen beside it.
    Js,
    /// All but JavaScript and the code that is made of it while it runs.
    Native,
}

/// One change of all stacks. Functions, categories and libraries are given by name, so that it outlives a rewrite.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transform {
    /// What is done.
    pub kind: TransformKind,
    /// What it is done to: a path of functions, or a single name.
    pub names: Vec<String>,
    /// Frames that this filter hides are no obstacle where a path or a recursion is looked for. `None`: the view's own filter.
    pub implementation: Option<Implementation>,
}

/// What a transform does. The names and the rules are those of the Firefox Profiler, and where it has none those of its
/// documentation of the call tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// Takes a function out of all stacks; its cost is its caller's.
    MergeFunction,
    /// Takes the last function of a path out of the stacks that begin with it.
    MergeNode,
    /// Does so with all that it calls, too.
    MergeSubtree,
    /// Leaves out the samples that contain a function.
    DropFunction,
    /// Leaves out the samples that begin with a path.
    DropNode,
    /// Leaves the samples that contain a function, seen from its outermost call on.
    FocusFunction,
    /// Leaves the samples that begin with a path, seen from its last function on.
    FocusSubtree,
    /// Leaves the samples that end with a path, leaf first, seen from the root to its last function.
    FocusSubtreeInverted,
    /// Leaves the samples whose innermost frame is of a function, seen from there on.
    FocusSelf,
    /// Leaves the frames of a category.
    FocusCategory,
    /// Makes one function of a library.
    CollapseResource,
    /// Takes out what lies between the outermost and the innermost call of a function.
    CollapseRecursion,
    /// Makes one call of a function that calls itself.
    CollapseDirectRecursion,
    /// Cuts off what a function calls; the cost is its own.
    CollapseFunctionSubtree,
}

/// What a transform is done to.
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
}

impl TransformKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
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
    ];

    /// How it is spelled.
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
        }
    }

    /// What it is done to.
    pub const fn operand(self) -> Operand {
        match self {
            Self::MergeNode | Self::MergeSubtree | Self::DropNode | Self::FocusSubtree | Self::FocusSubtreeInverted => {
                Operand::Path
            }
            Self::FocusCategory => Operand::Category,
            Self::CollapseResource => Operand::Resource,
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
        kind.ok_or_else(|| format!("no transform is called `{name}`, expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

impl FromStr for Transform {
    type Err = String;

    /// `kind:name`, or `kind:name>name` where it takes a path. Signs in names that are not in pairs of brackets part a path;
    /// where that is wrong, the names must be given one by one.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "for example merge-function:parse or focus-subtree:main>parse";
        let (kind, names) = text.split_once(':').ok_or_else(|| format!("expected TRANSFORM:NAME, {form}"))?;
        let kind: TransformKind = kind.parse()?;
        let names = if kind.operand() == Operand::Path { split_path(names) } else { vec![names.trim()] };
        if names.iter().any(|name| name.is_empty()) {
            return Err(format!("expected a name behind `{}:` and around each `>`, {form}", kind.name()));
        }
        Ok(Self { kind, names: names.into_iter().map(str::to_owned).collect(), implementation: None })
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.names.join(">"))
    }
}

/// The names of a path. `>` does not part where it closes a bracket (`Vec<T>::push`) or belongs to an arrow or an operator.
fn split_path(text: &str) -> Vec<&str> {
    let (mut names, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut operator = false;
    for (at, sign) in text.char_indices() {
        let before = text.get(start..at).unwrap_or_default();
        operator = before.ends_with("operator") || operator && matches!(before.chars().last(), Some('<' | '>' | '=' | '-'));
        match sign {
            '<' | '>' if operator => {}
            // Firefox ends the names of functions without one in `/<`.
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
    fn each_kind_by_its_name() {
        for kind in TransformKind::ALL {
            let text = format!("{}:f", kind.name());
            let transform: Transform = text.parse().unwrap();
            assert_eq!((transform.kind, transform.to_string()), (kind, text));
        }
    }

    #[test]
    fn paths_are_parted_between_names_only() {
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
            assert_eq!(transform.names, names, "{text}");
        }
        // A function is not parted.
        assert_eq!("merge-function:a>b".parse::<Transform>().unwrap().names, ["a>b"]);
    }

    #[test]
    fn what_is_none_is_refused_with_an_example() {
        let refused = |text: &str| text.parse::<Transform>().unwrap_err();
        assert!(refused("merge").contains("expected TRANSFORM:NAME, for example merge-function:parse"));
        assert!(
            refused("merge-all:x").contains("no transform is called `merge-all`, expected one of merge-function, merge-node")
        );
        for text in ["merge-function:", "merge-node:a>", "focus-subtree:a>>b"] {
            assert!(refused(text).contains("expected a name behind"), "{text}");
        }
    }
}
