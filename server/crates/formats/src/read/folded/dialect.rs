//! Parser for the text of a frame: every profiler puts function, file and line into one name in its
//! own way.
//!
//! One dialect is chosen per file: that of its first frames, or else of the first frame with a
//! place. A frame that does not fit it is tried in the others, and is only a name if none fits.
//! Whether a line is the *executing* line or the line of the *definition* depends on the dialect,
//! and only executing lines get costs. For example, `f (a.py:12)` by py-spy is a cost of line 12;
//! `py:f:12:/p/a.py` by vmprof is not, it only says that `f` starts there.

use crate::read::austin::KERNEL;
use crate::read::shared::java::{class_file, without_addresses};
use crate::writer::Dialect;
use profile::JitTier;
use std::borrow::Cow;

/// A parsed frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::read) struct Place<'a> {
    pub(in crate::read) name: Cow<'a, str>,
    /// The file name, as in the profile.
    pub(in crate::read) file: Option<Cow<'a, str>>,
    /// The library, by name or path.
    pub(in crate::read) lib: Option<&'a str>,
    pub(in crate::read) position: Position,
    pub(in crate::read) tier: JitTier,
}

/// The meaning of the line of a frame. Lines and columns are 1-based; 0 = unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Position {
    Executing(u32),
    Definition { line: u32, column: u32 },
}

/// The dialects of folded stacks, in the order in which a frame is tried: if frames of one dialect
/// also fit another one, it comes first.
const FOLDED: [Dialect; 11] = [
    Dialect::Rbspy,
    Dialect::PySpy,
    Dialect::V8,
    Dialect::Vmprof,
    Dialect::PerfSrcline,
    Dialect::FlameGraphSrcline,
    Dialect::Austin,
    Dialect::Austin2,
    Dialect::Faulthandler,
    Dialect::AsyncProfiler,
    Dialect::Dtrace,
];

impl Dialect {
    /// Parses `frame` in this dialect of folded stacks; `None` if it does not fit.
    pub(in crate::read) fn parse(self, frame: &str) -> Option<Place<'_>> {
        match self {
            Self::Rbspy => rbspy(frame),
            Self::PySpy => py_spy(frame),
            Self::V8 => v8(frame),
            Self::Vmprof => vmprof(frame),
            Self::PerfSrcline => perf(frame),
            Self::FlameGraphSrcline => flame_graph(frame),
            Self::Austin => austin(frame),
            Self::Austin2 => austin_2(frame),
            Self::Faulthandler => faulthandler(frame),
            Self::AsyncProfiler => async_profiler(frame),
            Self::Dtrace => dtrace(frame),
            _ => None,
        }
    }

    /// Parses `frame` in the first dialect that it fits.
    pub(super) fn any(frame: &str) -> Option<(Self, Place<'_>)> {
        FOLDED.into_iter().find_map(|dialect| Some((dialect, dialect.parse(frame)?)))
    }

    /// The dialect that most of `frames` fit, if there is one.
    pub(super) fn of_most<'a>(frames: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut counts = [0_usize; FOLDED.len()];
        for frame in frames {
            for (count, dialect) in counts.iter_mut().zip(FOLDED) {
                *count += usize::from(dialect.parse(frame).is_some());
            }
        }
        let most = counts.iter().copied().max().filter(|&most| most > 0)?;
        FOLDED.into_iter().zip(counts).find(|&(_, count)| count == most).map(|(dialect, _)| dialect)
    }
}

impl<'a> Place<'a> {
    /// A function with only a name.
    pub(super) fn named(name: &'a str) -> Self {
        Self {
            name: without_addresses(name),
            file: None,
            lib: None,
            position: Position::Executing(0),
            tier: JitTier::Unknown,
        }
    }

    /// Whether the code is Python.
    pub(super) fn is_python(&self) -> bool {
        let file = self.file.as_deref().unwrap_or_default();
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        self.name == "<module>"
            || file.starts_with("<frozen ")
            || matches!(extension, Some("py" | "pyw" | "pyx"))
    }

    fn executing(name: &'a str, file: &'a str, line: u32) -> Self {
        Self {
            file: Some(Cow::Borrowed(file)),
            position: Position::Executing(line),
            ..Self::named(name)
        }
    }

    fn defined(name: &'a str, file: &'a str, line: u32, column: u32) -> Self {
        Self {
            file: Some(Cow::Borrowed(file)),
            position: Position::Definition { line, column },
            ..Self::named(name)
        }
    }
}

