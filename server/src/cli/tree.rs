//! `costline tree`: the call tree, top-down or bottom-up.

mod json;
mod text;

use super::compare::CompareArgs;
use super::exit::Failure;
use super::loaded::Loaded;
use super::output::Output;
use super::style::StyleArgs;
use super::values::{percentage, rows};
use super::view::ViewArgs;
use answers::{
    MAX_ESTIMATED, MAX_PHASES, TreeOrder, TreeProblem, TreeRowsQuestion as Question, Unit,
    tree_rows,
};

/// The arguments of `costline tree`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per option")]
pub(super) struct TreeArgs {
    #[command(flatten)]
    view: ViewArgs,
    /// Print the bottom-up tree: the functions with the highest self cost, with their callers
    /// below them
    #[arg(long)]
    inverted: bool,
    /// Of each function's callees (bottom-up: callers), show only the one with the highest cost
    #[arg(long)]
    hot: bool,
    /// List calls in chronological order, one row per call, instead of summing them; calls that
    /// are in all samples are left out
    #[arg(long, conflicts_with_all = ["inverted", "baseline"])]
    occurrences: bool,
    /// Maximum number of call paths; the hottest are shown [default: all]
    #[arg(long, value_name = "ROWS", value_parser = rows)]
    limit: Option<usize>,
    /// Maximum depth; 0 shows the outermost functions only
    #[arg(long, value_name = "FRAMES", default_value_t = 100)]
    depth: usize,
    /// Omit call paths that cost less than this percentage
    #[arg(long, value_name = "PERCENT", default_value = "0.5", value_parser = percentage, allow_negative_numbers = true)]
    min_percent: f64,
    /// Print the rows as JSON with raw weights, parents before children
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    style: StyleArgs,
}

impl TreeArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let Self { inverted, hot, occurrences, limit, depth, min_percent, .. } = self;
        let loaded = Loaded::load(&self.view, &[], &self.compare, None)?;
        let (snapshot, before) = (&loaded.snapshot, loaded.beside().before);
        snapshot.check_calls().map_err(Failure::usage)?;
        let order = TreeOrder::from_inverted(inverted);
        let question = Question { order, hot, occurrences, limit, depth, min_percent };
        let found = tree_rows(snapshot, question, before).map_err(failure)?;
        if self.json {
            json::write(snapshot, &found, before, out)?;
        } else {
            text::write(snapshot, order, &found, before, self.style.style(Unit::Both), out)?;
        }
        Ok(())
    }
}

fn failure(problem: TreeProblem) -> Failure {
    match problem {
        TreeProblem::NoPhases(unmatched) => Failure::usage(unmatched.problem),
        TreeProblem::TooManyPhases(n) => Failure::usage(format!(
            "there are {n} occurrences, more than {MAX_PHASES}: choose a shorter --range, or focus on \
             a function (--transform focus-function:F)"
        )),
        TreeProblem::TooManyRows => Failure::no_output(format!(
            "the tree of this call graph has more than {MAX_ESTIMATED} nodes: pass a smaller --depth or a larger --min-percent"
        )),
    }
}
