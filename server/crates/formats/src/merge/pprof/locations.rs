//! The functions of locations, for what is cut.

use crate::pprof_proto as proto;
use rustc_hash::FxHashMap;

/// The functions of the locations of a file.
pub(super) struct Locations {
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
    /// Location and line of code without a name. Two locations without a name are different functions.
    Unnamed(u64, usize),
}

impl Locations {
    pub(super) fn of(file: &proto::Profile) -> Self {
        let (mut functions, mut ends) = (Vec::new(), Vec::new());
        let mut ids: FxHashMap<Function, u64> = FxHashMap::default();
        for location in &file.location {
            let n_lines = location.line.len();
            // Without lines, the location is one unknown function.
            for at in (0..n_lines.max(1)).rev() {
                let next = ids.len() as u64;
                let function = function(file, location, at);
                functions.push(*ids.entry(function).or_insert(next));
            }
            ends.push(functions.len());
        }
        Self { functions, ends }
    }

    /// The functions of a location, root first.
    pub(super) fn functions(&self, location: u64) -> &[u64] {
        let at = index(location);
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(at).copied());
        range.and_then(|(start, end)| self.functions.get(start..end)).unwrap_or_default()
    }
}

/// The index of a row number, which begins with 1.
pub(super) fn index(number: u64) -> usize {
    number as usize - 1
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
