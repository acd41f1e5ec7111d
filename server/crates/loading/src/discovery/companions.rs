//! Companions: files beside a profile that are read with it, and named after it. A profile is read
//! again when one of them appears or changes. One that was deleted changes nothing.

use crate::discovery::stamp::Stamp;
use formats::Format;
use std::fs;
use std::path::{Path, PathBuf};

/// The extension of the file with the code of a program that Mercury profiled.
pub const PROGRAM: &str = "procrep";
/// The extension of the contour file of a Mercury profile: the modules that lists of callers leave
/// out.
pub const CONTOUR: &str = "contour";
/// The extension of the symbols that samply 0.13 writes with `--unstable-presymbolicate`.
pub const SYMBOLS: &str = "syms.json";

/// The extension of a coverage report by lcov that belongs to one profile.
const REPORT: &str = "info";
/// The coverage report that belongs to all profiles in its folder.
const SHARED_REPORT: &str = "lcov.info";

/// For each format with companions, the extensions that replace the profile's extension.
const COMPANIONS: [(Format, &str); 3] = [
    (Format::MercuryDeep, PROGRAM),
    (Format::MercuryDeep, CONTOUR),
    (Format::FirefoxProcessed, SYMBOLS),
];

/// The companions of a profile that exist.
pub fn companions(profile: &Path, format: Format) -> Vec<(PathBuf, Stamp)> {
    let existing = |path: PathBuf| {
        let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((path, Stamp::from_metadata(&metadata)))
    };
    let of_format = COMPANIONS.iter().filter(|(of, _)| *of == format);
    let of_format =
        of_format.filter_map(|(_, extension)| existing(profile.with_extension(extension)));
    let own_report = existing(profile.with_extension(REPORT));
    let report = own_report.or_else(|| existing(profile.with_file_name(SHARED_REPORT)));
    of_format.chain(report).collect()
}

/// Whether a companion is a coverage report by lcov.
pub fn is_report(companion: &Path) -> bool {
    companion.extension().is_some_and(|extension| extension == REPORT)
}

/// Globs of the names of all companions.
pub fn names() -> impl Iterator<Item = String> {
    let extensions = COMPANIONS.iter().map(|(_, extension)| *extension);
    extensions.chain([REPORT]).map(|extension| format!("*.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_replace_the_extension_of_a_profile() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for name in ["Deep.procrep", "Deep.syms.json", "profile.json.syms.json", "other.procrep"] {
            fs::write(path(name), name).unwrap();
        }
        fs::create_dir(path("folder.procrep")).unwrap();
        let names = |profile: &str, format| -> Vec<(PathBuf, u64)> {
            let companions = companions(&path(profile), format).into_iter();
            companions.map(|(path, stamp)| (path, stamp.len)).collect()
        };
        assert_eq!(names("Deep.data", Format::MercuryDeep), [(path("Deep.procrep"), 12)]);
        let symbols = [(path("profile.json.syms.json"), 22)];
        assert_eq!(names("profile.json.gz", Format::FirefoxProcessed), symbols);
        assert_eq!(names("folder.data", Format::MercuryDeep), []);
        assert_eq!(names("Deep.folded", Format::Folded), []);
        fs::write(path("lcov.info"), "shared").unwrap();
        let shared = [(path("lcov.info"), 6)];
        assert_eq!(names("Deep.folded", Format::Folded), shared);
        fs::write(path("Deep.info"), "own").unwrap();
        assert_eq!(names("Deep.folded", Format::Folded), [(path("Deep.info"), 3)]);
        assert_eq!(names("a.folded", Format::Folded), shared);
    }
}
