//! Formats the sources of all fixtures in several styles, and checks to which lines the line map
//! moves the lines of one style in the text of another, and how much of the cost of each fixture is
//! kept.
//!
//! What is right follows from the letters and digits: formatters keep them all, in their order. So
//! each letter of one text is a known letter of the other.
//!
//! `tests/oracles/install` installs the formatters. A test without its formatter is skipped with a
//! message, or fails if `COSTLINE_REQUIRE_TOOLS` is set.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "in tests a panic is the message"
)]

use crate::skip::skip_required;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use texts::{LineMap, Syntax};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The share of lines with code that must be mapped. The others are lines that consist of brackets. All of
/// the self cost of each fixture must be kept.
const MIN_KEPT: f64 = 0.98;

/// The length in bytes of the longest line that is not minified.
const MAX_LINE: usize = 1000;

/// A source with its texts in all styles; the first is the text as it is in the fixture.
struct Source {
    path: PathBuf,
    texts: Vec<(String, String)>,
    costs: Vec<(PathBuf, LineCosts)>,
}

/// The costs of a source in one fixture, by line (0-based).
type LineCosts = BTreeMap<u32, f64>;

/// Cost that is mapped, and all cost.
type Kept = (f64, f64);

/// Runs a program and returns what it says if it fails.
fn run(command: &mut Command) -> Result<(), String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let failed = || format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.success().then_some(()).ok_or_else(failed)
}

/// Whether a program is installed. Prints a message if not.
fn installed(program: &mut Command) -> bool {
    let missing = run(program).err();
    if let Some(error) = &missing {
        skip_required(&format!("{error}; tests/oracles/install installs what is needed"));
    }
    missing.is_none()
}

/// The different sources of fixtures with one of these extensions.
fn sources(extensions: &[&str]) -> Vec<Source> {
    let mut folders = vec![Path::new(REPOSITORY).join("fixtures/profiles")];
    let mut sources: Vec<Source> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                let text = fs::read_to_string(&path).unwrap();
                // The files of modules are not there when a file is formatted.
                let text = text.replace("\nmod ", "\nuse ");
                // Prettier writes the expressions of minified files in other ways.
                let is_minified = text.lines().any(|line| line.len() > MAX_LINE);
                if is_minified {
                    continue;
                }
                let costs = costs(&path);
                if let Some(same) = sources.iter_mut().find(|source| source.texts[0].1 == text) {
                    same.costs.push(costs);
                } else {
                    let texts = vec![("as it is".to_owned(), text)];
                    sources.push(Source { path, texts, costs: vec![costs] });
                }
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!sources.is_empty(), "no sources with the extensions {extensions:?}");
    sources
}

/// The fixture of a source, and the costs of its lines that another program computed.
fn costs(path: &Path) -> (PathBuf, LineCosts) {
    let fixture = path.ancestors().find(|folder| folder.join("case.json").is_file()).unwrap();
    // Cases without expected costs of lines have no `expected.json`.
    let json = |name: &str| {
        let text = fs::read(fixture.join(name)).ok();
        text.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap())
    };
    let (case, expected) = (json("case.json"), json("expected.json"));
    let root = case["root"].as_str().unwrap_or_default();
    let lines = expected["lines"].as_array().into_iter().flatten();
    let lines = lines.filter(|line| {
        let file = Path::new(line["file"].as_str().unwrap());
        Some(file.strip_prefix(root).unwrap_or(file)) == path.strip_prefix(fixture).ok()
    });
    let costs = lines.map(|line| {
        let cost = line["self"].as_f64().or(line["total"].as_f64()).unwrap();
        (line["line"].as_u64().unwrap() as u32 - 1, cost)
    });
    (fixture.to_owned(), costs.collect())
}

/// Formats copies of all sources in place, once for each style.
fn format(sources: &mut [Source], styles: &[(&str, &[&str])], formatter: impl Fn() -> Command) {
    for &(style, options) in styles {
        let folder = TempDir::new().unwrap();
        let copy = |at: usize, source: &Source| {
            let name = source.path.file_name().unwrap().to_str().unwrap();
            // Several sources have the same name.
            folder.path().join(at.to_string()).join(name)
        };
        let copies: Vec<PathBuf> =
            sources.iter().enumerate().map(|(at, source)| copy(at, source)).collect();
        for (copy, source) in copies.iter().zip(&*sources) {
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::write(copy, &source.texts[0].1).unwrap();
        }
        run(formatter().args(options).args(&copies)).unwrap();
        for (copy, source) in copies.iter().zip(sources.iter_mut()) {
            let text = fs::read_to_string(copy).unwrap();
            source.texts.push((style.to_owned(), text));
        }
    }
}

