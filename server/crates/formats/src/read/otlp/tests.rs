use super::*;
use crate::read::text_rows::{labelled_rows, profile};
use ::profile::StackAccess;

/// `main` calls `work`; two profiles of a service: 7 samples, and 70 bytes.
const JSON: &str = r#"{"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
"scopeProfiles":[{"profiles":[
{"sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":[
 {"stackIndex":1,"values":["2"],"attributeIndices":[1]},
 {"stackIndex":2,"timestampsUnixNano":["1","2","3"]},
 {"stackIndex":1,"values":["1","1"],"timestampsUnixNano":["1","2"]}]},
{"sampleType":{"typeStrindex":3,"unitStrindex":4},"period":"512","samples":[{"stackIndex":2,"values":["70"]}]}]}]}],
"dictionary":{
"mappingTable":[{},{"memoryStart":"4096","memoryLimit":"8192","filenameStrindex":5,"attributeIndices":[2]}],
"locationTable":[{},{"mappingIndex":1,"address":"4112","lines":[{"functionIndex":2,"line":"9"},{"functionIndex":1,"line":"3"}]},{"mappingIndex":1,"address":"4128"}],
"functionTable":[{},{"nameStrindex":6,"filenameStrindex":8},{"nameStrindex":7,"filenameStrindex":8}],
"linkTable":[{}],
"stringTable":["","samples","count","space","bytes","/bin/shop","main","work","app.go","thread.name","process.executable.build_id.gnu"],
"attributeTable":[{},{"keyStrindex":9,"value":{"stringValue":"w1"}},{"keyStrindex":10,"value":{"stringValue":"abcd"}}],
"stackTable":[{},{"locationIndices":[1]},{"locationIndices":[2,1]}]}}"#;

const ROWS: &str = "\
shop w1: main|app.go|shop:3 > work|app.go|shop:9~ 2 0
shop : main|app.go|shop:3 > work|app.go|shop:9~ > 0x20|shop 3 0
shop : main|app.go|shop:3 > work|app.go|shop:9~ 2 0
shop : main|app.go|shop:3 > work|app.go|shop:9~ > 0x20|shop 0 70
";

fn rows(read: &Read) -> String {
    labelled_rows(read, |thread| format!("{} {}", thread.process_name, thread.name))
}

fn binary() -> Vec<u8> {
    let message: ProfilesData = serde_json::from_str(JSON).unwrap();
    message.encode_to_vec()
}

#[test]
fn json_and_protobuf_are_the_same() {
    for bytes in [JSON.as_bytes().to_vec(), JSON.replace('\n', "").into_bytes(), binary()] {
        assert_eq!(crate::detect::detect(&bytes), Some(Format::Otlp));
        assert_eq!(crate::detect::detect(&bytes[..bytes.len() / 2]), Some(Format::Otlp));
        let read = read(&bytes).unwrap();
        assert_eq!(rows(&read), ROWS);
        let libs: Vec<_> = profile(&read).symbols().libs.iter().map(|lib| &*lib.code_id).collect();
        assert_eq!((read.format, libs), (Format::Otlp, vec!["abcd"]));
    }
}

#[test]
fn attributes_of_samples_are_labels() {
    let text = JSON.replace(
        r#""attributeTable":[{},"#,
        r#""attributeTable":[{},{"keyStrindex":11,"value":{"intValue":"64"},"unitStrindex":4},
           {"keyStrindex":11,"value":{"doubleValue":0.5}},{"keyStrindex":11,"value":{"boolValue":true}},
           {"keyStrindex":11,"value":{"arrayValue":{}}},"#,
    );
    let text = text.replace(r#".gnu"],"#, r#".gnu","size"],"#).replace("[2]},", "[6]},");
    let text = text.replace(r#""attributeIndices":[1]"#, r#""attributeIndices":[1,2,3,4,5]"#);
    let read = read(text.as_bytes()).unwrap();
    let profile = profile(&read);
    let labels: Vec<String> = profile.labels().labels().iter().map(ToString::to_string).collect();
    let expected =
        ["size=64 bytes", "size=0.5", "size=true", "thread.name=w1", "service.name=shop"];
    assert_eq!(labels, expected);
}

/// The collector writes a message per line, or after its length; each has its own tables.
#[test]
fn messages_are_added() {
    let twice = |rows: &str| {
        let both = rows.lines().filter(|row| row.contains("w1"));
        both.chain(rows.lines().filter(|row| !row.contains("w1")))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let line = JSON.replace('\n', "");
    let length = (binary().len() as u32).to_be_bytes();
    for bytes in [
        format!("{line}\n{line}\n").into_bytes(),
        [&length, &*binary(), &length, &*binary()].concat(),
    ] {
        assert_eq!(crate::detect::detect(&bytes), Some(Format::Otlp));
        let read = read(&bytes).unwrap();
        let mut found: Vec<String> = rows(&read).lines().map(str::to_owned).collect();
        let mut expected = [twice(ROWS), twice(ROWS)].concat();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
    let cut = [&length, &binary()[..40]].concat();
    assert!(read(&cut).unwrap_err().to_string().contains("ends within a message"));
}

#[test]
fn older_layouts_are_refused_by_name() {
    let older = [
        JSON.replace(r#""stringTable":["","#, r#""stringTable":["x","#),
        JSON.replace(r#""functionTable":[{},"#, r#""functionTable":["#),
        JSON.replace("stackTable", "stacks"),
    ];
    for text in older {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("older layout of v1development"), "{error}");
    }
}