/// What the suffix of a frame means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Suffix {
    pub(super) inlined: bool,
    pub(super) tier: JitTier,
}

/// Splits off the suffix that FlameGraph's collapsers and async-profiler append to a name (kernel,
/// waker, inlined, JIT, interpreted, C1), or `perf report` to an inlined frame.
pub(super) fn without_suffix(frame: &str) -> (&str, Suffix) {
    let tier = |tier| Suffix { inlined: false, tier };
    let inlined = Suffix { inlined: true, tier: JitTier::Unknown };
    let suffixes = [
        ("_[k]", Suffix::default()),
        ("_[w]", Suffix::default()),
        ("_[i]", inlined),
        (" (inlined)", inlined),
        ("_[j]", tier(JitTier::Jit)),
        ("_[0]", tier(JitTier::Interpreter)),
        ("_[1]", tier(JitTier::C1)),
    ];
    suffixes
        .into_iter()
        .find_map(|(suffix, meaning)| Some((frame.strip_suffix(suffix)?, meaning)))
        .filter(|(name, _)| !name.is_empty())
        .unwrap_or((frame, Suffix::default()))
}

fn rbspy(frame: &str) -> Option<Place<'_>> {
    let (name, place) = frame.rsplit_once(" - ")?;
    match line_behind(place) {
        _ if place == "(unknown)" => Some(Place::named(name)),
        Some((file, line)) => (!is_number(file)).then(|| Place::executing(name, file, line)),
        None => is_file(place).then(|| Place::executing(name, place, 0)),
    }
}

/// Splits `name (place)`. The place may contain parentheses, as in `C:\Program Files (x86)`.
fn name_and_place(frame: &str) -> Option<(&str, &str)> {
    let inner = frame.strip_suffix(')')?;
    let mut depth = 1_usize;
    let open = inner.char_indices().rev().find(|(_, char)| {
        match char {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let pair = open.and_then(|(at, _)| Some((inner[..at].strip_suffix(' ')?, &inner[at + 1..])));
    pair.or_else(|| inner.rsplit_once(" ("))
}

fn py_spy(frame: &str) -> Option<Place<'_>> {
    let (name, place) = name_and_place(frame)?;
    // `jfr` has this line for code that is in no file.
    if place.ends_with(":-1") {
        return Some(Place::named(name));
    }
    match line_behind(place) {
        Some((file, line)) => (!is_number(file)).then(|| Place::executing(name, file, line)),
        None if is_library(place) => Some(Place { lib: Some(place), ..Place::named(name) }),
        None => is_file(place).then(|| Place::executing(name, place, 0)),
    }
}

fn v8(frame: &str) -> Option<Place<'_>> {
    const TAGS: [&str; 6] =
        ["LazyCompile:", "InterpretedFunction:", "Function:", "Script:", "Eval:", "JS:"];
    // `CodeKindToMarker` of V8 (`src/objects/code-kind.cc`).
    const TIERS: [(char, JitTier); 4] = [
        ('~', JitTier::Interpreter),
        ('^', JitTier::Baseline),
        ('+', JitTier::Maglev),
        ('*', JitTier::TurboFan),
    ];
    let tagged = TAGS.iter().find_map(|tag| frame.strip_prefix(tag));
    let text = tagged.unwrap_or(frame);
    let mark = TIERS.into_iter().find_map(|(mark, tier)| Some((text.strip_prefix(mark)?, tier)));
    // A quote follows if the code is compiled for one closure only.
    let mark = mark.map(|(text, tier)| (text.strip_prefix('\'').unwrap_or(text), tier));
    let (marked, tier) = mark.map_or((None, JitTier::Unknown), |(text, tier)| (Some(text), tier));
    let (rest, last) = line_behind(marked.or(tagged).unwrap_or(frame))?;
    let (rest, line, column) =
        line_behind(rest).map_or((rest, last, None), |(rest, line)| (rest, line, Some(last)));
    // Both the name (`get x`) and the file may contain spaces: the file begins where text looks
    // like the beginning of one.
    let begins = |at: &usize| rest.get(at + 1..).is_some_and(begins_like_script);
    let blank = rest.match_indices(' ').map(|(at, _)| at).find(begins).or_else(|| rest.find(' '));
    let (name, file) = match blank {
        Some(at) => (rest.get(..at)?, rest.get(at + 1..)?),
        None => ("", rest),
    };
    let has_place = marked.is_some()
        || (tagged.is_some() && is_file(file))
        || (column.is_some() && begins_like_script(file));
    let name = if name.is_empty() { "(anonymous)" } else { name };
    (has_place && !file.is_empty() && !is_number(file))
        .then(|| Place { tier, ..Place::defined(name, file, line, column.unwrap_or(0)) })
}

fn begins_like_script(file: &str) -> bool {
    ["/", "file:", "node:", "http:", "https:", "./", "../"]
        .iter()
        .any(|start| file.starts_with(start))
        || has_drive(file)
}

fn vmprof(frame: &str) -> Option<Place<'_>> {
    if let Some(rest) = frame.strip_prefix("py::") {
        let (name, file) = split_last_colon(rest)?;
        return is_file(file).then(|| Place::executing(name, file, 0));
    }
    if let Some(rest) = frame.strip_prefix("py:") {
        let (name, rest) = rest.split_once(':')?;
        let (line, file) = rest.split_once(':')?;
        return Some(Place::defined(name, file, line.parse().ok()?, 0))
            .filter(|_| !file.is_empty());
    }
    let (name, place) = frame
        .split_once("::")
        .filter(|(name, _)| name.strip_prefix("TRACE_").is_some_and(is_number))?;
    let (file, line) = line_behind(place)?;
    Some(Place::defined(name, file, line, 0))
}

