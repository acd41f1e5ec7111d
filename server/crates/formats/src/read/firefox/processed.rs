//! Decodes processed profiles: which columns there are, and in which form ([`super::schema`]).

use super::columns::{Column, IdText, Text, or_zero};
use super::pages::Pages;
use super::raw::{Raw, join};
use super::samples::{Allocations, Kind, NativeRows, Present, Rows, Span};
use super::schema::{Lib, Meta, tier_of_implementation};
use super::tables::{self, Categories, Frames, Funcs, Names, Shared, Stacks, Tables, same_length};
use crate::error::{At, ReadError};
use crate::read::shared::json::ShortList;
use crate::read::shared::text::source_name;
use profile::{
    JitTier, LabelSetId, LibId, Profile, ProfileBuilder, WarningCode, Warnings, Weights,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds the profile; also returns the seconds between its first and last sample.
pub(super) fn convert(
    mut file: Raw,
    meta: &Meta,
    warnings: &mut Warnings,
) -> Result<(Profile, Option<f64>), ReadError> {
    let Some(Raw::List(threads)) = file.take("threads") else {
        let at = At::Key("threads".to_owned());
        return Err(ReadError::malformed(at, "expected a list of threads"));
    };
    let kinds = present(&threads)?.kinds();
    let mut builder = ProfileBuilder::new(kinds.iter().map(|kind| kind.metric(meta)).collect(), 0);
    let libs = intern_libs(&mut builder, file.decode_member("libs", "")?)?;
    let categories = Categories::new(meta);
    let label_sets = meta.label_sets(&mut builder)?;
    let mut pages = Pages::default();
    pages.add(&mut builder, &file)?;

    let mut shared = file.take("shared").unwrap_or_default();
    let strings = shared.take("stringArray");
    let shared_names = Shared {
        strings: strings.as_ref().map_or(Ok(Vec::new()), |it| it.decode("shared.stringArray"))?,
        sources: ids_in(&mut shared, "sources", "filename")?,
        locations: {
            let sources = ids_in(&mut shared, "sourceLocationTable", "source")?;
            let lines = ids_in(&mut shared, "sourceLocationTable", "line")?;
            sources.into_iter().zip(lines).collect()
        },
    };
    let symbols = Symbols {
        shared: &shared_names,
        libs: &libs,
        categories: &categories,
        has_first_lines: meta.has_first_lines(),
    };
    let stacks_are_shared = shared.get("stackTable").is_some();
    if stacks_are_shared {
        symbols.append(&mut builder, &mut pages, "shared", &mut shared, &shared_names.strings)?;
    }

    let mut span = Span::default();
    for (i, mut thread) in threads.into_iter().enumerate() {
        let place = format!("threads[{i}]");
        let Some(samples) = thread.take("samples") else {
            warnings.add(WarningCode::ThreadWithoutSamples, || {
                format!("{place} has no samples table; it is left out")
            });
            continue;
        };
        let first_stack = if stacks_are_shared { 0 } else { builder.n_stacks() };
        if !stacks_are_shared {
            let copied = |thread: &mut Raw| thread.take("stringTable")?.take("_array");
            let own = match thread.take("stringArray") {
                Some(strings) => Some((strings, "stringArray")),
                None => copied(&mut thread).map(|strings| (strings, "stringTable._array")),
            };
            let own = own.as_ref();
            let own: Option<Vec<Text<'_>>> =
                own.map(|(strings, key)| strings.decode(&join(&place, key))).transpose()?;
            let strings = own.as_ref().unwrap_or(&shared_names.strings);
            symbols.append(&mut builder, &mut pages, &place, &mut thread, strings)?;
        }
        // Without times, Costline writes deltas that follow from the weights.
        let lacks_times =
            meta.counts_bytes() || (meta.has_unknown_interval() && samples.get("time").is_none());
        if !lacks_times && let Some(ends) = ends(&samples) {
            span.add(ends);
        }
        let mut rows = rows(&place, &mut thread, samples, &kinds, &label_sets)?;
        if lacks_times {
            rows.clear_times();
        }
        let available = builder.n_stacks() - first_stack;
        let samples = rows.finish(&place, &kinds, first_stack, available, &pages)?;
        builder.push_thread(describe(&thread, &place)?, samples)?;
    }
    add_source_texts(&mut builder, &mut shared, &shared_names)?;
    Ok((builder.build(), span.seconds()))
}

/// What the tables of all threads refer to.
struct Symbols<'s> {
    shared: &'s Shared<'s>,
    libs: &'s [LibId],
    categories: &'s Categories<'s>,
    /// Whether the lines of functions are their first ones.
    has_first_lines: bool,
}

