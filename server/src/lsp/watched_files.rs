//! Asks the client to report changed profiles (`workspace/didChangeWatchedFiles`). On some file
//! systems (remote ones, for example) the client gets events that the server does not.

use super::registration;
use answers::{Worlds, watch_globs};
use lsp_types::{DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern};
use std::sync::Arc;
use tokio::sync::watch;
use tower_lsp::Client;

const ID: &str = "costline/profiles";
const METHOD: &str = "workspace/didChangeWatchedFiles";

/// Registers the globs of discovery, and again whenever the settings change them.
pub async fn run(client: Client, mut worlds: watch::Receiver<Arc<Worlds>>) {
    let mut registered = globs(&worlds.borrow_and_update());
    register(&client, &registered).await;
    while worlds.changed().await.is_ok() {
        let globs = globs(&worlds.borrow_and_update());
        if globs != registered {
            unregister(&client).await;
            register(&client, &globs).await;
            registered = globs;
        }
    }
}

fn globs(worlds: &Worlds) -> Vec<String> {
    let world = worlds.first();
    watch_globs(&world.settings, &world.roots)
}

async fn register(client: &Client, globs: &[String]) {
    let watcher = |glob: &String| FileSystemWatcher {
        glob_pattern: GlobPattern::String(glob.clone()),
        kind: None,
    };
    let options =
        DidChangeWatchedFilesRegistrationOptions { watchers: globs.iter().map(watcher).collect() };
    registration::register(client, ID, METHOD, &options).await;
}

async fn unregister(client: &Client) {
    registration::unregister(client, ID, METHOD).await;
}
