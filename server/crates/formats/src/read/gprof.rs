//! The profiles of programs built with `-pg` (`gmon.out`), which gprof shows.
//!
//! ```text
//! "gmon", version 1, 12 bytes            in the byte order of the machine
//! 0, low, high, bins, rate, "seconds", … a histogram: how often the program was at these addresses
//! 1, from, self, count                   calls of a function from an address
//! 2, blocks, (address, count)…           executions of blocks; not read
//! ```
//!
//! Addresses are as wide as those of the machine. Those of a position-independent program are relative to where
//! it was loaded. The file does not name the program: it is the one whose code has the size of the histogram.
//!
//! A bin is a few bytes long, and a tick is taken before an instruction that begins in it. So the last byte of
//! the bin belongs to such an instruction, unlike the first one. Several may begin in one bin, and the last one
//! has the tick.
//!
//! Calls are counted, not timed. What gprof states as the total of a function assumes that each call takes as
//! long as any other, so totals are unknown here.
//!
//! Sources: `gmon_out.h` and `profil-counter.h` of glibc, the manual of gprof, and files by glibc 2.36.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::line_table::LineTable;
use profile::{AddressBase, Lib, LineKnowledge, Metric, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How files begin, in both byte orders.
pub(crate) const MAGIC: [&[u8]; 2] = [b"gmon\x01\0\0\0", b"gmon\0\0\0\x01"];

/// The bytes before the first record.
const HEADER: usize = 20;
/// What a bin counts. Its place shows how wide addresses are.
const DIMENSION: &[u8] = b"seconds";
/// The bytes for the name of the dimension and its abbreviation.
const NAMES: usize = 16;
/// The name of the program in lists.
const PROGRAM: &str = "(program)";

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut file = File::new(bytes)?;
    let mut profile = Profile::default();
    let mut warnings = Warnings::default();
    while !file.is_at_end() {
        let at = file.at as u64;
        if file.record(&mut profile)?.is_none() {
            warnings.add(WarningCode::Truncated, || {
                format!("the file is cut at byte {at}; the rest is missing")
            });
            break;
        }
    }
    let Some(rate) = profile.rate else {
        return Err(ReadError::truncated(At::Byte(HEADER as u64), "the file has no histogram"));
    };
    let metric = Metric::new("samples", "samples", Some(1.0 / f64::from(rate)));
    let mut table = LineTable::new(vec![metric], LineKnowledge::SelfOnly);
    for (range, bins) in &profile.histograms {
        let lib = table.add_lib(range.program())?;
        for (bin, &ticks) in (0..).zip(bins).filter(|(_, ticks)| **ticks != 0) {
            let func = table.add_address(lib, range.last_of(bin, bins.len() as u64))?;
            table.add_own(func, 0, &[ticks as f64]);
        }
    }
    // Calls are in the first code of the program; other code is in memory that only embedded systems have.
    if let Some(range) = profile.histograms.keys().next() {
        let lib = table.add_lib(range.program())?;
        let called = profile.calls.iter();
        for (address, &count) in called.filter(|(address, _)| range.contains(**address)) {
            let func = table.add_address(lib, address - range.low)?;
            table.add_calls(func, count);
        }
    }
    Ok(Read::new(Format::Gprof, table.finish()?, warnings))
}

/// What a file holds.
#[derive(Default)]
struct Profile {
    /// Ticks per second.
    rate: Option<u32>,
    /// The ticks of each bin.
    histograms: BTreeMap<Range, Vec<u64>>,
    /// How often the function at an address was called.
    calls: FxHashMap<u64, u64>,
}

/// The addresses of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    low: u64,
    high: u64,
}

impl Range {
    fn program(self) -> Lib {
        Lib {
            name: PROGRAM.to_owned(),
            addresses: AddressBase::Image,
            text_size: self.high - self.low,
            ..Lib::default()
        }
    }

    fn contains(self, address: u64) -> bool {
        (self.low..self.high).contains(&address)
    }

