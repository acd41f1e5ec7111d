//! The line tables of CPython's code objects.
//!
//! Sources: `Objects/locations.md` of CPython 3.11 for the newest form, `Objects/lnotab_notes.txt` of 3.10 for the
//! others.

/// The line (1-based) of an instruction, which is an offset as memray records it: in bytes since 3.11, in words in
/// 3.10, in bytes before. 0 if it has none. `python` is the version as in `sys.hexversion`.
pub(super) fn line(python: u32, table: &[u8], first_line: i64, instruction: i64) -> u32 {
    let Ok(instruction) = u64::try_from(instruction) else { return 0 };
    let line = match python {
        _ if table.is_empty() => Some(first_line),
        0x030b_0000.. => locations(table, first_line, instruction / 2),
        0x030a_0000.. => Some(pairs(table, first_line, instruction << 1)),
        _ => Some(pairs_before(table, first_line, instruction)),
    };
    line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
}

/// Entries of code units with a line, each as a byte with its kind and length, and what the kind has.
fn locations(table: &[u8], first_line: i64, unit: u64) -> Option<i64> {
    let (mut bytes, mut line, mut end) = (table.iter().copied(), first_line, 0);
    while let Some(first) = bytes.next() {
        end += u64::from(first & 7) + 1;
        let kind = first >> 3 & 15;
        match kind {
            // No location.
            15 => {}
            // Line, end line and columns.
            14 => {
                line += signed(&mut bytes)?;
                for _ in 0..3 {
                    varint(&mut bytes)?;
                }
            }
            13 => line += signed(&mut bytes)?,
            10..=12 => {
                line += i64::from(kind - 10);
                bytes.nth(1)?;
            }
            _ => {
                bytes.next()?;
            }
        }
        if unit < end {
            return (kind != 15).then_some(line);
        }
    }
    None
}

/// Six bits a byte, lowest first.
fn varint(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes.next()?;
        value |= i64::from(byte & 63).checked_shl(shift)?;
        shift += 6;
        if byte & 64 == 0 {
            return Some(value);
        }
    }
}

fn signed(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let value = varint(bytes)?;
    Some(if value & 1 == 1 { -(value >> 1) } else { value >> 1 })
}

/// Pairs of bytes: how many bytes of code, and by how much their line is greater than the one before.
fn pairs(table: &[u8], first_line: i64, instruction: u64) -> i64 {
    let (mut line, mut end) = (first_line, 0);
    for pair in table.chunks_exact(2) {
        end += u64::from(pair[0]);
        // -128 is no line.
        let delta = i64::from(pair[1].cast_signed());
        line += if delta == -128 { 0 } else { delta };
        if end > instruction {
            break;
        }
    }
    line
}

/// Pairs of bytes: how many bytes of code come before a line, and by how much it is greater.
fn pairs_before(table: &[u8], first_line: i64, instruction: u64) -> i64 {
    let (mut line, mut start) = (first_line, 0);
    for pair in table.chunks_exact(2) {
        start += u64::from(pair[0]);
        if start > instruction {
            break;
        }
        line += i64::from(pair[1].cast_signed());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `co_linetable` and `co_lnotab` of `def f(a):\n  b = a\n\n  return b`, compiled by each version.
    #[test]
    fn each_version_has_its_table() {
        // RESUME; LOAD_FAST, STORE_FAST; LOAD_FAST, RETURN_VALUE: two bytes each.
        let new = [0x80, 0x00, 0xd8, 0x06, 0x07, 0x80, 0x21, 0xe0, 0x09, 0x0a, 0x80, 0x28];
        let lines = [0, 2, 4, 6, 8].map(|at| line(0x030b_07f0, &new, 1, at));
        assert_eq!(lines, [1, 2, 2, 4, 4]);
        // 4 bytes on line 2, 4 on line 4.
        let (ten, nine) = ([4, 1, 4, 2], [0, 1, 4, 2]);
        assert_eq!([0, 1, 2, 3].map(|at| line(0x030a_0000, &ten, 1, at)), [2, 2, 4, 4]);
        assert_eq!([0, 2, 4, 6].map(|at| line(0x0308_0000, &nine, 1, at)), [2, 2, 4, 4]);
        assert_eq!(line(0x030b_0000, &[], 7, 4), 7);
        assert_eq!(line(0x030b_0000, &new, 7, -1), 0);
        assert_eq!(line(0x030b_0000, &[0xf8], 7, 0), 0, "no location");
        assert_eq!(line(0x030b_0000, &[0xf0, 0x42], 7, 0), 0, "cut");
    }
}
