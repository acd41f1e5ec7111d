//! Recorded conversations, as written by `tests/editors/tee.mjs`: one line per piece of the stream,
//! `{"from": "client" or "server", "bytes": "…"}`, in the order in which they were sent. A
//! character stands for a byte.

use super::conversation::{Conversation, Side};
use super::frames::Frames;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// The result of checking a recorded conversation.
#[derive(Debug, Default)]
pub struct Report {
    /// The number of messages from the server.
    pub n_from_server: usize,
    /// Faults in messages of the server. There must be none.
    pub server: Vec<String>,
    /// Faults in messages of the client, for information.
    pub client: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum From {
    Client,
    Server,
}

#[derive(Deserialize)]
struct Piece {
    from: From,
    bytes: String,
}

/// Checks a recorded conversation. It may end anywhere, because programs are killed.
pub fn check_log(path: &Path) -> Report {
    let log =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut conversation, mut report) = (Conversation::default(), Report::default());
    let (mut client, mut server) = (Frames::default(), Frames::default());
    // An incomplete last line is ignored.
    for line in log.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let Piece { from, bytes } = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()));
        let bytes: Vec<u8> = bytes.chars().map(|byte| byte as u8).collect();
        let (frames, side, faults) = match from {
            From::Client => (&mut client, Side::Client, &mut report.client),
            From::Server => (&mut server, Side::Server, &mut report.server),
        };
        frames.push(&bytes);
        for message in frames {
            report.n_from_server += usize::from(side == Side::Server);
            match message {
                Ok(message) => faults.extend(conversation.check(side, &message)),
                Err(fault) => faults.push(fault),
            }
        }
    }
    report
}
