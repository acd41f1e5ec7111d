//! The values of choices, each with its documentation, which is that of the type.

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One of the values of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<T> {
    /// The value.
    pub value: T,
    /// Its name in JSON, on the command line and in settings.
    pub name: String,
    /// What it means, without a full stop.
    pub help: String,
}

/// The values of a type that is one of several names, in their order.
pub fn values<T: JsonSchema + DeserializeOwned>() -> Vec<Named<T>> {
    let schema = schema_for!(T).to_value();
    let one_of = schema["oneOf"].as_array().into_iter().flatten();
    let named = |of: &Value| {
        let name = of["const"].as_str()?.to_owned();
        let help = of["description"].as_str().unwrap_or_default().trim_end_matches('.').to_owned();
        Some(Named { value: serde_json::from_value(of["const"].clone()).ok()?, name, help })
    };
    one_of.filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loading::Inlines;

    #[test]
    fn values_have_their_names_and_their_documentation() {
        let named = |value, name: &str, help: &str| Named {
            value,
            name: name.to_owned(),
            help: help.to_owned(),
        };
        let body = named(Inlines::Body, "body", "On the lines of the inlined function");
        let call_site =
            "On the line of the outermost inlined call, in the function that was compiled";
        let call_site = named(Inlines::CallSite, "callSite", call_site);
        assert_eq!(values::<Inlines>(), [body, call_site]);
    }
}
