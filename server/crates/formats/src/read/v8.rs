//! What all formats with V8 profiles share: trees of calls, idle nodes, samples with the time since
//! the previous one, and hits by line (see [`CpuProfile`]).

mod cpu_profile;

pub(crate) use cpu_profile::{Counted, CpuProfile, Node, Tree, default_metric, metrics};

use crate::error::ReadError;
use crate::read::shared::number::position;
use crate::read::shared::text::source_name;
use crate::scan::{Scanner, Stop};
use profile::{Code, Frame, Func, FuncId, ProfileBuilder, StackId};
use serde::Deserialize;
use std::borrow::Cow;

/// A function, with the place where it *starts*.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallFrame<'a> {
    #[serde(borrow, default)]
    function_name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) url: Cow<'a, str>,
    /// 0-based; -1 or absent = unknown.
    line_number: Option<f64>,
    column_number: Option<f64>,
}

impl CallFrame<'_> {
    /// Whether this is the root node, which is not a function.
    pub(crate) fn is_root(&self) -> bool {
        self.function_name == "(root)" && self.url.is_empty()
    }

    fn is_idle(&self) -> bool {
        self.function_name == "(idle)" && self.url.is_empty()
    }

    /// The kind of code, as in the Firefox Profiler (`profile-logic/import/chrome`): functions with
    /// a place are scripts, others with a name are called by scripts.
    fn code(&self) -> Code {
        let has_place = !self.url.is_empty() || self.line_number.is_some_and(|line| line >= 0.0);
        match self.function_name.as_ref() {
            "(root)" | "(program)" | "(idle)" | "(garbage collector)" => Code::Native,
            "<WASM UNNAMED>" | "(unresolved function)" => Code::JavaScript,
            _ if has_place => Code::JavaScript,
            _ => Code::Label,
        }
    }

    pub(crate) fn intern(&self, builder: &mut ProfileBuilder) -> Result<FuncId, ReadError> {
        let name = if self.function_name.is_empty() { "(anonymous)" } else { &self.function_name };
        let source = if self.url.is_empty() {
            None
        } else {
            Some(builder.intern_source(&source_name(&self.url))?)
        };
        let func = Func {
            name: builder.intern_string(name)?,
            source,
            lib: None,
            line: position(self.line_number.unwrap_or(-1.0) + 1.0),
            column: position(self.column_number.unwrap_or(-1.0) + 1.0),
        };
        let func = builder.intern_func(func)?;
        builder.set_code(func, self.code())?;
        Ok(func)
    }

    /// The stack of a call of this function, `func`, that executes `line` and `column` (1-based, 0
    /// = unknown).
    pub(crate) fn stack(
        &self,
        builder: &mut ProfileBuilder,
        caller: Option<StackId>,
        func: FuncId,
        (line, column): (u32, u32),
    ) -> Result<StackId, ReadError> {
        let frame = builder.intern_frame(Frame { column, ..Frame::new(func, line) })?;
        let stack = builder.intern_stack(caller, frame)?;
        if self.is_idle() {
            builder.set_idle(stack)?;
        }
        Ok(stack)
    }
}

/// The profile in what V8's inspector answers, `{"profile": …}`: some programs write all of it into a
/// file.
pub(crate) fn without_wrapper(bytes: &[u8]) -> &[u8] {
    let mut scanner = Scanner::new(bytes);
    let mut profile = None;
    // Only the first member is read: an answer has no other.
    let _end = scanner.object(&mut |scanner, key| {
        if key == b"profile" && scanner.peek()? == b'{' {
            profile = Some(scanner.value()?);
        }
        Err(Stop::Enough)
    });
    profile.unwrap_or(bytes)
}

/// Orders the rows of a tree so that callers come first; `caller` has the caller of each row. The
/// error is a row in a cycle.
pub(crate) fn callers_first(caller: &[Option<usize>]) -> Result<Vec<usize>, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; caller.len()];
    let mut order = Vec::with_capacity(caller.len());
    for start in 0..caller.len() {
        // Go up to a caller that already has its position, then down again.
        let path_start = order.len();
        let mut next = Some(start);
        while let Some(row) = next {
            match state.get_mut(row) {
                Some(state @ State::New) => *state = State::OnPath,
                Some(State::OnPath) => return Err(row),
                _ => break,
            }
            order.push(row);
            next = caller.get(row).copied().flatten();
        }
        let Some(path) = order.get_mut(path_start..) else { continue };
        path.reverse();
        for &row in &*path {
            if let Some(state) = state.get_mut(row) {
                *state = State::Done;
            }
        }
    }
    Ok(order)
}

/// How long each sample lasts: until the next one, and the last until `end`. `deltas` are the times
/// since the previous sample; the first delta and `end` count from the same start.
///
/// Deltas may be negative. A sample whose next one seems to be earlier lasts 0, and the sum stays
/// the time that passed. For example, deltas 0, 10, -4, 8 and `end` 20 are samples at 0, 10, 6 and
/// 14, which last 10, 0, 4 and 6.
pub(crate) fn durations(deltas: &[f64], end: Option<f64>) -> impl Iterator<Item = f64> {
    let starts = deltas.iter().scan(0.0, |now, delta| {
        *now += delta;
        Some(*now)
    });
    let mut now = deltas.first().copied().unwrap_or(0.0);
    starts.skip(1).chain([end.unwrap_or(f64::NEG_INFINITY)]).map(move |next| {
        let duration = (next - now).max(0.0);
        now += duration;
        duration
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_lasts_until_the_next_one_and_none_ends_before_it_begins() {
        let durations = |end| durations(&[5.0, 10.0, -3.0, 10.0], end).collect::<Vec<_>>();
        // At 5, 15, 12 and 22.
        assert_eq!(durations(Some(30.0)), [10.0, 0.0, 7.0, 8.0]);
        assert_eq!(durations(None), [10.0, 0.0, 7.0, 0.0]);
    }
}
