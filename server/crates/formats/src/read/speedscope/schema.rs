//! The parts of a speedscope file that are read.

use crate::error::ReadError;
use crate::read::dotnet;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::id_tree::{IdTree, Node};
use crate::read::shared::number::position;
use crate::writer::Dialect;
use profile::{Frame, FrameId, ProfileBuilder};
use serde::Deserialize;

/// A whole file.
#[derive(Default)]
pub(super) struct File {
    pub(super) frames: Vec<SharedFrame>,
    pub(super) profiles: Vec<Profile>,
    /// The stacks of all profiles, as numbers of frames.
    pub(super) stacks: IdTree<u32>,
    pub(super) exporter: Option<String>,
    /// The version of speedscope, if it wrote the file and there is no other exporter.
    pub(super) version: Option<Scalar>,
}

/// A value that should be a number or a text but may be either: .NET's tools put the end of a
/// profile in quotes.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Number(f64),
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl Scalar {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Other(_) => None,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct SharedFrame {
    pub(super) name: Option<String>,
    pub(super) file: Option<String>,
    /// 1-based; 0 = unknown.
    line: Option<f64>,
    col: Option<f64>,
}

/// A thread. Its members show whether it is sampled or evented.
#[derive(Default)]
pub(super) struct Profile {
    pub(super) name: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) start_value: Option<Scalar>,
    pub(super) end_value: Option<Scalar>,
    /// The leaf of each sample.
    pub(super) samples: Option<Vec<Node>>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) events: Option<Vec<FrameEvent>>,
}

#[derive(Deserialize)]
pub(super) struct FrameEvent {
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) at: f64,
    pub(super) frame: u32,
}

#[derive(Deserialize)]
pub(super) enum Kind {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

impl Profile {
    pub(super) fn is_empty(&self) -> bool {
        self.samples.as_ref().is_none_or(Vec::is_empty)
            && self.events.as_ref().is_none_or(Vec::is_empty)
    }

    /// The unit of its values. `none` is a plain number: of samples, or of ticks of the events'
    /// clock.
    pub(super) fn unit(&self) -> &str {
        match self.unit.as_deref().unwrap_or("none") {
            "none" if self.events.is_some() => "ticks",
            "none" => "samples",
            unit => unit,
        }
    }
}

impl SharedFrame {
    pub(super) fn line(&self) -> u32 {
        position(self.line.unwrap_or(0.0))
    }

    /// Whether this is the exporter's notation for own time of the caller.
    pub(super) fn is_own_time(&self, dialect: Dialect) -> bool {
        let names: &[&str] = match dialect {
            Dialect::Pyinstrument => &["[self]", "[await]", "[out-of-context]"],
            // Older tools of .NET use speedscope's name.
            Dialect::DotNet | Dialect::Speedscope => &dotnet::OWN_TIME,
            _ => &[],
        };
        self.file.is_none() && self.name.as_deref().is_some_and(|name| names.contains(&name))
    }

    pub(super) fn intern(
        &self,
        is_of_dotnet: bool,
        builder: &mut ProfileBuilder,
    ) -> Result<FrameId, ReadError> {
        let [name, file] = [&self.name, &self.file].map(|text| text.as_deref().unwrap_or_default());
        let (lib, name) = if is_of_dotnet { dotnet::module_and_method(name) } else { ("", name) };
        let func = FuncText { name, file, lib, ..FuncText::default() }.intern(builder)?;
        let column = position(self.col.unwrap_or(0.0));
        Ok(builder.intern_frame(Frame { column, ..Frame::new(func, self.line()) })?)
    }
}
