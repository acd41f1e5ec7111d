//! `hot_spots`: where the cost is.

use super::answers::{At, Of};
use super::fit::short;
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use answers::{
    HotCost, HotSpots, HotSpotsQuestion as Question, PerCall, PlaceFields, RankSort as Sort,
    Weight, hot_spots,
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
    fn new(name: &str, own: Option<bool>, cost: HotCost) -> Self {
        Self {
            name: short(name),
            place: None,
            lib: None,
            own,
            self_: cost.cost.self_,
            total: cost.cost.total,
            calls: cost.calls,
            per_call: cost.per_call,
            cost: cost.text,
        }
    }

    fn at(self, opened: &Opened, place: &PlaceFields) -> Self {
        Self { place: Some(At::new(opened, place)), ..self }
    }
}

impl Query for ListHotSpots {
    const NAME: &'static str = "hot_spots";
    const DESCRIPTION: &'static str = "List the hottest functions of a profile, own code first, \
                                       with their files and lines. Start here. Also lists lines, \
                                       calls, files, modules, packages, libraries, threads, \
                                       cliques and fields (`by`). For changes, use `compare`.";
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
        let question = Question { limit: Some(most.saturating_add(1)), ..question.clone() };
        let found = hot_spots(&opened.context, question)?;
        let mut spots = found.map(|found| rows(&opened, found)).unwrap_or_default();
        let more = spots.len() > most;
        spots.truncate(most);
        Ok(Hottest { of: Of::new(&opened), spots, more })
    }
}

fn rows(opened: &Opened, found: HotSpots) -> Vec<Spot> {
    let HotSpots {
        functions,
        lines,
        edges,
        files,
        modules,
        packages,
        libraries,
        threads,
        cliques,
        fields,
        ..
    } = found;
    let mut rows: Vec<Spot> = Vec::new();
    rows.extend(functions.into_iter().flatten().map(|row| Spot {
        lib: row.lib.clone(),
        ..Spot::new(&row.name, Some(row.own), row.cost).at(opened, &row.place)
    }));
    rows.extend(lines.into_iter().flatten().map(|row| {
        let name = format!("{}:{}", row.file, row.line);
        Spot::new(&name, Some(row.own), row.cost).at(opened, &row.place)
    }));
    rows.extend(
        edges
            .into_iter()
            .flatten()
            .map(|row| Spot::new(&row.title, None, row.cost).at(opened, &row.place)),
    );
    rows.extend(
        files
            .into_iter()
            .flatten()
            .map(|row| Spot::new(&row.title, Some(row.own), row.cost).at(opened, &row.place)),
    );
    let groups = [modules, packages, libraries].into_iter().flatten().flatten();
    rows.extend(groups.map(|row| Spot::new(&row.title, Some(row.own), row.cost)));
    // `threads` takes the title.
    rows.extend(threads.into_iter().flatten().map(|row| Spot::new(&row.title, None, row.cost)));
    rows.extend(cliques.into_iter().flatten().map(|row| Spot::new(&row.title, None, row.cost)));
    rows.extend(fields.into_iter().flatten().map(|row| Spot::new(&row.title, None, row.cost)));
    rows
}
