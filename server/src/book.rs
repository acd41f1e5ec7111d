//! Tests of the book in `docs/`: the parts of pages that are generated from the code are up to date,
//! tables are complete, and links are valid. `UPDATE_EXPECT=1 cargo test` rewrites the generated
//! parts, which are between [`BEGIN`] and [`END`].

use crate::cli;
use crate::cli::mcp::{PAGES, TOOLS};
use answers::{
    ExportTarget as Target, Format, HealthCode, NAMES, PROFILE_FOLDERS, Settings, TransformKind,
    WarningCode, values,
};
use clap::{Arg, Command};
use expect_test::{ExpectFile, expect_file};
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

/// Checks that `generated` is the text between the marks of a page.
pub fn check(page: &str, file: &ExpectFile, generated: &str) {
    let text = fs::read_to_string(folder().join(page)).expect("the page exists");
    let (before, rest) = text.split_once(BEGIN).expect("the page has the mark BEGIN");
    let (_, after) = rest.split_once(END).expect("the page has the mark END");
    file.assert_eq(&format!("{before}{BEGIN}\n{generated}\n{END}{after}"));
}

/// A Markdown table.
pub fn table<const N: usize>(
    headings: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let row = |cells: [String; N]| {
        format!(
            "| {} |\n",
            cells.map(|cell| cell.replace('|', "\\|").replace('\n', " ")).join(" | ")
        )
    };
    let rule = headings.map(|_| "---".to_owned());
    [headings.map(str::to_owned), rule].into_iter().chain(rows).map(row).collect()
}

const SETTING_HEADINGS: [&str; 4] = ["setting", "type", "default", "meaning"];

#[test]
fn the_page_of_settings_is_up_to_date() {
    let schema = schemars::schema_for!(Settings).to_value();
    let properties = || schema["properties"].as_object().expect("settings are an object").iter();
    let group = |property: &Value| {
        referenced(&schema, property).filter(|group| group["properties"].is_object())
    };
    let mut page = table(
        SETTING_HEADINGS,
        properties()
            .filter(|(_, property)| group(property).is_none())
            .map(|(key, property)| setting_row(&schema, key, property)),
    );
    for (key, property) in properties() {
        let Some(group) = group(property) else { continue };
        let rows = group["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, property)| setting_row(&schema, &format!("{key}.{name}"), property));
        let _ = write!(
            page,
            "\n## {key}\n\n{}\n\n{}",
            text(&group["description"]),
            table(SETTING_HEADINGS, rows)
        );
    }
    check("reference/settings.md", &expect_file!["../../docs/reference/settings.md"], &page);
}

fn setting_row(schema: &Value, key: &str, property: &Value) -> [String; 4] {
    let definition = referenced(schema, property);
    let choices = definition.and_then(|definition| definition["oneOf"].as_array());
    let mut meaning = text(&property["description"]);
    for choice in choices.into_iter().flatten() {
        let (value, description) = (text(&choice["const"]), text(&choice["description"]));
        let _ = write!(meaning, "<br>`{value}`: {description}");
    }
    let item = referenced(schema, &property["items"]);
    for (name, field) in item.and_then(|item| item["properties"].as_object()).into_iter().flatten()
    {
        let _ = write!(meaning, "<br>`{name}`: {}", text(&field["description"]));
    }
    let default = match &property["default"] {
        Value::Null => "not set".to_owned(),
        default => format!("`{default}`"),
    };
    [format!("`{key}`"), kind(property, choices.is_some()).to_owned(), default, meaning]
}

/// The definition that the `$ref` of a property refers to.
fn referenced<'a>(schema: &'a Value, property: &Value) -> Option<&'a Value> {
    let name = property["$ref"].as_str()?.strip_prefix("#/$defs/")?;
    Some(&schema["$defs"][name])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('\n', " ")
}

/// The name of the type of a setting.
fn kind(property: &Value, is_choice: bool) -> &'static str {
    let is = |name: &str| {
        property["type"] == name
            || property["type"].as_array().is_some_and(|names| names.iter().any(|n| n == name))
    };
    match () {
        () if is_choice => "one of these",
        () if is("array") && property["items"]["type"] == "string" => "list of strings",
        () if is("array") => "list of objects",
        () if is("string") => "string",
        () if is("boolean") => "boolean",
        () if is("object") => "object",
        () => "number",
    }
}

