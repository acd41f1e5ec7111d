//! The frames of locations.

use super::mappings::{Mappings, unresolved};
use super::prune::{Cut, Prune};
use super::tables::{ById, Strings};
use crate::error::ReadError;
use crate::pprof_proto as proto;
use crate::read::shared::func_text::FuncText;
use profile::{Frame, FrameId, Func, FuncKey, ProfileBuilder, WarningCode, Warnings};
use rustc_hash::FxHashSet;

/// A function with a place, but with neither a name nor an address.
const ANONYMOUS: &str = "(anonymous)";

/// A location.
pub(super) struct Location {
    /// The caller first, then the functions inlined into it.
    pub(super) frames: Vec<FrameId>,
    pub(super) cut: Cut,
}

pub(super) fn locations(
    file: &proto::Profile,
    strings: &Strings<'_>,
    builder: &mut ProfileBuilder,
    warnings: &mut Warnings,
) -> Result<ById<Location>, ReadError> {
    let mappings = Mappings::new(file, strings, builder)?;
    let mut functions = ById::new("function");
    for (row, function) in file.function.iter().enumerate() {
        let text = |index, column| strings.get(index, || format!("function[{row}].{column}"));
        let name = match text(function.name, "name")? {
            "" => text(function.system_name, "system_name")?,
            name => name,
        };
        let line = u32::try_from(function.start_line).unwrap_or(0);
        let func = FuncText {
            name,
            file: text(function.filename, "filename")?,
            line,
            ..FuncText::default()
        };
        functions.insert(row, function.id, func)?;
    }
    let dropped = dropped(file, strings, &functions, warnings)?;

    let mut locations = ById::new("location");
    for (row, location) in file.location.iter().enumerate() {
        let key = |column: &str| format!("location[{row}].{column}");
        let mapping = match location.mapping_id {
            0 => None,
            id => Some(mappings.by_id.get(id, || key("mapping_id"))?),
        };
        let lib = mapping.and_then(|mapping| mapping.lib);
        let unknown = [proto::Line::default()];
        let lines = if location.line.is_empty() { &unknown } else { location.line.as_slice() };
        let cut_at = lines.iter().rposition(|line| dropped.contains(&line.function_id));
        let (cut, n_cut) = match cut_at {
            None => (Cut::Nothing, 0),
            Some(at) if at + 1 < lines.len() => (Cut::Inner, at + 1),
            Some(_) => (Cut::Whole, 0),
        };
        let mut frames = Vec::with_capacity(lines.len());
        for (i, line) in lines.iter().enumerate().skip(n_cut).rev() {
            let text = match line.function_id {
                0 => FuncText::default(),
                id => *functions.get(id, || key(&format!("line[{i}].function_id")))?,
            };
            let func = if text.name.is_empty() {
                // A location that is only partly symbolicated is not looked up: that would add all
                // levels a second time.
                let within =
                    mappings.around(location.address, mapping).filter(|_| lines.len() == 1);
                let (address, lib) = unresolved(location.address, within);
                // Some writers know the line of a function, but not its name.
                let is_anonymous = address.is_empty() && !text.file.is_empty();
                let name = if is_anonymous { ANONYMOUS } else { &address };
                Func { lib, ..FuncText { name, ..text }.func(builder)? }
            } else {
                // A name that is an address may not be relative to its library, so it is not looked
                // up.
                let lib = lib.filter(|_| FuncKey::new(text.name, None, None).address.is_none());
                Func { lib, ..text.func(builder)? }
            };
            let func = builder.intern_func(func)?;
            let number = |number: i64| u32::try_from(number).unwrap_or(0);
            let inlined = i + 1 < lines.len();
            frames.push(builder.intern_frame(Frame {
                column: number(line.column),
                inlined,
                ..Frame::new(func, number(line.number))
            })?);
        }
        locations.insert(row, location.id, Location { frames, cut })?;
    }
    Ok(locations)
}

/// The ids of the functions to be left out.
fn dropped(
    file: &proto::Profile,
    strings: &Strings<'_>,
    functions: &ById<FuncText<'_>>,
    warnings: &mut Warnings,
) -> Result<FxHashSet<u64>, ReadError> {
    let drop = strings.get(file.drop_frames, || "drop_frames".to_owned())?;
    let keep = strings.get(file.keep_frames, || "keep_frames".to_owned())?;
    match Prune::of(drop, keep) {
        Ok(None) => Ok(FxHashSet::default()),
        Ok(Some(prune)) => Ok(functions
            .rows
            .iter()
            .filter(|(_, func)| prune.drops(func.name))
            .map(|(&id, _)| id)
            .collect()),
        Err(error) => {
            let message = || format!("drop_frames or keep_frames: {error}; no frames are left out");
            warnings.add(WarningCode::DropFrames, message);
            Ok(FxHashSet::default())
        }
    }
}
