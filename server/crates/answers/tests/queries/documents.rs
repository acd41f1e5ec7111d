//! Costs in documents that differ from the recorded text.

use crate::support::{Project, numbered};
use answers::{
    Context, Document, Encoding, Position, Text, function_costs, hottest_functions, hover,
    line_costs, root_item,
};
use profile::text_samples;
use std::fs;
use std::sync::Arc;
use url::Url;

const APP: &str = "fn main() {\n    parse();\n    print();\n}\n";
const SAMPLES: &str = "main@2[file:app.rs] main@3";

fn edited(project: &Project, text: &str) -> Context {
    let snapshot = project.load(text_samples::profile(SAMPLES));
    project.context_with(snapshot, &[("app.rs", text.to_owned())])
}

fn lines(context: &Context, project: &Project) -> Vec<String> {
    let hints = line_costs(context, &project.uri("app.rs"), 0..u32::MAX).into_iter();
    hints.map(|hint| numbered(&hint)).collect()
}

#[test]
fn costs_move_with_their_lines() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = edited(&project, &format!("// One.\n// Two.\n{APP}"));
    assert_eq!(lines(&context, &project), ["4 50.0%", "5 50.0%"]);
    assert_eq!(function_costs(&context, &project.uri("app.rs"))[0].line0, 2);
}

#[test]
fn hints_of_an_edited_text_need_no_parse_of_it() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = edited(&project, &format!("// One.\n{APP}"));
    let is_parsed = || {
        let open = context.open_file(&project.uri("app.rs")).unwrap();
        !format!("{:?}", open.document).contains(" functions: OnceLock(<uninit>)")
    };
    assert_eq!(lines(&context, &project), ["3 50.0%", "4 50.0%"]);
    assert!(!is_parsed());
    // Unlike lenses.
    function_costs(&context, &project.uri("app.rs"));
    assert!(is_parsed());
}

#[test]
fn each_recorded_text_is_parsed_once() {
    let project = Project::new(&[("app.rs", APP)]);
    let recorded = ["// One.\n", "// Two.\n", "// One.\n"].map(|above| {
        fs::write(project.path("app.rs"), format!("{above}{APP}")).unwrap();
        project.load(text_samples::profile("main@3[file:app.rs] main@4"))
    });
    let context = edited(&project, &format!("// Three.\n{APP}"));
    let document = &context.open_file(&project.uri("app.rs")).unwrap().document;
    let functions = || recorded.each_ref().map(|it| document.recorded_functions(it).unwrap());
    let (first, again) = (functions(), functions());
    for (first, again) in first.iter().zip(&again) {
        assert!(Arc::ptr_eq(first, again));
    }
    assert!(!Arc::ptr_eq(&first[0], &first[1]));
    assert!(Arc::ptr_eq(&first[0], &first[2]), "of the same text");
}

#[test]
fn the_first_hint_of_a_function_is_the_same_whichever_lines_are_asked_for() {
    let text = "fn a() {\n    x();\n    y();\n    z();\n}\nfn b() {\n    x();\n    y();\n}\n";
    let project = Project::new(&[("app.rs", text)]);
    let samples = "a@2[file:app.rs] a@3 a@4 b@7[file:app.rs] b@8";
    let snapshot = project.load(text_samples::profile(samples));
    let moved = format!("// One.\n{text}");
    let context = project.context_with(snapshot, &[("app.rs", moved)]);
    let labels = |range: std::ops::Range<u32>| -> Vec<_> {
        let hints = line_costs(&context, &project.uri("app.rs"), range).into_iter();
        hints.map(|hint| format!("{} {}", hint.position.line0, hint.label)).collect()
    };
    let all = labels(0..u32::MAX);
    assert_eq!(all, ["2 20.0% total", "3 20.0%", "4 20.0%", "7 20.0% total", "8 20.0%"]);
    assert_eq!(labels(3..8), all[1..4]);
    assert_eq!(labels(8..99), all[4..]);
}

#[test]
fn a_changed_line_has_no_hint_and_its_hover_says_why() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = edited(&project, &APP.replace("print();", "write(out);"));
    assert_eq!(lines(&context, &project), ["2 50.0%"]);
    let details = hover(&context, &project.uri("app.rs"), Position::new(2, 1000)).unwrap();
    assert!(details.plain().contains("has changed since the recording"));
}

#[test]
fn files_outside_the_profile_have_no_costs() {
    let project = Project::new(&[("app.rs", APP), ("other.rs", APP)]);
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let context = project.context(snapshot, &["other.rs"]);
    assert!(context.open_file(&project.uri("other.rs")).is_none());
    assert!(line_costs(&context, &project.uri("other.rs"), 0..9).is_empty());
}

#[test]
fn functions_of_an_unknown_text_are_found_by_name_and_marked_as_uncertain() {
    let project = Project::new(&[("app.rs", &format!("// One.\n// Two.\n{APP}"))]);
    let recording = text_samples::profile("main@2[file:app.rs][start:1]");
    let snapshot = project.load_all(vec![project.loaded_before_edits(recording)]);
    let context = project.context(snapshot, &["app.rs"]);
    // The line has moved with its function.
    assert_eq!(lines(&context, &project), ["4 ~100.0%"]);
    let lenses = function_costs(&context, &project.uri("app.rs"));
    let lenses: Vec<_> = lenses.iter().map(|lens| (lens.line0 + 1, lens.title.as_str())).collect();
    assert_eq!(lenses, [(3, "~self 100.0% (1 sample) · total 100.0% (1 sample)")]);
}

/// A file that is open under two paths, of which one is a link: only one of the documents was edited.
#[test]
fn items_and_lenses_are_about_the_document_that_was_asked() {
    let project = Project::new(&[("app.rs", APP)]);
    let snapshot = project.load(text_samples::profile(SAMPLES));
    let uris = [project.uri("app.rs"), project.uri("link.rs")];
    let texts = [APP.to_owned(), format!("// One.\n{APP}")];
    let document = |(uri, text): (&Url, &String)| {
        let text = Text::new(text.as_str(), Encoding::Utf16);
        Arc::new(Document::new(uri.clone(), project.path("app.rs"), 1, text))
    };
    let context = Context {
        documents: uris.iter().zip(&texts).map(document).collect(),
        ..project.context(snapshot, &[])
    };
    for (uri, line0) in uris.iter().zip([0, 1]) {
        let documents = context.documents.clone().preferring(uri);
        let context = Context { documents, ..context.clone() };
        let snapshot = context.world.snapshot().unwrap();
        let item = root_item(&context, snapshot, hottest_functions(snapshot)[0]).unwrap();
        assert_eq!((&item.uri, item.range.start.line0), (uri, line0));
        let lens = &function_costs(&context, uri)[0];
        assert_eq!((lens.line0, &lens.item.uri), (line0, uri));
    }
}
