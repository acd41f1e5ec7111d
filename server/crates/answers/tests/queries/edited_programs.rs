//! Random programs that are edited after they were recorded, or between the build and the recording:
//! no statement may have the cost of another one.

use crate::support::Project;
use answers::line_costs;
use profile::text_samples;
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A function. Each of its statements is in no other one.
#[derive(Debug, Clone)]
struct Function {
    name: String,
    statements: Vec<String>,
    /// The number of comment lines above it.
    comments: usize,
}

/// The functions of a file.
type Program = Vec<Function>;

#[derive(Debug, Clone)]
enum Edit {
    /// Comments above a function.
    Comment(usize),
    /// A new function before this one.
    Add(usize),
    /// This function is deleted.
    Remove(usize),
    /// Two functions change places.
    Swap(usize, usize),
    /// New lines below a statement.
    Insert(usize, usize),
    /// A statement is deleted.
    Delete(usize, usize),
}

impl Edit {
    fn is_in_body(&self) -> bool {
        matches!(self, Edit::Insert(..) | Edit::Delete(..))
    }

    fn apply(&self, program: &mut Program, n: usize) {
        let len = program.len();
        match *self {
            Edit::Comment(at) => program[at % len].comments += 2,
            Edit::Add(at) => {
                let statements = vec![format!("x += {}", 9000 + n); 1 + n % 3];
                let name = format!("added{n}");
                program.insert(at % len, Function { name, statements, comments: 0 });
            }
            Edit::Remove(at) if len > 1 => _ = program.remove(at % len),
            Edit::Remove(_) => {}
            Edit::Swap(a, b) => program.swap(a % len, b % len),
            Edit::Insert(at, line) => {
                let statements = &mut program[at % len].statements;
                let line = line % (statements.len() + 1);
                statements.insert(line, format!("x += {}", 8000 + n));
            }
            Edit::Delete(at, line) => {
                let statements = &mut program[at % len].statements;
                if statements.len() > 1 {
                    statements.remove(line % statements.len());
                }
            }
        }
    }
}

/// The language of a program.
#[derive(Debug, Clone, Copy)]
enum Language {
    C,
    JavaScript,
}

impl Language {
    fn file(self) -> &'static str {
        match self {
            Language::C => "a.c",
            Language::JavaScript => "a.js",
        }
    }

    fn text(self, program: &Program) -> String {
        let function = |it: &Function| {
            let head = match self {
                Language::C => format!("int {}(int x) {{\n", it.name),
                Language::JavaScript => format!("function {}(x) {{\n", it.name),
            };
            let body: String = it.statements.iter().map(|it| format!("  {it};\n")).collect();
            format!("{}{head}{body}}}\n\n", "// Says what is below.\n".repeat(it.comments))
        };
        program.iter().map(function).collect()
    }
}

/// Where the text that was recorded is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nowhere,
    Git,
    Copy,
}

fn program() -> impl Strategy<Value = Program> {
    let lengths = prop::collection::vec((1..6_usize, 0..3_usize), 2..7);
    lengths.prop_map(|lengths| {
        let function = |(f, (n, comments)): (usize, (usize, usize))| Function {
            name: format!("work{f}"),
            statements: (0..n).map(|at| format!("x += {}", 100 * (f + 1) + at)).collect(),
            comments,
        };
        lengths.into_iter().enumerate().map(function).collect()
    })
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = || 0..7_usize;
    let edit = prop_oneof![
        at().prop_map(Edit::Comment),
        at().prop_map(Edit::Add),
        at().prop_map(Edit::Remove),
        (at(), at()).prop_map(|(a, b)| Edit::Swap(a, b)),
        (at(), at()).prop_map(|(a, b)| Edit::Insert(a, b)),
        (at(), at()).prop_map(|(a, b)| Edit::Delete(a, b)),
    ];
    prop::collection::vec(edit, 1..4)
}

fn git(project: &Project, arguments: &[&str]) {
    let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "1700000000 +0000"));
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let mut command = Command::new("git");
    command.args(identity).args(arguments).current_dir(project.path("")).envs(dates);
    assert!(command.output().unwrap().status.success(), "{arguments:?}");
}

/// A hint: the statement on its line, the one that its cost belongs to, and whether it is marked.
type Shown = (String, String, bool);

/// The samples of every statement but those of functions that are `quiet`, and the statement of each
/// weight.
fn samples(program: &Program, quiet: usize, file: &str) -> (String, Vec<f64>, Vec<String>) {
    let (mut cells, mut weights, mut statements) = (Vec::new(), Vec::new(), Vec::new());
    let mut line = 1;
    for (at, function) in program.iter().enumerate() {
        let start = line + function.comments;
        for (below, statement) in function.statements.iter().enumerate() {
            if at % 3 != quiet {
                let name = &function.name;
                cells.push(format!("{name}@{}[file:{file}][start:{start}]", start + 1 + below));
                weights.push((weights.len() + 1) as f64);
                statements.push(statement.clone());
            }
        }
        line = start + function.statements.len() + 3;
    }
    (cells.join(" "), weights, statements)
}

