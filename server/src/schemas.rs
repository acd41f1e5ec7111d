//! Generates JSON Schemas in `docs/` from types. The tests check that the files are up to date;
//! `UPDATE_EXPECT=1 cargo test` rewrites them.

use crate::cli::{check as check_command, diff, report};
use answers::Settings;
use expect_test::{ExpectFile, expect_file};
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};

/// Joins the lines of a description. Doc comments are wrapped for the code.
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
fn the_schema_of_the_report_is_up_to_date() {
    check(report::schema(), &expect_file!["../../docs/report.schema.json"]);
}

#[test]
fn the_schema_of_diff_is_up_to_date() {
    check(diff::schema(), &expect_file!["../../docs/diff.schema.json"]);
}

#[test]
fn the_schema_of_check_is_up_to_date() {
    check(check_command::schema(), &expect_file!["../../docs/check.schema.json"]);
}

#[test]
fn the_schema_of_the_settings_is_up_to_date() {
    check(schemars::schema_for!(Settings), &expect_file!["../../docs/settings.schema.json"]);
}
