//! `costline explain`.

use super::{fixture, run};
use std::fs;

/// The explanation of a line of `rust-wordstat`, without the first line, the path and the text.
fn of_wordstat(line: u32) -> String {
    let profile = fixture("samply/rust-wordstat/profile.json.gz");
    let file = fixture("samply/rust-wordstat/src/main.rs");
    let text = run(["explain", profile.to_str().unwrap(), &format!("{}:{line}", file.display())]);
    text.success()
}

#[test]
fn a_line_with_a_cost_has_a_report_and_the_way_to_it() {
    let text = of_wordstat(41);
    let parts = [
        "\n    let s = SYLLABLES[rng.below(16) as usize];\n",
        "\nself 1.4% (48.0 ms) · total 2.6% (89.0 ms)\n",
        "% of wordstat::generate\n",
        "\ncallers into this line:\n",
        "\nrecorded as /srv/demo/rust-wordstat/src/main.rs:41\n",
        "\nhow the cost got here:\n  the metric `",
        "  code of wordstat, build id 10bb890557f1f5881ec013128d89cef488ab5525\n",
        "  addresses 0x2420c, 0x24213, 0x2421a, 0x2421d and 7 more\n",
        "  functions and lines of wordstat from the debug info in ",
        "/src/main.rs in the profile, found by the end of its path\n",
        "  the recorded text is the file on disk\n  line 41, as recorded\n",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    let widest = text.lines().skip(3).map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{text}");
}

#[test]
fn a_line_without_a_cost_has_a_reason() {
    let text = of_wordstat(30);
    assert!(
        text.ends_with("the profile has no samples on /srv/demo/rust-wordstat/src/main.rs:30\n"),
        "{text}"
    );
    assert!(!text.contains("how the cost got here"), "{text}");
}

#[test]
fn the_step_of_the_line_has_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // `work` was recorded on line 1, `main` on line 4.
    fs::write(at("app.py"), "# New.\ndef work():\n    pass\n\ndef main():\n    work()\n").unwrap();
    let frame = |name: &str, line: u32| format!("{name} ({}:{line})", at("app.py"));
    let stacks = format!("{};{} 3\n", frame("main", 5), frame("work", 2));
    fs::write(at("cpu.folded"), stacks).unwrap();
    let explain = |line: &str| run(["explain", "--root", &at(""), &at("cpu.folded"), line]);
    let text = explain("app.py:2").success();
    assert!(text.contains("\n100.0% of work\n"), "{text}");
    assert!(text.ends_with("the file on disk\n  line 2, as recorded\n"), "{text}");
    let outcome = explain("other.py:2");
    assert!(outcome.failure(2).contains("other.py"));
}
