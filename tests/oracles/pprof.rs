//! Compares how mutated pprof files are read with how `go tool pprof` reads them: every stack, its lines
//! and its weights.

use crate::{compare, costline, fixtures, installed, output};
use analysis::Recording;
use profile::{Profile, StackAccess as _, StackId};
use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Weights of each metric by stack, leaf first. A frame is `FUNCTION FILE:LINE`, empty if only its address
/// is known. Without samples whose weights are all zero, and without those that have no stack, which Go does
/// not print.
type Stacks = BTreeMap<Vec<String>, Vec<f64>>;

const N_MUTATIONS: usize = 300;

/// Errors in what Go passes over.
const STRICTER: [&str; 2] = ["there is no mapping", "invalid tag value: 0"];

fn add(stacks: &mut Stacks, stack: Vec<String>, weights: &[f64]) {
    let sums = stacks.entry(stack).or_insert_with(|| vec![0.0; weights.len()]);
    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
}

/// The stacks that `go tool pprof -raw` prints. `None` if it cannot read the file, or if names of several
/// lines make its output ambiguous.
fn by_go(profile: &Path) -> Option<Stacks> {
    let text =
        output(Command::new("go").args(["tool", "pprof", "-raw", "-symbolize=none"]).arg(profile))
            .ok()?;
    let (head, rest) = text.split_once("\nLocations\n")?;
    let (locations, _) = rest.split_once("\nMappings")?;
    let mut frames: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut id = "";
    for line in locations.lines() {
        // `ID: ADDRESS M=MAPPING FUNCTION FILE:LINE s=LINE`; for callers of inlined code, the function alone.
        let mut frame = line.trim_start();
        if let Some((number, rest)) = frame.split_once(": 0x")
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            id = number;
            let rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
            frame = match rest.split_once(' ') {
                Some((mapping, frame)) if mapping.starts_with("M=") => frame,
                _ => rest,
            };
        }
        // The mark of a location whose callees were folded into it.
        let frame = frame.strip_prefix("[F] ").unwrap_or(frame);
        frames.entry(id).or_default().push(frame_of(frame));
    }
    let (_, samples) = head.split_once("\nSamples:\n")?;
    let mut stacks = Stacks::new();
    // After the names of the metrics. Labels are on lines of their own.
    for line in samples.lines().skip(1) {
        let Some((weights, ids)) = line.split_once(':') else { continue };
        let weights: Result<Vec<f64>, _> = weights.split_whitespace().map(str::parse).collect();
        let Some(weights) = weights.ok().filter(|all| all.iter().any(|weight| *weight != 0.0))
        else {
            continue;
        };
        let stack: Option<Vec<_>> = ids.split_whitespace().map(|id| frames.get(id)).collect();
        add(&mut stacks, stack?.into_iter().flatten().cloned().collect(), &weights);
    }
    Some(stacks)
}

/// The frame of `FUNCTION FILE:LINE s=LINE`, where newer versions add `:COLUMN` to the line.
fn frame_of(printed: &str) -> String {
    let frame = printed.rsplit_once(" s=").map_or(printed, |(frame, _)| frame).trim();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let line_is_last =
        |place: &str| place.rsplit_once(':').is_some_and(|(_, line)| is_number(line));
    match frame.rsplit_once(':') {
        // A line of an unknown function.
        Some(("", _)) => String::new(),
        Some((place, column)) if is_number(column) && line_is_last(place) => place.to_owned(),
        _ => frame.to_owned(),
    }
}

/// The stacks of a profile that was read here.
fn by_costline(profile: &Profile) -> Stacks {
    let frame = |stack: StackId| {
        let frame = profile.frames().get(profile.stacks().frame(stack));
        let func = profile.symbols().funcs.get(frame.func);
        let file = func.source.map_or("", |source| profile.symbols().source_name(source));
        let name = profile.symbols().func_name(frame.func);
        // Go prints the address elsewhere.
        if file.is_empty() && (name.is_empty() || name.starts_with("0x")) {
            return String::new();
        }
        format!("{name} {file}:{}", frame.line)
    };
    let mut stacks = Stacks::new();
    for samples in profile.samples() {
        for row in 0..samples.len() {
            let Some(leaf) = samples.stack(row) else { continue };
            let stack = std::iter::successors(Some(leaf), |stack| profile.stacks().prefix(*stack));
            let weights: Vec<_> =
                samples.weights().iter().map(|weights| weights.get(row)).collect();
            if weights.iter().all(|weight| *weight == 0.0) {
                continue;
            }
            add(&mut stacks, stack.map(frame).collect(), &weights);
        }
    }
    stacks
}

