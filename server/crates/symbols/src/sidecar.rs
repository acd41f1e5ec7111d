//! Names that samply 0.13 writes beside a profile (`profile.json.syms.json`, with
//! `--unstable-presymbolicate`).
//!
//! Its lines and inlined functions are ignored: they belong to the first address of a function and
//! are repeated for all others.

use crate::Id;
use profile::Lib;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::fmt::Display;

/// Larger sidecars are rejected.
const MAX_BYTES: usize = 1 << 30;

/// The names in a sidecar.
#[derive(Debug)]
pub struct Sidecar {
    strings: Vec<String>,
    libs: Vec<SidecarLib>,
}

#[derive(Debug)]
struct SidecarLib {
    id: Id,
    /// For each address its function's name, as an index into `strings`.
    names: FxHashMap<u64, usize>,
}

#[derive(Deserialize)]
struct File {
    string_table: Vec<String>,
    data: Vec<FileLib>,
}

#[derive(Deserialize)]
struct FileLib {
    debug_id: String,
    #[serde(default)]
    code_id: Option<String>,
    symbol_table: Vec<Function>,
    /// Addresses with the row of their function in the table.
    known_addresses: Vec<(u64, usize)>,
}

#[derive(Deserialize)]
struct Function {
    rva: u64,
    symbol: usize,
}

impl Sidecar {
    /// Parses a sidecar.
    ///
    /// # Errors
    /// Describes in one sentence what is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("the sidecar is larger than {} MiB", MAX_BYTES >> 20));
        }
        let malformed =
            |why: &dyn Display| format!("the sidecar is not what samply 0.13 writes: {why}");
        let File { string_table, data } =
            serde_json::from_slice(bytes).map_err(|why| malformed(&why))?;
        let mut libs = Vec::with_capacity(data.len());
        for (i, FileLib { debug_id, code_id, symbol_table, known_addresses }) in
            data.into_iter().enumerate()
        {
            let mut names = FxHashMap::default();
            for (address, row) in known_addresses {
                let name = symbol_table
                    .get(row)
                    .filter(|function| function.rva <= address)
                    .map(|function| function.symbol)
                    .filter(|&name| name < string_table.len())
                    .ok_or_else(|| {
                        malformed(&format_args!(
                            "data[{i}] has no function for the known address {address:#x}"
                        ))
                    })?;
                names.insert(address, name);
            }
            libs.push(SidecarLib { id: Id::new(&debug_id, &code_id.unwrap_or_default()), names });
        }
        Ok(Self { strings: string_table, libs })
    }

    /// The names of a library.
    pub(crate) fn lib(&self, lib: &Lib) -> Option<Names<'_>> {
        let id = Id::of(lib);
        let lib = self.libs.iter().find(|lib| lib.id.agrees_with(&id))?;
        Some(Names { strings: &self.strings, lib })
    }
}

/// The names of one library.
pub(crate) struct Names<'a> {
    strings: &'a [String],
    lib: &'a SidecarLib,
}

impl<'a> Names<'a> {
    pub fn name(&self, address: u64) -> Option<&'a str> {
        self.strings.get(*self.lib.names.get(&address)?).map(String::as_str)
    }
}
