//! The system calls of a server, recorded by `strace`.
//!
//! Without `strace` a test is skipped with a message, or fails if `COSTLINE_REQUIRE_TOOLS` is set.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::skip::skip_required;
use tempfile::TempDir;

/// What every program of the system opens: its libraries, and what there is of processors.
const SYSTEM: [&str; 7] = [
    "/etc/ld.so.cache",
    "/lib",
    "/usr/lib",
    "/proc/",
    "/sys/fs/cgroup",
    "/sys/devices",
    "/dev/null",
];

/// System calls that change the names of files.
const RENAMING: [&str; 12] = [
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "rmdir",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
];

/// A recording of the system calls of a server.
pub struct Trace {
    logs: TempDir,
    command: Vec<String>,
}

impl Trace {
    /// A new recording. `None` if there is no `strace`.
    #[track_caller]
    pub fn new() -> Option<Self> {
        let version = Command::new("strace").arg("--version").stdout(Stdio::null()).status();
        if !version.is_ok_and(|status| status.success()) {
            skip_required("strace is not installed");
            return None;
        }
        let logs = tempfile::tempdir().unwrap();
        // One log per thread, with the files of descriptors in full.
        let words = ["strace", "-ff", "-qq", "-y", "-s", "4096", "--seccomp-bpf"];
        let what = ["-e", "trace=%file,%network,execve,execveat", "-o"];
        let mut command: Vec<_> = words.iter().chain(&what).map(|&word| word.to_owned()).collect();
        command.push(logs.path().join("thread").to_str().unwrap().to_owned());
        Some(Self { logs, command })
    }

    /// The command that records the program in its last arguments.
    pub fn command(&self) -> impl Iterator<Item = &str> {
        self.command.iter().map(String::as_str)
    }

    /// The system calls, without those that failed.
    fn calls(&self) -> Vec<String> {
        let mut calls = Vec::new();
        for log in fs::read_dir(self.logs.path()).unwrap() {
            let log = fs::read(log.unwrap().path()).unwrap();
            let log = String::from_utf8_lossy(&log).into_owned();
            calls.extend(log.lines().filter(|call| !call.contains(") = -1 ")).map(str::to_owned));
        }
        assert!(calls.iter().any(|call| name(call) == "openat"), "strace recorded nothing");
        calls
    }

    /// The server has opened only files in these folders (and those of the [`SYSTEM`]), has changed
    /// files only in those of `written`, has opened no socket, and has started only itself.
    pub fn assert_confined(&self, read: &[&Path], written: &[&Path]) {
        let is_below =
            |path: &Path, folders: &[&Path]| folders.iter().any(|folder| path.starts_with(folder));
        for call in self.calls() {
            match name(&call) {
                "open" | "openat" | "openat2" | "creat" => {
                    let path = opened(&call);
                    let changes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "creat("]
                        .iter()
                        .any(|flag| call.contains(flag));
                    let is_system =
                        SYSTEM.iter().any(|prefix| path.to_string_lossy().starts_with(prefix));
                    let allowed = if changes {
                        is_below(&path, written) || path == Path::new("/dev/null")
                    } else {
                        is_system || is_below(&path, read) || is_below(&path, written)
                    };
                    assert!(allowed, "opened: {call}");
                }
                "execve" | "execveat" => {
                    let program = quoted(&call).next().unwrap_or_default();
                    let own = [env!("CARGO_BIN_EXE_costline"), "/proc/self/exe"];
                    assert!(own.contains(&program), "executed: {call}");
                }
                "socket" | "connect" | "bind" | "listen" | "sendto" => {
                    panic!("a socket: {call}");
                }
                name if RENAMING.contains(&name) => {
                    let mut paths = quoted(&call).filter(|path| path.starts_with('/'));
                    assert!(
                        paths.all(|path| is_below(Path::new(path), written)),
                        "changed: {call}"
                    );
                }
                _ => {}
            }
        }
    }

    /// Whether a system call has this text, also one that failed.
    pub fn mentions(&self, text: &str) -> bool {
        fs::read_dir(self.logs.path()).unwrap().any(|log| {
            let log = fs::read(log.unwrap().path()).unwrap();
            String::from_utf8_lossy(&log).contains(text)
        })
    }
}

fn name(call: &str) -> &str {
    call.split('(').next().unwrap_or_default()
}

/// The path of the file that a call has opened: `… = 3</home/me/file>`. A call that the end of the
/// process interrupted has no result (`… = ?`): then it is the path that was asked for.
fn opened(call: &str) -> PathBuf {
    let result = call.rsplit(" = ").next().unwrap_or_default();
    if result.trim() == "?" {
        let folder = call.split(['<', '>']).nth(1).unwrap_or_default();
        return Path::new(folder).join(quoted(call).next().unwrap_or_default());
    }
    let path = result.split_once('<').map_or("", |(_, path)| path);
    path.trim_end_matches("(deleted)").trim_end_matches('>').into()
}

/// The texts between quotes.
fn quoted(call: &str) -> impl Iterator<Item = &str> {
    call.split('"').skip(1).step_by(2)
}
