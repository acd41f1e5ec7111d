//! Lists for clients that do not depend on a profile: kinds of transforms, of hot spots and of
//! groups of calls, orders, export formats, file names of profiles.

use crate::export::Target;
use crate::keys::weight::TIERS;
use crate::query::call_groups::GroupBy;
use crate::query::call_tree;
use crate::ranking::{By, Sort};
use crate::values::{Named, values};
use crate::view::transforms::{Kind, Takes, title};
use analysis::TransformKind;
use loading::{MARKERS, NAMES, PROFILE_FOLDERS};
use schemars::JsonSchema;
use serde::Serialize;

/// Lists that are the same for all profiles.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Catalog {
    /// The kinds of transforms.
    pub transforms: Vec<TransformInfo>,
    /// What can be done with a node of the call tree, in the order of menus.
    pub node_actions: Vec<NodeAction>,
    /// What `costline.hotspots` lists, in the order of menus. `costline.view` says which of them the
    /// profile shown has.
    pub hot_spots: Vec<HotSpotsInfo>,
    /// The orders of hot spots, in the order of menus.
    pub hot_spots_orders: Vec<HotSpotsOrder>,
    /// The orders of the call tree, in the order of menus.
    pub call_tree_orders: Vec<CallTreeOrder>,
    /// What callers and callees can be grouped by.
    pub groupings: Vec<GroupingInfo>,
    /// The formats that `costline.export` writes.
    pub export_formats: Vec<ExportFormatInfo>,
    /// Globs of the file names of profiles. Each name may also end in `.gz` or `.zst`.
    pub profile_names: Vec<String>,
    /// Names of folders in which any file may be a profile.
    pub profile_folders: Vec<String>,
    /// Files and folders that mark the top folder of a project.
    pub project_markers: Vec<String>,
    /// The smallest percentages of tier 1, 2 and 3.
    pub tier_percents: [f64; 3],
}

/// A kind of transform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TransformInfo {
    /// The name.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The title in menus.
    pub title: String,
    /// The kind of operand.
    pub takes: Takes,
    /// Whether it takes a path of the bottom-up tree, which begins with the leaf.
    #[serde(rename = "bottomUp")]
    pub bottom_up: bool,
}

/// What can be done with a node of the call tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeAction {
    /// The title in menus.
    pub title: String,
    /// The kind of transform, for `costline.pushTransform` with the path of the node. Null: show the
    /// costs of the node only, by `node` of `costline.setView`.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Whether it is for nodes of the bottom-up tree, or else for those of the other one.
    pub bottom_up: bool,
}

/// What hot spots can be listed by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HotSpotsInfo {
    /// The value for `costline.hotspots`.
    pub by: By,
    /// The key of the rows in its result, which is also a word for command lines.
    pub list: String,
    /// The title in menus.
    pub title: String,
}

/// An order of hot spots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotSpotsOrder {
    /// The title in menus.
    pub title: String,
    /// The value for `costline.hotspots`.
    pub sort: Sort,
    /// Whether costs are divided by the number of calls.
    pub per_call: bool,
}

/// An order of the call tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallTreeOrder {
    /// The title in menus.
    pub title: String,
    /// The value for `costline.callTree`.
    pub sort: call_tree::Sort,
}

/// What callers and callees can be grouped by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupingInfo {
    /// The value for `costline.showCallers` and `costline.showCallees`.
    pub group_by: GroupBy,
    /// The title in menus.
    pub title: String,
    /// What one group contains.
    pub description: String,
}

/// A format to export to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportFormatInfo {
    /// The name, for `costline.export`.
    pub format: Target,
    /// The title in menus.
    pub title: String,
    /// The extension of its files, without the leading dot.
    pub extension: String,
    /// Whether its files are binary.
    pub binary: bool,
}

/// The lists.
pub fn catalog() -> Catalog {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Catalog {
        transforms: TransformKind::ALL.into_iter().map(transform).collect(),
        node_actions: node_actions(),
        hot_spots: values().into_iter().map(|by| hot_spots(by.value)).collect(),
        hot_spots_orders: ORDERS.map(order).into(),
        call_tree_orders: CALL_TREE_ORDERS.map(call_tree_order).into(),
        groupings: values().into_iter().map(grouping).collect(),
        export_formats: values().into_iter().map(export_format).collect(),
        profile_names: texts(&NAMES),
        profile_folders: texts(&PROFILE_FOLDERS),
        project_markers: texts(&MARKERS),
        tier_percents: TIERS,
    }
}

