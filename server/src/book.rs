//! The book in `docs/`: what its pages take from the code, between two marks, is what the code
//! says, and its links lead somewhere. `UPDATE_EXPECT=1 cargo test` rewrites what is between the
//! marks.

use crate::cli;
use analysis::{TransformKind, WarningCode};
use clap::{Arg, Command, ValueEnum};
use engine::discovery::{NAMES, PROFILE_FOLDERS};
use engine::export::Target;
use engine::settings::Settings;
use expect_test::{ExpectFile, expect_file};
use formats::Format;
use formats::foreign::TABLE;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

const BEGIN: &str = "<!-- from the code; `UPDATE_EXPECT=1 cargo test` rewrites it -->\n";
const END: &str = "<!-- end -->\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Checks what a page has between the marks.
pub fn check(page: &str, file: &ExpectFile, generated: &str) {
    let text = fs::read_to_string(folder().join(page)).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the page says where it begins");
    let (_, after) = rest.split_once(END).expect("the page says where it ends");
    file.assert_eq(&format!("{before}{BEGIN}\n{generated}\n{END}{after}"));
}

/// A table of Markdown.
pub fn table<const N: usize>(
    heads: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let row = |cells: [String; N]| {
        format!(
            "| {} |\n",
            cells.map(|cell| cell.replace('|', "\\|").replace('\n', " ")).join(" | ")
        )
    };
    let rule = heads.map(|_| "---".to_owned());
    [heads.map(str::to_owned), rule].into_iter().chain(rows).map(row).collect()
}

const OF_SETTINGS: [&str; 4] = ["setting", "type", "default", "meaning"];

#[test]
fn the_settings_are_those_of_the_type() {
    let schema = schemars::schema_for!(Settings).to_value();
    // What a `$ref` points to, beside what stands at it.
    let definition = |property: &Value| {
        let name = property["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
        name.map(|name| schema["$defs"][name].clone())
    };
    let row = |key: &str, property: &Value| {
        let meant = definition(property);
        let choices = meant.as_ref().and_then(|meant| meant["oneOf"].as_array());
        let mut meaning = text(&property["description"]);
        for choice in choices.into_iter().flatten() {
            let _ = write!(
                meaning,
                "<br>`{}`: {}",
                text(&choice["const"]),
                text(&choice["description"])
            );
        }
        let items = definition(&property["items"]);
        for (name, part) in items.iter().filter_map(|item| item["properties"].as_object()).flatten()
        {
            let _ = write!(meaning, "<br>`{name}`: {}", text(&part["description"]));
        }
        let default = match &property["default"] {
            Value::Null => "not set".to_owned(),
            default => format!("`{default}`"),
        };
        [format!("`{key}`"), kind(property, choices.is_some()).to_owned(), default, meaning]
    };
    let properties = || schema["properties"].as_object().expect("settings are an object").iter();
    let group =
        |property: &Value| definition(property).filter(|meant| meant["properties"].is_object());
    let mut page = table(
        OF_SETTINGS,
        properties()
            .filter(|(_, property)| group(property).is_none())
            .map(|(key, of)| row(key, of)),
    );
    for (key, property) in properties() {
        let Some(meant) = group(property) else { continue };
        let rows = meant["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, of)| row(&format!("{key}.{name}"), of));
        let _ = write!(
            page,
            "\n## {key}\n\n{}\n\n{}",
            text(&meant["description"]),
            table(OF_SETTINGS, rows)
        );
    }
    check("reference/settings.md", &expect_file!["../../docs/reference/settings.md"], &page);
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('\n', " ")
}

/// A word for the type of a setting.
fn kind(property: &Value, is_choice: bool) -> &'static str {
    let named = |name: &str| {
        property["type"] == name
            || property["type"].as_array().is_some_and(|names| names.iter().any(|n| n == name))
    };
    match () {
        () if is_choice => "one of these",
        () if named("array") && property["items"]["type"] == "string" => "list of strings",
        () if named("array") => "list of objects",
        () if named("string") => "string",
        () if named("boolean") => "boolean",
        () => "number",
    }
}

#[test]
fn the_command_line_is_that_of_the_program() {
    let mut program = cli::command();
    program.build();
    let shared: Vec<_> = cli::view_arguments().get_arguments().map(Arg::get_id).cloned().collect();
    let mut page = String::new();
    for command in program
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let usage = command.clone().render_usage().to_string();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(
            page,
            "## {}\n\n{about}.\n\n```text\n{}\n```\n",
            command.get_name(),
            usage.trim_start_matches("Usage: ")
        );
        let own = arguments(command, |argument| !shared.contains(argument.get_id()));
        let separator = if own.is_empty() { "" } else { "\n" };
        let _ = write!(page, "{separator}{own}");
        if command.get_arguments().any(|argument| shared.contains(argument.get_id())) {
            page += "\nPROFILE and more: [which profile, and which view of it](#which-profile-and-which-view-of-it).\n";
        }
        page += "\n";
    }
    let _ = write!(
        page,
        "## Which profile, and which view of it\n\n{}",
        arguments(&cli::view_arguments(), |_| true)
    );
    check(
        "reference/command-line.md",
        &expect_file!["../../docs/reference/command-line.md"],
        &page,
    );
}

