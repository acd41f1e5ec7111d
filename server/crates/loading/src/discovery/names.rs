//! The names of files and folders that may be profiles.

use crate::discovery::companions;
use crate::settings::Settings;
use crate::settings::paths::{glob_set, globs_in};
use formats::fetched::FOLDER;
use globset::GlobSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// File names of profiles. Each may also end in `.gz` or `.zst`. Without braces, because
/// [`watch_globs`] adds some and not every editor supports wildcards between braces.
pub const NAMES: [&str; 55] = [
    "profile*.json",
    "*.jslb",
    "*.cpuprofile",
    "*.heapprofile",
    "isolate-*-v8.log",
    "v8.log",
    "*.folded",
    "*.collapsed",
    "*.speedscope.json",
    "*.pb",
    "*.pprof",
    "callgrind.out.*",
    "gmon.out",
    "gmon.sum",
    "cachegrind.out.*",
    "perf.data",
    "*.perf.data",
    "perf.txt",
    "*.perf.txt",
    "*.perf",
    "report_sample.trace",
    "perf*.trace",
    "cpu-simpleperf-*.trace",
    "*.sample.txt",
    "*.xctrace.xml",
    "Deep.data",
    "*_on_*_at_*.data",
    "*.mojo",
    "*.austin",
    "*.prof",
    "*.pstats",
    "*.pyisession",
    "*.lprof",
    "scalene*.json",
    "*.chrometrace.json",
    "*.trace.json",
    "trace.json",
    "trace-*.json",
    "*.raw",
    "stackprof*.json",
    "Rprof*.out",
    "*.Rprof",
    "heaptrack.*.zst",
    "heaptrack.*.gz",
    "memray-*.bin",
    "*.otlp",
    "*.otlp.json",
    "*.jfr",
    "*.nettrace",
    "flamegraph*.svg",
    "profile*.svg",
    "perf*.svg",
    "*-20??-??-??T*.svg",
    "dhat.out.*",
    "dhat*.json",
];
/// Those of [`NAMES`] that other kinds of files often have, too.
const SHARED_NAMES: [&str; 16] = [
    "profile*.json",
    "*.pb",
    "perf.txt",
    "*.perf.txt",
    "*.perf",
    "*.sample.txt",
    "*.prof",
    "*.trace.json",
    "trace.json",
    "trace-*.json",
    "*.raw",
    "flamegraph*.svg",
    "profile*.svg",
    "perf*.svg",
    "*-20??-??-??T*.svg",
    "dhat*.json",
];
/// Names of recordings that cannot be read, so that somebody says what they are.
const NOT_READ: [&str; 10] = [
    "mprofile_*.dat",
    "massif.out.*",
    "jeprof.*.heap",
    "profile.coz",
    "*.heapsnapshot",
    "*.etl",
    "*.perfetto-trace",
    "*.pftrace",
    "nytprof.out",
    "stackprof*.dump",
];
/// Folders in which any file may be a profile. Files whose names begin with a dot are those that
/// `costline fetch` and exports are writing.
pub const PROFILE_FOLDERS: [&str; 2] = ["profiles", FOLDER];
/// The folder of criterion benchmarks in a root. Profiles are in folders named `profile` below it.
pub(super) const CRITERION: &str = "target/criterion";
/// The maximum depth of folders below a root.
pub const DEPTH: usize = 3;

/// The names of the files that are examined, also of compressed files.
static FILES: LazyLock<GlobSet> = LazyLock::new(|| files(examined()));

/// Those that only profiles have.
static PROFILES: LazyLock<GlobSet> = LazyLock::new(|| {
    let is_shared = |name: &&&str| SHARED_NAMES.contains(*name);
    files(NAMES.iter().filter(|name| !is_shared(name)).chain(&["*.pb.gz"]))
});

fn examined() -> impl Iterator<Item = &'static &'static str> {
    NAMES.iter().chain(&NOT_READ)
}

/// Globs of file names, and of the same files compressed.
fn files<'n>(names: impl Iterator<Item = &'n &'n str>) -> GlobSet {
    let compressed =
        |name: &&str| [(*name).to_owned(), format!("{name}.gz"), format!("{name}.zst")];
    let names: Vec<String> = names.flat_map(compressed).collect();
    glob_set(names.iter().map(String::as_str))
}

/// Whether a file has a name that only profiles have.
pub(super) fn is_name_of_profiles(path: &Path) -> bool {
    path.file_name().is_some_and(|name| PROFILES.is_match(Path::new(name)))
}

/// Whether a file has a name that profilers use.
pub fn is_named_like_profile(path: &Path) -> bool {
    Patterns::default().matches(Path::new(""), path)
}

