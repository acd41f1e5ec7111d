//! Code that V8 ran, and the functions and lines at an offset in it.
//!
//! Positions are `C<offset in the code>O<offset in the script>`, followed by `I<number>` in code that was
//! inlined. Inlined functions are `F<number of the function>O<offset of the call>`, followed by `I<number>` if the
//! call is in inlined code itself. A number of a function can be missing.

use crate::error::ReadError;
use crate::read::shared::func_text::FuncText;
use profile::{Code as Language, Frame, FrameId, JitTier, ProfileBuilder};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How deep functions are inlined into each other at most.
const MAX_INLINED: usize = 64;
/// The name of functions without one, as in `.cpuprofile`.
const ANONYMOUS: &str = "(anonymous)";

/// What kind of code it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A JavaScript function.
    Js(JitTier),
    /// V8's own code, a regular expression, or a function of a library.
    Native,
    /// A library: its functions are not known.
    Library,
}

/// A piece of code.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) kind: Kind,
    /// Of JavaScript: `name file:line:column`. Of a library: its path.
    pub(super) name: Arc<str>,
    pub(super) positions: Option<Positions>,
}

/// Where the source of code is.
#[derive(Debug)]
pub(super) struct Positions {
    pub(super) script: u32,
    /// By offset in the code: the offset in the script, and the number of what is inlined.
    offsets: Vec<(u64, u32, Option<usize>)>,
    inlined: Vec<Inlined>,
    /// The names of the functions that are inlined, as in [`Code::name`].
    functions: Vec<Arc<str>>,
}

/// A function that was inlined.
#[derive(Debug)]
struct Inlined {
    function: Option<usize>,
    /// Where it was called, and in which inlined function.
    call: u32,
    within: Option<usize>,
}

impl Positions {
    pub(super) fn parse(
        script: u32,
        offsets: &str,
        inlined: &str,
        functions: Vec<Arc<str>>,
    ) -> Self {
        let offsets = items(offsets, b'C').filter_map(|[code, script, inlined]| {
            Some((code?, u32::try_from(script?).ok()?, inlined.map(|at| at as usize)))
        });
        let inlined = items(inlined, b'F').map(|[function, call, within]| Inlined {
            function: function.map(|at| at as usize),
            call: call.and_then(|call| u32::try_from(call).ok()).unwrap_or(0),
            within: within.map(|at| at as usize),
        });
        let mut offsets: Vec<_> = offsets.collect();
        offsets.sort_by_key(|(code, ..)| *code);
        Self { script, offsets, inlined: inlined.collect(), functions }
    }

    /// The position of an offset in the code: the last one up to it.
    fn at(&self, offset: u64) -> Option<(u32, Option<usize>)> {
        let behind = self.offsets.partition_point(|(code, ..)| *code <= offset);
        let (_, script, inlined) = self.offsets.get(behind.checked_sub(1)?)?;
        Some((*script, *inlined))
    }
}

/// The items of a list such as `C0O12C4O17I0`, each with its numbers after `first`, `O` and `I`.
fn items(text: &str, first: u8) -> impl Iterator<Item = [Option<u64>; 3]> + '_ {
    let parts = text.split(char::from(first)).skip(1);
    parts.map(|item| {
        let (item, inlined) = item.split_once('I').map_or((item, None), |(a, b)| (a, Some(b)));
        let (number, offset) = item.split_once('O').unwrap_or((item, ""));
        [number.parse().ok(), offset.parse().ok(), inlined.and_then(|it| it.parse().ok())]
    })
}

/// A file with its text.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) name: String,
    pub(super) text: String,
    /// Where lines begin, in UTF-16 units, as V8 counts. Computed on first use.
    starts: Vec<u32>,
}

impl Script {
    pub(super) fn new(name: String, text: String) -> Self {
        Self { name, text, starts: Vec::new() }
    }

    /// The line (1-based) of an offset.
    fn line(&mut self, offset: u32) -> u32 {
        if self.starts.is_empty() {
            let mut at = 0;
            self.starts.push(0);
            for sign in self.text.chars() {
                at += sign.len_utf16() as u32;
                if sign == '\n' {
                    self.starts.push(at);
                }
            }
        }
        self.starts.partition_point(|&start| start <= offset) as u32
    }
}

/// All code of a file.
#[derive(Default)]
pub(super) struct Codes {
    pub(super) all: Vec<Code>,
    pub(super) scripts: FxHashMap<u32, Script>,
    /// Scripts by name, for the functions that were inlined from other files.
    pub(super) by_name: FxHashMap<String, u32>,
    /// Frames that were looked up: by code, offset, and whether it is that of a leaf.
    known: FxHashMap<(usize, u64, bool), Vec<FrameId>>,
}

impl Codes {
    pub(super) fn add_script(&mut self, id: u32, name: String, text: String) {
        self.by_name.insert(name.clone(), id);
        self.scripts.insert(id, Script::new(name, text));
    }

    /// The frames at an offset in a code, those of inlined functions last.
    pub(super) fn frames(
        &mut self,
        code: usize,
        offset: u64,
        is_leaf: bool,
        builder: &mut ProfileBuilder,
    ) -> Result<Vec<FrameId>, ReadError> {
        if let Some(known) = self.known.get(&(code, offset, is_leaf)) {
            return Ok(known.clone());
        }
        let frames = self.new_frames(code, offset, is_leaf, builder)?;
        self.known.insert((code, offset, is_leaf), frames.clone());
        Ok(frames)
    }

