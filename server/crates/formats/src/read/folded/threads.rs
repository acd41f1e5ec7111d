//! The thread that a stack begins with.

use super::super::austin;
use profile::Thread;

/// The thread at the beginning of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadPrefix<'a> {
    /// `P<pid>;T<interpreter>:<tid>`.
    Austin(austin::ThreadPrefix<'a>),
    /// `thread (<tid>): <name>`, or `thread (<tid>)` as long as py-spy does not know the name. With
    /// subprocesses, `process <pid>:"<command>"` is before it, once for each process around.
    PySpy { process: Option<(&'a str, &'a str)>, tid: &'a str, name: &'a str },
}

impl<'a> ThreadPrefix<'a> {
    /// Splits a stack into its thread, if it begins with one, and its frames.
    pub(super) fn split(stack: &'a str) -> (Option<Self>, &'a str) {
        if let (Some(thread), frames) = austin::thread(stack) {
            return (Some(Self::Austin(thread)), frames);
        }
        py_spy(stack).map_or((None, stack), |(thread, frames)| (Some(thread), frames))
    }

    /// The process and thread, which are the same for all stacks of a thread.
    pub(super) fn key(&self) -> (&'a str, &'a str) {
        match *self {
            Self::Austin(thread) => ("", thread.text),
            Self::PySpy { process, tid, .. } => (process.map_or("", |(pid, _)| pid), tid),
        }
    }

    /// The name of the thread. Empty if it is unknown.
    pub(super) fn name(&self) -> &'a str {
        match *self {
            Self::Austin(thread) => thread.text,
            Self::PySpy { name, .. } => name,
        }
    }

    pub(super) fn to_thread(self) -> Thread {
        match self {
            Self::Austin(thread) => thread.to_thread(),
            Self::PySpy { process, tid, name } => Thread {
                name: name.to_owned(),
                tid: Some(tid.to_owned()),
                pid: process.map(|(pid, _)| pid.to_owned()),
                process_name: process.map_or_else(String::new, |(_, command)| command.to_owned()),
                ..Thread::default()
            },
        }
    }
}

fn py_spy(stack: &str) -> Option<(ThreadPrefix<'_>, &str)> {
    let (mut process, mut rest) = (None, stack);
    while let Some((inner, after)) = py_spy_process(rest) {
        (process, rest) = (Some(inner), after);
    }
    let rest = rest.strip_prefix("thread (")?;
    let (first, frames) = rest.split_once(';').unwrap_or((rest, ""));
    let (tid, name) = first.split_once(')')?;
    let digits = tid.strip_prefix("0x").unwrap_or(tid);
    let is_id = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = if name.is_empty() { name } else { name.strip_prefix(": ")? };
    is_id.then_some((ThreadPrefix::PySpy { process, tid, name }, frames))
}

/// The id and command of the process at the beginning of a stack, and what is behind it.
fn py_spy_process(stack: &str) -> Option<((&str, &str), &str)> {
    let (pid, rest) = stack.strip_prefix("process ")?.split_once(":\"")?;
    let (command, rest) = rest.split_once("\";")?;
    pid.bytes().all(|byte| byte.is_ascii_digit()).then_some(((pid, command), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_py_spy_precede_their_frames() {
        let show = |stack| {
            let (thread, frames) = ThreadPrefix::split(stack);
            let Some(thread) = thread else { return frames.to_owned() };
            let Thread { name, tid, pid, process_name, .. } = thread.to_thread();
            let [tid, pid] = [tid, pid].map(Option::unwrap_or_default);
            format!("{name}|{tid}|{process_name}|{pid}|{frames}")
        };
        let cases = [
            ("thread (17839): MainThread;f (a.py:1)", "MainThread|17839|||f (a.py:1)"),
            ("thread (0x7F3A);f (a.py:1)", "|0x7F3A|||f (a.py:1)"),
            ("thread (7): a: b", "a: b|7|||"),
            (
                "process 1:\"sh\";process 5:\"python3 a;b.py\";thread (7): x;f (a.py:1)",
                "x|7|python3 a;b.py|5|f (a.py:1)",
            ),
            ("P1;T0:2;f", "P1;T0:2|2||1|f"),
        ];
        for (stack, expected) in cases {
            assert_eq!(show(stack), expected);
        }
        for stack in ["thread (main.py:3);f", "thread ();f", "threads (1);f", "thread (1) f;g"] {
            assert_eq!(show(stack), stack);
        }
        let key = |stack| ThreadPrefix::split(stack).0.map(|thread| thread.key());
        assert_eq!(key("thread (7): x;f"), key("thread (7)"));
        assert_ne!(key("thread (7): x;f"), key("process 5:\"x\";thread (7): x;f"));
    }
}
