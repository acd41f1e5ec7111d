//! The answers of commands, and when they are sent.

use super::disk::Content::{Broken, Garbage, Profile};
use super::disk::path;
use super::simulation::{Simulation, samples_of};
use crate::lsp::loader::WantedBaseline;
use crate::lsp::loader::event::Event;
use answers::ChosenBaseline;
use serde_json::json;
use std::time::Duration;

const FILES: [(&str, super::disk::Content); 2] =
    [("a.cpuprofile", Profile(2)), ("b.cpuprofile", Profile(4))];

/// The number of samples that were shown when a command was answered, or its error; `None` if it was
/// not answered.
fn answer(simulation: &Simulation, command: u32) -> Option<Result<u32, String>> {
    let outcome = simulation.answers.get(&command)?.clone();
    Some(outcome.map(|world| world.snapshot().map_or(0, |shown| samples_of(shown))))
}

#[test]
fn a_choice_that_changes_only_labels_is_answered_at_once() {
    let mut simulation = Simulation::showing(&FILES);
    let revision = simulation.world.revision;
    let label = simulation.set_view(json!({ "unit": "both" }));
    assert_eq!(answer(&simulation, label), Some(Ok(4)));
    assert_eq!(simulation.world.revision, revision + 1);
    // The same choice again changes nothing.
    let same = simulation.set_view(json!({ "unit": "both" }));
    assert_eq!(answer(&simulation, same), Some(Ok(4)));
    assert_eq!(simulation.world.revision, revision + 1);
}

#[test]
fn a_choice_that_changes_costs_is_answered_when_they_are_shown() {
    let mut simulation = Simulation::showing(&FILES);
    let view = simulation.set_view(json!({ "inlines": "callSite" }));
    assert_eq!(answer(&simulation, view), None);
    simulation.rest();
    let world = simulation.answers[&view].clone().unwrap();
    assert_eq!(world.snapshot().unwrap().settings, world.settings.costs());
}

#[test]
fn an_invalid_choice_changes_nothing() {
    let mut simulation = Simulation::showing(&FILES);
    let (settings, revision) = (simulation.world.settings.clone(), simulation.world.revision);
    let view = simulation.set_view(json!({ "inlines": "callSite", "metric": "no such" }));
    assert!(answer(&simulation, view).unwrap().is_err());
    simulation.rest();
    assert_eq!((&simulation.world.settings, simulation.world.revision), (&settings, revision));
}

#[test]
fn a_choice_waits_for_the_running_load_and_for_its_own_costs() {
    let mut simulation = Simulation::showing(&FILES);
    simulation.pace.load = Duration::from_secs(5);
    simulation.write("b.cpuprofile", Profile(6));
    simulation.pass(Duration::from_secs(1));
    let view = simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.pass(Duration::from_secs(5));
    assert_eq!((simulation.samples(), answer(&simulation, view)), (Some(6), None));
    simulation.rest();
    assert_eq!(answer(&simulation, view), Some(Ok(6)));
}

#[test]
fn a_choice_does_not_wait_for_a_file_that_is_still_written() {
    let mut simulation = Simulation::showing(&[("a.folded", Profile(2))]);
    simulation.write("a.folded", Profile(4));
    simulation.pass(Duration::from_millis(100));
    let view = simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.pass(Duration::from_millis(20));
    assert_eq!(answer(&simulation, view), Some(Ok(2)));
    // The choice does not delay the file.
    simulation.pass(Duration::from_secs(1));
    assert_eq!(simulation.samples(), Some(4));
}

#[test]
fn a_pick_is_answered_when_it_is_shown() {
    let mut simulation = Simulation::showing(&FILES);
    let pick = simulation.pick(Some("a.cpuprofile"));
    assert_eq!(answer(&simulation, pick), None);
    simulation.rest();
    assert_eq!(answer(&simulation, pick), Some(Ok(2)));
    // A pick of the shown profile.
    let again = simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!(answer(&simulation, again), Some(Ok(2)));
    assert_eq!(simulation.shown, [4, 2]);
}

#[test]
fn a_pick_that_cannot_be_read_is_answered_with_the_reason() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Broken), FILES[1]]);
    for errors in [1, 2] {
        let pick = simulation.pick(Some("a.cpuprofile"));
        simulation.rest();
        let problem = "/no/such/folder/a.cpuprofile: it is broken".to_owned();
        assert_eq!(answer(&simulation, pick), Some(Err(problem)));
        assert_eq!((simulation.errors.len(), simulation.samples()), (errors, Some(4)));
    }
}

