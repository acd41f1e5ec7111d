//! Names of functions: as compilers wrote them, and with instances of one generic function told alike.

use std::borrow::Cow;
#[cfg(feature = "debug-info")]
use std::fmt;

/// Longer names are left as they are in the file: a name of some hundred bytes can stand for megabytes.
#[cfg(feature = "debug-info")]
const MAX_NAME: usize = 1 << 16;

/// The name of a symbol in ELF or DWARF as it is written in the source: Rust without hash, C++ as `c++filt` prints it.
#[cfg(feature = "debug-info")]
pub(crate) fn demangle(raw: &str) -> String {
    use cpp_demangle::{DemangleOptions, Symbol};
    let mut name = Limited(String::new());
    if let Ok(rust) = rustc_demangle::try_demangle(raw) {
        if fmt::Write::write_fmt(&mut name, format_args!("{rust:#}")).is_ok() {
            return name.0;
        }
    } else if raw.starts_with("_Z")
        && let Ok(symbol) = Symbol::new(raw)
        && symbol.structured_demangle(&mut name, &DemangleOptions::default()).is_ok()
    {
        return name.0;
    }
    raw.to_owned()
}

#[cfg(feature = "debug-info")]
struct Limited(String);

#[cfg(feature = "debug-info")]
impl fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The name with type arguments left out (`Vec<u32>::push` is `Vec<…>::push`), so that all instances of a generic function have
/// the same. What tells functions apart stays: operators, `<X as Trait>::f`, `<impl Trait for X>`, closures, parameters. A name
/// whose brackets do not match stays as it is.
pub fn collapse_generics(name: &str) -> Cow<'_, str> {
    if !name.contains('<') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    // Brackets that are open: whether what they hold is left out.
    let mut open: Vec<bool> = Vec::new();
    let mut n_left_out = 0_usize;
    let mut at = 0;
    // Whether an operator was just read, perhaps with a space behind it: what follows are its type arguments.
    let mut is_after_operator = false;
    while let Some(rest) = name.get(at..) {
        let Some(next) = rest.chars().next() else { break };
        let token = token(name, at, rest, next);
        at += token.len();
        let is_hidden = n_left_out > 0;
        match token {
            "<" => {
                let leaves_out = is_after_operator || has_arguments(&name[..at - 1], &name[at..]);
                if leaves_out && !is_hidden {
                    out.push_str("<…>");
                } else if !is_hidden {
                    out.push('<');
                }
                open.push(leaves_out);
                n_left_out += usize::from(leaves_out);
            }
            ">" => {
                let Some(left_out) = open.pop() else { return Cow::Borrowed(name) };
                n_left_out -= usize::from(left_out);
                if !left_out && !is_hidden {
                    out.push('>');
                }
            }
            _ if !is_hidden => out.push_str(token),
            _ => {}
        }
        is_after_operator = token.starts_with("operator") && token.len() > "operator".len() || is_after_operator && token == " ";
    }
    if open.is_empty() { Cow::Owned(out) } else { Cow::Borrowed(name) }
}

/// Brackets, operators that look like some, and what stands between them.
fn token<'a>(name: &str, at: usize, rest: &'a str, next: char) -> &'a str {
    const OPERATORS: [&str; 13] = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if let Some(symbol) = rest.strip_prefix("operator").filter(|_| !name[..at].ends_with(is_word)) {
        let length = OPERATORS.iter().find(|operator| symbol.starts_with(**operator)).map_or(0, |operator| operator.len());
        return &rest[.."operator".len() + length];
    }
    if rest.starts_with("->") {
        return &rest[..2];
    }
    if is_word(next) {
        return &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    }
    &rest[..next.len_utf8()]
}

/// Whether a bracket holds the arguments of what stands before it. Otherwise it holds a type or names what has no name.
fn has_arguments(before: &str, inside: &str) -> bool {
    const NAMELESS: [&str; 4] = ["impl ", "lambda", "unnamed", "anonymous"];
    let is_nameless = NAMELESS.iter().any(|start| inside.starts_with(start));
    match before.chars().next_back() {
        Some(':') => !is_nameless,
        Some(last) => last.is_alphanumeric() || matches!(last, '_' | '}' | ')' | ']' | '$' | '\''),
        None => false,
    }
}
