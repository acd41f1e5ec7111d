//! Builds the tables of a profile from decoded tables of either layout.
//!
//! Tables of threads are appended one after the other; strings, libraries, funcs and frames are
//! interned, so equal ones of several threads become one. Only rows that a frame uses are read,
//! because unused funcs may have invalid values.

use super::columns::{ABSENT, Text};
use super::location;
use super::pages::Pages;
use super::raw::join;
use super::schema::{Meta, frame_flags, func_flags};
use crate::error::{At, ReadError};
use profile::{
    Code, Frame, FrameId, Func, FuncId, JitTier, LibId, ProfileBuilder, SourceId, StackId,
};
use std::borrow::Cow;

/// A stack table, decoded.
pub(super) struct Stacks {
    pub(super) frame: Vec<u32>,
    pub(super) parent: Vec<u32>,
    /// Whether `parent` is a number of rows back; 0 then means "no parent".
    pub(super) relative: bool,
    /// Categories of stacks, for files whose frames have none.
    pub(super) category: Vec<u32>,
}

/// All tables that stacks refer to, decoded.
pub(super) struct Tables<'t> {
    pub(super) frames: Frames,
    /// The executing columns of frames. An error counts when a frame needs one.
    pub(super) columns: Result<Vec<u32>, ReadError>,
    /// The addresses of frames in their libraries. An error counts when a func is named by an address.
    pub(super) addresses: Result<Vec<f64>, ReadError>,
    pub(super) funcs: Funcs,
    pub(super) names: Names<'t>,
}

/// Appends all stacks of one set of tables, with the frames and funcs that they use.
pub(super) fn append(
    builder: &mut ProfileBuilder,
    place: &str,
    categories: &Categories<'_>,
    pages: &mut Pages,
    stacks: Stacks,
    tables: Tables<'_>,
) -> Result<(), ReadError> {
    let (frames, ids) = append_frames(builder, place, categories, tables)?;
    let Stacks { frame: frame_column, parent: parents, relative, category } = stacks;
    let parents_key = if relative { "prefixOffset" } else { "prefix" };
    same_length(&join(&join(place, "stackTable"), parents_key), parents.len(), frame_column.len())?;

    let first = builder.n_stacks();
    builder.reserve_stacks(frame_column.len());
    for (row, (&frame, &parent)) in frame_column.iter().zip(&parents).enumerate() {
        let id = ids.get(frame as usize).copied();
        let id =
            id.ok_or_else(|| dangling(place, "stackTable.frame", row, frame, ids.len(), "frames"))?;
        let prefix = match (parent, relative) {
            (ABSENT, _) | (0, true) => None,
            (offset, true) => match row.checked_sub(offset as usize) {
                Some(prefix) => Some(prefix),
                None => {
                    return Err(dangling(
                        place,
                        "stackTable.prefixOffset",
                        row,
                        offset,
                        row,
                        "stacks before it",
                    ));
                }
            },
            (prefix, false) if (prefix as usize) < row => Some(prefix as usize),
            (prefix, false) => {
                return Err(dangling(
                    place,
                    "stackTable.prefix",
                    row,
                    prefix,
                    row,
                    "stacks before it",
                ));
            }
        };
        builder.push_stack(prefix.map(|prefix| StackId::new((first + prefix) as u32)), id)?;
    }
    pages.mark(builder, first, &frame_column, &frames.page);
    if !categories.is_empty() {
        let own = |row: usize| match category.get(row) {
            Some(&category) => category,
            None => frames
                .cell(&frames.category, frame_column[row] as usize, frame_flags::CATEGORY)
                .unwrap_or(ABSENT),
        };
        categories.mark(builder, first, frame_column.len(), own)?;
    }
    Ok(())
}

/// The categories of stacks of a file, or of one process in it.
pub(super) struct Categories<'m> {
    names: Vec<&'m str>,
    /// The category of stacks without any; empty if there is none.
    default: &'m str,
    /// The tier of each subcategory of each category; empty if none is a tier.
    tiers: Vec<Vec<JitTier>>,
}

