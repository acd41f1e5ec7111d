//! Recipes of small projects.

use super::{Source, entries};
use crate::query::recipes::command_text;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use texts::{Functions, Language};

/// A project with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The entries of a file: line (1-based), name, folder below the root, commands.
fn found(project: &TempDir, file: &str) -> Vec<(u32, String, String, Vec<String>)> {
    let root = project.path().canonicalize().unwrap();
    let path = root.join(file);
    let text = fs::read_to_string(&path).unwrap();
    let functions = Functions::parse(Language::of_path(&path).unwrap(), &*text).unwrap();
    let source = Source { path: &path, root: &root, text: &text, definitions: functions.all() };
    let relative = |folder: &Path| folder.strip_prefix(&root).unwrap().display().to_string();
    let root = format!("{}/", root.display());
    let text = |words: &Vec<String>| command_text(words).replace(&root, "ROOT/");
    entries(&source)
        .into_iter()
        .map(|entry| {
            let commands = entry.commands.iter().map(text).collect();
            (entry.line0 + 1, entry.name, relative(&entry.folder), commands)
        })
        .collect()
}

/// An entry with its commands in lines.
#[track_caller]
fn check(project: &TempDir, file: &str, expected: &[(u32, &str, &str, &[&str])]) {
    let found = found(project, file);
    let found: Vec<_> = found
        .iter()
        .map(|(line, name, folder, commands)| (*line, &**name, &**folder, commands.join("\n")))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(line, name, folder, commands)| (*line, *name, *folder, commands.join("\n")))
        .collect();
    assert_eq!(found, expected, "{file}");
}

const SAMPLY: &str = "samply record --save-only -o profile.json.gz --";
const RELEASE: &str = "--release --config profile.release.debug=1";

#[test]
fn cargo_builds_before_samply_records() {
    let project = project(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"words\"]\n"),
        (
            "words/Cargo.toml",
            "[package]\nname = \"words\"\n\n[[bench]]\nname = \"speed\"\nharness = false\n",
        ),
        ("words/src/main.rs", "mod area;\n\nfn main() {}\n"),
        (
            "words/src/area.rs",
            "fn area() {}\n\nmod tests {\n    #[test]\n    fn empty() {}\n\n    fn main() {}\n\n    #[tokio::test(flavor = \"x\")]\n    // slow\n    async fn full() {}\n}\n",
        ),
        ("words/src/bin/count/main.rs", "fn main() {}\n"),
        ("words/examples/demo.rs", "fn main() {}\n"),
        (
            "words/benches/speed.rs",
            "fn count(c: &mut Criterion) {}\n\ncriterion_group!(all, count);\ncriterion_main!(all);\n",
        ),
        (
            "words/benches/own.rs",
            "fn main() {\n    divan::main();\n}\n\n#[divan::bench]\nfn area() {}\n",
        ),
        ("words/build.rs", "fn main() {}\n"),
        ("other/main.rs", "fn main() {}\n"),
    ]);
    let (build, run) = (
        format!("cargo build {RELEASE} --bin words"),
        format!("{SAMPLY} cargo run {RELEASE} --bin words"),
    );
    check(&project, "words/src/main.rs", &[(3, "words", "words", &[&build, &run])]);
    let (build, run) = (
        format!("cargo build {RELEASE} --bin count"),
        format!("{SAMPLY} cargo run {RELEASE} --bin count"),
    );
    check(&project, "words/src/bin/count/main.rs", &[(1, "count", "words", &[&build, &run])]);
    let (build, run) = (
        format!("cargo build {RELEASE} --example demo"),
        format!("{SAMPLY} cargo run {RELEASE} --example demo"),
    );
    check(&project, "words/examples/demo.rs", &[(1, "demo", "words", &[&build, &run])]);
    let build = format!("cargo test --no-run {RELEASE} --bin words");
    let run = |name: &str| format!("{SAMPLY} cargo test {RELEASE} --bin words tests::{name}");
    let expected: &[(u32, &str, &str, &[&str])] = &[
        (5, "test empty", "words", &[&build, &run("empty")]),
        (11, "test full", "words", &[&build, &run("full")]),
    ];
    check(&project, "words/src/area.rs", expected);
    let bench = "--config profile.bench.debug=1 --bench";
    let (build, run) = (
        format!("cargo bench --no-run {bench} speed"),
        format!("{SAMPLY} cargo bench {bench} speed -- --profile-time 5"),
    );
    check(&project, "words/benches/speed.rs", &[(4, "benchmarks speed", "words", &[&build, &run])]);
    let (build, run) =
        (format!("cargo bench --no-run {bench} own"), format!("{SAMPLY} cargo bench {bench} own"));
    let one = format!("{run} -- area");
    let expected: &[(u32, &str, &str, &[&str])] = &[
        (1, "benchmarks own", "words", &[&build, &run]),
        (6, "benchmark area", "words", &[&build, &one]),
    ];
    check(&project, "words/benches/own.rs", expected);
    check(&project, "words/build.rs", &[]);
    check(&project, "other/main.rs", &[]);
}

