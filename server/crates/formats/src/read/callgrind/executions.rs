//! How often lines were executed, from the costs of single instructions (`positions: instr line`).
//!
//! Valgrind counts an `Ir` for each execution of an instruction. It differs from that in two cases:
//!
//! - An instruction that repeats itself (`rep stos`) counts each time. Files that record jumps have
//!   one to the instruction itself for each repetition. Without jumps, counts are unknown.
//! - The instructions of functions that valgrind skips, such as the stubs of the PLT, are added to
//!   the instruction that calls them. So calls do not tell how often their line was executed.
//!
//! The numbers that a file has for jumps do not suffice: a jump that was never taken is missing, and
//! without addresses the same jump may be listed several times.

use profile::{FuncId, LineCount, SourceId};

/// The executions of all instructions.
#[derive(Default)]
pub(super) struct Executions {
    /// Rows of one instruction are merged now and then, and at the end.
    rows: Vec<(Instruction, Counts)>,
    /// How many rows there were after they were merged.
    merged: usize,
    /// Whether the file records jumps.
    has_jumps: bool,
}

/// Fewer rows than this are not merged before the end.
const MIN_MERGED: usize = 1 << 16;

/// An instruction in a context. Sorted by line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instruction {
    /// The file of its line; `None` for that of the function.
    pub(super) source: Option<SourceId>,
    /// 1-based.
    pub(super) line: u32,
    pub(super) func: FuncId,
    pub(super) address: u64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    executed: u64,
    repeated: u64,
    calls: bool,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.executed = self.executed.saturating_add(other.executed);
        self.repeated = self.repeated.saturating_add(other.repeated);
        self.calls |= other.calls;
    }

    /// How often the instruction was executed; `None` if that is unknown.
    fn executions(self) -> Option<u64> {
        let executed = self.executed.saturating_sub(self.repeated);
        (!self.calls && executed > 0).then_some(executed)
    }
}

impl Executions {
    /// Adds executions of an instruction.
    pub(super) fn add(&mut self, instruction: Instruction, executed: u64) {
        self.push(instruction, Counts { executed, ..Counts::default() });
    }

    /// Handles that an instruction calls functions.
    pub(super) fn call(&mut self, instruction: Instruction) {
        self.push(instruction, Counts { calls: true, ..Counts::default() });
    }

    /// Adds jumps of an instruction to `target`.
    pub(super) fn jump(&mut self, instruction: Instruction, target: u64, jumps: u64) {
        self.has_jumps = true;
        if target == instruction.address {
            self.push(instruction, Counts { repeated: jumps, ..Counts::default() });
        }
    }

    fn push(&mut self, instruction: Instruction, counts: Counts) {
        if let Some((last, sum)) = self.rows.last_mut()
            && *last == instruction
        {
            sum.add(counts);
            return;
        }
        if self.rows.len() >= 2 * self.merged.max(MIN_MERGED) {
            merge(&mut self.rows);
            self.merged = self.rows.len();
        }
        self.rows.push((instruction, counts));
    }

    /// The executions of each line: of its instruction that was executed most often, summed over
    /// the functions that it is part of. `None` for a line of which only calls are known. `function`
    /// returns the same func for all contexts of a function, and its file.
    pub(super) fn finish(
        self,
        function: impl Fn(FuncId) -> (FuncId, Option<SourceId>),
    ) -> Vec<LineCount> {
        if !self.has_jumps {
            return Vec::new();
        }
        let mut rows = self.rows;
        // An instruction is in several contexts if its function is recursive.
        for (instruction, _) in &mut rows {
            let (func, home) = function(instruction.func);
            instruction.func = func;
            instruction.source = instruction.source.or(home);
        }
        rows.retain(|(instruction, _)| instruction.source.is_some() && instruction.line != 0);
        merge(&mut rows);
        let lines = rows.chunk_by(|(a, _), (b, _)| (a.source, a.line) == (b.source, b.line));
        lines.filter_map(line_count).collect()
    }
}

/// Sorts rows, and adds up those of the same instruction.
fn merge(rows: &mut Vec<(Instruction, Counts)>) {
    rows.sort_unstable_by_key(|&(instruction, _)| instruction);
    rows.dedup_by(|(next, counts), (kept, sum)| {
        let is_same = next == kept;
        if is_same {
            sum.add(*counts);
        }
        is_same
    });
}

/// The executions of a line, of which these are the instructions.
fn line_count(rows: &[(Instruction, Counts)]) -> Option<LineCount> {
    let (Instruction { source, line, .. }, _) = *rows.first()?;
    let functions = rows.chunk_by(|(a, _), (b, _)| a.func == b.func);
    let mut most =
        functions.map(|rows| rows.iter().filter_map(|(_, counts)| counts.executions()).max());
    let count = most.try_fold(0_u64, |sum, most| Some(sum.saturating_add(most?)));
    Some(LineCount { source: source?, line, count })
}

#[cfg(test)]
mod tests {
    use super::MIN_MERGED;
    use crate::input::in_memory;
    use crate::read::callgrind::read;

    /// Each line with its count, `?` if that is unknown.
    fn counts(text: &str) -> String {
        let read = in_memory(text.as_bytes(), read).unwrap().unwrap();
        assert_eq!(read.warnings.as_slice().len(), 0, "{:?}", read.warnings);
        let row = |(file, line, count): (&str, u32, Option<u64>)| {
            let count = count.map_or("?".to_owned(), |count| count.to_string());
            format!("{file}:{line} {count}")
        };
        read.recording.line_counts().map(row).collect::<Vec<_>>().join("\n")
    }

