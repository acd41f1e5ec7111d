//! Which profile is shown, and which work is done for it.

use super::disk::Content::{Broken, Profile};
use super::disk::path;
use super::simulation::Simulation;
use crate::lsp::loader::WantedBaseline;
use crate::lsp::loader::event::Event;
use crate::lsp::loader::jobs::Job;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn shown_path(simulation: &Simulation) -> PathBuf {
    simulation.snapshot().loaded.path.clone()
}

#[test]
fn the_newest_profile_is_shown() {
    let files = [("a.cpuprofile", Profile(2)), ("b.folded", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    assert_eq!(simulation.samples(), Some(4));
    simulation.write("a.cpuprofile", Profile(6));
    simulation.rest();
    assert_eq!(simulation.shown, [4, 6]);
}

/// A heap profile that is written after a profile of processor time, by the same run.
#[test]
fn of_profiles_written_together_the_most_useful_is_shown() {
    let files = [("cpu.cpuprofile", Profile(2)), ("mem.heapprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    assert_eq!(simulation.samples(), Some(2));
    simulation.write("cpu.cpuprofile", Profile(6));
    simulation.write("mem.heapprofile", Profile(8));
    simulation.rest();
    assert_eq!(simulation.shown, [2, 6]);
    // One that is written by itself is shown.
    simulation.pass(Duration::from_secs(20));
    simulation.write("mem.heapprofile", Profile(10));
    simulation.rest();
    assert_eq!(simulation.shown, [2, 6, 10]);
}

#[test]
fn a_newer_profile_that_is_broken_is_reported_once_and_skipped() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Broken)];
    let mut simulation = Simulation::showing(&files);
    assert_eq!((simulation.samples(), simulation.errors.len()), (Some(2), 1));
    simulation.write("a.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!((simulation.samples(), simulation.errors.len()), (Some(4), 1));
    assert_eq!(simulation.world.problems.len(), 1);
    // The problem is removed with the file.
    simulation.delete("b.cpuprofile");
    simulation.rest();
    assert_eq!((simulation.world.problems.len(), simulation.diagnostics.len()), (0, 0));
}

#[test]
fn a_pick_survives_rewrites_and_newer_profiles_until_it_is_removed() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    simulation.write("b.cpuprofile", Profile(6));
    simulation.write("a.cpuprofile", Profile(8));
    simulation.write("b.cpuprofile", Profile(10));
    simulation.rest();
    simulation.delete("a.cpuprofile");
    simulation.rest();
    assert_eq!(simulation.shown, [4, 2, 8]);
    simulation.pick(None);
    simulation.rest();
    assert_eq!(simulation.shown, [4, 2, 8, 10]);
}

#[test]
fn a_pick_that_cannot_be_read_leaves_the_one_before() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Broken)];
    let mut simulation = Simulation::showing(&files);
    simulation.pick(Some("b.cpuprofile"));
    simulation.rest();
    assert_eq!(simulation.answers.values().filter(|answer| answer.is_err()).count(), 1);
    assert!(simulation.world.pick.is_empty());
    // The newest is shown, as before.
    simulation.write("c.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!(simulation.samples(), Some(4));
    // A pick that is shown stays, even if it is rewritten and broken.
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    simulation.write("a.cpuprofile", Broken);
    simulation.write("c.cpuprofile", Profile(6));
    simulation.rest();
    simulation.write("a.cpuprofile", Profile(8));
    simulation.rest();
    assert_eq!(simulation.samples(), Some(8));
}

#[test]
fn a_pick_of_the_profile_shown_cancels_the_load_of_another() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.load = Duration::from_secs(3);
    simulation.write("b.cpuprofile", Profile(4));
    simulation.pass(Duration::from_secs(1));
    assert!(simulation.is_running(|job| matches!(job, Job::Load(_))));
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!(simulation.shown, [2]);
    assert_eq!((simulation.errors.len(), simulation.unanswered().len()), (0, 0));
    // It is read once it is wanted.
    simulation.pick(None);
    simulation.rest();
    assert_eq!(simulation.shown, [2, 4]);
    // A load that a command waits for ends first.
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    simulation.write("b.cpuprofile", Profile(6));
    simulation.pick(Some("b.cpuprofile"));
    simulation.pass(Duration::from_secs(1));
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!(simulation.samples(), Some(2));
    assert!(simulation.answers.values().all(Result::is_ok));
}

