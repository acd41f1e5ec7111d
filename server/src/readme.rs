//! What the README says is what the program does.

use crate::export::Target;
use clap::ValueEnum;
use formats::Format;

const README: &str = include_str!("../../README.md");

/// The first cells of the table below a heading.
fn first_cells(heading: &str) -> Vec<&'static str> {
    let (_, below) = README.split_once(&format!("\n{heading}\n")).expect("the README has this heading");
    let section = below.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(1).filter_map(|row| row.split('|').nth(1)).map(str::trim).collect()
}

#[test]
fn the_table_of_formats_has_every_format() {
    let titles: Vec<_> = Format::ALL.iter().map(|format| format.title()).collect();
    assert_eq!(first_cells("## Formats"), titles);
}

#[test]
fn the_table_of_exports_has_every_target() {
    let mut named = first_cells("## Exporting");
    let values: Vec<_> = Target::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
    let mut targets: Vec<_> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
    named.sort_unstable();
    targets.sort_unstable();
    assert_eq!(named, targets);
}