impl<'m> Categories<'m> {
    pub(super) fn new(meta: &'m Meta) -> Self {
        let names = meta.categories();
        let default =
            meta.default_category().and_then(|default| names.get(default as usize)).copied();
        Self { names, default: default.unwrap_or_default(), tiers: meta.tiers() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether frames may have a tier.
    pub(super) fn have_tiers(&self) -> bool {
        !self.tiers.is_empty()
    }

    /// The tier of a frame that runs a script.
    fn tier(&self, frames: &Frames, row: usize) -> JitTier {
        let stated = frames.tier.get(row).copied().unwrap_or_default();
        if stated != JitTier::Unknown {
            return stated;
        }
        let of_subcategory = || {
            let category = frames.cell(&frames.category, row, frame_flags::CATEGORY)?;
            let subcategory = *frames.subcategory.get(row)?;
            self.tiers.get(category as usize)?.get(subcategory as usize).copied()
        };
        of_subcategory().unwrap_or_default()
    }

    /// Sets the categories of `n` stacks from `first` on. A stack without one has its parent's
    /// (Firefox Profiler, `profile-data`, derived stack categories).
    fn mark(
        &self,
        builder: &mut ProfileBuilder,
        first: usize,
        n: usize,
        own: impl Fn(usize) -> u32,
    ) -> Result<(), ReadError> {
        if n == 0 {
            return Ok(());
        }
        // The first category takes no memory (see `ProfileBuilder::intern_category`), and many
        // recordings have only one.
        builder.intern_category(self.names.get(own(0) as usize).unwrap_or(&self.default))?;
        let default = builder.intern_category(self.default)?;
        let ids = self
            .names
            .iter()
            .map(|name| builder.intern_category(name))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..n {
            let stack = StackId::new((first + row) as u32);
            let category = match ids.get(own(row) as usize) {
                Some(&category) => category,
                None => builder.prefix(stack).map_or(default, |parent| builder.category(parent)),
            };
            builder.set_category(stack, category)?;
        }
        Ok(())
    }
}

/// Appends the frames; returns the frame of each row.
fn append_frames(
    builder: &mut ProfileBuilder,
    place: &str,
    categories: &Categories<'_>,
    tables: Tables<'_>,
) -> Result<(Frames, Vec<FrameId>), ReadError> {
    let Tables { frames, columns, addresses, funcs, names } = tables;
    let mut ids = Vec::with_capacity(frames.func.len());
    // For each func, the last library and its position: nearly all frames of a func have the same.
    let mut last_positions: Vec<Option<(Option<u32>, Position)>> = vec![None; funcs.name.len()];
    for (row, &func) in frames.func.iter().enumerate() {
        if func as usize >= funcs.name.len() {
            return Err(dangling(place, "frameTable.func", row, func, funcs.name.len(), "funcs"));
        }
        let inlined = match frames.flags.get(row) {
            Some(flags) => flags & frame_flags::INLINED != 0,
            None => frames.inline_depth.get(row).is_some_and(|&depth| depth != ABSENT && depth > 0),
        };
        let lib = frames.cell(&frames.lib, row, frame_flags::ADDRESS_AND_LIB);
        let location = frames.cell(&frames.original_location, row, frame_flags::ORIGINAL_LOCATION);
        let address = || {
            let address = addresses.as_ref().map_err(Clone::clone)?.get(row).copied();
            let has =
                frames.flags.get(row).is_none_or(|flags| flags & frame_flags::ADDRESS_AND_LIB != 0);
            // No code is at the beginning of a library; exporters that do not know the address
            // write 0.
            #[expect(clippy::cast_sign_loss, reason = "it is above 0")]
            Ok(address.filter(|&address| has && address > 0.0).map(|address| address as u64))
        };
        let position = match last_positions[func as usize] {
            Some((last_lib, position)) if last_lib == lib && location.is_none() => position,
            _ => funcs.position(
                place,
                builder,
                func as usize,
                &Executing { lib, location, address: &address },
                &names,
            )?,
        };
        if location.is_none() && !position.is_address {
            last_positions[func as usize] = Some((lib, position));
        }
        // A frame without a line has its func's first line; a frame whose flags say that its line
        // is present and 0 has no line. File and line come from the same level: both before
        // compilation or both after (Firefox Profiler, `line-timings`).
        let own = frames.cell(&frames.line, row, frame_flags::LINE);
        let own = own.filter(|&line| (line > 0 || !frames.flags.is_empty()) && !position.original);
        let column = match own {
            Some(_) if position.is_script => {
                let columns = columns.as_ref().map_err(Clone::clone)?;
                frames.cell(columns, row, frame_flags::COLUMN).unwrap_or(0)
            }
            _ => 0,
        };
        let is_script = categories.have_tiers() && funcs.code(func as usize) == Code::JavaScript;
        let tier = if is_script { categories.tier(&frames, row) } else { JitTier::Unknown };
        let line = own.unwrap_or(position.line);
        let frame = Frame { column, inlined, tier, ..Frame::new(position.func, line) };
        ids.push(match position.elsewhere {
            Some((source, line)) => builder.intern_frame_elsewhere(frame, source, line)?,
            None => builder.intern_frame(frame)?,
        });
    }
    Ok((frames, ids))
}

/// A frame table, decoded. Columns that the file lacks are empty.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) func: Vec<u32>,
    pub(super) line: Vec<u32>,
    pub(super) lib: Vec<u32>,
    pub(super) category: Vec<u32>,
    pub(super) subcategory: Vec<u32>,
    /// The tiers that the column `implementation` names.
    pub(super) tier: Vec<JitTier>,
    pub(super) inline_depth: Vec<u32>,
    pub(super) original_location: Vec<u32>,
    pub(super) page: Vec<f64>,
    pub(super) flags: Vec<u32>,
}

impl Frames {
    /// Appends a copy of a row.
    pub(super) fn push_copy(&mut self, row: usize) {
        let Self { func, line, lib, category, subcategory, tier, .. } = self;
        let Self { inline_depth, original_location, page, flags, .. } = self;
        page.extend(page.get(row).copied());
        tier.extend(tier.get(row).copied());
        let of_func = [func, line, lib, category, subcategory];
        for column in of_func.into_iter().chain([inline_depth, original_location, flags]) {
            column.extend(column.get(row).copied());
        }
    }

