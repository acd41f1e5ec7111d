//! Work that untrusted input may make take any memory, done in another process of this program.
//!
//! An allocation that fails ends a process, and what a parser needs is only known by parsing. So a helper
//! does the work first, under a limit of the operating system ([`Guard::ask`]). If it succeeds, this
//! process can do it too, or use the answer. Only Linux enforces the limit on memory; elsewhere, the deadline alone ends a
//! helper.
//!
//! A helper is this program itself ([`use_helper`]), which calls [`serve`]. Requests are a length (`u32`,
//! little-endian) and as many bytes on standard input; answers are the same on standard output.

use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait for an answer between two calls of `observe`.
const INTERVAL: Duration = Duration::from_millis(20);
/// The longest request or answer, in bytes.
const MAX_LEN: u32 = 64 << 20;

/// A program and its arguments, before the name of the work and the limit on memory.
static HELPER: OnceLock<(OsString, Vec<OsString>)> = OnceLock::new();

/// Sets the program that does work first. With `arguments`, the name of the work and a number of bytes,
/// it must call [`serve`]. A second call changes nothing.
pub fn use_helper(program: OsString, arguments: Vec<OsString>) {
    let _ = HELPER.set((program, arguments));
}

/// Does `work` for each request on standard input until that ends, with at most `memory` bytes of address
/// space.
///
/// # Errors
/// A request is cut or too long, or `work` fails: there is no answer then.
pub fn serve(memory: u64, work: impl Fn(&[u8]) -> io::Result<Vec<u8>>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    limit_memory(memory);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = receive(&mut input)? {
        send(&mut output, &work(&request)?)?;
    }
    Ok(())
}

/// Writes a length and as many bytes.
fn send(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let too_long = |_| io::Error::from(io::ErrorKind::InvalidInput);
    output.write_all(&u32::try_from(bytes.len()).map_err(too_long)?.to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// Reads a length and as many bytes. `None` at the end of the input.
fn receive(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    if input.read_exact(&mut length).is_err() {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_LEN {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The helper answered.
    Answered(Vec<u8>),
    /// The helper ended, or took too long.
    Failed,
    /// There is no helper, or it could not be started.
    Unguarded,
}

/// One kind of work.
#[derive(Debug)]
pub struct Guard {
    name: &'static str,
    deadline: Duration,
    /// Helpers that have nothing to do. `None` if each request has a helper of its own.
    idle: Option<Mutex<Vec<Helper>>>,
}

impl Guard {
    /// Work with this name, which may take so long. Each request has a helper of its own.
    pub const fn new(name: &'static str, deadline: Duration) -> Self {
        Self { name, deadline, idle: None }
    }

    /// The same, with helpers that are kept for the next request, which must have the same limit on memory.
    pub const fn with_kept_helpers(name: &'static str, deadline: Duration) -> Self {
        Self { name, deadline, idle: Some(Mutex::new(Vec::new())) }
    }

    /// Whether there is a helper.
    pub fn is_set() -> bool {
        HELPER.get().is_some()
    }

    /// Sends a request to a helper with `memory` bytes of address space. Breaks if `observe` does; the
    /// helper is ended then.
    pub fn ask(
        &self,
        memory: u64,
        request: &[u8],
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Outcome> {
        let Some((program, arguments)) = HELPER.get() else {
            return ControlFlow::Continue(Outcome::Unguarded);
        };
        let start = || {
            let mut command = Command::new(program);
            command.args(arguments).arg(self.name).arg(memory.to_string());
            Helper::start(command)
        };
        self.ask_with(start, request, observe)
    }

    fn ask_with(
        &self,
        start: impl FnOnce() -> io::Result<Helper>,
        request: &[u8],
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Outcome> {
        let idle = self.idle.as_ref().and_then(|idle| lock(idle).pop());
        let Ok(mut helper) = idle.map_or_else(start, Ok) else {
            return ControlFlow::Continue(Outcome::Unguarded);
        };
        let answer = helper.ask(request, self.deadline, observe)?;
        let Some(answer) = answer else { return ControlFlow::Continue(Outcome::Failed) };
        if let Some(idle) = &self.idle {
            lock(idle).push(helper);
        }
        ControlFlow::Continue(Outcome::Answered(answer))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A helper process, which ends when this is dropped.
#[derive(Debug)]
struct Helper {
    process: Child,
    input: ChildStdin,
    /// Its answers. A thread reads them, because a read of a pipe has no deadline.
    answers: Receiver<Vec<u8>>,
}

impl Helper {
    fn start(mut command: Command) -> io::Result<Self> {
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
            let mut output = BufReader::new(output);
            while let Ok(Some(answer)) = receive(&mut output) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, input, answers })
    }

    /// The answer to a request. `None` if the helper ends or takes too long.
    fn ask(
        &mut self,
        request: &[u8],
        deadline: Duration,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Option<Vec<u8>>> {
        let begun = Instant::now();
        if send(&mut self.input, request).is_err() {
            return ControlFlow::Continue(None);
        }
        loop {
            observe()?;
            match self.answers.recv_timeout(INTERVAL) {
                Ok(answer) => return ControlFlow::Continue(Some(answer)),
                Err(RecvTimeoutError::Timeout) if begun.elapsed() < deadline => {}
                Err(_) => return ControlFlow::Continue(None),
            }
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Limits the address space of this process to `bytes`. If it reaches the limit, it leaves no core
/// file. Has an effect on Unix only, and macOS does not enforce it.
#[cfg(unix)]
fn limit_memory(bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [(Resource::As, bytes), (Resource::Core, 0)] {
        let Rlimit { current, maximum } = getrlimit(resource);
        let current = Some(current.unwrap_or(u64::MAX).min(most));
        // Without a limit, deadlines are left.
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

/// Limits the address space of this process. Has no effect on this system.
#[cfg(not(unix))]
fn limit_memory(_: u64) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use ControlFlow::{Break, Continue};

    fn script(script: &str) -> io::Result<Helper> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Helper::start(command)
    }

    fn go_on() -> ControlFlow<()> {
        Continue(())
    }

    #[test]
    fn a_helper_that_ends_or_takes_too_long_has_failed_and_is_ended() {
        let guard = Guard::new("work", Duration::from_millis(50));
        let asked = |text: &str| guard.ask_with(|| script(text), b"request", &mut go_on);
        assert_eq!(asked("exit 1"), Continue(Outcome::Failed));
        assert_eq!(asked("cat >/dev/null"), Continue(Outcome::Failed));
        assert_eq!(
            guard.ask_with(|| Helper::start(Command::new("/nothing")), b"", &mut go_on),
            Continue(Outcome::Unguarded)
        );

        let mut helper = script("exec sleep 600").unwrap();
        let process = format!("/proc/{}", helper.process.id());
        let asked = helper.ask(b"", Duration::from_secs(600), &mut || Break(()));
        assert_eq!(asked, Break(()));
        drop(helper);
        assert!(!std::path::Path::new(&process).exists());
    }

    #[test]
    fn a_helper_that_answers_is_kept_for_the_next_request() {
        // It answers with one byte once it has read the length and seven bytes, twice.
        let twice = r"for n in 1 2; do head -c 11 >/dev/null; printf '\001\000\000\000'$n; done";
        let guard = Guard::with_kept_helpers("work", Duration::from_secs(600));
        let mut n_started = 0;
        for answer in [b'1', b'2'] {
            let start = || {
                n_started += 1;
                script(twice)
            };
            let asked = guard.ask_with(start, b"request", &mut go_on);
            assert_eq!(asked, Continue(Outcome::Answered(vec![answer])));
        }
        assert_eq!(n_started, 1);
    }
}
