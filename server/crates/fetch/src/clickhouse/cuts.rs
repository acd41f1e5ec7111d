//! Cuts that the database makes, so that less is sent. The weight of what is left out is not lost: it
//! stays at the caller, or is in the function [`CUT`].

use super::rows::{CUT, Row, Stack, Stacks, Whole};
use formats::merge::Cuts;
use std::collections::HashMap;

/// The columns of a query.
pub(super) enum Shape {
    /// `stack` as one text.
    Text,
    /// `stack` as an array.
    Frames,
    /// `functions`, and whether there are `files` and `lines`.
    Functions(bool),
}

impl Shape {
    pub(super) fn of(columns: &[(String, String)]) -> Option<Self> {
        let kind = |name: &str| {
            columns.iter().find(|(column, _)| column == name).map(|(_, kind)| kind.as_str())
        };
        kind("value")?;
        match (kind("stack"), kind("functions")) {
            (Some(kind), _) if kind.starts_with("Array") => Some(Self::Frames),
            (Some(_), _) => Some(Self::Text),
            (None, Some(_)) => Some(Self::Functions(kind("files").and(kind("lines")).is_some())),
            (None, None) => None,
        }
    }

    /// The names of the columns of an answer.
    fn columns(&self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::Frames => &["stack"],
            Self::Functions(false) => &["functions"],
            Self::Functions(true) => &["functions", "files", "lines"],
        }
    }

    /// The query with frames as arrays `c0`, `c1` …, of at most so many frames, and values `v`.
    fn arrays(&self, sql: &str, max_depth: Option<u32>) -> String {
        let columns: Vec<String> = self
            .columns()
            .iter()
            .enumerate()
            .map(|(i, column)| {
                let array = match self {
                    Self::Text => format!("splitByChar(';', {column})"),
                    Self::Frames | Self::Functions(_) => (*column).to_owned(),
                };
                match max_depth {
                    Some(n) => format!("arraySlice({array}, 1, {n}) AS c{i}"),
                    None => format!("{array} AS c{i}"),
                }
            })
            .collect();
        format!("SELECT {}, toInt64(value) AS v FROM ({sql})", columns.join(", "))
    }

    pub(super) fn total(&self, sql: &str) -> String {
        format!("SELECT sum(v) AS value FROM ({})", self.arrays(sql, None))
    }

    /// The query for what remains. With a share, its rows are the calls that cost at least that much of
    /// the total; otherwise stacks, the most expensive first. Both say how many of their frames the
    /// depth left out.
    pub(super) fn cut(&self, sql: &str, cuts: &Cuts, total: i64) -> String {
        let arrays = self.arrays(sql, None);
        let n = self.columns().len();
        let list = |text: &dyn Fn(usize) -> String| -> String {
            (0..n).map(text).collect::<Vec<_>>().join(", ")
        };
        let out = list(&|i| format!("d{i} AS {}", self.columns()[i]));
        let groups = list(&|i| format!("d{i}"));
        let deepest = cuts.max_depth.map(|depth| depth.to_string());
        if let Some(percent) = cuts.min_percent {
            let least = (total as f64 * percent / 100.0).ceil() as i64;
            let slices = list(&|i| format!("arraySlice(c{i}, 1, i) AS d{i}"));
            let shallow = deepest.map_or_else(String::new, |depth| format!(" WHERE i <= {depth}"));
            return format!(
                "SELECT {out}, total, own AS self FROM (SELECT {groups}, sum(v) AS total, \
                 sum(if(i = n, v, 0)) AS own FROM (SELECT {slices}, v, i, length(c0) AS n \
                 FROM ({arrays}) ARRAY JOIN arrayEnumerate(c0) AS i{shallow}) GROUP BY {groups}) \
                 WHERE total >= {least}"
            );
        }
        let slices = list(&|i| match &deepest {
            Some(depth) => format!("arraySlice(c{i}, 1, {depth}) AS d{i}"),
            None => format!("c{i} AS d{i}"),
        });
        let is_whole =
            deepest.map_or_else(|| "1".to_owned(), |depth| format!("length(c0) <= {depth}"));
        let most = cuts
            .max_stacks
            .map_or_else(String::new, |n| format!(" ORDER BY total DESC, {groups} LIMIT {n}"));
        format!(
            "SELECT {out}, total, own AS self FROM (SELECT {groups}, sum(v) AS total, \
             sum(if(whole, v, 0)) AS own FROM (SELECT {slices}, v, {is_whole} AS whole FROM ({arrays})) \
             GROUP BY {groups}{most})"
        )
    }
}

/// The frames of a call path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Path {
    Texts(Vec<String>),
    Places(Vec<(String, String, i64)>),
}

impl Path {
    fn caller(&self) -> Self {
        match self {
            Self::Texts(frames) => {
                Self::Texts(frames.split_last().map_or(&[][..], |it| it.1).to_vec())
            }
            Self::Places(frames) => {
                Self::Places(frames.split_last().map_or(&[][..], |it| it.1).to_vec())
            }
        }
    }

    fn is_root(&self) -> bool {
        match self {
            Self::Texts(frames) => frames.is_empty(),
            Self::Places(frames) => frames.is_empty(),
        }
    }
}

/// The rows of a cut query. Whatever the database answers, sums of numbers with 64 bits fit into 128.
pub(super) struct Cut {
    total: i128,
    /// The total and the self cost of each path.
    paths: HashMap<Path, (i128, i128)>,
}

