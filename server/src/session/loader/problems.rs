//! What is said, once, of profiles that cannot be read or are gone, and taken back when that is no longer so.

use super::{Loader, PATIENCE};
use crate::session::discovery::Written;
use crate::session::snapshot::{LoadError, Stamp};
use crate::session::world::World;
use formats::Foreign;
use lsp_types::{Diagnostic, DiagnosticSeverity, MessageType, Range, Url};
use std::path::{Path, PathBuf};

impl Loader {
    /// Says once that a profile cannot be read.
    pub(super) async fn report(&mut self, path: &Path, message: &str) {
        let keeps = if self.world().snapshot().is_some() { "; the costs shown stay as they were" } else { "" };
        self.log(MessageType::ERROR, &format!("{message}{keeps}")).await;
        self.publish_problem(path, message, DiagnosticSeverity::ERROR).await;
    }

    /// Says that a file of the run that is shown could not be read.
    pub(super) async fn report_missing(&mut self, error: &LoadError) {
        let message = format!("{error}; its costs are missing");
        self.log(MessageType::ERROR, &message).await;
        self.publish_problem(error.path(), &message, DiagnosticSeverity::ERROR).await;
    }

    /// Says once what files of other programs are that lie where profiles do. The one that was asked for and the one that is
    /// shown are read, which says so too.
    pub(super) async fn report_foreign(&mut self, found: Vec<(PathBuf, Stamp, &'static Foreign)>) {
        let world = self.world();
        let shown = world.snapshot().map(|snapshot| &snapshot.loaded.path);
        let wanted = Self::wanted_path(&world);
        for (path, stamp, foreign) in found {
            let file = vec![Written { path: path.clone(), stamp, candidate: None }];
            if wanted.as_ref() == Some(&path) || shown == Some(&path) || self.refused.get(&path) == Some(&file) {
                continue;
            }
            let message = format!("{}: {}", path.display(), foreign.sentence());
            self.refused.insert(path.clone(), file);
            self.log(MessageType::WARNING, &message).await;
            self.publish_problem(&path, &message, DiagnosticSeverity::WARNING).await;
        }
    }

    async fn publish_problem(&mut self, path: &Path, message: &str, severity: DiagnosticSeverity) {
        self.publish(|world| {
            world.problems.retain(|(known, _)| known != path);
            world.problems.push((path.to_owned(), message.to_owned()));
        });
        if self.abilities.diagnostics
            && let Ok(uri) = Url::from_file_path(path)
        {
            let diagnostic = Diagnostic {
                range: Range::default(),
                severity: Some(severity),
                source: Some("costline".to_owned()),
                message: message.to_owned(),
                ..Diagnostic::default()
            };
            self.client.publish_diagnostics(uri, vec![diagnostic], None).await;
        }
    }

    /// Says once that the file shown has gone, unless it comes back soon: some tools remove a file before they write it.
    pub(super) async fn tell_missing(&mut self) {
        if self.missed_since.is_none_or(|since| since.elapsed() < PATIENCE) {
            return;
        }
        self.missed_since = None;
        if let Some(snapshot) = self.world().snapshot() {
            let path = snapshot.loaded.path.display();
            let message = format!("{path}: the file was deleted; the costs shown stay until there is a newer profile");
            self.log(MessageType::WARNING, &message).await;
        }
    }

    /// Takes back what was said of files that are gone or were written anew.
    pub(super) async fn withdraw_problems(&mut self, world: &World) {
        for (path, _) in &world.problems {
            let now = Stamp::of(path).ok();
            let is_now = |known: &Path, stamp: Stamp| known == path && now == Some(stamp);
            let refused = self.refused.values().flatten().any(|file| is_now(&file.path, file.stamp));
            let shown = world.snapshot().is_some_and(|shown| shown.loaded.files.iter().any(|(file, stamp)| is_now(file, *stamp)));
            if !refused && !shown {
                self.forget_problem(path).await;
            }
        }
    }

    pub(super) async fn forget_problem(&mut self, path: &Path) {
        if !self.world().problems.iter().any(|(known, _)| known == path) {
            return;
        }
        self.publish(|world| world.problems.retain(|(known, _)| known != path));
        if self.abilities.diagnostics
            && let Ok(uri) = Url::from_file_path(path)
        {
            self.client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    }
}
