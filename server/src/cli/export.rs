//! `costline export`: writes a profile in another format.

use super::compare::load_baseline;
use super::exit::{Failure, warn};
use super::output::{Output, OutputArgs};
use super::read::check_standard_input;
use super::values::one_of;
use super::view::ViewArgs;
use answers::{
    Compare, ExportCompat as Compat, ExportCut as Cut, ExportOptions as Options,
    ExportTarget as Target,
};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The arguments of `costline export`.
#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    view: ViewArgs,
    /// The format to write
    #[arg(long, value_parser = one_of::<Target>(), value_name = "FORMAT")]
    to: Target,
    #[command(flatten)]
    output: OutputArgs,
    /// Show the difference from this profile (flame graphs, and folded stacks with two weights)
    #[arg(long, value_name = "PROFILE")]
    baseline: Option<PathBuf>,
    /// How to compare costs with the baseline
    #[arg(long, value_parser = one_of::<Compare>(), value_name = "HOW", default_value = "absolute")]
    compare: Compare,
    /// Write byte for byte what another program would write
    #[arg(long, value_parser = one_of::<Compat>(), value_name = "PROGRAM")]
    compat: Option<Compat>,
    /// Maximum number of frames of a stack below its root; 0 keeps the outermost functions only
    #[arg(long, value_name = "FRAMES")]
    max_depth: Option<usize>,
    /// What to do with the cost of frames that --max-depth removes
    #[arg(long, value_parser = one_of::<Cut>(), default_value = "fold", value_name = "HOW")]
    truncate: Cut,
}

impl ExportArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let Self { view, to: target, output, baseline, compare, compat, max_depth, truncate } =
            self;
        let options = Options { target, compat, max_depth, cut: truncate };
        options.check(baseline.is_some()).map_err(Failure::usage)?;
        check_standard_input(&[&view.profiles, baseline.as_slice()])?;
        let (snapshot, _) = view.load()?;
        output.check(snapshot.loaded.files.iter().map(|(path, _)| path).chain(&baseline))?;
        let load = |path| load_baseline(&view, vec![path], &snapshot);
        let baseline = baseline.map(load).transpose()?;
        if output.file().is_none() && target == Target::Pprof && io::stdout().is_terminal() {
            return Err(Failure::no_output(
                "pprof files are binary and cannot be printed to a terminal: pass -o FILE, or \
                 redirect the output",
            ));
        }
        let baseline = baseline.as_ref().map(|baseline| (baseline, compare));
        let written = answers::export(&snapshot, baseline, options).map_err(Failure::no_output)?;
        if !written.lost.is_empty() {
            warn(&format!("{} cannot carry {}", target.title(), written.lost.join(", ")));
        }
        output.write(&written.bytes, out)
    }
}
