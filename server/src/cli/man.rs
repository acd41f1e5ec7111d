//! `costline man`: manual pages.

use super::exit::Failure;
use super::output::Output;
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::Path;

/// Writes a manual page for each command of `program` into `folder`, which is created if it does not
/// exist, and prints the path of each page.
pub(super) fn man(program: Command, folder: &Path, out: &mut Output) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::no_output(format!("cannot create the folder {}: {error}", folder.display()))
    })?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    write_page(&program, folder, out)?;
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_page(command, folder, out)?;
    }
    Ok(())
}

fn write_page(command: &Command, folder: &Path, out: &mut Output) -> Result<(), Failure> {
    let page = Man::new(command.clone());
    let path = folder.join(page.get_filename());
    page.generate_to(folder).map_err(|error: io::Error| {
        Failure::no_output(format!("cannot write {}: {error}", path.display()))
    })?;
    Ok(writeln!(out, "{}", path.display())?)
}
