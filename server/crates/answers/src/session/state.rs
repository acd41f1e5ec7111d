//! The user's choices of a session, as a string that a client stores for the next session.
//!
//! The string is JSON to simplify debugging. Clients must not interpret it.

use crate::view::options::Overrides;
use crate::world::World;
use crate::world::worlds::Worlds;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the string's format.
const VERSION: u32 = 1;

/// The user's choices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    v: u32,
    /// The workspace folder that the choices are for. `None` if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// The profiles that the user selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<PathBuf>,
    /// The overrides.
    #[serde(flatten)]
    pub overrides: Overrides,
    /// The choices for other workspace folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<State>,
}

/// The current choices for a workspace folder, as a string. `None` if there are none.
pub fn of(world: &World) -> Option<String> {
    serde_json::to_string(&chosen(world)?).ok()
}

/// The current choices for all workspace folders. `None` if there are none.
pub fn of_all(worlds: &Worlds) -> Option<String> {
    let mut states: Vec<State> = worlds.all().filter_map(|world| chosen(world)).collect();
    if states.is_empty() {
        return None;
    }
    let mut first = states.remove(0);
    first.others = states;
    serde_json::to_string(&first).ok()
}

/// The current choices for a workspace folder. `None` if there are none.
pub fn chosen(world: &World) -> Option<State> {
    let (profiles, overrides) = (world.pick.clone(), world.overrides.clone());
    if profiles.is_empty() && overrides == Overrides::default() {
        return None;
    }
    let root = world.root.clone().filter(|_| world.roots.len() > 1);
    Some(State { v: VERSION, root, profiles, overrides, others: Vec::new() })
}

/// Parses a string of [`of`]. The error is a message for users.
pub fn parse(text: &str) -> Result<State, String> {
    let state: State = serde_json::from_str(text)
        .map_err(|error| format!("`state` was not created by this server ({error})"))?;
    if state.v != VERSION {
        return Err(format!("`state` has version {}, expected {VERSION}", state.v));
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::baseline::ChosenBaseline;
    use loading::{Combine, Compare, Implementation, Inlines, PathMapping, Show, Unit};

    #[test]
    fn choices_round_trip() {
        assert_eq!(of(&World::default()), None);
        let overrides = Overrides {
            combine: Some(Combine::Average),
            compare: Some(Compare::Share),
            metric: Some("cpu".to_owned()),
            overlay: Some("alloc_space".to_owned()),
            threads: Some(Vec::new()),
            labels: Some(vec!["size=large".to_owned()]),
            implementation: Some(Implementation::Js),
            inlines: Some(Inlines::CallSite),
            own: Some(true),
            range: Some("2..5".to_owned()),
            search: Some("parse".to_owned()),
            unit: Some(Unit::Both),
            show: Some(Show::Self_),
            path_mappings: Some(vec![PathMapping { from: "/app".into(), to: ".".into() }]),
            baseline: Some(ChosenBaseline::Path("old.folded".into())),
            transforms: vec![
                "drop-function:a>b".parse().unwrap(),
                "merge-node:main>parse".parse().unwrap(),
            ],
            node: None,
        };
        let world = World {
            pick: vec!["/w/cpu.folded".into()],
            overrides: overrides.clone(),
            ..World::default()
        };
        let state = parse(&of(&world).unwrap()).unwrap();
        assert_eq!((state.profiles, state.overrides), (world.pick, overrides));

        let shown = ChosenBaseline::Shown { path: "/w/a".into(), modified: 7, bytes: 3 };
        for baseline in [ChosenBaseline::Nothing, shown] {
            let overrides = Overrides { baseline: Some(baseline), ..Overrides::default() };
            let world = World { overrides: overrides.clone(), ..World::default() };
            assert_eq!(parse(&of(&world).unwrap()).unwrap().overrides, overrides);
        }
    }

    #[test]
    fn other_strings_are_errors() {
        for (text, expected) in [
            ("", "was not created by this server"),
            ("{}", "missing field `v`"),
            (r#"{"v":2}"#, "has version 2, expected 1"),
            (r#"{"v":1,"unit":"furlongs"}"#, "unknown variant `furlongs`"),
            (r#"{"v":1,"transforms":[{"type":"drop-function"}]}"#, "needs \"function\""),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
