//! Files beside a profile that are read with it.

use super::disk::Content::{Garbage, Profile};
use super::simulation::Simulation;
use crate::lsp::loader::target::SETTLED;
use std::time::Duration;

const SHORT: Duration = Duration::from_secs(5);

fn write_companion(simulation: &mut Simulation, name: &str) {
    simulation.write(name, Garbage);
}

#[test]
fn a_companion_that_appears_or_changes_is_one_swap() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    write_companion(&mut simulation, "a.companion");
    simulation.pass(SETTLED * 9 / 10);
    // Each change restarts the wait.
    write_companion(&mut simulation, "a.companion");
    simulation.pass(SETTLED * 9 / 10);
    assert_eq!(simulation.shown, [2]);
    simulation.rest();
    assert_eq!(simulation.shown, [2, 2]);
    // A profile is rewritten together with its companion.
    simulation.write("a.cpuprofile", Profile(4));
    simulation.pass(SETTLED / 2);
    write_companion(&mut simulation, "a.companion");
    simulation.rest();
    assert_eq!((&simulation.shown[..], simulation.reads), (&[2, 2, 4][..], 3));
    assert_eq!((simulation.errors.len(), simulation.warnings.len()), (0, 0));
}

#[test]
fn a_deleted_companion_changes_nothing() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    write_companion(&mut simulation, "a.companion");
    simulation.rest();
    simulation.delete("a.companion");
    simulation.rest();
    assert_eq!(simulation.reads, 2);
    write_companion(&mut simulation, "a.companion");
    simulation.rest();
    assert_eq!(simulation.reads, 3);
}

#[test]
fn a_companion_of_another_profile_is_read_when_that_is_shown() {
    let files = [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];
    let mut simulation = Simulation::showing(&files);
    simulation.pick(Some("a.cpuprofile"));
    simulation.pass(SHORT);
    simulation.pick(None);
    simulation.pass(SHORT);
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2, 4][..], 2));
    write_companion(&mut simulation, "a.companion");
    simulation.pass(SHORT);
    assert_eq!(simulation.reads, 2, "the older profile does not become the newest");
    simulation.pick(Some("a.cpuprofile"));
    simulation.pass(SHORT);
    assert_eq!((&simulation.shown[..], simulation.reads), (&[4, 2, 4, 2][..], 3));
}
