//! Looking at the keys of a JSON object without reading the rest: values are skipped, at the speed of memory, not parsed.

use super::{Format, Kin};

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
    let mut scanner = Scanner { bytes, at: 0 };
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
        Err(Stop::Is(format)) => Some(Look { format: Some(format), ..Look::default() }),
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
                        (b"preprocessedProfileVersion", b'0'..=b'9') => Err(Stop::Is(Format::FirefoxProcessed)),
                        _ => scanner.skip(),
                    }
                });
            }
            b"threads" => {
                self.gecko += 1;
                return scanner.first(&mut |scanner, key| self.thread(scanner, key));
            }
            b"shared" => return scanner.object(&mut processed_table),
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
            _ if self.call_frames && self.sampled > 0 => Err(Stop::Is(Format::CpuProfile)),
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
                    b"stack" => Err(Stop::Is(Format::FirefoxProcessed)),
                    _ => scanner.skip(),
                });
            }
            _ => {}
        }
        processed_table(scanner, key)
    }

    /// What the front of a file must be when nothing decisive fits into it.
    fn guess(&self) -> Option<Format> {
        (self.call_frames || self.sampled >= 3).then_some(Format::CpuProfile)
    }

    fn kin(&self) -> Option<Kin> {
        self.kin.or((self.gecko >= 2).then_some(Kin::RawGecko))
    }
}

/// Members that only processed profiles have, in each thread or, since version 56, in `shared`.
fn processed_table(scanner: &mut Scanner<'_>, key: &[u8]) -> Scanned {
    match key {
        b"stringArray" | b"funcTable" => Err(Stop::Is(Format::FirefoxProcessed)),
        b"stackTable" if scanner.peek()? == b'{' => scanner.object(&mut |scanner, key| match key {
            b"frame" | b"prefix" | b"prefixOffset" => Err(Stop::Is(Format::FirefoxProcessed)),
            // Raw profiles have `schema` and `data` there.
            _ => scanner.skip(),
        }),
        _ => scanner.skip(),
    }
}

/// Why scanning stopped before the end of a value.
#[derive(Debug, Clone, Copy)]
enum Stop {
    /// The data ended.
    End,
    /// This is not JSON.
    Broken,
    /// Enough was seen.
    Is(Format),
}

type Scanned<T = ()> = Result<T, Stop>;

/// Called for each member of an object with its key as written, the scanner standing before the value, which it has to pass.
type Member<'f, 'a> = &'f mut dyn FnMut(&mut Scanner<'a>, &[u8]) -> Scanned;

/// A place in JSON text. Lenient: it finds the ends of values, it does not validate them.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The next byte that is no white space, not passed.
    fn peek(&mut self) -> Scanned<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Stop::End),
            }
        }
    }

    /// Passes `byte`, after white space.
    fn expect(&mut self, byte: u8) -> Scanned {
        if self.peek()? != byte {
            return Err(Stop::Broken);
        }
        self.at += 1;
        Ok(())
    }

    /// Passes a separator or the `close` of a list; whether there is another element.
    fn another(&mut self, close: u8) -> Scanned<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Ok(true),
            _ if byte == close => Ok(false),
            _ => Err(Stop::Broken),
        }
    }

    /// Passes an object, handing each member to `member`. Any other value is skipped.
    fn object(&mut self, member: Member<'_, 'a>) -> Scanned {
        if self.peek()? != b'{' {
            return self.skip();
        }
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            member(self, key)?;
            if !self.another(b'}')? {
                return Ok(());
            }
        }
    }

    /// Passes an array, handing the members of its first element to `member`. Any other value is skipped.
    fn first(&mut self, member: Member<'_, 'a>) -> Scanned {
        if self.peek()? != b'[' {
            return self.skip();
        }
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        self.object(member)?;
        if self.another(b']')? { self.skip_to_close() } else { Ok(()) }
    }

    /// Passes a string; its text as written, escapes and all.
    fn string(&mut self) -> Scanned<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(Stop::End)?;
            let offset = memchr::memchr2(b'"', b'\\', rest).ok_or(Stop::End)?;
            let end = self.at + offset;
            if rest.get(offset) == Some(&b'"') {
                self.at = end + 1;
                return self.bytes.get(start..end).ok_or(Stop::End);
            }
            self.at = end + 2;
        }
    }

    /// Passes a value.
    fn skip(&mut self) -> Scanned {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' | b'[' => {
                self.at += 1;
                self.skip_to_close()
            }
            _ => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let len = rest.iter().position(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.'));
                let (word, _) = rest.split_at_checked(len.ok_or(Stop::End)?).ok_or(Stop::End)?;
                self.at += word.len();
                let literal = matches!(word, b"true" | b"false" | b"null" | [b'-' | b'0'..=b'9', ..]);
                if literal { Ok(()) } else { Err(Stop::Broken) }
            }
        }
    }

    /// Passes all up to the bracket that closes what is open. Brackets are counted, not matched: no stack, no recursion.
    fn skip_to_close(&mut self) -> Scanned {
        let mut depth = 1_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(Stop::End)
    }
}