#[test]
fn the_page_of_the_command_line_is_up_to_date() {
    let mut program = cli::command();
    program.build();
    let shared: Vec<_> = cli::view_arguments().get_arguments().map(Arg::get_id).cloned().collect();
    let mut page = format!(
        "{}\n",
        table(
            ["exit code", "meaning"],
            cli::EXIT_CODES.map(|(code, meaning)| [code.to_string(), meaning.to_owned()])
        )
    );
    for command in program
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let usage = command.clone().render_usage().to_string();
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.len() <= 65, "`{name}` needs a line of its own in a terminal of 80 columns");
        let more = command.get_long_about().map(ToString::to_string).unwrap_or_default();
        let more = more.strip_prefix(&about).unwrap_or(&more);
        let _ = write!(
            page,
            "## {}\n\n{about}.{more}\n\n```text\n{}\n```\n",
            name,
            usage.trim_start_matches("Usage: ")
        );
        let ids: Vec<_> = command.get_arguments().map(Arg::get_id).collect();
        let has_view = shared.iter().all(|id| ids.contains(&id));
        let own = arguments(command, |argument| !has_view || !shared.contains(argument.get_id()));
        let separator = if own.is_empty() { "" } else { "\n" };
        let _ = write!(page, "{separator}{own}");
        if has_view {
            page += "\nAlso accepts the [arguments for profile and view](#profile-and-view).\n";
        }
        page += "\n";
    }
    let _ = write!(page, "## Profile and view\n\n{}", arguments(&cli::view_arguments(), |_| true));
    check(
        "reference/command-line.md",
        &expect_file!["../../docs/reference/command-line.md"],
        &page,
    );
}

/// The table of a command's arguments; empty if there are none.
fn arguments(command: &Command, wanted: impl Fn(&Arg) -> bool) -> String {
    let is_listed = |argument: &&Arg| {
        !argument.is_hide_set()
            && !["help", "version"].contains(&argument.get_id().as_str())
            && wanted(argument)
    };
    let rows: Vec<_> = command.get_arguments().filter(is_listed).map(argument_row).collect();
    if rows.is_empty() { String::new() } else { table(["argument", "default", "meaning"], rows) }
}

fn argument_row(argument: &Arg) -> [String; 3] {
    let takes_value = argument.get_action().takes_values();
    let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut defaults = Vec::new();
    if takes_value {
        for choice in argument.get_possible_values() {
            if let Some(help) = choice.get_help() {
                let _ = write!(meaning, "<br>`{}`: {help}", choice.get_name());
            }
        }
        let values = argument.get_default_values().iter().filter(|value| !value.is_empty());
        defaults.extend(values.map(|value| format!("`{}`", value.to_string_lossy())));
    }
    [format!("`{}`", argument_name(argument)), defaults.join(", "), meaning]
}

/// The name of an argument as users type it: `-o, --output FILE`, or `FILE` without options.
fn argument_name(argument: &Arg) -> String {
    let value = argument.get_value_names().unwrap_or_default().join(" ");
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let options: Vec<_> = short.into_iter().chain(long).collect();
    match options.join(", ") {
        none if none.is_empty() => value,
        options if argument.get_action().takes_values() => format!("{options} {value}"),
        options => options,
    }
}

#[test]
fn the_page_of_mcp_tools_is_up_to_date() {
    let shared = TOOLS[0].arguments();
    let rows = |arguments: &serde_json::Map<String, Value>, wanted: &dyn Fn(&str) -> bool| {
        let arguments = arguments.iter().filter(|(name, _)| wanted(name));
        let rows =
            arguments.map(|(name, schema)| [format!("`{name}`"), text(&schema["description"])]);
        rows.collect::<Vec<_>>()
    };
    let mut page = String::new();
    for tool in &TOOLS {
        let _ = write!(page, "### {}\n\n{}\n", tool.name, tool.description);
        let own = rows(&tool.arguments(), &|name| !shared.contains_key(name));
        if !own.is_empty() {
            let _ = write!(page, "\n{}", table(["argument", "meaning"], own));
        }
        page += "\n";
    }
    let shared = table(["argument", "meaning"], rows(&shared, &|_| true));
    let _ = write!(page, "### Arguments of all tools\n\n{shared}");
    check("mcp.md", &expect_file!["../../docs/mcp.md"], &page);
}

#[test]
fn every_page_about_recording_is_a_resource() {
    let files = fs::read_dir(folder().join("recording")).expect("the folder of the pages");
    let names = files.filter_map(|file| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned()));
    let mut expected: Vec<String> = names.chain(["index".to_owned()]).collect();
    expected.sort_unstable();
    let mut pages = PAGES.map(|page| page.name.to_owned());
    pages.sort_unstable();
    assert_eq!(pages.as_slice(), expected);
}

#[test]
fn the_names_of_profiles_are_up_to_date() {
    let names = NAMES.map(|name| format!("`{name}`")).join(", ");
    let folders = PROFILE_FOLDERS.map(|name| format!("`{name}`")).join(" or ");
    let text = format!(
        "{names}; and everything in a folder named {folders}, except for names that begin with a dot.\n"
    );
    check("reference/formats.md", &expect_file!["../../docs/reference/formats.md"], &text);
}

