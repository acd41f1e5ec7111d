//! What rows are about.

use analysis::label_keys;
use formats::Format;
use loading::Snapshot;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::borrow::Cow;

/// What to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsBy")]
pub enum By {
    /// Functions.
    #[default]
    Function,
    /// Source lines.
    Line,
    /// Calls: caller → callee, with the hottest call site.
    Edge,
    /// Source files.
    File,
    /// Modules of Mercury, or else libraries.
    Module,
    /// Crates, npm packages, Python distributions, Go modules, or else libraries.
    Package,
    /// Shared libraries and programs.
    Library,
    /// Threads.
    Thread,
    /// Labels of samples with their values; `label:KEY` lists those of one key.
    Label,
    /// Functions that call each other (call graphs only).
    Clique,
    /// Fields of Mercury data structures, with the procedures that get and set them.
    Field,
}

impl By {
    /// Whether profiles like this one have such rows.
    pub fn is_known_of(self, snapshot: &Snapshot) -> bool {
        match self {
            Self::Clique => !snapshot.tree.has_stacks(),
            Self::Field => snapshot.loaded.format == Format::MercuryDeep,
            Self::Label => !label_keys(&snapshot.grouped.recording).is_empty(),
            _ => true,
        }
    }

    /// Whether rows are own code or not.
    pub fn has_own_code(self) -> bool {
        !matches!(self, Self::Thread | Self::Label | Self::Field)
    }

    /// Whether rows have a self cost.
    pub fn has_self(self) -> bool {
        self != Self::Edge
    }

    /// Whether rows are all functions of a file, module, package or library.
    pub fn is_group(self) -> bool {
        matches!(self, Self::File | Self::Module | Self::Package | Self::Library)
    }

    /// Whether own rows are charged for the libraries that they call.
    pub(super) fn is_charged(self) -> bool {
        self.is_group() || matches!(self, Self::Function | Self::Line)
    }

    /// The key of the rows in answers, which is also a word for command lines. Rows of calls are `edges`:
    /// `calls` is the number of calls.
    pub(crate) fn list(self) -> &'static str {
        if self == Self::Edge { "edges" } else { self.plural() }
    }

    /// The rows, for messages and menus.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Function => "functions",
            Self::Line => "lines",
            Self::Edge => "calls",
            Self::File => "files",
            Self::Module => "modules",
            Self::Package => "packages",
            Self::Library => "libraries",
            Self::Thread => "threads",
            Self::Label => "labels",
            Self::Clique => "cliques",
            Self::Field => "fields",
        }
    }
}

/// What to list: one of [`By`], or `label:KEY`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The kind of rows.
    pub by: By,
    /// The key of the labels. `None`: all.
    pub label: Option<String>,
}

impl Listing {
    /// The labels with the key in `label:KEY`. `None` if the text is something else.
    pub fn of_label(text: &str) -> Option<Self> {
        let key = text.strip_prefix("label:")?;
        Some(Self { by: By::Label, label: Some(key.to_owned()) })
    }
}

impl From<By> for Listing {
    fn from(by: By) -> Self {
        Self { by, label: None }
    }
}

impl<'de> Deserialize<'de> for Listing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        match Self::of_label(&text) {
            Some(listing) => Ok(listing),
            None => serde_json::from_value(text.into()).map(By::into).map_err(D::Error::custom),
        }
    }
}

impl JsonSchema for Listing {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Listing".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let by = generator.subschema_for::<By>();
        json_schema!({ "anyOf": [by, { "type": "string", "pattern": "^label:." }] })
    }
}
