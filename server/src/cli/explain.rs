//! `costline explain`: the cost of a line, and how it got there.

use super::compare::CompareArgs;
use super::document;
use super::exit::Failure;
use super::heading::{compared_with, headline};
use super::loaded::Loaded;
use super::output::Output;
use super::view::ViewArgs;
use answers::targets::named;
use answers::{
    ExplainQuestion as Question, ExplainReason as Reason, Explanation, Settings, TargetProblem,
    World, explain, line_details,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NO_LINE: &str = "explain needs a FILE:LINE, such as `src/app.py:12`";

/// The arguments of `costline explain`.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    view: ViewArgs,
}

impl ExplainArgs {
    /// Writes the explanation of a line.
    pub fn run(mut self, out: &mut Output) -> Result<(), Failure> {
        let target = self.view.profiles.pop().ok_or_else(|| Failure::usage(NO_LINE))?;
        let (file, line) = file_and_line(&target)
            .ok_or_else(|| Failure::usage(format!("{}: {NO_LINE}", target.display())))?;
        let sources: Vec<PathBuf> = file.exists().then(|| file.clone()).into_iter().collect();
        let loaded = Loaded::load(&self.view, &sources, &self.compare, None)?;
        let (snapshot, index) = (&*loaded.snapshot, &*loaded.index);
        // A file that is not in the profile is explained, too.
        let path = match (named(snapshot, index, std::slice::from_ref(&file)), file.canonicalize())
        {
            ((targets, _), _) if targets.len() == 1 => targets[0].path.clone(),
            (_, Ok(path)) => path,
            ((_, problems), Err(_)) => {
                let problem = problems.into_iter().next().map(TargetProblem::into_message);
                return Err(Failure::usage(problem.unwrap_or_else(|| NO_LINE.to_owned())));
            }
        };
        let settings = Settings { compare: self.compare.compare, ..Settings::default() };
        let world = Arc::new(World {
            shown: Some(loaded.snapshot.clone()),
            index: Some(loaded.index.clone()),
            baseline: loaded.baseline(),
            settings: Arc::new(settings),
            ..World::default()
        });
        let (context, document) =
            document::open(&world, index, &path).map_err(Failure::no_output)?;
        let line0 = line - 1;
        let explanation = explain(&context, &Question { uri: document.uri.clone(), line: line0 });
        writeln!(out, "{}", headline(snapshot))?;
        if let Some(before) = loaded.beside().before {
            writeln!(out, "{}", compared_with(before, snapshot))?;
        }
        let open = context.open_file(&document.uri);
        let details = open.as_ref().and_then(|open| line_details(&context, open, line0));
        writeln!(out, "\n{}:{line}", path.display())?;
        let text = document.text.as_str().lines().nth(line0 as usize).unwrap_or_default().trim();
        if !text.is_empty() {
            writeln!(out, "    {}", answers::text::plain(text))?;
        }
        match details {
            Some(details) if is_healthy(&explanation) => {
                let report = details.plain();
                let (_, report) = report.split_once('\n').unwrap_or_default();
                write!(out, "\n{report}")?;
            }
            _ => writeln!(out, "\n{}", explanation.message)?,
        }
        if !explanation.steps.is_empty() {
            writeln!(out, "\nhow the cost got here:")?;
        }
        for step in &explanation.steps {
            writeln!(out, "  {step}")?;
        }
        Ok(())
    }
}

/// A file and a line (1-based).
fn file_and_line(target: &Path) -> Option<(PathBuf, u32)> {
    let text = target.to_str()?;
    let (file, line) = text.rsplit_once(':')?;
    Some((PathBuf::from(file), line.parse().ok().filter(|&line| line > 0)?))
}

/// Whether an editor would show the cost.
fn is_healthy(explanation: &Explanation) -> bool {
    matches!(explanation.code, Reason::Shown | Reason::BelowThreshold)
}
