//! Scripts that a tool compiled when they were loaded: ts-node, tsx, Jest, webpack's `eval` modules,
//! development servers. The profile has their original names, but the lines of the compiled text,
//! which is in no file. So these lines are not shown.
//!
//! Such a script is recognized by functions that do not start where its recorded text has their
//! names. JavaScript engines give the place of a function's parameters.

use super::file_evidence::{is_common, plain_name};
use super::identifying::{Change, Identifying};
use super::line_ends::is_script;
use crate::functions::definitions::FileDefinitions;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::load::stages::recorded_texts::search::TextSearch;
use crate::load::texts::fit::FunctionEvidence;
use analysis::{
    FuncId, Moved, OriginalPlace, PlaceKind, Position, SourceId, Warning, WarningCode, relocate,
};
use rustc_hash::FxHashMap;
use sources::{How, Mapping};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A script was compiled if fewer functions than this are in their places for each one that is not.
const MIN_RIGHT: usize = 4;

/// The extensions of scripts that engines cannot run as they are, apart from those that ignore types.
const TYPED: &[&str] = &["ts", "mts", "cts", "tsx", "jsx"];

/// Node.js before version 12 counts columns of the first line from the start of a function that it puts
/// around a module.
const MAX_WRAPPER: usize = 100;

/// Removes the lines in scripts that were compiled when they were loaded.
pub fn without_lines(all: &Identifying<'_>) -> Change {
    let scripts = scripts(all);
    let transpiled: FxHashMap<SourceId, &Recorded> =
        scripts.iter().filter_map(|(&source, script)| Some((source, misplaced(script)?))).collect();
    let Some(first) = transpiled.iter().min_by_key(|(source, _)| source.index()) else {
        return Change::default();
    };
    let (&source, Recorded { name: function, line, .. }) = first;
    let message = format!(
        "{}: `{function}` starts on line {line} in the profile, but not in the file: a tool compiled the file when it was loaded, or it \
         was edited while the program ran, so its lines have no costs; compile with source maps before the program runs, and profile \
         the output",
        all.name(source)
    );
    let count = transpiled.len() as u64;
    let recording = relocate(&all.recording, |kind, Position { source, .. }| {
        match (transpiled.contains_key(&source), kind) {
            (false, _) => Moved::Stays,
            (true, PlaceKind::Start) => {
                Moved::To(OriginalPlace { file: all.name(source), line: 0, column: 0 })
            }
            (true, PlaceKind::Executing | PlaceKind::ExecutingAfter) => Moved::Unknown,
        }
    });
    let warnings = vec![Warning { code: WarningCode::TranspiledLines, message, count }];
    Change { warnings, ..Change::places(recording) }
}

/// A script with a known text.
struct Script {
    text: Arc<str>,
    definitions: Arc<FileDefinitions>,
    functions: Vec<Recorded>,
    /// Whether engines cannot run it as it is, apart from those that ignore types.
    is_typed: bool,
}

/// A recorded function.
struct Recorded {
    name: String,
    /// Where it starts, 1-based; column 0 = unknown.
    line: u32,
    column: u32,
}

/// The scripts that were not mapped by a source map, and that no known text fits.
fn scripts(all: &Identifying<'_>) -> FxHashMap<SourceId, Script> {
    let script = |(source, mapping): (SourceId, &Mapping)| {
        let Mapping::Mapped { path, how } = mapping else { return None };
        if *how == How::SourceMap || !is_script(path) {
            return None;
        }
        let recorded = |(func, function): (FuncId, &FunctionEvidence)| {
            let (line0, column) = function.start?;
            let name = all.recording.symbols().func_name(func).to_owned();
            Some(Recorded { name, line: line0 + 1, column })
        };
        let functions = all.evidence().of_source(source)?.functions().filter_map(recorded);
        let functions: Vec<Recorded> = functions.collect();
        let found = TextSearch::new(all, path, &[source]).find();
        let text = found.filter(|found| !functions.is_empty() && !found.fits)?.text;
        let definitions = all.context.parsed.one(path, &text)?;
        let is_typed = path.extension().is_some_and(|it| TYPED.iter().any(|typed| it == *typed));
        Some((source, Script { text, definitions, functions, is_typed }))
    };
    all.sources().filter_map(script).collect()
}

