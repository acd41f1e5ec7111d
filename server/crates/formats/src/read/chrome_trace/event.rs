//! One event as in the file, with numbers and ids as numbers or strings.

use crate::read::number::fits_counter;
use profile::BuildError;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Deref;

/// Why an event is left out, or why nothing can be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum EventError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Text that may be `null`, as `Option<Text>`.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The members of an event that are read. Numbers and ids are kept as written: see [`number`] and
/// [`id`].
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
    /// The duration by the thread's processor time.
    pub(super) tts: Option<&'a RawValue>,
    pub(super) tdur: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) id2: Option<&'a RawValue>,
    pub(super) scope: Option<&'a RawValue>,
    pub(super) args: Option<&'a RawValue>,
    /// A stack: the id of its innermost frame (`sf`), or the names of all frames (`stack`).
    pub(super) sf: Option<&'a RawValue>,
    pub(super) stack: Option<&'a RawValue>,
    /// The place of a span, by tracing-chrome.
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

/// A number, written as a number or as a string.
pub(super) fn number(raw: Option<&RawValue>) -> Option<f64> {
    id(raw)?.parse().ok().filter(|&number| fits_counter(number))
}

/// A time relative to `base`, which the first time sets. Many clocks count from so long ago that
/// fractions would be lost in an `f64`.
pub(super) fn time(raw: Option<&RawValue>, base: &mut Option<i64>) -> Option<f64> {
    let text = id(raw)?;
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
    match (
        whole.parse::<i64>(),
        if fraction.is_empty() { Ok(0.0) } else { fraction.parse::<f64>() },
    ) {
        (Ok(whole), Ok(fraction)) if is_plain => {
            Some((whole - *base.get_or_insert(whole)) as f64 + fraction)
        }
        _ => Some(number(raw)? - *base.get_or_insert(0) as f64),
    }
}

/// An id as text, whether written as a number or as a string.
pub(super) fn id(raw: Option<&RawValue>) -> Option<&str> {
    Some(raw?.get().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_fractions() {
        let mut base = None;
        let mut times =
            |text: &str| time(Some(&RawValue::from_string(text.to_owned()).unwrap()), &mut base);
        assert_eq!(times("\"soon\""), None);
        assert_eq!(times("2096789234.817"), Some(0.817));
        assert_eq!(times("\"2096789236\""), Some(2.0));
        assert_eq!(times("2096789230.25"), Some(-3.75));
        assert_eq!(times("2.0967892365e9"), Some(2.5));
        assert_eq!(times("-1.5"), Some(-2_096_789_235.5));
        assert_eq!(times("\"1.2.3\""), None);
        assert_eq!(times("null"), None);
    }
}
