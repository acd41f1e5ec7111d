//! The report on a line or function.

use crate::support::{Project, position_of};
use answers::hover;
use expect_test::{Expect, expect};
use profile::text_samples;
use serde_json::json;

const APP: &str = "\
fn main() {
    parse();
}

fn parse() {
    hash();
}

fn hash() {}
";

const SAMPLES: &str = "
main@2[file:app.rs]  main@2  main@2  main@1
parse@6[file:app.rs] parse@6 parse@5
hash@9[file:app.rs]  hash@9";

fn check(part: &str, expected: &Expect) {
    let everywhere = json!({ "hover": { "everywhere": true } });
    let project = Project::new(&[("app.rs", APP)]).with_settings(&everywhere);
    let context = project.context(project.load(text_samples::profile(SAMPLES)), &["app.rs"]);
    let details = hover(&context, &project.uri("app.rs"), position_of(APP, part)).unwrap();
    let text = details.plain();
    // Without the age of the profile.
    let lines = text.lines().filter(|line| !line.contains(", written "));
    expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_function_has_its_callers_and_callees() {
    check(
        "parse() {",
        &expect![[r#"
            parse
            self 25.0% (1 sample) · total 75.0% (3 samples)
            callers:
              75.0% (3 samples) main
            callees:
              50.0% (2 samples) hash
            app.rs"#]],
    );
}

#[test]
fn a_line_has_its_share_of_the_function() {
    check(
        "    hash();",
        &expect![[r#"
            line 6
            self 0.0% (0 samples) · total 50.0% (2 samples)
            66.7% of parse
            callers into this line:
              50.0% (2 samples) main
            calls from this line:
              50.0% (2 samples) hash"#]],
    );
}

#[test]
fn a_function_of_a_virtual_machine_has_its_jit_tiers() {
    let samples = "
        main@2[file:app.rs]                     main@2                     main@2             main@1
        parse@6[file:app.rs][tier:interpreter]  parse@6[tier:interpreter]  parse@5[tier:ion]
        hash@9[file:app.rs]                     hash@9";
    let project = Project::new(&[("app.rs", APP)]);
    let context = project.context(project.load(text_samples::profile(samples)), &["app.rs"]);
    let at = |part| hover(&context, &project.uri("app.rs"), position_of(APP, part)).unwrap();
    let parse = at("parse() {").plain();
    assert!(parse.contains("\nJIT tiers: interpreter 66.7%, Ion 33.3%\n"), "{parse}");
    let hash = at("hash() {}").plain();
    assert!(!hash.contains("JIT"), "{hash}");
}

#[test]
fn there_is_no_report_without_cost_or_if_hovers_are_off() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = project.context(project.load(text_samples::profile(SAMPLES)), &["app.rs"]);
    let blank = answers::Position::new(3, 0);
    assert_eq!(hover(&context, &project.uri("app.rs"), blank), None);
    let off = Project::new(&[("app.rs", APP)]).with_settings(&json!({"hover": {"enable": false}}));
    let context = off.context(off.load(text_samples::profile(SAMPLES)), &["app.rs"]);
    assert_eq!(hover(&context, &off.uri("app.rs"), position_of(APP, "parse() {")), None);
}

#[test]
fn a_line_lists_its_callees_costliest_first() {
    let text = "fn main() { cheap(); hot(); }\nfn cheap() {}\nfn hot() {}\n";
    let project = Project::new(&[("app.rs", text)]);
    let samples = "
        main@1[file:app.rs]  main@1             main@1
        cheap@2[file:app.rs] hot@3[file:app.rs] hot@3";
    let context = project.context(project.load(text_samples::profile(samples)), &["app.rs"]);
    let at = answers::Position::new(0, 1000);
    let report = hover(&context, &project.uri("app.rs"), at).unwrap().plain();
    let calls = "calls from this line:\n  66.7% (2 samples) hot\n  33.3% (1 sample) cheap\n";
    assert!(report.contains(calls), "{report}");
}
