//! V8 `.heapprofile`: the result of the sampling heap profiler, as Node.js (`--heap-prof`) and
//! Chromium write it.
//!
//! The file is a tree of nested nodes, one per call path, each with the bytes that were allocated
//! there and are still alive (`selfSize`, scaled up from the samples by V8), and a list of all
//! samples, which is the same by time. A node has the place where its function *starts*; no place
//! says where code was executing.
//!
//! The tree is as deep as the stacks, deeper than a recursive JSON decoder allows, so it is read
//! with the scanner.

use super::v8::{CallFrame, without_wrapper};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::nested::{self, Nodes};
use crate::scan::{Scanned, Scanner, Stop};
use profile::{
    LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread, WarningCode,
    Warnings, Weights,
};

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let bytes = without_wrapper(bytes);
    let mut scanner = Scanner::new(bytes);
    let mut tree = Tree::default();
    let walked = scanner.object(&mut |scanner, key| {
        if key == b"head" { nested::walk(scanner, &mut tree) } else { scanner.skip() }
    });
    walked.map_err(|stop| match (stop, tree.failed) {
        (Stop::End, _) => {
            let message = "the JSON ends in the middle; expected the rest of the profile";
            ReadError::truncated(At::Byte(bytes.len() as u64), message)
        }
        (_, Some((at, reason))) => ReadError::malformed(At::Byte(at as u64), reason),
        (_, None) => {
            let message = "expected a tree of nodes with `callFrame`, `selfSize` and `children`";
            ReadError::malformed(At::Byte(scanner.at() as u64), message)
        }
    })?;

    let metric = Metric::new("selfSize", "bytes", None).with_lines(LineKnowledge::Nothing);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut warnings = Warnings::default();
    let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let caller = node.caller.and_then(|row| stacks.get(row).copied().flatten());
        stacks.push(match &node.call_frame {
            Some(call_frame) if !call_frame.is_root() => {
                let func = call_frame.intern(&mut builder)?;
                Some(call_frame.stack(&mut builder, caller, func, (0, 0))?)
            }
            Some(_) => caller,
            None => {
                warnings.add(WarningCode::NoCallFrame, || {
                    "a node has no callFrame; its bytes are added to its caller".to_owned()
                });
                caller
            }
        });
    }
    let (stacks, sizes): (Vec<_>, Vec<_>) = stacks
        .into_iter()
        .zip(tree.nodes.iter().map(|node| node.size))
        .filter(|(_, size)| *size != 0.0)
        .unzip();
    let samples = Samples::new(stacks, vec![Weights::Each(sizes)]);
    builder.push_thread(Thread::default(), samples)?;
    let recording = Recording::Stacks(builder.build());
    Ok(Read::new(Format::HeapProfile, recording, warnings))
}

/// Nodes in file order: callers before their callees.
#[derive(Default)]
struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// The byte offset and the message of the first bad value.
    failed: Option<(usize, String)>,
}

#[derive(Default)]
struct Node<'a> {
    caller: Option<usize>,
    call_frame: Option<CallFrame<'a>>,
    size: f64,
}

