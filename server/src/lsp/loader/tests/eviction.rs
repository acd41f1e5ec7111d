//! How long profiles that are no longer shown stay in memory.

use super::disk::Content::{Broken, Profile};
use super::disk::path;
use super::simulation::Simulation;
use crate::lsp::loader::WantedBaseline;
use crate::lsp::loader::event::Event;
use answers::Loaded;
use serde_json::json;
use std::sync::{Arc, Weak};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_secs(5);

fn showing_two() -> Simulation {
    Simulation::showing(&[("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))])
}

fn shown(simulation: &Simulation) -> Weak<Loaded> {
    Arc::downgrade(&simulation.snapshot().loaded)
}

fn pick(simulation: &mut Simulation, name: &str) {
    simulation.pick(Some(name));
    simulation.pass(SHORT);
    assert_eq!(simulation.snapshot().loaded.path, path(name));
    forget_answers(simulation);
}

/// The answers to commands contain worlds.
fn forget_answers(simulation: &mut Simulation) {
    simulation.answers.clear();
}

fn is_in_memory(loaded: &Weak<Loaded>) -> bool {
    loaded.upgrade().is_some()
}

#[test]
fn a_profile_that_was_shown_before_is_shown_at_once_and_not_read_again() {
    let mut simulation = showing_two();
    let b = shown(&simulation);
    pick(&mut simulation, "a.cpuprofile");
    simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.pass(SHORT);
    assert_eq!(simulation.reads, 2);
    simulation.pick(Some("b.cpuprofile"));
    // A scan and a load, without the time to settle.
    simulation.pass(simulation.pace.scan + simulation.pace.load);
    assert!(Weak::ptr_eq(&b, &shown(&simulation)));
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2, 4][..], 2));
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
    // An explicit reload reads it.
    simulation.reload();
    simulation.pass(SHORT);
    assert_eq!(simulation.reads, 3);
}

#[test]
fn inactive_profiles_are_evicted_and_the_shown_one_never_is() {
    let mut simulation = showing_two();
    let b = shown(&simulation);
    pick(&mut simulation, "a.cpuprofile");
    let a = shown(&simulation);
    simulation.pass(29 * MINUTE);
    assert!(is_in_memory(&b));
    simulation.pass(MINUTE);
    assert!(!is_in_memory(&b));
    simulation.pass(24 * 60 * MINUTE);
    assert!(is_in_memory(&a));
    // It is read again when it is picked, with the same costs.
    pick(&mut simulation, "b.cpuprofile");
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2, 4][..], 3));
    // The time counts from when a profile was last shown.
    simulation.pass(20 * MINUTE);
    pick(&mut simulation, "a.cpuprofile");
    pick(&mut simulation, "b.cpuprofile");
    simulation.pass(20 * MINUTE);
    assert!(is_in_memory(&a));
    simulation.pass(10 * MINUTE);
    assert!(!is_in_memory(&a));
}

#[test]
fn a_rewritten_profile_is_evicted_and_read_again() {
    let mut simulation = showing_two();
    let b = shown(&simulation);
    pick(&mut simulation, "a.cpuprofile");
    simulation.write("b.cpuprofile", Profile(10));
    simulation.pass(SHORT);
    assert!(!is_in_memory(&b));
    pick(&mut simulation, "b.cpuprofile");
    assert_eq!(simulation.shown, [4, 2, 10]);
    // Nor is the previous version of the shown profile kept.
    let before = shown(&simulation);
    simulation.write("b.cpuprofile", Profile(12));
    simulation.pass(SHORT);
    assert_eq!(simulation.samples(), Some(12));
    assert!(!is_in_memory(&before));
}

#[test]
fn a_baseline_is_in_use_until_it_is_removed() {
    let mut simulation = showing_two();
    let b = shown(&simulation);
    simulation.command(|answer| Event::Compare(WantedBaseline::Shown, answer));
    forget_answers(&mut simulation);
    pick(&mut simulation, "a.cpuprofile");
    simulation.pass(60 * MINUTE);
    assert!(is_in_memory(&b));
    pick(&mut simulation, "b.cpuprofile");
    assert!(Weak::ptr_eq(&b, &shown(&simulation)));
    pick(&mut simulation, "a.cpuprofile");
    simulation.command(|answer| Event::Compare(WantedBaseline::Nothing, answer));
    simulation.pass(29 * MINUTE);
    assert!(is_in_memory(&b));
    simulation.pass(MINUTE);
    assert!(!is_in_memory(&b));
}

#[test]
fn the_setting_decides_how_long_and_the_last_four_are_kept() {
    let names: Vec<String> = (0..6).map(|i| format!("{i}.cpuprofile")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), Profile(2))).collect();
    let mut simulation = Simulation::showing(&files);
    simulation.event(Event::Settings(json!({ "evictAfterMinutes": 0 })));
    let mut profiles = Vec::new();
    for name in &names {
        pick(&mut simulation, name);
        profiles.push(shown(&simulation));
    }
    let in_memory =
        |profiles: &[Weak<Loaded>]| -> Vec<bool> { profiles.iter().map(is_in_memory).collect() };
    simulation.pass(7 * 24 * 60 * MINUTE);
    assert_eq!(in_memory(&profiles), [false, true, true, true, true, true]);
    simulation.event(Event::Settings(json!({ "evictAfterMinutes": 1 })));
    assert_eq!(in_memory(&profiles), [false, false, false, false, false, true]);
}

#[test]
fn a_profile_is_read_again_if_reading_depends_on_changed_settings() {
    let mut simulation = showing_two();
    pick(&mut simulation, "a.cpuprofile");
    // Stacks are unwound with these when a profile is read.
    simulation.event(Event::Settings(json!({ "symbols": { "enable": false } })));
    pick(&mut simulation, "b.cpuprofile");
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2, 4][..], 3));
    simulation.event(Event::Settings(json!({})));
    pick(&mut simulation, "a.cpuprofile");
    assert_eq!(simulation.reads, 3, "it was read with the settings that apply again");
}

#[test]
fn a_broken_rewrite_does_not_bring_back_the_version_in_memory() {
    let mut simulation = showing_two();
    pick(&mut simulation, "a.cpuprofile");
    simulation.write("b.cpuprofile", Broken);
    let pick = simulation.pick(Some("b.cpuprofile"));
    simulation.pass(SHORT);
    assert!(simulation.answers[&pick].is_err());
    assert_eq!(simulation.shown, [4, 2]);
}

#[test]
fn inactive_profiles_make_room_for_one_that_gets_no_memory() {
    let mut simulation = showing_two();
    let b = shown(&simulation);
    pick(&mut simulation, "a.cpuprofile");
    simulation.write("c.cpuprofile", Profile(6));
    simulation.pass(SHORT);
    simulation.lacks_memory.set(true);
    pick(&mut simulation, "c.cpuprofile");
    assert_eq!((&simulation.shown[..], is_in_memory(&b)), (&[4, 2, 6][..], false));
    assert_eq!(simulation.errors, [""; 0]);

    // With none, that is an error.
    simulation.pass(31 * MINUTE);
    simulation.lacks_memory.set(true);
    simulation.write("c.cpuprofile", Profile(8));
    simulation.pass(SHORT);
    assert_eq!(simulation.errors.len(), 1);
    assert_eq!(simulation.samples(), Some(6));
}
