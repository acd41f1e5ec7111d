//! The arguments of `costline diff`.

use crate::cli::current_folder::absolute;
use crate::cli::exit::Failure;
use crate::cli::read::{check_output, is_standard_input};
use crate::cli::style::StyleArgs;
use crate::cli::values::{one_of, percentage, rows};
use crate::cli::view::ViewArgs;
use answers::{Compare, DiffSort, ListBy};
use clap::ValueEnum;
use std::path::PathBuf;

/// The arguments of `costline diff`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DiffArgs {
    /// Another run of BASE (can be repeated). The mean of the runs is compared, and their spread is
    /// noise
    #[arg(long, value_name = "PROFILE")]
    pub base: Vec<PathBuf>,
    /// Another run of NEW (can be repeated)
    #[arg(long, value_name = "PROFILE")]
    pub new: Vec<PathBuf>,
    /// What to list
    #[arg(long, value_parser = one_of::<ListBy>(), default_value = "function")]
    pub by: ListBy,
    /// What to sort by
    #[arg(long, value_parser = one_of::<DiffSort>(), default_value = "self")]
    pub sort: DiffSort,
    /// How to compare costs
    #[arg(long, value_parser = one_of::<Compare>(), value_name = "HOW", default_value = "absolute")]
    pub compare: Compare,
    /// How to write the list
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Also write the list to a file in this format (can be repeated). An existing file is replaced
    #[arg(long, value_name = "FORMAT=FILE", value_parser = format_and_file)]
    pub write: Vec<(Format, PathBuf)>,
    /// Print all costs as JSON with raw weights (docs/diff.schema.json); ignores --by, --format and
    /// --limit
    #[arg(long)]
    pub json: bool,
    /// Maximum number of rows, or `all`
    #[arg(long, default_value = "30", value_name = "ROWS", value_parser = rows)]
    pub limit: usize,
    /// Omit changes below this percentage of the baseline's total [default: 1 for annotations, sarif,
    /// code-quality and github, else 0]. What makes the command fail is not omitted
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub min_percent: Option<f64>,
    /// Exit with code 4 if the total grew by more than this percentage and the growth is not noise;
    /// exit with code 3 if the profiles do not record how long the program ran, or if a part of one
    /// is missing
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    pub fail_above: Option<f64>,
    /// Exit with code 4 if a function grew by more than this percentage of the baseline's total and
    /// the growth is not noise; exit with code 3 if a part of a profile is missing, or if most of the
    /// self cost is in functions without a known match in the baseline
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    pub fail_above_function: Option<f64>,
    /// Exit with code 3 if the profiles cannot show a growth as small as --fail-above
    #[arg(long, requires = "fail_above")]
    pub require_power: bool,
    #[command(flatten)]
    pub style: StyleArgs,
    #[command(flatten)]
    pub view: ViewArgs,
}

impl DiffArgs {
    /// The name of the option that makes the command fail if costs grew, if there is one.
    pub fn fails_above(&self) -> Option<&'static str> {
        let options = [
            (self.fail_above, "--fail-above"),
            (self.fail_above_function, "--fail-above-function"),
        ];
        options.into_iter().find_map(|(most, name)| most.map(|_| name))
    }

    /// Fails if two lists are for one file, or a list is for a profile: one of `base` or of the view.
    pub fn check_files(&self, base: &[PathBuf]) -> Result<(), Failure> {
        let mut files: Vec<PathBuf> = Vec::new();
        for (_, file) in &self.write {
            check_output(file, base.iter().chain(&self.view.profiles))?;
            let path = absolute(file);
            if files.contains(&path) {
                let message = format!("--write: {} would be written twice", file.display());
                return Err(Failure::usage(message));
            }
            files.push(path);
        }
        Ok(())
    }

    /// The least change that a list in this format has, in percent of the baseline's total.
    pub fn min_percent(&self, format: Format) -> f64 {
        self.min_percent.unwrap_or(match format {
            Format::Text | Format::Markdown => 0.0,
            Format::Github | Format::Annotations | Format::Sarif | Format::CodeQuality => 1.0,
        })
    }

    /// A row of the list, for headings and counts.
    pub fn noun(&self) -> &'static str {
        match self.by {
            ListBy::Function => "function",
            ListBy::Line => "line",
            ListBy::File => "file",
            ListBy::Label => "label",
        }
    }
}

/// How to write a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for terminals
    Text,
    /// A table in Markdown
    Markdown,
    /// A comment for pull requests: the table is collapsed, and the first line is a marker that
    /// lets the comment be found and replaced
    Github,
    /// Workflow commands that let GitHub Actions annotate the lines that cost more
    Annotations,
    /// What costs more as SARIF 2.1.0, for code scanning
    Sarif,
    /// What costs more as a GitLab Code Quality report
    CodeQuality,
}

/// Parses `sarif=costs.sarif`.
fn format_and_file(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
    let format = Format::from_str(format, false).map_err(|_| {
        let formats = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<_> = formats.map(|format| format.get_name().to_owned()).collect();
        format!("expected FORMAT to be one of {}", names.join(", "))
    })?;
    let file = PathBuf::from(file);
    if is_standard_input(&file) {
        return Err("standard output has the list of --format; name a file".to_owned());
    }
    Ok((format, file))
}
