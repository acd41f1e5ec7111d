//! The lines of a frame: `address symbol+0xoffset (module)` and, with `srcline`, `file:line` below.
//!
//! Symbols and paths of modules contain spaces and brackets; the offset shows where the symbol
//! ends. An inlined frame has the address of the frame that it is inlined into, which is below it,
//! and `(inlined)` as its module; if there is a place, `(inlined)` follows the place instead.

/// The minimum width of printed addresses.
pub(super) const ADDRESS_WIDTH: usize = 16;

/// A parsed frame. Missing texts are empty, a missing line is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) name: &'a str,
    /// The path as printed: `/usr/lib/libc.so.6`, `[kernel.kallsyms]`.
    pub(super) module: &'a str,
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) inlined: bool,
}

impl<'a> Frame<'a> {
    /// Parses a frame: `text` follows the address, `place` is the line below.
    pub(super) fn parse(text: &'a str, place: &'a str) -> Self {
        let (text, inlined) = without_inlined(text);
        let (name, module) = symbol_and_module(text);
        let (file, line, place_inlined) = file_and_line(place);
        let name = if name.is_empty() { "[unknown]" } else { name };
        Self { name, module, file, line, inlined: inlined || place_inlined }
    }
}

/// Splits a line into address and text, if it begins with an address.
pub(super) fn split_address(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (address, text) = line.split_once(' ').unwrap_or((line, ""));
    is_address(address).then(|| (address, text.trim_start()))
}

/// Whether a line is a frame as perf prints it, with the address padded.
pub(super) fn is_padded(line: &str) -> bool {
    let line = line.strip_prefix('\t').unwrap_or("");
    split_address(line)
        .is_some_and(|(address, _)| line.find(address) == ADDRESS_WIDTH.checked_sub(address.len()))
}

