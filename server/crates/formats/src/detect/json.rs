//! Looking at the keys of a JSON object without reading the rest: values are skipped, at the speed
//! of memory, not parsed.

use crate::format::Format;
use crate::scan::{Scanned, Scanner, Stop};

/// What the keys say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Look {
    /// Which format, if it is one.
    pub(super) format: Option<Format>,
    /// The data ended before the object did.
    pub(super) truncated: bool,
}

/// Looks at a JSON object or an array of trace events; `None` when it is neither, as far as the
/// data go.
pub(super) fn look(bytes: &[u8]) -> Option<Look> {
    let mut scanner = Scanner::new(bytes);
    let mut clues = Clues::default();
    let end = match scanner.peek() {
        Ok(b'{') => scanner.object(&mut |scanner, key| clues.top_level(scanner, key)),
        Ok(b'[') => scanner.first(&mut |scanner, key| {
            if key == b"ph" {
                clues.members += 1;
                return clues.decide(Format::ChromeTrace);
            }
            scanner.skip()
        }),
        _ => return None,
    };
    match end {
        _ if clues.members == 0 => None,
        Err(Stop::Enough) => Some(Look { format: clues.is, ..Look::default() }),
        Err(Stop::End) => {
            Some(Look { format: clues.gecko().or_else(|| clues.guess()), truncated: true })
        }
        Err(Stop::Broken) | Ok(()) => Some(Look { format: clues.gecko(), ..Look::default() }),
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Clues {
    /// Members of the outermost object, or trace events: nothing else begins like that.
    members: usize,
    /// `nodes` with call frames.
    call_frames: bool,
    /// How many of `samples`, `timeDeltas`, `startTime` and `endTime`: the other keys of a
    /// `.cpuprofile`.
    sampled: u8,
    /// How many of `threads` and `meta.version`: with both, and nothing processed, it is a raw
    /// Gecko profile.
    gecko: u8,
    /// `gc_samples` or `missed_samples`, as only stackprof has them.
    missed: bool,
    /// `mode` or `frames`, as stackprof has them, too.
    framed: bool,
    /// How many of `shared.frames` and a first one of `profiles` with a `type`: both make a
    /// speedscope file.
    speedscope: u8,
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
                        (b"preprocessedProfileVersion", b'0'..=b'9') => {
                            self.decide(Format::FirefoxProcessed)
                        }
                        _ => scanner.skip(),
                    }
                });
            }
            b"threads" => {
                self.gecko += 1;
                return scanner.first(&mut |scanner, key| self.thread(scanner, key));
            }
            b"shared" => {
                return scanner.object(&mut |scanner, key| {
                    if key == b"frames" {
                        self.speedscope()?;
                    }
                    self.processed_table(scanner, key)
                });
            }
            b"profiles" => {
                return scanner.first(&mut |scanner, key| {
                    if key == b"type" {
                        self.speedscope()?;
                    }
                    scanner.skip()
                });
            }
            // How some exporters wrap a raw Gecko profile.
            b"profile" => {
                return scanner.object(&mut |scanner, key| match key {
                    b"meta" | b"threads" => self.top_level(scanner, key),
                    _ => scanner.skip(),
                });
            }
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
                        return self.decide(Format::HeapProfile);
                    }
                    scanner.skip()
                });
            }
            b"$schema" => {
                let schema = if scanner.peek()? == b'"' {
                    scanner.string()?
                } else {
                    return scanner.skip();
                };
                if memchr::memmem::find(schema, b"speedscope").is_some() {
                    return self.decide(Format::Speedscope);
                }
            }
            b"traceEvents" => return self.decide(Format::ChromeTrace),
            b"dhatFileVersion" => return self.decide(Format::Dhat),
            b"gc_samples" | b"missed_samples" => self.missed = true,
            b"mode" | b"frames" => self.framed = true,
            _ => {}
        }
        match key {
            _ if self.call_frames && self.sampled > 0 => self.decide(Format::CpuProfile),
            _ if self.missed && self.framed => self.decide(Format::Stackprof),
            b"nodes" | b"samples" | b"timeDeltas" | b"startTime" | b"endTime" | b"$schema" => {
                Ok(())
            }
            _ => scanner.skip(),
        }
    }

    /// One member of the first thread.
    fn thread(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        match key {
            // A list; in processed profiles, where there is one, an object.
            b"stringTable" if scanner.peek()? == b'[' => return self.decide(Format::Gecko),
            // Processed samples are columns, raw ones have a schema.
            b"samples" if scanner.peek()? == b'{' => {
                return scanner.object(&mut |scanner, key| match key {
                    b"stack" => self.decide(Format::FirefoxProcessed),
                    b"schema" => self.decide(Format::Gecko),
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
            b"stackTable" if scanner.peek()? == b'{' => {
                scanner.object(&mut |scanner, key| match key {
                    b"frame" | b"prefix" | b"prefixOffset" => self.decide(Format::FirefoxProcessed),
                    b"schema" => self.decide(Format::Gecko),
                    _ => scanner.skip(),
                })
            }
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

    fn gecko(&self) -> Option<Format> {
        (self.gecko >= 2).then_some(Format::Gecko)
    }

    fn speedscope(&mut self) -> Scanned {
        self.speedscope += 1;
        if self.speedscope == 2 { self.decide(Format::Speedscope) } else { Ok(()) }
    }
}