impl Cut {
    pub(super) fn new(total: i64) -> Self {
        Self { total: total.into(), paths: HashMap::new() }
    }

    pub(super) fn add(&mut self, row: Row) -> Result<(), String> {
        let Row { stack, functions, files, lines, total, own, .. } = row;
        let (Some(Whole(total)), Some(Whole(own))) = (total, own) else {
            return Err("a row has no total".to_owned());
        };
        let path = match (stack, functions) {
            (Some(Stack::Frames(frames)), _) => Path::Texts(frames),
            (Some(Stack::Text(text)), _) => Path::Texts(vec![text]),
            (None, Some(functions)) => {
                let (files, lines) = (files.unwrap_or_default(), lines.unwrap_or_default());
                let file = |at: usize| files.get(at).cloned().unwrap_or_default();
                let line = |at: usize| lines.get(at).map_or(0, |line| line.0);
                let frames = functions.into_iter().enumerate();
                Path::Places(frames.map(|(at, name)| (name, file(at), line(at))).collect())
            }
            (None, None) => return Err("a row has no stack".to_owned()),
        };
        self.paths.insert(path, (total.into(), own.into()));
        Ok(())
    }

    /// Adds the stacks, and what was cut. Returns the weight that is not where it was spent.
    pub(super) fn finish(self, cuts: &Cuts, stacks: &mut Stacks) -> Result<i128, String> {
        let Self { total, paths } = self;
        // What remains of each total when the calls are taken away that have rows of their own.
        let mut left = paths.clone();
        let mut outside = total;
        let has_calls = cuts.min_percent.is_some();
        for (path, (total, _)) in &paths {
            let caller = path.caller();
            if !has_calls || caller.is_root() {
                outside -= total;
            } else if let Some((left, _)) = left.get_mut(&caller) {
                *left -= total;
            }
        }
        let mut rows: Vec<_> = left.into_iter().filter(|(_, (left, _))| *left != 0).collect();
        if let Some(n) = cuts.max_stacks.filter(|_| has_calls) {
            rows.sort_by_key(|(_, (left, _))| -*left);
            for (_, (left, _)) in
                rows.drain(usize::try_from(n).unwrap_or(usize::MAX).min(rows.len())..)
            {
                outside += left;
            }
        }
        let mut moved = outside.abs();
        let mut is_text = true;
        for (path, (left, own)) in rows {
            moved += (left - own).abs();
            let left = of_64_bits(left)?;
            match path {
                Path::Texts(frames) => stacks.add_folded(Stack::Frames(frames), left),
                Path::Places(frames) => {
                    is_text = false;
                    let names: Vec<_> = frames.iter().map(|frame| frame.0.clone()).collect();
                    let files: Vec<_> = frames.iter().map(|frame| frame.1.clone()).collect();
                    let lines: Vec<_> = frames.iter().map(|frame| Whole(frame.2)).collect();
                    stacks.add_frames(&names, &files, &lines, left)?;
                }
            }
        }
        let outside = of_64_bits(outside)?;
        if outside != 0 {
            if is_text {
                stacks.add_folded(Stack::Text(CUT.to_owned()), outside);
            } else {
                stacks.add_frames(&[CUT.to_owned()], &[], &[], outside)?;
            }
        }
        Ok(moved)
    }
}

/// A sum as profiles have it.
fn of_64_bits(sum: i128) -> Result<i64, String> {
    i64::try_from(sum).map_err(|_| "a sum does not fit into 64 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is made of the rows of `a`, `a;b` and `c`, each with its total and its self cost.
    fn finish(total: i64, rows: &[(i64, i64)], cuts: Cuts) -> Result<i128, String> {
        let mut cut = Cut::new(total);
        for (frames, &(total, own)) in [&["a"][..], &["a", "b"], &["c"]].into_iter().zip(rows) {
            let frames = frames.iter().map(|&frame| frame.to_owned()).collect();
            let mut row = Row::default();
            row.stack = Some(Stack::Frames(frames));
            (row.total, row.own) = (Some(Whole(total)), Some(Whole(own)));
            cut.add(row).unwrap();
        }
        cut.finish(&cuts, &mut Stacks::new("cpu", "nanoseconds"))
    }

    #[test]
    fn sums_that_are_too_large_are_an_error() {
        let cuts = Cuts { min_percent: Some(1.0), max_stacks: Some(1), ..Cuts::default() };
        assert_eq!(finish(100, &[(60, 10), (50, 50), (30, 30)], cuts), Ok(50));
        let too_large = Err("a sum does not fit into 64 bits".to_owned());
        let cuts = Cuts { max_stacks: None, ..cuts };
        assert_eq!(finish(0, &[(i64::MIN, 0), (i64::MAX, 0)], cuts), too_large);
        assert_eq!(finish(i64::MAX, &[(i64::MIN, 0)], Cuts::default()), too_large);
    }

    proptest! {
        #[test]
        fn no_numbers_of_a_database_are_a_panic(
            total: i64,
            rows: [(i64, i64); 3],
            percent: Option<f64>,
            max_stacks: Option<u64>,
        ) {
            let _ = finish(total, &rows, Cuts { min_percent: percent, max_stacks, max_depth: None });
        }
    }
}
