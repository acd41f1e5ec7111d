//! Where `costline fetch` writes profiles, and what it calls them. It writes them, and the server looks
//! for them.

use crate::format::Format;

/// The folder of a project whose files may all be profiles.
pub const FOLDER: &str = ".costline";
/// The file in [`FOLDER`] that names sources.
pub const SOURCES: &str = "sources.toml";
/// What the name of a profile to compare with ends in, before the extension.
pub const BASELINE: &str = "-baseline";
/// The extensions of profiles, without the leading dot.
pub const EXTENSIONS: [&str; 7] =
    ["pb.gz", "pb", "folded", "cpuprofile", "heapprofile", "speedscope.json", "profile"];

/// The extension of a profile, by which it is found elsewhere too: one of [`EXTENSIONS`].
pub fn extension(format: Format, content: &[u8]) -> &'static str {
    match (format, content.starts_with(b"\x1f\x8b")) {
        (Format::Pprof, true) => "pb.gz",
        (Format::Pprof, false) => "pb",
        (Format::Folded, _) => "folded",
        (Format::CpuProfile, _) => "cpuprofile",
        (Format::HeapProfile, _) => "heapprofile",
        (Format::Speedscope, _) => "speedscope.json",
        _ => "profile",
    }
}

/// The name of a profile without its extension, which [`extension`] adds again.
pub fn without_extension(name: &str) -> &str {
    let unpacked = name.strip_suffix(".gz").unwrap_or(name);
    let mut extensions = EXTENSIONS.into_iter().chain(["json"]);
    let stem = extensions.find_map(|it| unpacked.strip_suffix(it)?.strip_suffix('.'));
    stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_the_extensions_of_profiles_only() {
        for name in ["a.pb.gz", "a.pb", "a.json", "a.json.gz", "a.speedscope.json", "a.folded"] {
            assert_eq!(without_extension(name), "a");
        }
        for name in ["a.v2", "callgrind.out.1", "pb.gz", ".pb", "a.tar.gz"] {
            assert_eq!(without_extension(name), name);
        }
    }

    #[test]
    fn all_extensions_are_known() {
        let contents: [&[u8]; 2] = [b"\x1f\x8b", b""];
        let written = Format::ALL.into_iter().flat_map(|it| contents.map(|of| extension(it, of)));
        let mut written: Vec<_> = written.collect();
        written.sort_unstable();
        written.dedup();
        let mut known = EXTENSIONS;
        known.sort_unstable();
        assert_eq!(written, known);
    }
}
