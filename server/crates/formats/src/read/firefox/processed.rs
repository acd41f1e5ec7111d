//! Decodes processed profiles: which columns there are, and in which form ([`super::schema`]).

use super::columns::{IdText, Text, or_zero};
use super::raw::{Raw, join};
use super::samples::{Allocations, Kind, NativeRows, Present, Rows, Span};
use super::schema::{Lib, Meta, tier_of_implementation};
use super::tables::{self, Categories, Frames, Funcs, Names, Shared, Stacks, Tables, same_length};
use crate::error::{At, ReadError};
use profile::{JitTier, LibId, Profile, ProfileBuilder, WarningCode, Warnings, Weights};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds the profile; also returns the seconds between its first and last sample.
pub(super) fn convert(
    file: &Raw<'_>,
    meta: &Meta,
    warnings: &mut Warnings,
) -> Result<(Profile, Option<f64>), ReadError> {
    let threads = file.get("threads").and_then(Raw::list);
    let threads = threads.ok_or_else(|| {
        ReadError::malformed(At::Key("threads".to_owned()), "expected a list of threads")
    })?;
    let kinds = present(threads)?.kinds();
    let mut builder = ProfileBuilder::new(kinds.iter().map(|kind| kind.metric(meta)).collect(), 0);
    let libs = intern_libs(&mut builder, file.decode_member("libs", "")?)?;
    let categories = Categories::new(meta);

    let nothing = Raw::default();
    let shared = file.get("shared").unwrap_or(&nothing);
    let shared_names = Shared {
        strings: shared.decode_member("stringArray", "shared")?,
        sources: ids(shared.get("sources"), "filename", "shared.sources")?,
        locations: {
            let (table, place) = (shared.get("sourceLocationTable"), "shared.sourceLocationTable");
            ids(table, "source", place)?.into_iter().zip(ids(table, "line", place)?).collect()
        },
    };
    let append =
        |builder: &mut ProfileBuilder, place: &str, from: &Raw<'_>, strings: &[Text<'_>]| {
            let stack_table = table(from, "stackTable", place)?;
            let with_category = !categories.is_empty()
                && from.get("frameTable").is_some_and(|frames| frames.get("category").is_none());
            let stacks = || stacks(place, stack_table, with_category);
            tables::append(builder, place, &categories, stacks, || {
                tables(place, from, strings, &shared_names, &libs, categories.have_tiers())
            })
        };
    let stacks_are_shared = shared.get("stackTable").is_some();
    if stacks_are_shared {
        append(&mut builder, "shared", shared, &shared_names.strings)?;
    }

    let mut span = Span::default();
    for (i, thread) in threads.iter().enumerate() {
        let place = format!("threads[{i}]");
        let Some(samples) = thread.get("samples") else {
            warnings.add(WarningCode::ThreadWithoutSamples, || {
                format!("{place} has no samples table; it is left out")
            });
            continue;
        };
        let first_stack = if stacks_are_shared { 0 } else { builder.n_stacks() };
        let mut rows = std::thread::scope(|scope| {
            let rows = scope.spawn(|| rows(&place, thread, samples, &kinds));
            if !stacks_are_shared {
                let copied =
                    || Some((thread.get("stringTable")?.get("_array")?, "stringTable._array"));
                let strings = thread
                    .get("stringArray")
                    .map(|strings| (strings, "stringArray"))
                    .or_else(copied);
                let own: Option<Vec<Text<'_>>> =
                    strings.map(|(strings, key)| strings.decode(&join(&place, key))).transpose()?;
                append(
                    &mut builder,
                    &place,
                    thread,
                    own.as_ref().unwrap_or(&shared_names.strings),
                )?;
            }
            rows.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        if meta.counts_bytes() {
            rows.clear_times();
        } else if let Some(ends) = ends(samples) {
            span.add(ends);
        }
        let available = builder.n_stacks() - first_stack;
        let samples = rows.finish(&place, &kinds, first_stack, available)?;
        builder.push_thread(describe(thread, &place)?, samples)?;
    }
    add_source_texts(&mut builder, shared, &shared_names)?;
    Ok((builder.build(), span.seconds()))
}

/// Adds the texts of sources, apart from those of inline scripts, which are parts of files. Several
/// sources with different texts may have the same name; then it is unknown which one was recorded.
fn add_source_texts(
    builder: &mut ProfileBuilder,
    shared: &Raw<'_>,
    names: &Shared<'_>,
) -> Result<(), ReadError> {
    let Some(sources) = shared.get("sources") else { return Ok(()) };
    let place = "shared.sources";
    // Without texts, slabs have a column of numbers.
    let Ok(contents) = sources.decode_member::<Vec<Text<'_>>>("content", place) else {
        return Ok(());
    };
    let first_lines = ids(Some(sources), "startLine", place)?;
    let mut texts: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (row, (content, name)) in contents.iter().zip(&names.sources).enumerate() {
        let is_whole = first_lines.get(row).is_none_or(|&line| line <= 1 || line == u32::MAX);
        let name = names.strings.get(*name as usize).filter(|_| is_whole && !content.0.is_empty());
        if let Some(name) = name {
            let text = texts.entry(&name.0).or_insert(Some(&content.0));
            *text = text.filter(|text| *text == content.0);
        }
    }
    for (name, text) in texts {
        if let Some(text) = text {
            let source = builder.intern_source(name)?;
            builder.add_source_text(source, &Arc::from(text));
        }
    }
    Ok(())
}

