//! Demangling, and one name for all instances of a generic function.

use std::borrow::Cow;
#[cfg(feature = "debug-info")]
use std::fmt;

/// Names that demangle to more than this stay mangled: a few hundred bytes can stand for megabytes.
#[cfg(feature = "debug-info")]
const MAX_NAME: usize = 1 << 16;

/// Demangles a symbol of ELF or DWARF: Rust names without hash, C++ as `c++filt` prints them.
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

/// A string that refuses to grow beyond [`MAX_NAME`].
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

/// Leaves out type arguments (`Vec<u32>::push` becomes `Vec<…>::push`), so that all instances of a
/// generic function have one name. Brackets that distinguish functions stay: operators, `<X as
/// Trait>::f`, `<impl Trait for X>`, closures, parameters. A name with unbalanced brackets is
/// returned unchanged.
pub fn collapse_generics(name: &str) -> Cow<'_, str> {
    if !name.contains('<') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    // For each open bracket whether its content is left out.
    let mut open: Vec<bool> = Vec::new();
    let mut n_left_out = 0_usize;
    let mut at = 0;
    // Whether the last token was an operator, perhaps followed by a space. A bracket then begins
    // its type arguments.
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
        is_after_operator = token.starts_with("operator") && token.len() > "operator".len()
            || is_after_operator && token == " ";
    }
    if open.is_empty() { Cow::Owned(out) } else { Cow::Borrowed(name) }
}