    /// A cell, unless it is absent by its value (≤ 70) or by its flag (≥ 71).
    fn cell(&self, column: &[u32], row: usize, flag: u32) -> Option<u32> {
        present(column, row, &self.flags, flag)
    }
}

/// A func table, decoded. Columns that the file lacks are empty.
#[derive(Default)]
pub(super) struct Funcs {
    pub(super) name: Vec<u32>,
    pub(super) resource: Vec<u32>,
    pub(super) source: Vec<u32>,
    pub(super) file_name: Vec<u32>,
    pub(super) line: Vec<u32>,
    pub(super) column: Vec<u32>,
    pub(super) original_location: Vec<u32>,
    pub(super) is_js: Vec<bool>,
    pub(super) relevant_for_js: Vec<bool>,
    pub(super) flags: Vec<u32>,
}

/// The position that a frame has from its func.
#[derive(Clone, Copy)]
struct Position {
    func: FuncId,
    /// The line for frames without one; 0 = unknown.
    line: u32,
    /// File and line, if the file is not the func's file.
    elsewhere: Option<(SourceId, u32)>,
    /// Whether the position is from before compilation, so that the frame's own line does not
    /// belong to it.
    original: bool,
    /// Whether the code is a script, which may be a single line.
    is_script: bool,
    /// Whether the func stands for a single address.
    is_address: bool,
}

/// The values that a frame adds to its func.
struct Executing<'f> {
    lib: Option<u32>,
    location: Option<u32>,
    address: &'f dyn Fn() -> Result<Option<u64>, ReadError>,
}

/// Tables that threads may share: strings since version 56, sources since 58, locations since 64.
#[derive(Default)]
pub(super) struct Shared<'a> {
    pub(super) strings: Vec<Text<'a>>,
    /// The string index of each source.
    pub(super) sources: Vec<u32>,
    /// Source and line of each location.
    pub(super) locations: Vec<(u32, u32)>,
}

/// The tables that a func table refers to.
pub(super) struct Names<'t> {
    pub(super) strings: &'t [Text<'t>],
    pub(super) shared: &'t Shared<'t>,
    pub(super) libs: &'t [LibId],
    pub(super) resource_libs: Vec<u32>,
}

impl Funcs {
    fn cell(&self, column: &[u32], row: usize, flag: u32) -> Option<u32> {
        present(column, row, &self.flags, flag)
    }

    /// The kind of code of the func at `row`.
    fn code(&self, row: usize) -> Code {
        let is = |column: &[bool], flag| match self.flags.get(row) {
            Some(flags) => flags & flag != 0,
            None => column.get(row).copied().unwrap_or(false),
        };
        match () {
            () if is(&self.is_js, func_flags::IS_JS) => Code::JavaScript,
            () if is(&self.relevant_for_js, func_flags::RELEVANT_FOR_JS) => Code::Label,
            () => Code::Native,
        }
    }

