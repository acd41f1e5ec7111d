//! The exact time at which a rewritten file is read.

use super::disk::Content;
use super::disk::Content::{Broken, Cut, CutInside, Garbage, OpenLine, Profile};
use super::simulation::Simulation;
use crate::lsp::loader::event::Event;
use answers::Marks;
use serde_json::json;
use std::time::Duration;

/// The time in ms until the first scan finds a new file.
const NOTICED: u64 = 21;
/// The time in ms from one scan to the next (51) plus that to read a file (10).
const STEP: u64 = 51 + 10;

fn pass(simulation: &mut Simulation, ms: u64) {
    simulation.pass(Duration::from_millis(ms));
}

/// Checks that `content`, written over a profile of 2 samples, is shown after `ms`, and no earlier.
fn assert_read_after(name: &str, content: Content, closes: bool, ms: u64, samples: u32) {
    let mut simulation = Simulation::showing(&[(name, Profile(2))]);
    simulation.write(name, content);
    if closes {
        simulation.close(name);
    }
    pass(&mut simulation, NOTICED + ms - 1);
    assert_eq!(simulation.samples(), Some(2), "{name} {content:?}: read too early");
    pass(&mut simulation, STEP + 1);
    assert_eq!(simulation.samples(), Some(samples), "{name} {content:?}: read too late");
    simulation.rest();
    assert_eq!((simulation.shown, simulation.errors.len()), (vec![2, samples], 0));
}

#[test]
fn a_format_with_an_end_is_read_after_150_ms() {
    assert_read_after("a.cpuprofile", Profile(4), false, 150, 4);
    assert_read_after("a.cpuprofile", Profile(4), true, 150, 4);
}

#[test]
fn a_format_without_an_end_is_read_after_1_s_or_when_it_is_closed() {
    assert_read_after("a.folded", Profile(4), false, 1000, 4);
    assert_read_after("a.folded", Profile(4), true, 150, 4);
}

#[test]
fn a_last_line_that_is_not_complete_counts_after_1_s() {
    assert_read_after("a.folded", OpenLine(4), false, 1000, 4);
    assert_read_after("a.folded", OpenLine(4), true, 1000, 4);
}

#[test]
fn the_first_profile_settles_too() {
    let mut simulation = Simulation::new(&serde_json::json!({}), &[("a.folded", Profile(2))]);
    pass(&mut simulation, 1 + 999);
    assert_eq!(simulation.samples(), None);
    pass(&mut simulation, STEP);
    assert_eq!(simulation.samples(), Some(2));
}

#[test]
fn each_change_restarts_the_wait() {
    for (name, apart) in [("a.cpuprofile", 120), ("a.folded", 900)] {
        let mut simulation = Simulation::showing(&[(name, Profile(2))]);
        for samples in (4..40).step_by(2) {
            simulation.write(name, Profile(samples));
            pass(&mut simulation, apart);
            assert_eq!(simulation.samples(), Some(2), "{name}: read within a series of changes");
        }
        simulation.rest();
        assert_eq!(simulation.shown, [2, 38], "{name}");
    }
}

#[test]
fn a_growing_file_that_is_followed_is_read_each_second() {
    for (name, is_followed) in [("a.cpuprofile", false), ("a.folded", true)] {
        let mut simulation = Simulation::showing(&[(name, Profile(2))]);
        simulation.event(Event::Settings(json!({ "follow": true })));
        for samples in (4..64).step_by(2) {
            simulation.write(name, Profile(samples));
            pass(&mut simulation, 120);
        }
        assert_eq!(simulation.shown.len() > 2, is_followed, "{name}: {:?}", simulation.shown);
        simulation.rest();
        assert_eq!(simulation.samples(), Some(62), "{name}");
    }
}

