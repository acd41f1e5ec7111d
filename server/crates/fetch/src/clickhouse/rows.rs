//! Rows of an answer (`JSONEachRow`), and the profile that they make.

use formats::Format;
use formats::merge::Rows;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::fmt;
use std::mem;

/// The name of the function that has what was cut.
pub(super) const CUT: &str = formats::merge::CUT;
/// What is said of other rows.
pub(super) const EXPECTED: &str = "expected the columns `stack` and `value`, or `functions`, `files`, `lines` and \
                        `value`, with whole numbers";
/// The largest depth of a tree.
const MAX_DEPTH: usize = 100_000;

/// Why a row cannot be read. A query that fails after the first rows ends them with its error.
pub(super) fn unreadable(text: &str, error: &serde_json::Error) -> String {
    #[derive(Deserialize)]
    struct Failed {
        exception: String,
    }
    if let Ok(Failed { exception }) = serde_json::from_str(text) {
        return format!("the query failed: {exception}");
    }
    if text.starts_with("Code: ") || text.starts_with("__exception__") {
        return format!("the query failed: {text}");
    }
    let error = error.to_string();
    // The list of known columns that follows has those of Costline's own queries, too.
    let what = error.split_once(", expected one of").map_or(error.as_str(), |(what, _)| what);
    format!("a row cannot be read: {what}; {EXPECTED}")
}

/// A row. Which columns there are depends on the query.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) stack: Option<Stack>,
    pub(super) functions: Option<Vec<String>>,
    pub(super) files: Option<Vec<String>>,
    pub(super) lines: Option<Vec<Whole>>,
    node: Option<Id>,
    parent: Option<Id>,
    function: Option<String>,
    value: Option<Whole>,
    /// What the calls below this one cost, and this one itself: rows of a tree that was cut.
    pub(super) total: Option<Whole>,
    #[serde(rename = "self")]
    pub(super) own: Option<Whole>,
    hosts: Option<Whole>,
    profiles: Option<Whole>,
    service: Option<String>,
    /// The type of a profile, or of a column.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The name of a column.
    name: Option<String>,
    // What `DESCRIBE` says of columns.
    #[serde(rename = "default_type")]
    _default_type: Option<serde::de::IgnoredAny>,
    #[serde(rename = "default_expression")]
    _default_expression: Option<serde::de::IgnoredAny>,
    #[serde(rename = "comment_expression", alias = "comment")]
    _comment: Option<serde::de::IgnoredAny>,
    #[serde(rename = "codec_expression")]
    _codec: Option<serde::de::IgnoredAny>,
    #[serde(rename = "ttl_expression")]
    _ttl: Option<serde::de::IgnoredAny>,
}

impl Row {
    pub(super) fn value(&self) -> Option<i64> {
        self.value.map(|Whole(value)| value)
    }

    pub(super) fn hosts(&self) -> Option<u64> {
        u64::try_from(self.hosts?.0).ok()
    }

    pub(super) fn profiles(&self) -> Option<u64> {
        u64::try_from(self.profiles?.0).ok()
    }

    /// The name and the type of a column.
    pub(super) fn column(self) -> Option<(String, String)> {
        Some((self.name?, self.kind?))
    }

    /// The type of a profile, and a service.
    pub(super) fn listed(self) -> (Option<String>, Option<String>) {
        (self.kind, self.service)
    }
}

/// A stack: as one text, or a text for each frame; root first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub(super) enum Stack {
    Text(String),
    Frames(Vec<String>),
}

impl Stack {
    /// As a line of folded stacks. A `;` within a frame would begin another one.
    fn folded(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Frames(frames) => {
                let frames: Vec<_> = frames.into_iter().map(|it| it.replace(';', ":")).collect();
                frames.join(";")
            }
        }
    }
}

/// A whole number, which ClickHouse may write as a text, because not every reader of JSON knows 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Whole(pub(super) i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor).map(Self)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of 64 bits")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<i64, E> {
        // Sums of floats may be whole.
        if value.fract() == 0.0 && value.abs() < 9e15 {
            Ok(value as i64)
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<i64, E> {
        value.parse().map_err(|_| E::invalid_value(Unexpected::Str(value), &self))
    }
}