/// The letters and digits of a text, each with its line.
fn letters(text: &str) -> Vec<(char, u32)> {
    let lines = (0..).zip(text.lines());
    lines
        .flat_map(|(line0, line)| line.chars().map(move |char| (char, line0)))
        .filter(|(char, _)| char.is_alphanumeric())
        .map(|(char, line0)| (char.to_ascii_lowercase(), line0))
        .collect()
}

/// Compares all texts of a source with each other. Returns the number of lines with code, and of
/// those that are mapped. Adds the costs by fixture and style.
fn check<'a>(
    source: &'a Source,
    wrong: &mut Vec<String>,
    costs: &mut BTreeMap<(&'a Path, &'a str), Kept>,
) -> (usize, usize) {
    let syntax = Syntax::of_path(&source.path);
    let (mut lines, mut kept) = (0, 0);
    for (at, (style, recorded)) in source.texts.iter().enumerate() {
        for (open_style, open) in source.texts.iter().filter(|(other, _)| other != style) {
            let what = format!("{}: from {style} to {open_style}", source.path.display());
            let (before, after) = (letters(recorded), letters(open));
            if before.iter().map(|(char, _)| char).ne(after.iter().map(|(char, _)| char)) {
                let n = before.iter().zip(&after).take_while(|(a, b)| a.0 == b.0).count();
                let place = before.get(n).map_or(0, |&(_, line0)| line0 + 1);
                wrong.push(format!("{what}: the formatter changed the text near line {place}"));
                continue;
            }
            let map = LineMap::new(recorded, open, syntax);
            // The costs are those of the text as it is.
            if at == 0 {
                for (fixture, lines) in &source.costs {
                    let (kept, all) = costs.entry((fixture, open_style)).or_default();
                    for (&line0, cost) in lines {
                        *all += cost;
                        *kept += if map.to_open(line0).is_some() { *cost } else { 0.0 };
                    }
                }
            }
            let mut pairs = before.iter().zip(&after).peekable();
            let mut last = 0;
            for (line0, line) in (0..).zip(recorded.lines()) {
                let mut lines_now = BTreeSet::new();
                while let Some((_, (_, now))) = pairs.next_if(|((_, line), _)| *line == line0) {
                    lines_now.insert(*now);
                }
                let now = map.to_open(line0);
                let next = pairs.peek().map_or(u32::MAX, |(_, (_, line))| *line);
                let is_right = match now {
                    Some(now) if lines_now.is_empty() => (last..=next).contains(&now),
                    Some(now) => lines_now.contains(&now),
                    None => true,
                };
                last = lines_now.last().copied().unwrap_or(last);
                let is_code = !line.trim().is_empty() && !is_comment(line);
                lines += usize::from(is_code);
                kept += usize::from(is_code && now.is_some());
                if !is_right || (now.is_none() && is_code && !lines_now.is_empty()) {
                    let line = line.trim();
                    wrong.push(format!(
                        "{what}: line {} is mapped to {:?} instead of one of {:?}: {line}",
                        line0 + 1,
                        now.map(|now| now + 1),
                        lines_now.iter().map(|now| now + 1).collect::<Vec<_>>(),
                    ));
                }
            }
        }
    }
    (lines, kept)
}

fn is_comment(line: &str) -> bool {
    let starts = ["//", "#", "/*", "*"];
    starts.iter().any(|start| line.trim_start().starts_with(start))
}

#[track_caller]
fn check_all(sources: &[Source]) {
    let mut wrong = Vec::new();
    let mut costs = BTreeMap::new();
    let counts = sources.iter().map(|source| check(source, &mut wrong, &mut costs));
    let (lines, kept) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(wrong.is_empty(), "{} wrong lines:\n{}", wrong.len(), wrong.join("\n"));
    let share = kept as f64 / lines as f64;
    assert!(share >= MIN_KEPT, "only {kept} of {lines} lines are mapped");
    costs.retain(|_, (_, all)| *all > 0.0);
    assert!(!costs.is_empty());
    for ((fixture, style), (kept, all)) in costs {
        let fixture = fixture.display();
        assert!(
            kept >= all * (1.0 - f64::EPSILON),
            "{fixture}, {style}: only {kept} of {all} is kept"
        );
    }
}

