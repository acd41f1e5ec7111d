//! Which profile is shown, and which work that takes.

use super::disk::Content::{Broken, Profile};
use super::disk::path;
use super::simulation::Simulation;
use crate::lsp::loader::event::Event;
use crate::lsp::loader::jobs::Job;
use serde_json::json;
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

#[test]
fn a_newer_profile_that_is_broken_is_reported_once_and_skipped() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Broken)];
    let mut simulation = Simulation::showing(&files);
    assert_eq!((simulation.samples(), simulation.errors.len()), (Some(2), 1));
    simulation.write("a.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!((simulation.samples(), simulation.errors.len()), (Some(4), 1));
    assert_eq!(simulation.world.problems.len(), 1);
    // Gone with the file.
    simulation.delete("b.cpuprofile");
    simulation.rest();
    assert_eq!((simulation.world.problems.len(), simulation.diagnostics.len()), (0, 0));
}

#[test]
fn a_pick_survives_rewrites_and_newer_profiles_until_it_is_withdrawn() {
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
fn without_a_pick_the_newest_is_shown_again_though_it_is_older() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.event(Event::Settings(json!({ "profile": "recorded.cpuprofile" })));
    simulation.write("recorded.cpuprofile", Profile(6));
    simulation.rest();
    assert_eq!(simulation.samples(), Some(6));
    // It is deleted, and the setting is gone: of those that are there, the newest.
    simulation.delete("recorded.cpuprofile");
    simulation.event(Event::Settings(json!({})));
    simulation.rest();
    assert_eq!(simulation.shown, [4, 6, 4]);
}

#[test]
fn a_change_of_the_view_looks_neither_for_profiles_nor_for_sources() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let (looks, index) = (simulation.looks, simulation.world.index.clone().unwrap());
    for inlines in ["callSite", "body", "callSite"] {
        simulation.set_view(json!({ "inlines": inlines }));
        simulation.rest();
    }
    assert_eq!(simulation.looks, looks);
    assert_eq!(simulation.shown, [2], "nothing is read again");
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
    assert!(Arc::ptr_eq(&index, simulation.world.index.as_ref().unwrap()), "nor one at sources");
}

#[test]
fn several_changes_of_the_view_during_a_load_are_brought_into_effect_together() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    let revision = simulation.world.revision;
    simulation.pace.load = Duration::from_millis(100);
    for inlines in ["callSite", "body", "callSite", "body", "callSite"] {
        simulation.set_view(json!({ "inlines": inlines }));
    }
    simulation.rest();
    // One for the first, one for the others.
    assert_eq!(simulation.world.revision, revision + 2);
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
}

#[test]
fn a_view_that_is_chosen_during_the_first_load_is_in_effect_after_it() {
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
fn a_view_that_is_chosen_before_a_broken_file_is_read_is_in_effect_all_the_same() {
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
fn other_roots_are_brought_into_effect_on_what_is_shown() {
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
fn what_a_look_finds_for_other_settings_is_not_used() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.look = Duration::from_millis(300);
    simulation.write("b.cpuprofile", Profile(4));
    // Two looks find it; after the second it would be read.
    simulation.pass(Duration::from_millis(500));
    assert!(simulation.is_running(|job| matches!(job, Job::Look(_))));
    simulation.event(Event::Settings(json!({ "profiles": ["a.cpuprofile"] })));
    simulation.rest();
    assert_eq!(simulation.shown, [2]);
    simulation.event(Event::Settings(json!({})));
    simulation.rest();
    assert_eq!(simulation.shown, [2, 4]);
}

#[test]
fn a_pick_during_a_look_is_looked_for() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pace.look = Duration::from_millis(300);
    simulation.event(Event::Look);
    simulation.pass(Duration::from_millis(100));
    assert!(simulation.is_running(|job| matches!(job, Job::Look(_))));
    simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!((simulation.shown, simulation.errors.len()), (vec![4, 2], 0));
}

#[test]
fn files_that_change_all_the_time_keep_nobody_from_looking() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.look = Duration::from_millis(100);
    simulation.write("b.cpuprofile", Profile(4));
    for _ in 0..100 {
        simulation.event(Event::Look);
        simulation.pass(Duration::from_millis(10));
    }
    assert_eq!(simulation.samples(), Some(4));
}

/// Odd numbers of samples stand for profiles with addresses to be resolved.
#[test]
fn addresses_are_resolved_after_a_profile_is_shown() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(3))]);
    assert_eq!(simulation.world.revision, 2, "shown, and shown with more names");
    simulation.write("a.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!(simulation.world.revision, 3);
}

#[test]
fn a_load_stops_the_look_for_addresses_which_goes_on_if_nothing_came_of_it() {
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
fn a_look_for_addresses_that_was_cancelled_does_not_begin_again() {
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
fn a_load_that_was_cancelled_changes_nothing_and_does_not_begin_again() {
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
        // The next writing is read, and so is this one if the user asks for it.
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
fn a_baseline_that_was_read_under_other_settings_is_renewed() {
    let files = [("before.cpuprofile", Profile(2)), ("a.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pace.load = Duration::from_millis(100);
    let with = crate::lsp::loader::Compare::With("before.cpuprofile".into());
    simulation.command(|answer| Event::Compare(with, answer));
    simulation.pass(Duration::from_millis(50));
    simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.rest();
    let baseline = simulation.world.baseline.clone().unwrap();
    assert_eq!(baseline.snapshot.settings, simulation.world.settings.costs());
}
