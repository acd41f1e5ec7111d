//! Lenses that record a profile: where they are, and the commands that they carry.

use serde_json::{Value, json};

use crate::support::requests::text;
use crate::support::{Server, Workspace};

/// A server whose client has the command of the lenses.
fn recording(workspace: &Workspace, settings: &Value) -> Server {
    let experimental = json!({ "costline": { "changed": true, "record": true } });
    Server::builder(workspace)
        .capability("/experimental", experimental)
        .settings(settings.clone())
        .start()
}

/// The lenses that record: their lines (1-based), names and commands.
fn recorded(server: &mut Server, uri: &str) -> Vec<(u64, String, String)> {
    let lenses = server.lenses(uri).into_iter();
    let lenses = lenses.filter(|lens| lens["command"]["command"] == "costline.ui.record");
    lenses
        .map(|lens| {
            assert_eq!(lens["command"]["title"], "Profile");
            let recipe = &lens["command"]["arguments"][0];
            let line0 = lens["range"]["start"]["line"].as_u64().unwrap();
            assert_eq!(recipe["line0"], line0);
            (line0 + 1, text(&recipe["name"]), text(&recipe["text"]))
        })
        .collect()
}

/// The one lens of a file of a project.
#[track_caller]
fn check(files: &[(&str, &str)], language: &str, line: u64, name: &str, command: &str) {
    let workspace = Workspace::with(files.iter().copied());
    let mut server = recording(&workspace, &Value::Null);
    let uri = server.open_file(&workspace.path(files[0].0), language);
    assert_eq!(recorded(&mut server, &uri), [(line, name.to_owned(), command.to_owned())]);
}

const SAMPLY: &str = "samply record --save-only -o profile.json.gz --";

#[test]
fn a_rust_program_has_a_lens() {
    let files = [
        ("src/main.rs", "fn helper() {}\n\nfn main() {}\n"),
        ("Cargo.toml", "[package]\nname = \"words\"\n"),
    ];
    let options = "--release --config profile.release.debug=1 --bin words";
    let command = format!("cargo build {options} && {SAMPLY} cargo run {options}");
    check(&files, "rust", 3, "words", &command);
}

#[test]
fn a_go_benchmark_has_a_lens() {
    let files = [
        ("area/area_test.go", "package area\n\nfunc BenchmarkArea(b *testing.B) {}\n"),
        ("go.mod", "module example.org/words\n"),
    ];
    let command = "go test -run '^$' -bench '^BenchmarkArea$' -cpuprofile cpu.prof ./area";
    check(&files, "go", 3, "benchmark BenchmarkArea", command);
}

#[test]
fn a_python_test_has_a_lens() {
    let files = [("tests/test_words.py", "def test_words():\n    pass\n"), ("setup.py", "")];
    let python = if cfg!(windows) { "python" } else { "python3" };
    let command = format!(
        "py-spy record -f speedscope --full-filenames -o profile.speedscope.json -- {python} -m \
         pytest tests/test_words.py::test_words"
    );
    check(&files, "python", 1, "test test_words", &command);
}

#[test]
fn a_node_program_has_a_lens() {
    let files = [("app.js", "function main() {}\nmain();\n"), ("package.json", "{}")];
    let command = "node --cpu-prof --cpu-prof-dir=profiles app.js";
    check(&files, "javascript", 1, "app.js", command);
}

#[test]
#[cfg(not(windows))]
fn a_cmake_program_has_a_lens() {
    let files = [
        ("main.c", "int main(void) { return 0; }\n"),
        ("CMakeLists.txt", "project(words)\nadd_executable(words main.c)\n"),
    ];
    let command = format!(
        "cmake -S . -B build/profile -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build \
         build/profile --config RelWithDebInfo --target words && {SAMPLY} build/profile/words"
    );
    check(&files, "c", 1, "words", &command);
}

/// A small program of Node.js.
fn program() -> Workspace {
    Workspace::with([("my app.js", "function main() {}\nmain();\n"), ("package.json", "{}")])
}

#[test]
fn a_recipe_has_commands_that_need_no_shell() {
    let workspace = program();
    let mut server = recording(&workspace, &Value::Null);
    let uri = server.open_file(&workspace.path("my app.js"), "javascript");
    let recipe = json!({
        "line0": 0,
        "name": "my app.js",
        "profiler": "Node.js",
        "install": null,
        "folder": workspace.root(),
        "commands": [{
            "program": "node",
            "arguments": ["--cpu-prof", "--cpu-prof-dir=profiles", "my app.js"],
        }],
        "text": "node --cpu-prof --cpu-prof-dir=profiles 'my app.js'",
    });
    assert_eq!(server.lenses(&uri)[0]["command"]["arguments"], json!([recipe]));
    assert_eq!(server.execute("costline.recipes", json!([{ "uri": uri }])), json!([recipe]));

    // The lens follows the text.
    server.change(&uri, "\n\nfunction main() {}\n");
    let command = "node --cpu-prof --cpu-prof-dir=profiles 'my app.js'".to_owned();
    assert_eq!(recorded(&mut server, &uri), [(3, "my app.js".to_owned(), command)]);
    server.change(&uri, "function other() {}\n");
    assert_eq!(recorded(&mut server, &uri), []);
    assert_eq!(server.execute("costline.recipes", json!([{ "uri": uri }])), json!([]));
}

#[test]
fn only_clients_with_the_command_have_the_lens_and_only_by_setting() {
    let workspace = program();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("my app.js"), "javascript");
    assert_eq!(server.lenses(&uri), [] as [Value; 0]);
    server.finish();

    let mut server = recording(&workspace, &json!({ "lenses": { "record": false } }));
    let uri = server.open_file(&workspace.path("my app.js"), "javascript");
    server.eventually("no lens", |server| server.lenses(&uri).is_empty().then_some(()));
    // Commands do not need the setting.
    assert_eq!(server.execute("costline.recipes", json!([{ "uri": uri }]))[0]["name"], "my app.js");
}

#[test]
fn documents_outside_of_the_roots_have_no_recipes() {
    let (workspace, outside) = (Workspace::new(), program());
    let mut server = recording(&workspace, &Value::Null);
    let uri = server.open_file(&outside.path("my app.js"), "javascript");
    assert_eq!(server.lenses(&uri), [] as [Value; 0]);
    assert_eq!(server.execute("costline.recipes", json!([{ "uri": uri }])), json!([]));
}