/// Changes up to two bytes in place, which leaves the lengths of most messages as they are.
fn mutated(seed: &[u8], random: &mut TestRng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.next_u32() % 2 {
        let at = random.next_u32() as usize % bytes.len();
        bytes[at] = random.next_u32() as u8;
    }
    bytes
}

/// The sums that `go tool pprof -tags` prints for the labels of a key, smallest first, by key.
fn labels_by_go(profile: &Path, metric: &str, unit: &str) -> Option<BTreeMap<String, Vec<f64>>> {
    let mut go = Command::new("go");
    go.args(["tool", "pprof", "-tags", "-unit", unit, "-nodefraction", "0"]);
    go.args(["-symbolize=none", &format!("-sample_index={metric}")]);
    let text = output(go.arg(profile)).ok()?;
    let number = |text: &str| -> f64 {
        let end = text.find(|sign: char| sign.is_alphabetic()).unwrap_or(text.len());
        text[..end].parse().unwrap()
    };
    let mut labels: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut key = "";
    for line in text.lines() {
        // `KEY: Total SUM`, then `SUM (PERCENT%): VALUE` for each value.
        if let Some((name, _)) = line.trim_start().split_once(": Total ") {
            key = name;
        } else if let Some((sum, _)) = line.trim_start().split_once(" (") {
            labels.entry(key.to_owned()).or_default().push(number(sum));
        }
    }
    for sums in labels.values_mut() {
        sums.sort_by(f64::total_cmp);
    }
    Some(labels)
}

#[test]
fn labels_cost_what_go_says() {
    if !installed(Command::new("go").arg("version")) {
        return;
    }
    let mut n_keys = 0;
    for (name, profile) in fixtures("pprof") {
        let report = costline("report", &profile, &["--no-symbols"]);
        let [metric, unit] = ["metric", "unit"].map(|key| report[key].as_str().unwrap());
        // Otherwise Go rounds to a larger unit.
        let unit = if unit == "bytes" { "B" } else { unit };
        let expected = labels_by_go(&profile, metric, unit).unwrap();
        let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for label in report["labels"].as_array().unwrap().iter().filter(|it| !it["value"].is_null())
        {
            let sums = found.entry(label["key"].as_str().unwrap().to_owned()).or_default();
            sums.push(label["total"].as_f64().unwrap());
        }
        for sums in found.values_mut() {
            sums.sort_by(f64::total_cmp);
        }
        n_keys += found.len();
        assert_eq!(found, expected, "{name}");
    }
    assert!(n_keys >= 5, "{n_keys}");
}

#[test]
fn mutated_pprof_files_are_read_as_by_go() {
    if !installed(Command::new("go").arg("version")) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mutated.pb");
    let go_programs = fixtures("pprof").into_iter().filter(|(name, _)| name.starts_with("go"));
    let seeds: Vec<_> = go_programs
        .map(|(_, path)| {
            let compressed = std::fs::read(path).unwrap();
            formats::inflate::prefix(&compressed, usize::MAX).into_owned()
        })
        .collect();
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mutations = (0..N_MUTATIONS).map(|n| mutated(&seeds[n % seeds.len()], &mut random));
    let mut n_compared = 0;
    for (n, bytes) in seeds.clone().into_iter().chain(mutations).enumerate() {
        std::fs::write(&file, &bytes).unwrap();
        let Some(theirs) = by_go(&file) else { continue };
        let limits = formats::Limits::default();
        match formats::read(bytes, limits, &mut |_| ControlFlow::Continue(())) {
            Ok(read) => {
                let Recording::Stacks(profile) = &read.recording else { panic!("{n}: no stacks") };
                compare(&format!("mutation {n}"), &theirs, &by_costline(profile));
                n_compared += 1;
            }
            Err(error) => {
                let text = error.to_string();
                assert!(STRICTER.iter().any(|known| text.contains(known)), "{n}: {text}");
            }
        }
    }
    assert!(n_compared > N_MUTATIONS / 4, "only {n_compared} files could be compared");
}
