//! What the profilers of macOS have in common: images, addresses, and names by `CoreSymbolication`.

use profile::{AddressBase, Lib};
use std::borrow::Cow;
use std::fmt;

/// The name of code that belongs to no image.
pub(crate) const UNKNOWN: &str = "[unknown]";

/// How much longer than in the file a name may become.
const MAX_GROWTH: usize = 16;

/// A program or library in memory. Texts that are not stated are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) name: String,
    pub(crate) path: String,
    /// With or without hyphens.
    pub(crate) uuid: String,
    pub(crate) arch: String,
    /// Where it begins in memory.
    pub(crate) start: Option<u64>,
}

impl Image {
    /// Its row in the table of libraries.
    pub(crate) fn lib(&self) -> Lib {
        let id = self.uuid.replace('-', "").to_ascii_uppercase();
        let has_id = !id.is_empty();
        Lib {
            name: self.name.clone(),
            path: self.path.clone(),
            debug_name: self.name.clone(),
            debug_path: self.path.clone(),
            // A UUID has no age.
            debug_id: if has_id { format!("{id}0") } else { String::new() },
            code_id: id,
            arch: self.arch.clone(),
            addresses: AddressBase::Image,
            text_size: 0,
        }
    }

    /// The name of a function that is only known by its address: that in the image.
    pub(crate) fn address(&self, in_memory: u64) -> Option<String> {
        Some(format!("{:#x}", in_memory.checked_sub(self.start?)?))
    }
}

/// The name of a file, unless it stands for code that the compiler made: `<compiler-generated>`.
pub(crate) fn source_file(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    if base.starts_with('<') { "" } else { name }
}

/// A number with `0x`.
pub(crate) fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}

/// The name of a function as other tools write it. `CoreSymbolication` takes Rust's older names for those of
/// C++, `app::_$LT$T$GT$::run::h0123456789abcdef`, and leaves the newer ones as they are, `_RNvC3app3run`.
pub(crate) fn function_name(name: &str) -> Cow<'_, str> {
    let (name, _) = name.split_once(" (.llvm.").unwrap_or((name, ""));
    let mangled = match name.rsplit_once("::h") {
        Some((path, hash)) if is_hash(hash) => Cow::Owned(mangled(path, hash)),
        _ => Cow::Borrowed(name),
    };
    let Ok(demangled) = rustc_demangle::try_demangle(&mangled) else { return Cow::Borrowed(name) };
    let mut text = Limited { text: String::new(), most: MAX_GROWTH * name.len() };
    match fmt::write(&mut text, format_args!("{demangled:#}")) {
        Ok(()) => Cow::Owned(text.text),
        Err(fmt::Error) => Cow::Borrowed(name),
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The symbol of a Rust function, of the segments of its path.
fn mangled(path: &str, hash: &str) -> String {
    let segments = path.split("::").map(|segment| format!("{}{segment}", segment.len()));
    format!("_ZN{}17h{hash}E", segments.collect::<String>())
}

/// A text that refuses to grow beyond a length.
struct Limited {
    text: String,
    most: usize,
}

impl fmt::Write for Limited {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rust_are_demangled() {
        for (name, expected) in [
            ("main", "main"),
            ("-[NSApplication run]", "-[NSApplication run]"),
            ("std::vector<int>::push(int&&)", "std::vector<int>::push(int&&)"),
            ("app::run::h6909bd3a32e27a08", "app::run"),
            ("app::run::h6909bd3a32e27a08 (.llvm.7886897009887049720)", "app::run"),
            ("app::_$u7b$$u7b$closure$u7d$$u7d$::h7cd9ec399e9db3f7", "app::{{closure}}"),
            (
                "_$LT$$RF$std..fs..File$u20$as$u20$std..io..Read$GT$::read::h5d84059cf335c8e6",
                "<&std::fs::File as std::io::Read>::read",
            ),
            ("_RNvC3app3run", "app::run"),
            ("_ZN3app3run17h6909bd3a32e27a08E", "app::run"),
            // No hash, and no symbol.
            ("app::horizontal_lines0", "app::horizontal_lines0"),
            ("a::::h6909bd3a32e27a0g", "a::::h6909bd3a32e27a0g"),
            ("_RNvC", "_RNvC"),
        ] {
            assert_eq!(function_name(name), expected, "{name}");
        }
    }

    #[test]
    fn generated_code_has_no_file() {
        for (name, expected) in
            [("/<compiler-generated>", ""), ("<stdin>", ""), ("/a/b.c", "/a/b.c"), ("b.c", "b.c")]
        {
            assert_eq!(source_file(name), expected);
        }
    }
}
