//! `costline check`: what a profile contains, what it lacks, and how to record it better.

mod facts;
mod text;

pub use facts::Check;
#[cfg(test)]
pub use facts::schema;

use super::exit::Failure;
use super::output::Output;
use super::view::ViewArgs;

/// The arguments of `costline check`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Print everything as JSON with raw weights (docs/check.schema.json)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    view: ViewArgs,
}

impl CheckArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let (snapshot, index) = self.view.load()?;
        let check = Check::new(&snapshot, &index);
        if self.json {
            check.write_json(out)?;
        } else {
            text::text(&snapshot, &check, out)?;
        }
        Ok(())
    }
}
