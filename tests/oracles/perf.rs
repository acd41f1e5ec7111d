//! Compares recordings of perf with `perf report`.

use crate::{compare, costline, fixtures, installed, output};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The address of `_text` in the kernels of all fixtures. perf prints absolute addresses in the
/// kernel, Costline relative ones.
const KERNEL: u64 = 0xffff_ffff_8100_0000;

/// A row of perf's output: a symbol, or an address without one.
struct Row {
    /// Total, as a percentage.
    children: String,
    /// Self, in the unit of the event.
    period: i64,
    lib: String,
    symbol: String,
}

impl Row {
    fn parse(line: &str) -> Self {
        let columns: Vec<_> = line.splitn(5, '|').map(str::trim).collect();
        let [children, _, period, lib, symbol] = columns[..] else { panic!("{line}") };
        // The symbol follows `[.]` (user) or `[k]` (kernel).
        let symbol = symbol.split_once(' ').unwrap().1;
        Self {
            children: children.to_owned(),
            period: period.parse().unwrap(),
            lib: lib.to_owned(),
            symbol: symbol.to_owned(),
        }
    }

    /// The address within the library, for a row without a symbol.
    fn address(&self) -> Option<u64> {
        let address = u64::from_str_radix(self.symbol.strip_prefix("0x")?, 16).ok()?;
        Some(if self.lib == "[kernel.kallsyms]" { address - KERNEL } else { address })
    }
}

/// The rows of each event of a profile. `programs` is the folder with the recorded programs.
fn report(profile: &Path, programs: &Path) -> BTreeMap<String, Vec<Row>> {
    let folder = TempDir::new().unwrap();
    let mut bytes = std::fs::read(profile).unwrap();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let packed = std::mem::take(&mut bytes);
        GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    }
    std::fs::write(folder.path().join("perf.data"), bytes).unwrap();
    let mut perf = Command::new("perf");
    perf.arg("--buildid-dir").arg(folder.path().join("none")).args([
        "report",
        "--force",
        "-i",
        "perf.data",
        "--stdio",
        "--no-inline",
    ]);
    perf.args([
        "--children",
        "-g",
        "none",
        "--percent-limit",
        "0",
        "-F",
        "overhead_children,overhead,period,dso,sym",
        "-t",
        "|",
    ]);
    perf.arg("--symfs").arg(programs).current_dir(folder.path()).env("LC_ALL", "C");
    let mut events = BTreeMap::<_, Vec<_>>::new();
    let mut event = String::new();
    for line in output(&mut perf).unwrap().lines() {
        if let Some(heading) = line.strip_prefix("# Samples: ") {
            heading.split('\'').nth(1).unwrap().clone_into(&mut event);
        } else if !line.starts_with('#') && line.contains('|') {
            events.entry(event.clone()).or_default().push(Row::parse(line));
        }
    }
    events
}

fn number(row: &Value, key: &str) -> i64 {
    row[key].as_i64().unwrap_or_else(|| panic!("{key} of {row}"))
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or("[unknown]")
}

/// A name in perf's short form, without return type, parameters and type arguments.
fn bare(name: &str) -> String {
    let (mut bare, mut depth) = (String::new(), 0);
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => break,
            _ if depth == 0 => bare.push(letter),
            _ => {}
        }
    }
    bare.trim().rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn addresses_match_perf_report() {
    if !installed(Command::new("perf").arg("--version")) {
        return;
    }
    let nothing = TempDir::new().unwrap();
    for (name, profile) in fixtures("perf-data") {
        for (event, rows) in report(&profile, nothing.path()) {
            let mut theirs = BTreeMap::new();
            for row in rows.iter().filter(|row| row.period > 0) {
                let address =
                    row.address().unwrap_or_else(|| panic!("{name}: {} has a name", row.symbol));
                theirs.insert((row.lib.clone(), format!("{address:#x}")), row.period);
            }
            let ours = costline(
                "report",
                &profile,
                &["--no-symbols", "--inlines", "callSite", "--metric", &event],
            );
            let ours =
                ours["functions"].as_array().unwrap().iter().filter(|row| number(row, "self") > 0);
            let ours = ours
                .map(|row| {
                    (
                        (text(row, "lib").to_owned(), text(row, "name").to_owned()),
                        number(row, "self"),
                    )
                })
                .collect();
            compare(&format!("{event} of {name}"), &theirs, &ours);
        }
    }
}

#[test]
fn functions_match_perf_report() {
    if !installed(Command::new("perf").arg("--version")) {
        return;
    }
    for (name, profile) in fixtures("perf-data") {
        let binary = profile.with_file_name("bin").join("raytrace");
        if !binary.exists() {
            continue;
        }
        let programs = TempDir::new().unwrap();
        let place = programs.path().join("srv/demo/cpp-raytrace/bin");
        std::fs::create_dir_all(&place).unwrap();
        std::fs::copy(&binary, place.join("raytrace")).unwrap();
        let rows = report(&profile, programs.path()).remove("cpu-clock").unwrap();
        // perf needs the libraries to unwind DWARF stacks, and the fixture lacks them. So its call
        // chains end early and its totals are too low.
        let totals = !name.ends_with("-dwarf");

        let mut theirs = BTreeMap::<_, Vec<_>>::new();
        for row in rows.iter().filter(|row| row.lib == "raytrace" && row.address().is_none()) {
            if totals || row.period > 0 {
                theirs
                    .entry(bare(&row.symbol))
                    .or_default()
                    .push((row.period, totals.then(|| row.children.clone())));
            }
        }
        let left: i64 = rows
            .iter()
            .filter(|row| row.lib != "raytrace" || row.address().is_some())
            .map(|row| row.period)
            .sum();
        eprintln!(
            "SKIPPED: {left} ns of {name} in libraries and the kernel, which the fixture lacks"
        );

        let symbols = binary.parent().unwrap().to_str().unwrap();
        let report = costline("report", &profile, &["--inlines", "callSite", "--symbols", symbols]);
        #[expect(clippy::cast_precision_loss, reason = "a few seconds in nanoseconds")]
        let percent =
            |total: i64| format!("{:.2}%", 100.0 * total as f64 / number(&report, "total") as f64);
        let mut ours = BTreeMap::<_, Vec<_>>::new();
        for row in report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["lib"] == "raytrace" && !text(row, "name").starts_with("0x"))
        {
            if totals || number(row, "self") > 0 {
                let cost = (number(row, "self"), totals.then(|| percent(number(row, "total"))));
                ours.entry(bare(text(row, "name"))).or_default().push(cost);
            }
        }
        compare(&name, &theirs, &ours);
    }
}
