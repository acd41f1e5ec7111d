//! Edits: hints move with their lines, in any position encoding.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::profiles::{APP_JS, BELOW, SIX_SAMPLES, app_py, cpuprofile, six_samples};
use crate::support::requests::{costs, text};
use crate::support::{Server, Workspace, set_age, six};

const HOUR: Duration = Duration::from_secs(3600);

/// A change of a range `(line, character)` to `(line, character)`, 0-based.
fn edit(from: (u64, u64), to: (u64, u64), text: &str) -> Value {
    let position = |(line, character): (u64, u64)| json!({ "line": line, "character": character });
    json!({ "range": { "start": position(from), "end": position(to) }, "text": text })
}

#[test]
fn hints_move_with_their_lines() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let before = costs([
        (10, 0, 2),
        (12, 0, 3),
        (13, 1, 1),
        (22, 0, 2),
        (23, 1, 1),
        (31, 0, 2),
        (32, 0, 1),
        (33, 0, 1),
        (34, 1, 1),
    ]);
    assert_eq!(server.line_costs(&uri), before);

    server.change_by(&uri, json!([edit((14, 0), (14, 0), "new\nlines\n\n")]));
    let moved = costs([
        (10, 0, 2),
        (12, 0, 3),
        (13, 1, 1),
        (25, 0, 2),
        (26, 1, 1),
        (34, 0, 2),
        (35, 0, 1),
        (36, 0, 1),
        (37, 1, 1),
    ]);
    assert_eq!(server.line_costs(&uri), moved);
    let lenses: Vec<_> = server
        .lenses(&uri)
        .iter()
        .map(|lens| lens["range"]["start"]["line"].as_u64().unwrap() + 1)
        .collect();
    assert_eq!(lenses, [9, 24, 33].map(|line| line + BELOW));
    assert_eq!(server.prepare(&uri, 24, 0)[0]["range"]["start"]["line"], 23 + BELOW);

    // Undone, and the first eleven lines removed.
    server.change_by(&uri, json!([edit((14, 0), (17, 0), ""), edit((0, 0), (11, 0), "")]));
    let moved = costs([
        (1, 0, 3),
        (2, 1, 1),
        (11, 0, 2),
        (12, 1, 1),
        (20, 0, 2),
        (21, 0, 1),
        (22, 0, 1),
        (23, 1, 1),
    ]);
    assert_eq!(server.line_costs(&uri), moved);
}

#[test]
fn a_changed_line_has_no_hint_until_the_change_is_undone() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let before = server.line_costs(&uri);
    server.change_by(&uri, json!([edit((12, 0), (12, 4), "\tnot ")]));
    let mut rest = before.clone();
    rest.remove(&12);
    assert_eq!(server.line_costs(&uri), rest);
    let hover = server.line_hover(&uri, 12).unwrap();
    assert!(hover.contains("this line has changed since the recording"), "{hover}");
    // One of six samples.
    let old = hover.lines().find(|line| line.contains("this line before it was changed"));
    assert!(old.is_some_and(|line| line.contains("16")), "{hover}");

    server.change_by(&uri, json!([edit((12, 0), (12, 5), "    ")]));
    assert_eq!(server.line_costs(&uri), before);
    // The same as one change.
    server.change(&uri, "nothing of it\n");
    assert!(server.line_costs(&uri).is_empty());
    server.change(&uri, &app_py());
    assert_eq!(server.line_costs(&uri), before);
}

#[cfg(feature = "grammars")]
#[test]
fn a_renamed_function_keeps_its_costs_and_a_deleted_one_has_no_lens() {
    let code = "def main():\n    work()\n\n\ndef work():\n    a = 1\n    return a\n";
    let workspace = Workspace::with([("app.py", code)]);
    workspace.write("cpu.folded", "main (app.py:2);work (app.py:6) 3\nmain (app.py:2) 1\n");
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.eventually("costs", |server| (!server.hints(&uri).is_empty()).then_some(()));
    let lenses = |server: &mut Server| -> Vec<(u64, String)> {
        let lens = |lens: &Value| {
            let title = text(&lens["command"]["title"]);
            (lens["range"]["start"]["line"].as_u64().unwrap(), title)
        };
        server.lenses(&uri).iter().map(lens).collect()
    };
    let (main, work) = (
        "self 25.0% (1 sample) · total 100.0% (4 samples)".to_owned(),
        "self 75.0% (3 samples) · total 75.0% (3 samples)".to_owned(),
    );
    assert_eq!(lenses(&mut server), [(0, main.clone()), (4, work.clone())]);

    let renamed = code.replace("work", "job");
    server.change(&uri, &renamed);
    assert_eq!(lenses(&mut server), [(0, main.clone()), (4, format!("work: {work}"))]);
    for (line, character) in [(4, 5), (5, 4), (6, 4)] {
        let items = server.prepare(&uri, line, character);
        assert_eq!(items.len(), 1, "line {line}");
        assert!(text(&items[0]["name"]).ends_with("work"), "line {line}");
        assert_eq!(items[0]["range"]["start"]["line"], 4);
    }
    // Its name is not that of another function.
    let swapped = code.replace("work():\n    a", "main():\n    a");
    server.change(&uri, &swapped);
    assert!(server.prepare(&uri, 4, 5).iter().all(|item| !text(&item["name"]).ends_with("main")));

    server.change(&uri, &code[..code.find("def work").unwrap()]);
    assert_eq!(lenses(&mut server), [(0, main.clone())]);
    server.change(&uri, "");
    assert_eq!(lenses(&mut server), []);
    server.change(&uri, code);
    assert_eq!(lenses(&mut server), [(0, main), (4, work)]);
}

