//! The limit on the memory of all servers in these tests, files that are made to exceed it, and the
//! tools that cause faults.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::skip::skip_required;
use crate::support::{Server, ServerBuilder, Workspace};

/// Starts the program that follows with an address space of 3 GB.
pub const LIMITED: [&str; 3] = ["sh", "-c", "ulimit -v 3000000; exec \"$0\" \"$@\""];

/// A server with limited memory.
pub fn limited(workspace: &Workspace) -> ServerBuilder {
    Server::builder(workspace).under(LIMITED)
}

/// A server with limited memory that another program starts, such as `strace` with options.
pub fn limited_under(workspace: &Workspace, program: &[&str]) -> ServerBuilder {
    Server::builder(workspace).under(LIMITED.into_iter().chain(program.iter().copied()))
}

/// Whether a program starts and succeeds. Prints a message if not, or fails if
/// `COSTLINE_REQUIRE_TOOLS` is set.
#[track_caller]
pub fn works(program: &[&str]) -> bool {
    let mut command = Command::new(program[0]);
    let output = command.args(&program[1..]).stdin(Stdio::null()).output();
    let works = output.as_ref().is_ok_and(|output| output.status.success());
    if !works {
        skip_required(&format!("{program:?} does not work: {output:?}"));
    }
    works
}

/// The library that fakes the time of a process. `None` if it is not installed.
pub fn faketime() -> Option<PathBuf> {
    if !works(&["faketime", "--version"]) {
        return None;
    }
    let folders = fs::read_dir("/usr/lib").unwrap().map(|entry| entry.unwrap().path());
    let mut libraries = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1"));
    let found = libraries.find(|path| path.exists());
    assert!(found.is_some(), "faketime has no library in /usr/lib/*/faketime");
    found
}

/// A file in which a part is repeated: what is before it, the part, and what is after.
pub type Repeated = (Vec<u8>, Vec<u8>, Vec<u8>);

/// A text in which a part is repeated.
pub fn repeated(head: &str, part: &str, tail: &str) -> Repeated {
    let [head, part, tail] = [head, part, tail].map(|text| text.as_bytes().to_vec());
    (head, part, tail)
}

/// A gzip file that inflates to about `n_bytes`. It has a member for each megabyte, which is
/// compressed once.
pub fn bomb((head, part, tail): &Repeated, n_bytes: usize) -> Vec<u8> {
    let block = part.repeat((1 << 20) / part.len());
    let n_blocks = n_bytes / block.len();
    let member = |bytes: &[u8]| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    };
    [member(head), member(&block).repeat(n_blocks), member(tail)].concat()
}