#[test]
fn a_file_that_is_no_profile_is_a_problem_only_while_it_is_wanted() {
    let mut simulation = Simulation::showing(&[("notes.txt", Garbage), FILES[1]]);
    let problems = |simulation: &Simulation| {
        assert_eq!(simulation.world.problems.len(), simulation.diagnostics.len());
        simulation.world.problems.len()
    };
    let pick = simulation.pick(Some("notes.txt"));
    simulation.rest();
    assert!(answer(&simulation, pick).is_some_and(|answer| answer.is_err()));
    assert_eq!(problems(&simulation), 0);
    for (profile, expected) in [("notes.txt", 1), ("b.cpuprofile", 0)] {
        simulation.event(Event::Settings(json!({ "profile": profile })));
        simulation.rest();
        assert_eq!(problems(&simulation), expected, "{profile}");
    }
}

#[test]
fn a_pick_during_the_load_of_a_broken_file_is_not_answered_with_its_error() {
    let mut simulation = Simulation::showing(&FILES);
    simulation.pace.load = Duration::from_secs(5);
    simulation.write("c.cpuprofile", Broken);
    simulation.pass(Duration::from_millis(5500));
    let pick = simulation.pick(Some("a.cpuprofile"));
    simulation.rest();
    assert_eq!(answer(&simulation, pick), Some(Ok(2)));
}

#[test]
fn a_profile_and_a_view_are_chosen_together() {
    let mut simulation = Simulation::showing(&FILES);
    let pick = simulation.pick(Some("a.cpuprofile"));
    let view = simulation.set_view(json!({ "inlines": "callSite" }));
    simulation.rest();
    assert_eq!(answer(&simulation, pick), Some(Ok(2)));
    assert!(answer(&simulation, view).unwrap().is_ok());
    assert_eq!(simulation.snapshot().settings, simulation.world.settings.costs());
}

#[test]
fn reload_reads_the_shown_profile_again_even_during_a_load() {
    let mut simulation = Simulation::showing(&FILES);
    let reload = simulation.reload();
    simulation.rest();
    assert_eq!(answer(&simulation, reload), Some(Ok(4)));
    assert_eq!(simulation.shown, [4, 4]);

    simulation.pace.load = Duration::from_secs(5);
    simulation.write("b.cpuprofile", Profile(6));
    simulation.pass(Duration::from_secs(1));
    let reload = simulation.reload();
    simulation.pass(Duration::from_secs(5));
    assert_eq!((simulation.samples(), answer(&simulation, reload)), (Some(6), None));
    simulation.rest();
    assert_eq!(
        (answer(&simulation, reload), &simulation.shown[..]),
        (Some(Ok(6)), &[4, 4, 6, 6][..])
    );
}

#[test]
fn commands_are_answered_without_a_profile() {
    let mut simulation = Simulation::new(&json!({}), &[]);
    let view = simulation.set_view(json!({ "inlines": "callSite" }));
    let reload = simulation.reload();
    let pick = simulation.pick(None);
    simulation.rest();
    for command in [view, reload, pick] {
        assert_eq!(answer(&simulation, command), Some(Ok(0)));
    }
    let compare = simulation.command(|answer| Event::Compare(WantedBaseline::Shown, answer));
    let problem = "there is nothing to compare with: no profile is loaded".to_owned();
    assert_eq!(answer(&simulation, compare), Some(Err(problem)));
}

#[test]
fn a_command_whose_load_is_cancelled_is_answered_with_an_error() {
    for stops_late in [false, true] {
        let mut simulation = Simulation::showing(&FILES);
        simulation.stops_late = stops_late;
        simulation.pace.load = Duration::from_secs(5);
        let pick = simulation.pick(Some("a.cpuprofile"));
        simulation.pass(Duration::from_secs(1));
        simulation.cancel();
        simulation.rest();
        let problem = "/no/such/folder/a.cpuprofile: reading was canceled".to_owned();
        assert_eq!(answer(&simulation, pick), Some(Err(problem)));
        assert_eq!(simulation.shown, [4]);
        let view = simulation.set_view(json!({ "inlines": "callSite" }));
        simulation.cancel();
        simulation.rest();
        assert!(answer(&simulation, view).unwrap().is_err());
        assert_eq!(simulation.unanswered().len(), 0);
    }
}

