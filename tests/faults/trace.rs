//! The system calls of a server, recorded by `strace`.
//!
//! Without `strace` a test is skipped with a message, or fails if `COSTLINE_REQUIRE_TOOLS` is set.

use std::fs;
use std::path::{Component, Path, PathBuf};
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

/// System calls that change a folder, or the file with a name: its size, its rights, its owner, its times.
const CHANGING: [&str; 31] = [
    "chmod",
    "chown",
    "fchmodat",
    "fchmodat2",
    "fchownat",
    "futimesat",
    "lchown",
    "link",
    "linkat",
    "lremovexattr",
    "lsetxattr",
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "removexattr",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "setxattr",
    "symlink",
    "symlinkat",
    "truncate",
    "truncate64",
    "unlink",
    "unlinkat",
    "utime",
    "utimensat",
    "utimensat_time64",
    "utimes",
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

    /// The files that were opened, in no order.
    pub fn opened(&self) -> Vec<PathBuf> {
        let calls = self.calls();
        let opening = calls.iter().filter(|call| name(call).starts_with("open"));
        opening.map(|call| opened(call)).collect()
    }

    /// The server has opened only files in these folders (and those of the [`SYSTEM`]), has changed
    /// files only in those of `written`, has opened no socket, and has started only itself.
    pub fn assert_confined(&self, read: &[&Path], written: &[&Path]) {
        let is_below =
            |path: &Path, folders: &[&Path]| folders.iter().any(|folder| path.starts_with(folder));
        let calls = self.calls();
        // That of the loader, which opens libraries before the program begins.
        let current =
            calls.iter().find_map(|call| folder(call.split_once("(AT_FDCWD")?.1)).unwrap();
        for call in calls {
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
                "chdir" | "fchdir" => panic!("names are relative to another folder now: {call}"),
                name if CHANGING.contains(&name) => {
                    let paths = changed(&call, &current);
                    let allowed = paths.iter().all(|path| is_below(path, written));
                    assert!(allowed && !paths.is_empty(), "changed: {call}");
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
        return without_dots(&Path::new(folder).join(quoted(call).next().unwrap_or_default()));
    }
    let path = result.split_once('<').map_or("", |(_, path)| path);
    path.trim_end_matches("(deleted)").trim_end_matches('>').into()
}

/// The files that a call of [`CHANGING`] changes. `current` is the current folder.
fn changed(call: &str, current: &Path) -> Vec<PathBuf> {
    let arguments = call.split_once('(').unwrap_or_default().1;
    let arguments: Vec<_> = arguments.split(", ").collect();
    let (mut paths, mut folder_of_next) = (Vec::new(), None);
    for argument in &arguments {
        if let Some(name) = argument.strip_prefix('"') {
            let name = name.split('"').next().unwrap_or_default();
            let folder = folder_of_next.take().unwrap_or_else(|| current.to_owned());
            paths.push(without_dots(&folder.join(name)));
        } else if folder_of_next.is_none() {
            folder_of_next = folder(argument);
        }
    }
    match name(call) {
        // What a link names is not changed.
        "symlink" | "symlinkat" => drop(paths.remove(0)),
        // The other texts are no names of files.
        name if name.ends_with("xattr") => paths.truncate(1),
        // Without a name, it is the file of the descriptor.
        "utimensat" if paths.is_empty() => paths.extend(folder_of_next),
        _ => {}
    }
    paths
}

/// The file of a descriptor: `AT_FDCWD</home/me>`, `3</home/me/file>`.
fn folder(argument: &str) -> Option<PathBuf> {
    let (_, path) = argument.split_once('<')?;
    Some(path.split('>').next()?.into())
}

/// A path without `..`, as if no folder were a link.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The texts between quotes.
fn quoted(call: &str) -> impl Iterator<Item = &str> {
    call.split('"').skip(1).step_by(2)
}

/// Whether the calls of a server in `/project` are confined: it may read there, and write in `/cache`.
fn is_confined(calls: &str) -> bool {
    let logs = tempfile::tempdir().unwrap();
    let library =
        r#"openat(AT_FDCWD</project>, "/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 3</lib/libc.so.6>"#;
    fs::write(logs.path().join("thread.1"), format!("{library}\n{calls}\n")).unwrap();
    let trace = Trace { logs, command: Vec::new() };
    let (project, cache) = (Path::new("/project"), Path::new("/cache"));
    std::panic::catch_unwind(|| trace.assert_confined(&[project], &[cache])).is_ok()
}

/// `@` stands for a name in a folder that may be changed and for one that may not.
#[test]
fn each_call_that_changes_a_file_elsewhere_is_found() {
    let absolute = [
        r#"chmod(@, 0700) = 0"#,
        r#"chown(@, 0, 0) = 0"#,
        r#"creat(@, 0666) = 4<@>"#,
        r#"link("/cache/a", @) = 0"#,
        r#"link(@, "/cache/a") = 0"#,
        r#"linkat(AT_FDCWD</project>, "/cache/a", AT_FDCWD</project>, @, 0) = 0"#,
        r#"mkdir(@, 0777) = 0"#,
        r#"mknod(@, S_IFIFO|0666) = 0"#,
        r#"openat(AT_FDCWD</project>, @, O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 4<@>"#,
        r#"openat(AT_FDCWD</project>, @, O_RDWR|O_CLOEXEC) = ?"#,
        r#"rename("/cache/a", @) = 0"#,
        r#"rename(@, "/cache/a") = 0"#,
        r#"renameat2(AT_FDCWD</project>, "/cache/a", AT_FDCWD</project>, @, RENAME_NOREPLACE) = 0"#,
        r#"rmdir(@) = 0"#,
        r#"setxattr(@, "user.a", "b", 1, 0) = 0"#,
        r#"symlink("/project/a", @) = 0"#,
        r#"truncate(@, 3) = 0"#,
        r#"unlink(@) = 0"#,
        r#"utimensat(AT_FDCWD</project>, @, NULL, 0) = 0"#,
    ];
    for call in absolute {
        assert!(
            is_confined(&call.replace("<@>", "</cache/b>").replace('@', "\"/cache/b\"")),
            "{call}"
        );
        for name in ["/project/b", "/cache/../b", "/cached/b"] {
            let real = format!("<{}>", without_dots(Path::new(name)).display());
            let call = call.replace("<@>", &real).replace('@', &format!("{name:?}"));
            assert!(!is_confined(&call), "{call}");
        }
    }
    // Relative to a folder, which is the current one without a descriptor.
    let relative = [
        r#"fchmodat(4<@>, "b", 0700) = 0"#,
        r#"fchownat(4<@>, "b", 0, 0, 0) = 0"#,
        r#"linkat(4</cache>, "a", 5<@>, "b", 0) = 0"#,
        r#"mkdirat(4<@>, "b", 0777) = 0"#,
        r#"mknodat(4<@>, "b", S_IFIFO|0666) = 0"#,
        r#"renameat(4</cache>, "a", 5<@>, "b") = 0"#,
        r#"symlinkat("/project/a", 4<@>, "b") = 0"#,
        r#"unlinkat(4<@>, "b", AT_REMOVEDIR) = 0"#,
        r#"utimensat(4<@>, NULL, NULL, 0) = 0"#,
        r#"utimensat(4<@>, "b", [UTIME_OMIT, {tv_sec=1, tv_nsec=0}], 0) = 0"#,
    ];
    for call in relative {
        assert!(is_confined(&call.replace('@', "/cache")), "{call}");
        assert!(!is_confined(&call.replace('@', "/project")), "{call}");
    }
    for call in [
        r#"mkdir("b", 0777) = 0"#,
        r#"rename("/cache/a", "b") = 0"#,
        r#"rmdir("b") = 0"#,
        r#"unlink("b") = 0"#,
        r#"chdir("/cache") = 0"#,
    ] {
        assert!(!is_confined(call), "{call}");
    }
}

#[test]
fn each_file_socket_and_program_elsewhere_is_found() {
    let allowed = [
        r#"openat(AT_FDCWD</project>, "a", O_RDONLY|O_CLOEXEC) = 4</project/a>"#,
        r#"openat(AT_FDCWD</project>, "/home/me", O_RDONLY) = -1 EACCES (Permission denied)"#,
        r#"execve("/proc/self/exe", ["costline", "parse"], 0x7ffd /* 9 vars */) = 0"#,
        r#"readlink("/home/me", "/", 4096) = 1"#,
    ];
    for call in allowed {
        assert!(is_confined(call), "{call}");
    }
    let forbidden = [
        r#"open("a", O_RDONLY) = 4</home/me/a>"#,
        r#"openat(AT_FDCWD</project>, "a", O_RDONLY|O_CLOEXEC) = 4</home/me/a>"#,
        r#"openat2(4</home/me>, "a", {flags=O_RDONLY, resolve=0}, 24) = 5</home/me/a>"#,
        r#"execve("/usr/bin/git", ["git"], 0x7ffd /* 9 vars */) = 0"#,
        r#"execveat(4</usr/bin>, "git", ["git"], 0x7ffd /* 9 vars */, 0) = 0"#,
        r#"socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 4<TCP:[1]>"#,
        r#"connect(4<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0"#,
    ];
    for call in forbidden {
        assert!(!is_confined(call), "{call}");
    }
}
