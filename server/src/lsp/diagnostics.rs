//! `textDocument/publishDiagnostics`: hot lines and functions, and lines that were never executed, as
//! diagnostics. Disabled by default. They are for clients that have no hints and lenses, or do not redraw
//! them.
//!
//! A single task publishes them, so diagnostics of an older text never arrive after newer ones.

use super::documents::Documents;
use super::to_proto;
use answers::{Context, HotPlace, Worlds, hot_places};
use lsp_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, Url};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tower_lsp::Client;

/// Publishes the diagnostics of each document that is received, because it was opened, edited or closed,
/// and of all open documents after each change of the costs.
pub async fn run(
    client: Client,
    documents: Arc<Documents>,
    mut worlds: watch::Receiver<Arc<Worlds>>,
    mut edited: mpsc::UnboundedReceiver<Url>,
) {
    let mut published = HashSet::new();
    let mut revision = 0;
    loop {
        let mut due = BTreeSet::new();
        tokio::select! {
            uri = edited.recv() => match uri {
                Some(uri) => _ = due.insert(uri),
                None => return,
            },
            changed = worlds.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = worlds.borrow_and_update().revision;
                if std::mem::replace(&mut revision, now) != now {
                    due.extend(documents.now().all().map(|document| document.uri.clone()));
                }
            }
        }
        while let Ok(uri) = edited.try_recv() {
            due.insert(uri);
        }
        for uri in due {
            let worlds = worlds.borrow().clone();
            publish(&client, &documents, &worlds, uri, &mut published).await;
        }
    }
}

/// Publishes the diagnostics of a document as it is now; none if it is closed or the setting is off.
/// `published` are the documents that may have some.
async fn publish(
    client: &Client,
    documents: &Documents,
    worlds: &Worlds,
    uri: Url,
    published: &mut HashSet<Url>,
) {
    let open = documents.now();
    let shown = open.get(&uri).map(|document| (document.version, worlds.of_file(&document.path)));
    let Some((version, world)) = shown.filter(|(_, world)| world.settings.diagnostics.enable)
    else {
        if published.remove(&uri) {
            client.publish_diagnostics(uri, Vec::new(), None).await;
        }
        return;
    };
    let context = Context { world: world.clone(), documents: open.clone().preferring(&uri) };
    let of = uri.clone();
    let found = tokio::task::spawn_blocking(move || diagnostics(&context, &of)).await;
    // A newer version was received as well.
    let is_newest = documents.now().get(&uri).is_some_and(|now| now.version == version);
    if let Ok(found) = found
        && is_newest
    {
        published.insert(uri.clone());
        client.publish_diagnostics(uri, found, Some(version)).await;
    }
}

/// The diagnostics of a document.
pub fn diagnostics(context: &Context, uri: &Url) -> Vec<Diagnostic> {
    hot_places(context, uri).into_iter().map(diagnostic).collect()
}

fn diagnostic(HotPlace { range, message, never_executed }: HotPlace) -> Diagnostic {
    Diagnostic {
        range: to_proto::range(range),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some("costline".to_owned()),
        message,
        tags: never_executed.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}
