//! Detection of JSON formats by the keys of the outermost object. Values are skipped, not parsed.

use crate::format::Format;
use crate::scan::{Scanned, Scanner, Stop};

/// What the keys show.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Findings {
    /// The format, if it is one that can be read.
    pub(super) format: Option<Format>,
    /// Whether the data end before the object does.
    pub(super) truncated: bool,
}

/// Examines a JSON object or an array of trace events; `None` if `bytes` are neither, as far as
/// they go.
pub(super) fn examine(bytes: &[u8]) -> Option<Findings> {
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
        Err(Stop::Enough) => Some(Findings { format: clues.is, ..Findings::default() }),
        Err(Stop::End) => {
            Some(Findings { format: clues.gecko().or_else(|| clues.guess()), truncated: true })
        }
        Err(Stop::Broken) | Ok(()) => {
            Some(Findings { format: clues.gecko(), ..Findings::default() })
        }
    }
}

/// The keys found so far.
#[derive(Debug, Default)]
struct Clues {
    /// Members of the outermost object, or trace events. Without any, the bytes are not one of
    /// these formats.
    members: usize,
    /// Whether `nodes` have call frames.
    call_frames: bool,
    /// How many of `samples`, `timeDeltas`, `startTime` and `endTime` there are: the other keys of
    /// a `.cpuprofile`.
    sampled: u8,
    /// How many of `threads` and `meta.version` there are. With both, and nothing that only
    /// processed profiles have, it is a raw Gecko profile.
    gecko: u8,
    /// Whether there is `gc_samples` or `missed_samples`, which only stackprof writes.
    missed: bool,
    /// Whether there is `mode` or `frames`, which stackprof writes as well.
    framed: bool,
    /// How many of `shared.frames` and `profiles[0].type` there are; both make a speedscope file.
    speedscope: u8,
    /// The format, once it is certain.
    is: Option<Format>,
}

impl Clues {
    /// Handles one member of the outermost object.
    fn top_level(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        self.members += 1;
        match key {
            b"meta" => scanner.object(&mut |scanner, key| self.meta(scanner, key)),
            b"threads" => {
                self.gecko += 1;
                scanner.first(&mut |scanner, key| self.thread(scanner, key))
            }
            b"shared" => scanner.object(&mut |scanner, key| self.shared(scanner, key)),
            b"profiles" => scanner.first(&mut |scanner, key| self.profile(scanner, key)),
            // Some exporters wrap a raw Gecko profile, and V8's inspector wraps what it answers.
            b"profile" => scanner.object(&mut |scanner, key| match key {
                b"meta" | b"threads" | b"nodes" | b"samples" | b"head" => {
                    self.top_level(scanner, key)
                }
                _ => scanner.skip(),
            }),
            b"nodes" => {
                scanner.first(&mut |scanner, key| {
                    self.call_frames |= key == b"callFrame" && scanner.peek()? == b'{';
                    scanner.skip()
                })?;
                self.decide_by_counts()
            }
            b"samples" | b"timeDeltas" | b"startTime" | b"endTime" => {
                self.sampled += 1;
                self.decide_by_counts()?;
                scanner.skip()
            }
            b"head" => scanner.object(&mut |scanner, key| match key {
                b"callFrame" => self.decide(Format::HeapProfile),
                _ => scanner.skip(),
            }),
            b"$schema" => self.schema(scanner),
            b"traceEvents" => self.decide(Format::ChromeTrace),
            b"cost_centres" => self.decide(Format::Ghc),
            b"resourceProfiles" => self.decide(Format::Otlp),
            b"frame_records" | b"root_frame" => self.decide(Format::Pyinstrument),
            b"code" => scanner.first(&mut |scanner, key| self.code(scanner, key)),
            b"alloc_samples" => self.decide(Format::Scalene),
            b"dhatFileVersion" => self.decide(Format::Dhat),
            b"gc_samples" | b"missed_samples" => {
                self.missed = true;
                self.decide_by_counts()?;
                scanner.skip()
            }
            b"mode" | b"frames" => {
                self.framed = true;
                self.decide_by_counts()?;
                scanner.skip()
            }
            _ => scanner.skip(),
        }
    }

    /// Decides if several keys together are enough.
    fn decide_by_counts(&mut self) -> Scanned {
        if self.call_frames && self.sampled > 0 {
            return self.decide(Format::CpuProfile);
        }
        if self.missed && self.framed {
            return self.decide(Format::Stackprof);
        }
        Ok(())
    }

    /// Handles one member of `meta`.
    fn meta(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        self.gecko += u8::from(key == b"version");
        match (key, scanner.peek()?) {
            (b"preprocessedProfileVersion", b'0'..=b'9') => self.decide(Format::FirefoxProcessed),
            _ => scanner.skip(),
        }
    }

    /// Handles one member of `shared`.
    fn shared(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        if key == b"frames" {
            self.speedscope()?;
        }
        self.processed_table(scanner, key)
    }

    /// Handles one member of the first of `profiles`.
    fn profile(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        if key == b"type" {
            self.speedscope()?;
        }
        scanner.skip()
    }

    fn schema(&mut self, scanner: &mut Scanner<'_>) -> Scanned {
        if scanner.peek()? != b'"' {
            return scanner.skip();
        }
        if memchr::memmem::find(scanner.string()?, b"speedscope").is_some() {
            return self.decide(Format::Speedscope);
        }
        Ok(())
    }

    /// Handles one member of the first code of a log of V8 in JSON.
    fn code(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        if key != b"type" || scanner.peek()? != b'"' {
            return scanner.skip();
        }
        match scanner.string()? {
            b"SHARED_LIB" | b"CPP" | b"CODE" | b"JS" => self.decide(Format::V8Log),
            _ => Ok(()),
        }
    }

    /// Handles one member of the first thread.
    fn thread(&mut self, scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
        match key {
            // A list in raw profiles; an object, if present, in processed ones.
            b"stringTable" if scanner.peek()? == b'[' => return self.decide(Format::Gecko),
            // Samples of processed profiles are columns; those of raw ones have a schema.
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

    /// Handles members that only processed profiles have: in each thread or, since version 56, in
    /// `shared`.
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

    /// The likely format of a prefix without any decisive key.
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