/// Globs of the files that are examined in `roots` and of companions, for an editor that reports file
/// changes. They match at any depth.
pub fn watch_globs(settings: &Settings, roots: &[PathBuf]) -> Vec<String> {
    let below = |glob: &str| format!("**/{}", glob.strip_prefix("**/").unwrap_or(glob));
    let companions = companions::names().map(|name| below(&name));
    if settings.profiles.is_some() {
        let globs = roots.iter().filter_map(|root| profile_globs(settings, root, roots)).flatten();
        let globs: BTreeSet<String> = globs.map(|glob| below(&glob)).collect();
        return globs.into_iter().chain(companions).collect();
    }
    let names = examined().flat_map(|name| [below(name), below(&format!("{name}.{{gz,zst}}"))]);
    let folders = PROFILE_FOLDERS.iter().map(|folder| below(&format!("{folder}/*")));
    let criterion = below(&format!("{CRITERION}/**/profile/*"));
    names.chain(folders).chain([criterion]).chain(companions).collect()
}

/// The globs of the setting `profiles` in a root, relative to it. `None` if it is not set.
pub(super) fn profile_globs(
    settings: &Settings,
    root: &Path,
    roots: &[PathBuf],
) -> Option<Vec<String>> {
    let globs = settings.profiles.as_deref()?;
    Some(globs_in(root, globs, roots, std::env::home_dir().as_deref()))
}

/// Which files in a root are examined.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// The globs of the setting `profiles`, which replaces the names that profilers use.
    globs: Option<Vec<String>>,
    /// The same, as one set.
    paths: Option<GlobSet>,
    /// The number of folder levels to search.
    pub depth: usize,
}

impl Patterns {
    /// The patterns of globs, which are relative to the root, or else of the names that profilers use.
    pub fn new(globs: Option<Vec<String>>) -> Self {
        let depth =
            |glob: &String| glob.matches('/').count() + if glob.contains("**") { DEPTH } else { 0 };
        Self {
            paths: globs.as_ref().map(|globs| glob_set(globs.iter().map(String::as_str))),
            depth: globs.iter().flatten().map(depth).max().unwrap_or(0).max(DEPTH),
            globs,
        }
    }

    /// Whether these are the patterns of globs.
    pub fn are_of(&self, globs: Option<&[String]>) -> bool {
        self.globs.as_deref() == globs
    }

    /// Whether a file in `root` is examined.
    pub fn matches(&self, root: &Path, path: &Path) -> bool {
        let parent =
            path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("");
        match &self.paths {
            Some(paths) => path.strip_prefix(root).is_ok_and(|path| paths.is_match(path)),
            None => {
                (PROFILE_FOLDERS.contains(&parent) && !is_hidden(path))
                    || (parent == "profile" && path.starts_with(root.join(CRITERION)))
                    || path.file_name().is_some_and(|name| FILES.is_match(Path::new(name)))
            }
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_some_names_are_those_of_profiles_alone() {
        assert!(SHARED_NAMES.iter().all(|name| NAMES.contains(name)));
        for path in ["perf.data", "a/cpu.pb.gz", "x.cpuprofile", "x.speedscope.json.zst"] {
            assert!(is_name_of_profiles(Path::new(path)), "{path}");
        }
        for path in ["model.pb", "a.raw", "trace.json", "profiles/any", "profile.json.gz"] {
            assert!(!is_name_of_profiles(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn watch_globs_match_what_discovery_finds() {
        let globs = |settings: &serde_json::Value| {
            watch_globs(&Settings::parse(settings).0, &["/w".into()])
        };
        let watched = |settings: &serde_json::Value, path: &str| {
            let globs = globs(settings);
            glob_set(globs.iter().map(String::as_str)).is_match(path)
        };
        let defaults = json!({});
        for name in examined() {
            let name = name.replace('*', "1");
            for path in [name.clone(), format!("/w/a/{name}.gz"), format!("/w/{name}.zst")] {
                assert!(watched(&defaults, &path), "{path}");
            }
        }
        for path in
            ["/w/profiles/any", "/w/.costline/any", "/w/target/criterion/a/b/profile/any.txt"]
        {
            assert!(watched(&defaults, path), "{path}");
        }
        for path in ["/w/src/main.rs", "/w/package.json", "/w/a.json.gz", "/w/profile/any.txt"] {
            assert!(!watched(&defaults, path), "{path}");
        }
        let chosen = json!({"profiles": ["./out/*.txt", "**/*.bin"]});
        assert_eq!(globs(&chosen)[..2], ["**/*.bin", "**/out/*.txt"]);
        for settings in [&defaults, &chosen] {
            assert!(watched(settings, "/w/Deep.procrep") && watched(settings, "/w/p.syms.json"));
        }
        assert!(watched(&chosen, "/w/out/a.txt") && !watched(&chosen, "/w/a.cpuprofile"));
    }
}