/// A thread, without its samples.
pub(super) fn describe(thread: &Raw<'_>, place: &str) -> Result<profile::Thread, ReadError> {
    let text = |key| {
        thread
            .decode_member::<Option<Text<'_>>>(key, place)
            .map(|text| text.map(|text| text.0.into_owned()))
    };
    let id =
        |key| thread.decode_member::<Option<IdText>>(key, place).map(|id| id.and_then(|id| id.0));
    Ok(profile::Thread {
        name: text("name")?.unwrap_or_default(),
        process_name: text("processName")?.unwrap_or_default(),
        pid: id("pid")?,
        tid: id("tid")?,
        ..profile::Thread::default()
    })
}

/// The metrics that the file has. Tables without rows do not count.
fn present(threads: &[Raw<'_>]) -> Result<Present, ReadError> {
    let mut present = Present::default();
    let has_rows = |table: Option<&Raw<'_>>, key| {
        table
            .and_then(|table| table.get(key))
            .is_some_and(|column: &Raw<'_>| !column.column().is_empty())
    };
    for thread in threads {
        if let Some(samples) = thread.get("samples") {
            let unit = weight_type(samples)?;
            if has_rows(Some(samples), "stack") && !present.units.contains(&unit) {
                present.units.push(unit);
            }
            present.cpu |=
                samples.get("threadCPUDelta").is_some_and(|cpu| cpu.column().has_numbers());
        }
        let native = thread.get("nativeAllocations");
        present.js |= has_rows(thread.get("jsAllocations"), "stack");
        present.native = present.native.max(match native {
            Some(_) if !has_rows(native, "stack") => NativeRows::None,
            Some(_) if has_rows(native, "memoryAddress") => NativeRows::Addressed,
            Some(_) => NativeRows::Plain,
            None => NativeRows::None,
        });
    }
    Ok(present)
}

fn weight_type(samples: &Raw<'_>) -> Result<String, ReadError> {
    let unit: Option<String> = samples.decode_member("weightType", "samples")?;
    Ok(unit.unwrap_or_else(|| "samples".to_owned()))
}

pub(super) fn intern_libs(
    builder: &mut ProfileBuilder,
    libs: Vec<Lib<'_>>,
) -> Result<Vec<LibId>, ReadError> {
    let text = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned()).unwrap_or_default();
    let lib = |lib: Lib<'_>| profile::Lib {
        name: text(lib.name),
        path: text(lib.path),
        debug_name: text(lib.debug_name),
        debug_path: text(lib.debug_path),
        debug_id: text(lib.breakpad_id),
        code_id: text(lib.code_id),
        arch: text(lib.arch),
        addresses: profile::AddressBase::Image,
    };
    libs.into_iter().map(|row| Ok(builder.intern_lib(lib(row))?)).collect()
}

/// Decodes a column; a missing one is empty.
fn ids(table: Option<&Raw<'_>>, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    let column = table.and_then(|table| table.get(key));
    column.map_or(Ok(Vec::new()), |column| column.column().ids(&join(place, key)))
}

/// Decodes a required column.
fn required(table: &Raw<'_>, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    if table.get(key).is_none() {
        return Err(ReadError::malformed(
            At::Key(join(place, key)),
            "expected this column; the table does not have it",
        ));
    }
    ids(Some(table), key, place)
}

/// A required table.
fn table<'t, 'a>(tables: &'t Raw<'a>, key: &str, place: &str) -> Result<&'t Raw<'a>, ReadError> {
    tables.get(key).ok_or_else(|| {
        let message =
            format!("expected the table {key} here or in \"shared\"; the file has neither");
        ReadError::malformed(At::Key(place.to_owned()), message)
    })
}

fn stacks(place: &str, table: &Raw<'_>, with_category: bool) -> Result<Stacks, ReadError> {
    let place = join(place, "stackTable");
    let relative = table.get("prefix").is_none();
    Ok(Stacks {
        frame: required(table, "frame", &place)?,
        parent: required(table, if relative { "prefixOffset" } else { "prefix" }, &place)?,
        relative,
        category: if with_category { ids(Some(table), "category", &place)? } else { Vec::new() },
    })
}