pub(super) fn is_address(word: &str) -> bool {
    (1..=ADDRESS_WIDTH).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn without_inlined(text: &str) -> (&str, bool) {
    text.strip_suffix("(inlined)").map_or((text, false), |text| (text.trim_end(), true))
}

fn symbol_and_module(text: &str) -> (&str, &str) {
    if let Some((symbol, rest)) = at_offset(text) {
        return (symbol, module(rest));
    }
    match opening(text).and_then(|at| text.split_at_checked(at)) {
        Some((symbol, rest)) if symbol.is_empty() || symbol.ends_with(' ') => {
            (symbol.trim_end(), module(rest))
        }
        _ => (text, ""),
    }
}

/// Splits at the offset after the symbol, and removes it.
fn at_offset(text: &str) -> Option<(&str, &str)> {
    memchr::memmem::find_iter(text.as_bytes(), "+0x").find_map(|at| {
        let (symbol, offset) = text.split_at_checked(at)?;
        let rest = offset.get(3..)?.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        (rest.is_empty() || rest.starts_with(" (")).then_some((symbol, rest))
    })
}

/// The index of the bracket that the last character closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.strip_suffix(')')?.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return Some(at),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The module in ` (/srv/app (deleted)+0x22e0)`. Text after the brackets is other data of the
/// sample.
fn module(text: &str) -> &str {
    let inner = text
        .trim_start()
        .strip_prefix('(')
        .and_then(|text| text.rsplit_once(')'))
        .map_or("", |(inner, _)| inner);
    let is_offset = |(_, offset): &(&str, &str)| {
        !offset.is_empty() && offset.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let path = inner.rsplit_once("+0x").filter(is_offset).map_or(inner, |(path, _)| path);
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    if path == "[unknown]" { "" } else { path }
}

/// Parses `/srv/a.c:12 (discriminator 3) (inlined)`. Without debug info it is `??:0`, `:0` or
/// `[kernel.kallsyms][ffffffff815eb4a5]`. Code that was compiled at link time may be in
/// `/srv/<artificial>`, which is no file.
fn file_and_line(place: &str) -> (&str, u32, bool) {
    let (place, inlined) = without_inlined(place.trim());
    let place = place.split_once(" (discriminator ").map_or(place, |(place, _)| place);
    let (file, line) = match place.rsplit_once(':') {
        Some(("" | "??", _)) | None => ("", 0),
        Some((file, _)) if is_placeholder(file) => ("", 0),
        Some((file, "?")) => (file, 0),
        Some((file, line)) => line.parse().map_or(("", 0), |line| (file, line)),
    };
    (file, line, inlined)
}

/// Whether the name of a file is one that compilers give to what is no file: `<built-in>`.
fn is_placeholder(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.starts_with('<') && name.ends_with('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name|module|file:line`, and `~` for an inlined one.
    fn show(text: &str, place: &str) -> String {
        let Frame { name, module, file, line, inlined } = Frame::parse(text, place);
        format!("{name}|{module}|{file}:{line}{}", if inlined { "~" } else { "" })
    }

    #[test]
    fn symbols_and_modules_may_contain_anything() {
        let cases = [
            ("main+0x20d (/srv/app)", "main|/srv/app|:0"),
            ("main (/srv/app)", "main|/srv/app|:0"),
            ("main+0x20d", "main||:0"),
            ("main", "main||:0"),
            ("", "[unknown]||:0"),
            ("(/srv/app)", "[unknown]|/srv/app|:0"),
            ("(inlined)", "[unknown]||:0~"),
            ("[unknown] ([unknown])", "[unknown]||:0"),
            ("[unknown] (/usr/lib/libc.so.6)", "[unknown]|/usr/lib/libc.so.6|:0"),
            ("do_syscall_64+0x71 ([kernel.kallsyms])", "do_syscall_64|[kernel.kallsyms]|:0"),
            ("__vdso_clock_gettime+0x1 ([vdso])", "__vdso_clock_gettime|[vdso]|:0"),
            ("dot<double>+0x50 (inlined)", "dot<double>||:0~"),
            ("dot<double> (inlined)", "dot<double>||:0~"),
            ("f+0x1 (/srv/my app (2)/bin x)", "f|/srv/my app (2)/bin x|:0"),
            ("f (/srv/my app (2)/bin x)", "f|/srv/my app (2)/bin x|:0"),
            ("f+0x1 (/srv/app (deleted))", "f|/srv/app|:0"),
            ("f (/srv/app (deleted))", "f|/srv/app|:0"),
            ("f+0x1 (/srv/app+0x22e0)", "f|/srv/app|:0"),
            ("f+0x1 (/srv/a)b)", "f|/srv/a)b|:0"),
            ("f(int, char const*) const+0x1f (/srv/app)", "f(int, char const*) const|/srv/app|:0"),
            ("operator()(int)", "operator()(int)||:0"),
            (
                "core::ops::function::impls::<impl core::ops::FnMut<A> for &mut F>::call_mut+0xa (/a)",
                "core::ops::function::impls::<impl core::ops::FnMut<A> for &mut F>::call_mut|/a|:0",
            ),
            (
                "m(std::vector<double>)::{lambda(double, double)#1} (/a)",
                "m(std::vector<double>)::{lambda(double, double)#1}|/a|:0",
            ),
            ("f+0x1 (/srv/app)  0x55/0x66/P/-/-/0", "f|/srv/app|:0"),
            (")", ")||:0"),
            ("f+0x1 (", "f||:0"),
        ];
        for (text, expected) in cases {
            assert_eq!(show(text, ""), expected, "{text}");
        }
    }

    #[test]
    fn places_are_files_and_lines_or_nothing() {
        let cases = [
            ("/srv/a.c:12", "f||/srv/a.c:12"),
            ("/srv/my dir/a.c:12 (inlined)", "f||/srv/my dir/a.c:12~"),
            ("a.c:12 (discriminator 3) (inlined)", "f||a.c:12~"),
            ("./csu/../csu/libc-start.c:360 (inlined)", "f||./csu/../csu/libc-start.c:360~"),
            ("a.c:?", "f||a.c:0"),
            ("??:0", "f||:0"),
            ("??:? (inlined)", "f||:0~"),
            (":0", "f||:0"),
            ("[kernel.kallsyms][ffffffff815eb4a5]", "f||:0"),
            ("raytrace[1140]", "f||:0"),
            ("a.c:99999999999", "f||:0"),
            ("/srv/<artificial>:4", "f||:0"),
            ("<built-in>:7 (inlined)", "f||:0~"),
            ("/srv/<x>/a.c:7", "f||/srv/<x>/a.c:7"),
        ];
        for (place, expected) in cases {
            assert_eq!(show("f", place), expected, "{place}");
        }
    }

    #[test]
    fn addresses_are_lowercase_digits() {
        assert_eq!(split_address("\t            22e0 f+0x1 (/a)"), Some(("22e0", "f+0x1 (/a)")));
        assert_eq!(split_address("\t ffffffff815eb4a5"), Some(("ffffffff815eb4a5", "")));
        for line in ["", "\t", "\tABI:2 AX:0x0", "\t0x55 f", "\t00000000000000001 f"] {
            assert_eq!(split_address(line), None, "{line}");
        }
    }
}