fn transform(kind: TransformKind) -> TransformInfo {
    TransformInfo {
        kind: Kind(kind),
        title: title(kind).to_owned(),
        takes: kind.operand().into(),
        bottom_up: kind == TransformKind::FocusSubtreeInverted,
    }
}

fn node_actions() -> Vec<NodeAction> {
    let show = NodeAction {
        title: "Show the costs of this node".to_owned(),
        kind: None,
        bottom_up: false,
    };
    // A focus on the node shows its costs only.
    let others = TransformKind::ALL.into_iter().filter(|kind| *kind != TransformKind::FocusSubtree);
    let others = others.map(transform).filter(|info| info.takes == Takes::Path);
    let action = |TransformInfo { kind, title, bottom_up, .. }| NodeAction {
        title,
        kind: Some(kind),
        bottom_up,
    };
    std::iter::once(show).chain(others.map(action)).collect()
}

fn hot_spots(by: By) -> HotSpotsInfo {
    let (first, rest) = by.plural().split_at(1);
    let title = format!("{}{rest}", first.to_uppercase());
    HotSpotsInfo { by, list: by.list().to_owned(), title }
}

/// The orders of hot spots: what rows are sorted by, whether it is divided by the number of calls, and
/// the title.
const ORDERS: [(Sort, bool, &str); 7] = [
    (Sort::Charged, false, "Self with libraries"),
    (Sort::Self_, false, "Self"),
    (Sort::Total, false, "Total"),
    (Sort::Change, false, "Change since the baseline"),
    (Sort::Calls, false, "Calls"),
    (Sort::Self_, true, "Self per call"),
    (Sort::Total, true, "Total per call"),
];

fn order((sort, per_call, title): (Sort, bool, &str)) -> HotSpotsOrder {
    HotSpotsOrder { title: title.to_owned(), sort, per_call }
}

/// The orders of the call tree, and their titles.
const CALL_TREE_ORDERS: [(call_tree::Sort, &str); 3] = [
    (call_tree::Sort::Total, "Total"),
    (call_tree::Sort::Self_, "Self"),
    (call_tree::Sort::Name, "Name"),
];

fn call_tree_order((sort, title): (call_tree::Sort, &str)) -> CallTreeOrder {
    CallTreeOrder { title: title.to_owned(), sort }
}

fn grouping(by: Named<GroupBy>) -> GroupingInfo {
    GroupingInfo { group_by: by.value, title: by.value.title().to_owned(), description: by.help }
}

fn export_format(format: Named<Target>) -> ExportFormatInfo {
    ExportFormatInfo {
        format: format.value,
        title: format.help,
        extension: format.value.extension().to_owned(),
        binary: format.value.is_binary(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_complete() {
        let catalog = catalog();
        assert_eq!(catalog.transforms.len(), TransformKind::ALL.len());
        let node = serde_json::to_value(&catalog.transforms[1]).unwrap();
        let expected = r#"{"bottomUp":false,"takes":"path","title":"Merge node into its caller","type":"merge-node"}"#;
        assert_eq!(node.to_string(), expected);
        let actions: Vec<_> = catalog
            .node_actions
            .iter()
            .map(|action| {
                let kind = action.kind.map_or("-", |Kind(kind)| kind.name());
                format!("{kind} {} {}", action.bottom_up, action.title)
            })
            .collect();
        assert_eq!(
            actions,
            [
                "- false Show the costs of this node",
                "merge-node false Merge node into its caller",
                "merge-subtree false Merge node and what it calls into its caller",
                "drop-node false Hide samples with node",
                "focus-subtree-inverted true Focus on node and its callers",
            ]
        );
        let lists: Vec<_> =
            catalog.hot_spots.iter().map(|info| format!("{} {}", info.list, info.title)).collect();
        assert_eq!(lists.len(), values::<By>().len());
        assert_eq!(lists[..3], ["functions Functions", "lines Lines", "edges Calls"]);
        let per_call = serde_json::to_value(&catalog.hot_spots_orders[5]).unwrap();
        let expected = r#"{"perCall":true,"sort":"self","title":"Self per call"}"#;
        assert_eq!(per_call.to_string(), expected);
        let site = serde_json::to_value(&catalog.groupings[0]).unwrap();
        let expected =
            r#"{"description":"The line of the call","groupBy":"site","title":"Call Site"}"#;
        assert_eq!(site.to_string(), expected);
        let formats: Vec<_> = catalog
            .export_formats
            .iter()
            .map(|info| format!("{} {} {}", info.title, info.extension, info.binary))
            .collect();
        assert_eq!(formats[0], "For KCachegrind and QCachegrind callgrind false");
        assert_eq!(formats[6], "For `pprof` and `go tool pprof`, compressed pb.gz true");
    }
}