#[test]
fn without_a_pick_the_newest_is_shown_again_though_it_is_older() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.event(Event::Settings(json!({ "profile": "recorded.cpuprofile" })));
    simulation.write("recorded.cpuprofile", Profile(6));
    simulation.rest();
    assert_eq!(simulation.samples(), Some(6));
    // Without the file and the setting, the newest of the others is shown.
    simulation.delete("recorded.cpuprofile");
    simulation.event(Event::Settings(json!({})));
    simulation.rest();
    assert_eq!(simulation.shown, [4, 6, 4]);
}

#[test]
fn a_change_of_the_view_scans_neither_profiles_nor_sources() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let (scans, index) = (simulation.scans, simulation.world.index.clone().unwrap());
    for inlines in ["callSite", "body", "callSite"] {
        simulation.set_view(json!({ "inlines": inlines }));
        simulation.rest();
    }
    assert_eq!(simulation.scans, scans);
    assert_eq!(simulation.shown, [2], "nothing is read again");
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
    assert!(
        Arc::ptr_eq(&index, simulation.world.index.as_ref().unwrap()),
        "sources are not scanned"
    );
}

#[test]
fn changes_of_the_view_during_a_load_are_applied_together() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let revision = simulation.world.revision;
    simulation.pace.load = Duration::from_millis(100);
    for inlines in ["callSite", "body", "callSite", "body", "callSite"] {
        simulation.set_view(json!({ "inlines": inlines }));
    }
    simulation.rest();
    // One change for the first, one for the others.
    assert_eq!(simulation.world.revision, revision + 2);
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
}

#[test]
fn a_view_chosen_during_the_first_load_is_applied_after_it() {
    let mut simulation = Simulation::new(&json!({}), &[("a.cpuprofile", Profile(2))]);
    simulation.pace.load = Duration::from_secs(5);
    simulation.pass(Duration::from_secs(1));
    assert!(simulation.is_running(|job| matches!(job, Job::Load(_))));
    simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.rest();
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
    assert_eq!(simulation.unanswered().len(), 0);
}

#[test]
fn a_view_chosen_during_the_load_of_a_broken_file_is_applied() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.load = Duration::from_secs(5);
    simulation.write("a.cpuprofile", Broken);
    simulation.pass(Duration::from_secs(1));
    assert!(simulation.is_running(|job| matches!(job, Job::Load(_))));
    simulation.event(Event::Settings(json!({ "inlines": "callSite" })));
    simulation.rest();
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
    assert_eq!(simulation.errors.len(), 1);
}

#[test]
fn changed_roots_are_applied_to_the_shown_profile() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let before = simulation.snapshot().clone();
    simulation.event(Event::Roots {
        added: vec![PathBuf::from("/no/such/folder/either")],
        removed: Vec::new(),
    });
    simulation.rest();
    let index = simulation.world.index.clone().unwrap();
    let roots = simulation.world.settings.costs().sources.roots(&simulation.world.roots);
    assert!(index.is_built_from(&roots) && roots.len() == 2);
    assert!(!Arc::ptr_eq(&before, simulation.snapshot()));
    assert_eq!(simulation.shown, [2], "nothing is read again");
}

#[test]
fn a_scan_with_outdated_settings_is_not_used() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.scan = Duration::from_millis(300);
    simulation.write("b.cpuprofile", Profile(4));
    // Two scans find the file; after the second it would be read.
    simulation.pass(Duration::from_millis(500));
    assert!(simulation.is_running(|job| matches!(job, Job::Scan(_))));
    simulation.event(Event::Settings(json!({ "profiles": ["a.cpuprofile"] })));
    simulation.rest();
    assert_eq!(simulation.shown, [2]);
    simulation.event(Event::Settings(json!({})));
    simulation.rest();
    assert_eq!(simulation.shown, [2, 4]);
}

