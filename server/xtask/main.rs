//! Tasks of people who change Costline: `cargo xtask quick`, `generate`, `docs` and `long NAME`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these are the output of a task")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask TASK

  quick        format, lints, layers, cycles, and the tests of the crates that changed since the last
               commit on `main` that the working copy is based on
  generate     everything that is generated: schemas, pages, types of the plug-ins, settings
  docs         the book and the documentation of the crates
  long NAME    what takes too long for every change: fuzz, soak, simulation, mutants";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["quick"] => quick(),
        ["generate"] => generate(),
        ["docs"] => docs(),
        ["long", name] => long(name),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

type Outcome = Result<(), String>;

/// The folder of the repository.
fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs a command line in a folder of the repository. Arguments contain no spaces.
fn run_in(folder: &str, line: &str, variables: &[(&str, &str)]) -> Outcome {
    println!("== {line}");
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).envs(variables.iter().copied()).current_dir(repository().join(folder));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed: {status}")),
        Err(error) => Err(format!("`{line}` cannot be started: {error}")),
    }
}

fn run(line: &str) -> Outcome {
    run_in(".", line, &[])
}

fn quick() -> Outcome {
    run("cargo fmt --all --check")?;
    run("cargo clippy --locked --workspace --all-targets -- -D warnings")?;
    run(".ci/layers")?;
    run(".ci/cycles")?;
    let changed = changed_crates()?;
    if changed.is_empty() {
        return Ok(());
    }
    let packages: Vec<String> = changed.iter().map(|name| format!("--package {name}")).collect();
    // The suites that run the program take minutes.
    let targets = if changed.contains("costline") { " --lib --bins" } else { "" };
    run(&format!("cargo test --locked {}{targets}", packages.join(" ")))
}

/// The packages with changed files.
fn changed_crates() -> Result<BTreeSet<String>, String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(repository()).output();
        let output = output.map_err(|error| format!("git cannot be started: {error}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let base = git(&["merge-base", "HEAD", "origin/main"])?;
    let base = if base.is_empty() { "HEAD" } else { &base };
    let changed = git(&["diff", "--name-only", base])?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    Ok(changed.lines().chain(new.lines()).filter_map(package_of).collect())
}

/// The package of a file, by its path in the repository.
fn package_of(path: &str) -> Option<String> {
    if let Some(path) = path.strip_prefix("server/crates/") {
        return Some(format!("costline-{}", path.split('/').next()?));
    }
    (path.starts_with("server/src/") || path == "server/Cargo.toml").then(|| "costline".to_owned())
}

fn generate() -> Outcome {
    let rewrite = [("UPDATE_EXPECT", "1")];
    run_in(".", "cargo test --locked --package costline --bins", &rewrite)?;
    run_in(".", "cargo test --locked --package costline-answers", &rewrite)?;
    run_in(".", "cargo test --locked --package costline --test cli", &rewrite)?;
    run_in("editors/vscode", "npm ci --no-audit --no-fund", &[])?;
    run_in("editors/vscode", "npm run settings", &[])?;
    run_in("editors/vscode", "npm run page", &[])
}

fn docs() -> Outcome {
    run("target/tools/bin/mdbook build docs")?;
    run("cargo doc --locked --workspace --no-deps --lib --bins --examples")
}

fn long(name: &str) -> Outcome {
    match name {
        "fuzz" => run_in(
            ".",
            "cargo test --locked --release --package costline --test fuzz",
            &[("COSTLINE_FUZZ_RUNS", "200000")],
        ),
        "soak" => run("cargo bench --locked --package costline --bench soak"),
        "simulation" => {
            run_in(
                ".",
                "cargo test --locked --release --package costline-answers --lib power -- --nocapture",
                &[("COSTLINE_TRIALS", "100000")],
            )?;
            run_in(
                ".",
                "cargo test --locked --release --package costline --bins loader",
                &[("PROPTEST_CASES", "100000")],
            )
        }
        "mutants" => run(".ci/mutants"),
        _ => Err(USAGE.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_packages() {
        let of = |path| package_of(path);
        assert_eq!(of("server/crates/texts/src/lib.rs").as_deref(), Some("costline-texts"));
        assert_eq!(of("server/src/cli/mod.rs").as_deref(), Some("costline"));
        assert_eq!(of("docs/edits.md"), None);
    }
}
