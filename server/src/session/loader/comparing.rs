//! Which baseline costs are compared with: what was shown, or a profile that is read for it.

use super::{Answer, Finished, Loader, caught};
use crate::session::baseline::Baseline;
use crate::session::config::Config;
use crate::session::discovery::{Recognised, Written};
use crate::session::runs::around;
use crate::session::snapshot::{LoadError, Loaded};
use crate::session::work::{Input, Missing, read, see_baseline};
use lsp_types::MessageType;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// What is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// Nothing any more.
    Nothing,
    /// What is shown at this moment, as it is.
    Shown,
    /// What a profile says at this moment.
    With(PathBuf),
}

/// A baseline that was read.
pub struct Compared {
    number: u64,
    /// Under which settings it was seen.
    config: Arc<Config>,
    outcome: Result<Baseline, LoadError>,
}

impl Loader {
    /// Compares with something else from now on; what is read for that is read in the background.
    pub(super) async fn compare(&mut self, with: Compare, answer: Option<Answer>) {
        // Who still waits for another one is told how it ended.
        if let Some((_, Some(waiting))) = self.comparing.take() {
            let _ = waiting.send(Err("another baseline was chosen meanwhile".to_owned()));
        }
        let world = self.world();
        let with = match with {
            Compare::With(path) => Compare::With(world.in_root(path)),
            with => with,
        };
        let baseline = match (with, world.snapshot()) {
            (Compare::Nothing, _) => None,
            (Compare::Shown, Some(shown)) => Some(Arc::new(Baseline::new(shown.clone()))),
            // As it is shown, which may not be what the file says any more.
            (Compare::With(path), Some(shown)) if shown.loaded.files.iter().any(|(file, _)| *file == path) => {
                Some(Arc::new(Baseline::new(shown.clone())))
            }
            (Compare::Shown, None) => {
                return self.refuse_baseline(answer, "no profile is shown: there is nothing to compare with").await;
            }
            (Compare::With(path), _) => {
                self.last_number += 1;
                self.comparing = Some((self.last_number, answer));
                let (number, known, done) = (self.last_number, self.known.clone(), self.done_to.clone());
                tokio::task::spawn_blocking(move || {
                    let mut observe = |_| ControlFlow::Continue(());
                    let work = || {
                        let run = around(&path, &mut Recognised::default());
                        let input = match &run[..] {
                            [] => Input::file(Loaded::read(&path, world.config.max_profile_bytes, &mut observe)?),
                            run => {
                                let files: Vec<_> = run.iter().cloned().map(Written::from).collect();
                                read(&files, world.config.max_profile_bytes, Missing::Refuse, &mut observe)?
                            }
                        };
                        see_baseline(input, &world, &known, &mut observe)
                    };
                    let outcome = caught(Some(&path), work);
                    let _ = done.send(Finished::Baseline(Compared { number, config: world.config.clone(), outcome }));
                });
                return;
            }
        };
        self.show_baseline(baseline, answer).await;
    }

    async fn show_baseline(&mut self, baseline: Option<Arc<Baseline>>, answer: Option<Answer>) {
        self.publish(|world| {
            world.baseline = baseline;
            world.revision += 1;
        });
        self.incomparable = None;
        self.tell_incomparable().await;
        if let Some(answer) = answer {
            let _ = answer.send(Ok(self.world()));
        }
    }

    /// Says why nothing is compared with the baseline, unless that was said already.
    pub(super) async fn tell_incomparable(&mut self) {
        let world = self.world();
        let problem = world.snapshot().zip(world.baseline.as_ref()).and_then(|(shown, baseline)| baseline.problem(shown));
        if let Some(problem) = problem.as_ref().filter(|problem| self.incomparable.as_ref() != Some(problem)) {
            self.log(MessageType::WARNING, problem).await;
        }
        self.incomparable = problem;
    }

    pub(super) async fn on_compared(&mut self, Compared { number, config, outcome }: Compared) {
        let Some((_, answer)) = self.comparing.take_if(|(known, _)| *known == number) else { return };
        match outcome {
            Ok(baseline) => {
                // Settings may have changed meanwhile.
                self.outdated |= !config.same_view(&self.world().config);
                self.show_baseline(Some(Arc::new(baseline)), answer).await;
                self.look_soon();
            }
            Err(error) => self.refuse_baseline(answer, &error.to_string()).await,
        }
    }

    /// Says why there is nothing (new) to compare with, to whoever asked.
    async fn refuse_baseline(&self, answer: Option<Answer>, problem: &str) {
        match answer {
            Some(answer) => drop(answer.send(Err(problem.to_owned()))),
            None => self.log(MessageType::WARNING, &format!("setting `baseline`: {problem}")).await,
        }
    }
}
