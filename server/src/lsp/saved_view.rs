//! Saves the user's choices after each change, and reads the choices of earlier servers.

use answers::state::chosen;
use answers::{SavedState as State, SavedViews, Worlds};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Saves the choices of each workspace folder.
#[derive(Debug, Default)]
pub struct Saver {
    /// `None` if nothing is to be saved.
    views: Option<SavedViews>,
    /// The choices as of the last call. Before the first, there are none.
    last: Mutex<HashMap<PathBuf, Option<State>>>,
}

impl Saver {
    /// Saves in the user's state folder.
    pub fn of_user() -> Self {
        Self { views: SavedViews::of_user(), last: Mutex::default() }
    }

    /// The choices that were saved for these folders, in the form of a client's `state`.
    pub fn read(&self, roots: &[PathBuf]) -> Option<State> {
        let views = self.views.as_ref()?;
        let mut states = roots.iter().filter_map(|root| views.read(root));
        let mut first = states.next()?;
        first.others = states.collect();
        Some(first)
    }

    /// Saves the choices that have changed since the last call.
    pub fn save(&self, worlds: &Worlds) {
        let Some(views) = &self.views else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // A folder that is added again starts without choices, which is no change.
        last.retain(|root, _| worlds.all().any(|world| world.own_root() == Some(root)));
        for world in worlds.all() {
            let Some(root) = world.own_root() else { continue };
            let now = chosen(world);
            if last.get(root).unwrap_or(&None) == &now {
                continue;
            }
            if let Err(error) = views.write(root, now.clone()) {
                tracing::warn!("the view of {} cannot be saved: {error}", root.display());
            }
            last.insert(root.clone(), now);
        }
    }
}

/// Saves the choices after each change.
pub async fn run(saver: Arc<Saver>, mut worlds: watch::Receiver<Arc<Worlds>>) {
    while worlds.changed().await.is_ok() {
        let (saver, now) = (saver.clone(), worlds.borrow_and_update().clone());
        let _ = tokio::task::spawn_blocking(move || saver.save(&now)).await;
    }
}
