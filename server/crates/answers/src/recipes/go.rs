//! Go: programs by samply, tests and benchmarks by `go test`.

use super::entry::{Entry, command};
use super::profiler::Profiler;
use super::source::Source;
use std::env::consts::EXE_SUFFIX;

pub fn entries(source: &Source) -> Vec<Entry> {
    let Some(folder) = source.folder_with("go.mod") else { return Vec::new() };
    let inner =
        source.path.parent().and_then(|inner| Some((inner, inner.strip_prefix(&folder).ok()?)));
    let Some((package, inner)) = inner else { return Vec::new() };
    let Some(inner) = super::source::slashes(inner) else { return Vec::new() };
    let pattern = if inner.is_empty() { ".".to_owned() } else { format!("./{inner}") };
    if source.file_name().ends_with("_test.go") {
        let tests = source.top_level().filter_map(|definition| {
            let name = &definition.name;
            let exact = format!("^{name}$");
            let (kind, selected): (_, &[&str]) = if is_named(name, "Benchmark") {
                ("benchmark", &["-run", "^$", "-bench", &exact])
            } else if is_named(name, "Test") && name != "TestMain" {
                // Results that are cached would write no profile.
                ("test", &["-count=1", "-run", &exact])
            } else {
                return None;
            };
            let output = source.output(Profiler::Go, &folder);
            let profile = ["-cpuprofile", &output, &pattern];
            Some(Entry {
                line0: definition.name_line0,
                name: format!("{kind} {name}"),
                profiler: Profiler::Go,
                folder: folder.clone(),
                commands: vec![command(&[&["go", "test"], selected, &profile])],
            })
        });
        return tests.collect();
    }
    let is_program = source.line_with(&["package main"]).is_some();
    let main = source.main().filter(|_| is_program);
    let name = package.file_name().and_then(|name| name.to_str());
    let Some((main, name)) = main.zip(name) else { return Vec::new() };
    // `go run` would remove the program before its symbols are read.
    let program = format!("bin/{name}{EXE_SUFFIX}");
    let output = source.output(Profiler::Samply, &folder);
    let commands = vec![
        command(&[&["go", "build", "-o", &program, &pattern]]),
        command(&[&["samply", "record", "--save-only", "-o", &output, "--", &program]]),
    ];
    let (line0, name) = (main.name_line0, name.to_owned());
    vec![Entry { line0, name, profiler: Profiler::Samply, folder, commands }]
}

/// Whether `go test` runs a function of this name: `TestWords`, `Test_words`, but not `Testwords`.
fn is_named(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix);
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}