/// Splits off one token: a bracket, an operator (which may look like brackets), a word or any other
/// character.
fn token<'a>(name: &str, at: usize, rest: &'a str, next: char) -> &'a str {
    const OPERATORS: [&str; 13] =
        ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if let Some(symbol) = rest.strip_prefix("operator").filter(|_| !name[..at].ends_with(is_word)) {
        let length = OPERATORS
            .iter()
            .find(|operator| symbol.starts_with(**operator))
            .map_or(0, |operator| operator.len());
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

/// Whether a bracket holds the arguments of the name before it. Otherwise it is a type, or stands
/// for something without a name.
fn has_arguments(before: &str, inside: &str) -> bool {
    const NAMELESS: [&str; 4] = ["impl ", "lambda", "unnamed", "anonymous"];
    let is_nameless = NAMELESS.iter().any(|start| inside.starts_with(start));
    match before.chars().next_back() {
        Some(':') => !is_nameless,
        Some(last) => last.is_alphanumeric() || matches!(last, '_' | '}' | ')' | ']' | '$' | '\''),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapses_instances_but_keeps_functions_distinct() {
        for (name, collapsed) in [
            // Rust, legacy and v0.
            ("wordstat::count", "wordstat::count"),
            (
                "core::ptr::drop_in_place<alloc::sync::Arc<std::sync::mpmc::context::Inner>>",
                "core::ptr::drop_in_place<…>",
            ),
            ("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<…>::push"),
            ("alloc::vec::from_elem::<u8>", "alloc::vec::from_elem::<…>"),
            ("<std::path::PathBuf>::new", "<std::path::PathBuf>::new"),
            (
                "<core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::Iterator>::next",
                "<core::iter::adapters::map::Map<…> as core::iter::traits::iterator::Iterator>::next",
            ),
            (
                "core::ops::function::impls::<impl core::ops::function::FnOnce<A> for &mut F>::call_once",
                "core::ops::function::impls::<impl core::ops::function::FnOnce<…> for &mut F>::call_once",
            ),
            (
                "<alloc::boxed::Box<dyn core::ops::function::FnOnce<(), Output = ()> + core::marker::Send> as \
                 core::ops::function::FnOnce<()>>::call_once",
                "<alloc::boxed::Box<…> as core::ops::function::FnOnce<…>>::call_once",
            ),
            (
                "app::run::<fn(u32) -> alloc::vec::Vec<u8>>::{closure#1}",
                "app::run::<…>::{closure#1}",
            ),
            ("<app::Tree<&'a [u8; 4]>>::walk::{{closure}}", "<app::Tree<…>>::walk::{{closure}}"),
            ("<[T] as app::Sum<u64>>::sum", "<[T] as app::Sum<…>>::sum"),
            // C++ of GCC and Clang.
            ("Vec3<double>::operator*(double) const", "Vec3<…>::operator*(double) const"),
            (
                "void std::allocator_traits<std::allocator<double> >::construct<double, double>(std::allocator<double>&, double*)",
                "void std::allocator_traits<…>::construct<…>(std::allocator<…>&, double*)",
            ),
            ("bool operator< <int>(Pair<int> const&)", "bool operator< <…>(Pair<…> const&)"),
            ("operator<< <std::char_traits<char> >(char const*)", "operator<< <…>(char const*)"),
            ("Ptr<int>::operator->() const", "Ptr<…>::operator->() const"),
            ("Ptr<int>::operator->*(int Foo::*)", "Ptr<…>::operator->*(int Foo::*)"),
            ("Big<8>::operator<<=(Big<8> const&)", "Big<…>::operator<<=(Big<…> const&)"),
            (
                "Big<8>::operator<=>(Big<8> const&) const",
                "Big<…>::operator<=>(Big<…> const&) const",
            ),
            ("Big<8>::operator>(Big<8> const&) const", "Big<…>::operator>(Big<…> const&) const"),
            ("Call<&Big<8>::operator<>::run()", "Call<…>::run()"),
            ("Call<int>::operator()<double>(double)", "Call<…>::operator()<…>(double)"),
            (
                "Box<int>::operator std::vector<int>() const",
                "Box<…>::operator std::vector<…>() const",
            ),
            ("my_operator<int>(int)", "my_operator<…>(int)"),
            (
                "median(std::vector<double>)::{lambda(int)#1}::operator()(int) const",
                "median(std::vector<…>)::{lambda(int)#1}::operator()(int) const",
            ),
            (
                "median(std::vector<double>)::<lambda(double, double)>",
                "median(std::vector<…>)::<lambda(double, double)>",
            ),
            ("std::function<void (std::vector<int>)>::operator()", "std::function<…>::operator()"),
            ("foo<(Kind)1>(int) [clone .part.0]", "foo<…>(int) [clone .part.0]"),
            // C++ of Microsoft.
            (
                "std::vector<int,std::allocator<int> >::_Emplace_reallocate<int>",
                "std::vector<…>::_Emplace_reallocate<…>",
            ),
            ("`anonymous namespace'::run<int>", "`anonymous namespace'::run<…>"),
            ("main::<lambda_1>::operator()<int>", "main::<lambda_1>::operator()<…>"),
            ("<lambda_2f3>::operator()", "<lambda_2f3>::operator()"),
            // Unbalanced brackets.
            ("a<b", "a<b"),
            ("a>b<c", "a>b<c"),
            ("(1>>2)<3>", "(1>>2)<3>"),
        ] {
            assert_eq!(collapse_generics(name), collapsed);
        }
    }

    #[cfg(feature = "debug-info")]
    #[test]
    fn demangles_like_binutils() {
        for (raw, name) in [
            ("main", "main"),
            ("_init", "_init"),
            ("__move_median_to_first<int>", "__move_median_to_first<int>"),
            ("_ZN8wordstat5count17h30826a6ad11bb18eE", "wordstat::count"),
            (
                "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
                "<std::path::PathBuf>::new",
            ),
            ("_ZNK4Vec3IdEmlEd", "Vec3<double>::operator*(double) const"),
            (
                "_ZSt3maxIdERKT_S2_S2_",
                "double const& std::max<double>(double const&, double const&)",
            ),
            (
                "_ZNK5Scene9signatureB5cxx11Ev.cold",
                "Scene::signature[abi:cxx11]() const [clone .cold]",
            ),
            ("_Zwhatever", "_Zwhatever"),
        ] {
            assert_eq!(demangle(raw), name);
        }
        // `P<A, A>`, followed by types that contain the previous one twice each.
        let doubled = |n: usize| {
            let digits = "123456789ABCDEFGHIJKLMNOPQRSTU".chars().take(n);
            digits.fold("_Z1f1PI1AS0_E".to_owned(), |name, digit| {
                name + &format!("S_IS{digit}_S{digit}_E")
            })
        };
        assert_eq!(demangle(&doubled(1)), "f(P<A, A>, P<P<A, A>, P<A, A> >)");
        let exploding = doubled(30);
        assert_eq!(demangle(&exploding), exploding);
    }
}
