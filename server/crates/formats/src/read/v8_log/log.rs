//! The text of a log: one event per line, with fields separated by commas.

use super::code::{Code, Codes, Kind, Positions};
use super::file::{File, Tick};
use crate::error::{At, ReadError};
use profile::{JitTier, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::Chars;
use std::sync::Arc;

pub(super) fn read(bytes: &[u8], warnings: &mut Warnings) -> Result<File, ReadError> {
    let mut log = Log::default();
    let lines = || bytes.split(|&byte| byte == b'\n').map(String::from_utf8_lossy);
    // Positions refer to scripts that may follow.
    for line in lines().filter(|line| line.starts_with("script-source,")) {
        log.script(&line);
    }
    let mut has_ticks = false;
    for (number, line) in (1..).zip(lines()) {
        let fields: Vec<&str> = line.split(',').collect();
        has_ticks |= fields.first() == Some(&"tick");
        if log.event(&fields).is_none() {
            malformed_line(warnings, number, "the fields of an event of V8's log");
        }
    }
    if !has_ticks {
        let message = "the log has no ticks; expected a log of `node --prof`";
        return Err(ReadError::truncated(At::File, message));
    }
    if !bytes.ends_with(b"\n") {
        warnings.add(WarningCode::Truncated, || "the last line has no end".to_owned());
    }
    Ok(File { codes: log.codes, ticks: log.ticks, is_complete: log.is_complete })
}

/// What is known after some of the lines.
#[derive(Default)]
struct Log {
    codes: Codes,
    ticks: Vec<Tick>,
    /// Where code is: its end and its number, by address.
    live: BTreeMap<u64, (u64, usize)>,
    /// Libraries: start, end and number of their code.
    libraries: Vec<(u64, u64, usize)>,
    /// The names of JavaScript functions, by the address of what V8 shares between their codes.
    functions: FxHashMap<u64, Arc<str>>,
    is_complete: bool,
}

impl Log {
    /// `script-source,ID,URL,TEXT`
    fn script(&mut self, line: &str) -> Option<()> {
        let mut fields = line.splitn(4, ',').skip(1);
        let id = fields.next()?.parse().ok()?;
        let (name, text) = (unescaped(fields.next()?), unescaped(fields.next()?));
        self.codes.add_script(id, name.into_owned(), text.into_owned());
        Some(())
    }

    /// Handles a line; `None` if it is malformed.
    fn event(&mut self, fields: &[&str]) -> Option<()> {
        match *fields {
            // `code-creation,TYPE,KIND,TIME,ADDRESS,SIZE,NAME[,FUNCTION,MARK]`
            ["code-creation", kind, _, _, address, size, name, ref rest @ ..] => {
                self.create(kind, number(address)?, number(size)?, name, rest)
            }
            ["code-move", from, to] => {
                let (from, to) = (number(from)?, number(to)?);
                if let Some((end, code)) = self.live.remove(&from) {
                    self.place(to, end - from, code);
                }
                Some(())
            }
            ["code-delete", address] => {
                self.live.remove(&number(address)?);
                Some(())
            }
            ["sfi-move", from, to] => {
                if let Some(name) = self.functions.remove(&number(from)?) {
                    self.functions.insert(number(to)?, name);
                }
                Some(())
            }
            // `code-source-info,ADDRESS,SCRIPT,START,END,POSITIONS,INLINED,FUNCTIONS`
            ["code-source-info", address, script, _, _, positions, inlined, functions] => {
                let function = |of: &str| {
                    let name = number(of).and_then(|of| self.functions.get(&of)).cloned();
                    name.unwrap_or_default()
                };
                let functions = functions.split('S').skip(1).map(function).collect();
                let positions =
                    Positions::parse(script.parse().ok()?, positions, inlined, functions);
                let (_, code) = self.live.get(&number(address)?).copied()?;
                self.codes.all.get_mut(code)?.positions = Some(positions);
                Some(())
            }
            ["shared-library", path, start, end, ..] => {
                let name = unescaped(path).into_owned().into();
                let (start, end) = (number(start)?, number(end)?);
                self.libraries.push((start, end, self.codes.all.len()));
                self.codes.all.push(Code { kind: Kind::Library, name, positions: None });
                Some(())
            }
            // `tick,PC,TIME,EXTERNAL,TOP,STATE,ADDRESS,…`
            ["tick", pc, time, is_external, top, state, ref stack @ ..] => {
                self.tick([pc, time, is_external, top, state], stack)
            }
            ["profiler", "end", ..] => {
                self.is_complete = true;
                Some(())
            }
            ["tick" | "code-creation" | "code-move" | "code-source-info", ..] => None,
            _ => Some(()),
        }
    }

    fn create(
        &mut self,
        kind: &str,
        address: u64,
        size: u64,
        name: &str,
        rest: &[&str],
    ) -> Option<()> {
        let name = unescaped(name.trim_matches('"'));
        let (kind, name): (Kind, Arc<str>) = match (kind, rest) {
            (_, [function, mark]) => {
                let name: Arc<str> = name.into();
                self.functions.insert(number(function)?, Arc::clone(&name));
                (Kind::Js(tier(mark)), name)
            }
            (kind, _) => (Kind::Native, format!("{kind}: {name}").into()),
        };
        self.place(address, size, self.codes.all.len());
        self.codes.all.push(Code { kind, name, positions: None });
        Some(())
    }

    /// Puts code at an address, instead of what was there.
    fn place(&mut self, start: u64, size: u64, code: usize) {
        let end = start.saturating_add(size.max(1));
        while let Some((&at, _)) =
            self.live.range(..end).next_back().filter(|(_, (old, _))| *old > start)
        {
            self.live.remove(&at);
        }
        self.live.insert(start, (end, code));
    }

    /// The code at an address, and the offset in it.
    fn find(&self, address: u64) -> Option<(usize, u64)> {
        let code = self.live.range(..=address).next_back();
        let code = code.filter(|(_, (end, _))| address < *end);
        let in_code = code.map(|(start, (_, code))| (*code, address - start));
        in_code.or_else(|| {
            let has = |(start, end, _): &&(u64, u64, usize)| (*start..*end).contains(&address);
            let (start, _, code) = self.libraries.iter().find(has)?;
            Some((*code, address - start))
        })
    }

    fn tick(&mut self, [pc, time, external, top, state]: [&str; 5], stack: &[&str]) -> Option<()> {
        let (mut pc, top) = (number(pc)?, number(top)?);
        let mut addresses = vec![pc];
        if external == "1" {
            // The counter can be anywhere within an external callback, so its beginning counts.
            pc = top;
            addresses = vec![pc];
        } else if let Some((code, _)) = self.find(top).filter(|_| top != 0)
            && matches!(self.codes.all.get(code)?.kind, Kind::Js(_))
        {
            // A function that has no frame yet.
            addresses.push(top);
        }
        let mut last = pc;
        for frame in stack {
            // Older versions write differences.
            let address = match frame.as_bytes().first() {
                Some(b'+') => last.wrapping_add(number(&frame[1..])?),
                Some(b'-') => last.wrapping_sub(number(&frame[1..])?),
                Some(b'o') => continue,
                _ => number(frame)?,
            };
            addresses.push(address);
            last = address;
        }
        self.ticks.push(Tick {
            microseconds: time.parse().ok()?,
            state: state.parse().ok()?,
            stack: addresses.into_iter().map(|address| self.find(address)).collect(),
        });
        Some(())
    }
}

/// How a function was compiled, by the mark after its code.
fn tier(mark: &str) -> JitTier {
    match mark {
        "~" => JitTier::Interpreter,
        "^" => JitTier::Baseline,
        "+" => JitTier::Maglev,
        "*" => JitTier::TurboFan,
        _ => JitTier::Unknown,
    }
}

/// A number in hexadecimal, with `0x`, or in decimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A field with its escapes replaced: `\x2C`, `\u00e4`, `\n`, `\\`.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(sign) = rest.next() {
        let mut code = [0; 2];
        if sign != '\\' {
            units.extend_from_slice(sign.encode_utf16(&mut code));
            continue;
        }
        units.push(match rest.next() {
            Some('x') => hexadecimal(&mut rest, 2),
            Some('u') => hexadecimal(&mut rest, 4),
            Some('n') => u16::from(b'\n'),
            _ => u16::from(b'\\'),
        });
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

fn hexadecimal(rest: &mut Chars<'_>, n_digits: usize) -> u16 {
    let digits: String = rest.take(n_digits).collect();
    u16::from_str_radix(&digits, 16).unwrap_or(u16::from(b'?'))
}

fn malformed_line(warnings: &mut Warnings, number: usize, expected: &str) {
    warnings.add(WarningCode::MalformedLine, || format!("line {number}: expected {expected}"));
}