fn perf(frame: &str) -> Option<Place<'_>> {
    let frame = match frame.rsplit_once(" (discriminator ") {
        Some((place, number)) if number.strip_suffix(')').is_some_and(is_number) => place,
        _ => frame,
    };
    // Without debug info.
    if let Some(name) = frame.strip_suffix(" ??:0").or_else(|| frame.strip_suffix(" :0")) {
        return Some(Place::named(name)).filter(|_| !name.is_empty());
    }
    let (rest, line) = line_behind(frame)?;
    let (name, file) = match rest.find(" /") {
        _ if rest.starts_with('/') => ("", rest),
        Some(at) => (rest.get(..at)?, rest.get(at + 1..)?),
        None => rest.rsplit_once(' ').unwrap_or(("", rest)),
    };
    // `/p/x.py:f:12` and `f /p/x.js:12:3` are other dialects. Without symbols, perf writes only the
    // place; the function has no name then.
    let is_plain = !file.contains(':') || (has_drive(file) && !file.get(2..)?.contains(':'));
    let name = if name.trim().is_empty() { file } else { name.trim() };
    let is_path = file.starts_with('/') || has_drive(file) || has_source_extension(file);
    (is_plain && is_path).then(|| Place::executing(name, file, line))
}

fn flame_graph(frame: &str) -> Option<Place<'_>> {
    let (rest, line) = line_behind(frame)?;
    let (name, file) = split_last_colon(rest)?;
    let has_extension =
        || file.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_word(end));
    let name_or_unknown = if name.is_empty() { "[unknown]" } else { name };
    (!is_file(name) && (is_file(file) || has_extension()))
        .then(|| Place::executing(name_or_unknown, file, line))
}

fn austin(frame: &str) -> Option<Place<'_>> {
    let (rest, line) = line_behind(frame)?;
    let (file, name) = split_last_colon(rest)?;
    if name.is_empty() || is_number(name) {
        return None;
    }
    match file {
        KERNEL => Some(Place { lib: Some(file), ..Place::named(name) }),
        _ if is_file(file) || file.split('.').all(is_word) => {
            Some(Place::executing(name, file, line))
        }
        _ => None,
    }
}

fn austin_2(frame: &str) -> Option<Place<'_>> {
    let (function, line) = frame.rsplit_once(";L")?;
    let (name, file) = name_and_place(function)?;
    Some(Place::executing(name, file, line.parse().ok()?))
}

fn faulthandler(frame: &str) -> Option<Place<'_>> {
    let (rest, name) = split_last_colon(frame)?;
    let (file, line) = line_behind(rest)?;
    (is_file(file) && !name.is_empty() && !is_number(name))
        .then(|| Place::executing(name, file, line))
}

