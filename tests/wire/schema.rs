//! The shapes of messages: the protocol's own from `lsp.schema.json`, made from the types of its reference implementation; the
//! project's own from `docs/commands.schema.json`.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Registry, ValidationError, Validator};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// What a document is called among its own references.
const DOCUMENT: &str = "urn:document";

/// Shapes by method (or command) and part: `params`, `result`, `registerOptions`, `arguments`.
pub struct Schema {
    document: Value,
    registry: Registry<'static>,
    /// Where its methods are.
    methods: &'static str,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

/// The protocol's.
pub static LSP: LazyLock<Schema> = LazyLock::new(|| Schema::new(include_str!("lsp.schema.json"), "/definitions/Lsp/properties"));

/// The project's.
pub static OWN: LazyLock<Schema> = LazyLock::new(|| Schema::new(include_str!("../../docs/commands.schema.json"), "/properties"));

impl Schema {
    fn new(document: &str, methods: &'static str) -> Self {
        let document: Value = serde_json::from_str(document).expect("a schema is JSON");
        let registry = Registry::new().add(DOCUMENT, document.clone()).and_then(jsonschema::RegistryBuilder::prepare);
        Self { document, registry: registry.expect("its references lead somewhere"), methods, compiled: Mutex::default() }
    }

    /// Whether there is such a method.
    pub fn knows(&self, method: &str) -> bool {
        self.document.pointer(&self.at(method)).is_some()
    }

    /// What is wrong with a part of a message; `None` for one that is not there.
    pub fn faults(&self, method: &str, part: &str, value: Option<&Value>) -> Vec<String> {
        let methods = self.at(method);
        let Some(shape) = self.document.pointer(&methods) else { return vec![format!("{method}: no such method is known")] };
        let Some(value) = value else {
            let is_required = shape["required"].as_array().is_some_and(|required| required.contains(&json!(part)));
            return is_required.then(|| format!("{method}: no {part}")).into_iter().collect();
        };
        let pointer = format!("{methods}/properties/{part}");
        if self.document.pointer(&pointer).is_none() {
            return vec![format!("{method}: {part}, though it has none: {}", shown(value))];
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

    /// Compiled once per process.
    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            // The pointer is a fragment of a URI: of what methods have in their names, all may stand in one.
            let schema = json!({ "$schema": self.document["$schema"], "$ref": format!("{DOCUMENT}#{pointer}") });
            let validator = jsonschema::options().with_registry(&self.registry).build(&schema);
            Arc::new(validator.unwrap_or_else(|error| panic!("{pointer} is no schema: {error}")))
        };
        compiled.entry(pointer.to_owned()).or_insert_with(compile).clone()
    }
}

/// Of what fits none of several shapes: why it does not fit the one that it comes nearest to.
fn deepest<'a>(error: &'a ValidationError<'a>) -> &'a ValidationError<'a> {
    let ValidationErrorKind::AnyOf { context } = error.kind() else { return error };
    let deepest =
        context.iter().flatten().map(deepest).max_by_key(|error| error.instance_path().to_string().matches('/').count());
    deepest.unwrap_or(error)
}

/// A value as faults quote it.
pub fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(400).collect();
    if shown.len() < text.len() { shown + " …" } else { shown }
}