#[test]
fn the_page_of_files_that_are_not_read_is_up_to_date() {
    let rows = TABLE.iter().map(|foreign| [foreign.what.to_owned(), foreign.instead.to_owned()]);
    check(
        "reference/not-read.md",
        &expect_file!["../../docs/reference/not-read.md"],
        &table(["file", "instead"], rows),
    );
}

#[test]
fn the_page_of_warnings_is_up_to_date() {
    let row = |code: &str, meaning: &str| [format!("`{code}`"), meaning.to_owned()];
    let table = |rows: Vec<_>| table(["code", "meaning"], rows);
    let warnings = WarningCode::ALL.iter().map(|code| row(code.as_str(), code.meaning()));
    let others = HealthCode::ALL.iter().map(|code| row(code.as_str(), code.meaning()));
    check(
        "reference/warnings.md",
        &expect_file!["../../docs/reference/warnings.md"],
        &format!("{}\n## Other codes\n\n{}", table(warnings.collect()), table(others.collect())),
    );
}

#[test]
fn the_table_of_formats_has_every_format() {
    let page = fs::read_to_string(folder().join("reference/formats.md")).expect("the page exists");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let listed: Vec<Vec<_>> =
        rows.map(|row| row.split('|').skip(1).take(2).map(str::trim).collect()).collect();
    let expected: Vec<_> = Format::ALL
        .iter()
        .map(|format| vec![format.title().to_owned(), format!("`{}`", format.name())])
        .collect();
    assert_eq!(listed, expected);
}

/// The first cells of the table below a heading of the command line page, up to the first colon.
fn first_cells(heading: &str) -> Vec<String> {
    let page =
        fs::read_to_string(folder().join("reference/command-line.md")).expect("the page exists");
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
    let mut listed = first_cells("Exports");
    let mut targets: Vec<_> = values::<Target>().into_iter().map(|of| of.name).collect();
    listed.sort_unstable();
    targets.sort_unstable();
    assert_eq!(listed, targets);
}

/// The paths of all Markdown files in `docs/`.
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

/// A text without code blocks and inline code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    lines.map(|line| line.split('`').step_by(2).collect::<String>() + "\n").collect()
}

/// The anchors of the headings of a page.
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

/// Removes `.` and `..` from a path.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normalized.pop()),
            Component::CurDir => {}
            part => normalized.push(part),
        }
    }
    normalized
}

#[test]
fn links_refer_to_files_and_headings_of_the_book() {
    let folder = normalized(&folder());
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
            let file = normalized(&file);
            let file_exists = file.starts_with(&folder) && file.is_file();
            let heading_exists = anchor.is_empty()
                || fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(anchor));
            if !file_exists || !heading_exists {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The first sentence of the `//!` lines of each module, by crate and path.
#[test]
fn the_code_map_is_up_to_date() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates = vec![("server".to_owned(), server.join("src"))];
    let folders = fs::read_dir(server.join("crates")).expect("there are crates");
    let folders = folders.flatten().filter(|folder| folder.path().is_dir());
    crates.extend(folders.map(|folder| {
        (folder.file_name().to_string_lossy().into_owned(), folder.path().join("src"))
    }));
    crates.sort();
    let mut page = String::new();
    for (name, src) in crates {
        let mut files = files_below(&src);
        files.sort();
        let rows = files.iter().filter_map(|file| {
            let path = file.strip_prefix(&src).ok()?.to_string_lossy().replace('\\', "/");
            let is_test = path.ends_with("tests.rs") || path.contains("tests/");
            let text = fs::read_to_string(file).ok().filter(|_| !is_test)?;
            Some([format!("`{path}`"), first_sentence(&text)?])
        });
        let _ = write!(page, "## `{name}`\n\n{}\n", table(["file", "what it is"], rows));
    }
    let page = page.trim_end();
    check("development/code-map.md", &expect_file!["../../docs/development/code-map.md"], page);
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let below = folders.iter().flat_map(|folder| files_below(folder));
    files.into_iter().filter(is_rust).chain(below).collect()
}

/// The first sentence of a module's documentation.
fn first_sentence(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let paragraph: Vec<&str> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = paragraph.match_indices(". ").map(|(at, _)| at);
    let end = end.into_iter().find(|&at| paragraph[at + 2..].starts_with(char::is_uppercase));
    let sentence = &paragraph[..end.unwrap_or(paragraph.len())];
    // Links in the code lead nowhere in the book.
    let sentence = sentence.trim_end_matches(['.', ':']).replace(['[', ']'], "");
    (!sentence.is_empty()).then_some(sentence)
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
