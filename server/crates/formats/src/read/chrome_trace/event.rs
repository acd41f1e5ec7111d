//! One event as in the file, with numbers and ids as numbers or strings.

use crate::read::shared::json::reason;
use crate::read::shared::number::fits_counter;
use crate::scan::{Scanner, Stop};
use profile::BuildError;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Deref;

/// Why an event is left out, or why nothing can be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum EventError {
    #[error("expected a JSON object")]
    NoObject,
    #[error("{}", reason(.0))]
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

/// A JSON value as written, other than `null`. It is not validated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    pub(super) fn get(self) -> &'a str {
        self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(raw.get()))
    }
}

impl Serialize for Raw<'_> {
    /// # Errors
    /// It is not valid JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.0).map_err(ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// The members of an event that are read. Numbers and ids are kept as written: see [`number`] and
/// [`id`].
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    ph: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    cat: Option<Cow<'a, str>>,
    pub(super) pid: Option<Raw<'a>>,
    pub(super) tid: Option<Raw<'a>>,
    pub(super) ts: Option<Raw<'a>>,
    pub(super) dur: Option<Raw<'a>>,
    /// The duration by the thread's processor time.
    pub(super) tts: Option<Raw<'a>>,
    pub(super) tdur: Option<Raw<'a>>,
    pub(super) id: Option<Raw<'a>>,
    pub(super) id2: Option<Raw<'a>>,
    pub(super) scope: Option<Raw<'a>>,
    pub(super) args: Option<Raw<'a>>,
    /// A stack: the id of its innermost frame (`sf`), or the names of all frames (`stack`).
    pub(super) sf: Option<Raw<'a>>,
    pub(super) stack: Option<Raw<'a>>,
    /// The place of a span, by tracing-chrome.
    pub(super) file: Option<Cow<'a, str>>,
    pub(super) line: Option<Raw<'a>>,
}

impl<'a> Event<'a> {
    /// Decodes the event at the beginning of `bytes`. Also returns its length in bytes.
    ///
    /// # Errors
    /// There is no whole JSON object, or a text has another type.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<(Self, usize), EventError> {
        let mut scanner = Scanner::new(bytes);
        if scanner.peek() != Ok(b'{') {
            return Err(EventError::NoObject);
        }
        let (mut event, mut failed) = (Self::default(), None);
        let scanned = scanner.object(&mut |scanner, key| {
            let value = scanner.value()?;
            event.set(key, value).map_err(|error| {
                failed = Some(error);
                Stop::Enough
            })
        });
        match (failed, scanned) {
            (Some(error), _) => Err(error.into()),
            (None, Err(_)) => Err(EventError::NoObject),
            (None, Ok(())) => Ok((event, scanner.at())),
        }
    }

    fn set(&mut self, key: &[u8], value: &'a [u8]) -> Result<(), serde_json::Error> {
        match key {
            b"ph" => self.ph = text(value)?,
            b"name" => self.name = text(value)?,
            b"cat" => self.cat = text(value)?,
            b"pid" => self.pid = raw(value)?,
            b"tid" => self.tid = raw(value)?,
            b"ts" => self.ts = raw(value)?,
            b"dur" => self.dur = raw(value)?,
            b"tts" => self.tts = raw(value)?,
            b"tdur" => self.tdur = raw(value)?,
            b"id" => self.id = raw(value)?,
            b"id2" => self.id2 = raw(value)?,
            b"scope" => self.scope = raw(value)?,
            b"args" => self.args = raw(value)?,
            b"sf" => self.sf = raw(value)?,
            b"stack" => self.stack = raw(value)?,
            b".file" => self.file = text(value)?,
            b".line" => self.line = raw(value)?,
            _ => {}
        }
        Ok(())
    }
}

/// A text, if the value is not `null`.
fn text(value: &[u8]) -> Result<Option<Cow<'_, str>>, serde_json::Error> {
    if let [b'"', text @ .., b'"'] = value
        && !text.contains(&b'\\')
        && let Ok(text) = str::from_utf8(text)
    {
        return Ok(Some(Cow::Borrowed(text)));
    }
    let text: Option<Text<'_>> = serde_json::from_slice(value)?;
    Ok(text.map(|text| text.0))
}

/// A value as written, if it is not `null`.
fn raw(value: &[u8]) -> Result<Option<Raw<'_>>, serde_json::Error> {
    match str::from_utf8(value) {
        Ok("null") => Ok(None),
        Ok(text) => Ok(Some(Raw(text))),
        // Says what is wrong with it.
        Err(_) => serde_json::from_slice(value),
    }
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
pub(super) fn number(raw: Option<Raw<'_>>) -> Option<f64> {
    id(raw)?.parse().ok().filter(|&number| fits_counter(number))
}

/// A time relative to `base`, which the first time sets. Many clocks count from so long ago that
/// fractions would be lost in an `f64`.
pub(super) fn time(raw: Option<Raw<'_>>, base: &mut Option<i64>) -> Option<f64> {
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
pub(super) fn id(raw: Option<Raw<'_>>) -> Option<&str> {
    let text = raw?.get();
    Some(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_objects_with_texts_and_other_values_as_written() {
        let text = br#"{"ph":"B","name":"a\"b","cat":null,"ts":"1.5","args":{"x":[1]},"y":{}} ,{"ph":"E"}"#;
        let (event, len) = Event::parse(text).unwrap();
        assert_eq!((event.phase(), event.name(), event.category()), ("B", "a\"b", ""));
        assert_eq!((id(event.ts), event.args.map(Raw::get)), (Some("1.5"), Some(r#"{"x":[1]}"#)));
        assert_eq!(&text[len..], br#" ,{"ph":"E"}"#);
        let error = |text: &[u8]| Event::parse(text).unwrap_err().to_string();
        assert_eq!(error(br#"{"name":7}"#), "invalid type: integer `7`, expected a string");
        for text in ["", "7", "[]", r#"{"name":"f""#, r#"{"name" "f"}"#, r#"{"ts":soon}"#] {
            assert_eq!(error(text.as_bytes()), "expected a JSON object", "{text}");
        }
    }

    #[test]
    fn times_keep_their_fractions() {
        let mut base = None;
        let mut times = |text: &str| time(Some(Raw(text)), &mut base);
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