#[test]
fn go_tests_write_a_profile_and_programs_are_built_first() {
    let project = project(&[
        ("go.mod", "module example.org/words\n"),
        ("cmd/count/main.go", "package main\n\nfunc main() {}\n"),
        ("area/area.go", "package area\n\nfunc main() {}\n"),
        (
            "area/area_test.go",
            "package area\n\nfunc TestArea(t *testing.T) {}\n\nfunc Testing() {}\n\nfunc TestMain(m *testing.M) {}\n\nfunc BenchmarkArea(b *testing.B) {}\n",
        ),
    ]);
    let program = format!("bin/count{}", std::env::consts::EXE_SUFFIX);
    let (build, run) =
        (format!("go build -o {program} ./cmd/count"), format!("{SAMPLY} {program}"));
    check(&project, "cmd/count/main.go", &[(3, "count", "", &[&build, &run])]);
    check(&project, "area/area.go", &[]);
    let expected: &[(u32, &str, &str, &[&str])] = &[
        (
            3,
            "test TestArea",
            "",
            &["go test -count=1 -run '^TestArea$' -cpuprofile cpu.prof ./area"],
        ),
        (
            9,
            "benchmark BenchmarkArea",
            "",
            &["go test -run '^$' -bench '^BenchmarkArea$' -cpuprofile cpu.prof ./area"],
        ),
    ];
    check(&project, "area/area_test.go", expected);
}

#[test]
fn python_programs_modules_and_tests_run_under_py_spy() {
    let guard = "import os\n\ndef main():\n    pass\n\nif __name__ == \"__main__\":\n    main()\n";
    let tests = "import pytest\n\ndef test_area():\n    def test_inner():\n        pass\n\nclass TestWords:\n    def test_count(self):\n        pass\n";
    let project = project(&[
        ("pyproject.toml", ""),
        ("app.py", guard),
        ("it's.py", "if __name__ == '__main__':\n    pass\n"),
        ("lib.py", "def main():\n    pass\n"),
        ("grid/__init__.py", ""),
        ("grid/maze/__init__.py", ""),
        ("grid/maze/solve.py", guard),
        ("grid/__main__.py", "print(1)\n"),
        ("tests/test_words.py", tests),
        (
            "tests/area_test.py",
            "import unittest\n\nclass Area(unittest.TestCase):\n    def test_empty(self):\n        pass\n",
        ),
        ("a/b/c/d/deep.py", guard),
    ]);
    let python = if cfg!(windows) { "python" } else { "python3" };
    let spy = "py-spy record -f speedscope --full-filenames -o profile.speedscope.json --";
    let run = |what: &str| format!("{spy} {python} {what}");
    check(&project, "app.py", &[(3, "app.py", "", &[&run("app.py")])]);
    check(&project, "it's.py", &[(1, "it's.py", "", &[&run(r"'it'\''s.py'")])]);
    check(&project, "lib.py", &[]);
    check(
        &project,
        "grid/maze/solve.py",
        &[(3, "grid/maze/solve.py", "", &[&run("-m grid.maze.solve")])],
    );
    check(&project, "grid/__main__.py", &[(1, "grid/__main__.py", "", &[&run("-m grid")])]);
    let expected: &[(u32, &str, &str, &[&str])] = &[
        (3, "test test_area", "", &[&run("-m pytest tests/test_words.py::test_area")]),
        (8, "test test_count", "", &[&run("-m pytest tests/test_words.py::TestWords::test_count")]),
    ];
    check(&project, "tests/test_words.py", expected);
    let unittest = run("-m unittest -k Area.test_empty tests/area_test.py");
    check(&project, "tests/area_test.py", &[(4, "test test_empty", "", &[&unittest])]);
    check(&project, "a/b/c/d/deep.py", &[(3, "a/b/c/d/deep.py", "", &[&run("a/b/c/d/deep.py")])]);

    // A project of its own, too deep for its profile to be found there.
    fs::write(project.path().join("a/b/c/d/setup.py"), "").unwrap();
    let there = run("deep.py").replace("-o ", "-o ROOT/");
    check(&project, "a/b/c/d/deep.py", &[(3, "deep.py", "a/b/c/d", &[&there])]);

    let inner = if cfg!(windows) { ".venv/Scripts/python.exe" } else { ".venv/bin/python" };
    fs::create_dir_all(project.path().join(inner).parent().unwrap()).unwrap();
    fs::write(project.path().join(inner), "").unwrap();
    let own = format!("{spy} ROOT/{inner} app.py");
    check(&project, "app.py", &[(3, "app.py", "", &[&own])]);
}