    /// The func at `row`, as used by a frame.
    ///
    /// A func named by an address becomes one func per address, each named by its address in the
    /// library: the name in the file may be an address in memory (Firefox Profiler,
    /// `process-profile`).
    fn position(
        &self,
        place: &str,
        builder: &mut ProfileBuilder,
        row: usize,
        frame: &Executing<'_>,
        names: &Names<'_>,
    ) -> Result<Position, ReadError> {
        let string = |id: u32| names.strings.get(id as usize).map(|text| text.0.as_ref());
        let source = |id: u32| names.shared.sources.get(id as usize).copied().and_then(string);
        let located =
            |id: u32| names.shared.locations.get(id as usize).copied().unwrap_or((ABSENT, 0));

        let name = self.name[row];
        let name = string(name).ok_or_else(|| {
            dangling(place, "funcTable.name", row, name, names.strings.len(), "strings")
        })?;
        let resource_lib = || {
            names
                .resource_libs
                .get(self.cell(&self.resource, row, func_flags::RESOURCE)? as usize)
                .copied()
        };
        let lib =
            frame.lib.or_else(resource_lib).and_then(|lib| names.libs.get(lib as usize).copied());
        let start = self.cell(&self.line, row, func_flags::LINE).unwrap_or(0);
        let func_location =
            self.cell(&self.original_location, row, func_flags::ORIGINAL_LOCATION).map(located);
        let (file, start) = if let Some((file, line)) = func_location {
            (source(file), line)
        } else {
            let file = self.cell(&self.source, row, func_flags::SOURCE).and_then(source);
            let file_name = || self.file_name.get(row).copied().and_then(string);
            (file.or_else(file_name), start)
        };
        let or_zero = |line: u32| if line == ABSENT { 0 } else { line };
        let is_address = lib.is_some() && file.is_none() && location::address(name).is_some();
        let address = if is_address { (frame.address)()? } else { None };
        // Without an address in the library there is nothing to look up in it.
        let lib = lib.filter(|_| is_address == address.is_some());
        let name =
            address.map_or(Cow::Borrowed(name), |address| Cow::Owned(format!("{address:#x}")));
        let func = Func {
            name: builder.intern_string(&name)?,
            source: file
                .map(|file| builder.intern_source(&crate::read::shared::text::source_name(file)))
                .transpose()?,
            lib,
            line: or_zero(start),
            column: self.cell(&self.column, row, func_flags::COLUMN).unwrap_or(0),
        };
        // Compilers put code of one file into functions of another.
        let (line, elsewhere) =
            match frame.location.map(located).map(|(file, line)| (source(file), or_zero(line))) {
                Some((Some(other), line @ 1..)) if file != Some(other) => (
                    0,
                    Some((
                        builder.intern_source(&crate::read::shared::text::source_name(other))?,
                        line,
                    )),
                ),
                Some((executing, line)) => (if executing == file { line } else { 0 }, None),
                None => (or_zero(start), None),
            };
        let original = frame.location.is_some() || func_location.is_some();
        let is_script = file.is_some_and(is_script);
        let func = builder.intern_func(func)?;
        builder.set_code(func, self.code(row))?;
        Ok(Position { func, line, elsewhere, original, is_script, is_address })
    }
}

/// Whether a file name belongs to JavaScript or a language that compiles to it.
fn is_script(file: &str) -> bool {
    file.contains("://") || [".js", ".mjs", ".cjs"].iter().any(|ending| file.ends_with(ending))
}

/// A cell, unless it is absent by its value or its flag is clear.
fn present(column: &[u32], row: usize, flags: &[u32], flag: u32) -> Option<u32> {
    let has = flags.get(row).is_none_or(|flags| flags & flag != 0);
    column.get(row).copied().filter(|&cell| has && cell != ABSENT)
}

pub(super) fn same_length(place: &str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    let message = format!("has {found} entries, expected {expected} as in the other columns");
    Err(ReadError::malformed(At::Key(place.to_owned()), message))
}

pub(super) fn dangling(
    place: &str,
    column: &str,
    row: usize,
    index: u32,
    len: usize,
    of: &str,
) -> ReadError {
    let found = if index == ABSENT { "is empty".to_owned() } else { format!("is {index}") };
    ReadError::malformed(
        At::Key(format!("{place}.{column}[{row}]")),
        format!("{found}, expected one of the {len} {of}"),
    )
}