/// The first function that the text has in another place, or whose place the text does not have, if
/// there are many of those.
fn misplaced(script: &Script) -> Option<&Recorded> {
    let text = File::new(&script.definitions);
    let lines: Vec<&str> = script.text.lines().collect();
    let (mut n_right, mut wrong) = (0, Vec::new());
    for function in &script.functions {
        let line0 = function.line.saturating_sub(1);
        let line = lines.get(line0 as usize).copied();
        let wrapper = if line0 == 0 { MAX_WRAPPER } else { 0 };
        let end = |line: &str| line.encode_utf16().count() + wrapper;
        if line.is_none_or(|line| function.column as usize > end(line)) {
            wrong.push(function);
            continue;
        }
        let name = FunctionName::of(&function.name);
        let found = text.starting_at(&name, line0, function.column);
        let found = found.or_else(|| {
            line.filter(|line| starts_here(line, function.column))?;
            text.starting_at(&name, line0.checked_sub(1)?, 0)
        });
        if found.or_else(|| text.around_neck(&name, line0)).is_some() {
            n_right += 1;
        } else if text.has(&name) && plain_name(&function.name).is_some_and(|it| !is_common(&it)) {
            wrong.push(function);
        }
    }
    let is_transpiled = wrong.len() * MIN_RIGHT > n_right && !is_edited(script, &text);
    wrong.into_iter().filter(|_| is_transpiled).min_by_key(|function| function.line)
}

/// Whether functions moved as they do when a script is edited. An edit moves all that is below it by the
/// same number of lines, and compilers leave out and add lines everywhere. Types are always compiled.
fn is_edited(script: &Script, text: &File<'_>) -> bool {
    let moved = |function: &Recorded| {
        let start0 = text.start_of_only(&FunctionName::of(&function.name))?;
        Some((function.line, i64::from(start0) + 1 - i64::from(function.line)))
    };
    let moved: BTreeMap<u32, i64> = script.functions.iter().filter_map(moved).collect();
    let shifts: Vec<i64> = std::iter::once(0).chain(moved.into_values()).collect();
    let n_edits = shifts.windows(2).filter(|two| two[0] != two[1]).count();
    !script.is_typed && 2 * n_edits <= shifts.len()
}

/// Whether the parameters of a function may begin at a 1-based column of a line (0 = unknown), with the
/// name on the line above.
fn starts_here(line: &str, column: u32) -> bool {
    let Some(before) = column.checked_sub(1) else { return true };
    let units: Vec<u16> = line.encode_utf16().skip(before as usize).collect();
    let rest = String::from_utf16_lossy(&units);
    rest.starts_with('(') || rest.contains("=>")
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use std::path::Path;

    const TEXT: &str = "\
interface Options {
  n: number;
}
export function cold(n: number) {
  return n;
}
const hot =
  (n: number) => n + 1;
class Impl {
  x = 1;
  constructor(n: number) {}
  run() { return hot(1); }
}
";

    fn found(functions: &[(&str, u32)]) -> Option<(String, u32)> {
        let definitions = FileDefinitions::of_text(Path::new("a.ts"), TEXT.to_owned())?.into();
        let recorded = |&(name, line): &(&str, u32)| {
            let (name, column) = name.split_once(':').unwrap_or((name, "0"));
            let (name, column) = (name.to_owned(), column.parse().unwrap_or_default());
            Recorded { name, line, column }
        };
        let functions = functions.iter().map(recorded).collect();
        let script = Script { text: TEXT.into(), definitions, functions, is_typed: true };
        misplaced(&script).map(|found| (found.name.clone(), found.line))
    }

    #[test]
    fn functions_in_their_places_are_no_evidence() {
        assert_eq!(found(&[("cold", 4), ("hot", 8), ("Impl", 11), ("cold", 4)]), None);
        // Other scripts have functions that the text does not have. Engines name some after variables.
        assert_eq!(found(&[("inlined", 1), ("n", 9)]), None);
        // Most projects have functions with such a name.
        assert_eq!(found(&[("run", 2)]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn functions_in_other_places_are_evidence() {
        assert_eq!(found(&[("cold", 1)]), Some(("cold".to_owned(), 1)));
        let all = [("cold", 1), ("hot", 4), ("Impl", 6)];
        assert_eq!(found(&all), Some(("cold".to_owned(), 1)));
        // Code around a module is in the columns of the first line.
        assert_eq!(found(&[("run:60", 1)]), None);
        // The file has no such line or column, whatever the name.
        assert_eq!(found(&[("run:302", 1)]), Some(("run".to_owned(), 1)));
        assert_eq!(found(&[("run:60", 3)]), Some(("run".to_owned(), 3)));
        assert_eq!(found(&[("run", 99)]), Some(("run".to_owned(), 99)));
        // One line below its name, but its parameters do not begin there.
        assert_eq!(found(&[("cold:21", 4)]), None);
        assert_eq!(found(&[("cold:8", 5)]), Some(("cold".to_owned(), 5)));
        assert_eq!(found(&[("hot:3", 8)]), None);
        let one = [("cold", 4), ("hot", 4)];
        assert_eq!(found(&one), Some(("hot".to_owned(), 4)));
    }
}
