//! The records of a deep profile: the header, and nodes of four kinds in any order. They refer to
//! each other by ids, often before the other node is in the file.

use super::input::Input;
use super::proc_label::ProcLabel;
use crate::error::{At, ReadError};
use profile::{BuildError, ProfileBuilder, SourceId, StringId};
use std::ops::Range;

pub(crate) const MAGIC: &[u8] = b"Mercury deep profiler data version ";

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u32,
    /// The program, as it was started.
    pub(super) program: String,
    pub(super) bytes_per_word: u8,
    /// Where counts of coverage points are.
    pub(super) coverage: Coverage,
    /// The largest ids of dynamic calls, call sites, contexts and procedures.
    pub(super) largest: [u64; 4],
    /// 0 if unknown.
    pub(super) ticks_per_second: u64,
    /// Ticks of the program itself, without the profiler's ticks.
    pub(super) user_ticks: u64,
    /// The call sequence numbers of the run.
    pub(super) callseqs: u64,
    /// The id of the context in which the run began.
    pub(super) root: u32,
}

/// Where the counts of coverage points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    None,
    /// In procedures.
    Static,
    /// In contexts.
    Dynamic,
}

/// The nodes of one kind, and their ids.
#[derive(Debug)]
pub(super) struct Nodes<T> {
    rows: Vec<T>,
    /// The index of each id in `rows`, or `u32::MAX`.
    by_id: Vec<u32>,
    /// The number of nodes with the id of an earlier one. They are ignored.
    pub(super) duplicates: usize,
}

impl<T> Default for Nodes<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), by_id: Vec::new(), duplicates: 0 }
    }
}

impl<T> Nodes<T> {
    fn add(&mut self, id: u32, node: T) {
        let id = id as usize;
        if self.by_id.len() <= id {
            self.by_id.resize(id + 1, u32::MAX);
        }
        if self.by_id[id] == u32::MAX {
            self.by_id[id] = self.rows.len() as u32;
            self.rows.push(node);
        } else {
            self.duplicates += 1;
        }
    }

    /// The index of a node; `None` if the file has no node with this id. Id 0 means "none".
    pub(super) fn index(&self, id: u32) -> Option<usize> {
        let row = *self.by_id.get(id as usize)?;
        (row != u32::MAX).then_some(row as usize)
    }

    pub(super) fn rows(&self) -> &[T] {
        &self.rows
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// All nodes by id.
    pub(super) fn by_id(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.by_id).filter_map(|(id, &row)| Some((id, self.rows.get(row as usize)?)))
    }

    /// The number of ids up to the largest that no node has.
    pub(super) fn n_missing(&self) -> usize {
        self.by_id.len().saturating_sub(1) - self.rows.len()
    }
}

/// A procedure ("proc static").
#[derive(Debug)]
pub(super) struct Proc {
    pub(super) label: ProcLabel,
    pub(super) source: Option<SourceId>,
    /// The line of its first clause, 1-based; 0 if unknown.
    pub(super) line: u32,
    /// Whether other modules can call it.
    pub(super) exported: bool,
    /// Its call sites: rows of [`File::site_ids`].
    pub(super) sites: Range<u32>,
    /// Its coverage points: rows of [`File::points`].
    pub(super) points: Range<u32>,
}

impl Proc {
    /// Its call sites, as indexes of nodes; `None` for those that are missing.
    pub(super) fn sites(&self, file: &File) -> impl Iterator<Item = Option<usize>> {
        let ids = &file.site_ids[self.sites.start as usize..self.sites.end as usize];
        ids.iter().map(|&id| file.sites.index(id))
    }
}

/// What is called at a call site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteKind {
    /// One procedure.
    Normal,
    /// Unification or comparison of a type that is known only at run time.
    Special,
    /// A closure.
    HigherOrder,
    /// A method of a type class.
    Method,
    /// Mercury code called from C.
    Callback,
}

impl SiteKind {
    fn of(byte: u8) -> Option<Self> {
        let kinds = [Self::Normal, Self::Special, Self::HigherOrder, Self::Method, Self::Callback];
        kinds.get(usize::from(byte)).copied()
    }
}