/// A program that `tests/oracles/install` installs.
fn program(path: &str) -> Command {
    let folder = std::env::var_os("COSTLINE_ORACLES")
        .map_or_else(|| Path::new(REPOSITORY).join("target/oracles"), PathBuf::from);
    Command::new(folder.join(path))
}

#[test]
fn rustfmt_keeps_lines() {
    let rustfmt = || Command::new("rustfmt");
    if !installed(rustfmt().arg("--version")) {
        return;
    }
    let mut sources = sources(&["rs"]);
    let style = |options: &'static str| format!("reorder_imports=false,{options}");
    let styles = [
        style("max_width=100"),
        style("max_width=50,tab_spaces=2"),
        style("max_width=160,use_small_heuristics=Max,hard_tabs=true"),
        style("max_width=100,use_small_heuristics=Off,newline_style=Windows"),
        style("max_width=70,match_block_trailing_comma=true,fn_params_layout=Vertical"),
    ];
    for style in &styles {
        format(&mut sources, &[(style, &["--edition", "2024", "--config", style])], rustfmt);
    }
    check_all(&sources);
}

#[test]
fn black_keeps_lines() {
    let black = || program("python/bin/black");
    if !installed(black().arg("--version")) {
        return;
    }
    let mut sources = sources(&["py"]);
    let styles: [(&str, &[&str]); 4] = [
        ("black", &["-q"]),
        ("black -l 40", &["-q", "-l", "40"]),
        ("black -l 140 -C", &["-q", "-l", "140", "-C"]),
        ("black --preview -l 60", &["-q", "--preview", "-l", "60"]),
    ];
    format(&mut sources, &styles, black);
    let ruff = || program("python/bin/ruff");
    if installed(ruff().arg("--version")) {
        format(&mut sources, &[("ruff", &["format", "--quiet", "--no-cache"])], ruff);
    }
    check_all(&sources);
}

#[test]
fn prettier_keeps_lines() {
    let prettier = || program("prettier/node_modules/.bin/prettier");
    if !installed(prettier().arg("--version")) {
        return;
    }
    let mut sources = sources(&["js", "ts"]);
    let styles: [(&str, &[&str]); 4] = [
        ("prettier", &["--write"]),
        ("narrow", &["--write", "--print-width=40", "--no-semi", "--single-quote"]),
        (
            "wide",
            &[
                "--write",
                "--print-width=160",
                "--use-tabs",
                "--trailing-comma=none",
                "--arrow-parens=avoid",
                "--no-bracket-spacing",
                "--object-wrap=collapse",
            ],
        ),
        ("operators", &["--write", "--print-width=60", "--experimental-operator-position=start"]),
    ];
    format(&mut sources, &styles, prettier);
    let biome = || program("prettier/node_modules/.bin/biome");
    if installed(biome().arg("--version")) {
        format(&mut sources, &[("biome", &["format", "--write", "--colors=off"])], biome);
    }
    check_all(&sources);
}

#[test]
fn clang_format_keeps_lines() {
    let clang_format = || program("python/bin/clang-format");
    if !installed(clang_format().arg("--version")) {
        return;
    }
    let mut sources = sources(&["c", "cc", "cpp", "h", "hpp"]);
    let styles = [
        "BasedOnStyle: LLVM",
        "BasedOnStyle: Google, ColumnLimit: 50",
        "BasedOnStyle: GNU, ColumnLimit: 60",
        "BasedOnStyle: Microsoft, ColumnLimit: 140",
        "BasedOnStyle: WebKit, InsertBraces: true, UseTab: Always",
        "BasedOnStyle: LLVM, RemoveBracesLLVM: true, ColumnLimit: 160",
        "BasedOnStyle: Mozilla, RemoveParentheses: ReturnStatement, RemoveSemicolon: true",
    ];
    for style in styles {
        // Includes keep their order, and comments their lines.
        let option = format!(
            "--style={{{style}, SortIncludes: Never, ReflowComments: Never, SortUsingDeclarations: Never, FixNamespaceComments: false}}"
        );
        format(&mut sources, &[(style, &["-i", &option])], clang_format);
    }
    check_all(&sources);
}
