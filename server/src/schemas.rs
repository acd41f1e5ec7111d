//! The JSON Schemas in `docs/`: checked in, and the same as the types say. `UPDATE_EXPECT=1 cargo test` rewrites them.

use crate::cli::report;
use crate::session::config::Config;
use expect_test::{ExpectFile, expect_file};
use schemars::Schema;

fn check(schema: &Schema, file: &ExpectFile) {
    let text = serde_json::to_string_pretty(schema).expect("a schema is JSON");
    file.assert_eq(&format!("{text}\n"));
}

#[test]
fn of_the_report() {
    check(&report::schema(), &expect_file!["../../docs/report.schema.json"]);
}

#[test]
fn of_the_settings() {
    check(&schemars::schema_for!(Config), &expect_file!["../../docs/settings.schema.json"]);
}
