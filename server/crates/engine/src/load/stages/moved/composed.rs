//! The recorded text of a file with the definitions that were moved to it.

use super::definitions::{Code, Missing};
use crate::functions::definitions::FileDefinitions;
use sources::{LineMap, Syntax};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A definition that was moved to a file.
#[derive(Debug, Clone, Copy)]
pub struct Insertion<'a> {
    /// The file that it was in.
    pub from: &'a Path,
    /// The definition in that file.
    pub missing: &'a Missing,
    /// The definition in the text of today, as an index.
    pub at: usize,
}

/// A text with the lines of moved definitions. All lines are 0-based.
#[derive(Debug)]
pub struct Composed {
    /// The text.
    pub text: Arc<str>,
    /// Its definitions.
    pub definitions: Arc<FileDefinitions>,
    moved: Vec<MovedLines>,
    /// For each definition, ascending, the line of the original text that it was inserted before,
    /// and its number of lines.
    shifts: Vec<(u32, u32)>,
}

/// The lines of one definition.
#[derive(Debug)]
struct MovedLines {
    from: PathBuf,
    lines: RangeInclusive<u32>,
    /// By line: the line in the composed text, and whether both are the same with their white space.
    to: Vec<Option<(u32, bool)>>,
}

impl Composed {
    /// The text of a file with its new definitions: `before` with the lines that `today` has them
    /// on, or else `today`. `recorded_of` is the text that another file had. `None` if their places
    /// are not certain.
    pub fn new<'t>(
        path: &Path,
        before: Option<&str>,
        today: Code<'_>,
        insertions: Vec<Insertion<'_>>,
        recorded_of: impl Fn(&Path) -> Option<&'t str>,
    ) -> Option<Self> {
        let mut insertions: Vec<(RangeInclusive<u32>, Insertion<'_>)> = insertions
            .into_iter()
            .map(|one| Some((today.own_lines(one.at)?, one)))
            .collect::<Option<_>>()?;
        insertions.sort_unstable_by_key(|(lines, _)| *lines.start());
        let all_now: Vec<&str> = today.text.split_inclusive('\n').collect();
        let slice = |lines: &RangeInclusive<u32>| {
            all_now.get(*lines.start() as usize..=*lines.end() as usize)
        };
        let (mut text, mut starts, mut shifts) = (String::new(), Vec::new(), Vec::new());
        if let Some(before) = before {
            let map = LineMap::new(before, today.text, today.syntax);
            let mut old = before.split_inclusive('\n').zip(0_u32..).peekable();
            let mut n_lines = 0;
            for (lines, _) in &insertions {
                let above = (0..*lines.start()).rev().find_map(|line0| map.to_recorded(line0));
                let place = above.map_or(0, |above| above + 1);
                while let Some((line, _)) = old.next_if(|&(_, line0)| line0 < place) {
                    push_line(&mut text, line);
                    n_lines += 1;
                }
                starts.push(n_lines);
                let new = slice(lines)?;
                for line in new {
                    push_line(&mut text, line);
                }
                n_lines += new.len() as u32;
                shifts.push((place, new.len() as u32));
            }
            old.for_each(|(line, _)| push_line(&mut text, line));
            if !shifts.is_sorted_by_key(|(place, _)| *place) {
                return None;
            }
        } else {
            text.push_str(today.text);
            starts.extend(insertions.iter().map(|(lines, _)| *lines.start()));
        }
        let definitions = FileDefinitions::of_text(path, text.as_str())?;
        let code = Code { text: &text, syntax: today.syntax, definitions: &definitions };
        let to_today = LineMap::new(&text, today.text, today.syntax);
        let mut moved = Vec::new();
        for ((lines, one), start0) in insertions.into_iter().zip(starts) {
            if !is_in_place(code, today, one, start0, &lines, &to_today) {
                return None;
            }
            let recorded = recorded_of(one.from)?;
            let recorded: Vec<&str> = recorded.split_inclusive('\n').collect();
            let range = &one.missing.lines;
            let was = recorded.get(*range.start() as usize..=*range.end() as usize)?;
            let to = line_pairs(was, slice(&lines)?, today.syntax, start0);
            moved.push(MovedLines { from: one.from.to_owned(), lines: range.clone(), to });
        }
        let (text, definitions) = (text.into(), Arc::new(definitions));
        Some(Self { text, definitions, moved, shifts })
    }

    /// Whether a line of another file was moved to this one.
    pub fn is_from(&self, path: &Path, line0: u32) -> bool {
        self.moved_lines(path, line0).is_some()
    }

    /// The line that a line of another file was moved to, and whether both are the same with their
    /// white space.
    pub fn moved(&self, path: &Path, line0: u32) -> Option<(u32, bool)> {
        let moved = self.moved_lines(path, line0)?;
        *moved.to.get((line0 - moved.lines.start()) as usize)?
    }

    /// The line of a line that the file had before.
    pub fn shifted(&self, line0: u32) -> u32 {
        let before = self.shifts.iter().take_while(|(place, _)| *place <= line0);
        line0 + before.map(|(_, n_lines)| n_lines).sum::<u32>()
    }

    fn moved_lines(&self, path: &Path, line0: u32) -> Option<&MovedLines> {
        self.moved.iter().find(|moved| moved.from == path && moved.lines.contains(&line0))
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push('\n');
    }
}

/// Whether the definition that starts on `start0` in a composed text is the one of today: in the
/// same scopes, and each of its lines is mapped to its own one.
fn is_in_place(
    composed: Code<'_>,
    today: Code<'_>,
    one: Insertion<'_>,
    start0: u32,
    lines: &RangeInclusive<u32>,
    to_today: &LineMap,
) -> bool {
    let Missing { name, tokens, .. } = one.missing;
    let equal = composed.equal(name, tokens);
    let ([at], Some(now)) = (&*equal, today.definitions.all.get(one.at)) else { return false };
    let Some(own) = composed.own_lines(*at) else { return false };
    let definition = &composed.definitions.all[*at];
    let is_same = *own.start() == start0
        && own.end() - own.start() == lines.end() - lines.start()
        && (&definition.scopes, &definition.implements) == (&now.scopes, &now.implements);
    // Lines without tokens may be anywhere.
    let mut mapped =
        own.zip(lines.clone()).filter_map(|(line0, now)| Some((to_today.to_open(line0)?, now)));
    is_same
        && to_today.to_open(definition.name_line0).is_some()
        && mapped.all(|(to, now)| to == now)
}

/// For each line of a definition, its line among those of the moved one, which start on `start0`,
/// and whether both are the same with their white space.
fn line_pairs(was: &[&str], is: &[&str], syntax: Syntax, start0: u32) -> Vec<Option<(u32, bool)>> {
    let map = LineMap::new(&was.concat(), &is.concat(), syntax);
    let pair = |(line, line0): (&&str, u32)| {
        let to = map.to_open(line0)?;
        let is_same = is.get(to as usize).is_some_and(|to| to.trim_end() == line.trim_end());
        Some((start0 + to, is_same))
    };
    was.iter().zip(0..).map(pair).collect()
}