#[test]
fn a_pick_during_a_scan_starts_another_scan() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pace.scan = Duration::from_millis(300);
    simulation.event(Event::FilesChanged);
    simulation.pass(Duration::from_millis(100));
    assert!(simulation.is_running(|job| matches!(job, Job::Scan(_))));
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!((simulation.shown, simulation.errors.len()), (vec![4, 2], 0));
}

#[test]
fn constant_changes_do_not_prevent_scans() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.scan = Duration::from_millis(100);
    simulation.write("b.cpuprofile", Profile(4));
    for _ in 0..100 {
        simulation.event(Event::FilesChanged);
        simulation.pass(Duration::from_millis(10));
    }
    assert_eq!(simulation.samples(), Some(4));
}

/// Profiles with an odd number of samples have unresolved addresses.
#[test]
fn addresses_are_resolved_after_a_profile_is_shown() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(3))]);
    assert_eq!(
        simulation.world.revision, 2,
        "once before and once after the addresses are resolved"
    );
    simulation.write("a.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!(simulation.world.revision, 3);
}

#[test]
fn a_load_stops_the_resolution_of_addresses_which_continues_if_the_load_fails() {
    for (content, names) in [(Broken, 1), (Profile(5), 1), (Profile(4), 0)] {
        let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(3))]);
        simulation.pace.resolve = Duration::from_secs(60);
        simulation.reload();
        simulation.pass(Duration::from_secs(1));
        let revision = simulation.world.revision;
        assert!(simulation.is_running(|job| matches!(job, Job::Resolve(_))));
        simulation.write("a.cpuprofile", content);
        simulation.pass(Duration::from_secs(10));
        simulation.rest();
        let swaps = u64::from(content != Broken);
        assert_eq!(simulation.world.revision, revision + swaps + names, "{content:?}");
    }
}

#[test]
fn a_cancelled_resolution_of_addresses_is_not_restarted() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.resolve = Duration::from_secs(60);
    simulation.write("a.cpuprofile", Profile(3));
    simulation.pass(Duration::from_secs(1));
    simulation.cancel();
    let revision = simulation.world.revision;
    simulation.rest();
    assert_eq!(simulation.world.revision, revision);
}

#[test]
fn a_cancelled_load_changes_nothing_and_is_not_restarted() {
    for stops_late in [false, true] {
        let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
        simulation.stops_late = stops_late;
        simulation.pace.load = Duration::from_secs(5);
        simulation.write("a.cpuprofile", Profile(4));
        simulation.pass(Duration::from_secs(1));
        simulation.cancel();
        simulation.rest();
        assert_eq!((&simulation.shown, simulation.errors.len()), (&vec![2], 0));
        assert!(!simulation.world.loading);
        // The next version is read, and so is this one if the user reloads it.
        simulation.reload();
        simulation.rest();
        simulation.write("a.cpuprofile", Profile(6));
        simulation.rest();
        assert_eq!(simulation.shown, [2, 4, 6]);
    }
}

#[test]
fn the_setting_baseline_is_read_and_renewed_with_the_view() {
    let files = [("before.cpuprofile", Profile(2)), ("a.cpuprofile", Profile(4))];
    let mut simulation = Simulation::new(&json!({ "baseline": "before.cpuprofile" }), &files);
    simulation.rest();
    let baseline = |simulation: &Simulation| simulation.world.baseline.clone().unwrap();
    assert_eq!(baseline(&simulation).snapshot.loaded.path, path("before.cpuprofile"));
    simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.rest();
    assert_eq!(baseline(&simulation).snapshot.settings, simulation.world.settings.costs());
    assert_eq!(shown_path(&simulation), path("a.cpuprofile"));
    simulation.event(Event::Settings(json!({})));
    assert!(simulation.world.baseline.is_none());
    simulation.event(Event::Settings(json!({ "baseline": "none.cpuprofile" })));
    simulation.rest();
    assert!(
        simulation.warnings[0].starts_with("setting `baseline`: /no/such/folder/none.cpuprofile")
    );
}

