//! Prints the costliest lines of a profile: self, total, file and line.
//!
//!     cargo run -p costline-answers --example hot_lines -- FOLDER PROFILE
//!
//! FOLDER has the sources. This is all that a host has to do: open the profile, and ask.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use answers::{Settings, open, sorted_lines};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (Some(folder), Some(profile)) = (arguments.next(), arguments.next()) else {
        return Err("usage: hot_lines FOLDER PROFILE".into());
    };
    let snapshot = open(&[profile], &[folder], &Settings::default())?;
    let total = snapshot.costs.total;
    for line in sorted_lines(&snapshot).iter().take(10) {
        let share = |cost: f64| 100.0 * cost / total;
        let (own, all) = (share(line.cost.self_), share(line.cost.magnitude()));
        let place = match snapshot.path_of(line.file) {
            Some(path) => path.display().to_string(),
            None => format!("{} (not found)", snapshot.file_name(line.file)),
        };
        println!("{own:5.1} % {all:5.1} %  {place}:{}", line.line);
    }
    Ok(())
}
