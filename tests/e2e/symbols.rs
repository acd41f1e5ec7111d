//! Profiles of addresses: names and lines appear when the recorded program was read, and earlier
//! items stay valid.

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::requests::text;
use crate::support::{Refreshes, Server, Workspace};

/// The first bytes of the program's build id.
const BUILD_ID: &[u8] = &[0x10, 0xbb, 0x89, 0x05, 0x57, 0xf1, 0xf5, 0x88];

/// A profile of addresses, with the recorded program.
fn addresses() -> Case {
    Case::new("samply/rust-wordstat")
}

fn function(item: &Value) -> String {
    let path = item["data"]["path"].as_array().cloned().unwrap_or_default();
    text(&path.last().cloned().unwrap_or_default()["name"])
}

/// The hottest functions.
fn hottest(server: &mut Server) -> Vec<Value> {
    server.execute("costline.hotspots", json!([{ "limit": 20 }]))["functions"]
        .as_array()
        .cloned()
        .unwrap()
}

#[test]
fn names_and_lines_appear_without_any_request() {
    let case = addresses();
    let mut server = Server::start(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.wait_labels(&uri);
    // One for the profile, and more if symbols were found later.
    server.eventually("refreshes", |server| {
        let Refreshes { inlay_hint, code_lens } = server.refreshes();
        (inlay_hint >= 1 && code_lens >= 1).then_some(())
    });
    // Lines with at least half a percent of 3472 samples.
    let shown = |(own, total): &(Value, Value)| {
        [own, total].iter().any(|cost| cost.as_f64() >= Some(17.36))
    };
    let lines = case.lines();
    let expected = lines["src/main.rs"]
        .iter()
        .filter(|(_, cost)| shown(cost))
        .map(|(line, cost)| (line - 1, cost.clone()));
    assert_eq!(server.line_costs(&uri), expected.collect());
    assert!(server.warnings().is_empty());
}

#[test]
fn items_from_before_symbolication_stay_valid() {
    let case = addresses();
    let mut server = Server::builder(&case.workspace)
        .settings(json!({ "symbols": { "enable": false } }))
        .start();
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.wait_profile();
    let before = hottest(&mut server);
    let address = before.iter().find(|row| row["lib"] == "wordstat").cloned().unwrap();
    let item = address["item"].clone();
    assert!(function(&item).starts_with("0x"), "{item}");
    let caller = server.incoming(&item)[0]["from"].clone();
    assert!(function(&caller).starts_with("0x"), "{caller}");
    assert!(server.hints(&uri).is_empty());
    // Follow the hottest path of the tree, and the callers of the hottest leaf.
    let below = |server: &mut Server, path: &Value, inverted: bool| {
        let answer = server.execute(
            "costline.callTree",
            json!([{ "path": path, "inverted": inverted, "limit": 1_000_000 }]),
        );
        answer["nodes"].as_array().cloned().unwrap()
    };
    let sum = |nodes: &[Value]| nodes.iter().filter_map(|node| node["total"].as_f64()).sum::<f64>();
    let nodes = [false, true].map(|inverted| {
        let mut path = json!([]);
        for _ in 0..4 {
            path = below(&mut server, &path, inverted)[0]["path"].clone();
        }
        assert!(text(&path[3]["name"]).starts_with("0x"), "{path}");
        let total = sum(&below(&mut server, &path, inverted));
        assert!(total > 0.0);
        (inverted, path, total)
    });

    server.configure(json!({}));
    server.wait_labels(&uri);
    for (inverted, path, before) in nodes {
        let now = below(&mut server, &path, inverted);
        assert!(sum(&now) >= before, "{path} had {before} below it, now {now:?}");
        assert!(
            now.iter()
                .all(|node| node["key"]["lib"] != "wordstat"
                    || !text(&node["name"]).starts_with("0x")),
            "{now:?}"
        );
    }
    // An address is now part of a function with other addresses, so its item costs as much or more.
    for (item, before) in [(&item, &address["total"]), (&caller, &caller["data"]["total"])] {
        let callers = server.incoming(item);
        let total: f64 =
            callers.iter().filter_map(|call| call["from"]["data"]["total"].as_f64()).sum();
        assert!(
            total >= before.as_f64().unwrap(),
            "{item} cost {before} before, its callers {total} now"
        );
        assert!(
            callers.iter().all(|call| !function(&call["from"]).starts_with("0x")),
            "{callers:?}"
        );
    }
}

#[test]
fn rejects_another_build_of_the_program_with_both_ids() {
    let case = addresses();
    let program = case.workspace.path("bin/wordstat");
    let mut bytes = std::fs::read(&program).unwrap();
    let at = bytes.windows(BUILD_ID.len()).position(|window| window == BUILD_ID).unwrap();
    bytes[at] = 0x11;
    std::fs::write(&program, bytes).unwrap();

    let warning = stays_addresses(&case);
    for part in [
        "bin/wordstat",
        "10bb890557f1f5881ec013128d89cef488ab5525",
        "11bb890557f1f5881ec013128d89cef488ab5525",
    ] {
        assert!(warning.contains(part), "{warning}");
    }
}

#[test]
fn without_the_program_functions_stay_addresses() {
    let case = addresses();
    case.workspace.remove("bin/wordstat");
    let warning = stays_addresses(&case);
    assert!(warning.contains("wordstat") && warning.contains("symbols.paths"), "{warning}");
}

fn stays_addresses(case: &Case) -> String {
    stays_addresses_of(case, "wordstat")
}

/// Expects no symbols of the program and no lines, and returns the only warning.
fn stays_addresses_of(case: &Case, program: &str) -> String {
    let mut server = Server::start(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.wait_profile();
    let warning = server.eventually("a warning", |server| {
        Some(server.warnings()).filter(|warning| !warning.is_empty())
    });
    assert_eq!(warning.len(), 1, "{warning:?}");
    assert!(server.hints(&uri).is_empty() && server.lenses(&uri).is_empty());
    let own = hottest(&mut server).into_iter().filter(|row| row["lib"] == program);
    assert!(
        own.clone().count() > 5 && own.into_iter().all(|row| text(&row["name"]).starts_with("0x"))
    );
    let why = server.execute("costline.explain", json!([{ "uri": uri, "line": 20 }]));
    assert_eq!(why["code"], "unsymbolicated");
    assert!(warning[0].contains(why["message"].as_str().unwrap()), "{why} {warning:?}");
    warning[0].clone()
}

#[test]
fn a_sidecar_gives_names_without_lines() {
    let sidecar = addresses().workspace;
    let workspace = Workspace::new();
    for file in ["presym.json.gz", "presym.json.syms.json"] {
        workspace.copy(&sidecar.path(&format!("sidecar/{file}")), &format!("profiles/{file}"));
    }
    let main = workspace.copy(&sidecar.path("src/main.rs"), "src/main.rs");
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&main, "rust");
    server.wait_profile();
    let names = server.eventually("names", |server| {
        let names: Vec<_> = hottest(server).iter().map(|row| text(&row["name"])).collect();
        names.iter().any(|name| name == "wordstat::tokenize::normalize").then_some(names)
    });
    assert!(names.contains(&"wordstat::count".to_owned()), "{names:?}");
    assert!(server.hints(&uri).is_empty());
    let warning = server.eventually("a warning", |server| {
        Some(server.warnings()).filter(|warning| !warning.is_empty())
    });
    assert!(warning.len() == 1 && warning[0].contains("sidecar"), "{warning:?}");
}

#[test]
fn inlined_code_can_be_shown_at_its_call_site() {
    let case = addresses();
    let mut server = Server::start(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.wait_labels(&uri);
    let lines: Vec<u64> = server.line_costs(&uri).into_keys().collect();
    // `Rng::below` is inlined into `generate` at line 39 (0-based).
    assert!(lines.contains(&25) && lines.contains(&39), "{lines:?}");
    server.configure(json!({ "inlines": "callSite" }));
    server.eventually("no cost in the body", |server| {
        let lines: Vec<u64> = server.line_costs(&uri).into_keys().collect();
        (lines.contains(&39) && !lines.contains(&25)).then_some(())
    });
}

#[test]
fn a_rewritten_profile_of_the_same_program_has_names_at_once() {
    let case = addresses();
    let mut server = Server::start(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    let labels = server.wait_labels(&uri);
    let revision = server.revision();
    // Symbols of a build are cached.
    case.workspace.remove("bin/wordstat");
    let profile = std::fs::read(case.workspace.path("profile.json.gz")).unwrap();
    case.workspace.rename_over("profile.json.gz", profile);
    server.eventually("the new profile", |server| {
        assert_eq!(server.labels(&uri), labels);
        (server.revision() > revision).then_some(())
    });
    assert_eq!(server.labels(&uri), labels);
}

#[test]
fn finds_a_program_that_was_added_later_with_the_next_profile() {
    let case = addresses();
    let path = case.workspace.path("bin/wordstat");
    let program = std::fs::read(&path).unwrap();
    case.workspace.remove("bin/wordstat");
    let mut server = Server::start(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.eventually("a warning", |server| (!server.warnings().is_empty()).then_some(()));
    assert!(server.hints(&uri).is_empty());

    std::fs::write(&path, program).unwrap();
    let profile = std::fs::read(case.workspace.path("profile.json.gz")).unwrap();
    case.workspace.rename_over("profile.json.gz", profile);
    server.wait_labels(&uri);
}

#[test]
fn sanitizes_names_of_libraries_in_messages() {
    let case = addresses();
    let mut text = String::new();
    let profile = std::fs::File::open(case.workspace.path("profile.json.gz")).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(profile), &mut text).unwrap();
    case.workspace
        .write("profile.json", text.replace("\"wordstat\"", "\"word\\u001b[31m\\nstat\""));
    case.workspace.remove("profile.json.gz");
    case.workspace.remove("bin/wordstat");
    let warning = stays_addresses_of(&case, "word\u{1b}[31m\nstat");
    assert!(warning.contains("word\u{fffd}[31m\u{fffd}stat"), "{warning:?}");
}

/// The stacks of `perf record --call-graph dwarf` are unwound with the recorded program.
#[test]
fn copied_stacks_are_unwound_when_symbols_are_enabled() {
    let case = Case::new("perf-data/cpp-raytrace-dwarf");
    let settings =
        |enable| json!({ "profile": "dwarf.perf.data.gz", "symbols": { "enable": enable } });
    let start = |enable| {
        let mut server = Server::builder(&case.workspace).settings(settings(enable)).start();
        server.wait_profile();
        server
    };
    let total_of_main = |server: &mut Server| {
        let functions = hottest(server);
        let main = functions.iter().find(|row| row["name"] == "main")?;
        main["total"].as_f64()
    };
    let expected = start(true).eventually("the total of main", |server| total_of_main(server));
    let is_left =
        |server: &mut Server| server.view()["health"].to_string().contains("symbols.enable");
    let mut server = start(false);
    assert!(is_left(&mut server));
    assert_eq!(total_of_main(&mut server), None);
    for _ in 0..2 {
        server.configure(settings(true));
        server.eventually("unwound stacks", |server| {
            (total_of_main(server) == Some(expected) && !is_left(server)).then_some(())
        });
        server.configure(settings(false));
        server.eventually("leaves only", |server| {
            (total_of_main(server).is_none() && is_left(server)).then_some(())
        });
    }
}