#[test]
fn a_baseline_that_is_no_longer_set_is_not_shown() {
    let files = [("before.cpuprofile", Profile(2)), ("a.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    for next in [json!({ "baseline": "previous:0" }), json!({})] {
        simulation.event(Event::Settings(json!({ "baseline": "before.cpuprofile" })));
        let has_problem = next["baseline"].is_string();
        simulation.event(Event::Settings(next));
        simulation.rest();
        let world = &simulation.world;
        assert!(world.baseline.is_none() && world.baseline_problem.is_some() == has_problem);
    }
}

#[test]
fn a_baseline_that_was_read_with_other_settings_is_renewed() {
    let files = [("before.cpuprofile", Profile(2)), ("a.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pace.load = Duration::from_millis(100);
    let with = WantedBaseline::With("before.cpuprofile".into());
    simulation.command(|answer| Event::Compare(with, answer));
    simulation.pass(Duration::from_millis(50));
    simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.rest();
    let baseline = simulation.world.baseline.clone().unwrap();
    assert_eq!(baseline.snapshot.settings, simulation.world.settings.costs());
}

#[test]
fn a_warning_about_settings_is_logged_once() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let mut send = |settings: Value| {
        simulation.event(Event::Settings(settings));
        std::mem::take(&mut simulation.warnings)
    };
    let unknown = "settings: `costline.colour` is unknown; it is ignored";
    assert_eq!(send(json!({ "colour": 1 })), [unknown]);
    assert!(send(json!({ "colour": 1, "unit": "absolute" })).is_empty());
    assert!(send(json!({})).is_empty());
    assert_eq!(send(json!({ "colour": 1 })), [unknown]);
}

/// The stand-in for a kept run has as many samples as the profile shown.
#[test]
fn runs_are_still_compared_with_the_run_before_after_a_baseline_that_cannot_be_set() {
    let mut simulation =
        Simulation::new(&json!({ "baseline": "previous" }), &[("a.cpuprofile", Profile(2))]);
    simulation.rest();
    let before = |simulation: &Simulation| {
        simulation.world.baseline.as_ref().map(|it| it.snapshot.costs.total)
    };
    assert_eq!(before(&simulation), Some(2.0));
    for (wrong, samples) in [("none.cpuprofile", 4), ("previous:0", 6)] {
        let with = WantedBaseline::with(wrong.into());
        let command = simulation.command(|answer| Event::Compare(with, answer));
        simulation.rest();
        assert!(simulation.answers[&command].is_err());
        simulation.write("a.cpuprofile", Profile(samples));
        simulation.rest();
        assert_eq!(before(&simulation), Some(f64::from(samples)), "{wrong}");
    }

    // Also if the command comes while the run before is searched, or a run is read meanwhile.
    simulation.pace.load = Duration::from_secs(1);
    simulation.write("a.cpuprofile", Profile(8));
    simulation.pass(Duration::from_millis(1500));
    assert_eq!((simulation.samples(), before(&simulation)), (Some(8), None));
    let with = WantedBaseline::with("none.cpuprofile".into());
    let command = simulation.command(|answer| Event::Compare(with, answer));
    simulation.rest();
    assert!(simulation.answers[&command].is_err());
    assert_eq!(before(&simulation), Some(8.0));
    simulation.write("a.cpuprofile", Profile(10));
    simulation.pass(Duration::from_millis(500));
    let with = WantedBaseline::with("none.cpuprofile".into());
    let command = simulation.command(|answer| Event::Compare(with, answer));
    simulation.rest();
    assert!(simulation.answers[&command].is_err());
    assert_eq!((simulation.samples(), before(&simulation)), (Some(10), Some(10.0)));
}