/// A call site ("call site static").
#[derive(Debug)]
pub(super) struct Site {
    pub(super) kind: SiteKind,
    /// The id of the procedure that a normal site calls.
    pub(super) callee: u32,
    /// Its file, if it differs from the procedure's, because the code was inlined.
    pub(super) source: Option<SourceId>,
    /// 1-based; 0 for calls that the compiler inserted.
    pub(super) line: u32,
    /// Where it is in the body of the procedure: `s1;c2;`.
    pub(super) goal_path: StringId,
}

/// A procedure in one context ("proc dynamic").
#[derive(Debug)]
pub(super) struct Context {
    /// The id of the procedure.
    pub(super) procedure: u32,
    /// What its call sites called: rows of [`File::slots`].
    pub(super) slots: Range<u32>,
    /// The counts of its coverage points: rows of [`File::counts`].
    pub(super) counts: Range<u32>,
}

/// The calls from one site in one context.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) kind: SiteKind,
    /// Rows of [`File::called`].
    pub(super) calls: Range<u32>,
}

/// The calls from a site in one context to one other context ("call site dynamic").
#[derive(Debug)]
pub(super) struct DynamicCall {
    /// The id of the callee's context.
    pub(super) callee: u32,
    /// What the callee consumed itself in these calls.
    pub(super) own: Counts,
}

/// A coverage point: a place in the body of a procedure whose executions are counted.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) goal_path: StringId,
    /// Whether it counts how often a branch begins, not how often a goal ends.
    pub(super) is_branch: bool,
    /// The count, if counts are in procedures.
    pub(super) count: u64,
}

/// Counts of one dynamic call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) exits: u64,
    pub(super) fails: u64,
    pub(super) redos: u64,
    pub(super) exceptions: u64,
    /// Clock ticks.
    pub(super) quanta: u64,
    pub(super) callseqs: u64,
    /// Allocations of memory.
    pub(super) allocs: u64,
    /// Words of memory.
    pub(super) words: u64,
}

impl Counts {
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            exits: self.exits.saturating_add(other.exits),
            fails: self.fails.saturating_add(other.fails),
            redos: self.redos.saturating_add(other.redos),
            exceptions: self.exceptions.saturating_add(other.exceptions),
            quanta: self.quanta.saturating_add(other.quanta),
            callseqs: self.callseqs.saturating_add(other.callseqs),
            allocs: self.allocs.saturating_add(other.allocs),
            words: self.words.saturating_add(other.words),
        }
    }

    /// The number of calls: each ends in an exit, a failure or an exception, and a redo enters the
    /// same call again.
    pub(super) fn calls(&self) -> u64 {
        let ends = self.exits.saturating_add(self.fails).saturating_add(self.exceptions);
        ends.saturating_sub(self.redos)
    }
}

/// The content of a file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) header: Header,
    pub(super) procs: Nodes<Proc>,
    pub(super) sites: Nodes<Site>,
    pub(super) contexts: Nodes<Context>,
    pub(super) calls: Nodes<DynamicCall>,
    /// Ids of call sites, procedure by procedure.
    pub(super) site_ids: Vec<u32>,
    pub(super) points: Vec<Point>,
    pub(super) slots: Vec<Slot>,
    /// Ids of dynamic calls, slot by slot.
    pub(super) called: Vec<u32>,
    /// Counts of coverage points, context by context.
    pub(super) counts: Vec<u64>,
    /// The number of dynamic calls with a separate count of calls, which only special builds of
    /// the profiler write.
    pub(super) n_with_calls: usize,
}

impl File {
    /// Reads a file. Strings and sources are added to `builder`.
    pub(super) fn read(bytes: &[u8], builder: &mut ProfileBuilder) -> Result<Self, ReadError> {
        let mut input = Input { bytes, at: 0 };
        let header = Header::read(&mut input)?;
        let file = Self {
            header,
            procs: Nodes::default(),
            sites: Nodes::default(),
            contexts: Nodes::default(),
            calls: Nodes::default(),
            site_ids: Vec::new(),
            points: Vec::new(),
            slots: Vec::new(),
            called: Vec::new(),
            counts: Vec::new(),
            n_with_calls: 0,
        };
        let mut reader = Reader { input, builder, file };
        reader.nodes()?;
        Ok(reader.file)
    }
}

