//! The JSON of [`Choices`] with and without `null`.

use crate::view::options::Choices;
use serde_json::{Value, json};

impl Choices {
    /// These choices as JSON without `null`: the keys to reset are in `reset`.
    pub fn without_nulls(&self) -> Value {
        let mut json = json!(self);
        if let Some(keys) = json.as_object_mut() {
            let reset: Vec<String> = keys
                .iter()
                .filter(|(_, value)| value.is_null())
                .map(|(key, _)| key.clone())
                .collect();
            keys.retain(|_, value| !value.is_null());
            if !reset.is_empty() {
                keys.insert("reset".to_owned(), json!(reset));
            }
        }
        json
    }

    /// These choices with the keys of `reset` as `null`. Fails if there is no such key.
    pub fn with_nulls(mut self) -> Result<Self, String> {
        let reset = std::mem::take(&mut self.reset);
        let mut json = json!(self);
        if let Some(keys) = json.as_object_mut() {
            keys.extend(reset.into_iter().map(|key| (key, Value::Null)));
        }
        serde_json::from_value(json).map_err(|error| error.to_string())
    }
}
