//! Fields that many answers share: a cost and a place, as numbers and as text, so that clients do
//! not have to parse labels.

use crate::compare::before::Before;
use crate::items::places::{file_uri, function_place, line_place};
use crate::keys::weight::{Weight, change_tier, tier};
use crate::present::labels::{Part, Scale};
use crate::world::context::Context;
use analysis::{Cost, FileId, FunctionId, Total};
use loading::Snapshot;
use loading::text::{library, plain};
use schemars::JsonSchema;
use serde::Serialize;
use sources::without_version;
use std::borrow::Cow;
use url::Url;

/// A cost for display.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostFields {
    /// The self cost in the unit of the setting `unit`: `4.0%`. Null if it is unknown.
    pub self_text: Option<String>,
    /// The total in the unit of the setting `unit`: `12.3%`, `12.3% est.`, `4.0% to 10.0%`, or for a
    /// line `4.0% + recursion`. Null if it is unknown.
    pub total_text: Option<String>,
    /// The total as a share of the base, from 0 to 1. If the total is unknown, the share of the
    /// self cost.
    pub share: f64,
    /// The self cost as a share of the base, from 0 to 1. Null if it is unknown.
    pub self_share: Option<f64>,
    /// The tier of `share`, or in hints of the number shown: 0 below 1%, 1 from 1%, 2 from 5%, 3
    /// from 20%.
    #[schemars(extend("enum" = [0, 1, 2, 3]))]
    pub tier: u8,
    /// With a baseline, the tier of the change, which colors show instead of `tier`: 0 for none beyond
    /// noise, 1 below 5% of the base, 2 from 5%, 3 from 20%, negative if the cost fell. Null if the change
    /// is unknown. Missing without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i8>", extend("enum" = [-3, -2, -1, 0, 1, 2, 3, null]))]
    pub change_tier: Option<Option<i8>>,
    /// The change since the baseline. Missing without a baseline, and if it does not have the same
    /// line, function or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CostChange")]
    pub change: Option<CostChange>,
}

/// The change of a cost since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostChange {
    /// The change of the self cost. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<PartChange>,
    /// The change of the total. Null if it is unknown, or not exact.
    pub total: Option<PartChange>,
}

/// The change of a weight since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartChange {
    /// The weight in the baseline.
    pub before: Weight,
    /// The change. If shares are compared, the weight before is scaled to the same total.
    pub change: Weight,
    /// The change for display: `▲1.20 s`, or `▼2.1` in percentage points. Null if there is none.
    pub text: Option<String>,
    /// Whether the change may be noise: the samples of the two profiles are not enough to tell.
    /// Labels leave it out.
    pub may_be_noise: bool,
}

impl CostChange {
    fn new(scale: Scale<'_>, cost: Cost, has_self: bool, before: Option<Before>) -> Option<Self> {
        let part = |part| {
            let (by, change) = scale.change(cost, before, part)?;
            Some(PartChange {
                before: Weight(change.before),
                change: Weight(change.change),
                text: scale.arrow(by, change),
                may_be_noise: change.is_noise(),
            })
        };
        before?;
        Some(Self { self_: part(Part::Self_).filter(|_| has_self), total: part(Part::Total) })
    }
}

impl CostFields {
    /// The fields of a cost. `self_` is `None` if it is unknown.
    pub fn new(scale: Scale<'_>, self_: Option<f64>, total: Total, before: Option<Before>) -> Self {
        let cost = Cost { self_: self_.unwrap_or_default(), total };
        let share = |weight: f64| {
            if scale.base == 0.0 { 0.0 } else { (weight / scale.base).abs().min(1.0) }
        };
        let change = CostChange::new(scale, cost, self_.is_some(), before);
        let fields = Self {
            self_text: self_.map(|_| scale.own(cost, |weight| scale.weight(weight))),
            total_text: (total != Total::Unknown)
                .then(|| scale.total(total, |weight| scale.weight(weight))),
            share: share(cost.magnitude()),
            self_share: self_.map(share),
            tier: tier(cost, scale.base),
            change_tier: None,
            change,
        };
        Self { change_tier: fields.change_tier_of(scale, Part::Total), ..fields }
    }

    /// [`Self::change_tier`] of one part of the cost; if the total is unknown, of the self cost.
    pub fn change_tier_of(&self, scale: Scale<'_>, part: Part) -> Option<Option<i8>> {
        let change = self.change.as_ref().and_then(|change| match part {
            Part::Self_ => change.self_.as_ref(),
            Part::Total => change.total.as_ref().or(change.self_.as_ref()),
        });
        let tier = |change: &PartChange| {
            if change.may_be_noise { 0 } else { change_tier(change.change.0 / scale.base) }
        };
        scale.compares.then(|| change.map(tier))
    }
}