impl Header {
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self, ReadError> {
        input.take(MAGIC.len())?;
        let line = input.bytes[input.at..].split(|&byte| byte == b'\n').next().unwrap_or_default();
        let version = std::str::from_utf8(line).ok().and_then(|text| text.trim_end().parse().ok());
        let Some(version @ 8..=9) = version else {
            let message = format!(
                "version {} of Mercury deep profiler data is not supported; expected 8 or 9",
                String::from_utf8_lossy(&line[..line.len().min(20)])
            );
            return Err(ReadError::malformed(At::Byte(input.at as u64), message));
        };
        input.take(line.len() + 1)?;
        let program = String::from_utf8_lossy(input.text()?).into_owned();
        let flags_at = input.at;
        let flags = input.fixed()?;
        let coverage = match flags >> 12 & 3 {
            0 => Some(Coverage::None),
            1 => Some(Coverage::Static),
            2 => Some(Coverage::Dynamic),
            _ => None,
        };
        let is_compressed = flags >> 10 & 3 != 0;
        let (Some(coverage), false, 0) = (coverage, is_compressed, flags >> 14) else {
            let message = format!("unknown flags {flags:#x}; expected those of versions 8 and 9");
            return Err(ReadError::malformed(At::Byte(flags_at as u64), message));
        };
        let mut largest = [0; 4];
        for id in &mut largest {
            *id = input.fixed()?;
        }
        let ticks_per_second = input.number()?;
        let _profiler_ticks = input.number()?;
        Ok(Self {
            version,
            program,
            bytes_per_word: (flags & 0xff) as u8,
            coverage,
            largest,
            ticks_per_second,
            user_ticks: input.number()?,
            callseqs: input.number()?,
            root: input.small("id of the first context")?,
        })
    }

    /// Whether the program is still running or crashed: it sets these numbers at its end.
    pub(super) fn is_unfinished(&self) -> bool {
        self.largest == [0; 4]
    }
}

/// Tags of nodes.
mod tag {
    pub(super) const END: u8 = 0;
    pub(super) const SITE: u8 = 1;
    pub(super) const CALL: u8 = 2;
    pub(super) const PROC: u8 = 3;
    pub(super) const CONTEXT: u8 = 4;
}

struct Reader<'a, 'b> {
    input: Input<'a>,
    builder: &'b mut ProfileBuilder,
    file: File,
}

impl Reader<'_, '_> {
    fn nodes(&mut self) -> Result<(), ReadError> {
        while !self.input.is_at_end() {
            let start = self.input.at;
            match self.input.byte()? {
                tag::END => break,
                tag::SITE => self.site()?,
                tag::CALL => self.call()?,
                tag::PROC => self.procedure()?,
                tag::CONTEXT => self.context()?,
                tag => {
                    let message = format!("a node has tag {tag}; expected 0 to 4");
                    return Err(ReadError::malformed(At::Byte(start as u64), message));
                }
            }
        }
        Ok(())
    }

    /// The id of a node that follows. Ids count from 1, so a larger one than the file has bytes
    /// is damaged.
    fn id(&mut self) -> Result<u32, ReadError> {
        let start = self.input.at;
        let id = self.input.small("id of a node")?;
        if id == 0 || id as usize > self.input.bytes.len() {
            let message =
                format!("a node has id {id}; expected one between 1 and the number of nodes");
            return Err(ReadError::malformed(At::Byte(start as u64), message));
        }
        Ok(id)
    }

    fn kind(&mut self) -> Result<SiteKind, ReadError> {
        let start = self.input.at;
        let byte = self.input.byte()?;
        SiteKind::of(byte).ok_or_else(|| {
            let message = format!("a call site is of kind {byte}; expected 0 to 4");
            ReadError::malformed(At::Byte(start as u64), message)
        })
    }

    fn source(&mut self) -> Result<Option<SourceId>, ReadError> {
        let name = String::from_utf8_lossy(self.input.text()?);
        Ok((!name.is_empty()).then(|| self.builder.intern_source(&name)).transpose()?)
    }

    fn string(&mut self) -> Result<StringId, ReadError> {
        let text = String::from_utf8_lossy(self.input.text()?);
        Ok(self.builder.intern_string(&text)?)
    }

