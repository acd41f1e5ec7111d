//! Keeps results short, because models read them in full.

use serde::Serialize;
use serde_json::Value;

/// Answers are shorter than this, in bytes of JSON.
pub const MAX_LENGTH: usize = 20_000;
/// Longer names and lines are cut.
const MAX_NAME: usize = 500;

/// The answer with at most `most` rows, or as many as fit.
pub fn fit<T: Serialize>(
    mut most: usize,
    mut answer: impl FnMut(usize) -> Result<T, String>,
) -> Result<Value, String> {
    loop {
        let value = serde_json::to_value(answer(most)?).map_err(|error| error.to_string())?;
        if fits(&value) {
            return Ok(value);
        }
        if most <= 1 {
            return Err(format!(
                "the response would be longer than {MAX_LENGTH} characters; request less"
            ));
        }
        most /= 2;
    }
}

/// Whether an answer is short enough.
pub fn fits(answer: &impl Serialize) -> bool {
    serde_json::to_string(answer).is_ok_and(|text| text.len() < MAX_LENGTH)
}

/// A name or line of normal length.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_NAME) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