/// A place to display and to go to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceFields {
    /// The workspace file. Null if the place is not in one.
    pub uri: Option<Url>,
    /// The 0-based line in the current text. Null if `uri` is null.
    pub line0: Option<u32>,
    /// The place as short text: `app.py:12` (the recorded line, or today's if functions were moved to
    /// the file), `[libc.so.6]`, `no source`.
    pub place_text: String,
}

impl PlaceFields {
    /// The place of a function's definition.
    pub fn of_function(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Self {
        let place = function_place(context, snapshot, function);
        let (uri, line0) = place.map(|place| (place.uri, place.selection.start.line0)).unzip();
        let Some((file, line)) = snapshot.definition(function) else {
            let lib = snapshot.function(function).lib;
            let place_text = lib.map_or_else(|| "no source".to_owned(), library);
            return Self { uri, line0, place_text };
        };
        Self { uri, line0, place_text: short(snapshot, file, line) }
    }

    /// The place of a recorded line (1-based).
    pub fn of_line(context: &Context, snapshot: &Snapshot, file: FileId, line: u32) -> Self {
        let place = line_place(context, snapshot, file, line);
        let (uri, line0) = place.map(|place| (place.uri, place.range.start.line0)).unzip();
        Self { uri, line0, place_text: short(snapshot, file, line) }
    }

    /// The first line of a file.
    pub fn of_file(context: &Context, snapshot: &Snapshot, file: FileId) -> Self {
        let uri = snapshot.path_of(file).and_then(|path| file_uri(context, path));
        let line0 = uri.as_ref().map(|_| 0);
        Self { uri, line0, place_text: base_name(snapshot, file).into_owned() }
    }

    /// The place as short text with the line in the current text. Elsewhere `place_text`.
    pub fn current_text(&self) -> String {
        let has_line =
            |text: &str| text.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok());
        let path = self.uri.as_ref().and_then(|uri| uri.to_file_path().ok());
        let name = path.as_ref().and_then(|path| path.file_name());
        match (name, self.line0) {
            (Some(name), Some(line0)) if has_line(&self.place_text) => {
                format!("{}:{}", plain(&name.to_string_lossy()), line0 + 1)
            }
            _ => self.place_text.clone(),
        }
    }

    /// No place.
    pub fn none() -> Self {
        Self { uri: None, line0: None, place_text: "no source".to_owned() }
    }
}

/// `file.rs:12`, with the recorded line (1-based).
fn short(snapshot: &Snapshot, file: FileId, line: u32) -> String {
    format!("{}:{line}", base_name(snapshot, file))
}

/// `file.rs`.
fn base_name(snapshot: &Snapshot, file: FileId) -> Cow<'_, str> {
    let name = without_version(snapshot.file_name(file));
    plain(name.rsplit(['/', '\\']).next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::Metric;
    use loading::Unit;

    #[test]
    fn a_place_has_its_current_line_if_it_is_known() {
        let uri = if cfg!(windows) { "file:///c:/p/new.py" } else { "file:///p/new.py" };
        let place = |uri: Option<&str>, line0, place_text: &str| {
            let uri = uri.map(|uri| Url::parse(uri).unwrap());
            PlaceFields { uri, line0, place_text: place_text.to_owned() }.current_text()
        };
        assert_eq!(place(Some(uri), Some(70), "old.py:68"), "new.py:71");
        assert_eq!(place(None, None, "old.py:68"), "old.py:68");
        // A file has no line.
        assert_eq!(place(Some(uri), Some(0), "new.py"), "new.py");
        assert_eq!(place(None, None, "[libc.so.6]"), "[libc.so.6]");
    }

    #[test]
    fn a_cost_has_texts_shares_and_a_tier() {
        let metric = Metric::new("samples", "samples", None);
        let fields = |base, self_, total| {
            let scale = Scale::new(&metric, base, Unit::Percent);
            let CostFields { self_text, total_text, share, self_share, tier, .. } =
                CostFields::new(scale, self_, total, None);
            let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            (format!("{} {}", text(self_text), text(total_text)), share, self_share, tier)
        };
        let exact = fields(200.0, Some(8.0), Total::Exact(50.0));
        assert_eq!(exact, ("4.0% 25.0%".to_owned(), 0.25, Some(0.04), 3));
        let bounded = fields(200.0, None, Total::Bounded { min: 8.0, max: 10.0 });
        assert_eq!(bounded, ("- 4.0% to 5.0%".to_owned(), 0.05, None, 2));
        let only_self = fields(200.0, Some(2.0), Total::Unknown);
        assert_eq!(only_self, ("1.0% -".to_owned(), 0.01, Some(0.01), 1));
        // Negative weights have the same tier as positive ones, and a share is never above 1.
        let negative = fields(4.0, Some(-1.0), Total::Exact(-8.0));
        assert_eq!(negative, ("-25.0% -200.0%".to_owned(), 1.0, Some(0.25), 3));
        let nothing = fields(0.0, Some(0.0), Total::Exact(0.0));
        assert_eq!(nothing, ("– –".to_owned(), 0.0, Some(0.0), 0));
    }
}
