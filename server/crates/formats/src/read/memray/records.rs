//! The header and the records of a file.
//!
//! Numbers of 4 and 8 bytes have the lowest byte first; others have seven bits a byte. Addresses, lines and some numbers
//! of frames are differences to the one before. Since version 12, an address may also be one of the last fifteen, and
//! frames have a code object and an instruction. Before, they have a line.
//!
//! Source: `records.h`, `record_reader.cpp` and `hooks.h` of memray 1.10, 1.18, 1.19 and 1.20.

use std::ops::RangeInclusive;

/// What a file begins with.
pub(crate) const MAGIC: &[u8] = b"memray\0";

/// The versions that are read: memray 1.8 to 1.20.
pub(super) const VERSIONS: RangeInclusive<u32> = 10..=13;
/// The first version in which frames have code objects.
const WITH_CODE: u32 = 12;

/// Bytes that are being read. Nothing is consumed if a record is incomplete: it is read again with more bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.byte()?);
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Some(value)
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.0)?;
        let text = self.take(end)?;
        self.byte()?;
        Some(text)
    }
}

/// What is needed of a header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u32,
    /// As in `sys.hexversion`.
    pub(super) python: u32,
    pub(super) has_native: bool,
    pub(super) is_aggregated: bool,
    pub(super) main_thread: u64,
    /// How many outermost frames of the main thread are memray's own.
    pub(super) n_skipped: u64,
}

impl Header {
    /// `None` if it is incomplete. Of another version, only the version is known.
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Option<Self> {
        bytes.take(MAGIC.len())?;
        let version = bytes.u32()?;
        if !VERSIONS.contains(&version) {
            return Some(Self { version, ..Self::default() });
        }
        let python = if version < WITH_CODE { 0 } else { bytes.u32()? };
        let (has_native, form) = (bytes.byte()? != 0, bytes.byte()?);
        // Counts and times.
        bytes.take(32)?;
        let _command_line = bytes.text()?;
        let _pid = bytes.u32()?;
        let (main_thread, n_skipped) = (bytes.u64()?, bytes.u64()?);
        let _allocators_and_objects = bytes.take(match version {
            10 => 1,
            11 => 2,
            _ => 3,
        })?;
        if version >= 13 {
            let _standard_library = bytes.text()?;
            for _paths in 0..2 {
                while !bytes.text()?.is_empty() {}
            }
        }
        let is_aggregated = form == 1;
        Some(Self { version, python, has_native, is_aggregated, main_thread, n_skipped })
    }
}

/// Values that the next ones are differences to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    address: u64,
    /// The first line of a code object, or the line of a frame.
    line: i64,
    frame: u64,
    recent: [u64; 15],
}

/// What happens to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Allocated,
    Freed,
    /// A part of an address space, by `mmap`. `munmap` may free parts of it.
    Mapped,
    Unmapped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// The end of a recording, or of what was written of it.
    End {
        is_complete: bool,
    },
    Switch {
        thread: u64,
    },
    Thread {
        name: &'a [u8],
    },
    Code {
        id: u64,
        name: &'a [u8],
        file: &'a [u8],
        first_line: i64,
        line_table: &'a [u8],
    },
    Push {
        code: u64,
        instruction: i64,
    },
    Pop {
        count: usize,
    },
    Memory {
        change: Change,
        address: u64,
        size: u64,
    },
    /// A code object with one line, and a frame with the same number: what older versions have instead of both.
    Line {
        number: u64,
        name: &'a [u8],
        file: &'a [u8],
        line: i64,
    },
    /// A frame, which stacks refer to by number.
    Frame {
        number: u64,
        code: u64,
        instruction: i64,
    },
    /// A frame and the stack below it, which has the number of an earlier one.
    Stack {
        frame: u64,
        below: u64,
    },
    Aggregated {
        thread: u64,
        stack: u64,
        at_peak: [u64; 2],
        leaked: [u64; 2],
    },
    /// What costs do not need.
    Other,
    Unknown,
}

