//! A pprof file of rows, as a database answers them: the functions, files and lines of a stack, and its
//! value.

use super::pprof::Tables;
use super::sum::MergeError;
use crate::pprof_proto::{Sample, ValueType};

/// The rows that were added. What it keeps grows with the different stacks, not with the rows.
#[derive(Debug)]
pub struct Rows {
    tables: Tables,
    locations: Vec<u64>,
}

impl Rows {
    /// Without rows. Values count `metric` (`cpu`) in `unit` (`nanoseconds`).
    pub fn new(metric: &str, unit: &str) -> Self {
        let mut tables = Tables::default();
        let sample_type = ValueType { r#type: tables.string(metric), unit: tables.string(unit) };
        tables.file.sample_type.push(sample_type);
        Self { tables, locations: Vec::new() }
    }

    /// Adds the value of a stack, given root first as name, file and line of each frame. An empty file
    /// and line 0 mean "unknown". Values of equal stacks are added.
    ///
    /// # Errors
    /// A sum exceeds 64 bits.
    pub fn add<'a>(
        &mut self,
        stack: impl IntoIterator<Item = (&'a str, &'a str, u32)>,
        value: i64,
    ) -> Result<(), MergeError> {
        self.locations.clear();
        for (name, file, line) in stack {
            self.locations.push(self.tables.place(name, file, line));
        }
        self.locations.reverse();
        let location_id = std::mem::take(&mut self.locations);
        let sample = Sample { location_id, value: vec![value], label: Vec::new() };
        self.tables.add_sample(&sample)?;
        self.locations = sample.location_id;
        Ok(())
    }

    /// The file, compressed with gzip.
    pub fn finish(self) -> Vec<u8> {
        self.tables.finish()
    }
}
