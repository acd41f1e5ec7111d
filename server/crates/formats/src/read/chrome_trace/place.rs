//! The place of an event's code, in the forms that different tools write.
//!
//! `VizTracer` may add `caller_lineno`: the line of the call, in the caller. It is not read. It
//! exists for calls only, so the caller's own time between them would have no line, and lines would
//! look cheaper than they are.

use super::event::{Event, Raw, Text, number};
use crate::read::shared::func_text::FuncText;
use crate::read::shared::number::position;
use profile::{BuildError, Frame, FrameId, ProfileBuilder};
use serde::Deserialize;
use std::borrow::Cow;

/// The category of Python functions in traces of `PyTorch`.
pub(super) const PYTORCH: &str = "python_function";

/// The function of an event and its places: 1-based, 0 = unknown.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Place<'e> {
    /// The function; empty = the name of the event.
    pub(super) name: Cow<'e, str>,
    pub(super) file: Cow<'e, str>,
    /// Line and column where the function starts.
    pub(super) start: (u32, u32),
    /// Line and column that executed.
    pub(super) at: (u32, u32),
}

/// The arguments of events: py-spy has `filename` and `line`, Hermes `url`, `line`, `column` and
/// the function's own lines, the browser's timeline `data`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args<'a> {
    #[serde(borrow)]
    filename: Option<Text<'a>>,
    #[serde(borrow)]
    url: Option<Text<'a>>,
    #[serde(borrow)]
    line: Option<Raw<'a>>,
    #[serde(borrow)]
    column: Option<Raw<'a>>,
    #[serde(borrow)]
    func_line: Option<Raw<'a>>,
    #[serde(borrow)]
    func_column: Option<Raw<'a>>,
    #[serde(borrow)]
    data: Option<Data<'a>>,
}

/// The data of a `FunctionCall` or, without a function, of a script (`EvaluateScript`,
/// `v8.compile`). Its numbers are 1-based, unlike the numbers in call frames.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    url: Option<Text<'a>>,
    #[serde(borrow)]
    function_name: Option<Text<'a>>,
    #[serde(borrow)]
    line_number: Option<Raw<'a>>,
    #[serde(borrow)]
    column_number: Option<Raw<'a>>,
}

impl<'e> Place<'e> {
    /// The place of an event, if it has one.
    pub(super) fn of(event: &'e Event<'_>) -> Option<Self> {
        if let Some(file) = &event.file {
            return Some(Self {
                file: Cow::Borrowed(file),
                at: (line(event.line), 0),
                ..Self::default()
            });
        }
        if event.category().eq_ignore_ascii_case("fee") {
            return Self::of_viztracer(event.name());
        }
        if event.category() == PYTORCH {
            return Self::of_pytorch(event.name());
        }
        let args: Args<'_> = serde_json::from_str(event.args?.get()).ok()?;
        match args {
            Args { filename: Some(file), line: at @ Some(_), .. } => {
                Some(Self { file: file.0, at: (line(at), 0), ..Self::default() })
            }
            Args {
                url: Some(file), line: at @ Some(_), column, func_line, func_column, ..
            } => Some(Self {
                file: file.0,
                start: (line(func_line), line(func_column)),
                at: (line(at), line(column)),
                ..Self::default()
            }),
            Args {
                data: Some(Data { url: Some(file), function_name, line_number, column_number }),
                ..
            } if function_name.is_some() || line_number.is_some() => {
                let name = match function_name {
                    Some(name) if name.is_empty() => Cow::Borrowed("(anonymous)"),
                    name => name.map(|name| name.0).unwrap_or_default(),
                };
                let start = (line(line_number), line(column_number));
                Some(Self { name, file: file.0, start, ..Self::default() })
            }
            _ => None,
        }
    }

    /// Parses `file(line): name`. The line is the one that executes when the function is entered:
    /// its first line, except where a generator resumes or the recording began inside the function.
    /// Modules (`nn.Module: Linear_0`) and functions written in C have only a name.
    fn of_pytorch(text: &'e str) -> Option<Self> {
        let (place, name) = text.rsplit_once("): ")?;
        let (file, line) = place.rsplit_once('(')?;
        Some(Self {
            name: name.into(),
            file: file.into(),
            at: (line.parse().ok()?, 0),
            ..Self::default()
        })
    }