/// The hints of a program that is edited after it was recorded.
fn hints(
    before: &Program,
    after: &Program,
    quiet: usize,
    language: Language,
    known: Known,
) -> Vec<Shown> {
    let file = language.file();
    let project = Project::new(&[(file, &language.text(before))]);
    let mut project = project.with_settings(&json!({
        "unit": "absolute", "hints": { "show": "self", "minPercent": 0 },
    }));
    let (text, weights, statements) = samples(before, quiet, file);
    if text.is_empty() {
        return Vec::new();
    }
    let recording = || text_samples::weighted(&text, &weights);
    match known {
        Known::Nowhere => {}
        Known::Git => {
            git(&project, &["init", "-q"]);
            git(&project, &["add", file]);
            git(&project, &["commit", "-q", "-m", "one"]);
        }
        Known::Copy => {
            project = project.with_copies();
            project.load(recording());
            project = project.with_copies();
        }
    }
    fs::write(project.path(file), language.text(after)).unwrap();
    let snapshot = project.load_all(vec![project.loaded_before_edits(recording())]);
    let context = project.context(snapshot, &[file]);
    let now = language.text(after);
    let lines: Vec<&str> = now.lines().collect();
    let hints = line_costs(&context, &project.uri(file), 0..u32::MAX).into_iter();
    let shown = hints.map(|hint| {
        let weight = hint.label.split_whitespace().find_map(|word| word.parse::<usize>().ok());
        let weight = weight.unwrap_or_else(|| panic!("{}", hint.label));
        let on = lines[hint.position.line0 as usize].trim().trim_end_matches(';');
        (on.to_owned(), statements[weight - 1].clone(), hint.label.starts_with('~'))
    });
    shown.collect()
}

/// The function with a statement, and the number of lines from its start to that of the next one, with the
/// name of that.
fn length<'a>(program: &'a Program, statement: &String) -> Option<(&'a str, usize, &'a str)> {
    let pairs = program.windows(2);
    let mut lengths =
        pairs.map(|pair| (&pair[0], pair[0].statements.len() + pair[1].comments, &pair[1]));
    let (of, lines, next) = lengths.find(|(of, ..)| of.statements.contains(statement))?;
    Some((&of.name, lines, &next.name))
}

/// Whether edits left both starts as they were recorded: that of the function with a statement, and that of
/// the next one.
fn keeps_length(before: &Program, after: &Program, statement: &String) -> bool {
    let Some((name, lines, next)) = length(before, statement) else { return false };
    let mut left = after.windows(2).filter(|pair| pair[0].name == name);
    left.any(|pair| pair[1].name == next && pair[0].statements.len() + pair[1].comments == lines)
}

/// The costs on other statements that nothing marks, because edits left the starts as they were recorded.
static UNSEEN: AtomicUsize = AtomicUsize::new(0);

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// With the recorded text, each statement has its own cost. Without it, only an edit within a function
    /// that keeps its length can go unnoticed.
    #[test]
    fn no_statement_has_the_cost_of_another(
        before in program(),
        edits in edits(),
        quiet in 0..4_usize,
        language in prop_oneof![Just(Language::C), Just(Language::JavaScript)],
        known in prop_oneof![Just(Known::Nowhere), Just(Known::Git), Just(Known::Copy)],
    ) {
        let mut after = before.clone();
        for (n, edit) in edits.iter().enumerate() {
            edit.apply(&mut after, n);
        }
        let in_body = edits.iter().any(Edit::is_in_body);
        let hints = hints(&before, &after, quiet, language, known);
        let is_gone = |of: &String| !after.iter().any(|now| now.statements.contains(of));
        for (on, of, is_marked) in &hints {
            let may_be_wrong = match known {
                Known::Copy => false,
                Known::Git => in_body && *is_marked,
                Known::Nowhere if *is_marked => in_body || is_gone(of),
                Known::Nowhere => in_body && keeps_length(&before, &after, of),
            };
            if on != of && !is_marked {
                let n_unseen = 1 + UNSEEN.fetch_add(1, Ordering::Relaxed);
                eprintln!("{n_unseen} costs within edited functions of the same length are on other statements");
            }
            let text = language.text(&after);
            prop_assert!(on == of || may_be_wrong, "{known:?}: `{of}` on `{on}`: {hints:?}\n{text}");
            prop_assert!(!is_marked || known != Known::Copy, "`{on}` is marked: {hints:?}");
        }
        // A statement with a cost is lost only if its function was changed, or is no longer there.
        if known == Known::Copy && !in_body {
            let is_left = |it: &&Function| after.iter().any(|now| now.name == it.name);
            let is_quiet = |at: usize| at % 3 == quiet;
            let left = before.iter().enumerate().filter(|(at, it)| !is_quiet(*at) && is_left(it));
            prop_assert_eq!(hints.len(), left.map(|(_, it)| it.statements.len()).sum::<usize>());
        }
    }

    /// Functions move their lines without the recorded text, and those that are followed by the function that
    /// was recorded below them are certain.
    #[test]
    fn functions_that_were_not_edited_keep_their_lines(
        before in program(),
        above in 0..7_usize,
        language in prop_oneof![Just(Language::C), Just(Language::JavaScript)],
    ) {
        let (mut after, above) = (before.clone(), above % before.len());
        after[above].comments += 2;
        let hints = hints(&before, &after, usize::MAX, language, Known::Nowhere);
        prop_assert_eq!(hints.len(), before.iter().map(|it| it.statements.len()).sum::<usize>());
        for (on, of, is_marked) in &hints {
            prop_assert_eq!(on, of);
            let at = before.iter().position(|it| it.statements.contains(of)).unwrap();
            let is_last = at + 1 == before.len();
            prop_assert_eq!(*is_marked, is_last || at + 1 == above, "{}", of);
        }
    }
}