#[test]
fn node_runs_programs_and_the_tests_of_runners_that_compile_nothing() {
    let project = project(&[
        ("package.json", "{}"),
        ("app.js", "\"use strict\";\n\nfunction main() {}\n\nmain();\n"),
        ("cli.mjs", "#!/usr/bin/env node\nimport \"./app.js\";\n"),
        ("lib.ts", "function f() {}\n\nif (import.meta.main) {\n  f();\n}\n"),
        ("class.js", "class A {\n  main() {}\n}\n"),
        ("words.test.js", "import test from 'node:test';\n\ntest('a', () => {});\n"),
        ("mocha.spec.js", "describe(\"a\", () => {\n  it(\"b\", () => {});\n});\n"),
        ("area.bench.mjs", "import { bench } from \"bench\";\n"),
    ]);
    let run = |what: &str| format!("node --cpu-prof --cpu-prof-dir=profiles {what}");
    check(&project, "app.js", &[(3, "app.js", "", &[&run("app.js")])]);
    check(&project, "cli.mjs", &[(1, "cli.mjs", "", &[&run("cli.mjs")])]);
    check(&project, "lib.ts", &[(3, "lib.ts", "", &[&run("lib.ts")])]);
    check(&project, "class.js", &[]);
    check(&project, "words.test.js", &[(3, "tests words.test.js", "", &[&run("words.test.js")])]);
    check(
        &project,
        "area.bench.mjs",
        &[(1, "benchmarks area.bench.mjs", "", &[&run("area.bench.mjs")])],
    );
    check(&project, "mocha.spec.js", &[]);
    let mocha = "node_modules/mocha/bin/mocha.js";
    fs::create_dir_all(project.path().join(mocha).parent().unwrap()).unwrap();
    fs::write(project.path().join(mocha), "").unwrap();
    let expected = run(&format!("{mocha} mocha.spec.js"));
    check(&project, "mocha.spec.js", &[(1, "tests mocha.spec.js", "", &[&expected])]);
}

#[test]
#[cfg(not(windows))]
fn cmake_builds_in_a_folder_of_its_own() {
    let project = project(&[
        (
            "CMakeLists.txt",
            "project(words C)\nadd_subdirectory(tests)\nadd_executable(${PROJECT_NAME}\n  src/main.c src/area.c)\nadd_executable(count src/count.c)\n",
        ),
        ("src/main.c", "#include <stdio.h>\n\nint main(void) {\n    return 0;\n}\n"),
        ("src/count.c", "int main(void) { return 0; }\n"),
        ("src/other.c", "int main(void) { return 0; }\n"),
        ("tests/CMakeLists.txt", "add_executable(all ${SOURCES})\n"),
        (
            "tests/area.cpp",
            "#include <gtest/gtest.h>\n\nTEST(Area, Empty) {\n}\n\nBENCHMARK(count);\n",
        ),
    ]);
    let commands = |target: &str, run: &str| {
        [
            "cmake -S . -B build/profile -DCMAKE_BUILD_TYPE=RelWithDebInfo".to_owned(),
            format!("cmake --build build/profile --config RelWithDebInfo --target {target}"),
            format!("{SAMPLY} build/profile/{run}"),
        ]
        .join("\n")
    };
    check(&project, "src/main.c", &[(3, "words", "", &[&commands("words", "words")])]);
    check(&project, "src/count.c", &[(1, "count", "", &[&commands("count", "count")])]);
    check(&project, "src/other.c", &[]);
    let expected: &[(u32, &str, &str, &[&str])] = &[
        (3, "test Area.Empty", "", &[&commands("all", "tests/all --gtest_filter=Area.Empty")]),
        (
            6,
            "benchmark count",
            "",
            &[&commands("all", "tests/all '--benchmark_filter=^count($|/)'")],
        ),
    ];
    check(&project, "tests/area.cpp", expected);
}
