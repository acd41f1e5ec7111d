//! Samples that were lost while recording, because the buffer between kernel and perf was full.
//!
//! Two kinds of records count them. The kernel writes `PERF_RECORD_LOST` (id, number) into the
//! buffer once there is room again; its number includes records that are not samples. At the end of
//! the recording, perf 6.1 and newer asks for the same losses by event and writes them as
//! `PERF_RECORD_LOST_SAMPLES` (number), without a time. The sum of both would count them twice.
//!
//! `PERF_RECORD_LOST_SAMPLES` with a time is by the kernel: samples that the processor took and the
//! kernel could not use (PEBS). With `PERF_RECORD_MISC_LOST_SAMPLES_BPF`, they were left out as a
//! filter said.

use super::words::Words;

/// `PERF_RECORD_LOST`
pub(super) const LOST: u32 = 2;
/// `PERF_RECORD_LOST_SAMPLES`
pub(super) const LOST_SAMPLES: u32 = 13;
/// `PERF_RECORD_MISC_LOST_SAMPLES_BPF`
const FILTERED: u16 = 1 << 15;

/// The numbers of lost samples by what counted them. They end at the largest number of 64 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lost {
    /// `PERF_RECORD_LOST`
    in_buffer: u64,
    /// `PERF_RECORD_LOST_SAMPLES` by perf.
    at_end: u64,
    /// `PERF_RECORD_LOST_SAMPLES` by the kernel.
    unused: u64,
}

impl Lost {
    /// Counts a record, if it is one of lost samples; `time` is 0 or absent if perf wrote it. `None`
    /// if the record is malformed.
    pub(super) fn add(
        &mut self,
        kind: u32,
        misc: u16,
        time: Option<u64>,
        mut body: Words<'_>,
    ) -> Option<()> {
        let sum = match kind {
            LOST => {
                let _id = body.u64()?;
                &mut self.in_buffer
            }
            LOST_SAMPLES if misc & FILTERED != 0 => return Some(()),
            LOST_SAMPLES if time.is_none_or(|time| time == 0) => &mut self.at_end,
            LOST_SAMPLES => &mut self.unused,
            _ => return Some(()),
        };
        *sum = sum.saturating_add(body.u64()?);
        Some(())
    }

    /// The number of lost samples.
    pub(super) fn samples(self) -> u64 {
        self.in_buffer.max(self.at_end).saturating_add(self.unused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `PERF_RECORD_SAMPLE`
    const SAMPLE: u32 = 9;

    /// The number of lost samples after records of type, flags, time and number.
    fn samples(records: &[(u32, u16, Option<u64>, u64)]) -> u64 {
        let mut lost = Lost::default();
        for &(kind, misc, time, n) in records {
            let id: &[u64] = if kind == LOST { &[7] } else { &[] };
            let body: Vec<u8> =
                [id, &[n]].concat().into_iter().flat_map(u64::to_le_bytes).collect();
            assert_eq!(lost.add(kind, misc, time, Words::new(&body, false)), Some(()));
        }
        lost.samples()
    }

    #[test]
    fn no_sample_is_counted_twice() {
        assert_eq!(samples(&[]), 0);
        assert_eq!(samples(&[(SAMPLE, 0, Some(1), 9)]), 0);
        // Before perf 6.1, there is only what the kernel wrote.
        let [first, second] = [(LOST, 0, Some(1), 20), (LOST, 0, Some(2), 30)];
        assert_eq!(samples(&[first, second]), 50);
        // perf also knows what was lost after the last record.
        let at_end = (LOST_SAMPLES, 0, Some(0), 60);
        assert_eq!(samples(&[first, second, at_end]), 60);
        let without_time = (LOST_SAMPLES, 0, None, 60);
        assert_eq!(samples(&[first, second, without_time]), 60);
        // What the processor lost is not in the other two.
        let unused = (LOST_SAMPLES, 0, Some(3), 5);
        assert_eq!(samples(&[first, unused, second, at_end]), 65);
        assert_eq!(samples(&[first, (LOST_SAMPLES, FILTERED, Some(3), 5)]), 20);
        let most = (LOST, 0, Some(1), u64::MAX);
        assert_eq!(samples(&[most, most, unused]), u64::MAX);
    }

    #[test]
    fn short_records_are_malformed() {
        for (kind, size) in [(LOST, 15), (LOST_SAMPLES, 7)] {
            let mut lost = Lost::default();
            assert_eq!(lost.add(kind, 0, None, Words::new(&[1; 15][..size], false)), None);
            assert_eq!(lost.samples(), 0);
        }
    }
}
