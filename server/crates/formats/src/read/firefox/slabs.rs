//! JSON slabs (JSLB): a file of numbered blocks, which are columns of numbers or JSON text in which
//! `{"$s": N}` stands for block N.
//!
//! samply and the Firefox Profiler write processed profiles in this container. All numbers are
//! little endian: magic (8 bytes), version 1, number of slabs, number of the root slab, then type,
//! offset and length of each slab (all u32). Types 0 to 9 are columns, 10 is JSON. Everything is
//! checked against the file. One slab can be referred to several times, and JSON slabs can refer to
//! each other, so the number of uses has a limit. [`super::raw`] builds values from slabs.

use super::columns::CellType;
use crate::error::{At, ReadError};

const VERSION: u32 = 1;
/// The offset of the number of the root slab in the header.
pub(super) const ROOT_FIELD: usize = 16;
const HEADER: usize = 20;
const ROW: usize = 12;

/// How often a slab may be referred to. Writers do it once. Without a limit, a small file could
/// expand to a huge one, and slabs that refer to each other in a cycle would never end.
const MAX_USES: u8 = 4;

/// The slabs of a file.
pub(super) struct Slabs<'a> {
    rows: Vec<Slab<'a>>,
    root: u32,
}

/// One slab.
#[derive(Clone, Copy)]
pub(super) struct Slab<'a> {
    pub(super) bytes: &'a [u8],
    /// The offset in the file.
    pub(super) offset: usize,
    /// The type of its cells; `None` for JSON.
    pub(super) cells: Option<CellType>,
    uses: u8,
}

impl<'a> Slabs<'a> {
    /// Reads the table of slabs of a file that begins with the magic bytes.
    pub(super) fn new(file: &'a [u8]) -> Result<Self, ReadError> {
        let cut = || {
            ReadError::truncated(At::Byte(file.len() as u64), "the file ends in its table of slabs")
        };
        let field = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let header = field(8).zip(field(12)).zip(field(ROOT_FIELD));
        let ((version, n), root) = header.ok_or_else(cut)?;
        if version != VERSION {
            return Err(malformed(
                8,
                format!("version {version} of JSON slabs, expected {VERSION}"),
            ));
        }
        let table_end = (n as usize).checked_mul(ROW).and_then(|len| len.checked_add(HEADER));
        let table_end = table_end.filter(|&end| end <= file.len()).ok_or_else(cut)?;
        let row = |i: usize| {
            let at = HEADER + i * ROW;
            let ((kind, offset), len) =
                field(at).zip(field(at + 4)).zip(field(at + 8)).ok_or_else(cut)?;
            let (offset, len) = (offset as usize, len as usize);
            let (cells, width) = cells(kind).ok_or_else(|| {
                malformed(at, format!("slab {i} is of type {kind}, expected one of 0 to 10"))
            })?;
            if len % width != 0 {
                let message = format!("slab {i} has {len} bytes, expected a multiple of {width}");
                return Err(malformed(at + 8, message));
            }
            let bytes = file.get(offset..).and_then(|rest| rest.get(..len)).ok_or_else(|| {
                let message = format!(
                    "slab {i} has {len} bytes from {offset}, but the file ends at {}",
                    file.len()
                );
                ReadError::truncated(At::Byte(at as u64), message)
            })?;
            Ok(Slab { bytes, offset, cells, uses: 0 })
        };
        let rows: Vec<Slab<'a>> = (0..n as usize).map(row).collect::<Result<_, ReadError>>()?;

        let mut order: Vec<usize> =
            (0..rows.len()).filter(|&i| !rows[i].bytes.is_empty()).collect();
        order.sort_unstable_by_key(|&i| rows[i].offset);
        let mut free = table_end;
        for i in order {
            let slab = &rows[i];
            if slab.offset < free {
                let message = format!(
                    "slab {i} begins at {}, before the end of the previous data at {free}",
                    slab.offset
                );
                return Err(malformed(HEADER + i * ROW, message));
            }
            free = slab.offset + slab.bytes.len();
        }
        if rows.get(root as usize).is_none_or(|root| root.cells.is_some()) {
            return Err(malformed(
                ROOT_FIELD,
                format!("slab {root} is the root, expected one of the {n} slabs, of JSON"),
            ));
        }
        Ok(Self { rows, root })
    }

    /// The number of the root slab.
    pub(super) fn root(&self) -> u32 {
        self.root
    }

    /// The slab for a reference at `offset` in the file.
    pub(super) fn refer(&mut self, slab: u32, offset: usize) -> Result<Slab<'a>, ReadError> {
        let n = self.rows.len();
        let row = self.rows.get_mut(slab as usize);
        let row = row.ok_or_else(|| {
            malformed(offset, format!("refers to slab {slab}, but there are only {n}"))
        })?;
        if row.uses == MAX_USES {
            let message = format!(
                "refers to slab {slab} more than {MAX_USES} times, or slabs refer to each other in a cycle"
            );
            return Err(malformed(offset, message));
        }
        row.uses += 1;
        Ok(*row)
    }
}

/// The cells of a slab type, if it is not JSON, and the bytes per cell.
fn cells(kind: u32) -> Option<(Option<CellType>, usize)> {
    let (cells, width) = match kind {
        0 => (CellType::I8, 1),
        1 => (CellType::U8, 1),
        2 => (CellType::I16, 2),
        3 => (CellType::U16, 2),
        4 => (CellType::I32, 4),
        5 => (CellType::U32, 4),
        6 => (CellType::F32, 4),
        7 => (CellType::F64, 8),
        8 => (CellType::I64, 8),
        9 => (CellType::U64, 8),
        10 => return Some((None, 1)),
        _ => return None,
    };
    Some((Some(cells), width))
}

pub(super) fn malformed(at: usize, message: String) -> ReadError {
    ReadError::malformed(At::Byte(at as u64), message)
}