    fn procedure(&mut self) -> Result<(), ReadError> {
        let id = self.id()?;
        let label = ProcLabel::read(&mut self.input)?;
        let source = self.source()?;
        let line = self.input.small("line")?;
        let exported = self.input.byte()? != 0;
        let first_site = row(self.file.site_ids.len())?;
        for _ in 0..self.input.count("call sites")? {
            let site = self.input.small("id of a call site")?;
            self.file.site_ids.push(site);
        }
        let sites = first_site..row(self.file.site_ids.len())?;
        let first_point = row(self.file.points.len())?;
        if self.file.header.coverage != Coverage::None {
            for _ in 0..self.input.count("coverage points")? {
                let goal_path = self.string()?;
                let is_branch = self.input.number()? == 1;
                let is_static = self.file.header.coverage == Coverage::Static;
                let count = if is_static { self.input.number()? } else { 0 };
                self.file.points.push(Point { goal_path, is_branch, count });
            }
        }
        let points = first_point..row(self.file.points.len())?;
        self.file.procs.add(id, Proc { label, source, line, exported, sites, points });
        Ok(())
    }

    fn site(&mut self) -> Result<(), ReadError> {
        let id = self.id()?;
        let kind = self.kind()?;
        let mut callee = 0;
        if kind == SiteKind::Normal {
            callee = self.input.small("id of a procedure")?;
            let _type_substitution = self.input.text()?;
        }
        let source = if self.file.header.version >= 9 { self.source()? } else { None };
        let line = self.input.small("line")?;
        let goal_path = self.string()?;
        self.file.sites.add(id, Site { kind, callee, source, line, goal_path });
        Ok(())
    }

    fn context(&mut self) -> Result<(), ReadError> {
        let id = self.id()?;
        let procedure = self.input.small("id of a procedure")?;
        let n_slots = self.input.count("call sites")?;
        let first_count = row(self.file.counts.len())?;
        if self.file.header.coverage == Coverage::Dynamic {
            for _ in 0..self.input.count("coverage points")? {
                let count = self.input.number()?;
                self.file.counts.push(count);
            }
        }
        let counts = first_count..row(self.file.counts.len())?;
        let first_slot = row(self.file.slots.len())?;
        for _ in 0..n_slots {
            let kind = self.kind()?;
            let first_call = row(self.file.called.len())?;
            loop {
                let call = self.input.small("id of a call")?;
                if call != 0 {
                    self.file.called.push(call);
                }
                if call == 0 || kind == SiteKind::Normal {
                    break;
                }
            }
            let calls = first_call..row(self.file.called.len())?;
            self.file.slots.push(Slot { kind, calls });
        }
        let slots = first_slot..row(self.file.slots.len())?;
        self.file.contexts.add(id, Context { procedure, slots, counts });
        Ok(())
    }

    fn call(&mut self) -> Result<(), ReadError> {
        let id = self.id()?;
        let callee = self.input.small("id of a context")?;
        let own = self.counts()?;
        self.file.calls.add(id, DynamicCall { callee, own });
        Ok(())
    }

    /// A mask, and the counts whose bits it has.
    fn counts(&mut self) -> Result<Counts, ReadError> {
        let start = self.input.at;
        let mask = self.input.number()?;
        if mask > 0x1ff {
            let message = format!("a mask of counts is {mask:#x}; expected at most 0x1ff");
            return Err(ReadError::malformed(At::Byte(start as u64), message));
        }
        let mut own = Counts::default();
        if mask & 0x001 != 0 {
            self.input.number()?;
            self.file.n_with_calls += 1;
        }
        for (bit, count) in [
            (0x002, &mut own.exits),
            (0x004, &mut own.fails),
            (0x040, &mut own.redos),
            (0x080, &mut own.exceptions),
            (0x100, &mut own.quanta),
            (0x008, &mut own.callseqs),
            (0x010, &mut own.allocs),
            (0x020, &mut own.words),
        ] {
            if mask & bit != 0 {
                *count = self.input.number()?;
            }
        }
        Ok(own)
    }
}

fn row(len: usize) -> Result<u32, BuildError> {
    u32::try_from(len).map_err(|_| BuildError::TooLarge("call"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_at_the_largest_number() {
        let all = |count| Counts {
            exits: count,
            fails: count,
            redos: count,
            exceptions: count,
            quanta: count,
            callseqs: count,
            allocs: count,
            words: count,
        };
        assert_eq!(all(u64::MAX - 5).plus(&all(5)), all(u64::MAX));
        assert_eq!(all(u64::MAX - 5).plus(&all(6)), all(u64::MAX));
        let counts = Counts { exits: u64::MAX, fails: 1, exceptions: 1, ..Counts::default() };
        assert_eq!(counts.calls(), u64::MAX);
        assert_eq!(Counts { redos: 3, exits: 2, ..Counts::default() }.calls(), 0);
    }
}