#[test]
fn hints_stay_with_reindented_wrapped_and_moved_lines() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let before = server.line_costs(&uri);
    server.change(&uri, &app_py().replace("    ", "\t").replace('\n', " \n"));
    assert_eq!(server.line_costs(&uri), before);

    // `total`, lines 21 to 29, goes to the end.
    let text = app_py();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let [above, block, below] = [&lines[..20], &lines[20..29], &lines[29..]];
    server.change(&uri, &[above, below, block].concat().concat());
    let n_below = below.len() as u64;
    let moved = |line: u64| match line {
        0..20 => line,
        20..29 => line + n_below,
        _ => line - 9,
    };
    let expected = before.iter().map(|(&line, cost)| (moved(line), cost.clone())).collect();
    assert_eq!(server.line_costs(&uri), expected);
}

#[test]
fn a_profile_of_the_saved_text_shows_the_saved_lines() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let edited = format!("# one\n# two\n{}", app_py());
    server.change(&uri, &edited);
    assert!(server.line_costs(&uri).contains_key(&11));

    // Saved and recorded again: the lines of the profile are those of the new text.
    workspace.write("app.py", &edited);
    server.save(&uri);
    workspace.rename_over("cpu.folded", "main (app.py:12) 5\n");
    server.wait_costs(&uri, &costs([(12, 5, 5)]));
    // Further edits are relative to that text.
    server.change_by(&uri, json!([edit((0, 0), (1, 0), "")]));
    assert_eq!(server.line_costs(&uri), costs([(11, 5, 5)]));
}

#[test]
fn marks_hints_if_the_file_is_newer_than_the_profile() {
    let workspace = six_samples();
    set_age(&workspace.path("cpu.folded"), HOUR);
    set_age(&workspace.path("lib.py"), 2 * HOUR);
    let (mut server, uri) = six(&workspace);
    let labels = server.labels(&uri);
    assert!(labels.len() == 9 && labels.values().all(|label| label.starts_with('~')), "{labels:?}");
    assert!(
        server.lenses(&uri).iter().all(|lens| text(&lens["command"]["title"]).starts_with('~'))
    );
    assert!(server.line_hover(&uri, 9).unwrap().contains("newer than the profile"));

    let older = server.open_file(&workspace.path("lib.py"), "python");
    let labels = server.labels(&older);
    assert!(
        labels.len() == 2 && labels.values().all(|label| !label.starts_with('~')),
        "{labels:?}"
    );

    // A new profile of it needs no guess.
    workspace.rename_over("cpu.folded", SIX_SAMPLES);
    server.eventually("no marks", |server| {
        server.labels(&uri).values().all(|label| !label.starts_with('~')).then_some(())
    });
}

#[test]
fn saving_after_the_recording_does_not_move_costs() {
    let workspace = six_samples();
    for file in ["cpu.folded", "app.py", "lib.py"] {
        set_age(&workspace.path(file), HOUR);
    }
    let (mut server, uri) = six(&workspace);
    let edited = format!("# one\n{}", app_py());
    server.change(&uri, &edited);
    workspace.write("app.py", &edited);
    server.save(&uri);
    let labels = server.labels(&uri);
    assert_eq!(labels.get(&10).map(String::as_str), Some("33.3%"), "{labels:?}");
    assert_eq!(labels.len(), 9);
}