    /// The last address of a bin, relative to the start of the range. glibc counts addresses in pairs, with the
    /// number of bins as a fraction of 2^16.
    fn last_of(self, bin: u64, n_bins: u64) -> u64 {
        let scale = (((n_bins * 2) << 16) / (self.high - self.low)).clamp(1, 1 << 16);
        (2 * ((bin + 1) << 16).div_ceil(scale)).min(self.high - self.low) - 1
    }
}

/// A file, read up to `at`.
struct File<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big_endian: bool,
    /// The bytes of an address.
    width: usize,
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let is_histogram_of = |width: &usize| {
            let dimension = bytes.get(HEADER + 1 + 2 * width + 8..);
            dimension.is_some_and(|dimension| dimension.starts_with(DIMENSION))
        };
        let Some(width) = [8, 4].into_iter().find(is_histogram_of) else {
            let message = "the file does not begin with a histogram of seconds";
            return Err(ReadError::malformed(At::Byte(HEADER as u64), message));
        };
        Ok(Self { bytes, at: HEADER, is_big_endian: bytes.starts_with(MAGIC[1]), width })
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Adds the next record to `profile`. `None` if the file is cut within it.
    fn record(&mut self, profile: &mut Profile) -> Result<Option<()>, ReadError> {
        let start = self.at as u64;
        let malformed = |message: String| Err(ReadError::malformed(At::Byte(start), message));
        match self.take(1) {
            Some([0]) => {
                let Some((range, rate, bins)) = self.histogram() else { return Ok(None) };
                if range.low >= range.high || bins.is_empty() || rate == 0 {
                    return malformed("the histogram has no addresses, bins or rate".to_owned());
                }
                profile.rate.get_or_insert(rate);
                let known = profile.histograms.entry(range).or_default();
                known.resize(known.len().max(bins.len()), 0);
                for (known, ticks) in known.iter_mut().zip(bins) {
                    *known += ticks;
                }
                Ok(Some(()))
            }
            Some([1]) => Ok(self.call().map(|(function, count)| {
                let known = profile.calls.entry(function).or_default();
                *known = known.saturating_add(count);
            })),
            Some([2]) => Ok(self.blocks()),
            Some([kind]) => malformed(format!("a record has the unknown kind {kind}")),
            _ => Ok(None),
        }
    }

    fn histogram(&mut self) -> Option<(Range, u32, Vec<u64>)> {
        let range = Range { low: self.address()?, high: self.address()? };
        let n_bins = self.number(4)? as usize;
        let rate = self.number(4)? as u32;
        self.take(NAMES)?;
        let bins = self.take(n_bins.checked_mul(2)?)?;
        let bins = bins.chunks_exact(2).map(|bin| self.decoded(bin)).collect();
        Some((range, rate, bins))
    }

    /// The function that is called, and how often.
    fn call(&mut self) -> Option<(u64, u64)> {
        self.address()?;
        Some((self.address()?, self.number(4)?))
    }

    fn blocks(&mut self) -> Option<()> {
        let n = self.number(4)? as usize;
        self.take(n.checked_mul(2 * self.width)?).map(|_| ())
    }

    fn address(&mut self) -> Option<u64> {
        self.number(self.width)
    }

    fn number(&mut self, width: usize) -> Option<u64> {
        let bytes = self.take(width)?;
        Some(self.decoded(bytes))
    }

    fn decoded(&self, bytes: &[u8]) -> u64 {
        let with = |number, &byte: &u8| number << 8 | u64::from(byte);
        if self.is_big_endian {
            bytes.iter().fold(0, with)
        } else {
            bytes.iter().rev().fold(0, with)
        }
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..)?.get(..n)?;
        self.at += n;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::GraphAccess;

    /// A histogram of 16 bytes of code from 0x400000 in four bins, and two callers of one function.
    fn file(is_big_endian: bool, width: usize) -> Vec<u8> {
        let number = |number: u64, width: usize| {
            let bytes = number.to_be_bytes()[8 - width..].to_vec();
            if is_big_endian { bytes } else { bytes.into_iter().rev().collect() }
        };
        let mut file = b"gmon".to_vec();
        file.extend(number(1, 4));
        file.extend([0; 12]);
        file.push(0);
        file.extend([number(0x400_000, width), number(0x400_010, width)].concat());
        file.extend([number(4, 4), number(100, 4)].concat());
        file.extend(b"seconds\0\0\0\0\0\0\0\0s");
        file.extend([0, 7, 0, 258].map(|ticks| number(ticks, 2)).concat());
        for (from, count) in [(0x400_001, 40), (0x400_009, 2)] {
            file.push(1);
            file.extend([number(from, width), number(0x400_004, width), number(count, 4)].concat());
        }
        file
    }

    /// The ticks and the calls by address.
    type Rows = (Vec<(String, f64)>, Vec<(String, u64)>);

    fn rows(read: &Read) -> Rows {
        let graph = read.recording.summed().unwrap().tables();
        let name = |func| graph.symbols.func_name(func).to_owned();
        let own = graph.own.iter().map(|own| (name(own.func), own.weights[0]));
        let calls = graph.totals.iter().filter_map(|it| Some((name(it.func), it.calls?)));
        (own.collect(), calls.collect())
    }

    fn codes(read: &Read) -> Vec<WarningCode> {
        read.warnings.as_slice().iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn bins_are_addresses_and_calls_are_counted_in_any_byte_order_and_width() {
        for (is_big_endian, width) in [(false, 8), (false, 4), (true, 8), (true, 4)] {
            let read = read(&file(is_big_endian, width)).unwrap();
            let (own, calls) = rows(&read);
            // The last bytes of the second and of the fourth bin.
            assert_eq!(own, [("0x7".to_owned(), 7.0), ("0xf".to_owned(), 258.0)]);
            assert_eq!(calls, [("0x4".to_owned(), 42)]);
            assert_eq!(read.recording.metrics()[0].seconds_per_unit, Some(0.01));
            assert_eq!(read.recording.symbols().libs[0].text_size, 16);
            assert!(read.recording.is_line_table() && codes(&read).is_empty());
        }
    }

    /// 2904 bins for 11608 bytes: 2904 * 2 / 11608 * 65536 is 32790.6, so 65536 / 32790 = 1.99866 pairs a bin.
    #[test]
    fn bins_that_are_no_whole_number_of_bytes_end_where_glibc_counts_them() {
        let range = Range { low: 0x400_000, high: 0x402_d58 };
        let last = [0, 1, 748, 749, 2903].map(|bin| range.last_of(bin, 2904));
        // 749 * 1.99866 is 1496.998 pairs, and 750 * 1.99866 is 1498.996.
        assert_eq!(last, [3, 7, 2993, 2997, 11_607]);
    }

    #[test]
    fn histograms_of_one_range_add_up() {
        let one = file(false, 8);
        let record = one[HEADER..].to_vec();
        let (own, calls) = rows(&read(&[one, record].concat()).unwrap());
        assert_eq!((own[1].1, calls[0].1), (516.0, 84));
    }

    #[test]
    fn a_file_that_is_cut_keeps_its_whole_records() {
        let whole = file(false, 8);
        let cut = read(&whole[..whole.len() - 1]).unwrap();
        assert_eq!(rows(&cut).1, [("0x4".to_owned(), 40)]);
        assert_eq!(codes(&cut), [WarningCode::Truncated]);
        let error = read(&whole[..HEADER + 48]).unwrap_err();
        assert_eq!(error.message, "the file has no histogram");
        assert!(read(&whole[..HEADER]).is_err());
    }

    #[test]
    fn blocks_are_skipped_and_unknown_records_are_refused() {
        let mut with_blocks = file(false, 8);
        with_blocks.extend([2, 1, 0, 0, 0]);
        with_blocks.extend([9; 16]);
        assert_eq!(rows(&read(&with_blocks).unwrap()), rows(&read(&file(false, 8)).unwrap()));
        with_blocks.push(3);
        let error = read(&with_blocks).unwrap_err();
        assert_eq!(error.message, "a record has the unknown kind 3");
    }
}
