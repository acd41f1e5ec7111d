//! Profiles that have costs of lines, but neither stacks nor calls: `line_profiler` knows totals only,
//! scalene and gprof self costs only.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::cases::Case;
use crate::support::requests::text;
use crate::support::workspace::set_age;

/// The labels of the hints of a file, by line (1-based).
fn hints(server: &mut Server, uri: &str) -> Vec<(u64, String)> {
    let hints = server
        .eventually("hints", |server| Some(server.hints(uri)).filter(|hints| !hints.is_empty()));
    let hint =
        |hint: &Value| (hint["position"]["line"].as_u64().unwrap() + 1, text(&hint["label"]));
    hints.iter().map(hint).collect()
}

#[test]
fn lines_with_what_they_call_are_shares_of_their_function() {
    let case = Case::new("line-profiler/py-inventory");
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let uri = server.open_file(&case.workspace.path("inv/model.py"), "python");
    let hints = hints(&mut server, &uri);
    // Of `Node.insert`, which takes 311525372 ns in all: 9846015, 739455, 25861858, 983768, 31558348 and
    // 242286090 ns. The others are below 0.5% of it.
    let of_insert: Vec<_> = hints.iter().filter(|(line, _)| (12..=19).contains(line)).collect();
    let expected = [(13, "3.2% total"), (16, "8.3%"), (18, "10.1%"), (19, "77.8%")];
    assert_eq!(of_insert, expected.map(|(line, text)| (line, text.to_owned())).each_ref());
    let all = server.hints(&uri);
    assert!(all.iter().all(|hint| hint["data"]["self"].is_null()), "{all:?}");
    let lenses = server.lenses(&uri);
    let titles: Vec<_> = lenses.iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert!(titles.contains(&"total 312 ms".to_owned()), "{titles:?}");

    let view = server.view();
    assert_eq!(view["status"], "lines with what they call · time");
    assert_eq!(view["health"], json!([]));
    let functions = server.execute("costline.hotspots", json!([{ "limit": 2 }]));
    let rows = functions["functions"].as_array().unwrap().iter();
    let rows: Vec<_> = rows.map(|row| (text(&row["title"]), text(&row["text"]))).collect();
    let expected = [("Node.insert", "312 ms"), ("main", "159 ms")];
    assert_eq!(rows, expected.map(|(name, cost)| (name.to_owned(), cost.to_owned())));
    let error = server.execute_error("costline.hotspots", json!([{ "sort": "self" }]));
    assert!(error.contains("the profile has no self costs"), "{error}");
    let error = server.execute_error("costline.callTree", json!([]));
    assert!(error.contains("a line_profiler profile has costs of lines, but no calls"), "{error}");
}

#[test]
fn lines_without_what_they_call_are_shares_of_the_run() {
    let case = Case::new("scalene/py-inventory");
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let uri = server.open_file(&case.workspace.path("inv/report.py"), "python");
    let hints = hints(&mut server, &uri);
    assert!(hints.contains(&(8, "self 9.4%".to_owned())), "{hints:?}");
    let lenses = server.lenses(&uri);
    let titles: Vec<_> = lenses.iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert!(titles.contains(&"self 12.8%".to_owned()), "{titles:?}");
    assert_eq!(server.view()["status"], "100.0% · cpu");
    let functions = server.execute("costline.hotspots", json!([{ "limit": 1 }]));
    assert_eq!(functions["functions"][0]["item"]["name"], "self 15.0% Catalogue.add");
    let view = server.set_view(json!({ "metric": "allocated" }));
    assert_eq!(view["totalText"], "85.9 MiB");
}

#[test]
fn the_program_of_a_profile_that_names_none_is_found_by_its_code() {
    let case = Case::new("gprof/c-sudoku");
    set_age(&case.workspace.path("gmon.out"), Duration::ZERO);
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let uri = server.open_file(&case.workspace.path("src/grid.c"), "c");
    // 191 of 790 ticks.
    let hints = hints(&mut server, &uri);
    assert!(hints.contains(&(6, "self 24.2%".to_owned())), "{hints:?}");
    let lenses = server.lenses(&uri);
    let titles: Vec<_> = lenses.iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert!(titles.contains(&"self 13.9% (1.10 s) · 530,603,962 calls".to_owned()), "{titles:?}");
}