impl Last {
    /// The next record. `None` if it is incomplete.
    pub(super) fn record<'a>(
        &mut self,
        bytes: &mut Bytes<'a>,
        header: &Header,
    ) -> Option<Record<'a>> {
        let has_code = header.version >= WITH_CODE;
        if !has_code && !header.is_aggregated {
            return self.older_record(bytes);
        }
        let kind = bytes.byte()?;
        if header.is_aggregated {
            match kind {
                3 if !has_code => {
                    return Some(Record::Stack { frame: bytes.u64()?, below: bytes.u32()?.into() });
                }
                4 if !has_code => {
                    let (number, name, file) = (bytes.u64()?, bytes.text()?, bytes.text()?);
                    let (line, _is_entry) = (bytes.u32()?, bytes.byte()?);
                    return Some(Record::Line { number, name, file, line: line.into() });
                }
                1 => return bytes.take(24).map(|_| Record::Other),
                2 => return aggregated(bytes),
                3 => {
                    return Some(Record::Stack { frame: bytes.varint()?, below: bytes.varint()? });
                }
                4 => {
                    let (number, code) = (bytes.varint()?, bytes.varint()?);
                    let (instruction, _is_entry) = (bytes.signed()?, bytes.byte()?);
                    return Some(Record::Frame { number, code, instruction });
                }
                13 => {
                    bytes.varint()?;
                    if header.has_native {
                        bytes.varint()?;
                    }
                    return Some(Record::Other);
                }
                15 => return Some(Record::End { is_complete: true }),
                5..=12 | 14 => {}
                _ => return Some(Record::Unknown),
            }
        }
        Some(match kind {
            // Files grow by zeros.
            0 => Record::End { is_complete: false },
            1 => Record::End { is_complete: true },
            2 => {
                bytes.varint()?;
                bytes.varint()?;
                Record::Other
            }
            5..=8 => native(kind, bytes)?,
            10 => Record::Thread { name: bytes.text()? },
            12 => Record::Switch { thread: bytes.u64()? },
            14 => {
                let (id, name, file) = (bytes.varint()?, bytes.text()?, bytes.text()?);
                self.line = self.line.wrapping_add(bytes.signed()?);
                let length = usize::try_from(bytes.varint()?).ok()?;
                let line_table = bytes.take(length)?;
                Record::Code { id, name, file, first_line: self.line, line_table }
            }
            16..=31 => Record::Pop { count: usize::from(kind - 16) + 1 },
            32..=63 => {
                self.address(bytes, kind >> 1 & 15)?;
                if header.has_native && kind & 1 == 1 {
                    bytes.signed()?;
                }
                Record::Other
            }
            64..=127 => Record::Push { code: bytes.varint()?, instruction: bytes.signed()? },
            128.. => {
                let address = self.address(bytes, kind >> 3 & 15)?;
                let allocator = match kind & 7 {
                    0 => bytes.byte()?,
                    allocator => allocator,
                };
                let change = match allocator {
                    // `free`, and that of Python's own allocator.
                    1 | 5 => Change::Freed,
                    14 => Change::Mapped,
                    15 => Change::Unmapped,
                    2..=13 => Change::Allocated,
                    _ => return Some(Record::Unknown),
                };
                if header.has_native && change != Change::Freed {
                    bytes.signed()?;
                }
                let size = if change == Change::Freed { 0 } else { bytes.varint()? };
                Record::Memory { change, address, size }
            }
            _ => Record::Unknown,
        })
    }

    /// The next record of a file in versions 10 and 11: four bits are its kind, four more belong to it.
    fn older_record<'a>(&mut self, bytes: &mut Bytes<'a>) -> Option<Record<'a>> {
        let byte = bytes.byte()?;
        let (kind, own) = (byte & 15, byte >> 4);
        Some(match kind {
            0 => match own {
                0 => Record::End { is_complete: false },
                1 => Record::End { is_complete: true },
                _ => Record::Unknown,
            },
            1 | 2 => {
                self.address = self.address.wrapping_add_signed(bytes.signed()?);
                let change = match own {
                    2 | 15 => Change::Freed,
                    10 => Change::Mapped,
                    11 => Change::Unmapped,
                    0 => return Some(Record::Unknown),
                    _ => Change::Allocated,
                };
                // With a native stack, everything has a size.
                let has_size = kind == 2 || change != Change::Freed;
                let size = if has_size { bytes.varint()? } else { 0 };
                if kind == 2 {
                    bytes.signed()?;
                }
                Record::Memory { change, address: self.address, size }
            }
            3 => {
                let number = self.frame(bytes)?;
                let (name, file) = (bytes.text()?, bytes.text()?);
                self.line = self.line.wrapping_add(bytes.signed()?);
                Record::Line { number, name, file, line: self.line }
            }
            4 => Record::Push { code: self.frame(bytes)?, instruction: 0 },
            5..=8 => native(kind, bytes)?,
            9 => Record::Pop { count: usize::from(own) + 1 },
            10 => Record::Thread { name: bytes.text()? },
            11 => {
                bytes.varint()?;
                bytes.varint()?;
                Record::Other
            }
            12 => Record::Switch { thread: bytes.u64()? },
            _ => Record::Unknown,
        })
    }

    fn frame(&mut self, bytes: &mut Bytes<'_>) -> Option<u64> {
        self.frame = self.frame.wrapping_add_signed(bytes.signed()?);
        Some(self.frame)
    }

    fn address(&mut self, bytes: &mut Bytes<'_>, recent: u8) -> Option<u64> {
        if let Some(&known) = self.recent.get(usize::from(recent)) {
            return Some(known);
        }
        self.address = self.address.wrapping_add_signed(bytes.signed()?);
        self.recent.rotate_right(1);
        self.recent[0] = self.address << 3;
        Some(self.recent[0])
    }
}

/// Skips a native frame, or a part of the map of memory.
fn native<'a>(kind: u8, bytes: &mut Bytes<'a>) -> Option<Record<'a>> {
    match kind {
        5 => {
            bytes.signed()?;
            bytes.signed()?;
        }
        6 => {}
        7 => {
            bytes.text()?;
            bytes.varint()?;
            bytes.take(8)?;
        }
        _ => {
            bytes.take(8)?;
            bytes.varint()?;
        }
    }
    Some(Record::Other)
}

/// A structure of C, with its alignment.
fn aggregated<'a>(bytes: &mut Bytes<'a>) -> Option<Record<'a>> {
    let (thread, _allocator, _native, stack, _generation) =
        (bytes.u64()?, bytes.u64()?, bytes.u64()?, bytes.u64()?, bytes.u64()?);
    let (n_at_peak, n_leaked) = (bytes.u64()?, bytes.u64()?);
    let (at_peak, leaked) = (bytes.u64()?, bytes.u64()?);
    Some(Record::Aggregated {
        thread,
        stack,
        at_peak: [at_peak, n_at_peak],
        leaked: [leaked, n_leaked],
    })
}
