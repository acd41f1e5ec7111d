//! Libraries and their mappings in memory.

use super::tables::{ById, Strings};
use crate::error::ReadError;
use crate::pprof_proto as proto;
use crate::read::shared::func_text::library;
use profile::{AddressBase, Lib, LibId, ProfileBuilder};

/// The mapped parts of libraries.
pub(super) struct Mappings<'p> {
    pub(super) by_id: ById<Mapped<'p>>,
    /// Sorted by start, each with the highest end of all earlier ones.
    in_order: Vec<(Mapped<'p>, u64)>,
}

/// A mapping and its library.
#[derive(Clone, Copy)]
pub(super) struct Mapped<'p> {
    mapping: &'p proto::Mapping,
    pub(super) lib: Option<LibId>,
}

impl Mapped<'_> {
    fn holds(&self, address: u64) -> bool {
        (self.mapping.memory_start..self.mapping.memory_limit).contains(&address)
    }
}

impl<'p> Mappings<'p> {
    pub(super) fn new(
        file: &'p proto::Profile,
        strings: &Strings<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<Self, ReadError> {
        let (mut by_id, mut in_order) = (ById::new("mapping"), Vec::new());
        for (row, mapping) in file.mapping.iter().enumerate() {
            let text = |index, column| strings.get(index, || format!("mapping[{row}].{column}"));
            let path = text(mapping.filename, "filename")?;
            let id = text(mapping.build_id, "build_id")?;
            // Build ids of Go are not hexadecimal.
            let code_id = if id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                id.to_owned()
            } else {
                String::new()
            };
            let named = library(path);
            let lib = || builder.intern_lib(Lib { code_id, addresses: AddressBase::File, ..named });
            let lib = (!path.is_empty()).then(lib).transpose()?;
            by_id.insert(row, mapping.id, Mapped { mapping, lib })?;
            in_order.push((Mapped { mapping, lib }, 0));
        }
        in_order.sort_by_key(|(mapped, _)| mapped.mapping.memory_start);
        let mut end = 0;
        for (mapped, end_before) in &mut in_order {
            *end_before = end;
            end = end.max(mapped.mapping.memory_limit);
        }
        Ok(Self { by_id, in_order })
    }

    /// The mapping that contains an address: the one that the location states, or, if it states
    /// none, the only one that does.
    pub(super) fn around(&self, address: u64, stated: Option<&Mapped<'p>>) -> Option<Mapped<'p>> {
        if let Some(stated) = stated {
            return Some(*stated).filter(|stated| stated.holds(address));
        }
        let n_before =
            self.in_order.partition_point(|(mapped, _)| mapped.mapping.memory_start <= address);
        let (last, end_before) = self.in_order.get(n_before.checked_sub(1)?)?;
        (last.holds(address) && *end_before <= address).then_some(*last)
    }
}

/// The name and library of code without a name. The name is the address in the file of the mapping,
/// which is the same in each run, or else the address in memory. Example: a mapping starts at 4096
/// and has the file offset 256; the address 4112 (0x1010) is named `0x110`.
pub(super) fn unresolved(address: u64, within: Option<Mapped<'_>>) -> (String, Option<LibId>) {
    let (address, lib) = match within {
        Some(Mapped { mapping, lib }) => {
            ((address - mapping.memory_start).wrapping_add(mapping.file_offset), lib)
        }
        None => (address, None),
    };
    (if address == 0 { String::new() } else { format!("{address:#x}") }, lib)
}