fn async_profiler(frame: &str) -> Option<Place<'_>> {
    let (name, line) = line_behind(frame).or_else(|| {
        // The index in the bytecode is not a place in the text.
        let (name, _) = frame.rsplit_once('@').filter(|(_, index)| is_number(index))?;
        Some((name, 0))
    })?;
    let (class, method) = name.rsplit_once('.')?;
    let allowed =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '/' | '.' | '-' | '<' | '>');
    let path = if class.contains('/') {
        Cow::Borrowed(class)
    } else {
        Cow::Owned(class.replace('.', "/"))
    };
    let simple = path.rsplit_once('/').map_or(&*path, |(_, simple)| simple);
    let is_class = class.contains('/') || simple.starts_with(|c: char| c.is_uppercase());
    if !is_class || method.is_empty() || !name.chars().all(allowed) {
        return None;
    }
    let file = class_file(&path)?;
    Some(Place {
        file: Some(Cow::Owned(file)),
        position: Position::Executing(line),
        ..Place::named(name)
    })
}

/// A generic class of .NET has a backtick, too, before the number of its types: ``List`1[System.Int32]``.
fn dtrace(frame: &str) -> Option<Place<'_>> {
    let (module, name) = frame.split_once('`')?;
    let name = without_offset(name);
    let is_generic = name.starts_with(|char| matches!(char, '1'..='9'));
    (!module.is_empty() && !module.contains(' ') && !name.is_empty() && !is_generic)
        .then(|| Place { lib: Some(module), ..Place::named(name) })
}

/// The symbol without its offset (`func+0x1f`).
pub(super) fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset))
            if !name.is_empty() && offset.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => symbol,
    }
}

/// Splits `rest:12`. A line that exceeds 32 bits is not a line.
fn line_behind(text: &str) -> Option<(&str, u32)> {
    let (rest, line) = text.rsplit_once(':')?;
    (!rest.is_empty() && is_number(line)).then(|| Some((rest, line.parse().ok()?)))?
}

