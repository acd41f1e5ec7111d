//! The functions of locations, for what is cut.

use super::super::cut::Frames;
use super::{Tables, index};
use crate::pprof_proto as proto;
use rustc_hash::FxHashMap;

/// The locations of the merged tables, with their functions.
pub(super) struct Locations<'t> {
    tables: &'t mut Tables,
    /// Functions of all locations, root first.
    functions: Vec<u64>,
    /// Where those of each location end, by row number less 1.
    ends: Vec<usize>,
}

/// Which lines have the same function.
#[derive(PartialEq, Eq, Hash)]
enum Function {
    /// Name and file.
    Named(i64, i64),
    /// Location and line of code without a name, which is not known to be that of another location.
    Unnamed(u64, usize),
}

impl<'t> Locations<'t> {
    pub(super) fn of(tables: &'t mut Tables) -> Self {
        let (mut functions, mut ends) = (Vec::new(), Vec::new());
        let mut ids: FxHashMap<Function, u64> = FxHashMap::default();
        for location in &tables.file.location {
            let n_lines = location.line.len();
            // Without lines, the location is one unknown function.
            for at in (0..n_lines.max(1)).rev() {
                let next = ids.len() as u64;
                let function = function(&tables.file, location, at);
                functions.push(*ids.entry(function).or_insert(next));
            }
            ends.push(functions.len());
        }
        Self { tables, functions, ends }
    }
}

/// The function of a line of a location, by its number from the leaf.
fn function(file: &proto::Profile, location: &proto::Location, at: usize) -> Function {
    let id = location.line.get(at).map_or(0, |line| line.function_id);
    let function = if id == 0 { None } else { file.function.get(index(id)) };
    match function {
        // As in readers, the other name counts if this one is empty.
        Some(&proto::Function { name: 0, system_name, filename, .. })
            if system_name != 0 || filename != 0 =>
        {
            Function::Named(system_name, filename)
        }
        Some(&proto::Function { name, filename, .. }) if name != 0 => {
            Function::Named(name, filename)
        }
        _ => Function::Unnamed(location.id, at),
    }
}

impl Frames for Locations<'_> {
    fn functions(&self, frame: u64) -> &[u64] {
        let at = index(frame);
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(at).copied());
        range.and_then(|(start, end)| self.functions.get(start..end)).unwrap_or_default()
    }

    /// Lines are leaf first: the last ones are the outer functions.
    fn outer(&mut self, frame: u64, n: usize) -> u64 {
        let Some(location) = self.tables.file.location.get(index(frame)) else { return frame };
        let proto::Location { mapping_id, address, is_folded, ref line, .. } = *location;
        let line = line.get(line.len().saturating_sub(n)..).unwrap_or_default().to_vec();
        self.tables.location_of(mapping_id, address, is_folded, line)
    }
}
