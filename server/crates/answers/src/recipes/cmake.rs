//! C and C++ with `CMake`: programs, tests of Google Test and benchmarks of Google Benchmark, by
//! samply. They are built in a folder of their own, so that the user's build stays as it is.

use super::entry::{Entry, command};
use super::profiler::Profiler;
use super::source::{Source, slashes};
use sources::regular_file;
use std::env::consts::EXE_SUFFIX;
use std::path::Path;

const LISTS: &str = "CMakeLists.txt";
/// The folder of the build.
const BUILD: &str = "build/profile";
/// The limit for a list that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

pub fn entries(source: &Source) -> Vec<Entry> {
    let with_lists: Vec<&Path> =
        source.folders().filter(|folder| folder.join(LISTS).is_file()).collect();
    let Some((inner, top)) = with_lists.first().zip(with_lists.last()) else { return Vec::new() };
    let lists = read(&inner.join(LISTS)).unwrap_or_default();
    let file = source.path_in(inner).unwrap_or_default();
    let Some(target) = target(&lists, &file) else { return Vec::new() };
    let program = program(top, inner, &target);
    let entry = |line0: u32, name: String, arguments: &[&str]| {
        let output = source.output(Profiler::Samply, top);
        let samply = ["samply", "record", "--save-only", "-o", &output, "--", &program];
        let (kind, config) = ("-DCMAKE_BUILD_TYPE=RelWithDebInfo", ["--config", "RelWithDebInfo"]);
        let commands = vec![
            command(&[&["cmake", "-S", ".", "-B", BUILD, kind]]),
            command(&[&["cmake", "--build", BUILD], &config, &["--target", &target]]),
            command(&[&samply, arguments]),
        ];
        Entry { line0, name, profiler: Profiler::Samply, folder: top.to_path_buf(), commands }
    };
    let main = source.main().map(|main| entry(main.name_line0, target.clone(), &[]));
    let lines = (0..).zip(source.text.lines());
    let tests = lines.filter_map(|(line0, line)| {
        let (name, filter) = test(line)?;
        Some(entry(line0, name, &[&filter]))
    });
    main.into_iter().chain(tests).collect()
}

fn read(path: &Path) -> Option<String> {
    regular_file::read_to_string(path, MAX_BYTES).ok()
}

/// The test or benchmark that a line begins, and the option that selects it.
fn test(line: &str) -> Option<(String, String)> {
    let (call, rest) = line.split_once('(')?;
    let mut arguments = rest.split(')').next()?.split(',').map(str::trim);
    let name = arguments.next().filter(|name| is_name(name))?;
    match call {
        "TEST" | "TEST_F" => {
            let name = format!("{name}.{}", arguments.next().filter(|name| is_name(name))?);
            Some((format!("test {name}"), format!("--gtest_filter={name}")))
        }
        "BENCHMARK" => {
            Some((format!("benchmark {name}"), format!("--benchmark_filter=^{name}($|/)")))
        }
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The program that a file is built into: the one that lists it, or the only one.
fn target(lists: &str, file: &str) -> Option<String> {
    let calls = |name: &str| {
        let starts = lists.match_indices(name).map(|(at, _)| at + name.len());
        let inner = starts.filter_map(|at| lists.get(at..)?.split_once(')'));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        inner.map(|(inner, _)| words(inner)).collect::<Vec<Vec<String>>>()
    };
    let programs = calls("add_executable(");
    let listing = programs.iter().find(|words| words.iter().skip(1).any(|word| word == file));
    let only = || programs.first().filter(|_| programs.len() == 1);
    let name = listing.or_else(only)?.first()?.clone();
    if name == "${PROJECT_NAME}" {
        return calls("project(").first()?.first().cloned();
    }
    Some(name).filter(|name| !name.contains('$'))
}

/// The path of the built program, relative to the top folder.
fn program(top: &Path, inner: &Path, target: &str) -> String {
    let below = inner.strip_prefix(top).ok().and_then(slashes).filter(|below| !below.is_empty());
    // On Windows, the usual generator builds all configurations in one folder.
    let config = cfg!(windows).then(|| "RelWithDebInfo".to_owned());
    let program = format!("{target}{EXE_SUFFIX}");
    let parts = [Some(BUILD.to_owned()), below, config, Some(program)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("/")
}
