//! Schemas of messages: those of the protocol in `lsp.schema.json`, generated from the types of its
//! reference implementation, and our own in `docs/commands.schema.json`.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Registry, ValidationError, Validator};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The URI of a document in its own references.
const DOCUMENT: &str = "urn:document";

/// Schemas by method (or command) and part: `params`, `result`, `registerOptions`, `arguments`.
pub struct Schema {
    document: Value,
    registry: Registry<'static>,
    /// The JSON pointer to the methods.
    methods: &'static str,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

/// The schema of the protocol.
pub static LSP: LazyLock<Schema> =
    LazyLock::new(|| Schema::new(include_str!("lsp.schema.json"), "/definitions/Lsp/properties"));

/// Our own schema.
pub static OWN: LazyLock<Schema> =
    LazyLock::new(|| Schema::new(include_str!("../../docs/commands.schema.json"), "/properties"));

impl Schema {
    fn new(document: &str, methods: &'static str) -> Self {
        let document: Value = serde_json::from_str(document).expect("a schema is JSON");
        let registry = Registry::new()
            .add(DOCUMENT, document.clone())
            .and_then(jsonschema::RegistryBuilder::prepare);
        Self {
            document,
            registry: registry.expect("its references resolve"),
            methods,
            compiled: Mutex::default(),
        }
    }

    /// Whether there is such a method.
    pub fn has(&self, method: &str) -> bool {
        self.document.pointer(&self.at(method)).is_some()
    }

    /// Checks a part of a message. `None` stands for a missing part.
    pub fn faults(&self, method: &str, part: &str, value: Option<&Value>) -> Vec<String> {
        let methods = self.at(method);
        let Some(shape) = self.document.pointer(&methods) else {
            return vec![format!("{method}: there is no such method")];
        };
        let Some(value) = value else {
            let is_required = shape["required"]
                .as_array()
                .is_some_and(|required| required.contains(&json!(part)));
            return is_required.then(|| format!("{method}: no {part}")).into_iter().collect();
        };
        let pointer = format!("{methods}/properties/{part}");
        if self.document.pointer(&pointer).is_none() {
            return vec![format!("{method}: {part}, which it does not have: {}", shown(value))];
        }
        let validator = self.validator(&pointer);
        let faults = validator.iter_errors(value).map(|error| {
            let error = deepest(&error);
            format!("{method}: {part}{}: {}", error.instance_path(), cut(&error.to_string()))
        });
        faults.collect()
    }

    fn at(&self, method: &str) -> String {
        format!("{}/{}", self.methods, method.replace('~', "~0").replace('/', "~1"))
    }

    /// A compiled schema; each is compiled once per process.
    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            // A pointer is the fragment of a URI. All characters in names of methods are allowed
            // there.
            let schema = json!({ "$schema": self.document["$schema"], "$ref": format!("{DOCUMENT}#{pointer}") });
            let validator = jsonschema::options().with_registry(&self.registry).build(&schema);
            Arc::new(validator.unwrap_or_else(|error| panic!("{pointer} is not a schema: {error}")))
        };
        compiled.entry(pointer.to_owned()).or_insert_with(compile).clone()
    }
}

/// If a value matches none of several alternatives, the error of the closest one.
fn deepest<'a>(error: &'a ValidationError<'a>) -> &'a ValidationError<'a> {
    let ValidationErrorKind::AnyOf { context } = error.kind() else { return error };
    let deepest = context
        .iter()
        .flatten()
        .map(deepest)
        .max_by_key(|error| error.instance_path().to_string().matches('/').count());
    deepest.unwrap_or(error)
}

/// A value as quoted in messages.
pub fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(400).collect();
    if shown.len() < text.len() { shown + " …" } else { shown }
}
