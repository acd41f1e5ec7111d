//! Lists for clients that do not depend on a profile: kinds of transforms, export formats, file
//! names of profiles.

use crate::discovery::{NAMES, PROFILE_FOLDERS};
use crate::export::Target;
use crate::roots::MARKERS;
use crate::transforms::{Kind, Takes, title};
use crate::weight::TIERS;
use analysis::TransformKind;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

/// Lists that are the same for all profiles.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Catalog {
    /// The kinds of transforms.
    pub transforms: Vec<TransformInfo>,
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
        export_formats: Target::value_variants().iter().copied().map(export_format).collect(),
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

fn export_format(format: Target) -> ExportFormatInfo {
    let help = format.to_possible_value().and_then(|value| Some(value.get_help()?.to_string()));
    ExportFormatInfo {
        format,
        title: help.unwrap_or_default(),
        extension: format.extension().to_owned(),
        binary: format.is_binary(),
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
        let formats: Vec<_> = catalog
            .export_formats
            .iter()
            .map(|info| format!("{} {} {}", info.title, info.extension, info.binary))
            .collect();
        assert_eq!(formats[0], "For KCachegrind and QCachegrind callgrind false");
        assert_eq!(formats[6], "For `pprof` and `go tool pprof`, compressed pb.gz true");
    }
}