impl Symbols<'_> {
    /// Appends the stacks of a thread, or those that threads share, with all that they refer to.
    fn append(
        &self,
        builder: &mut ProfileBuilder,
        pages: &mut Pages,
        place: &str,
        from: &mut Raw,
        strings: &[Text<'_>],
    ) -> Result<(), ReadError> {
        let has_category =
            |table: Option<&Raw>| table.is_some_and(|it| it.get("category").is_some());
        let with_category = !self.categories.is_empty() && !has_category(from.get("frameTable"));
        let stack_table = take_table(from, "stackTable", place)?;
        let tables = self.tables(place, from, strings)?;
        let stacks = stacks(place, stack_table, with_category)?;
        tables::append(builder, place, self.categories, pages, stacks, tables)
    }

    fn tables<'t>(
        &'t self,
        place: &str,
        from: &mut Raw,
        strings: &'t [Text<'t>],
    ) -> Result<Tables<'t>, ReadError> {
        let mut frames = take_table(from, "frameTable", place)?;
        let mut funcs = take_table(from, "funcTable", place)?;
        let resource_libs = match from.take("resourceTable") {
            Some(mut resources) => ids(&mut resources, "lib", &join(place, "resourceTable"))?,
            None => Vec::new(),
        };
        let (frame_place, func_place) = (join(place, "frameTable"), join(place, "funcTable"));
        Ok(Tables {
            columns: ids(&mut frames, "column", &frame_place),
            addresses: numbers(&mut frames, "address", &frame_place),
            frames: self.frames(&mut frames, &frame_place, strings)?,
            funcs: self.funcs(&mut funcs, &func_place)?,
            names: Names { strings, shared: self.shared, libs: self.libs, resource_libs },
        })
    }

    fn frames(
        &self,
        table: &mut Raw,
        place: &str,
        strings: &[Text<'_>],
    ) -> Result<Frames, ReadError> {
        let func = required(table, "func", place)?;
        let mut column = |key| ids(table, key, place);
        let with_tiers = self.categories.have_tiers();
        let (subcategory, implementation) = (column("subcategory"), column("implementation"));
        let tier = |name: u32| {
            let name = strings.get(name as usize);
            name.map_or(JitTier::Unknown, |name| tier_of_implementation(&name.0))
        };
        Ok(Frames {
            func,
            line: column("line")?,
            lib: column("lib")?,
            category: column("category")?,
            subcategory: if with_tiers { subcategory? } else { Vec::new() },
            tier: if with_tiers {
                implementation?.into_iter().map(tier).collect()
            } else {
                Vec::new()
            },
            inline_depth: column("inlineDepth")?,
            original_location: column("originalLocation")?,
            flags: column("flags")?,
            // Costs do not need them, so a malformed column is no error.
            page: numbers(table, "innerWindowID", place).unwrap_or_default(),
        })
    }

    fn funcs(&self, table: &mut Raw, place: &str) -> Result<Funcs, ReadError> {
        let line = ids(table, "lineNumber", place)?;
        Ok(Funcs {
            name: required(table, "name", place)?,
            resource: ids(table, "resource", place)?,
            source: ids(table, "source", place)?,
            file_name: ids(table, "fileName", place)?,
            line: if self.has_first_lines { line } else { Vec::new() },
            column: ids(table, "columnNumber", place)?,
            original_location: ids(table, "originalLocation", place)?,
            is_js: truths(table, "isJS", place)?,
            relevant_for_js: truths(table, "relevantForJS", place)?,
            flags: ids(table, "flags", place)?,
        })
    }
}

