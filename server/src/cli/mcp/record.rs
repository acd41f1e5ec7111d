//! `record`: how to record a profile of this project.

use super::pages::{PAGES, Page};
use super::project::Project;
use super::tool::Query;
use super::view::View;
use answers::{Advice, Language, advice, index_sources};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What to explain.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// The name of a page in `pages`. Default: the best one for the project.
    page: Option<String>,
}

/// How to record a profile.
#[derive(Debug, Serialize)]
pub struct Recording {
    /// What the newest profile lacks, and how to record a better one. Missing if there is no profile,
    /// or it lacks nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    /// The languages of the project, most files first.
    languages: Vec<LanguageFiles>,
    /// The pages for these languages, or all if there are none, the best first.
    pages: Vec<PageName>,
    /// The page as Markdown.
    text: &'static str,
}

/// A language of the project.
#[derive(Debug, Serialize)]
struct LanguageFiles {
    /// Its name.
    language: String,
    /// The number of files.
    files: usize,
}

/// A page about recording.
#[derive(Debug, Serialize)]
struct PageName {
    /// Its name.
    name: &'static str,
    /// Its heading.
    title: &'static str,
    /// Its resource.
    uri: String,
}

/// `record`.
pub struct HowToRecord;

impl Query for HowToRecord {
    const NAME: &'static str = "record";
    const DESCRIPTION: &'static str = "Explain how to record a profile of this project: the page \
                                       about the best profiler for its languages, with the \
                                       commands. Nothing is run.";
    const LIMIT: usize = 30;
    const HAS_COSTS: bool = false;
    type Arguments = Question;
    type Answer = Recording;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Recording, String> {
        let languages = languages(project);
        let rank = |page: &Page| {
            languages.iter().position(|(name, _)| page.languages.contains(&name.as_str()))
        };
        let mut fitting: Vec<&Page> = PAGES.iter().filter(|page| rank(page).is_some()).collect();
        fitting.sort_by_key(|page| rank(page));
        if fitting.is_empty() {
            fitting = PAGES.iter().collect();
        }
        let shown = match &question.page {
            None => fitting.first().copied(),
            Some(name) => PAGES.iter().find(|page| page.name == name),
        };
        let shown = shown.ok_or_else(|| {
            let names: Vec<_> = PAGES.iter().map(|page| page.name).collect();
            format!("unknown page; expected one of {}", names.join(", "))
        })?;
        // Without a profile, there is no advice about it.
        let opened = project.open(view).ok();
        let advice = opened.and_then(|opened| match advice(&opened.snapshot)? {
            Advice::Record(text) => Some(text),
            Advice::FindFiles => None,
        });
        let name = |page: &Page| PageName { name: page.name, title: page.title(), uri: page.uri() };
        let of = |(language, files)| LanguageFiles { language, files };
        Ok(Recording {
            advice,
            pages: fitting.into_iter().take(most).map(name).collect(),
            languages: languages.into_iter().map(of).collect(),
            text: shown.text,
        })
    }
}

/// The number of files in each language of the project, most first.
fn languages(project: &Project) -> Vec<(String, usize)> {
    let index = index_sources(&project.roots, &project.settings().costs().sources);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for language in index.workspace_files().filter_map(Language::of_path) {
        *counts.entry(format!("{language:?}")).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, files)| Reverse(*files));
    counts
}