/// The id of a node, which may use all 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Id(u64);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written<'a> {
            Number(u64),
            Text(std::borrow::Cow<'a, str>),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(id) => Ok(Self(id)),
            Written::Text(text) => text.parse().map(Self).map_err(D::Error::custom),
        }
    }
}

/// The profile that rows make: folded stacks for `stack`, pprof for `functions` and for trees.
pub(super) struct Stacks {
    folded: Vec<u8>,
    rows: Option<Rows>,
    tree: HashMap<u64, Node>,
    values: (String, String),
}

struct Node {
    parent: u64,
    function: String,
    value: i64,
}

impl Stacks {
    pub(super) fn new(metric: &str, unit: &str) -> Self {
        let values = (metric.to_owned(), unit.to_owned());
        Self { folded: Vec::new(), rows: None, tree: HashMap::new(), values }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folded.is_empty() && self.rows.is_none() && self.tree.is_empty()
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: Row) -> Result<(), String> {
        let value = row.value().ok_or_else(|| format!("a row has no `value`; {EXPECTED}"))?;
        match row {
            Row { stack: Some(stack), .. } => {
                self.add_folded(stack, value);
                Ok(())
            }
            Row { functions: Some(functions), files, lines, .. } => {
                let (files, lines) = (files.unwrap_or_default(), lines.unwrap_or_default());
                self.add_frames(&functions, &files, &lines, value)
            }
            Row { node: Some(node), parent: Some(parent), function, .. } => {
                let function = function.unwrap_or_default();
                self.tree.insert(node.0, Node { parent: parent.0, function, value });
                Ok(())
            }
            _ => Err(format!("a row has no stack; {EXPECTED}")),
        }
    }

    pub(super) fn add_folded(&mut self, stack: Stack, value: i64) {
        let stack = stack.folded();
        // A line may begin like a comment.
        if stack.starts_with(['#', '\\']) {
            self.folded.push(b'\\');
        }
        self.folded.extend(
            stack.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }),
        );
        self.folded.extend(format!(" {value}\n").into_bytes());
    }

    pub(super) fn add_frames(
        &mut self,
        functions: &[String],
        files: &[String],
        lines: &[Whole],
        value: i64,
    ) -> Result<(), String> {
        let n = functions.len();
        if [files.len(), lines.len()].into_iter().any(|len| len != 0 && len != n) {
            return Err("`functions`, `files` and `lines` of a row differ in length".to_owned());
        }
        let frames = functions.iter().enumerate().map(|(at, function)| {
            let line = lines.get(at).map_or(0, |line| u32::try_from(line.0).unwrap_or(0));
            (function.as_str(), files.get(at).map_or("", String::as_str), line)
        });
        let (metric, unit) = &self.values;
        let rows = self.rows.get_or_insert_with(|| Rows::new(metric, unit));
        rows.add(frames, value).map_err(|error| format!("a row {error}"))
    }

    /// The file and its format.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Format), String> {
        self.add_tree()?;
        match self.rows {
            Some(rows) => Ok((rows.finish(), Format::Pprof)),
            None => Ok((self.folded, Format::Folded)),
        }
    }

    /// Adds the paths of the nodes of a tree.
    fn add_tree(&mut self) -> Result<(), String> {
        let tree = mem::take(&mut self.tree);
        let mut path = Vec::new();
        for node in tree.values().filter(|node| node.value != 0) {
            path.clear();
            let mut at = Some(node);
            while let Some(node) = at {
                if path.len() > MAX_DEPTH {
                    return Err(format!("a node is its own caller, or below {MAX_DEPTH} others"));
                }
                path.push(node.function.clone());
                at = tree.get(&node.parent);
            }
            path.reverse();
            self.add_frames(&path, &[], &[], node.value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_cannot_be_read_has_the_reason_of_the_server() {
        let message =
            |text: &str| unreadable(text, &serde_json::from_str::<Row>(text).err().unwrap());
        let failed = "the query failed: Code: 241. DB::Exception: Memory limit";
        assert_eq!(message(r#"{"exception":"Code: 241. DB::Exception: Memory limit"}"#), failed);
        assert_eq!(message("Code: 241. DB::Exception: Memory limit"), failed);
        assert_eq!(
            message(r#"{"stak":"main","value":1}"#),
            format!("a row cannot be read: unknown field `stak`; {EXPECTED}")
        );
    }
}