/// Adds the texts of sources, apart from inline scripts, which are parts of files. Several sources
/// with different texts may have the same name; then it is unknown which one was recorded.
fn add_source_texts(
    builder: &mut ProfileBuilder,
    shared: &mut Raw,
    names: &Shared<'_>,
) -> Result<(), ReadError> {
    let first_lines = ids_in(shared, "sources", "startLine")?;
    let contents = shared.get("sources").and_then(|sources| sources.get("content"));
    // Without texts, slabs have a column of numbers.
    let contents = contents.and_then(|contents| contents.decode::<Vec<Text<'_>>>("").ok());
    let mut texts: BTreeMap<String, Option<&str>> = BTreeMap::new();
    let contents = contents.unwrap_or_default();
    for (row, (content, name)) in contents.iter().zip(&names.sources).enumerate() {
        let is_whole = first_lines.get(row).is_none_or(|&line| line <= 1 || line == u32::MAX);
        let name = names.strings.get(*name as usize).filter(|_| is_whole && !content.0.is_empty());
        if let Some(name) = name {
            let text = texts.entry(source_name(&name.0).into_owned()).or_insert(Some(&content.0));
            *text = text.filter(|text| *text == content.0);
        }
    }
    for (name, text) in texts {
        if let Some(text) = text {
            let source = builder.intern_source(&name)?;
            builder.add_source_text(source, &Arc::from(text));
        }
    }
    Ok(())
}

/// A thread, without its samples.
pub(super) fn describe(thread: &Raw, place: &str) -> Result<profile::Thread, ReadError> {
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
fn present(threads: &[Raw]) -> Result<Present, ReadError> {
    let mut present = Present::default();
    let has_rows = |table: Option<&Raw>, key| {
        table.and_then(|table| table.column(key)).is_some_and(|column| !column.is_empty())
    };
    for thread in threads {
        if let Some(samples) = thread.get("samples") {
            let unit = weight_type(samples)?;
            if has_rows(Some(samples), "stack") && !present.units.contains(&unit) {
                present.units.push(unit);
            }
            present.cpu |= samples.column("threadCPUDelta").is_some_and(Column::has_numbers);
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

fn weight_type(samples: &Raw) -> Result<String, ReadError> {
    let unit: Option<String> = samples.decode_member("weightType", "samples")?;
    Ok(unit.unwrap_or_else(|| "samples".to_owned()))
}

pub(super) fn intern_libs(
    builder: &mut ProfileBuilder,
    libs: ShortList<Lib<'_>>,
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
        text_size: 0,
    };
    libs.0.into_iter().map(|row| Ok(builder.intern_lib(lib(row))?)).collect()
}

/// Takes a column of indexes out of a table; a missing one is empty.
fn ids(table: &mut Raw, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    table.take_column(key).map_or(Ok(Vec::new()), |column| column.ids(&join(place, key)))
}

/// The same, of a table that `shared` may have.
fn ids_in(shared: &mut Raw, table: &str, key: &str) -> Result<Vec<u32>, ReadError> {
    let place = join("shared", table);
    shared.get_mut(table).map_or(Ok(Vec::new()), |table| ids(table, key, &place))
}

/// Takes a column of booleans out of a table; a missing one is empty.
fn truths(table: &mut Raw, key: &str, place: &str) -> Result<Vec<bool>, ReadError> {
    table.take_column(key).map_or(Ok(Vec::new()), |column| column.truths(&join(place, key)))
}

/// Takes a column of measurements out of a table; a missing one is empty.
fn numbers(table: &mut Raw, key: &str, place: &str) -> Result<Vec<f64>, ReadError> {
    table.take_column(key).map_or(Ok(Vec::new()), |column| column.numbers(&join(place, key)))
}

/// Takes a required column of indexes out of a table.
fn required(table: &mut Raw, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    if table.get(key).is_none() {
        return Err(ReadError::malformed(
            At::Key(join(place, key)),
            "expected this column; the table does not have it",
        ));
    }
    ids(table, key, place)
}

/// Takes a required table out of a thread, or of what threads share.
fn take_table(tables: &mut Raw, key: &str, place: &str) -> Result<Raw, ReadError> {
    tables.take(key).ok_or_else(|| {
        let message =
            format!("expected the table {key} here or in \"shared\"; the file has neither");
        ReadError::malformed(At::Key(place.to_owned()), message)
    })
}

fn stacks(place: &str, mut table: Raw, with_category: bool) -> Result<Stacks, ReadError> {
    let place = join(place, "stackTable");
    let relative = table.get("prefix").is_none();
    let parents = if relative { "prefixOffset" } else { "prefix" };
    Ok(Stacks {
        frame: required(&mut table, "frame", &place)?,
        parent: required(&mut table, parents, &place)?,
        relative,
        category: if with_category { ids(&mut table, "category", &place)? } else { Vec::new() },
    })
}

/// Decodes the samples of one thread.
fn rows(
    place: &str,
    thread: &mut Raw,
    mut samples: Raw,
    kinds: &[Kind],
    label_sets: &[LabelSetId],
) -> Result<Rows, ReadError> {
    let place_of = |key: &str| format!("{place}.samples.{key}");
    let stacks = ids(&mut samples, "stack", &join(place, "samples"))?;
    let weights = samples.take_column("weight");
    let weights =
        weights.map_or(Ok(Weights::Ones), |column| column.weights(&place_of("weight")))?;
    if let Weights::Each(weights) = &weights {
        same_length(&place_of("weight"), weights.len(), stacks.len())?;
    }
    let mut cpu = None;
    let cpu_column = samples.take_column("threadCPUDelta");
    if let Some(column) = cpu_column.filter(|_| kinds.contains(&Kind::Cpu)) {
        let place = place_of("threadCPUDelta");
        let deltas = column.measures(&place)?;
        same_length(&place, deltas.n_rows().unwrap_or(stacks.len()), stacks.len())?;
        cpu = Some(deltas);
    }
    let unit = weight_type(&samples)?;
    let labels = ids(&mut samples, "costlineLabels", &join(place, "samples"))?;
    let set = |&row: &u32| label_sets.get(row as usize).copied().unwrap_or(LabelSetId::NONE);
    Ok(Rows {
        times: times(&mut samples),
        labels: labels.iter().map(set).collect(),
        stacks,
        weights,
        unit,
        cpu,
        js: allocations(place, thread, "jsAllocations")?,
        native: allocations(place, thread, "nativeAllocations")?,
    })
}

/// The times of samples. Costs do not need them, so a malformed column is no error.
fn times(samples: &mut Raw) -> Vec<f64> {
    if let Some(times) = samples.take_column("time") {
        return times.numbers("").unwrap_or_default();
    }
    let deltas = numbers(samples, "timeDeltas", "").unwrap_or_default();
    let mut at = 0.0;
    let after = |delta| {
        at += or_zero(delta);
        at
    };
    deltas.into_iter().map(after).collect()
}

fn allocations(place: &str, thread: &mut Raw, key: &str) -> Result<Allocations, ReadError> {
    let Some(mut table) = thread.take(key) else { return Ok(Allocations::default()) };
    let place = join(place, key);
    let stacks = ids(&mut table, "stack", &place)?;
    let mut measurements = |key| -> Result<Vec<f64>, ReadError> {
        let has_column = table.get(key).is_some();
        let column = numbers(&mut table, key, &place)?;
        if has_column {
            same_length(&join(&place, key), column.len(), stacks.len())?;
        }
        Ok(column)
    };
    let mut bytes: Vec<f64> = measurements("weight")?.into_iter().map(or_zero).collect();
    bytes.resize(stacks.len(), 0.0);
    Ok(Allocations {
        bytes,
        addresses: measurements("memoryAddress")?,
        times: measurements("time").unwrap_or_default(),
        stacks,
    })
}

/// The times of the first and the last sample.
fn ends(samples: &Raw) -> Option<(f64, f64)> {
    // Deltas start at 0 (processed format, version 50): the first is the time of the first sample,
    // their sum the time of the last.
    let is_finite = |(first, last): &(f64, f64)| (last - first).is_finite();
    let of_column = |column: &Column| {
        let numbers = column.known_numbers();
        numbers.first().copied().zip(numbers.last().copied()).filter(is_finite)
    };
    match (samples.column("time"), samples.column("timeDeltas")) {
        (Some(times), _) => of_column(times),
        (None, Some(deltas)) => {
            let sum = deltas.known_numbers().iter().filter(|delta| delta.is_finite()).sum();
            of_column(deltas).map(|(first, _)| (first, sum))
        }
        (None, None) => None,
    }
}