/// Splits at the last colon that does not belong to a drive (`C:\x`) or a URL (`file://x`).
fn split_last_colon(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let divides = |&at: &usize| {
        let before = bytes.get(..at).unwrap_or_default();
        let is_drive =
            matches!(before, [.., b':' | b' ', drive] | [drive] if drive.is_ascii_alphabetic());
        let behind = bytes.get(at + 1..).unwrap_or_default();
        !(behind.starts_with(b"//") || (is_drive && matches!(behind, [b'/' | b'\\', ..])))
    };
    let at = memchr::memrchr_iter(b':', bytes).find(divides)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn has_drive(file: &str) -> bool {
    matches!(file.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether `text` names a file: it has a folder or a known extension, or it is a name in angle
/// brackets that interpreters give to code without a file (`<frozen importlib._bootstrap>`).
fn is_file(text: &str) -> bool {
    text.contains(['/', '\\'])
        || has_source_extension(text)
        || (text.starts_with('<') && text.ends_with('>'))
}

fn is_library(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    name.contains(".so.") || matches!(extension, Some("so" | "dylib" | "dll" | "DLL" | "pyd"))
}

fn has_source_extension(text: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "ipp", "inl", "m", "mm", "cu", "s", "S",
        "asm", "rs", "go", "zig", "d", "nim", "swift", "py", "pyx", "pxd", "pyw", "rb", "erb",
        "pl", "pm", "php", "lua", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue",
        "svelte", "html", "java", "kt", "kts", "scala", "groovy", "clj", "cs", "fs", "vb", "hs",
        "ml", "mli", "ex", "exs", "erl", "jl", "r", "R", "f", "f90", "v", "cr", "dart",
    ];
    text.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `dialect name|file|lib|position` of a frame, in the dialect chosen for it alone.
    fn show(frame: &str) -> String {
        let Some(dialect) = Dialect::of_most([frame].into_iter()) else { return "none".to_owned() };
        let place = dialect.parse(frame).unwrap();
        let position = match place.position {
            Position::Executing(line) => format!("at {line}"),
            Position::Definition { line, column } => format!("from {line}:{column}"),
        };
        let or_none = |text: Option<&str>| text.unwrap_or("-").to_owned();
        format!(
            "{} {}|{}|{}|{position}",
            dialect.name(),
            place.name,
            or_none(place.file.as_deref()),
            or_none(place.lib)
        )
    }

    #[test]
    fn every_dialect_has_its_form() {
        let cases = [
            ("main - /p/f.rb:12", "rbspy main|/p/f.rb|-|at 12"),
            ("block in a - b - x y/f.rb:3", "rbspy block in a - b|x y/f.rb|-|at 3"),
            ("(unknown) [c function] - (unknown)", "rbspy (unknown) [c function]|-|-|at 0"),
            ("<main> - (eval):3", "rbspy <main>|(eval)|-|at 3"),
            ("<module> (x.py:3)", "py-spy <module>|x.py|-|at 3"),
            ("f (x.py)", "py-spy f|x.py|-|at 0"),
            ("a.B$$Lambda$88+0x00007f31/1790.run (a.B.java:-1)", "py-spy a.B$$Lambda.run|-|-|at 0"),
            ("f (x.py:0)", "py-spy f|x.py|-|at 0"),
            (
                "_find (<frozen importlib._bootstrap>:1176)",
                "py-spy _find|<frozen importlib._bootstrap>|-|at 1176",
            ),
            ("f (C:\\a b\\x.py:12)", "py-spy f|C:\\a b\\x.py|-|at 12"),
            (
                "PyEval_Eval (libpython3.11.so.1.0)",
                "py-spy PyEval_Eval|-|libpython3.11.so.1.0|at 0",
            ),
            (
                "f (C:\\Program Files (x86)\\a (1).py:12)",
                "py-spy f|C:\\Program Files (x86)\\a (1).py|-|at 12",
            ),
            ("f (a).py:3)", "py-spy f|a).py|-|at 3"),
            ("operator() (src/a.cpp:7)", "py-spy operator()|src/a.cpp|-|at 7"),
            ("LazyCompile:*f /p/x.js:12:3", "v8 f|/p/x.js|-|from 12:3"),
            ("LazyCompile:~ /p/x.js:12:3", "v8 (anonymous)|/p/x.js|-|from 12:3"),
            ("JS:~f file:///p/x.js:12:3", "v8 f|file:///p/x.js|-|from 12:3"),
            ("JS:*get text /p q/x.js:1:2", "v8 get text|/p q/x.js|-|from 1:2"),
            ("Function:^next node:internal/x:7:9", "v8 next|node:internal/x|-|from 7:9"),
            ("*f /p/x.js:12", "v8 f|/p/x.js|-|from 12:0"),
            ("f C:\\p\\x.js:12:3", "v8 f|C:\\p\\x.js|-|from 12:3"),
            ("py:f:12:/p/x.py", "vmprof f|/p/x.py|-|from 12:0"),
            ("py::<module>:/p/x.py", "vmprof <module>|/p/x.py|-|at 0"),
            ("TRACE_3::f.lua:12", "vmprof TRACE_3|f.lua|-|from 12:0"),
            ("sym /abs/f.c:12", "perf-srcline sym|/abs/f.c|-|at 12"),
            (
                "a::b<c, d> /a b/f.c:12 (discriminator 3)",
                "perf-srcline a::b<c, d>|/a b/f.c|-|at 12",
            ),
            ("sq inl.cpp:5", "perf-srcline sq|inl.cpp|-|at 5"),
            ("_start ??:0", "perf-srcline _start|-|-|at 0"),
            ("_start :0", "perf-srcline _start|-|-|at 0"),
            ("/a:30", "perf-srcline /a|/a|-|at 30"),
            ("f.c:12", "perf-srcline f.c|f.c|-|at 12"),
            ("sym:f.cpp:137", "flamegraph-srcline sym|f.cpp|-|at 137"),
            (
                "std::vec<int>::push:/usr/f.weird:137",
                "flamegraph-srcline std::vec<int>::push|/usr/f.weird|-|at 137",
            ),
            ("sym:C:\\src\\f.cpp:137", "flamegraph-srcline sym|C:\\src\\f.cpp|-|at 137"),
            (
                "/usr/lib/threading.py:Thread.run:975",
                "austin Thread.run|/usr/lib/threading.py|-|at 975",
            ),
            ("<frozen codecs>:<module>:3", "austin <module>|<frozen codecs>|-|at 3"),
            ("C:\\p\\x.py:f:12", "austin f|C:\\p\\x.py|-|at 12"),
            ("file:///p/x.py:f:12", "austin f|file:///p/x.py|-|at 12"),
            ("pkg.module:f:12", "austin f|pkg.module|-|at 12"),
            ("kernel:do_syscall:0", "austin do_syscall|-|kernel|at 0"),
            ("f (module);L12", "austin-2 f|module|-|at 12"),
            ("f (a (b).py);L12", "austin-2 f|a (b).py|-|at 12"),
            ("/p/x.py:12:f", "faulthandler f|/p/x.py|-|at 12"),
            ("pkg/Class.method:123", "async-profiler pkg/Class.method|pkg/Class.java|-|at 123"),
            (
                "a.b.Class$Inner.<init>:5",
                "async-profiler a.b.Class$Inner.<init>|a/b/Class.java|-|at 5",
            ),
            ("app/MainKt.main:5", "async-profiler app/MainKt.main|app/Main.kt|-|at 5"),
            ("a/B.m@17", "async-profiler a/B.m|a/B.java|-|at 0"),
            ("genunix`read+0x1f", "dtrace read|-|genunix|at 0"),
        ];
        for (frame, expected) in cases {
            assert_eq!(show(frame), expected, "{frame}");
        }
    }

    #[test]
    fn names_are_not_places() {
        let names = [
            "12:34",
            "main",
            ":GC:",
            ":INVALID:",
            "[unknown]",
            "[libc.so.6]",
            "std::vec::Vec<u8>::push",
            "foo(int, char const*)",
            "operator() (int)",
            "Shop.Cart`1[System.Int32].Total()",
            "process 123:\"python3 run.py 5\"",
            "thread (0x7F3A): MainThread",
            "a - b",
            "raytrace-?/123",
            "{closure#0}",
            "<a as b::c<d>>::e",
            "core::ops::function::FnOnce::call_once{{vtable.shim}}",
            "java.lang.Thread.run",
            "RegExp: a:12x",
            "x:99999999999",
            "",
            ":",
            "::",
            " - ",
            " ()",
        ];
        for name in names {
            assert_eq!(show(name), "none", "{name}");
        }
    }

    #[test]
    fn most_frames_choose_and_the_first_in_order_wins() {
        let chosen =
            |frames: &[&'static str]| Dialect::of_most(frames.iter().copied()).map(Dialect::name);
        assert_eq!(chosen(&["main", "node::Start", "LazyCompile:*f /p/x.js:12:3"]), Some("v8"));
        assert_eq!(chosen(&["a (x.py:1)", "/p/x.py:f:3", "/p/x.py:g:4"]), Some("austin"));
        assert_eq!(chosen(&["a - /p/x.rb:1", "b - /p/x.rb:2"]), Some("rbspy"));
        assert_eq!(chosen(&["main", "[unknown]"]), None);
    }

    #[test]
    fn marks_of_v8_are_tiers() {
        let tier = |frame| Dialect::V8.parse(frame).map(|place| (place.name, place.tier));
        let cases = [
            ("JS:~f /p/x.js:12:3", JitTier::Interpreter),
            ("JS:^f /p/x.js:12:3", JitTier::Baseline),
            ("JS:+f /p/x.js:12:3", JitTier::Maglev),
            ("JS:+'f /p/x.js:12:3", JitTier::Maglev),
            ("LazyCompile:*f /p/x.js:12:3", JitTier::TurboFan),
            ("JS:*'f /p/x.js:12:3", JitTier::TurboFan),
            ("f /p/x.js:12:3", JitTier::Unknown),
        ];
        for (frame, expected) in cases {
            assert_eq!(tier(frame), Some(("f".into(), expected)), "{frame}");
        }
    }

    #[test]
    fn suffixes_and_offsets_are_removed() {
        let inlined = Suffix { inlined: true, ..Suffix::default() };
        assert_eq!(without_suffix("B.get_[i]"), ("B.get", inlined));
        assert_eq!(without_suffix("sq (inlined)"), ("sq", inlined));
        for (suffix, tier) in [
            ("_[k]", JitTier::Unknown),
            ("_[w]", JitTier::Unknown),
            ("_[j]", JitTier::Jit),
            ("_[0]", JitTier::Interpreter),
            ("_[1]", JitTier::C1),
        ] {
            let expected = Suffix { inlined: false, tier };
            assert_eq!(without_suffix(&format!("f{suffix}")), ("f", expected));
        }
        for frame in ["f", "f_[x]", "_[k]", "f[k]"] {
            assert_eq!(without_suffix(frame), (frame, Suffix::default()));
        }
        assert_eq!(without_offset("main+0x1f"), "main");
        assert_eq!(without_offset("a+0xg"), "a+0xg");
    }
}
