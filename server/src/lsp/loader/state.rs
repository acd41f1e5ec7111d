//! The decisions of the loader: which profile to show, when to read it, and when to answer commands.
//!
//! A state machine without tasks, files or a clock. Its inputs are events, results of background
//! work and the time; its outputs are effects. There is one queue for each kind of work: scan, load,
//! resolve symbols, compare, open another profile, read totals.
//!
//! There is one queue per kind of work (scan, load, resolve symbols, compare, open another profile,
//! read totals). A queue is idle, running, or running with one request pending. Requests that arrive
//! while it is running are merged into one, which uses the state at its start. A scan of the disk
//! waits for loads, because they decide which files are new.
//!
//! Canceled work publishes nothing, even if it finishes before it notices the cancellation. The user
//! would otherwise see a profile whose load was canceled.
//!
//! Every command gets exactly one response, at the latest when all queues are idle. Editors wait for
//! it.
//!
//! A command applies its choices when its baseline has been read, in one step. A baseline that cannot
//! be read then changes nothing, nor does a client that cancels its request leave half of a choice.

use super::baselines::{BaselineCommand, Baselines, Ready, WantedBaseline};
use super::effect::{Effect, Output};
use super::event::{Event, picked};
use super::finder::{Finder, ToRead};
use super::inactive::Inactive;
use super::jobs::{Job, JobResult, LoadFrom, LoadJob, LoadResult, ResolveJob, ToShow};
use super::others::Others;
use super::outdated::{has_outdated_baseline, is_outdated};
use super::problems::{log_warnings, report_ignored, report_missing_part, report_unreadable};
use super::shared::ReadSettings;
use super::totals::Totals;
use super::waiting::{LoadKind, Needs, Waiting};
use super::work_queue::{WorkId, WorkQueue};
use answers::{
    Baseline, BaselineChoice, Choices, ChosenBaseline, LoadError, Overrides, ReadError, Settings,
    Severity, Snapshot, ViewChange as Change, World,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A kind of load.
#[derive(Debug)]
enum Load {
    /// Reads the files of a run.
    Read(ToRead),
    /// Computes the shown snapshot again, with the present settings and roots.
    Renew,
    /// The same, with the source files that exist now.
    Remap,
}

impl Load {
    fn kind(&self) -> LoadKind {
        match self {
            Self::Read(_) => LoadKind::Read,
            Self::Renew | Self::Remap => LoadKind::Renewed,
        }
    }
}

/// The state of the loader.
#[derive(Debug)]
pub struct State<A> {
    output: Output<A>,
    /// The client's settings. Those of the world include the overrides.
    settings: Settings,
    last_work: WorkId,
    finder: Finder,
    inactive: Inactive,
    loads: WorkQueue<Load>,
    symbols: WorkQueue<()>,
    baselines: Baselines<A>,
    others: Others<A>,
    totals: Totals<A>,
    waiting: Waiting<A>,
    /// The pick before the present one, as long as the present one has not been read.
    pick_before: Option<Vec<PathBuf>>,
}

impl<A> State<A> {
    /// The initial state, with the settings of `world`. The ids of its work are greater than `last`.
    pub fn new(world: Arc<World>, last: WorkId) -> Self {
        Self {
            settings: Settings::clone(&world.settings),
            output: Output::new(world),
            last_work: last,
            finder: Finder::default(),
            inactive: Inactive::default(),
            loads: WorkQueue::default(),
            symbols: WorkQueue::default(),
            baselines: Baselines::default(),
            others: Others::default(),
            totals: Totals::default(),
            waiting: Waiting::default(),
            pick_before: None,
        }
    }

    /// Starts the first work.
    pub fn start(&mut self, now: Instant) -> Vec<Effect<A>> {
        self.compare_with_setting();
        self.finder.scan_again();
        self.advance(now)
    }

    /// Compares with the baseline of the settings, if there is one.
    fn compare_with_setting(&mut self) {
        if let Some(path) = self.settings.baseline.clone() {
            self.compare(WantedBaseline::with(path.into()), None);
        }
    }

    /// Sets or removes the baseline.
    fn compare(&mut self, with: WantedBaseline, command: Option<BaselineCommand<A>>) {
        if let Some(ready) = self.baselines.compare(&mut self.output, with, command) {
            self.show_baseline(ready);
        }
    }

    /// Shows a baseline with the choices of its command.
    fn show_baseline(&mut self, ready: Ready<A>) {
        let Ready { baseline, kept, command } = ready;
        let (answer, choices) = command.map_or((None, None), |it| (Some(it.answer), it.choices));
        let needs = choices.map_or(Ok(None), |choices| {
            let (choices, chosen) = *choices;
            self.try_to_choose(Change::Set(choices), Some(chosen))
        });
        match &needs {
            Ok(needs) => {
                self.baselines.show(&mut self.output, baseline, kept);
                // Otherwise both will be computed again.
                if needs.is_none() {
                    self.baselines.report_problem(&mut self.output);
                }
                self.renew_baseline();
            }
            // Another profile is shown than when the command came.
            Err(_) => self.baselines.resume(),
        }
        if let Some(answer) = answer {
            self.answer(answer, needs);
        }
    }

    /// The client's settings, without the overrides.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Ends the state because its root was removed: stops all work and answers all commands.
    pub fn close(mut self) -> Vec<Effect<A>> {
        let problem = "the workspace folder was removed";
        for id in [self.loads.cancel(), self.symbols.cancel()].into_iter().flatten() {
            self.output.push(Effect::Stop(id));
        }
        self.finder.close(&mut self.output);
        self.baselines.cancel(&mut self.output, problem);
        self.others.close(&mut self.output, problem);
        self.totals.close(&mut self.output, problem);
        self.waiting.fail(&mut self.output, problem);
        for (path, _) in &self.output.world().problems.clone() {
            self.output.clear_problem(path);
        }
        self.output.take()
    }

    /// Handles an event.
    pub fn on_event(&mut self, event: Event<A>, now: Instant) -> Vec<Effect<A>> {
        match event {
            Event::FilesChanged => self.finder.scan_soon(now),
            Event::SourceAdded => self.remap(),
            Event::Written(files) => self.finder.written(files, now),
            Event::Unwatched(problem) => self.output.publish(|world| world.unwatched = problem),
            Event::Settings(value) => self.change_settings(&value),
            Event::Roots { added, removed } => self.change_roots(added, &removed),
            // Becomes a change of the roots, or nothing.
            Event::Project(_) => {}
            Event::Choose(change, answer) => self.choose(*change, answer),
            Event::Reload(answer) => {
                self.finder.reread();
                if self.output.world().baseline_problem.is_some() {
                    self.compare_with_setting();
                }
                self.waiting.push(answer, Needs::Profile, self.last_work);
            }
            Event::Compare(with, answer) => {
                self.compare(with, Some(BaselineCommand { answer, choices: None }));
            }
            Event::Open(other, answer) => self.others.ask(&mut self.output, *other, answer),
            Event::Sum(answer) => self.totals.ask(answer),
            Event::Cancel(number) => self.cancel(WorkId(number)),
        }
        self.advance(now)
    }

    /// Handles a result of background work.
    pub fn on_result(&mut self, result: JobResult, now: Instant) -> Vec<Effect<A>> {
        match result {
            JobResult::Scanned(id, scanned) => {
                let (scanned, inactive) = (scanned.as_deref(), &mut self.inactive);
                if let Some(scanned) = scanned {
                    inactive.evict_rewritten(&scanned.candidates);
                }
                let unread = scanned.and_then(|scanned| scanned.unread_baseline);
                let output = &mut self.output;
                if let Some(to_read) = self.finder.scanned(output, id, scanned, inactive, now) {
                    self.loads.want(Load::Read(to_read));
                }
                if self.baselines.is_worth_a_retry(unread) {
                    self.compare_with_setting();
                }
            }
            JobResult::Loaded(id, result) => self.loaded(id, result, now),
            JobResult::Resolved(id, snapshot) => self.resolved(id, *snapshot),
            JobResult::ResolvedAll(id) => drop(self.symbols.end(id)),
            JobResult::Compared(id, compared) => {
                if let Some(ready) = self.baselines.compared(&mut self.output, id, compared) {
                    self.show_baseline(ready);
                }
            }
            JobResult::Opened(id, outcome) => {
                let outcome = outcome.map(|opened| *opened);
                self.others.opened(&mut self.output, &mut self.inactive, id, outcome, now);
            }
            JobResult::Summed(id, totals) => self.totals.summed(&mut self.output, id, totals),
        }
        self.advance(now)
    }

    /// Starts work that is due.
    pub fn on_time(&mut self, now: Instant) -> Vec<Effect<A>> {
        self.advance(now)
    }

    /// The time at which [`State::on_time`] must be called.
    pub fn next_wake(&self) -> Option<Instant> {
        let scan = self.finder.next_scan().filter(|_| self.may_scan());
        let evictions = [self.inactive.next_eviction(), self.others.next_eviction()];
        scan.into_iter().chain(evictions.into_iter().flatten()).min()
    }

    fn change_settings(&mut self, value: &Value) {
        let (settings, mut ignored) = Settings::parse(value);
        ignored.extend(answers::named_views::problems(&settings));
        report_ignored(&mut self.output, ignored);
        if settings == self.settings {
            return;
        }
        let old = std::mem::replace(&mut self.settings, settings);
        if self.settings.watch != old.watch {
            self.output.push(Effect::WatchBy(self.settings.watch));
        }
        if self.settings.profile != old.profile {
            self.output.publish(|world| world.pick.clear());
            self.pick_before = None;
            match &self.settings.profile {
                Some(path) => self.finder.pick(&[self.output.world().in_root(path)]),
                None => self.finder.unpick(),
            }
        }
        let mut overrides = self.output.world().overrides.clone();
        overrides.remove_changed(&old, &self.settings);
        self.apply(overrides);
        if self.settings.baseline != old.baseline {
            let path = self.settings.baseline.clone();
            let with =
                path.map_or(WantedBaseline::Nothing, |path| WantedBaseline::with(path.into()));
            self.compare(with, None);
        }
        self.finder.scan_again();
    }

    fn change_roots(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.output.publish(|world| {
            world.roots.retain(|root| !removed.contains(root));
            for root in added {
                if !world.roots.contains(&root) {
                    world.roots.push(root);
                }
            }
            let own = world.root.take().filter(|own| world.roots.contains(own));
            world.root = own.or_else(|| world.roots.first().cloned());
        });
        self.renew();
        self.finder.scan_again();
    }

    fn choose(&mut self, mut change: Change, answer: A) {
        if let Change::Set(choices) = &mut change
            && !choices.baseline.is_unchanged()
        {
            let baseline = std::mem::take(&mut choices.baseline);
            self.choose_with_baseline(std::mem::take(choices), baseline.value(), answer);
        } else {
            let needs = self.try_to_choose(change, None);
            self.answer(answer, needs);
        }
    }

    /// Applies choices once the baseline is read.
    fn choose_with_baseline(
        &mut self,
        choices: Choices,
        baseline: Option<&BaselineChoice>,
        answer: A,
    ) {
        let world = self.output.world();
        let shown = world.snapshot().map(Arc::as_ref);
        if let Err(problem) = world.overrides.changed(Change::Set(choices.clone()), shown) {
            self.output.push(Effect::Answer(answer, Err(problem)));
            return;
        }
        let chosen = ChosenBaseline::new(baseline, shown);
        let choices = Some(Box::new((choices, chosen)));
        self.compare(WantedBaseline::from(baseline), Some(BaselineCommand { answer, choices }));
    }

    /// Answers a command that changes the view, or lets it wait for what it needs.
    fn answer(&mut self, answer: A, needs: Result<Option<Needs>, String>) {
        match needs {
            Err(problem) => self.output.push(Effect::Answer(answer, Err(problem))),
            Ok(None) => {
                let world = self.output.world().clone();
                self.output.push(Effect::Answer(answer, Ok(world)));
            }
            Ok(Some(needs)) => {
                if self.output.world().snapshot().is_none() {
                    self.finder.scan_again();
                }
                self.waiting.push(answer, needs, self.last_work);
            }
        }
    }

    /// Applies a choice and returns what the command must wait for. On an error, which is a message
    /// for users, nothing is applied.
    fn try_to_choose(
        &mut self,
        change: Change,
        baseline: Option<ChosenBaseline>,
    ) -> Result<Option<Needs>, String> {
        let world = self.output.world().clone();
        let pick: Option<Vec<PathBuf>> = picked(&change)
            .map(|paths| paths.into_iter().map(|path| world.in_root(path)).collect());
        let mut overrides = world.overrides.changed(change, world.snapshot().map(Arc::as_ref))?;
        overrides.baseline = baseline.or(overrides.baseline);
        if let Some(pick) = &pick {
            if !pick.is_empty() {
                self.keep_shown(pick);
                self.finder.pick(pick);
            } else if !world.pick.is_empty() {
                self.finder.unpick();
            } else {
                self.finder.scan_again();
            }
            self.pick_before.get_or_insert_with(|| world.pick.clone());
            self.output.publish(|world| world.pick.clone_from(pick));
        }
        let costs_change = self.apply(overrides);
        Ok(match pick {
            Some(_) => Some(Needs::Profile),
            None => costs_change.then_some(Needs::View),
        })
    }

    /// If the user has just picked the profile that is shown: cancels the load of one that would replace
    /// it, unless a command waits for that load.
    fn keep_shown(&mut self, pick: &[PathBuf]) {
        let shown = self.output.world().snapshot();
        let shows_pick = shown
            .is_some_and(|shown| shown.loaded.files.iter().any(|(path, _)| pick.contains(path)));
        let Some(Load::Read(ToRead { files, .. })) = self.loads.running_mut() else { return };
        let is_other = !files.iter().any(|file| pick.contains(&file.path));
        if shows_pick
            && is_other
            && !self.waiting.waits_for(self.loads.running_id())
            && let Some(id) = self.loads.cancel()
        {
            self.output.push(Effect::Stop(id));
        }
    }

    /// Applies the settings and overrides. Returns whether costs must be computed again; labels and
    /// thresholds are read from the world by each request.
    fn apply(&mut self, mut overrides: Overrides) -> bool {
        // No overlay is what the setting says, too.
        overrides.overlay.take_if(|it| it.is_empty() && self.settings.overlay.is_none());
        let (old, settings) = (&self.output.world().settings, overrides.applied_to(&self.settings));
        let was_cancelled = !self.loads.is_pending() && is_outdated(self.output.world());
        let costs_change = settings.costs() != old.costs() || was_cancelled;
        let reads_differ = ReadSettings::of(&settings) != ReadSettings::of(old);
        let labels_change = !costs_change && settings != **old;
        self.output.publish(|world| {
            world.settings = Arc::new(settings);
            world.overrides = overrides;
            world.revision += u64::from(labels_change);
        });
        if costs_change {
            self.renew();
        }
        if reads_differ {
            self.unwind_again();
        }
        costs_change
    }

    /// Reads the shown profile again if its stacks are to be unwound with other settings.
    fn unwind_again(&mut self) {
        if self.output.world().snapshot().is_some_and(|shown| shown.loaded.needs_programs) {
            self.finder.reread();
        }
    }

    /// Requests that the shown snapshot is computed with the present settings and roots. A profile
    /// that is about to be read will have them anyway.
    fn renew(&mut self) {
        if self.loads.wanted().is_none() {
            self.loads.want(Load::Renew);
        }
    }

    /// Requests that the sources of the shown snapshot are found again. A profile that is about to be
    /// read finds them anyway.
    fn remap(&mut self) {
        if !matches!(self.loads.wanted(), Some(Load::Read(_))) {
            self.loads.want(Load::Remap);
        }
    }

    /// Computes the baseline again if settings have changed while it was read.
    fn renew_baseline(&mut self) {
        if has_outdated_baseline(self.output.world()) {
            self.renew();
        }
    }

    fn cancel(&mut self, id: WorkId) {
        let stopped = if self.loads.is_current(id) {
            if let Some(Load::Read(ToRead { files, .. })) = self.loads.running_mut() {
                self.finder.give_up(files.clone());
            }
            self.loads.cancel()
        } else if self.symbols.is_current(id) {
            self.symbols.cancel()
        } else {
            if self.others.is_current(id) {
                self.others.cancel(&mut self.output, "reading the profile was canceled");
            }
            None
        };
        if let Some(id) = stopped {
            self.output.push(Effect::Stop(id));
        }
    }

    fn loaded(&mut self, id: WorkId, result: LoadResult, now: Instant) {
        let Some(ended) = self.loads.end(id) else { return };
        let outcome = match result.outcome {
            // The work may have finished before it noticed the cancellation.
            Ok(to_show) if ended.was_cancelled => Err(cancelled(&to_show.snapshot.loaded.path)),
            Err(error) if ended.was_cancelled => Err(cancelled(error.path())),
            outcome => outcome,
        };
        let kind = ended.work.kind();
        match (ended.work, outcome) {
            (Load::Read(_), Ok(to_show)) => {
                self.finder.was_read(&mut self.output, &to_show.snapshot.loaded.path, now);
                self.pick_before = None;
                let settings = &self.output.world().settings;
                let used = to_show.snapshot.settings.clone();
                let used = ReadSettings::with(settings.max_profile_bytes, used);
                let is_outdated = used != ReadSettings::of(settings);
                self.show(*to_show, kind);
                if is_outdated {
                    self.unwind_again();
                }
                self.waiting.loaded(&mut self.output, id, kind, &Ok(()));
            }
            (work, Err(error))
                if error.is_about_memory()
                    && self.loads.wanted().is_none()
                    && self.inactive.evict_all() =>
            {
                self.loads.want(work);
            }
            (Load::Read(ToRead { files, .. }), Err(error)) => {
                self.output.publish(|world| world.loading = false);
                if is_outdated(self.output.world()) {
                    self.renew();
                }
                let (output, took) = (&mut self.output, result.took);
                if self.finder.was_not_read(output, files, &error, took, now) {
                    let before = self.pick_before.take();
                    if let Some(before) = before.filter(|_| !shows_pick(output.world())) {
                        output.publish(|world| world.pick = before);
                    }
                    report_unreadable(output, &error);
                    self.waiting.loaded(output, id, kind, &Err(error.to_string()));
                }
            }
            (Load::Renew | Load::Remap, Ok(to_show)) => {
                self.show(*to_show, kind);
                self.waiting.loaded(&mut self.output, id, kind, &Ok(()));
            }
            (Load::Renew | Load::Remap, Err(error)) => {
                self.output.publish(|world| world.loading = false);
                self.waiting.loaded(&mut self.output, id, kind, &Err(error.to_string()));
            }
        }
    }

    /// Shows the result of a load. Its changes of the world are published together.
    fn show(&mut self, to_show: ToShow, kind: LoadKind) {
        let ToShow { snapshot, index, failed, baseline, overlay, total } = to_show;
        let snapshot = Arc::new(snapshot);
        self.log_warnings(&snapshot);
        self.show_overlay(overlay);
        if kind == LoadKind::Read {
            self.forget_previous();
        }
        self.output.publish(|world| {
            world.shown = Some(snapshot.clone());
            if let Some(total) = total {
                let path = snapshot.loaded.path.clone();
                Arc::make_mut(&mut world.totals).insert(path, total);
            }
            world.index = Some(index);
            // Another baseline may have been set during the load.
            if let (Some(current), Some(renewed)) = (&world.baseline, baseline)
                && current.is_of_same_runs(&renewed)
            {
                world.baseline = Some(Arc::new(renewed));
            }
            world.loading = false;
            world.revision += 1;
        });
        if kind == LoadKind::Read {
            self.clear_problems(&snapshot, &failed);
            self.baselines.was_read(&snapshot);
        }
        for error in &failed {
            report_missing_part(&mut self.output, error);
        }
        self.baselines.report_problem(&mut self.output);
        if snapshot.symbolicated.libraries.is_complete() {
            self.symbols.unwant();
        } else {
            self.symbols.want(());
        }
    }

    fn show_overlay(&mut self, overlay: Option<Result<Arc<Baseline>, String>>) {
        let (overlay, problem) = match overlay {
            Some(Ok(overlay)) => (Some(overlay), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        if let Some(problem) = &problem {
            self.output.log(Severity::Warning, format!("setting `overlay`: {problem}"));
        }
        self.output.publish(|world| {
            world.overlay = overlay;
            world.overlay_problem = problem;
        });
    }

    /// Forgets what the world says about the profile that was shown before the one that was read.
    fn forget_previous(&mut self) {
        // The baseline was kept before the run that was shown.
        let was_kept = self.baselines.is_kept();
        self.output.publish(|world| {
            world.baseline.take_if(|_| was_kept);
            world.deleted = false;
        });
    }

    /// Removes the problems with the files that were read.
    fn clear_problems(&mut self, snapshot: &Snapshot, failed: &[LoadError]) {
        for (path, _) in &snapshot.loaded.files {
            if !failed.iter().any(|error| error.path() == path) {
                self.output.clear_problem(path);
            }
        }
    }

    /// Shows a snapshot with more addresses resolved.
    fn resolved(&mut self, id: WorkId, snapshot: Snapshot) {
        if !self.symbols.is_current(id) {
            return;
        }
        if snapshot.symbolicated.libraries.is_complete() {
            self.log_warnings(&snapshot);
        }
        self.output.publish(|world| {
            world.shown = Some(Arc::new(snapshot));
            world.revision += 1;
        });
    }

    /// Logs the warnings of a snapshot, except those that the shown snapshot of the same files has.
    fn log_warnings(&mut self, snapshot: &Snapshot) {
        let world = self.output.world().clone();
        let shown = world.snapshot();
        let same = shown.filter(|shown| Arc::ptr_eq(&shown.loaded, &snapshot.loaded));
        let logged = same.map_or(&[][..], |shown| &shown.warnings);
        log_warnings(&mut self.output, &snapshot.loaded.path, &snapshot.warnings, logged);
    }

    /// Starts work that is due. When nothing is left to do, answers all waiting commands.
    fn advance(&mut self, now: Instant) -> Vec<Effect<A>> {
        self.inactive.update(self.output.world(), now);
        if self.may_scan() {
            self.finder.start(&mut self.output, &mut self.last_work, now);
        }
        self.start_load();
        if self.loads.is_idle() {
            self.start_symbols();
        }
        self.baselines.start(&mut self.output, &self.inactive, &mut self.last_work);
        self.others.update(&self.settings, now);
        let (settings, inactive) = (&self.settings, &self.inactive);
        self.others.start(&mut self.output, settings, inactive, &mut self.last_work);
        self.totals.start(&mut self.output, &mut self.last_work);
        if self.finder.is_idle() && self.loads.is_idle() {
            self.waiting.idle(&mut self.output);
        }
        self.output.take()
    }

    /// Scans wait for loads, because what a load reads decides which files are new.
    fn may_scan(&self) -> bool {
        let reads = matches!(self.loads.wanted(), Some(Load::Read(_)));
        !self.loads.is_running() && !reads
    }

    fn start_load(&mut self) {
        let shown = self.output.world().snapshot().cloned();
        let renews = matches!(self.loads.wanted(), Some(Load::Renew | Load::Remap));
        if renews && shown.is_none() && !self.loads.is_running() {
            self.loads.unwant();
        }
        let Some((id, load)) = self.loads.start(&mut self.last_work) else { return };
        let from = match (load, shown) {
            (Load::Read(ToRead { in_memory: Some(loaded), .. }), _) => {
                LoadFrom::Read(loaded.clone())
            }
            (Load::Read(ToRead { files, extent, missing, .. }), _) => {
                LoadFrom::Files { files: files.clone(), extent: *extent, missing: *missing }
            }
            (Load::Renew, Some(shown)) => LoadFrom::Shown(shown),
            (Load::Remap, Some(shown)) => LoadFrom::Remapped(shown),
            (Load::Renew | Load::Remap, None) => return,
        };
        // The load will replace the snapshot. If it fails, resolving its addresses continues.
        if let Some(symbols) = self.symbols.cancel() {
            self.symbols.want(());
            self.output.push(Effect::Stop(symbols));
        }
        self.output.publish(|world| world.loading = true);
        let job = LoadJob { from, world: self.output.world().clone() };
        self.output.push(Effect::Start(id, Job::Load(job)));
    }

    fn start_symbols(&mut self) {
        let world = self.output.world().clone();
        let (Some(shown), Some(index)) = (world.snapshot(), &world.index) else { return };
        if let Some((id, ())) = self.symbols.start(&mut self.last_work) {
            let job = ResolveJob { shown: shown.clone(), index: index.clone() };
            self.output.push(Effect::Start(id, Job::Resolve(job)));
        }
    }
}

/// Whether a profile that the user picked is shown.
fn shows_pick(world: &World) -> bool {
    let files = world.snapshot().into_iter().flat_map(|shown| &shown.loaded.files);
    files.map(|(path, _)| path).any(|path| world.pick.contains(path))
}

fn cancelled(path: &Path) -> LoadError {
    LoadError::Read { path: path.to_owned(), source: ReadError::cancelled() }
}