/// The table of what a command takes; empty without any.
fn arguments(command: &Command, wanted: impl Fn(&Arg) -> bool) -> String {
    let shown = |argument: &&Arg| {
        !argument.is_hide_set()
            && !["help", "version"].contains(&argument.get_id().as_str())
            && wanted(argument)
    };
    let rows: Vec<_> = command
        .get_arguments()
        .filter(shown)
        .map(|argument| {
            let value = argument.get_value_names().unwrap_or_default().join(" ");
            let takes = argument.get_action().takes_values();
            let names: Vec<_> = argument
                .get_short()
                .map(|short| format!("-{short}"))
                .into_iter()
                .chain(argument.get_long().map(|long| format!("--{long}")))
                .collect();
            let name = match names.join(", ") {
                position if position.is_empty() => value,
                names if takes => format!("{names} {value}"),
                names => names,
            };
            let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
            for choice in argument
                .get_possible_values()
                .iter()
                .filter(|choice| takes && choice.get_help().is_some())
            {
                let help = choice.get_help().map(ToString::to_string).unwrap_or_default();
                let _ = write!(meaning, "<br>`{}`: {help}", choice.get_name());
            }
            let defaults: Vec<_> = argument
                .get_default_values()
                .iter()
                .map(|value| format!("`{}`", value.to_string_lossy()))
                .collect();
            [format!("`{name}`"), if takes { defaults.join(", ") } else { String::new() }, meaning]
        })
        .collect();
    if rows.is_empty() { String::new() } else { table(["argument", "default", "meaning"], rows) }
}

#[test]
fn the_names_of_profiles_are_those_that_are_looked_for() {
    let names = NAMES.map(|name| format!("`{name}`")).join(", ");
    let folders = PROFILE_FOLDERS.map(|name| format!("`{name}`")).join(" or ");
    let text = format!("{names}; and everything in a folder named {folders}.\n");
    check("reference/formats.md", &expect_file!["../../docs/reference/formats.md"], &text);
}

#[test]
fn the_files_that_are_not_read_are_those_that_are_recognised() {
    let rows = TABLE.iter().map(|foreign| [foreign.what.to_owned(), foreign.instead.to_owned()]);
    check(
        "reference/not-read.md",
        &expect_file!["../../docs/reference/not-read.md"],
        &table(["file", "instead"], rows),
    );
}

#[test]
fn the_warnings_are_those_of_the_code() {
    let row = |code: &WarningCode| [format!("`{code}`"), code.meaning().to_owned()];
    check(
        "reference/warnings.md",
        &expect_file!["../../docs/reference/warnings.md"],
        &table(["code", "meaning"], WarningCode::ALL.iter().map(row)),
    );
}

#[test]
fn the_table_of_formats_has_every_format() {
    let page =
        fs::read_to_string(folder().join("reference/formats.md")).expect("the page is there");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let named: Vec<_> =
        rows.map(|row| row.split('|').skip(1).take(2).map(str::trim).collect::<Vec<_>>()).collect();
    let known: Vec<_> =
        Format::ALL.iter().map(|format| (format.title(), format!("`{}`", format.name()))).collect();
    assert_eq!(named, known.iter().map(|(title, name)| vec![*title, name]).collect::<Vec<_>>());
}

/// The first cells of the table below a heading of the page on the command line, without what
/// follows a colon.
fn first_cells(heading: &str) -> Vec<String> {
    let page =
        fs::read_to_string(folder().join("reference/command-line.md")).expect("the page is there");
    let (_, below) =
        page.split_once(&format!("\n## {heading}\n")).expect("the page has this heading");
    let section = below.split("\n## ").next().unwrap_or_default();
    let cells = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|row| row.split(['`', ':']).next());
    cells.map(str::to_owned).collect()
}

#[test]
fn the_table_of_transforms_has_every_kind() {
    assert_eq!(first_cells("Transforms"), TransformKind::ALL.map(|kind| kind.name().to_owned()));
}

#[test]
fn the_table_of_exports_has_every_target() {
    let mut named = first_cells("Exports");
    let values = Target::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let mut targets: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
    named.sort_unstable();
    targets.sort_unstable();
    assert_eq!(named, targets);
}

/// The pages of the book and the documents beside it, by their paths.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![folder()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)
            .expect("a folder of the book")
            .map(|entry| entry.expect("readable").path())
        {
            match entry.extension() {
                _ if entry.is_dir() => folders.push(entry),
                Some(extension) if extension == "md" => pages.push(entry),
                _ => {}
            }
        }
    }
    pages
}

/// Without what stands in code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    lines.map(|line| line.split('`').step_by(2).collect::<String>() + "\n").collect()
}

/// The names that the headings of a page get.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let headings = text.lines().filter(|line| {
        fenced ^= line.starts_with("```");
        !fenced && line.starts_with('#')
    });
    let kept = |letter: char| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || "-_".contains(letter) => {
            Some(letter.to_ascii_lowercase())
        }
        _ => None,
    };
    headings
        .map(|heading| heading.trim_start_matches('#').trim().chars().filter_map(kept).collect())
        .collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn links_lead_to_files_and_headings_of_the_book() {
    let folder = plain(&folder());
    let mut broken = Vec::new();
    for page in pages() {
        let text = prose(&fs::read_to_string(&page).expect("a page is text"));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file =
                if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            let file = plain(&file);
            let there = file.starts_with(&folder) && file.is_file();
            let heading = anchor.is_empty()
                || fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(anchor));
            if !there || !heading {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(folder().join("SUMMARY.md")).expect("the book has a summary");
    let unlisted: Vec<_> = pages()
        .into_iter()
        .filter_map(|page| {
            Some(page.strip_prefix(folder()).ok()?.to_string_lossy().replace('\\', "/"))
        })
        .filter(|page| page != "SUMMARY.md" && !summary.contains(&format!("({page})")))
        .collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
}
