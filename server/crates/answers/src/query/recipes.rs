//! The programs, tests and benchmarks of a document, each with the commands that record a profile of
//! it.

use super::ask::{Ask, Takes};
use crate::lines::document::Document;
use crate::recipes::{Entry, Source, entries};
use crate::world::context::Context;
use loading::text::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use url::Url;

/// Every text with a program, test or benchmark contains one of these words.
const WORDS: [&str; 7] = ["main", "test", "Test", "TEST", "bench", "BENCH", "describe"];

/// What to list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The document, which must be open.
    pub uri: Url,
}

/// How to record a profile of a program, test or benchmark. Clients run the commands in a terminal,
/// after the user has agreed; the server never runs them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recipe {
    /// The line of the document, 0-based.
    pub line0: u32,
    /// What is recorded: `words`, `test empty_text`.
    pub name: String,
    /// The name of the profiler.
    pub profiler: String,
    /// The command that installs the profiler. Null if it comes with the language.
    pub install: Option<String>,
    /// The folder to run the commands in.
    pub folder: PathBuf,
    /// The commands. Each runs if the one before it succeeded.
    pub commands: Vec<RecipeCommand>,
    /// The commands as one line of text, for display.
    pub text: String,
}

/// A command of a recipe. It is not for a shell: arguments are passed unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecipeCommand {
    /// The program, which is on the PATH, or relative to the folder.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Ask for Question {
    const NAME: &'static str = "recipes";
    const DESCRIPTION: &'static str = "List the programs, tests and benchmarks of a document, each with \
                                       the commands that record a profile of it. Nothing is run.";
    const TAKES: Takes = Takes::Object;
    type Answer = Vec<Recipe>;

    fn answer(self, context: &Context) -> Result<Vec<Recipe>, String> {
        Ok(recipes(context, &self.uri))
    }
}

/// The recipes of an open document in a root, in the order of the text.
pub fn recipes(context: &Context, uri: &Url) -> Vec<Recipe> {
    let Some(document) = context.documents.get(uri) else { return Vec::new() };
    let roots = context.world.roots.iter().filter_map(|root| root.canonicalize().ok());
    let around = roots.filter(|root| document.path.starts_with(root));
    let Some(root) = around.max_by_key(|root| root.components().count()) else {
        return Vec::new();
    };
    of_document(document, &root).into_iter().filter_map(recipe).collect()
}

fn of_document(document: &Document, root: &Path) -> Vec<Entry> {
    let text = document.text.shared();
    // Most texts need not be parsed.
    if !WORDS.iter().any(|word| text.contains(word)) && !text.starts_with("#!") {
        return Vec::new();
    }
    let definitions = document.functions().map_or(&[] as &[_], |functions| functions.all());
    entries(&Source { path: &document.path, root, text: &text, definitions })
}

fn recipe(Entry { line0, name, profiler, folder, commands }: Entry) -> Option<Recipe> {
    let texts: Vec<String> = commands.iter().map(|words| command_text(words)).collect();
    let command = |mut words: Vec<String>| {
        let arguments = words.split_off(1.min(words.len()));
        Some(RecipeCommand { program: words.pop()?, arguments })
    };
    let commands: Option<Vec<_>> = commands.into_iter().map(command).collect();
    Some(Recipe {
        line0,
        name: one_line(&name).into_owned(),
        profiler: profiler.name().to_owned(),
        install: profiler.install().map(str::to_owned),
        folder,
        commands: commands?,
        text: one_line(&texts.join(" && ")).into_owned(),
    })
}

/// A command as one would type it.
pub fn command_text(words: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    let quoted = words.iter().map(|word| {
        if word.chars().all(is_plain) && !word.is_empty() {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