#[test]
fn a_file_that_is_still_open_is_read_when_it_is_closed() {
    for name in ["a.folded", "a.cpuprofile"] {
        let mut simulation = Simulation::showing(&[(name, Profile(2))]);
        for content in [Cut, CutInside, Garbage, OpenLine(4)] {
            simulation.write_on(name, content);
            pass(&mut simulation, 2500);
            let is_whole = name == "a.cpuprofile" && content == OpenLine(4);
            assert_eq!(simulation.samples(), Some(if is_whole { 4 } else { 2 }), "{content:?}");
            assert!(name == "a.cpuprofile" || !simulation.waits_for.is_empty());
        }
        simulation.write_on(name, Profile(6));
        simulation.close(name);
        pass(&mut simulation, NOTICED + 150 + STEP);
        assert_eq!((simulation.samples(), simulation.errors.len()), (Some(6), 0), "{name}");
        simulation.rest();
        assert_eq!(simulation.waits_for.len(), 0);
    }
}

#[test]
fn a_writer_that_writes_nothing_for_30_s_is_not_awaited() {
    let mut simulation = Simulation::showing(&[("a.folded", Profile(2))]);
    simulation.write_on("a.folded", Profile(4));
    pass(&mut simulation, 29_000);
    assert_eq!(simulation.samples(), Some(2));
    pass(&mut simulation, 2000 + STEP);
    assert_eq!(simulation.samples(), Some(4));
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.write_on("a.cpuprofile", Cut);
    pass(&mut simulation, 29_000);
    assert_eq!(simulation.errors.len(), 0);
    simulation.rest();
    assert_eq!((simulation.errors.len(), simulation.samples()), (1, Some(2)));
}

#[test]
fn each_pause_doubles_the_wait_where_no_close_is_reported() {
    let mut simulation = Simulation::showing(&[("a.folded", Profile(2))]);
    pass(&mut simulation, 11_000);
    // Pauses of half the wait: 1 s, 2 s, 4 s, 8 s, then 10 s.
    for (samples, pause) in [(4, 600), (6, 1200), (8, 2400), (10, 4800), (12, 9900)] {
        simulation.append("a.folded", Profile(samples));
        pass(&mut simulation, pause);
        assert_eq!(simulation.samples(), Some(2), "a pause of {pause} ms");
    }
    simulation.rest();
    assert_eq!(simulation.shown, [2, 12]);
    // A pause that was taken for the end.
    let mut simulation = Simulation::showing(&[("a.folded", Profile(2))]);
    pass(&mut simulation, 11_000);
    simulation.append("a.folded", Profile(4));
    pass(&mut simulation, 1800);
    simulation.append("a.folded", Profile(6));
    pass(&mut simulation, 1800);
    assert_eq!(simulation.samples(), Some(4));
    simulation.rest();
    assert_eq!(simulation.shown, [2, 4, 6]);
}

#[test]
fn reload_reads_a_file_that_is_still_open_and_marks_it() {
    let mark = |simulation: &Simulation| Marks::of_world(&simulation.world).all().join(" · ");
    let mut simulation = Simulation::showing(&[("a.folded", Profile(2))]);
    simulation.write_on("a.folded", Profile(4));
    pass(&mut simulation, 500);
    assert_eq!((simulation.samples(), mark(&simulation).as_str()), (Some(2), ""));
    let command = simulation.reload();
    pass(&mut simulation, STEP);
    assert_eq!((simulation.samples(), mark(&simulation).as_str()), (Some(4), "may be incomplete"));
    assert!(simulation.answers[&command].is_ok());
    // It is closed without another write.
    simulation.close("a.folded");
    simulation.rest();
    assert_eq!((simulation.reads, mark(&simulation).as_str()), (2, ""));
    // It is written to again.
    simulation.write_on("a.folded", Profile(6));
    simulation.reload();
    pass(&mut simulation, STEP);
    assert_eq!((simulation.samples(), mark(&simulation).as_str()), (Some(6), "may be incomplete"));
    simulation.write_on("a.folded", Profile(8));
    pass(&mut simulation, 5000);
    assert_eq!((simulation.samples(), mark(&simulation).as_str()), (Some(6), "may be incomplete"));
    simulation.close("a.folded");
    simulation.rest();
    assert_eq!((simulation.samples(), mark(&simulation).as_str()), (Some(8), ""));
}