    fn new_frames(
        &mut self,
        code: usize,
        offset: u64,
        is_leaf: bool,
        builder: &mut ProfileBuilder,
    ) -> Result<Vec<FrameId>, ReadError> {
        let Self { all, scripts, by_name, .. } = self;
        let Some(Code { kind, name, positions }) = all.get(code) else { return Ok(Vec::new()) };
        let tier = match kind {
            Kind::Js(tier) => *tier,
            Kind::Native => return Ok(vec![native(builder, name, "")?]),
            Kind::Library if !is_leaf => return Ok(Vec::new()),
            Kind::Library => {
                let short = name.rsplit('/').next().unwrap_or(name);
                return Ok(vec![native(builder, short, name)?]);
            }
        };
        // The offset of a caller in machine code is that of the return.
        let is_bytecode = tier == JitTier::Interpreter;
        let offset = if is_leaf || is_bytecode { Some(offset) } else { offset.checked_sub(1) };
        let has_positions = tier != JitTier::Baseline;
        let positions = positions.as_ref().filter(|_| has_positions);
        let found = positions.zip(offset).and_then(|(all, offset)| Some((all, all.at(offset)?)));
        let Some((positions, (mut at, mut inlined))) = found else {
            return Ok(vec![javascript(builder, name, None, tier, false)?]);
        };
        let mut innermost_first = Vec::new();
        for _ in 0..MAX_INLINED {
            let Some(inner) = inlined.and_then(|number| positions.inlined.get(number)) else {
                break;
            };
            // A function that is not named is left out; its callers are known.
            let function = inner.function.and_then(|number| positions.functions.get(number));
            if let Some(function) = function {
                let file = Called::parse(function).file;
                let script = by_name.get(file).and_then(|id| scripts.get_mut(id));
                let line = script.map(|script| script.line(at));
                innermost_first.push(javascript(builder, function, line, tier, true)?);
            }
            (at, inlined) = (inner.call, inner.within);
        }
        let line = scripts.get_mut(&positions.script).map(|script| script.line(at));
        innermost_first.push(javascript(builder, name, line, tier, false)?);
        innermost_first.reverse();
        Ok(innermost_first)
    }

    /// Adds the texts of the program's files.
    pub(super) fn add_texts(&self, builder: &mut ProfileBuilder) -> Result<(), ReadError> {
        let files = self.scripts.values().filter(|script| {
            !(script.name.is_empty() || script.name.starts_with("node:") || script.text.is_empty())
        });
        for Script { name, text, .. } in files {
            let source = crate::read::shared::text::source_name(name);
            let source = builder.intern_source(&source)?;
            builder.add_source_text(source, &Arc::from(text.as_str()));
        }
        Ok(())
    }
}

/// The name of a JavaScript function with its place: `name file:line:column`.
struct Called<'n> {
    name: &'n str,
    file: &'n str,
    line: u32,
    column: u32,
}

impl<'n> Called<'n> {
    /// The name may contain anything, so this begins at the end.
    fn parse(text: &'n str) -> Self {
        let place = |text: &'n str| {
            let (rest, column) = text.rsplit_once(':')?;
            let (rest, line) = rest.rsplit_once(':')?;
            Some((rest, line.parse().ok()?, column.parse().ok()?))
        };
        let (rest, line, column) = place(text).unwrap_or((text, 0, 0));
        let (name, file) = match rest.rsplit_once(' ') {
            Some((name, file)) => (name, file),
            None if line != 0 => ("", rest),
            None => (rest, ""),
        };
        // A folder with a blank in its name.
        let (name, file) = match rest.find([' ']).filter(|_| !is_path(file)) {
            Some(at) => (rest.get(..at).unwrap_or(name), rest.get(at + 1..).unwrap_or(file)),
            None => (name, file),
        };
        Self { name: if name.is_empty() { ANONYMOUS } else { name }, file, line, column }
    }
}

/// Whether a text is a whole path or URL, rather than the end of one with a blank.
fn is_path(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(['/', '\\'])
        || text.get(1..3).is_some_and(|drive| drive.starts_with(':'))
        || text.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        || !text.contains(['/', '\\'])
}

fn javascript(
    builder: &mut ProfileBuilder,
    name: &str,
    line: Option<u32>,
    tier: JitTier,
    inlined: bool,
) -> Result<FrameId, ReadError> {
    let Called { name, file, line: first, column } = Called::parse(name);
    let func = FuncText { name, file, line: first, column, ..FuncText::default() };
    let func = func.intern(builder)?;
    builder.set_code(func, Language::JavaScript)?;
    let line = line.unwrap_or(0);
    Ok(builder.intern_frame(Frame { inlined, tier, ..Frame::new(func, line) })?)
}

/// A frame of native code.
pub(super) fn native(
    builder: &mut ProfileBuilder,
    name: &str,
    lib: &str,
) -> Result<FrameId, ReadError> {
    let func = FuncText { name, lib, ..FuncText::default() }.intern(builder)?;
    Ok(builder.intern_frame(Frame::new(func, 0))?)
}
