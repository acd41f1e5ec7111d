//! JavaScript, and TypeScript that Node.js runs as it is: programs, benchmarks and tests of
//! `node:test` and mocha. Runners that compile the code first are left out, because the lines in
//! their profiles are not lines of the sources.

use super::entry::{Entry, command};
use super::profiler::Profiler;
use super::source::Source;

/// The beginning of a block that runs only if the file is the program.
const GUARDS: [&str; 4] = [
    "if (require.main === module",
    "if (module === require.main",
    "if (import.meta.main",
    "if (import.meta.url ===",
];

/// The calls that define tests.
const TESTS: [&str; 5] = ["test(", "it(", "describe(", "suite(", "test.describe("];

/// Where `node:test` is imported.
const NODE_TEST: [&str; 4] =
    ["from \"node:test\"", "from 'node:test'", "require(\"node:test\")", "require('node:test')"];

/// The entry point of mocha.
const MOCHA: &str = "node_modules/mocha/bin/mocha.js";

pub fn entries(source: &Source) -> Vec<Entry> {
    let project = source.folder_with("package.json");
    let folder = project.unwrap_or_else(|| source.root.to_owned());
    let Some(file) = source.path_in(&folder) else { return Vec::new() };
    let found = match kind(source) {
        Some(Kind::Test) => {
            let line0 = source.line_with(&TESTS);
            let is_own = NODE_TEST.iter().any(|import| source.text.contains(import));
            let runner: Option<&[&str]> =
                if is_own { Some(&[]) } else { folder.join(MOCHA).is_file().then_some(&[MOCHA]) };
            line0.zip(runner).map(|(line0, runner)| (line0, format!("tests {file}"), runner))
        }
        Some(Kind::Benchmark) => Some((0, format!("benchmarks {file}"), &[] as &[&str])),
        None => program(source).map(|line0| (line0, file.clone(), &[] as &[&str])),
    };
    let Some((line0, name, runner)) = found else { return Vec::new() };
    let profiles = format!("--cpu-prof-dir={}", source.output(Profiler::Node, &folder));
    let commands = vec![command(&[&["node", "--cpu-prof", &profiles], runner, &[&file]])];
    vec![Entry { line0, name, profiler: Profiler::Node, folder, commands }]
}

/// The kind of a file that is no program.
enum Kind {
    Test,
    Benchmark,
}

fn kind(source: &Source) -> Option<Kind> {
    let stem = source.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let (_, kind) = stem.rsplit_once(['.', '-', '_'])?;
    match kind {
        "test" | "spec" => Some(Kind::Test),
        "bench" | "benchmark" => Some(Kind::Benchmark),
        _ => None,
    }
}

/// The line of a program: its function `main`, the block that runs it, or its `#!`.
fn program(source: &Source) -> Option<u32> {
    let main = source.main().map(|main| main.name_line0);
    let shebang = || source.line_with(&["#!"]).filter(|line0| *line0 == 0);
    main.or_else(|| source.line_with(&GUARDS)).or_else(shebang)
}
