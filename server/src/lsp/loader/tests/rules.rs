//! Properties that hold for any sequence of events. At every moment, [`Simulation`] checks that what
//! was shown never vanishes, that one job of a kind runs at a time, that canceled work does not
//! change what is shown, and that commands are answered at most once.

use super::disk::{Content, path};
use super::simulation::{Pace, Simulation};
use crate::lsp::loader::event::Event;
use answers::{BaselineChoice, ChosenBaseline};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const NAMES: [&str; 4] = ["a.cpuprofile", "b.cpuprofile", "c.folded", "d.folded"];

/// A step of a test.
#[derive(Debug, Clone)]
enum Happens {
    Write(&'static str, Content),
    Close(&'static str),
    Delete(&'static str),
    Wait(u64),
    Inlines(bool),
    Unit(bool),
    WrongChoice,
    Pick(Option<&'static str>),
    SettingProfile(Option<&'static str>),
    Root(bool),
    SourceAdded,
    Reload,
    Cancel,
    Baseline(Option<BaselineChoice>),
    Open(&'static str),
    Sum,
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => (1_u32..100).prop_map(Content::Profile),
        1 => (1_u32..100).prop_map(Content::OpenLine),
        1 => Just(Content::Cut),
        1 => Just(Content::CutInside),
        1 => Just(Content::Broken),
        1 => Just(Content::Garbage),
    ]
}

fn happens() -> impl Strategy<Value = Happens> {
    let baseline = prop_oneof![
        Just(None),
        Just(Some(BaselineChoice::Shown(true))),
        name().prop_map(|name| Some(BaselineChoice::Path(name.into()))),
    ];
    prop_oneof![
        8 => (name(), content()).prop_map(|(name, content)| Happens::Write(name, content)),
        2 => name().prop_map(Happens::Close),
        2 => name().prop_map(Happens::Delete),
        8 => prop_oneof![0_u64..300, 0_u64..5000].prop_map(Happens::Wait),
        2 => any::<bool>().prop_map(Happens::Inlines),
        1 => any::<bool>().prop_map(Happens::Unit),
        1 => Just(Happens::WrongChoice),
        3 => prop::option::of(name()).prop_map(Happens::Pick),
        1 => prop::option::of(name()).prop_map(Happens::SettingProfile),
        1 => any::<bool>().prop_map(Happens::Root),
        1 => Just(Happens::SourceAdded),
        2 => Just(Happens::Reload),
        2 => Just(Happens::Cancel),
        2 => baseline.prop_map(Happens::Baseline),
        2 => name().prop_map(Happens::Open),
        1 => Just(Happens::Sum),
    ]
}

fn pace() -> impl Strategy<Value = Pace> {
    let ms = |times: &'static [u64]| prop::sample::select(times).prop_map(Duration::from_millis);
    (ms(&[0, 10, 250]), ms(&[0, 50, 900, 3000]), ms(&[0, 500, 4000]))
        .prop_map(|(scan, load, resolve)| Pace { scan, load, resolve })
}

/// The expected state, as far as the simulation does not track it.
#[derive(Default)]
struct Model {
    /// The setting `profile`.
    profile: Option<&'static str>,
    /// The commands that set the baseline, and their arguments.
    baselines: Vec<(u32, Option<BaselineChoice>)>,
    /// Whether a change of the view was canceled, so that it may not be applied.
    cancelled_view: bool,
    /// Whether the costs of the last baseline were canceled: its command failed, and its choice is kept.
    cancelled_baseline: bool,
    /// The times of commands and settings that read broken files again.
    retries: Vec<SystemTime>,
}

impl Model {
    fn apply(&mut self, simulation: &mut Simulation, happens: Happens) {
        match happens {
            Happens::Write(name, content) => simulation.write(name, content),
            Happens::Close(name) => simulation.close(name),
            Happens::Delete(name) => simulation.delete(name),
            Happens::Wait(ms) => simulation.pass(Duration::from_millis(ms)),
            Happens::Inlines(body) => {
                let inlines = if body { "body" } else { "callSite" };
                simulation.set_view(json!({ "inlines": inlines }));
                self.cancelled_view = false;
            }
            Happens::Unit(both) => {
                simulation.set_view(json!({ "unit": if both { "both" } else { "percent" } }));
            }
            Happens::WrongChoice => {
                let command = simulation.set_view(json!({ "metric": "no such" }));
                let is_shown = simulation.world.snapshot().is_some();
                assert!(!is_shown || simulation.answers[&command].is_err());
            }
            Happens::Pick(name) => {
                // The loader checks that a pick exists before the state receives it.
                if name.is_none_or(|name| simulation.disk.files.contains_key(&path(name))) {
                    self.retries.push(simulation.wall());
                    simulation.pick(name);
                }
            }
            Happens::SettingProfile(name) => {
                self.profile = name;
                self.retries.push(simulation.wall());
                simulation.event(Event::Settings(json!({ "profile": name })));
            }
            Happens::Root(more) => {
                let root = vec![PathBuf::from("/no/such/folder/either")];
                let (added, removed) = if more { (root, vec![]) } else { (vec![], root) };
                simulation.event(Event::Roots { added, removed });
            }
            Happens::SourceAdded => simulation.event(Event::SourceAdded),
            Happens::Reload => {
                self.retries.push(simulation.wall());
                simulation.reload();
            }
            Happens::Cancel => {
                (self.cancelled_view, self.cancelled_baseline) = (true, true);
                simulation.cancel();
            }
            Happens::Sum => {
                simulation.command(Event::Sum);
            }
            Happens::Open(name) => {
                simulation.open(name, None);
            }
            Happens::Baseline(baseline) => {
                let choice = json!({ "baseline": baseline });
                self.cancelled_baseline = false;
                self.baselines.push((simulation.set_view(choice), baseline));
            }
        }
    }

    /// A version of a file that cannot be read is reported once, and once more for each command or
    /// setting that reads it again.
    fn check_reports(&self, simulation: &Simulation) {
        for (error, version) in &simulation.reports {
            let reports = simulation.reports.iter().filter(|(_, other)| other == version).count();
            let retries = self.retries.iter().filter(|time| **time >= version.1.modified).count();
            assert!(reports <= 1 + retries, "reported {reports} times: {error}");
        }
    }

    /// Checks the properties that hold when nothing is left to do.
    fn check(&self, simulation: &Simulation) {
        let world = &simulation.world;
        assert!(simulation.unanswered().is_empty(), "{:?}", simulation.unanswered());
        assert!(!world.loading);
        if !simulation.reads_late {
            self.check_reports(simulation);
        }
        self.check_shown(simulation);
        self.check_baseline(simulation);
        for (path, _) in &world.problems {
            assert!(simulation.disk.files.contains_key(path), "a problem with a deleted file");
        }
        assert!(world.problems.iter().map(|(path, _)| path).is_sorted_by(|a, b| a != b));
        assert_eq!(world.problems.len(), simulation.diagnostics.len());
        if let Some(shown) = world.snapshot().filter(|_| !self.cancelled_view) {
            assert_eq!(shown.settings, world.settings.costs(), "the view is applied");
        }
    }

    fn check_shown(&self, simulation: &Simulation) {
        let world = &simulation.world;
        let shown = world.snapshot().map(|shown| (&shown.loaded, simulation.samples()));
        let is_readable = |path: &Path| {
            simulation.disk.files.get(path).is_some_and(|file| {
                let given_up = simulation.given_up.iter();
                matches!(file.content, Content::Profile(_) | Content::OpenLine(_))
                    && !given_up
                        .into_iter()
                        .any(|(other, stamp)| other == path && *stamp == file.stamp)
            })
        };
        if let Some((loaded, samples)) = &shown {
            let read = simulation.disk.versions.get(&(loaded.path.clone(), loaded.stamp.modified));
            assert!(
                matches!(read, Some(&Content::Profile(n) | &Content::OpenLine(n)) if Some(n) == *samples),
                "{samples:?} samples are shown for {read:?}"
            );
            assert_eq!(world.deleted, !simulation.disk.files.contains_key(&loaded.path));
        }
        let wanted = world.pick.first().cloned().or(self.profile.map(path));
        if let Some(wanted) = wanted {
            if is_readable(&wanted) {
                let shown = shown.map(|(loaded, _)| (loaded.path.clone(), loaded.stamp));
                assert_eq!(shown, Some((wanted.clone(), simulation.disk.files[&wanted].stamp)));
            }
            return;
        }
        for (path, file) in simulation.disk.files.iter().filter(|(path, _)| is_readable(path)) {
            let (loaded, _) = shown.as_ref().expect("a readable profile is shown");
            assert!(
                loaded.stamp.modified >= file.stamp.modified,
                "{} is newer than the shown profile",
                path.display()
            );
        }
        // Newer files that cannot be read were reported, unless the user canceled their load.
        for (path, file) in &simulation.disk.files {
            let is_newer = shown
                .as_ref()
                .is_none_or(|(loaded, _)| file.stamp.modified > loaded.stamp.modified);
            let is_broken =
                matches!(file.content, Content::Cut | Content::CutInside | Content::Broken);
            let given_up = simulation.given_up.contains(&(path.clone(), file.stamp));
            if is_newer && is_broken && !given_up {
                let is_reported = world.problems.iter().any(|(file, _)| file == path);
                assert!(is_reported, "{}", path.display());
            }
        }
    }

    /// The baseline is that of the last command that succeeded.
    fn check_baseline(&self, simulation: &Simulation) {
        if self.cancelled_view || self.cancelled_baseline {
            return;
        }
        let mut succeeded = self.baselines.iter().rev();
        let last = succeeded.find(|(command, _)| simulation.answers[command].is_ok());
        let baseline = simulation.world.baseline.as_ref();
        let chosen = simulation.world.overrides.baseline.as_ref();
        match last.map(|(_, choice)| choice) {
            None => assert!(baseline.is_none() && chosen.is_none()),
            Some(None) => {
                assert!(baseline.is_none() && chosen == Some(&ChosenBaseline::Nothing));
            }
            Some(Some(BaselineChoice::Shown(_))) => {
                let is_shown = matches!(chosen, Some(ChosenBaseline::Shown { .. }));
                assert!(baseline.is_some() && is_shown);
            }
            Some(Some(BaselineChoice::Path(name))) => {
                let path = path(name.to_str().unwrap());
                assert_eq!(baseline.map(|it| &it.snapshot.loaded.path), Some(&path));
                assert_eq!(chosen, Some(&ChosenBaseline::Path(name.clone())));
            }
        }
        if let Some(baseline) = baseline {
            let is_shown = simulation.world.snapshot().is_some();
            let settings = simulation.world.settings.costs();
            assert!(
                !is_shown || baseline.snapshot.settings == settings,
                "the view is applied to the baseline"
            );
        }
    }
}

/// The contents of a file while it is written, and the pauses in ms between them.
fn pieces() -> impl Strategy<Value = (&'static str, Vec<(Content, u64)>)> {
    let cut = prop::sample::select(vec![
        Content::Cut,
        Content::CutInside,
        Content::Broken,
        Content::Garbage,
    ]);
    let with_end = vec((cut, 1_u64..1900), 0..6).prop_map(|pieces| ("a.cpuprofile", pieces));
    let lines = prop_oneof![
        (3_u32..90).prop_map(Content::Profile),
        (3_u32..90).prop_map(Content::OpenLine)
    ];
    let without_end = vec((lines, 1_u64..950), 0..6).prop_map(|pieces| ("a.folded", pieces));
    prop_oneof![with_end, without_end]
}

#[test]
fn a_load_of_what_another_request_has_read_can_be_cancelled() {
    let mut simulation = Simulation::new(&json!({}), &[("a.cpuprofile", Content::Profile(8))]);
    let ms = Duration::from_millis;
    simulation.pace = Pace { scan: ms(250), load: ms(50), resolve: ms(0) };
    let mut model = Model::default();
    let before = [Happens::Root(false), Happens::Wait(435), Happens::Root(false)];
    let after = [Happens::Open("a.cpuprofile"), Happens::Wait(366), Happens::Cancel];
    for happens in before.into_iter().chain(after) {
        model.apply(&mut simulation, happens);
    }
    simulation.rest();
    model.check(&simulation);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pick_or_the_newest_readable_profile_is_shown_and_commands_are_answered(
        (pace, stops_late, reads_late) in (pace(), any::<bool>(), any::<bool>()),
        all in vec(happens(), 1..40),
    ) {
        let mut simulation = Simulation::new(&json!({}), &[("a.cpuprofile", Content::Profile(8))]);
        (simulation.pace, simulation.stops_late, simulation.reads_late) =
            (pace, stops_late, reads_late);
        let mut model = Model::default();
        for happens in all {
            model.apply(&mut simulation, happens);
        }
        simulation.rest();
        model.check(&simulation);
    }

    #[test]
    fn a_rewrite_is_exactly_one_swap(
        (name, pieces) in pieces(),
        (deletes, closes) in (any::<bool>(), any::<bool>()),
        (scan, load) in (0_u64..40, 0_u64..400),
    ) {
        let mut simulation = Simulation::showing(&[(name, Content::Profile(2))]);
        simulation.pace.scan = Duration::from_millis(scan);
        simulation.pace.load = Duration::from_millis(load);
        if deletes {
            simulation.delete(name);
            simulation.pass(Duration::from_millis(pieces.len() as u64 * 200));
        }
        for (content, pause) in pieces {
            simulation.write(name, content);
            simulation.pass(Duration::from_millis(pause));
        }
        simulation.write(name, Content::Profile(100));
        if closes {
            simulation.close(name);
        }
        simulation.rest();
        prop_assert_eq!(&simulation.shown, &[2, 100]);
        prop_assert_eq!(simulation.errors.len() + simulation.warnings.len(), 0);
        prop_assert_eq!(simulation.diagnostics.len(), 0);
    }
}
