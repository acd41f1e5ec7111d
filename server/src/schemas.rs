//! The JSON Schemas in `docs/`: checked in, and the same as the types say. `UPDATE_EXPECT=1 cargo
//! test` rewrites them.

use crate::cli::report;
use engine::settings::Settings;
use expect_test::{ExpectFile, expect_file};
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};

/// Puts descriptions on one line: doc comments are wrapped for their readers in the code.
pub fn unwrap_description(schema: &mut Schema) {
    if let Some(serde_json::Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

fn check(mut schema: Schema, file: &ExpectFile) {
    RecursiveTransform(unwrap_description).transform(&mut schema);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    file.assert_eq(&format!("{text}\n"));
}

#[test]
fn of_the_report() {
    check(report::schema(), &expect_file!["../../docs/report.schema.json"]);
}

#[test]
fn of_the_settings() {
    check(schemars::schema_for!(Settings), &expect_file!["../../docs/settings.schema.json"]);
}