impl<'a> Nodes<'a> for Tree<'a> {
    fn begin(&mut self, caller: Option<usize>) {
        self.nodes.push(Node { caller, ..Node::default() });
    }

    fn member(&mut self, node: usize, key: &[u8], value: &'a [u8], at: usize) -> Scanned {
        let node = self.nodes.get_mut(node).ok_or(Stop::Broken)?;
        let decoded = match key {
            b"callFrame" => {
                serde_json::from_slice(value).map(|call_frame| node.call_frame = Some(call_frame))
            }
            b"selfSize" => serde_json::from_slice(value).map(|size| node.size = size),
            _ => Ok(()),
        };
        decoded.map_err(|error| {
            self.failed = Some((at, format!("{}: {error}", String::from_utf8_lossy(key))));
            Stop::Broken
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use profile::StackAccess;

    /// Each row as `caller>callee:start bytes`.
    fn rows(text: &str) -> String {
        let read = read(text.as_bytes()).unwrap();
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        let samples = &profile.samples()[0];
        let row = |i: usize| {
            let up =
                std::iter::successors(samples.stack(i), |&stack| profile.stacks().prefix(stack));
            let name = |stack| {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                assert_eq!(frame.line, 0, "where a function starts is no executing line");
                let start = profile.symbols().funcs.get(frame.func).line;
                format!("{}:{start}", profile.symbols().func_name(frame.func))
            };
            let mut names: Vec<_> = up.map(name).collect();
            names.reverse();
            format!("{} {}", names.join(">"), samples.weights()[0].get(i))
        };
        let rows: Vec<_> = (0..samples.len()).map(row).collect();
        rows.join(", ")
    }

    fn node(name: &str, line: i64, size: u32, children: &str) -> String {
        format!(
            r#"{{"callFrame":{{"functionName":"{name}","scriptId":"7","url":"","lineNumber":{line},"columnNumber":0}},
            "selfSize":{size},"id":1,"children":[{children}]}}"#
        )
    }

    #[test]
    fn bytes_go_to_the_functions_that_allocated_them() {
        let leaves = format!("{}, {}", node("hash", 4, 30, ""), node("", 8, 5, ""));
        let tree = node(
            "(root)",
            -1,
            0,
            &format!("{},{}", node("main", 0, 12, &leaves), node("(V8 API)", -1, 7, "")),
        );
        let text = format!(r#"{{"head":{tree},"samples":[{{"size":30,"nodeId":1,"ordinal":3}}]}}"#);
        assert_eq!(
            rows(&text),
            "main:1 12, main:1>hash:5 30, main:1>(anonymous):9 5, (V8 API):0 7"
        );
        assert_eq!(
            rows(&format!(r#"{{"profile":{text}}}"#)),
            rows(&text),
            "as the inspector answers"
        );
        let read = read(text.as_bytes()).unwrap();
        let metric = &read.recording.metrics()[0];
        assert_eq!(
            (metric.name.as_str(), metric.unit.as_str(), metric.lines),
            ("selfSize", "bytes", LineKnowledge::Nothing)
        );
    }

    #[test]
    fn members_in_any_order() {
        let frame = |name: &str| format!(r#""callFrame":{{"functionName":"{name}"}}"#);
        let (f, g) = (frame("f"), frame("g"));
        let text = format!(
            r#"{{"samples":[],"head":{{"children":[{{"children":[],"selfSize":3,{g}}},{{"selfSize":1}}],{f}}}}}"#
        );
        assert_eq!(rows(&text), "f:0>g:0 3, f:0 1");
        assert_eq!(
            read(text.as_bytes()).unwrap().warnings.as_slice()[0].code,
            WarningCode::NoCallFrame
        );
    }

    #[test]
    fn a_hundred_thousand_levels_are_read_without_recursion() {
        let level = r#"{"callFrame":{"functionName":"f"},"selfSize":1,"children":["#;
        let text = format!(r#"{{"head":{}{}}}"#, level.repeat(100_000), "]}".repeat(100_000));
        let read = read(text.as_bytes()).unwrap();
        let Recording::Stacks(profile) = read.recording else { panic!("it has stacks") };
        assert_eq!(profile.stacks().len(), 100_000);
    }

    #[test]
    fn broken_files_are_errors_with_places() {
        for (text, kind, message) in [
            (
                r#"{"head":{"selfSize":1"#,
                ErrorKind::Truncated,
                "byte 21: the JSON ends in the middle; expected the rest of the profile",
            ),
            (
                r#"{"head":{"selfSize":"many"}}"#,
                ErrorKind::Malformed,
                "byte 20: selfSize: invalid type: string \"many\", expected f64 at line 1 column 6",
            ),
            (
                r#"{"head":[1]}"#,
                ErrorKind::Malformed,
                "byte 8: expected a tree of nodes with `callFrame`, `selfSize` and `children`",
            ),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.to_string().as_str()), (kind, message));
        }
    }
}
