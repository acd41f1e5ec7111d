//! Names that samply 0.13 writes beside a profile (`profile.json.syms.json`, by `--unstable-presymbolicate`).
//!
//! Its lines and inlined functions are left alone: they are those of whichever address of a function came first, the same for all
//! the others.

use crate::Id;
use profile::Lib;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Larger sidecars are refused.
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
    /// The name of the function at each address, in `strings`.
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
    /// Addresses, and the rows of their functions in the table.
    known_addresses: Vec<(u64, usize)>,
}

#[derive(Deserialize)]
struct Function {
    rva: u64,
    symbol: usize,
}

impl Sidecar {
    /// Reads a sidecar.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("the sidecar is larger than {} MiB", MAX_BYTES >> 20));
        }
        let malformed = |why| format!("the sidecar is not what samply 0.13 writes: {why}");
        let File { string_table, data } = serde_json::from_slice(bytes).map_err(|why| malformed(why.to_string()))?;
        let libs = data.into_iter().enumerate().map(|(nth, lib)| {
            let FileLib { debug_id, code_id, symbol_table, known_addresses } = lib;
            let names = known_addresses.into_iter().map(|(address, row)| {
                let function = symbol_table.get(row).filter(|function| function.rva <= address);
                let function = function.filter(|function| function.symbol < string_table.len());
                let missing = || malformed(format!("data[{nth}] has no function for the known address {address:#x}"));
                Ok((address, function.ok_or_else(missing)?.symbol))
            });
            let names = names.collect::<Result<_, String>>()?;
            Ok(SidecarLib { id: Id::new(&debug_id, &code_id.unwrap_or_default()), names })
        });
        let libs = libs.collect::<Result<_, String>>()?;
        Ok(Self { strings: string_table, libs })
    }

    /// What it says of a library.
    pub(crate) fn lib(&self, lib: &Lib) -> Option<Names<'_>> {
        let wanted = Id::of(lib);
        let lib = self.libs.iter().find(|lib| lib.id.agrees_with(&wanted))?;
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
