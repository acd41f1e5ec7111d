//! The way from hot line to hot line, across the files of the workspace: by self cost, your own code
//! first, as in the list of hot spots.

use super::ask::{Ask, Takes};
use super::hot_spots;
use super::hot_spots::{HotRow, hot_spots};
use crate::keys::weight::Weight;
use crate::ranking::By;
use crate::world::context::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use url::Url;

/// The maximum number of hot lines.
const MAX_LINES: usize = 200;

/// The hot line to go to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "HotLineArgument")]
pub struct Question {
    /// The document that the cursor is in. Default: none, which leads to the hottest line.
    pub uri: Option<Url>,
    /// The line of the cursor, 0-based.
    pub line0: u32,
    /// Go to the next hotter line instead of the next colder one.
    pub previous: bool,
}

/// A hot line to go to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "HotLineStep")]
pub struct Step {
    /// The workspace file.
    pub uri: Url,
    /// The line in the current text, 0-based.
    pub line0: u32,
    /// Its rank among the hot lines; the hottest is 1.
    pub rank: usize,
    /// The number of hot lines.
    pub count: usize,
    /// The line for display: `Hot line 2 of 14: app.py:12, self 4.0% (4 samples) · total 12.3% (12
    /// samples)`.
    pub text: String,
}

impl Ask for Question {
    const NAME: &'static str = "hotLine";
    const DESCRIPTION: &'static str = "Return the hot line after that of the cursor, or before it, in \
                                       any file of the workspace. Hot lines are those whose self cost \
                                       is at least the setting `hints.minPercent`, hottest first, \
                                       your own code, with the libraries that it calls, before other \
                                       code, at most 200. From any \
                                       other line it is the hottest; after the last one comes the \
                                       first.";
    const TAKES: Takes = Takes::Options;
    type Answer = Step;

    fn answer(self, context: &Context) -> Result<Step, String> {
        hot_line(context, &self)
    }
}

/// The hot line after or before that of the cursor; from any other line the hottest. After the last
/// one comes the first. A hot line has a source in the workspace and at least the self cost, in own code with
/// libraries, of the setting `hints.minPercent`. The error is a message for users.
pub fn hot_line(context: &Context, question: &Question) -> Result<Step, String> {
    let min_percent = context.world.settings.hints.min_percent;
    let wanted = hot_spots::Question {
        by: Some(By::Line.into()),
        min_percent: Some(min_percent),
        limit: Some(MAX_LINES),
        ..hot_spots::Question::default()
    };
    let found = hot_spots(context, wanted)?.ok_or("no profile is loaded")?;
    let mut places = HashSet::new();
    let lines: Vec<(Url, u32, HotRow)> = found
        .list
        .rows
        .into_iter()
        .filter(|line| line.cost.charged.or(line.cost.cost.self_) != Some(Weight(0.0)))
        .filter_map(|line| {
            let place = line.place.as_ref()?;
            Some((place.uri.clone()?, place.line0?, line))
        })
        // Several recorded lines may be one line now.
        .filter(|(uri, line0, _)| places.insert((uri.clone(), *line0)))
        .collect();
    let is_here = |(uri, line0, _): &(Url, u32, HotRow)| {
        question.uri.as_ref() == Some(uri) && *line0 == question.line0
    };
    let count = lines.len();
    let at = match lines.iter().position(is_here) {
        None => 0,
        Some(here) if question.previous => (here + count - 1) % count,
        Some(here) => (here + 1) % count,
    };
    let (uri, line0, line) = lines.into_iter().nth(at).ok_or_else(|| {
        format!(
            "no line of the workspace has a self cost of {min_percent}% or more (setting \
             `hints.minPercent`)"
        )
    })?;
    let place = line.place.map(|place| place.place_text).unwrap_or_default();
    let (rank, costs) = (at + 1, &line.cost.text);
    let text = format!("Hot line {rank} of {count}: {place}, {costs}");
    Ok(Step { uri, line0, rank, count, text })
}
