//! Where a command writes.

use super::exit::Failure;
use super::read::check_output;
use std::io::{BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

/// Standard output, buffered.
pub type Output = BufWriter<Stdout>;

/// The arguments of commands that write one file.
#[derive(Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output file if it exists
    #[arg(long)]
    overwrite: bool,
}

impl OutputArgs {
    /// The file to write. `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Fails if the file is one of these profiles.
    pub fn check<'p>(
        &self,
        profiles: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), Failure> {
        self.file().map_or(Ok(()), |file| check_output(file, profiles))
    }

    /// Writes the file, or to `out`.
    pub fn write(&self, bytes: &[u8], out: &mut Output) -> Result<(), Failure> {
        let Some(path) = self.file() else { return Ok(out.write_all(bytes)?) };
        answers::store_export(path, bytes, self.overwrite).map_err(|error| {
            Failure::no_output(answers::export_refusal(path, &error, "--overwrite"))
        })
    }
}