/// `units` are the encodings that a client offers. `widths` are those of `  x = "é😀";` and `// 😀😀`
/// in the negotiated encoding.
fn assert_ends_of_lines(units: Value, negotiated: &str, widths: [u64; 2]) {
    let app = "function work() {\r\n  x = \"é😀\";\r\n}\r\n";
    let workspace = Workspace::with([("app.js", app)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    let mut server =
        Server::builder(&workspace).capability("/general/positionEncodings", units).start();
    assert_eq!(server.initialize_result()["capabilities"]["positionEncoding"], negotiated);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_labels(&uri);
    assert_eq!(
        server.hints(&uri)[0]["position"],
        json!({ "line": 1, "character": widths[0] }),
        "{negotiated}"
    );

    // Changes use the same columns: insert a line, and text at its end.
    server.change_by(
        &uri,
        json!([edit((0, 17), (0, 17), "\r\n// 😀😀"), edit((1, widths[1]), (1, widths[1]), "!")]),
    );
    assert_eq!(
        server.hints(&uri)[0]["position"],
        json!({ "line": 2, "character": widths[0] }),
        "{negotiated}"
    );
    // In the line with emoji: remove the whole line by its end.
    server.change_by(&uri, json!([edit((0, 17), (1, widths[1] + 1), "")]));
    assert_eq!(
        server.hints(&uri)[0]["position"],
        json!({ "line": 1, "character": widths[0] }),
        "{negotiated}"
    );
}

#[test]
fn counts_columns_of_emoji_in_the_negotiated_encoding() {
    // `  x = "é😀";` is 11 characters; `// 😀😀` is 5.
    assert_ends_of_lines(json!([]), "utf-16", [12, 7]);
    assert_ends_of_lines(json!(["utf-16"]), "utf-16", [12, 7]);
    assert_ends_of_lines(json!(["utf-8", "utf-16"]), "utf-8", [15, 11]);
    assert_ends_of_lines(json!(["utf-32", "utf-8", "utf-16"]), "utf-32", [11, 5]);
    assert_ends_of_lines(json!(["utf-7"]), "utf-16", [12, 7]);
}

#[test]
fn applies_changes_and_requests_in_order() {
    const CHANGES: u64 = 3000;
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_labels(&uri);

    // Each change replaces the lines above the function with another number of lines. Applied to
    // another version, it would cut into the function or leave lines behind.
    let mut above = 0;
    let mut requests = Vec::new();
    for n in 0..CHANGES {
        let next = n * 7 % 23;
        let lines: String = (0..next).map(|line| format!("// {n} {line}\n")).collect();
        server.change_by(&uri, json!([edit((0, 0), (above, 0), &lines)]));
        above = next;
        if n % 5 == 4 {
            let params = match n % 2 {
                0 => {
                    json!({ "textDocument": { "uri": uri }, "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } } })
                }
                _ => json!({ "textDocument": { "uri": uri } }),
            };
            let method =
                if n % 2 == 0 { "textDocument/inlayHint" } else { "textDocument/codeLens" };
            requests.push((n, above, server.send_request(method, params)));
        }
    }
    assert_eq!(requests.len(), 600);
    for (n, above, id) in requests {
        let answer = server.wait_response(&id).unwrap();
        let answer = answer.as_array().unwrap();
        assert_eq!(answer.len(), 1, "after change {n}: {answer:?}");
        let line = if n % 2 == 0 {
            answer[0]["position"]["line"].as_u64().unwrap() - 1
        } else {
            answer[0]["range"]["start"]["line"].as_u64().unwrap()
        };
        assert_eq!(line, above, "after change {n}");
    }
}

#[test]
fn reopening_a_document_replaces_its_state() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let before = server.line_costs(&uri);
    server.change(&uri, "");
    server.close(&uri);
    assert!(server.hints(&uri).is_empty());
    server.open_file(&workspace.path("app.py"), "python");
    assert_eq!(server.line_costs(&uri), before);
    // A version that differs from the file on disk.
    server.close(&uri);
    server.open(&uri, "python", &format!("\n{}", app_py()));
    assert!(server.line_costs(&uri).contains_key(&10));
}

/// A file that is open under two paths, of which one is a link. Only the document of the link was edited.
#[cfg(unix)]
#[test]
fn requests_are_about_the_document_that_they_name() {
    let workspace = six_samples();
    std::os::unix::fs::symlink(workspace.path("app.py"), workspace.path("link.py")).unwrap();
    let (mut server, app) = six(&workspace);
    let link = server.open_file(&workspace.path("link.py"), "python");
    server.change_by(&link, json!([edit((0, 0), (0, 0), "# One.\n")]));
    for (uri, added) in [(&app, 0), (&link, 1)] {
        let parse = server.prepare(uri, 22 + added, 0).remove(0);
        let main = server.incoming(&parse).remove(0)["from"].clone();
        for (item, line) in [(parse, 20), (main, 8)] {
            assert_eq!(item["uri"], **uri);
            assert_eq!(item["range"]["start"]["line"], line + BELOW + added);
        }
        let lens = server.lenses(uri).remove(0);
        assert_eq!(lens["range"]["start"]["line"], 8 + BELOW + added);
    }
}