/// Checks that `content` is reported once, after 2 s, and is never shown.
fn assert_given_up(content: Content, message: &str) {
    let name = "a.cpuprofile";
    let mut simulation = Simulation::showing(&[(name, Profile(2))]);
    simulation.write(name, content);
    pass(&mut simulation, NOTICED + 1999);
    assert_eq!(simulation.errors, [""; 0], "{content:?}: reported too early");
    pass(&mut simulation, STEP);
    let expected = format!("/no/such/folder/a.cpuprofile: {message}");
    let error = format!("{expected}; the previous costs are still shown");
    assert_eq!(simulation.errors, [error], "{content:?}");
    assert_eq!(simulation.diagnostics.values().collect::<Vec<_>>(), [&expected]);
    simulation.rest();
    assert_eq!((simulation.errors.len(), &simulation.shown), (1, &vec![2]));
    // The next version is read.
    simulation.write(name, Profile(4));
    simulation.rest();
    assert_eq!((simulation.errors.len(), simulation.shown), (1, vec![2, 4]));
    assert_eq!(simulation.diagnostics.len(), 0);
}

#[test]
fn a_file_that_cannot_be_read_is_reported_after_2_s() {
    assert_given_up(Cut, "it ends too early");
    assert_given_up(CutInside, "it ends too early");
    assert_given_up(Broken, "it is broken");
    assert_given_up(Garbage, "it is not a profile");
}

#[test]
fn a_file_that_is_completed_within_2_s_is_not_reported() {
    for content in [Cut, CutInside, Broken, Garbage] {
        let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
        simulation.write("a.cpuprofile", content);
        pass(&mut simulation, 1900);
        simulation.write("a.cpuprofile", Profile(4));
        simulation.rest();
        assert_eq!((simulation.errors.len(), simulation.shown), (0, vec![2, 4]), "{content:?}");
    }
}

#[test]
fn a_file_that_takes_long_to_read_is_not_read_again_and_again() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.pace.load = Duration::from_secs(30);
    simulation.write("a.cpuprofile", CutInside);
    pass(&mut simulation, 30_000 + 1000);
    assert_eq!(simulation.errors.len(), 0);
    // The file may have been written while it was read, so it is read once more after a pause.
    pass(&mut simulation, 60_000);
    assert_eq!(simulation.errors.len(), 1);
    simulation.rest();
    assert_eq!((simulation.errors.len(), simulation.shown), (1, vec![2]));
}

#[test]
fn a_deleted_file_is_marked_at_once_and_reported_after_2_s() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.delete("a.cpuprofile");
    pass(&mut simulation, NOTICED);
    assert!(simulation.world.deleted);
    pass(&mut simulation, 1999);
    assert_eq!(simulation.warnings, [""; 0]);
    pass(&mut simulation, 2);
    let message =
        "/no/such/folder/a.cpuprofile was deleted; its costs are shown until there is a newer one";
    assert_eq!(simulation.warnings, [message]);
    simulation.rest();
    assert_eq!((simulation.warnings.len(), simulation.samples()), (1, Some(2)));
    // A change of the view does not affect the state of the file.
    simulation.set_view(serde_json::json!({ "inlines": "callSite" }));
    simulation.rest();
    assert!(simulation.world.deleted);
    simulation.write("b.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!((simulation.warnings.len(), simulation.samples()), (1, Some(4)));
    assert!(!simulation.world.deleted);
}

#[test]
fn a_deleted_file_that_is_created_again_within_2_s_is_not_reported() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.delete("a.cpuprofile");
    pass(&mut simulation, 1900);
    simulation.write("a.cpuprofile", Profile(4));
    simulation.rest();
    assert_eq!((simulation.warnings.len(), simulation.shown), (0, vec![2, 4]));
    assert!(!simulation.world.deleted);
}

#[test]
fn a_profile_that_is_deleted_as_soon_as_it_is_shown_is_reported_like_the_one_before() {
    let mut simulation = Simulation::showing(&[("a.cpuprofile", Profile(2))]);
    simulation.delete("a.cpuprofile");
    simulation.rest();
    simulation.write("b.cpuprofile", Profile(4));
    while simulation.samples() == Some(2) {
        pass(&mut simulation, 1);
    }
    simulation.delete("b.cpuprofile");
    simulation.rest();
    assert_eq!(simulation.warnings.len(), 2, "{:?}", simulation.warnings);
}
