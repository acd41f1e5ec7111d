//! `perf-PID.map`: functions that a just-in-time compiler generated, as it wrote them for perf
//! (Node.js with `--perf-basic-prof`, Python with `-X perf`, the JVM with perf-map-agent). Lines
//! are `START SIZE name`, both in hex. Addresses are those in memory, like the addresses of funcs
//! in the library of this name (`perf-1234.map`).

/// The functions of one process.
#[derive(Debug, Default)]
pub struct PerfMap<'a> {
    /// Start, end and name, by start.
    functions: Vec<(u64, u64, &'a str)>,
}

impl<'a> PerfMap<'a> {
    /// Parses the text. Malformed lines are skipped, because the file may still be written to.
    pub fn parse(text: &'a str) -> Self {
        let mut functions: Vec<_> = text.lines().filter_map(function).collect();
        // Discarded code stays in the file. Of functions at one address the last one is current.
        functions.reverse();
        functions.sort_by_key(|&(start, _, _)| start);
        functions.dedup_by_key(|&mut (start, _, _)| start);
        Self { functions }
    }

    /// The name of the function that an address is in.
    pub fn name(&self, address: u64) -> Option<&'a str> {
        let next = self.functions.partition_point(|&(start, _, _)| start <= address);
        let &(_, end, name) = self.functions.get(next.checked_sub(1)?)?;
        (address < end).then_some(name)
    }
}

fn function(line: &str) -> Option<(u64, u64, &str)> {
    let (start, rest) = line.split_once(' ')?;
    let (size, name) = rest.split_once(' ')?;
    let number = |hex: &str| u64::from_str_radix(hex.strip_prefix("0x").unwrap_or(hex), 16).ok();
    let (start, name) = (number(start)?, name.trim());
    (!name.is_empty()).then_some((start, start.checked_add(number(size)?)?, name))
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
        let names = [0xfff, 0x1000, 0x1017, 0x1018, 0x300f, 0x3010, 0x4000]
            .map(|address| map.name(address));
        let (js, py) = (Some("LazyCompile:*new /srv/a.js:3:7"), Some("py::parse:/srv/app.py"));
        assert_eq!(names, [None, js, js, None, py, None, None]);
    }
}
