//! The arguments of commands.

use answers::document::path_of;
pub use answers::json::read;
use lsp_types::Url;
#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;

/// A type with a JSON Schema. Outside of tests, which generate the schemas in `docs/`, every type
/// implements it.
#[cfg(not(test))]
pub trait Described {}
#[cfg(not(test))]
impl<T> Described for T {}
/// A type with a JSON Schema.
#[cfg(test)]
pub trait Described: JsonSchema {}
#[cfg(test)]
impl<T: JsonSchema> Described for T {}

/// The arguments of a command, in order.
pub trait Arguments: Sized + Send + 'static {
    /// Parses them. The error is a message for users.
    fn parse(given: &[Value]) -> Result<Self, String>;

    /// The schema of each argument, and whether it is required.
    #[cfg(test)]
    fn schemas(generator: &mut SchemaGenerator) -> Vec<(Schema, bool)>;
}

/// One argument.
pub trait Argument: Sized + Send + 'static {
    /// Parses it; `None` means that the client sent fewer arguments.
    fn parse(given: Option<&Value>) -> Result<Self, String>;

    /// Its schema, and whether it is required.
    #[cfg(test)]
    fn schema(generator: &mut SchemaGenerator) -> (Schema, bool);
}

impl Arguments for () {
    fn parse(given: &[Value]) -> Result<Self, String> {
        at_most(given, 0)
    }

    #[cfg(test)]
    fn schemas(_: &mut SchemaGenerator) -> Vec<(Schema, bool)> {
        Vec::new()
    }
}

impl<A: Argument> Arguments for (A,) {
    fn parse(given: &[Value]) -> Result<Self, String> {
        at_most(given, 1)?;
        Ok((A::parse(given.first())?,))
    }

    #[cfg(test)]
    fn schemas(generator: &mut SchemaGenerator) -> Vec<(Schema, bool)> {
        vec![A::schema(generator)]
    }
}

impl<A: Argument, B: Argument> Arguments for (A, B) {
    fn parse(given: &[Value]) -> Result<Self, String> {
        at_most(given, 2)?;
        Ok((A::parse(given.first())?, B::parse(given.get(1))?))
    }

    #[cfg(test)]
    fn schemas(generator: &mut SchemaGenerator) -> Vec<(Schema, bool)> {
        vec![A::schema(generator), B::schema(generator)]
    }
}

/// Checks that there are at most `max` arguments. Further nulls are accepted, because some clients
/// append them.
pub fn at_most(given: &[Value], max: usize) -> Result<(), String> {
    match given.iter().skip(max).find(|argument| !argument.is_null()) {
        None => Ok(()),
        Some(_) if max == 0 => Err("takes no arguments".to_owned()),
        Some(_) if max == 1 => Err("takes one argument".to_owned()),
        Some(_) => Err(format!("takes at most {max} arguments")),
    }
}

/// A required argument.
#[derive(Debug)]
pub struct Required<T>(pub T);

impl<T: DeserializeOwned + Described + Send + 'static> Argument for Required<T> {
    fn parse(given: Option<&Value>) -> Result<Self, String> {
        read_first(given.unwrap_or(&Value::Null)).map(Self)
    }

    #[cfg(test)]
    fn schema(generator: &mut SchemaGenerator) -> (Schema, bool) {
        (generator.subschema_for::<T>(), true)
    }
}

/// An optional argument; `null` means the same as no argument.
#[derive(Debug)]
pub struct Optional<T>(pub Option<T>);

impl<T: DeserializeOwned + Described + Send + 'static> Argument for Optional<T> {
    fn parse(given: Option<&Value>) -> Result<Self, String> {
        given.filter(|given| !given.is_null()).map(read_first).transpose().map(Self)
    }

    #[cfg(test)]
    fn schema(generator: &mut SchemaGenerator) -> (Schema, bool) {
        (generator.subschema_for::<Option<T>>(), false)
    }
}

/// A string or an object.
#[derive(Debug)]
pub enum TextOr<T> {
    /// A string.
    Text(String),
    /// An object.
    Object(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self::Text(text)),
            object @ Value::Object(_) => read(&object).map(Self::Object).map_err(D::Error::custom),
            other => {
                Err(D::Error::custom(format!("expected a string or an object, found {other}")))
            }
        }
    }
}