    /// Parses `name (file:line)` with the line where the function starts; functions written in C
    /// have only a name.
    fn of_viztracer(text: &'e str) -> Option<Self> {
        let (name, place) = text.strip_suffix(')')?.split_once(" (")?;
        let (file, line) = place.rsplit_once(':')?;
        let start = (line.parse().ok()?, 0);
        Some(Self { name: name.into(), file: file.into(), start, ..Self::default() })
    }

    /// The frame of an event with this name.
    pub(super) fn frame(
        &self,
        name: &str,
        builder: &mut ProfileBuilder,
    ) -> Result<FrameId, BuildError> {
        let name = if self.name.is_empty() { name } else { &self.name };
        let (line, column) = self.start;
        let func = FuncText { name, file: &self.file, lib: "", line, column }.intern(builder)?;
        let (line, column) = self.at;
        builder.intern_frame(Frame { column, ..Frame::new(func, line) })
    }
}

/// Parses a line or column.
pub(super) fn line(raw: Option<Raw<'_>>) -> u32 {
    number(raw).map_or(0, position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_all_tools_are_read() {
        let none = (0, 0);
        for (event, name, file, start, at) in [
            (r#"{"cat":"py-spy","args":{"filename":"a.py","line":7}}"#, "", "a.py", none, (7, 0)),
            (r#"{"args":{"filename":"","line":0}}"#, "", "", none, none),
            (
                r#"{".file":"src/main.rs",".line":58,"args":{"line":"3","url":"x"}}"#,
                "",
                "src/main.rs",
                none,
                (58, 0),
            ),
            (r#"{"cat":"fee","name":"A.f (/p (1)/a.py:12)"}"#, "A.f", "/p (1)/a.py", (12, 0), none),
            (
                r#"{"cat":"FEE","name":"f (<frozen runpy>:86)"}"#,
                "f",
                "<frozen runpy>",
                (86, 0),
                none,
            ),
            (
                r#"{"cat":"python_function","name":"torch/nn/modules/module.py(1501): _call_impl","args":{"line":7,"url":"x"}}"#,
                "_call_impl",
                "torch/nn/modules/module.py",
                none,
                (1501, 0),
            ),
            (
                r#"{"cat":"python_function","name":"/p (1)/a.py(3): <lambda>"}"#,
                "<lambda>",
                "/p (1)/a.py",
                none,
                (3, 0),
            ),
            (
                r#"{"args":{"url":"/app/x.js","line":"13","column":8,"funcLine":"11","funcColumn":2,"category":"JavaScript"}}"#,
                "",
                "/app/x.js",
                (11, 2),
                (13, 8),
            ),
            (
                r#"{"args":{"data":{"functionName":"tick","url":"http://h/x.js","lineNumber":12,"columnNumber":18}}}"#,
                "tick",
                "http://h/x.js",
                (12, 18),
                none,
            ),
            (
                r#"{"name":"EvaluateScript","args":{"data":{"url":"x.js","lineNumber":3}}}"#,
                "",
                "x.js",
                (3, 0),
                none,
            ),
            (
                r#"{"name":"v8.compile","args":{"fileName":"x.js","data":{"url":"x.js","lineNumber":1,"columnNumber":1}}}"#,
                "",
                "x.js",
                (1, 1),
                none,
            ),
            (
                r#"{"args":{"data":{"functionName":"","url":"x.js","lineNumber":1}}}"#,
                "(anonymous)",
                "x.js",
                (1, 0),
                none,
            ),
        ] {
            let expected = Place { name: name.into(), file: file.into(), start, at };
            let (parsed, _) = Event::parse(event.as_bytes()).unwrap();
            assert_eq!(Place::of(&parsed), Some(expected), "{event}");
        }
        for event in [
            "{}",
            r#"{"cat":"fee","name":"builtins.sum"}"#,
            r#"{"cat":"python_function","name":"nn.Module: Linear_0"}"#,
            r#"{"cat":"python_function","name":"<built-in method run_backward of torch._C._EngineBase object at 0x7f0c>"}"#,
            r#"{"cat":"cpu_op","name":"a.py(3): f"}"#,
            r#"{"name":"fetch (http://h:80)"}"#,
            r#"{"args":{"url":"http://h/data.json"}}"#,
            r#"{"args":{"url":5,"line":1}}"#,
            r#"{"args":[1]}"#,
            r#"{"args":{"data":{"url":"http://h/x.js","priority":"Low"}}}"#,
        ] {
            assert_eq!(Place::of(&Event::parse(event.as_bytes()).unwrap().0), None, "{event}");
        }
    }
}
