//! Rust: programs, tests and benchmarks of a Cargo package, by samply. Cargo builds them first, so
//! that the compiler is not in the profile.

use super::entry::{Entry, command};
use super::profiler::Profiler;
use super::source::Source;
use sources::{CargoFile, CargoTarget, cargo_file};
use std::path::Path;
use texts::Definition;

/// Debug info with lines in optimized builds.
const RELEASE: [&str; 3] = ["--release", "--config", "profile.release.debug=1"];
/// The same for benchmarks, whose profile inherits from the release profile.
const BENCH: [&str; 2] = ["--config", "profile.bench.debug=1"];

pub fn entries(source: &Source) -> Vec<Entry> {
    let Some(folder) = source.folder_with("Cargo.toml") else { return Vec::new() };
    let Some(file) = cargo_file(&folder, source.path) else { return Vec::new() };
    let package = Package { source, folder: &folder, target: &file.target };
    let tests = source.definitions.iter().filter_map(|definition| package.function(definition));
    package.program(&file).into_iter().chain(tests).collect()
}

struct Package<'a> {
    source: &'a Source<'a>,
    folder: &'a Path,
    target: &'a CargoTarget,
}

impl Package<'_> {
    /// The program that the file is, or all benchmarks of criterion in it.
    fn program(&self, file: &CargoFile) -> Option<Entry> {
        let main = self.source.main().filter(|_| file.is_main).map(|main| main.name_line0);
        match self.target {
            CargoTarget::Bin(name) | CargoTarget::Example(name) => {
                Some(self.entry(main?, name.clone(), "build", "run", &RELEASE, &[]))
            }
            CargoTarget::Bench(name) => {
                let criterion = self.source.line_with(&["criterion_main!"]);
                let time: &[&str] =
                    if criterion.is_some() { &["--", "--profile-time", "5"] } else { &[] };
                let name = format!("benchmarks {name}");
                Some(self.entry(main.or(criterion)?, name, "bench", "bench", &BENCH, time))
            }
            CargoTarget::Test(_) | CargoTarget::Lib => None,
        }
    }

    /// A test or benchmark.
    fn function(&self, definition: &Definition) -> Option<Entry> {
        let line0 = definition.name_line0;
        let path = definition.scopes.iter().chain([&definition.name]);
        let path = path.map(String::as_str).collect::<Vec<_>>().join("::");
        match attribute(self.source.text, definition)? {
            "test" => {
                let name = format!("test {}", definition.name);
                Some(self.entry(line0, name, "test", "test", &RELEASE, &[&path]))
            }
            "bench" => {
                let name = format!("benchmark {}", definition.name);
                Some(self.entry(line0, name, "bench", "bench", &BENCH, &["--", &path]))
            }
            _ => None,
        }
    }

    fn entry(
        &self,
        line0: u32,
        name: String,
        build: &str,
        run: &str,
        options: &[&str],
        arguments: &[&str],
    ) -> Entry {
        let selected: &[&str] = match self.target {
            CargoTarget::Lib => &["--lib"],
            CargoTarget::Bin(name) => &["--bin", name],
            CargoTarget::Example(name) => &["--example", name],
            CargoTarget::Test(name) => &["--test", name],
            CargoTarget::Bench(name) => &["--bench", name],
        };
        let only_build: &[&str] = if build == run { &["--no-run"] } else { &[] };
        let output = self.source.output(Profiler::Samply, self.folder);
        let samply = ["samply", "record", "--save-only", "-o", &output, "--"];
        let commands = vec![
            command(&[&["cargo", build], only_build, options, selected]),
            command(&[&samply, &["cargo", run], options, selected, arguments]),
        ];
        let folder = self.folder.to_owned();
        Entry { line0, name, profiler: Profiler::Samply, folder, commands }
    }
}

/// The last segment of the attribute that makes a function a test or benchmark.
fn attribute<'t>(text: &'t str, definition: &Definition) -> Option<&'t str> {
    let before = text.get(..definition.bytes.start)?;
    let attributes = before.lines().rev().map(str::trim);
    // The last line may be the beginning of that of the function.
    let attributes = attributes
        .skip_while(|line| line.is_empty())
        .take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    let mut names = attributes.filter_map(|line| {
        let inner = line.strip_prefix("#[")?;
        let path = inner.split(['(', ']', ' ', '=']).next()?;
        path.rsplit("::").next()
    });
    names.find(|name| matches!(*name, "test" | "bench"))
}
