//! Looking at the keys of a JSON object without reading the rest: values are skipped, at the speed of memory, not parsed.

use super::{Format, Kin};
use crate::scan::{Scanned, Scanner, Stop};

/// What the keys say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Look {
    /// Which format, if it is one.
    pub(super) format: Option<Format>,
    /// Which other profile, if it is one.
    pub(super) kin: Option<Kin>,
    /// The data ended before the object did.
    pub(super) truncated: bool,
}

/// Looks at a JSON object or an array of trace events; `None` when it is neither, as far as the data go.
pub(super) fn look(bytes: &[u8]) -> Option<Look> {
    let mut scanner = Scanner::new(bytes);
    let mut clues = Clues::default();
    let end = match scanner.peek() {
        Ok(b'{') => scanner.object(&mut |scanner, key| clues.top_level(scanner, key)),
        Ok(b'[') => scanner.first(&mut |scanner, key| {
            if key == b"ph" {
                clues.members += 1;
                clues.kin = Some(Kin::ChromeTrace);
            }
            scanner.skip()
        }),
        _ => return None,
    };
    match end {
        _ if clues.members == 0 => None,
        Err(Stop::Enough) => Some(Look { format: clues.is, ..Look::default() }),
        Err(Stop::End) => Some(Look { format: clues.guess(), kin: clues.kin(), truncated: true }),
        Err(Stop::Broken) | Ok(()) => Some(Look { kin: clues.kin(), ..Look::default() }),
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Clues {
    /// Members of the outermost object, or trace events: nothing else begins like that.
    members: usize,
    /// `nodes` with call frames.
    call_frames: bool,
    /// How many of `samples`, `timeDeltas`, `startTime` and `endTime`: the other keys of a `.cpuprofile`.
    sampled: u8,
    /// How many of `threads` and `meta.version`: with both, and nothing processed, it is a raw Gecko profile.
    gecko: u8,
    /// Another profile that gives itself away.
    kin: Option<Kin>,
    /// Decided.
    is: Option<Format>,
}

impl Clues {
    /// One member of the outermost object.
    fn top_level(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        self.members += 1;
        match key {
            b"meta" => {
                return scanner.object(&mut |scanner, key| {
                    self.gecko += u8::from(key == b"version");
                    match (key, scanner.peek()?) {
                        (b"preprocessedProfileVersion", b'0'..=b'9') => self.decide(Format::FirefoxProcessed),
                        _ => scanner.skip(),
                    }
                });
            }
            b"threads" => {
                self.gecko += 1;
                return scanner.first(&mut |scanner, key| self.thread(scanner, key));
            }
            b"shared" => return scanner.object(&mut |scanner, key| self.processed_table(scanner, key)),
            b"nodes" => {
                scanner.first(&mut |scanner, key| {
                    self.call_frames |= key == b"callFrame" && scanner.peek()? == b'{';
                    scanner.skip()
                })?;
            }
            b"samples" | b"timeDeltas" | b"startTime" | b"endTime" => {
                self.sampled += 1;
                if !self.call_frames {
                    scanner.skip()?;
                }
            }
            b"head" => {
                return scanner.object(&mut |scanner, key| {
                    if key == b"callFrame" {
                        self.kin = Some(Kin::HeapProfile);
                    }
                    scanner.skip()
                });
            }
            b"$schema" => {
                let schema = if scanner.peek()? == b'"' { scanner.string()? } else { return scanner.skip() };
                if memchr::memmem::find(schema, b"speedscope").is_some() {
                    self.kin = Some(Kin::Speedscope);
                }
            }
            b"traceEvents" => self.kin = Some(Kin::ChromeTrace),
            b"snapshot" => self.kin = Some(Kin::HeapSnapshot),
            b"dhatFileVersion" => self.kin = Some(Kin::Dhat),
            _ => {}
        }
        match key {
            _ if self.call_frames && self.sampled > 0 => self.decide(Format::CpuProfile),
            b"nodes" | b"samples" | b"timeDeltas" | b"startTime" | b"endTime" | b"$schema" => Ok(()),
            _ => scanner.skip(),
        }
    }

    /// One member of the first thread.
    fn thread(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        match key {
            b"stringTable" => self.kin = Some(Kin::RawGecko),
            // Processed samples are columns, raw ones have a schema.
            b"samples" if scanner.peek()? == b'{' => {
                return scanner.object(&mut |scanner, key| match key {
                    b"stack" => self.decide(Format::FirefoxProcessed),
                    _ => scanner.skip(),
                });
            }
            _ => {}
        }
        self.processed_table(scanner, key)
    }

    /// Members that only processed profiles have, in each thread or, since version 56, in `shared`.
    fn processed_table(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        match key {
            b"stringArray" | b"funcTable" => self.decide(Format::FirefoxProcessed),
            b"stackTable" if scanner.peek()? == b'{' => scanner.object(&mut |scanner, key| match key {
                b"frame" | b"prefix" | b"prefixOffset" => self.decide(Format::FirefoxProcessed),
                // Raw profiles have `schema` and `data` there.
                _ => scanner.skip(),
            }),
            _ => scanner.skip(),
        }
    }

    fn decide(&mut self, format: Format) -> Scanned {
        self.is = Some(format);
        Err(Stop::Enough)
    }

    /// What the front of a file must be when nothing decisive fits into it.
    fn guess(&self) -> Option<Format> {
        (self.call_frames || self.sampled >= 3).then_some(Format::CpuProfile)
    }

    fn kin(&self) -> Option<Kin> {
        self.kin.or((self.gecko >= 2).then_some(Kin::RawGecko))
    }
}
