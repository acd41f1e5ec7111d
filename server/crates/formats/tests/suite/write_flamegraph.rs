//! Flame graphs as XML: frames have the right places, and names cannot inject elements.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks};
use formats::write::{Written, flamegraph};
use profile::{
    Frame, Func, Metric, Profile, ProfileBuilder, Samples, StackAccess, Thread, Weights,
    text_samples,
};
use roxmltree::{Document, Node, ParsingOptions};

/// A rectangle: depth from the root, and horizontal range as shares of the whole.
#[derive(Debug, Clone, PartialEq)]
struct Drawn {
    title: String,
    depth: u32,
    left: f64,
    width: f64,
    color: String,
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Node<'a, 'input> {
    node.children().find(|child| child.tag_name().name() == name).unwrap()
}

/// All frames, and the number in `total_samples`.
fn drawn(written: &Written) -> (Vec<Drawn>, u64) {
    let text = std::str::from_utf8(&written.bytes).unwrap();
    let document = Document::parse_with_options(
        text,
        ParsingOptions { allow_dtd: true, ..ParsingOptions::default() },
    )
    .unwrap();
    let frames =
        document.descendants().find(|node| node.attribute("id") == Some("frames")).unwrap();
    let groups: Vec<_> = frames.children().filter(Node::is_element).collect();
    let top = |group: &Node<'_, '_>| {
        child(*group, "rect").attribute("y").unwrap().parse::<u32>().unwrap()
    };
    let root_top = groups.iter().map(top).max().unwrap();
    let frame = |group: &Node<'_, '_>| {
        let rect = child(*group, "rect");
        let share = |key| {
            rect.attribute(key).unwrap().trim_end_matches('%').parse::<f64>().unwrap() / 100.0
        };
        Drawn {
            title: child(*group, "title").text().unwrap().to_owned(),
            depth: (root_top - top(group)) / 16,
            left: share("x"),
            width: share("width"),
            color: rect.attribute("fill").unwrap().to_owned(),
        }
    };
    (
        groups.iter().map(frame).collect(),
        frames.attribute("total_samples").unwrap().parse().unwrap(),
    )
}

/// The titles from the root to the frame with this title, by position.
fn path(frames: &[Drawn], title: &str) -> Vec<String> {
    let leaf = frames
        .iter()
        .find(|frame| frame.title.starts_with(title))
        .unwrap_or_else(|| panic!("no {title} in {frames:#?}"));
    let middle = leaf.left + leaf.width / 2.0;
    let mut below: Vec<_> = frames
        .iter()
        .filter(|frame| {
            frame.depth <= leaf.depth && (frame.left..=frame.left + frame.width).contains(&middle)
        })
        .collect();
    below.sort_by_key(|frame| frame.depth);
    assert_eq!(below.len() as u32, leaf.depth + 1, "one frame per depth: {below:?}");
    below.iter().map(|frame| frame.title.split(" (").next().unwrap().to_owned()).collect()
}

const CALLS: &str = "
    main@10[file:app.rs]    main@10   main@12               main@12  main@12  main@13
    parse@22[file:app.rs]   parse@23  eval@31[file:app.rs]  eval@31  eval@32
    hash@5[file:lib.rs]               eval@33               eval@31  parse@22
                                      hash@5                eval@34  hash@6
";

#[test]
fn widths_of_frames_are_costs_and_lines_are_merged() {
    let written = flamegraph::write(&text_samples::profile(CALLS), None, "V1").unwrap();
    assert_eq!(written.lost, Vec::<&str>::new());
    assert_eq!(written, flamegraph::write(&text_samples::profile(CALLS), None, "V1").unwrap());
    let (frames, total) = drawn(&written);
    assert_eq!(total, 6);
    let mut told: Vec<_> = frames
        .iter()
        .map(|frame| format!("{} {} +{:.0}/6", frame.depth, frame.title, frame.left * 6.0))
        .collect();
    told.sort();
    let expected = [
        "0 all (6 samples, 100%) +0/6",
        "1 main (6 samples, 100.00%) +0/6",
        "2 eval (3 samples, 50.00%) +1/6",
        "2 parse (2 samples, 33.33%) +4/6",
        "3 eval (2 samples, 33.33%) +1/6",
        "3 hash (1 samples, 16.67%) +5/6",
        "3 parse (1 samples, 16.67%) +3/6",
        "4 eval (1 samples, 16.67%) +1/6",
        "4 hash (1 samples, 16.67%) +2/6",
        "4 hash (1 samples, 16.67%) +3/6",
    ];
    assert_eq!(told, expected);
    for frame in &frames {
        let count: f64 =
            frame.title.rsplit_once(" (").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        assert!((frame.width * 6.0 - count).abs() < 1e-3, "{frame:?}");
    }
}

/// A profile of paths (`a|b`) with weights.
fn weighing(unit: &str, paths: &[(&str, f64)]) -> Profile {
    let mut builder = ProfileBuilder::new(vec![Metric::new(unit, unit, None)], 0);
    let mut stacks = Vec::new();
    for (path, _) in paths {
        let mut stack = None;
        for name in path.split('|') {
            let func = Func {
                name: builder.intern_string(name).unwrap(),
                source: None,
                lib: None,
                line: 0,
                column: 0,
            };
            let func = builder.intern_func(func).unwrap();
            let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
            stack = Some(builder.intern_stack(stack, frame).unwrap());
        }
        stacks.push(stack);
    }
    let weights = Weights::Each(paths.iter().map(|(_, weight)| *weight).collect());
    builder.push_thread(Thread::default(), Samples::new(stacks, vec![weights])).unwrap();
    builder.build()
}

fn titles(written: &Written) -> Vec<String> {
    drawn(written).0.into_iter().map(|frame| frame.title).collect()
}

#[test]
fn fractions_are_counted_in_a_smaller_unit_and_add_up() {
    let thirds = [("a|b", 1.0 / 3.0), ("a|c", 1.0 / 3.0), ("a|d", 1.0 / 3.0)];
    let written = flamegraph::write(&weighing("s", &thirds), None, "").unwrap();
    assert_eq!(drawn(&written).1, 1_000_000);
    let mut titles = titles(&written);
    titles.sort();
    assert_eq!(
        titles,
        [
            "a (1,000,000 us, 100.00%)",
            "all (1,000,000 us, 100%)",
            "b (333,333 us, 33.33%)",
            "c (333,334 us, 33.33%)",
            "d (333,333 us, 33.33%)"
        ]
    );
}

#[test]
fn names_with_spaces_are_not_sorted_between_caller_and_callees() {
    // As text, "a b" sorts before "a;c".
    let written = flamegraph::write(
        &weighing("samples", &[("a", 1.0), ("a b", 2.0), ("a|c", 3.0)]),
        None,
        "",
    )
    .unwrap();
    let titles = titles(&written);
    assert!(titles.contains(&"a (4 samples, 66.67%)".to_owned()), "{titles:?}");
}

#[test]
fn nothing_to_draw_is_an_error_and_negative_costs_are_lost() {
    let written = flamegraph::write(
        &weighing("bytes", &[("a|b", 8.0), ("a|c", -3.0), ("a|b", -2.0)]),
        None,
        "",
    )
    .unwrap();
    assert_eq!((written.lost.as_slice(), drawn(&written).1), (["costs below zero"].as_slice(), 6));
    for weights in
        [&[][..], &[("a", 0.0)], &[("a", -1.0)], &[("a", f64::NAN)], &[("a", f64::INFINITY)]]
    {
        let error = flamegraph::write(&weighing("samples", weights), None, "").unwrap_err();
        assert!(error.to_string().contains("nothing to draw"), "{weights:?}: {error}");
    }
}

#[test]
fn colours_show_changes_of_the_self_cost() {
    let base = weighing(
        "samples",
        &[("main|same", 20.0), ("main|less", 60.0), ("main|more", 10.0), ("main|gone", 10.0)],
    );
    let new = weighing(
        "samples",
        &[("main|same", 10.0), ("main|less", 10.0), ("main|more", 25.0), ("main|young", 5.0)],
    );
    let compared = |share| {
        let base = flamegraph::Base { profile: &base, share };
        drawn(&flamegraph::write(&new, Some(base), "").unwrap())
    };
    let (frames, total) = compared(true);
    assert_eq!(total, 50);
    let mut told: Vec<_> =
        frames.iter().map(|frame| format!("{} {}", frame.title, frame.color)).collect();
    told.sort();
    // The base is halved: 10, 30, 5 and 5; the last is not drawn.
    let expected = [
        "all (50 samples, 100%) rgb(250,250,250)",
        "less (10 samples, 20.00%; -40.00%) rgb(100,100,255)",
        "main (50 samples, 100.00%; 0.00%) rgb(250,250,250)",
        "more (25 samples, 50.00%; +40.00%) rgb(255,100,100)",
        "same (10 samples, 20.00%; 0.00%) rgb(250,250,250)",
        "young (5 samples, 10.00%; +10.00%) rgb(255,212,212)",
    ];
    assert_eq!(told, expected);

    // As weights: 10 less, 50 less, 15 more, 5 more of 50.
    let (frames, _) = compared(false);
    let mut titles: Vec<_> = frames.iter().map(|frame| frame.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles[1], "less (10 samples, 20.00%; -100.00%)");
    assert_eq!(
        titles[3..],
        [
            "more (25 samples, 50.00%; +30.00%)",
            "same (10 samples, 20.00%; -20.00%)",
            "young (5 samples, 10.00%; +10.00%)"
        ]
    );
}

#[test]
fn names_are_text_and_nothing_else() {
    let hostile = [
        "</title><script>alert(1)</script>",
        "\"><img src=x onerror=alert(2)>",
        "]]><script>alert(3)</script>",
        "javascript:alert(4)",
        "a;b\u{0}\u{8}\n\u{202e}",
        "n 12",
    ];
    let paths: Vec<_> = hostile.iter().map(|name| (*name, 1.0)).collect();
    let written =
        flamegraph::write(&weighing("<b>&", &paths), None, "</text><script>alert(5)</script>\u{1}")
            .unwrap();
    let text = std::str::from_utf8(&written.bytes).unwrap();
    let document = Document::parse_with_options(
        text,
        ParsingOptions { allow_dtd: true, ..ParsingOptions::default() },
    )
    .unwrap();
    let scripts: Vec<_> =
        document.descendants().filter(|node| node.tag_name().name() == "script").collect();
    assert_eq!(scripts.len(), 1);
    let script: String = scripts[0].children().filter_map(|node| node.text()).collect();
    assert!(!script.contains("alert"));
    assert!(
        document
            .descendants()
            .all(|node| node.attributes().all(|attribute| !attribute.value().contains("alert")))
    );
    assert!(document.descendants().all(|node| node.tag_name().name() != "img"));
    let mut titles = titles(&written);
    titles.sort();
    let expected = [
        "\"><img src=x onerror=alert(2)> (1 <b>&, 16.67%)",
        "</title><script>alert(1)</script> (1 <b>&, 16.67%)",
        "]]><script>alert(3)</script> (1 <b>&, 16.67%)",
        "a:b\u{fffd}\u{fffd}\u{fffd}\u{fffd} (1 <b>&, 16.67%)",
        "all (6 <b>&, 100%)",
        "javascript:alert(4) (1 <b>&, 16.67%)",
        "n\u{a0}12 (1 <b>&, 16.67%)",
    ];
    assert_eq!(titles, expected);
}

#[test]
fn cost_of_too_deep_recursion_is_added_to_callers() {
    let deep: Vec<String> =
        [1, 500, 5000, 5001, 7000].iter().map(|&depth| vec!["f"; depth].join("|")).collect();
    let paths: Vec<_> = deep.iter().map(|path| (path.as_str(), 1.0)).collect();
    let written = flamegraph::write(&weighing("samples", &paths), None, "").unwrap();
    assert_eq!(written.lost, ["the deepest frames"]);
    let (frames, total) = drawn(&written);
    assert_eq!((total, frames.len()), (5, 5001));
    let deepest = frames.iter().max_by_key(|frame| frame.depth).unwrap();
    assert_eq!((deepest.depth, deepest.title.as_str()), (5000, "f (3 samples, 60.00%)"));
}

/// Weight of the samples that have a stack.
fn total(profile: &Profile) -> f64 {
    let of_thread = |samples: &Samples| {
        let stacks = samples.stacks().enumerate().filter(|(_, stack)| stack.is_some());
        stacks.map(|(i, _)| samples.weights()[profile.default_metric().index()].get(i)).sum::<f64>()
    };
    profile.samples().iter().map(of_thread).sum()
}

#[test]
fn real_profiles_are_drawn_with_all_of_their_cost() {
    for path in [
        "v8/node-mdrender/main.cpuprofile",
        "folded/py-gridworld-austin/austin.txt",
        "folded/cpp-raytrace-perf/fp.folded",
        "firefox/rust-wordstat-v70/profile.json.gz",
    ] {
        let original = read(bytes(path)).unwrap();
        let written = flamegraph::write(stacks(&original), None, path).unwrap();
        assert_eq!(written.lost, Vec::<&str>::new());
        assert_eq!(drawn(&written).1 as f64, total(stacks(&original)), "{path}");
    }
    let original = read(bytes("v8/node-mdrender/main.cpuprofile")).unwrap();
    let written = flamegraph::write(stacks(&original), None, "").unwrap();
    assert_eq!(
        path(&drawn(&written).0, "breakLines")[8..],
        ["main", "layout", "(anonymous)", "breakLines"]
    );
}

#[test]
fn a_recording_does_not_differ_from_itself() {
    let [old, new] = ["49", "70"].map(|version| {
        read(bytes(&format!("firefox/rust-wordstat-v{version}/profile.json.gz"))).unwrap()
    });
    let base = flamegraph::Base { profile: stacks(&old), share: true };
    let (frames, _) = drawn(&flamegraph::write(stacks(&new), Some(base), "").unwrap());
    assert!(frames.len() > 500);
    assert!(frames.iter().all(|frame| frame.color == "rgb(250,250,250)"), "{frames:?}");
}
