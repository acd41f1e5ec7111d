//! The result of unwinding, and the warning about stacks that end early.

use crate::LibStatus;
use profile::{AddressBase, Lib, LibId, Profile, Warning, WarningCode};

/// How to get callers without the files that are missing on this machine.
const IN_PERF: &str = ". On the machine where it was recorded, `perf script -i perf.data -F +pid,+srcline --full-source-path \
                       > perf.txt` writes a text file that needs no other files";

/// The result of unwinding.
#[derive(Debug)]
pub struct UnwindResult {
    /// The profile with callers; `None` if none were found.
    pub profile: Option<Profile>,
    /// The number of stacks that were unwound to their root.
    pub n_whole: usize,
    /// The number of stacks that end early because the recorded copy of the stack does.
    pub n_too_deep: usize,
    /// The number of stacks that end early at code whose callers are unknown, by library. Libraries
    /// without a file (`[vdso]`) are included; `None` stands for memory outside all mappings.
    pub cut_at: Vec<(Option<LibId>, usize)>,
    /// Libraries that are needed but were not found, and why. `[vdso]` is one if perf kept no copy of
    /// it.
    pub missing: Vec<(LibId, LibStatus)>,
    /// Libraries that were found, but in which a stack ends at code without an unwind table.
    pub without_tables: Vec<LibId>,
}

impl UnwindResult {
    /// A warning if callers are missing.
    pub fn warning(&self, profile: &Profile) -> Option<Warning> {
        let count = self.n_too_deep + self.cut_at.iter().map(|&(_, n)| n).sum::<usize>();
        if count == 0 {
            return None;
        }
        let samples = if count == 1 { "a sample" } else { "samples" };
        let why = self.causes(profile).join("; ");
        let advice = if self.is_known_to_perf(profile) { IN_PERF } else { "" };
        let message = format!("outer callers of {samples} are missing: {why}{advice}");
        Some(Warning { code: WarningCode::CutStacks, message, count: count as u64 })
    }

    /// Whether perf, on the machine of the recording, can find callers that are missing here. It uses
    /// the same unwind tables, and it uses files that have changed since without saying so.
    fn is_known_to_perf(&self, profile: &Profile) -> bool {
        if !cfg!(feature = "debug-info") {
            return true;
        }
        let libs = &profile.symbols().libs;
        let missing =
            self.missing.iter().filter_map(|(id, why)| Some((libs.get(id.index())?, why)));
        let has_changed =
            |why: &LibStatus| matches!(why, LibStatus::Newer { .. } | LibStatus::Mismatch { .. });
        let mut missing = missing.peekable();
        missing.peek().is_some()
            && missing.all(|(lib, why)| lib.name.starts_with('[') || !has_changed(why))
    }

    /// Why stacks end early, as far as it is known. The most frequent cause comes first.
    fn causes(&self, profile: &Profile) -> Vec<String> {
        let libs = &profile.symbols().libs;
        let mut by_lib: Vec<(&str, Vec<&str>)> = Vec::new();
        for (id, lib) in
            self.cut_at.iter().filter_map(|&(id, _)| Some((id?, libs.get(id?.index())?)))
        {
            let cause = self.cause(id, lib);
            match by_lib.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, paths)) => paths.push(&lib.path),
                None => by_lib.push((cause, vec![&lib.path])),
            }
        }
        let mut causes: Vec<String> = by_lib
            .into_iter()
            .map(|(cause, paths)| format!("{cause}: {}", paths.join(", ")))
            .collect();
        if !cfg!(feature = "debug-info") {
            causes.push("this program was built without the part that unwinds".to_owned());
        } else if self.cut_at.iter().any(|(lib, _)| lib.is_none()) {
            causes.push("some code is outside all recorded mappings".to_owned());
        }
        if self.n_too_deep > 0 {
            causes.push(format!(
                "{} stacks are larger than their recorded copies (`--call-graph dwarf,65528` records more)",
                self.n_too_deep
            ));
        }
        causes
    }

    /// Why stacks end in a library.
    fn cause(&self, id: LibId, lib: &Lib) -> &'static str {
        if self.without_tables.contains(&id) {
            return "some of this code has no unwind tables";
        }
        if let Some((_, why)) = self.missing.iter().find(|(missing, _)| *missing == id) {
            return no_file(lib, why);
        }
        match lib.addresses {
            AddressBase::File => "unwind tables do not lead to a caller",
            AddressBase::Image | AddressBase::Unknown => {
                "this code has no file, and frame pointers do not lead to a caller"
            }
        }
    }
}

