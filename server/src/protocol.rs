//! Generates files from the types of commands and of the server's own messages: the JSON Schema, the
//! types of the plug-ins and the page of the book. The tests check that the files are up to date;
//! `UPDATE_EXPECT=1 cargo test` rewrites them.

mod lua;
mod model;
mod page;
mod typescript;

use crate::book;
use answers::{MARKERS, catalog};
use expect_test::expect_file;
use model::{CommandShape, GENERATED, Protocol};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

#[test]
fn the_json_schema_is_up_to_date() {
    let Protocol { commands, types, changed, active_document, content } = Protocol::new();
    let command = |CommandShape { name, description, arguments, answer }: CommandShape| {
        let required = arguments.iter().filter(|argument| argument.is_required).count();
        let schemas: Vec<_> = arguments.into_iter().map(|argument| argument.schema).collect();
        let mut array = json!({"type": "array", "items": false});
        if !schemas.is_empty() {
            array["prefixItems"] = json!(schemas);
            array["minItems"] = json!(required);
        }
        let properties = json!({"arguments": array, "result": answer});
        (name.clone(), json!({"description": description, "properties": properties}))
    };
    let mut methods: Map<String, Value> = commands.into_iter().map(command).collect();
    methods.insert(
        "costline/changed".to_owned(),
        json!({
            "description": "A notification from the server, sent to clients that announce \
                            `capabilities.experimental.costline.changed`.",
            "properties": {"params": changed},
            "required": ["params"],
        }),
    );
    methods.insert(
        "costline/activeDocument".to_owned(),
        json!({
            "description": "A notification from the client: the user switched to another document. \
                            Commands without a document then apply to its root.",
            "properties": {"params": active_document},
            "required": ["params"],
        }),
    );
    let [params, result] = content;
    methods.insert(
        "costline/textDocumentContent".to_owned(),
        json!({
            "description": "A request from the client: the text of a `costline:` document.",
            "properties": {"params": params, "result": result},
            "required": ["params"],
        }),
    );
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Commands",
        "description": "The `arguments` and the `result` of each server command, and the messages \
                        that are not part of the Language Server Protocol.",
        "type": "object",
        "properties": methods,
        "$defs": types,
    });
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    expect_file!["../../docs/commands.schema.json"].assert_eq(&format!("{text}\n"));
}

#[test]
fn the_typescript_types_are_up_to_date() {
    let text = typescript::text(&Protocol::new());
    expect_file!["../../editors/vscode/src/protocol.generated.ts"].assert_eq(&text);
}

#[test]
fn the_lua_types_are_up_to_date() {
    let text = lua::text(&Protocol::new());
    expect_file!["../../editors/neovim/lua/costline/types.lua"].assert_eq(&text);
}

#[test]
fn the_lua_project_markers_are_up_to_date() {
    // Neovim needs them before it starts the server.
    let markers = MARKERS.map(|marker| format!("  \"{marker}\","));
    let text = format!(
        "--- Files and folders that mark the top folder of a project.\n--- {GENERATED}\n\nreturn {{\n{}\n}}\n",
        markers.join("\n")
    );
    expect_file!["../../editors/neovim/lua/costline/project_markers.lua"].assert_eq(&text);
}

/// Checks the lists of markers in the settings of an editor, which users copy.
fn check_markers(file: &str, list: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors").join(file);
    let text = fs::read_to_string(path).expect("a file of this repository");
    // In Vim, a line that begins with a backslash continues the one before.
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '\\']));
    let text = lines.collect::<Vec<_>>().join(" ");
    let n = text.matches(list).count();
    assert!(n > 0, "{file} has no list of all markers: {list}");
    assert_eq!(text.matches(MARKERS[0]).count(), n, "{file} has a list of other markers");
}

#[test]
fn the_project_markers_in_settings_of_editors_are_up_to_date() {
    let json = MARKERS.map(|marker| format!("\"{marker}\"")).join(", ");
    check_markers("kate/settings.json", &format!("[{json}]"));
    check_markers("vim/coc-settings.json", &format!("[{json}]"));
    check_markers("vim/ale.vim", &format!("[{}]", MARKERS.map(|it| format!("'{it}'")).join(", ")));
    // vim-lsp searches for a folder if the name ends in a slash, else for a file.
    let quoted = MARKERS.map(|marker| {
        let slash = if marker.starts_with('.') { "/" } else { "" };
        format!("'{marker}{slash}'")
    });
    check_markers("vim/costline.vim", &format!("[{}]", quoted.join(", ")));
}

#[test]
fn the_menu_of_a_call_node_in_vs_code_has_the_titles_of_the_server() {
    // VS Code reads the titles of menus before it starts the server.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/vscode/package.json");
    let manifest = fs::read_to_string(path).expect("a file of this repository");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let commands = manifest["contributes"]["commands"].as_array().expect("a list");
    let actions = catalog().node_actions;
    let names = ["showNode", "mergeNode", "mergeSubtree", "hideNode", "focusInverted"];
    assert_eq!(actions.len(), names.len(), "VS Code has another number of commands");
    for (name, action) in names.into_iter().zip(actions) {
        let id = format!("costline.ui.{name}");
        let command = commands.iter().find(|command| command["command"] == id.as_str());
        let title = command.expect("the command exists")["title"].as_str().expect("a title");
        // They differ in the case of letters.
        assert_eq!(title.to_lowercase(), action.title.to_lowercase(), "{id}");
    }
}

#[test]
fn the_page_of_commands_is_up_to_date() {
    let page = page::text(&Protocol::new());
    book::check(
        "reference/commands.md",
        &expect_file!["../../docs/reference/commands.md"],
        page.trim_end(),
    );
}
