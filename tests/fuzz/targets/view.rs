//! Transforms, filters and ranges of any recording: what is left adds up.

use super::input::Input;
use super::numbers::check_sums;
use super::profiles::{recording, samples};
use super::tree::check_tree;
use analysis::{
    Addresses, Groups, Implementation, Recording, Transform, TransformKind, View, reshape,
};

/// Applies up to six transforms to a profile.
pub fn views(data: &[u8]) {
    let mut input = Input(data);
    let text = String::from_utf8_lossy(input.part()).into_owned();
    let mut chosen = Input(input.part());
    let (functions, samples) = samples(&mut input, false);
    let recording = Recording::from(recording(&functions, &samples));
    let groups = Groups::identity(recording.symbols());
    let mut view = View::of(&recording);
    // In the notation that users type.
    view.transforms.extend(text.lines().filter_map(|line| line.parse::<Transform>().ok()));
    for _ in 0..chosen.below(6) {
        let kind = chosen.one_of(&TransformKind::ALL);
        let path = (0..=chosen.below(3)).map(|_| chosen.one_of(&functions).name.to_owned());
        let names = path.map(analysis::Name::Text).collect();
        view.transforms.push(Transform { kind, names, implementation: None });
    }
    view.transforms.truncate(6);
    let implementations = [Implementation::All, Implementation::Js, Implementation::Native];
    view.implementation = chosen.one_of(&implementations);
    if chosen.below(4) == 1 {
        chosen.one_of(&functions).name.clone_into(&mut view.search);
    }
    let Some(reshaped) = reshape(&recording, &view, &groups, &Addresses::default()) else { return };
    let (recording, groups) = (&reshaped.recording, &reshaped.groups);
    let costs = analysis::costs(recording, &view, groups);
    check_sums("a view", &costs, recording, view.metric);
    check_tree(recording, &view, groups);
    let before: f64 = samples.iter().map(|(_, weight)| weight.abs()).sum();
    assert!(costs.base <= before, "{} of {before}", costs.base);
    // A path that a client has leads somewhere, or nowhere, but to no panic.
    let _ = text.parse::<analysis::TimeRange>();
}
