//! The limit on the memory of all servers in these tests, and files that are made to exceed it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Server, ServerBuilder, Workspace};

/// Starts the program that follows with an address space of 3 GB.
pub const LIMITED: [&str; 3] = ["sh", "-c", "ulimit -v 3000000; exec \"$0\" \"$@\""];

/// A server with limited memory.
pub fn limited(workspace: &Workspace) -> ServerBuilder {
    Server::builder(workspace).under(LIMITED)
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
