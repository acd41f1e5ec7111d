//! Async operations.

use super::*;

/// Async events from `ph category id name ts`, optionally with more members.
fn operations(text: &str) -> String {
    let event = |event: &str| {
        let words: Vec<_> = event.splitn(6, ' ').collect();
        let [ph, cat, id, name, ts] = words[..5] else { panic!("{event}") };
        let more = words.get(5).map(|more| format!(",{more}")).unwrap_or_default();
        format!(
            r#"{{"ph":"{ph}","cat":"{cat}","id":{id},"name":"{name}","pid":1,"tid":2,"ts":{ts}{more}}}"#
        )
    };
    format!("[{}]", text.split(", ").map(event).collect::<Vec<_>>().join(","))
}

#[test]
fn async_operations_nest_within_their_id() {
    assert_eq!(
        threads(&operations(
            "b app 1 load 0, b app 1 parse 20, n app 1 mark 30, e app 1 parse 60, e app 1 load 100"
        )),
        ["/async app 1/: load 60, load>parse 40"]
    );
    // Two concurrent ids, the other one in hexadecimal; the same id in another category is another
    // operation.
    assert_eq!(
        threads(&operations(
            "b app 1 load 0, b app \"0x2\" load 10, b net 1 fetch 20, e app 1 load 30, e app \"0x2\" load 60, e net 1 fetch 25"
        )),
        ["/async app 1/: load 30, load 50", "/async net 1/: fetch 5", "async-operations 1"]
    );
    // The end of an outer operation ends the inner ones; an end without a beginning is ignored.
    assert_eq!(
        threads(&operations("b c 1 f 0, b c 1 g 1, e c 1 f 9, e c 1 g 10, e c 2 h 5")),
        ["/async c 1/: f 1, f>g 8", "unwound-call 1", "unmatched-end 2", "async-operations 1"]
    );
}

#[test]
fn ids_of_operations_are_those_of_a_process_unless_they_are_global() {
    let text = |id: &str| {
        let event = |ph: &str, pid: u32, ts: u32| {
            format!(r#"{{"ph":"{ph}","cat":"c","name":"f","pid":{pid},"tid":1,"ts":{ts},{id}}}"#)
        };
        format!(
            "[{},{},{},{}]",
            event("b", 1, 0),
            event("b", 2, 10),
            event("e", 1, 30),
            event("e", 2, 70)
        )
    };
    let local = ["/async c 1/: f 30", "/async c 2/: f 60", "async-operations 1"];
    assert_eq!(threads(&text(r#""id":5"#)), local);
    assert_eq!(threads(&text(r#""id2":{"local":"0x5"}"#)), local);
    assert_eq!(threads(&text(r#""id2":{"global":"0x5"}"#)), ["/async c /: f 50, f>f 20"]);
    assert_eq!(threads(&text(r#""args":{}"#)), ["no-id 4"]);
}

#[test]
fn operations_and_calls_are_not_added_up() {
    let text = operations("b app 1 load 0, B app 0 f 10, E app 0 f 30, e app 1 load 100");
    assert_eq!(
        threads(&text),
        ["/ 1/2: f 20 0", "/async app 1/: load 0 100", "async-operations 1"]
    );
    let expected =
        ["time", "async"].map(|name| (name.to_owned(), "us".to_owned(), LineKnowledge::Nothing));
    assert_eq!(metrics(&text), expected);
}
