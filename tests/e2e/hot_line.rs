//! The way from hot line to hot line.

#![allow(clippy::needless_pass_by_value, reason = "so that `json!` can stand in the call")]

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::profiles::{app_py, six_samples};
use crate::support::requests::text;

/// The file, the line (0-based) and the rank of the hot line to go to.
fn go(server: &mut Server, argument: Value) -> String {
    let step = server.execute("costline.hotLine", json!([argument]));
    let uri = text(&step["uri"]);
    let file = uri.rsplit('/').next().unwrap();
    format!("{file}:{} {}/{}", step["line0"], step["rank"], step["count"])
}

#[test]
fn hot_lines_are_those_with_self_cost_hottest_first_in_all_files() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let app = server.open_file(&workspace.path("app.py"), "python");
    let lib = server.open_file(&workspace.path("lib.py"), "python");
    server.wait_labels(&app);
    // Line 5 of lib.py has two samples. Lines 13, 23 and 34 of app.py and line 6 of lib.py have one.
    let step = server.execute("costline.hotLine", json!([]));
    assert_eq!(
        (&step["uri"], &step["text"]),
        (
            &json!(lib),
            &json!("Hot line 1 of 5: lib.py:5, self 33.3% (2 samples) · total 33.3% (2 samples)")
        )
    );
    let at = |uri: &str, line0: u32, previous: bool| json!({ "uri": uri, "line0": line0, "previous": previous });
    assert_eq!(go(&mut server, at(&lib, 4, false)), "app.py:12 2/5");
    assert_eq!(go(&mut server, at(&app, 12, false)), "app.py:22 3/5");
    assert_eq!(go(&mut server, at(&app, 22, true)), "app.py:12 2/5");
    // The way is a circle, and any other line leads to its start.
    assert_eq!(go(&mut server, at(&lib, 5, false)), "lib.py:4 1/5");
    assert_eq!(go(&mut server, at(&lib, 4, true)), "lib.py:5 5/5");
    assert_eq!(go(&mut server, at(&app, 9, false)), "lib.py:4 1/5");
    assert_eq!(go(&mut server, at("file:///elsewhere/app.py", 12, true)), "lib.py:4 1/5");

    // Lines follow edits.
    server.change(&app, &format!("# new\n{}", app_py()));
    assert_eq!(go(&mut server, at(&app, 13, false)), "app.py:23 3/5");
}

#[test]
fn a_hot_line_has_the_percentage_of_the_setting() {
    let workspace = six_samples();
    let start = |percent: u32| {
        let settings = json!({ "hints": { "minPercent": percent } });
        let mut server = Server::builder(&workspace).settings(settings).start();
        server.wait_profile();
        server
    };
    assert_eq!(go(&mut start(20), json!({})), "lib.py:4 1/1");
    // Lines without self cost are no hot lines.
    assert_eq!(go(&mut start(0), json!({})), "lib.py:4 1/5");
    let error = start(50).execute_error("costline.hotLine", json!([]));
    assert_eq!(
        error,
        "no line of the workspace has a self cost of 50% or more (setting `hints.minPercent`)"
    );
}