#[cfg(test)]
impl<T: JsonSchema> JsonSchema for TextOr<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("TextOr{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [{"type": "string"}, generator.subschema_for::<T>()]})
    }
}

/// A path, relative to the workspace folder.
pub type PathArgument = TextOr<PathObject>;

/// A path in an object.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PathObject {
    /// The path, relative to the workspace folder; null for none.
    pub path: Option<PathBuf>,
}

impl PathArgument {
    /// The path, if there is one. A text may also be a `file:` URI.
    pub fn path(self) -> Option<PathBuf> {
        match self {
            // A path cannot begin like this unless it is a URI.
            Self::Text(text) => {
                let uri = Url::parse(&text).ok().filter(|uri| uri.scheme() == "file");
                Some(uri.as_ref().and_then(path_of).unwrap_or_else(|| text.into()))
            }
            Self::Object(PathObject { path }) => path,
        }
    }
}

/// Reads a whole argument. Lists are errors; serde would read them as the fields of a struct.
fn read_first<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    if value.is_array() {
        return Err("expected an object, found a list".to_owned());
    }
    read(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use answers::Choices;
    use serde_json::json;

    fn error<T: DeserializeOwned + std::fmt::Debug>(value: &Value) -> String {
        read::<T>(value).unwrap_err()
    }

    #[test]
    fn errors_name_the_key_and_what_was_expected() {
        assert_eq!(
            error::<answers::HotSpotsQuestion>(&json!({"limt": 1})),
            "unknown key `limt`, expected one of `by`, `sort`, `scope`, `filter`, `perCall`, `minPercent`, `min`, `limit`, `module`"
        );
        assert_eq!(
            error::<answers::CallTreeQuestion>(&json!({"path": [{"name": "f", "libb": "x"}]})),
            "unknown key `libb` in `path[0]`, expected one of `name`, `file`, `lib`, `start`"
        );
        assert_eq!(
            error::<answers::CallTreeQuestion>(&json!({"path": [{"file": "f"}]})),
            "the key `name` in `path[0]` is missing"
        );
        assert_eq!(
            error::<answers::CallTreeQuestion>(&json!({"depth": "2"})),
            "`depth`: expected a whole number from 0, found string \"2\""
        );
        assert_eq!(
            error::<answers::HotSpotsQuestion>(&json!({"by": "folder"})),
            "`by`: unknown value `folder`, expected one of `function`, `line`, `edge`, `file`, `module`, `package`, `library`, `thread`, `label`, `clique`, `field`"
        );
        assert_eq!(
            error::<Choices>(&json!({"threads": "main"})),
            "`threads`: expected a list, found string \"main\""
        );
        assert_eq!(
            error::<Choices>(&json!({"baseline": 7})),
            "`baseline`: a path, true (the profile shown now) or null"
        );
        assert_eq!(error::<Choices>(&Value::Null), "expected an object, found null");
        assert_eq!(
            error::<answers::ExplainQuestion>(&json!({"line": 1})),
            "the key `uri` is missing"
        );
        assert_eq!(
            error::<PathArgument>(&json!({"paht": "a"})),
            "unknown key `paht`, expected `path`"
        );
        assert_eq!(
            error::<PathArgument>(&json!({"path": 7})),
            "`path`: expected a path, found integer `7`"
        );
        assert_eq!(error::<PathArgument>(&json!(7)), "expected a string or an object, found 7");
    }

    #[test]
    fn extra_arguments_are_errors_unless_they_are_null() {
        type One = (Optional<answers::HotSpotsQuestion>,);
        assert!(<() as Arguments>::parse(&[Value::Null]).is_ok());
        assert_eq!(<() as Arguments>::parse(&[json!({})]).unwrap_err(), "takes no arguments");
        assert!(<One as Arguments>::parse(&[]).is_ok_and(|(Optional(given),)| given.is_none()));
        let two = <One as Arguments>::parse(&[json!({}), json!({})]);
        assert_eq!(two.unwrap_err(), "takes one argument");
    }
}
