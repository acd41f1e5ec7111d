//! Parses texts in another process first, which may take little memory.
//!
//! For some texts with syntax errors, tree-sitter takes memory that grows with the square of their
//! length, and it ends the process if an allocation fails. Nothing in its interface limits that, so a
//! helper process parses each longer text first, under a limit of the operating system. If that
//! succeeds, this process parses the text, too; if not, the text counts as one without a grammar. Only
//! Linux enforces the limit on memory; on other systems, the deadline alone ends the helper.
//!
//! The helper is this program itself ([`use_helper`]). Without that call, nothing is tried first.

use std::collections::HashMap;
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::language::Language;
use super::tree;
use crate::process_limits::limit_memory;

/// Shorter texts take at most some 50 MB, and are not tried.
const MIN_BYTES: usize = 2 << 10;
/// The address space of the helper. A text of the greatest length that is parsed takes half.
const MAX_MEMORY: u64 = 1 << 30;
/// How long the helper may take for one text. That is many times what the limits of a parse allow.
const DEADLINE: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 10 });
/// How many outcomes are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// What became of a text in the helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Outcome {
    /// It must not be parsed.
    Refused = b'0',
    /// It has syntax errors.
    WithErrors = b'1',
    /// It has none.
    Clean = b'2',
}

/// How to start a helper: a program and its arguments, with which it calls [`serve`].
static HELPER: OnceLock<(OsString, Vec<OsString>)> = OnceLock::new();

/// The helpers that have nothing to do.
static IDLE: Mutex<Vec<Helper>> = Mutex::new(Vec::new());

/// The outcomes of texts, by a hash that the author of a text cannot foresee.
static OUTCOMES: LazyLock<(RandomState, Mutex<HashMap<u64, Outcome>>)> =
    LazyLock::new(Default::default);

/// Sets the program that tries texts first. With `arguments`, it must call [`serve`].
pub fn use_helper(program: OsString, arguments: Vec<OsString>) {
    // A second call changes nothing.
    let _ = HELPER.set((program, arguments));
}

/// The work of a helper: reads texts from standard input until it ends, and writes the outcome of
/// each to standard output.
pub fn serve() -> io::Result<()> {
    limit_memory(MAX_MEMORY);
    // The name in lists of processes.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"costline-parse");
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut head = [0; 5];
    while input.read_exact(&mut head).is_ok() {
        let [language, length @ ..] = head;
        let mut text = vec![0; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut text)?;
        let language = Language::ALL.get(usize::from(language));
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        let tree = language.and_then(|&language| tree::parse(language, &text, None));
        let outcome = match tree {
            None => Outcome::Refused,
            Some(tree) if tree.root_node().has_error() => Outcome::WithErrors,
            Some(_) => Outcome::Clean,
        };
        output.write_all(&[outcome as u8])?;
        output.flush()?;
    }
    Ok(())
}

/// What a helper makes of a text. `None` if it need not be tried.
pub(super) fn outcome(language: Language, text: &str) -> Option<Outcome> {
    let (program, arguments) = HELPER.get().filter(|_| text.len() >= MIN_BYTES)?;
    let (hasher, outcomes) = &*OUTCOMES;
    let hash = hasher.hash_one((language as u8, text));
    if let Some(known) = lock(outcomes).get(&hash) {
        return Some(*known);
    }
    // Without a helper, nothing is known about the text.
    let Ok(outcome) = tried(program, arguments, language, text) else {
        return Some(Outcome::Refused);
    };
    let mut outcomes = lock(outcomes);
    if outcomes.len() >= MAX_REMEMBERED {
        outcomes.clear();
    }
    outcomes.insert(hash, outcome);
    Some(outcome)
}

/// What a helper makes of a text. The text is refused if two helpers end or take too long: one may
/// have been ended by the system, or had to wait for other programs.
///
/// # Errors
/// No helper can be started.
fn tried(
    program: &OsString,
    arguments: &[OsString],
    language: Language,
    text: &str,
) -> io::Result<Outcome> {
    let start = || Helper::start(program, arguments);
    let idle = lock(&IDLE).pop();
    let first = idle.map_or_else(start, Ok)?;
    if let Some(outcome) = first.outcome(language, text) {
        return Ok(outcome);
    }
    Ok(start()?.outcome(language, text).unwrap_or(Outcome::Refused))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A helper process.
struct Helper {
    process: Child,
    input: ChildStdin,
    /// Its answers. A thread reads them, because a read of a pipe has no deadline.
    answers: Receiver<u8>,
}

impl Helper {
    fn start(program: &OsString, arguments: &[OsString]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments);
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt as _;
            const CREATE_NO_WINDOW: u32 = 0x0800_0000;
            command.creation_flags(CREATE_NO_WINDOW);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (sender, answers) = sync_channel(1);
        std::thread::spawn(move || {
            for answer in BufReader::new(output).bytes().map_while(Result::ok) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, input, answers })
    }

    /// What it makes of a text; it has nothing to do then. `None` if it ends or takes too long: it is
    /// ended in any case.
    fn outcome(mut self, language: Language, text: &str) -> Option<Outcome> {
        let outcome = self.ask(language, text)?;
        lock(&IDLE).push(self);
        Some(outcome)
    }

    fn ask(&mut self, language: Language, text: &str) -> Option<Outcome> {
        let length = u32::try_from(text.len()).ok()?.to_le_bytes();
        self.input.write_all(&[language as u8]).ok()?;
        self.input.write_all(&length).ok()?;
        self.input.write_all(text.as_bytes()).ok()?;
        let answer = self.answers.recv_timeout(DEADLINE).ok()?;
        [Outcome::Refused, Outcome::WithErrors, Outcome::Clean]
            .into_iter()
            .find(|outcome| *outcome as u8 == answer)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_text_is_refused_if_two_helpers_do_not_answer() {
        let text = "fn f() {}";
        let folder = tempfile::tempdir().unwrap();
        let of_script = |script: &str| {
            let started = folder.path().join("started").into_os_string();
            let arguments = ["-c".into(), format!("echo >>\"$0\"; {script}").into(), started];
            tried(&"sh".into(), &arguments, Language::Rust, text)
        };
        let n_started = || std::fs::read(folder.path().join("started")).unwrap().len();
        // It reads everything and answers nothing.
        assert_eq!(of_script("cat >/dev/null").unwrap(), Outcome::Refused);
        assert_eq!(n_started(), 2);
        assert!(lock(&IDLE).is_empty());
        // The fourth one answers once it has read the language, the length and the text.
        let n_bytes = 1 + 4 + text.len();
        let fourth = format!("head -c {n_bytes} >/dev/null; printf 2; cat >/dev/null");
        let script = format!("test $(wc -l <\"$0\") = 4 || exit; {fourth}");
        assert_eq!(of_script(&script).unwrap(), Outcome::Clean);
        assert_eq!(lock(&IDLE).drain(..).count(), 1);
        assert_eq!(n_started(), 4);
        assert!(tried(&"/nothing".into(), &[], Language::Rust, text).is_err());
    }
}
