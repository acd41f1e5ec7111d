//! Profiles that are asked about without being shown.

use super::disk::Content::{Broken, Profile};
use super::disk::path;
use super::simulation::{Simulation, samples_of};
use crate::lsp::loader::event::Event;
use answers::Unit;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const SHORT: Duration = Duration::from_secs(5);

fn showing_two() -> Simulation {
    Simulation::showing(&[("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))])
}

/// The number of samples that a command is answered with, or its error.
fn answer(simulation: &Simulation, command: u32) -> Option<Result<u32, String>> {
    let outcome = simulation.answers.get(&command)?.clone();
    Some(outcome.map(|world| world.snapshot().map_or(0, |shown| samples_of(shown))))
}

#[test]
fn a_profile_is_opened_without_being_shown() {
    let mut simulation = showing_two();
    let before = simulation.world.clone();
    let opens = [0; 3].map(|_| simulation.open("a.cpuprofile", None));
    assert_eq!(simulation.answers.len(), 0);
    simulation.pass(SHORT);
    assert_eq!(opens.map(|it| answer(&simulation, it)), [Some(Ok(2)), Some(Ok(2)), Some(Ok(2))]);
    // Those that wait for the same are answered together.
    let [_, second, third] = opens.map(|it| simulation.answers[&it].clone().unwrap());
    assert!(Arc::ptr_eq(&second, &third));
    assert!(Arc::ptr_eq(&before, &simulation.world));
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4][..], 1));
    // It is in memory when it is picked.
    simulation.pick(Some("a.cpuprofile"));
    simulation.pass(SHORT);
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2][..], 1));
}

#[test]
fn the_profile_shown_is_answered_with_at_once_unless_in_another_view() {
    let mut simulation = showing_two();
    let shown = simulation.open("b.cpuprofile", None);
    assert_eq!(answer(&simulation, shown), Some(Ok(4)));
    let other = simulation.open("b.cpuprofile", Some(json!({ "unit": "both" })));
    assert_eq!(answer(&simulation, other), None);
    simulation.pass(SHORT);
    let world = simulation.answers[&other].clone().unwrap();
    assert_eq!((world.settings.unit, simulation.world.settings.unit), (Unit::Both, Unit::Percent));
}

#[test]
fn a_view_is_based_on_the_settings_and_on_the_mappings_and_the_unit_that_are_chosen() {
    let mut simulation = showing_two();
    let mapping = json!([{ "from": "/a", "to": "b" }]);
    simulation.set_view(json!({ "unit": "both", "show": "self", "pathMappings": mapping }));
    simulation.pass(SHORT);
    let open = simulation.open("a.cpuprofile", Some(json!({ "inlines": "callSite" })));
    simulation.pass(SHORT);
    let world = simulation.answers[&open].clone().unwrap();
    let of = |world: &answers::World| (world.settings.unit, world.settings.path_mappings.clone());
    assert_eq!(of(&world), of(&simulation.world));
    assert_ne!(world.settings.hints.show, simulation.world.settings.hints.show);
    assert_eq!(world.snapshot().unwrap().settings, world.settings.costs());
    assert_ne!(world.settings.inlines, simulation.world.settings.inlines);
}

#[test]
fn what_cannot_be_opened_is_answered_with_the_reason() {
    let mut simulation =
        Simulation::showing(&[("a.cpuprofile", Broken), ("b.cpuprofile", Profile(4))]);
    let errors = simulation.errors.clone();
    let broken = simulation.open("a.cpuprofile", None);
    let nested = simulation.open("b.cpuprofile", Some(json!({ "baseline": "a.cpuprofile" })));
    simulation.pass(SHORT);
    let error = |simulation: &Simulation, it| answer(simulation, it).unwrap().unwrap_err();
    assert!(error(&simulation, broken).contains("a.cpuprofile"));
    assert!(error(&simulation, nested).contains("not part of the view of another profile"));
    // The profile shown has no problem.
    assert_eq!((simulation.errors.clone(), simulation.world.problems.len()), (errors, 0));
}

#[test]
fn commands_are_answered_if_the_user_cancels_and_if_the_root_is_removed() {
    for stops_late in [false, true] {
        let mut simulation = showing_two();
        simulation.stops_late = stops_late;
        let [first, second] =
            ["a.cpuprofile", "c.cpuprofile"].map(|name| simulation.open(name, None));
        simulation.cancel();
        assert!(answer(&simulation, first).unwrap().unwrap_err().contains("canceled"));
        assert_eq!(answer(&simulation, second), None);
        simulation.pass(SHORT);
        assert!(answer(&simulation, second).unwrap().is_err());
        assert_eq!(simulation.unanswered().len(), 0);
    }
}

#[test]
fn what_was_opened_is_evicted() {
    let mut simulation = showing_two();
    let open = simulation.open("a.cpuprofile", None);
    simulation.pass(SHORT);
    let world = Arc::downgrade(&simulation.answers.remove(&open).unwrap().unwrap());
    simulation.pass(Duration::from_secs(29 * 60));
    assert!(world.upgrade().is_some());
    simulation.pass(Duration::from_secs(60));
    assert!(world.upgrade().is_none());
    // A rewritten profile is read again.
    simulation.write("a.cpuprofile", Profile(7));
    simulation.event(Event::FilesChanged);
    let again = simulation.open("a.cpuprofile", None);
    simulation.pass(SHORT);
    assert_eq!(answer(&simulation, again), Some(Ok(7)));
    assert_eq!(simulation.snapshot().loaded.path, path("a.cpuprofile"));
}