    /// A loop that runs seven times, with a condition that is checked eight times.
    const LOOP: &str = "\
creator: callgrind-3.19.0
positions: instr line
events: Ir

fl=(1) a.c
fn=(1) main
0x1000 5 1
+4 5 1
jump=1 +40 5
* *
+4 6 7
+4 6 7
+32 5 8
jcnd=7/8 0x1008 6
* *
";

    #[test]
    fn the_instruction_that_was_executed_most_often_counts() {
        assert_eq!(counts(LOOP), "a.c:5 8\na.c:6 7");
        // Without jumps, repeated instructions are not recognized.
        let is_jump = |line: &&str| line.starts_with(['j', '*']);
        let without = LOOP.lines().filter(|line| !is_jump(line)).map(|line| format!("{line}\n"));
        assert_eq!(counts(&without.collect::<String>()), "");
        // Without addresses, instructions are not told apart.
        let lines = "events: Ir\nfl=a.c\nfn=f\n5 10\njcnd=7/8 6\n5\n6 14\n";
        assert_eq!(counts(lines), "");
    }

    #[test]
    fn repetitions_of_an_instruction_are_not_executions() {
        // As valgrind 3.19 records `char z[4000] = {0};`, compiled to `rep stos`.
        let text = "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n\
            0x116b 3 1\n+3 3 499\njump=498 * *\n* *\n+3 4 1\n";
        assert_eq!(counts(text), "a.c:3 1\na.c:4 1");
    }

    #[test]
    fn instructions_that_call_are_unknown() {
        // The six instructions form a stub that valgrind skips.
        let text = "positions: instr line\nevents: Dr Ir\nfl=a.c\nfn=f\n\
            0x10 7 0 2\n+5 7 1 12\ncfn=malloc\ncalls=2 0x80 0\n* * 3 90\n\
            +5 8 0 6\ncfn=free\ncalls=1 0x90 0\n* * 0 40\njcnd=1/2 0x10 7\n0x1b 9\n";
        assert_eq!(counts(text), "a.c:7 2\na.c:8 ?");
    }

    /// Of rows and jumps of one instruction, contexts of one function, and functions on one line.
    #[test]
    fn counts_stay_at_the_largest_number() {
        let head = "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n";
        let jumps = "jcnd=1/2 0x100 5\n* *\n";
        // 2^64 - 2048, which costs can be without being rounded. With 4096 it is too large.
        let most = u64::MAX - 2047;
        let [one, more] = [format!("0x14 5 {most}\n"), "0x14 5 4096\n".to_owned()];
        assert_eq!(counts(&format!("{head}{one}{jumps}")), format!("a.c:5 {most}"));
        let largest = format!("a.c:5 {}", u64::MAX);
        assert_eq!(counts(&format!("{head}{one}{more}{jumps}")), largest);
        assert_eq!(counts(&format!("{head}{one}{jumps}fn=f'2\n{more}")), largest);
        assert_eq!(counts(&format!("{head}{one}{jumps}fn=g\n{more}")), largest);
        // All executions are repetitions, so that another instruction of the line counts.
        let all = format!("0x14 5 {}\n", u64::MAX);
        let repeated = |times| format!("jump={times} * *\n* *\n");
        let text = format!("{head}{all}{}{}0x18 5 1\n", repeated(most), repeated(4096));
        assert_eq!(counts(&text), "a.c:5 1");
        let [first, second] = [repeated(most), repeated(4096)];
        let text = format!("{head}{one}{first}fn=f'2\n{all}{second}0x18 5 1\n");
        assert_eq!(counts(&text), "a.c:5 1");
    }

    #[test]
    fn contexts_and_inlined_copies_add_up() {
        // `f` is recursive, and `b.h:2` is inlined into `f` and `g`. Parts of a run add up.
        let part = |pid: u32| {
            format!(
                "version: 1\npid: {pid}\npositions: instr line\nevents: Ir\nob=app\nfl=a.c\n\
                 fn=f\n0x10 5 1\nfi=b.h\n0x14 2 1\nfn=f'2\n0x10 5 3\nfi=b.h\n0x14 2 3\n\
                 jcnd=3/3 0x10 5\n* *\nfn=g\nfi=b.h\n0x80 2 10\n\n"
            )
        };
        assert_eq!(counts(&part(1)), "b.h:2 14\na.c:5 4");
        assert_eq!(counts(&(part(1) + &part(2))), "b.h:2 28\na.c:5 8");
    }

    #[test]
    fn rows_that_are_merged_before_the_end_add_up() {
        let part = |pid: u32| {
            let head = format!("version: 1\npid: {pid}\npositions: instr line\nevents: Ir\n");
            let lines = "+4 +1 1\n".repeat(MIN_MERGED);
            format!("{head}fl=a.c\nfn=f\n{lines}jump=1 0x4 1\n* *\n\n")
        };
        let parts: String = (1..=4).map(part).collect();
        let expected: Vec<String> = (1..=MIN_MERGED).map(|line| format!("a.c:{line} 4")).collect();
        assert_eq!(counts(&parts), expected.join("\n"));
    }
}