/// Why there is no file of a library.
fn no_file(lib: &Lib, why: &LibStatus) -> &'static str {
    match why {
        _ if lib.name.starts_with('[') => "the copies that perf keeps in ~/.debug were not found",
        LibStatus::Mismatch { .. } => {
            "these files are from another build than the recorded ones (add the recorded files to \
             symbols.paths)"
        }
        LibStatus::Newer { .. } => "these files are newer than the recording",
        LibStatus::Ambiguous { .. } => "several files match these recorded ones",
        LibStatus::Unreadable { .. } => "these files of the recording cannot be read",
        LibStatus::NoMemory { .. } => {
            "reading these files of the recording needs more memory than is free"
        }
        _ => "these files of the recording were not found",
    }
}

/// Unwinds nothing.
#[cfg(not(feature = "debug-info"))]
pub fn unwind(
    _: &Profile,
    raw: &profile::RawStacks,
    _: &mut dyn FnMut(&Lib) -> Result<Vec<u8>, LibStatus>,
) -> UnwindResult {
    UnwindResult {
        profile: None,
        n_whole: 0,
        n_too_deep: 0,
        cut_at: vec![(None, raw.stacks.len())],
        missing: Vec::new(),
        without_tables: Vec::new(),
    }
}

#[cfg(all(test, feature = "debug-info"))]
mod tests {
    use super::*;
    use profile::{Metric, ProfileBuilder};

    #[test]
    fn the_warning_names_each_cause_once() {
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let mut lib = |path: &str, addresses| {
            let lib =
                Lib { name: path.to_owned(), path: path.to_owned(), addresses, ..Lib::default() };
            builder.intern_lib(lib).unwrap()
        };
        let [vdso, a, b, c, d, rebuilt, newer] =
            ["[vdso]", "a.so", "b.so", "c.so", "d.so", "rebuilt", "newer"]
                .map(|path| lib(path, AddressBase::File));
        let generated = lib("perf-1.map", AddressBase::Image);
        let none = || LibStatus::Missing { recorded: String::new() };
        let [expected, found] = ["1a", "2b"].map(|id| crate::Id::new("", id));
        let other = LibStatus::Mismatch { path: "rebuilt".into(), expected, found };
        let result = UnwindResult {
            profile: None,
            n_whole: 1,
            n_too_deep: 2,
            cut_at: [a, generated, d, c, b, vdso, rebuilt, newer]
                .map(Some)
                .into_iter()
                .chain([None])
                .map(|lib| (lib, 3))
                .collect(),
            missing: vec![
                (vdso, none()),
                (a, none()),
                (b, none()),
                (rebuilt, other),
                (newer, LibStatus::Newer { path: "newer".into() }),
            ],
            without_tables: vec![c],
        };
        let profile = builder.build();
        assert_eq!(
            result.causes(&profile),
            [
                "these files of the recording were not found: a.so, b.so",
                "this code has no file, and frame pointers do not lead to a caller: perf-1.map",
                "unwind tables do not lead to a caller: d.so",
                "some of this code has no unwind tables: c.so",
                "the copies that perf keeps in ~/.debug were not found: [vdso]",
                "these files are from another build than the recorded ones (add the recorded files \
                 to symbols.paths): rebuilt",
                "these files are newer than the recording: newer",
                "some code is outside all recorded mappings",
                "2 stacks are larger than their recorded copies (`--call-graph dwarf,65528` records more)",
            ]
        );
        let warning = result.warning(&profile).unwrap();
        assert_eq!(warning.count, 29);
        assert!(!warning.message.contains("perf script"), "{}", warning.message);
    }

    #[test]
    fn perf_is_advised_only_where_it_knows_more() {
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let lib = Lib { name: "app".to_owned(), path: "/b/app".to_owned(), ..Lib::default() };
        let app = builder.intern_lib(lib).unwrap();
        let profile = builder.build();
        let message = |missing: Vec<(LibId, LibStatus)>, n_too_deep| {
            let result = UnwindResult {
                profile: None,
                n_whole: 0,
                n_too_deep,
                cut_at: vec![(Some(app), 1)],
                missing,
                without_tables: vec![app],
            };
            result.warning(&profile).unwrap().message
        };
        let missing = || (app, LibStatus::Missing { recorded: String::new() });
        let newer = || (app, LibStatus::Newer { path: "/b/app".into() });
        let known = message(vec![missing()], 0);
        assert!(known.ends_with(IN_PERF), "{known}");
        // It would use the file of another build, or has the same tables and copies.
        for missing in [vec![newer()], vec![missing(), newer()], vec![]] {
            assert!(!message(missing, 0).contains("perf script"));
        }
        let tables = "some of this code has no unwind tables: /b/app";
        assert_eq!(message(vec![], 0), format!("outer callers of a sample are missing: {tables}"));
        let deep = message(vec![], 2);
        assert!(deep.starts_with("outer callers of samples are missing: "), "{deep}");
    }
}
