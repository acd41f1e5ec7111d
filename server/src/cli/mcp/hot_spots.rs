//! `hot_spots`: where the cost is.

use super::answers::{At, Of};
use super::fit::short;
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use answers::{
    HotRow, HotSpotsQuestion as Question, PerCall, RankBy as By, RankSort as Sort, Weight,
    hot_spots,
};
use serde::Serialize;

/// `hot_spots`.
pub struct ListHotSpots;

/// The hot spots of a profile, hottest first.
#[derive(Debug, Serialize)]
pub struct Hottest {
    #[serde(flatten)]
    of: Of,
    /// The rows.
    spots: Vec<Spot>,
    /// Whether there are more rows.
    more: bool,
}

/// A function, line, call, file, package or whatever was asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Spot {
    /// Its name. That of a line is its recorded file and line.
    name: String,
    #[serde(flatten)]
    place: Option<At>,
    /// The short name of its library.
    #[serde(skip_serializing_if = "Option::is_none")]
    lib: Option<String>,
    /// Whether it is own code: its source is in the project, not in a folder of libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<bool>,
    /// The self cost. Null if it is unknown.
    #[serde(rename = "self")]
    self_: Option<Weight>,
    /// Of own functions, if they are sorted by it: the self cost with that of the libraries that it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    charged: Option<Weight>,
    /// The total. Null if it is not exact; `cost` then has its bounds.
    total: Option<Weight>,
    /// The number of calls, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// The cost of one call on average, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_call: Option<PerCall>,
    /// Both costs as text, with their shares of the total.
    cost: String,
}

impl Spot {
    fn new(opened: &Opened, by: By, row: HotRow) -> Self {
        Self {
            name: short(&row.name.filter(|_| by == By::Function).unwrap_or(row.title)),
            place: row.place.as_ref().map(|place| At::new(opened, place)),
            lib: row.lib,
            own: row.own,
            self_: row.cost.cost.self_,
            charged: row.cost.charged,
            total: row.cost.cost.total,
            calls: row.cost.calls,
            per_call: row.cost.per_call,
            cost: row.cost.text,
        }
    }
}

impl Query for ListHotSpots {
    const NAME: &'static str = "hot_spots";
    const DESCRIPTION: &'static str = "List the hottest functions of a profile, own code first, \
                                       with their files and lines, or other rows (`by`). Start here. \
                                       For changes, use `compare`.";
    const LIMIT: usize = 15;
    type Arguments = Question;
    type Answer = Hottest;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Hottest, String> {
        if question.sort == Some(Sort::Change) {
            return Err("`sort`: `change` needs a baseline; use `compare`".to_owned());
        }
        let opened = project.open(view)?;
        let by = question.by.clone().unwrap_or_default().by;
        let question = Question { limit: Some(most.saturating_add(1)), ..question.clone() };
        let found = hot_spots(&opened.context, question)?;
        let rows = found.map(|found| found.list.rows).unwrap_or_default();
        let more = rows.len() > most;
        let spots = rows.into_iter().take(most).map(|row| Spot::new(&opened, by, row)).collect();
        Ok(Hottest { of: Of::new(&opened), spots, more })
    }
}
