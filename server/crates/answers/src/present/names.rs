//! The parts of function names, so that short rows show what tells functions apart: `simplify` of
//! `exprlab_engine::simplify`.

use loading::text::plain;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// What separates the functions of a call.
const ARROW: &str = " → ";

/// The name of a function in parts, for rows that have little room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NameParts {
    /// The last part of the name, with its type arguments as `<…>` and its parameters as `(…)`: `simplify` of
    /// `exprlab_engine::simplify`. Equal to the name if that has one part.
    pub short_name: String,
    /// What precedes it: `exprlab_engine`. Missing if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub qualifier: Option<String>,
}

impl NameParts {
    /// The parts of a recorded name.
    pub fn of(name: &str) -> Self {
        let name = plain(name);
        let end = qualifications(&name).last().copied();
        let (qualifier, last) = name.split_at(end.unwrap_or(0));
        let last = if end.is_some() { after_separators(last) } else { last };
        let short_name = without_parameters(&folded(last));
        Self { short_name, qualifier: end.map(|_| folded(qualifier).into_owned()) }
    }
}

/// The name of a function with less and less of its qualification: `b::c` and `c` of `a::b::c`.
pub fn shorter_names(name: &str) -> Vec<String> {
    let name = plain(name);
    let shorter = |&end: &usize| without_parameters(&folded(after_separators(&name[end..])));
    qualifications(&name).iter().map(shorter).collect()
}

/// `name` with its type arguments as `<…>`. Those that begin it stay, `<T as Trait>::next`, and parts like Python's
/// `.<locals>`.
pub fn folded(name: &str) -> Cow<'_, str> {
    let mut short = String::new();
    let mut depth = 0_u32;
    for (at, c) in name.char_indices() {
        let is_operator = name[..at].trim_end_matches(['<', '>', '-', '=']).ends_with("operator");
        match c {
            '<' if at > 0 && !is_operator && (depth > 0 || !name[..at].ends_with('.')) => {
                if depth == 0 {
                    short.push_str("<…");
                }
                depth += 1;
            }
            '>' if depth > 0 && !name[..at].ends_with('-') => {
                depth -= 1;
                if depth == 0 {
                    short.push(c);
                }
            }
            _ if depth == 0 => short.push(c),
            _ => {}
        }
    }
    if depth == 0 { short.into() } else { name.into() }
}

/// A name of C++ with its parameters as `(…)`.
pub fn without_parameters(name: &str) -> String {
    let ends = name.rfind(')').filter(|&end| !name[end..].contains([':', '.']));
    let Some(end) = ends else { return name.to_owned() };
    let mut depth = 0_u32;
    let start = name[..=end].char_indices().rev().find(|(_, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    match start {
        Some((start, _)) if start > 0 && end > start + 1 => {
            format!("{}(…){}", &name[..start], &name[end + 1..])
        }
        _ => name.to_owned(),
    }
}

/// `name` without as much of its qualification as necessary to have at most `width` characters:
/// `…::Map::insert`. The last segment is kept.
pub fn shortened(name: &str, width: usize) -> Cow<'_, str> {
    let length = |text: &str| text.chars().count();
    if length(name) <= width {
        return name.into();
    }
    if let Some((caller, callee)) = name.split_once(ARROW) {
        let each = width.saturating_sub(length(ARROW)) / 2;
        return format!("{}{ARROW}{}", shortened(caller, each), shortened(callee, each)).into();
    }
    let ends = qualifications(name);
    let fitting = ends.iter().find(|&&end| length(&name[end..]) < width);
    match fitting.or(ends.last()) {
        Some(&end) => format!("…{}", &name[end..]).into(),
        None => name.into(),
    }
}

/// What belongs to the name before it. GCC and LLVM number copies and parts of functions (`.isra.0`), Go its
/// closures (`.func1`); the others are closures of Rust and constructors of .NET.
const NUMBERED: [&str; 8] =
    [".isra.", ".constprop.", ".part.", ".cold.", ".lto_priv.", ".llvm.", ".clone.", ".func"];
const UNNAMED: [&str; 5] = [".cold", "::{{closure}}", "::{closure#", "..ctor", "..cctor"];

/// The length of a name without what belongs to the name before it.
fn without_suffixes(name: &str) -> usize {
    let is_numbered = |at: usize, suffix: &str| {
        name[at + suffix.len()..].starts_with(|next: char| next.is_ascii_digit())
    };
    let numbered = NUMBERED.iter().filter_map(|suffix| {
        name.match_indices(suffix).map(|(at, _)| at).find(|&at| is_numbered(at, suffix))
    });
    let is_last =
        |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let unnamed = UNNAMED.iter().filter_map(|suffix| {
        let at = name.find(suffix)?;
        (suffix.ends_with('#') || is_last(&name[at + suffix.len()..])).then_some(at)
    });
    numbered.chain(unnamed).filter(|&at| at > 0).min().unwrap_or(name.len())
}

/// What separates the parts of names. `/` is for packages of Go and classes of the JVM, `#` for methods of Ruby, `->`
/// for those of PHP.
const SEPARATORS: [&str; 5] = ["::", "->", ".", "/", "#"];

/// The rest of a name after the separators that it begins with.
fn after_separators(mut name: &str) -> &str {
    while let Some(rest) = SEPARATORS.iter().find_map(|separator| name.strip_prefix(separator)) {
        name = rest;
    }
    name
}

/// Where the qualifications of a name end, before the separator. Not within type arguments or parameters.
fn qualifications(name: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut depth = 0_u32;
    let mut part_begins = 0;
    let name = &name[..without_suffixes(name)];
    for (at, c) in name.char_indices() {
        let rest = after_separators(&name[at..]);
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if name[..at].ends_with('-') => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0
                && at > part_begins
                && begins_part(c, rest)
                && rest.len() < name.len() - at =>
            {
                ends.push(at);
                part_begins = name.len() - rest.len();
            }
            _ => {}
        }
    }
    ends
}

