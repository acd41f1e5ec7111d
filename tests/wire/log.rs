//! Recorded conversations: one line per piece of the stream, `{"from": "client" or "server", "bytes": "…"}`, in the order they
//! went over the wire; a character is a byte. `tests/editors/tee.mjs` writes them.

use super::conversation::{Conversation, Side};
use super::frames::Frames;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// What is wrong with a conversation.
#[derive(Debug, Default)]
pub struct Report {
    /// Messages of the server.
    pub heard: usize,
    /// What the server said wrong: none, or it is to be mended.
    pub server: Vec<String>,
    /// What the client said wrong: good to know.
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

/// Reads a recorded conversation. It may end anywhere: programs are killed.
pub fn check_log(path: &Path) -> Report {
    let log = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut conversation, mut report) = (Conversation::default(), Report::default());
    let (mut client, mut server) = (Frames::default(), Frames::default());
    // What is behind the last line's end was cut.
    for line in log.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let Piece { from, bytes } =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()));
        let bytes: Vec<u8> = bytes.chars().map(|byte| byte as u8).collect();
        let (frames, side, faults) = match from {
            From::Client => (&mut client, Side::Client, &mut report.client),
            From::Server => (&mut server, Side::Server, &mut report.server),
        };
        frames.push(&bytes);
        for message in frames {
            report.heard += usize::from(side == Side::Server);
            match message {
                Ok(message) => faults.extend(conversation.hear(side, &message)),
                Err(fault) => faults.push(fault),
            }
        }
    }
    report
}
