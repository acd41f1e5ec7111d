//! The nodes of a file as text, one line each, for people who debug profilers and readers.

use super::nodes::{Coverage, File, SiteKind};
use crate::error::ReadError;
use profile::{ProfileBuilder, StringId, SymbolTables};
use std::fmt::{self, Write};

/// The nodes of a deep profile as text. Nodes are sorted by kind and id; references are ids.
///
/// # Errors
/// If the file is not data of Mercury's deep profiler, or is damaged.
pub(crate) fn dump(bytes: &[u8]) -> Result<String, ReadError> {
    let mut builder = ProfileBuilder::default();
    let file = File::read(bytes, &mut builder)?;
    let symbols = builder.build().into_symbols();
    let mut text = String::new();
    let dump = Dump { file: &file, symbols: &symbols };
    // Writing to a string does not fail.
    let _ = dump.write(&mut text);
    Ok(text)
}

struct Dump<'a> {
    file: &'a File,
    symbols: &'a SymbolTables,
}

impl Dump<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        self.header(out)?;
        self.procs(out)?;
        self.sites(out)?;
        self.contexts(out)?;
        self.calls(out)
    }

    fn header(&self, out: &mut String) -> fmt::Result {
        let header = &self.file.header;
        let [calls, sites, contexts, procs] = header.largest;
        writeln!(out, "version {}", header.version)?;
        writeln!(out, "program {:?}", header.program)?;
        writeln!(out, "bytes per word {}", header.bytes_per_word)?;
        let coverage = match header.coverage {
            Coverage::None => "none",
            Coverage::Static => "by procedure",
            Coverage::Dynamic => "by context",
        };
        writeln!(out, "coverage {coverage}")?;
        writeln!(out, "nodes {procs} procs, {sites} sites, {contexts} contexts, {calls} calls")?;
        writeln!(out, "ticks per second {}", header.ticks_per_second)?;
        writeln!(out, "ticks {}", header.user_ticks)?;
        writeln!(out, "callseqs {}", header.callseqs)?;
        writeln!(out, "root context {}", header.root)
    }

    fn procs(&self, out: &mut String) -> fmt::Result {
        for (id, procedure) in self.file.procs.by_id() {
            write!(out, "proc {id} {} ", procedure.label)?;
            let file = procedure.source.map_or("", |source| self.symbols.source_name(source));
            write!(out, "{file}:{}", procedure.line)?;
            if procedure.exported {
                write!(out, " exported")?;
            }
            let sites = procedure.sites.start as usize..procedure.sites.end as usize;
            write!(out, " sites {:?} points [", &self.file.site_ids[sites])?;
            let points = procedure.points.start as usize..procedure.points.end as usize;
            for (i, point) in self.file.points[points].iter().enumerate() {
                let separator = if i == 0 { "" } else { ", " };
                let kind = if point.is_branch { "branch" } else { "after" };
                write!(out, "{separator}{kind} {:?} {}", self.text(point.goal_path), point.count)?;
            }
            writeln!(out, "]")?;
        }
        Ok(())
    }

    fn sites(&self, out: &mut String) -> fmt::Result {
        for (id, site) in self.file.sites.by_id() {
            write!(out, "site {id} {}", kind(site.kind))?;
            if site.kind == SiteKind::Normal {
                write!(out, " proc {}", site.callee)?;
            }
            let file = site.source.map_or("", |source| self.symbols.source_name(source));
            writeln!(out, " {file}:{} {:?}", site.line, self.text(site.goal_path))?;
        }
        Ok(())
    }

    fn contexts(&self, out: &mut String) -> fmt::Result {
        for (id, context) in self.file.contexts.by_id() {
            write!(out, "context {id} proc {} calls [", context.procedure)?;
            for (i, slot) in context.slots.clone().enumerate() {
                let separator = if i == 0 { "" } else { ", " };
                let slot = &self.file.slots[slot as usize];
                let calls = slot.calls.start as usize..slot.calls.end as usize;
                write!(out, "{separator}{} {:?}", kind(slot.kind), &self.file.called[calls])?;
            }
            let counts = context.counts.start as usize..context.counts.end as usize;
            writeln!(out, "] counts {:?}", &self.file.counts[counts])?;
        }
        Ok(())
    }

    fn calls(&self, out: &mut String) -> fmt::Result {
        for (id, call) in self.file.calls.by_id() {
            let own = &call.own;
            write!(out, "call {id} context {}", call.callee)?;
            for (name, count) in [
                ("exits", own.exits),
                ("fails", own.fails),
                ("redos", own.redos),
                ("excepts", own.exceptions),
                ("quanta", own.quanta),
                ("callseqs", own.callseqs),
                ("allocs", own.allocs),
                ("words", own.words),
            ] {
                if count > 0 {
                    write!(out, " {name} {count}")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn text(&self, id: StringId) -> &str {
        self.symbols.strings.get(id)
    }
}

fn kind(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Normal => "normal",
        SiteKind::Special => "special",
        SiteKind::HigherOrder => "higher-order",
        SiteKind::Method => "method",
        SiteKind::Callback => "callback",
    }
}
