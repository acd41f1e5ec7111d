//! One event as the file has it, its numbers and ids as numbers or as strings.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Deref;

/// Text that may be `null`, as `Option<Text>`.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What is read of an event. Numbers and ids are kept as written: see [`number`] and [`id`].
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    ph: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    cat: Option<Text<'a>>,
    pub(super) pid: Option<&'a RawValue>,
    pub(super) tid: Option<&'a RawValue>,
    pub(super) ts: Option<&'a RawValue>,
    pub(super) dur: Option<&'a RawValue>,
    /// The same by the thread's processor time.
    pub(super) tts: Option<&'a RawValue>,
    pub(super) tdur: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) id2: Option<&'a RawValue>,
    pub(super) args: Option<&'a RawValue>,
    /// Where tracing-chrome puts the place of a span.
    #[serde(rename = ".file", borrow)]
    pub(super) file: Option<Text<'a>>,
    #[serde(rename = ".line")]
    pub(super) line: Option<&'a RawValue>,
}

impl Event<'_> {
    pub(super) fn phase(&self) -> &str {
        self.ph.as_deref().unwrap_or_default()
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    pub(super) fn category(&self) -> &str {
        self.cat.as_deref().unwrap_or_default()
    }
}

/// A number, written as one or as a string.
pub(super) fn number(raw: Option<&RawValue>) -> Option<f64> {
    id(raw)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// An id as text: a number or a string.
pub(super) fn id(raw: Option<&RawValue>) -> Option<&str> {
    Some(raw?.get().trim_matches('"'))
}
