//! The user's choices of a session, as a string that a client stores for the next session.
//!
//! The string is JSON to simplify debugging. Clients must not interpret it.

use crate::overrides::Overrides;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the string's format.
const VERSION: u32 = 1;

/// The user's choices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    v: u32,
    /// The profile that the user selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<PathBuf>,
    /// The overrides.
    #[serde(flatten)]
    pub overrides: Overrides,
}

/// The current choices. `None` if there are none.
pub fn of(world: &World) -> Option<String> {
    let state =
        State { v: VERSION, profile: world.pick.clone(), overrides: world.overrides.clone() };
    if state == (State { v: VERSION, ..State::default() }) {
        return None;
    }
    serde_json::to_string(&state).ok()
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
    use crate::overrides::ChosenBaseline;
    use crate::settings::{Implementation, Inlines, PathMapping, Show, Unit};

    #[test]
    fn choices_round_trip() {
        assert_eq!(of(&World::default()), None);
        let overrides = Overrides {
            metric: Some("cpu".to_owned()),
            threads: Some(Vec::new()),
            implementation: Some(Implementation::Js),
            inlines: Some(Inlines::CallSite),
            unit: Some(Unit::Both),
            show: Some(Show::Self_),
            path_mappings: Some(vec![PathMapping { from: "/app".into(), to: ".".into() }]),
            baseline: Some(ChosenBaseline::Path("old.folded".into())),
            transforms: vec![
                "drop-function:a>b".parse().unwrap(),
                "merge-node:main>parse".parse().unwrap(),
            ],
        };
        let world = World {
            pick: Some("/w/cpu.folded".into()),
            overrides: overrides.clone(),
            ..World::default()
        };
        let state = parse(&of(&world).unwrap()).unwrap();
        assert_eq!((state.profile, state.overrides), (world.pick, overrides));

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