/// Whether a part of a name begins after a separator. `0` of `copy.0` is the number of a copy, `2` of `map/2` that
/// of the parameters, and what follows `/` is part of a path unless a function follows. `operator->` ends there.
fn begins_part(separator: char, rest: &str) -> bool {
    match separator {
        '/' => rest.contains(['.', ':']),
        '-' => rest.starts_with(|c: char| c.is_alphabetic() || c == '_'),
        _ => !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_last_part_and_what_precedes_it() {
        for (name, short, qualifier) in [
            ("main", "main", ""),
            ("exprlab_engine::simplify", "simplify", "exprlab_engine"),
            (
                "<Vec<a::b::C> as core::iter::Iterator>::next",
                "next",
                "<Vec<…> as core::iter::Iterator>",
            ),
            ("words::best::{{closure}}", "best::{{closure}}", "words"),
            ("alloc::vec::Vec<T,A>::push", "push", "alloc::vec::Vec<…>"),
            ("Scene::trace(Ray const&, int) const", "trace(…) const", "Scene"),
            ("(anonymous namespace)::f(int)", "f(…)", "(anonymous namespace)"),
            ("std::map<int, int>::operator[]", "operator[]", "std::map<…>"),
            ("Ptr<T>::operator->", "operator->", "Ptr<…>"),
            ("scale_row.isra.0", "scale_row.isra.0", ""),
            ("copy.0", "copy.0", ""),
            ("main.(*Index).Add.func1", "Add.func1", "main.(*Index)"),
            ("github.com/who/store.Open", "Open", "github.com/who/store"),
            ("Build.<locals>.run", "run", "Build.<locals>"),
            ("Module._compile", "_compile", "Module"),
            ("com/shop/Cart.total", "total", "com/shop/Cart"),
            ("Shop.Orders..ctor", "Orders..ctor", "Shop"),
            ("Ledger#post", "post", "Ledger"),
            ("Cart->total", "total", "Cart"),
            ("queens.safe/1-0", "safe/1-0", "queens"),
            ("lists::map/2", "map/2", "lists"),
            ("-[Cart total:]", "-[Cart total:]", ""),
            ("(garbage collector)", "(garbage collector)", ""),
            ("Builtin: KeyedLoadIC", "Builtin: KeyedLoadIC", ""),
            ("::global", "::global", ""),
            ("x::", "x::", ""),
        ] {
            let parts = NameParts::of(name);
            assert_eq!(
                (parts.short_name.as_str(), parts.qualifier.as_deref().unwrap_or_default()),
                (short, qualifier),
                "{name}"
            );
        }
    }

    #[test]
    fn names_lose_one_part_after_the_other() {
        assert_eq!(shorter_names("a::b<int>::c(x::y)"), ["b<…>::c(…)", "c(…)"]);
        assert_eq!(shorter_names("main"), [""; 0]);
    }

    #[test]
    fn type_arguments_and_parameters_are_folded() {
        assert_eq!(folded("a<b>::operator<<(d)"), "a<…>::operator<<(d)");
        assert_eq!(folded("a::operator->"), "a::operator->");
        assert_eq!(folded("<T as U<V>>::next"), "<T as U<…>>::next");
        assert_eq!(folded("f<fn() -> int>"), "f<…>");
        assert_eq!(folded("a < b"), "a < b");
        assert_eq!(without_parameters("main.(*Index).Add"), "main.(*Index).Add");
        assert_eq!(without_parameters("f(void (*)(int))"), "f(…)");
        assert_eq!(without_parameters("f()"), "f()");
    }

    #[test]
    fn shortened_names_keep_what_compilers_append() {
        assert_eq!(shortened("orders.contains.part.0", 12), "….contains.part.0");
        assert_eq!(shortened("main.build → store.(*Index).Add", 20), "….build → ….Add");
        assert_eq!(shortened("orders.partition.run", 12), "….run");
        assert_eq!(shortened("orders.clone", 8), "….clone");
        assert_eq!(shortened("words::best::{{closure}}", 20), "…::best::{{closure}}");
        assert_eq!(shortened("Shop.Orders..ctor", 16), "….Orders..ctor");
        assert_eq!(shortened("::global::name", 7), "…::name");
        assert_eq!(shortened("/usr/lib/libc.so.6", 12), "…/libc.so.6");
        assert_eq!(shortened("x::", 2), "x::");
    }
}
