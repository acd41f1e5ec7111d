//! The pages of the book about recording.

/// A page.
pub struct Page {
    /// The name of its file, without the extension.
    pub name: &'static str,
    /// Its Markdown.
    pub text: &'static str,
    /// The languages that it is for (`answers::Language`), where the programs of others are rare.
    pub languages: &'static [&'static str],
}

impl Page {
    /// Its resource.
    pub fn uri(&self) -> String {
        format!("costline://recording/{}", self.name)
    }

    /// Its heading.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

macro_rules! page {
    ($name:literal, $languages:expr) => {
        Page {
            name: $name,
            text: include_str!(concat!("../../../../docs/recording/", $name, ".md")),
            languages: &$languages,
        }
    };
}

const NATIVE: [&str; 3] = ["Rust", "C", "Cpp"];
const SCRIPT: [&str; 3] = ["JavaScript", "TypeScript", "Tsx"];

/// All pages. Of several for one language, the best comes first.
pub const PAGES: [Page; 36] = [
    Page { name: "index", text: include_str!("../../../../docs/recording.md"), languages: &[] },
    page!("samply", NATIVE),
    page!("perf", NATIVE),
    page!("macos", NATIVE),
    page!("gperftools", NATIVE),
    page!("callgrind", NATIVE),
    page!("gprof", NATIVE),
    page!("heaptrack", NATIVE),
    page!("dhat", NATIVE),
    page!("rust-pprof", ["Rust"]),
    page!("rust-tracing", ["Rust"]),
    page!("go", ["Go"]),
    page!("node", SCRIPT),
    page!("deno-bun", SCRIPT),
    page!("devtools", SCRIPT),
    page!("firefox", SCRIPT),
    page!("py-spy", ["Python"]),
    page!("austin", ["Python"]),
    page!("python-sampling", ["Python"]),
    page!("cprofile", ["Python"]),
    page!("pyinstrument", ["Python"]),
    page!("line-profiler", ["Python"]),
    page!("scalene", ["Python"]),
    page!("viztracer", ["Python"]),
    page!("pytorch", ["Python"]),
    page!("memray", ["Python"]),
    page!("stackprof", ["Ruby"]),
    page!("r", ["R"]),
    page!("rbspy", ["Ruby"]),
    page!("haskell", []),
    page!("mercury", ["Mercury"]),
    page!("java", ["Java"]),
    page!("simpleperf", ["Java"]),
    page!("dotnet", ["CSharp"]),
    page!("lua", ["Lua"]),
    page!("others", ["Php", "Lua"]),
];
