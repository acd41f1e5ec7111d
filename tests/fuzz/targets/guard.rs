//! Anything on standard input of a server.

use serde_json::Value;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::{
    ExecuteCommandParams, Hover, HoverParams, InitializeParams, InitializeResult,
};
use tower_lsp::{LanguageServer, LspService, async_trait};

struct Toy;

#[async_trait]
impl LanguageServer for Toy {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn hover(&self, _: HoverParams) -> Result<Option<Hover>> {
        Ok(None)
    }

    async fn execute_command(&self, _: ExecuteCommandParams) -> Result<Option<Value>> {
        Ok(None)
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}

/// The server ends when its input does, and writes nothing but messages.
pub fn messages(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let input = data.to_vec();
    let written = runtime.block_on(async move {
        let (service, socket) = LspService::new(|_| Toy);
        let (mut read, write) = tokio::io::duplex(1 << 20);
        let mut written = Vec::new();
        let served =
            lsp_guard::serve(service, socket, &input[..], write, std::future::pending::<()>());
        let served = tokio::time::timeout(Duration::from_secs(60), served);
        let (code, read) = tokio::join!(served, read.read_to_end(&mut written));
        assert!(matches!(code, Ok(0 | 1)), "the server did not end");
        read.unwrap();
        written
    });
    let mut rest = written.as_slice();
    while !rest.is_empty() {
        let head = rest.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let header = std::str::from_utf8(&rest[..head]).unwrap();
        let length = header.strip_prefix("Content-Length: ").unwrap().parse::<usize>().unwrap();
        let body = &rest[head + 4..];
        // The server may end within a message.
        let Some(message) = body.get(..length) else { break };
        assert!(serde_json::from_slice::<Value>(message).is_ok());
        rest = &body[length..];
    }
}