fn tables<'t>(
    place: &str,
    from: &'t Raw<'_>,
    strings: &'t [Text<'t>],
    shared: &'t Shared<'t>,
    libs: &'t [LibId],
    with_tiers: bool,
) -> Result<Tables<'t>, ReadError> {
    let (frame_place, func_place) = (join(place, "frameTable"), join(place, "funcTable"));
    let frames = table(from, "frameTable", place)?;
    let funcs = table(from, "funcTable", place)?;
    let frame_column = |key| ids(Some(frames), key, &frame_place);
    let func_column = |key| ids(Some(funcs), key, &func_place);
    let func_truths = |key| {
        funcs
            .get(key)
            .map_or(Ok(Vec::new()), |column| column.column().truths(&join(&func_place, key)))
    };
    let tier_column = |key| if with_tiers { frame_column(key) } else { Ok(Vec::new()) };
    let tier = |name: u32| {
        strings.get(name as usize).map_or(JitTier::Unknown, |name| tier_of_implementation(&name.0))
    };
    Ok(Tables {
        frames: Frames {
            func: required(frames, "func", &frame_place)?,
            line: frame_column("line")?,
            lib: frame_column("lib")?,
            category: frame_column("category")?,
            subcategory: tier_column("subcategory")?,
            tier: tier_column("implementation")?.into_iter().map(tier).collect(),
            inline_depth: frame_column("inlineDepth")?,
            original_location: frame_column("originalLocation")?,
            flags: frame_column("flags")?,
        },
        funcs: Funcs {
            name: required(funcs, "name", &func_place)?,
            resource: func_column("resource")?,
            source: func_column("source")?,
            file_name: func_column("fileName")?,
            line: func_column("lineNumber")?,
            column: func_column("columnNumber")?,
            original_location: func_column("originalLocation")?,
            is_js: func_truths("isJS")?,
            relevant_for_js: func_truths("relevantForJS")?,
            flags: func_column("flags")?,
        },
        names: Names {
            strings,
            shared,
            libs,
            resource_libs: ids(from.get("resourceTable"), "lib", &join(place, "resourceTable"))?,
        },
        columns: Box::new({
            let place = frame_place.clone();
            move || ids(Some(frames), "column", &place)
        }),
        addresses: Box::new(move || {
            let column = frames.get("address").map(Raw::column);
            column.map_or(Ok(Vec::new()), |column| column.numbers(&join(&frame_place, "address")))
        }),
    })
}

/// Decodes the samples of one thread.
fn rows(
    place: &str,
    thread: &Raw<'_>,
    samples: &Raw<'_>,
    kinds: &[Kind],
) -> Result<Rows, ReadError> {
    let place_of = |key: &str| format!("{place}.samples.{key}");
    let stacks = ids(Some(samples), "stack", &place_of("stack"))?;
    let column = |key| samples.get(key).map(|column| (column.column(), place_of(key)));
    let weights =
        column("weight").map_or(Ok(Weights::Ones), |(column, place)| column.weights(&place))?;
    if let Weights::Each(weights) = &weights {
        same_length(&place_of("weight"), weights.len(), stacks.len())?;
    }
    let mut cpu = None;
    if let Some((column, place)) = column("threadCPUDelta").filter(|_| kinds.contains(&Kind::Cpu)) {
        let deltas = column.measures(&place)?;
        same_length(&place, deltas.n_rows().unwrap_or(stacks.len()), stacks.len())?;
        cpu = Some(deltas);
    }
    let allocations = |key| {
        thread
            .get(key)
            .map_or(Ok(Allocations::default()), |table| allocations(&join(place, key), table))
    };
    let unit = weight_type(samples)?;
    // Costs do not need them, so a malformed column is no error.
    let times = match (column("time"), column("timeDeltas")) {
        (Some((times, place)), _) => times.numbers(&place).unwrap_or_default(),
        (None, Some((deltas, place))) => {
            let mut at = 0.0;
            let deltas = deltas.numbers(&place).unwrap_or_default().into_iter();
            deltas
                .map(|delta| {
                    at += or_zero(delta);
                    at
                })
                .collect()
        }
        (None, None) => Vec::new(),
    };
    Ok(Rows {
        times,
        stacks,
        weights,
        unit,
        cpu,
        js: allocations("jsAllocations")?,
        native: allocations("nativeAllocations")?,
    })
}

fn allocations(place: &str, table: &Raw<'_>) -> Result<Allocations, ReadError> {
    let stacks = ids(Some(table), "stack", &join(place, "stack"))?;
    let numbers = |key| -> Result<Vec<f64>, ReadError> {
        let place = join(place, key);
        let Some(column) = table.get(key) else { return Ok(Vec::new()) };
        let numbers = column.column().numbers(&place)?;
        same_length(&place, numbers.len(), stacks.len())?;
        Ok(numbers)
    };
    let mut bytes: Vec<f64> = numbers("weight")?.into_iter().map(or_zero).collect();
    bytes.resize(stacks.len(), 0.0);
    Ok(Allocations {
        bytes,
        addresses: numbers("memoryAddress")?,
        times: numbers("time").unwrap_or_default(),
        stacks,
    })
}

/// The times of the first and the last sample.
fn ends(samples: &Raw<'_>) -> Option<(f64, f64)> {
    let column = |key| samples.get(key).map(Raw::column);
    // Deltas start at 0 (processed format, version 50): the first is the time of the first sample,
    // their sum the time of the last.
    match (column("time"), column("timeDeltas")) {
        (Some(times), _) => times.ends(),
        (None, Some(deltas)) => deltas.ends().map(|(first, _)| (first, deltas.sum())),
        (None, None) => None,
    }
}
