//! Prints the costliest lines of a profile: self, total, file and line.
//!
//!     cargo run -p costline-answers --example hot_lines -- FOLDER PROFILE
//!
//! FOLDER has the sources. This is all that a host of the engine has to do: index the sources, read
//! the profile, load it, and ask.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use answers::{
    Caches, CostSettings, Environment, Loaded, Thread, index_sources, load_with_symbols,
    sorted_lines,
};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The largest profile that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (Some(folder), Some(profile)) = (arguments.next(), arguments.next()) else {
        return Err("usage: hot_lines FOLDER PROFILE".into());
    };
    let settings = CostSettings::default();
    let index = index_sources(&[folder], &settings.sources);
    let caches = Caches::default();
    let environment = Environment { settings: &settings, index: &index, caches: &caches };

    let mut go_on = |_| ControlFlow::Continue(());
    let loaded = Loaded::read(&profile, MAX_BYTES, &mut go_on)?;
    let snapshot = load_with_symbols(vec![(loaded, Thread::default())], environment, &mut go_on)?;

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
