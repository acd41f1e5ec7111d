//! JSON that `node --prof-process --preprocess` makes of a log.

use super::code::{Code, Codes, Kind, Positions};
use super::file::{File, Tick};
use crate::error::ReadError;
use crate::read::shared::json;
use profile::JitTier;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Deserialize)]
struct Json<'a> {
    #[serde(borrow)]
    code: Vec<CodeRow<'a>>,
    #[serde(borrow)]
    functions: Vec<FunctionRow<'a>>,
    ticks: Vec<TickRow>,
    #[serde(borrow, default)]
    scripts: Vec<Option<ScriptRow<'a>>>,
}

#[derive(Deserialize)]
struct CodeRow<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    r#type: Cow<'a, str>,
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    source: Option<SourceRow<'a>>,
}

#[derive(Deserialize)]
struct SourceRow<'a> {
    script: u32,
    #[serde(borrow, default)]
    positions: Cow<'a, str>,
    #[serde(borrow, default)]
    inlined: Cow<'a, str>,
    #[serde(default)]
    fns: Vec<Option<usize>>,
}

#[derive(Deserialize)]
struct FunctionRow<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct TickRow {
    #[serde(default)]
    tm: u64,
    #[serde(default)]
    vm: usize,
    /// Code and offset in turn, the leaf first; -1 and an address if the code is not known.
    s: Vec<i64>,
}

#[derive(Deserialize)]
struct ScriptRow<'a> {
    #[serde(borrow, default)]
    url: Cow<'a, str>,
    /// The same in older versions; in newer ones the name without folders.
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    source: Cow<'a, str>,
}

pub(super) fn read(bytes: &[u8]) -> Result<File, ReadError> {
    let json: Json<'_> = json::decode(bytes)?;
    let mut codes = Codes::default();
    for (id, script) in (0..).zip(json.scripts) {
        if let Some(ScriptRow { url, name, source }) = script {
            let name = if url.is_empty() { name } else { url };
            codes.add_script(id, name.into_owned(), source.into_owned());
        }
    }
    let names: Vec<Arc<str>> = json.functions.into_iter().map(|row| row.name.into()).collect();
    let name = |number: &Option<usize>| number.and_then(|at| names.get(at).cloned());
    for row in json.code {
        let positions = row.source.map(|of| {
            let functions = of.fns.iter().map(|number| name(number).unwrap_or_default());
            Positions::parse(of.script, &of.positions, &of.inlined, functions.collect())
        });
        let (kind, name): (Kind, Arc<str>) = match &*row.r#type {
            "JS" => (Kind::Js(tier(&row.kind)), row.name.into()),
            "SHARED_LIB" => (Kind::Library, row.name.into()),
            "CODE" => (Kind::Native, format!("{}: {}", row.kind, row.name).into()),
            _ => (Kind::Native, row.name.into()),
        };
        codes.all.push(Code { kind, name, positions });
    }
    let n_codes = codes.all.len();
    let place = |pair: &[i64]| {
        let code = usize::try_from(pair[0]).ok().filter(|code| *code < n_codes)?;
        Some((code, u64::try_from(pair[1]).unwrap_or_default()))
    };
    let tick = |row: TickRow| Tick {
        microseconds: row.tm,
        state: row.vm,
        stack: row.s.chunks_exact(2).map(place).collect(),
    };
    let ticks = json.ticks.into_iter().map(tick).collect();
    Ok(File { codes, ticks, is_complete: true })
}

fn tier(kind: &str) -> JitTier {
    match kind {
        "Unopt" => JitTier::Interpreter,
        "Sparkplug" => JitTier::Baseline,
        "Maglev" => JitTier::Maglev,
        "Opt" => JitTier::TurboFan,
        _ => JitTier::Unknown,
    }
}
