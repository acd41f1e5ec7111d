//! What clients need comes as fields: no client takes a label apart. And what they may ask is
//! exact: a misspelt key is an error.

use serde_json::{Value, json};

use crate::support::profiles::{BELOW, six_samples};
use crate::support::requests::text;
use crate::support::{Server, six};

/// Name, place, self, total, share and tier, as they are everywhere.
fn fields(of: &Value) -> String {
    format!(
        "{} {} {} {} {:.3} {}",
        of["name"].as_str().unwrap_or("-"),
        of["placeText"].as_str().unwrap_or("-"),
        of["selfText"].as_str().unwrap_or("-"),
        of["totalText"].as_str().unwrap_or("-"),
        of["share"].as_f64().unwrap(),
        of["tier"]
    )
}

/// `fields`, and whether it is recursive and a leaf.
fn marks(of: &Value) -> String {
    format!("{} {} {}", fields(of), of["recursive"], of["leaf"])
}

/// The place of a definition in `app.py`, whose name is on this line (1-based).
fn app(line: u64) -> String {
    format!("app.py:{}", line + BELOW)
}

#[test]
fn hints_lenses_and_hot_spots_have_fields() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let hints = server.hints(&uri);
    let hint = &hints.iter().find(|hint| hint["position"]["line"] == 12).unwrap()["data"];
    assert_eq!(fields(hint), "- - 16.7% 16.7% 0.167 2");
    assert_eq!((&hint["line0"], &hint["stale"]), (&json!(12), &json!(false)));

    let lens = &server.lenses(&uri)[0]["data"];
    assert_eq!(fields(lens), format!("main {} 16.7% 100.0% 1.000 3", app(9)));
    assert_eq!((&lens["uri"], &lens["line0"]), (&json!(uri), &json!(8 + BELOW)));

    let spots = server.execute("costline.hotspots", json!([]));
    let hash = &spots["functions"][0];
    assert_eq!(fields(hash), format!("hash lib.py:{} 50.0% 50.0% 0.500 3", 4 + BELOW));
    assert_eq!((&hash["key"]["name"], &hash["selfShare"]), (&json!("hash"), &json!(0.5)));
    let lines =
        server.execute("costline.hotspots", json!([{ "by": "line", "sort": "total", "limit": 1 }]));
    assert_eq!(fields(&lines["lines"][0]), "- app.py:12 0.0% 50.0% 0.500 3");
}

#[test]
fn items_and_entries_say_what_is_below_them() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let main = server.root_item("main");
    assert_eq!(fields(&main["data"]), format!("main {} 16.7% 100.0% 1.000 3", app(9)));
    assert_eq!(
        (&main["data"]["uri"], &main["data"]["line0"]),
        (&json!(uri), &json!(8 + BELOW)),
        "as in the item, for clients that keep `data` alone"
    );
    assert_eq!((&main["data"]["recursive"], &main["data"]["leaf"]), (&json!(false), &Value::Null));

    // main calls eval (3 samples) and parse (2); hash ends all of its samples.
    let step = server.execute("costline.showCallees", json!([main, { "message": false }]));
    let entries: Vec<_> = step["entries"].as_array().unwrap().iter().map(marks).collect();
    assert_eq!(
        entries,
        [
            format!("eval {} 16.7% 50.0% 0.500 3 false false", app(30)),
            format!("parse {} 16.7% 33.3% 0.333 3 false false", app(21)),
            format!("self {} - 16.7% 0.167 2 false true", app(9))
        ]
    );
    let parse = &step["entries"][1]["item"];
    let step = server.execute("costline.showCallees", json!([parse, { "message": false }]));
    let hash = format!("hash lib.py:{} 16.7% 16.7% 0.167 2 false true", 4 + BELOW);
    assert_eq!(marks(&step["entries"][0]), hash);
    assert_eq!(marks(&step["entries"][0]["item"]["data"]), hash);

    // Callers: nothing calls main; eval is called by main, and by itself outside of the sum.
    let eval = server.root_item("eval");
    let calls = server.incoming(&eval);
    let items: Vec<_> = calls.iter().map(|call| marks(&call["from"]["data"])).collect();
    assert_eq!(
        items,
        [
            format!("main {} 50.0% 50.0% 0.500 3 false true", app(9)),
            format!("eval {} 0.0% 33.3% 0.333 3 true false", app(30))
        ]
    );
}