#[test]
fn a_baseline_is_replaced_by_the_next_one_while_it_is_read() {
    let mut simulation = Simulation::showing(&FILES);
    let with = |name: &str| WantedBaseline::With(name.into());
    let first = simulation.command(|answer| Event::Compare(with("a.cpuprofile"), answer));
    let second = simulation.command(|answer| Event::Compare(with("none.cpuprofile"), answer));
    let third = simulation.command(|answer| Event::Compare(with("a.cpuprofile"), answer));
    for superseded in [first, second] {
        let problem = "another baseline has been set".to_owned();
        assert_eq!(answer(&simulation, superseded), Some(Err(problem)));
    }
    assert_eq!(answer(&simulation, third), None);
    simulation.rest();
    assert_eq!(answer(&simulation, third), Some(Ok(4)));
    let baseline = simulation.world.baseline.clone().unwrap();
    assert_eq!(baseline.snapshot.loaded.path, path("a.cpuprofile"));

    let fourth = simulation.command(|answer| Event::Compare(with("none.cpuprofile"), answer));
    simulation.rest();
    assert!(answer(&simulation, fourth).unwrap().is_err());
    assert!(simulation.world.baseline.is_some(), "the previous one stays");
    let fifth = simulation.command(|answer| Event::Compare(WantedBaseline::Nothing, answer));
    assert_eq!(answer(&simulation, fifth), Some(Ok(4)));
    assert!(simulation.world.baseline.is_none());
}

#[test]
fn the_shown_profile_as_baseline_is_not_read_again() {
    let mut simulation = Simulation::showing(&FILES);
    simulation.disk.files.get_mut(&path("b.cpuprofile")).unwrap().content = Profile(10);
    let with = WantedBaseline::With("b.cpuprofile".into());
    let compare = simulation.command(|answer| Event::Compare(with, answer));
    assert_eq!(answer(&simulation, compare), Some(Ok(4)));
    assert_eq!(simulation.world.baseline.clone().unwrap().snapshot.costs.total, 4.0);
}

#[test]
fn a_view_and_a_baseline_are_chosen_together_or_not_at_all() {
    let mut simulation = Simulation::showing(&FILES);
    let (settings, overrides) =
        (simulation.world.settings.clone(), simulation.world.overrides.clone());
    for wrong in [
        json!({ "inlines": "callSite", "unit": "both", "baseline": "none.cpuprofile" }),
        json!({ "inlines": "callSite", "unit": "both", "baseline": "previous:0" }),
        json!({ "metric": "no such", "baseline": "a.cpuprofile" }),
    ] {
        let command = simulation.set_view(wrong);
        simulation.rest();
        assert!(answer(&simulation, command).unwrap().is_err());
        assert_eq!(
            (&simulation.world.settings, &simulation.world.overrides),
            (&settings, &overrides)
        );
        assert!(simulation.world.baseline.is_none());
    }

    let command = simulation.set_view(json!({ "inlines": "callSite", "baseline": "a.cpuprofile" }));
    assert_eq!(simulation.world.settings, settings, "the baseline is not read yet");
    simulation.rest();
    let world = simulation.answers[&command].clone().unwrap();
    let (costs, baseline) = (world.settings.costs(), world.baseline.clone().unwrap());
    assert_eq!(world.overrides.baseline, Some(ChosenBaseline::Path("a.cpuprofile".into())));
    assert_eq!(baseline.snapshot.loaded.path, path("a.cpuprofile"));
    assert_eq!(
        (&world.snapshot().unwrap().settings, &baseline.snapshot.settings),
        (&costs, &costs)
    );
    assert_ne!(costs, settings.costs());
}

#[test]
fn choices_that_turn_out_to_be_invalid_leave_the_baseline_of_the_settings() {
    let mut simulation = Simulation::new(&json!({ "baseline": "a.cpuprofile" }), &FILES);
    simulation.pace.load = Duration::from_secs(1);
    simulation.pass(Duration::from_millis(500));
    assert_eq!(simulation.samples(), None);
    // Which metrics there are is not known before a profile is shown.
    let command = simulation.set_view(json!({ "metric": "no such", "baseline": "b.cpuprofile" }));
    simulation.rest();
    assert!(answer(&simulation, command).unwrap().is_err());
    let world = &simulation.world;
    assert_eq!((&world.settings.metric, &world.overrides.baseline), (&None, &None));
    let baseline = world.baseline.clone().unwrap();
    assert_eq!(baseline.snapshot.loaded.path, path("a.cpuprofile"));
}
