//! Results of readers as text, for tests.

use crate::read::result::Read;
use profile::{Profile, Recording, StackAccess, Thread, WarningCode};
use std::fmt::Write;

pub(crate) fn profile(read: &Read) -> &Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("expected stacks") };
    profile
}

/// Each sample as `pid/tid: root > leaf|file@definition:line weights`, as far as the parts are
/// known.
pub(crate) fn rows(read: &Read) -> String {
    let ids = |thread: &Thread| {
        [&thread.pid, &thread.tid]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("/")
    };
    labelled_rows(read, ids)
}

/// As [`rows`], with another label for threads. Inlined frames have a `~` at the end.
pub(crate) fn labelled_rows(read: &Read, label: impl Fn(&Thread) -> String) -> String {
    let profile = profile(read);
    let (symbols, mut out) = (profile.symbols(), String::new());
    for (thread, samples) in profile.sampled_threads() {
        let label = label(thread);
        for row in 0..samples.len() {
            let (mut names, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let func = symbols.funcs.get(frame.func);
                let mut name = symbols.func_name(frame.func).to_owned();
                if let Some(source) = func.source {
                    write!(name, "|{}", symbols.source_name(source)).unwrap();
                }
                if let Some(lib) = func.lib {
                    write!(name, "|{}", symbols.libs[lib.index()].name).unwrap();
                }
                for (mark, line) in
                    [('@', func.line), (':', frame.line)].into_iter().filter(|&(_, line)| line > 0)
                {
                    write!(name, "{mark}{line}").unwrap();
                }
                name.push_str(if frame.inlined { "~" } else { "" });
                names.push(name);
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            if !label.is_empty() {
                write!(out, "{label}: ").unwrap();
            }
            out.push_str(&names.join(" > "));
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            out.push('\n');
        }
    }
    out
}

/// The codes of the warnings and their counts.
pub(crate) fn warnings(read: &Read) -> Vec<(WarningCode, u64)> {
    read.warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect()
}