#[test]
fn nodes_and_frames_say_what_is_below_them() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let tree = server.execute("costline.callTree", json!([{ "depth": 10 }]));
    let eval = &tree["nodes"][0]["children"][0];
    assert_eq!(marks(eval), format!("eval {} 0.0% 50.0% 0.500 3 false false", app(30)));
    let inner = &eval["children"][0];
    assert_eq!(marks(inner), format!("eval {} 0.0% 33.3% 0.333 3 true false", app(30)));
    let hash = &inner["children"][0];
    assert_eq!(marks(hash), format!("hash lib.py:{} 16.7% 16.7% 0.167 2 false true", 4 + BELOW));

    let innermost = &inner["children"][1];
    assert_eq!(marks(innermost), format!("eval {} 16.7% 16.7% 0.167 2 true true", app(30)));

    let graph = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    let frames: Vec<_> = graph["frames"].as_array().unwrap().iter().map(marks).collect();
    assert_eq!(frames[0], format!("main {} 16.7% 100.0% 1.000 3 false false", app(9)));
    for mark in [inner, hash, innermost] {
        assert!(frames.contains(&marks(mark)), "{frames:#?}");
    }
}

#[test]
fn a_misspelt_key_is_an_error_that_names_it() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let mut item = server.root_item("main");
    item["nmae"] = json!("main");
    for (command, arguments, named) in [
        ("costline.hotspots", json!([{ "limt": 1 }]), "`limt`"),
        ("costline.callTree", json!([{ "dept": 1 }]), "`dept`"),
        (
            "costline.callTree",
            json!([{ "path": [{ "name": "f", "flie": "a" }] }]),
            "`flie` in `path[0]`",
        ),
        ("costline.setView", json!([{ "unitt": "both" }]), "`unitt`"),
        ("costline.explain", json!([{ "uri": uri, "line": 1, "column": 2 }]), "`column`"),
        ("costline.export", json!([{ "format": "folded", "path": "a", "force": true }]), "`force`"),
        ("costline.flamegraph", json!([{ "inlined": true }]), "`inlined`"),
        ("costline.selectProfile", json!([{ "file": "a" }]), "`file`"),
        ("costline.setBaseline", json!([{ "file": "a" }]), "`file`"),
        (
            "costline.pushTransform",
            json!([{ "type": "merge-function", "functoin": "main" }]),
            "`functoin`",
        ),
        ("costline.showCallers", json!([item, {}]), "`nmae`"),
        (
            "costline.showCallees",
            json!([server.root_item("main"), { "massage": false }]),
            "`massage`",
        ),
        ("costline.view", json!([{ "pth": "a" }]), "`pth`"),
        ("costline.timeline", json!([{}, { "path": "a", "veiw": {} }]), "`veiw`"),
        ("costline.reload", json!([{}]), "no arguments"),
        ("costline.explain", json!([{ "uri": uri, "line": 1 }, {}]), "one argument"),
    ] {
        let refused = server.execute_error(command, arguments);
        assert!(refused.starts_with(command) && refused.contains(named), "{refused}");
    }
}

#[test]
fn the_lists_of_the_server_come_with_its_capabilities() {
    let workspace = six_samples();
    let server = Server::start(&workspace);
    let lists = &server.initialize_result()["capabilities"]["experimental"]["costline"];
    let kinds = lists["transforms"].as_array().unwrap();
    assert_eq!(kinds.len(), 15);
    assert_eq!(
        (text(&kinds[0]["type"]), text(&kinds[0]["takes"])),
        ("merge-function".to_owned(), "function".to_owned())
    );
    let of_bottom_up = kinds.iter().filter(|kind| kind["bottomUp"] == true);
    let of_bottom_up: Vec<_> = of_bottom_up.map(|kind| text(&kind["type"])).collect();
    assert_eq!(of_bottom_up, ["focus-subtree-inverted"]);
    let formats = lists["exportFormats"].as_array().unwrap();
    let pprof = formats.iter().find(|format| format["format"] == "pprof").unwrap();
    assert_eq!((&pprof["extension"], &pprof["binary"]), (&json!("pb.gz"), &json!(true)));
    let fields = json!({ "by": "field", "list": "fields", "title": "Fields" });
    assert_eq!(lists["hotSpots"][10], fields);
    let change =
        json!({ "title": "Change since the baseline", "sort": "change", "perCall": false });
    assert_eq!(lists["hotSpotsOrders"][3], change);
    assert_eq!(lists["groupings"][3]["groupBy"], "clique");
    for (list, one) in [
        ("profileNames", "*.cpuprofile"),
        ("profileFolders", ".costline"),
        ("projectMarkers", ".git"),
    ] {
        assert!(lists[list].as_array().unwrap().contains(&json!(one)), "{list}: {lists}");
    }
    assert_eq!(lists["tierPercents"], json!([1.0, 5.0, 20.0]));
}
