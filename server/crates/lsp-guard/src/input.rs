//! Reads the client's messages before tower-lsp, and passes on only those that tower-lsp can parse.
//!
//! tower-lsp stops reading at the first message that it cannot parse (its `FramedRead` ends after
//! an error), and does not stop at `exit`. This reader therefore splits the stream into messages,
//! parses each with tower-lsp's own types, and replaces invalid ones by a request that
//! [`error_for_unreadable`] answers. It handles `exit`, `shutdown` and the client's process id;
//! [`crate::service`] handles other messages.

use std::borrow::Cow;
use std::io;
use std::str;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream,
};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};

/// Method of the request that replaces a message that cannot be parsed. Its `params` are the error
/// to answer.
const UNREADABLE: &str = "lsp-guard/unreadable";

/// The limit for the length of a message, in bytes. A client that announces more is faulty, and
/// what follows cannot be distinguished from the rest of that message.
const MAX_MESSAGE: u64 = 1 << 28;

/// The limit for a part of the header that is read at once, in bytes.
const MAX_HEADER_LINE: u64 = 1 << 16;

/// A message. The types and their order match tower-lsp, so that the same messages are accepted.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Reply(#[expect(dead_code, reason = "only its type matters")] Response),
    Call(Request),
}

/// Copies messages from `client` to `tower` until `exit` or the end of the stream, and closes
/// `tower`.
///
/// Sets `shut_down` when the client requests `shutdown`, and sends the `processId` of its first
/// `initialize` to `client_pid`. Counts the messages that were passed on in `n_passed`.
pub(crate) async fn relay(
    client: impl AsyncRead + Unpin,
    mut tower: DuplexStream,
    shut_down: &AtomicBool,
    client_pid: oneshot::Sender<u32>,
    n_passed: &AtomicU64,
) {
    let mut client = BufReader::new(client);
    let mut client_pid = Some(client_pid);
    while let Ok(Some(frame)) = next_frame(&mut client).await {
        let text = str::from_utf8(&frame).ok();
        let body = match text.map(serde_json::from_str) {
            Some(Ok(Message::Reply(_))) => Cow::Borrowed(&frame),
            Some(Ok(Message::Call(call))) => match call.method() {
                "exit" => return,
                "" => Cow::Owned(repair_reply(text).unwrap_or_else(|| unreadable(&frame))),
                method => {
                    if method == "shutdown" {
                        shut_down.store(true, Ordering::SeqCst);
                    }
                    if method == "initialize"
                        && let Some(client_pid) = client_pid.take()
                        && let Some(pid) = process_id(&call)
                    {
                        // The receiver is dropped when the server ends.
                        let _ = client_pid.send(pid);
                    }
                    Cow::Borrowed(&frame)
                }
            },
            Some(Err(_)) | None => Cow::Owned(unreadable(&frame)),
        };
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        if tower.write_all(header.as_bytes()).await.is_err()
            || tower.write_all(&body).await.is_err()
        {
            return;
        }
        n_passed.fetch_add(1, Ordering::Relaxed);
    }
}

/// The error response to a message that could not be read, if `request` replaces one.
pub(crate) fn error_for_unreadable(request: &Request) -> Option<Response> {
    (request.method() == UNREADABLE).then(|| {
        let error = request.params().and_then(|error| Error::deserialize(error).ok());
        Response::from_error(Id::Null, error.unwrap_or_else(Error::parse_error))
    })
}

/// The body of the next message; `None` at the end of the stream, or if the message is larger than
/// `MAX_MESSAGE`.
///
/// Header names may be in any case and unknown headers are skipped (tower-lsp accepts two spellings
/// and two headers). Extra bytes before a header, as sent by a client that counts characters instead
/// of bytes, are skipped too.
pub(crate) async fn next_frame(
    input: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut *input).take(MAX_HEADER_LINE);
        if limited.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let header = String::from_utf8_lossy(&line);
        if let Some((name, value)) = header.split_once(':')
            && name.to_ascii_lowercase().ends_with("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        } else if header.trim().is_empty()
            && let Some(length) = length.take()
            && length > 0
        {
            if length > MAX_MESSAGE {
                tracing::error!(
                    "the client announced a message of {length} bytes, more than {MAX_MESSAGE}; \
                     the server ends"
                );
                return Ok(None);
            }
            let mut body = Vec::new();
            input.take(length).read_to_end(&mut body).await?;
            return Ok((body.len() as u64 == length).then_some(body));
        }
    }
}

fn unreadable(frame: &[u8]) -> Vec<u8> {
    let error = match serde_json::from_slice::<Value>(frame) {
        Ok(_) => Error::invalid_request(),
        Err(_) => Error::parse_error(),
    };
    tracing::warn!("a message of {} bytes cannot be read: {error}", frame.len());
    json!({ "jsonrpc": "2.0", "id": null, "method": UNREADABLE, "params": error })
        .to_string()
        .into_bytes()
}

/// Repairs a reply that tower-lsp cannot parse and would answer as if it were a request without a
/// method: one with neither `result` nor `error` (a JavaScript client whose handler returned
/// `undefined`), or with more or fewer members in `error` than JSON-RPC defines.
fn repair_reply(text: Option<&str>) -> Option<Vec<u8>> {
    let mut reply: Value = serde_json::from_str(text?).ok()?;
    let id = Id::deserialize(reply.get("id")?).ok()?;
    let outcome = match reply.get_mut("error").map(Value::take) {
        None | Some(Value::Null) => {
            Ok(reply.get_mut("result").map(Value::take).unwrap_or_default())
        }
        Some(error) => Err(Error {
            code: ErrorCode::from(
                error["code"].as_i64().unwrap_or(ErrorCode::InternalError.code()),
            ),
            message: error["message"]
                .as_str()
                .map_or_else(|| error.to_string(), str::to_owned)
                .into(),
            data: None,
        }),
    };
    serde_json::to_vec(&Response::from_parts(id, outcome)).ok()
}

fn process_id(initialize: &Request) -> Option<u32> {
    initialize.params()?.get("processId")?.as_u64()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only of a header that is read in parts, the second part is a header of its own.
    #[tokio::test]
    async fn a_line_of_the_header_is_read_in_parts_of_limited_size() {
        let first = format!(":{}", "x".repeat(MAX_HEADER_LINE as usize - 1));
        let stream = format!("{first}Content-Length: 2\r\n\r\n{{}}");
        assert_eq!(next_frame(&mut stream.as_bytes()).await.unwrap().unwrap(), b"{}");
    }
}
