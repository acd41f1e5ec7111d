//! `perf-PID.map`: functions that a just-in-time compiler generated, as it wrote them for perf
//! (Node.js with `--perf-basic-prof`, Python with `-X perf`, the JVM with perf-map-agent). Lines
//! are `START SIZE name`, both in hex. Addresses are those in memory, like the addresses of funcs
//! in the library of this name (`perf-1234.map`).

use std::collections::BTreeMap;

/// The functions of one process.
#[derive(Debug, Default)]
pub struct PerfMap<'a> {
    /// End and name by start. No two overlap.
    functions: BTreeMap<u64, (u64, &'a str)>,
}

impl<'a> PerfMap<'a> {
    /// Parses the text. Malformed lines are skipped, because the file may still be written to.
    pub fn parse(text: &'a str) -> Self {
        let mut map = Self::default();
        for (start, end, name) in text.lines().filter_map(function) {
            map.put(start, end, name);
        }
        map
    }

    /// Adds a function. Discarded code stays in the file, and its memory is used again: of the
    /// functions at an address, the last one is current.
    fn put(&mut self, start: u64, end: u64, name: &'a str) {
        while let Some((&old_start, &old)) = self.functions.range(..end).next_back()
            && old.0 > start
        {
            self.functions.remove(&old_start);
            if old.0 > end {
                self.functions.insert(end, old);
            }
            if old_start < start {
                self.functions.insert(old_start, (start, old.1));
            }
        }
        self.functions.insert(start, (end, name));
    }

    /// The name of the function that an address is in.
    pub fn name(&self, address: u64) -> Option<&'a str> {
        let (_, &(end, name)) = self.functions.range(..=address).next_back()?;
        (address < end).then_some(name)
    }
}

fn function(line: &str) -> Option<(u64, u64, &str)> {
    let (start, rest) = line.split_once(' ')?;
    let (size, name) = rest.split_once(' ')?;
    let number = |hex: &str| u64::from_str_radix(hex.strip_prefix("0x").unwrap_or(hex), 16).ok();
    let (start, name) = (number(start)?, name.trim());
    let end = start.checked_add(number(size)?).filter(|&end| end > start)?;
    (!name.is_empty()).then_some((start, end, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_last_function_at_an_address() {
        let map = PerfMap::parse(
            "3000 10 py::parse:/srv/app.py\n1000 20 LazyCompile:~old /srv/a.js:3:7\n0x1000 0x18 LazyCompile:*new /srv/a.js:3:7\n\
             what is this\n2000\n2000 zz x\n4000 8 \nffffffffffffffff 8 beyond\n3000 ",
        );
        let names = [0xfff, 0x1000, 0x1017, 0x1018, 0x1020, 0x300f, 0x3010, 0x4000]
            .map(|address| map.name(address));
        let (js, py) = (Some("LazyCompile:*new /srv/a.js:3:7"), Some("py::parse:/srv/app.py"));
        let old = Some("LazyCompile:~old /srv/a.js:3:7");
        assert_eq!(names, [None, js, js, old, None, py, None, None]);
    }

    #[test]
    fn new_code_replaces_old_code_in_its_range() {
        let names = |text: &'static str| {
            let map = PerfMap::parse(text);
            [0x1fff, 0x2000, 0x2015, 0x2050, 0x2100, 0x2180].map(|at| map.name(at).unwrap_or("-"))
        };
        assert_eq!(names("2010 10 old\n2000 100 new"), ["-", "new", "new", "new", "-", "-"]);
        assert_eq!(names("2000 100 old\n2010 10 new"), ["-", "old", "new", "old", "-", "-"]);
        let three = "1f00 110 a\n2010 8 b\n2018 200 c\n2000 100 new";
        assert_eq!(names(three), ["a", "new", "new", "new", "c", "c"]);
    }
}
