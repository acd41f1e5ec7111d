//! What addresses mean, kept over reloads: a rewritten profile of the same binary asks for new addresses only.

use crate::{Found, Frame, Id, Search, Sidecar, names};
use profile::{AddressBase, Level, Lib};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// So many addresses and levels are kept in all libraries together, at some tens of bytes each.
const MAX_KEPT: usize = 4_000_000;

/// How many addresses are looked up between two calls of `observe`.
const OBSERVED: usize = 1024;

/// How names of generic functions are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Generics {
    /// With their type arguments.
    #[default]
    Keep,
    /// Without ([`crate::collapse_generics`]).
    Collapse,
}

/// What is known of a library.
#[derive(Debug, Clone)]
pub struct LibSymbols {
    found: Found,
    /// Where the levels of each address begin in `rows` and how many they are: none where nothing is known of it.
    known: FxHashMap<u64, (u32, u32)>,
    rows: Vec<Row>,
    names: Texts,
    /// By name: without generics, where that is another.
    collapsed: Vec<Option<Box<str>>>,
    files: Texts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    name: u32,
    file: Option<u32>,
    line: u32,
    declared: Option<(u32, u32)>,
}

impl LibSymbols {
    /// Which file was read, or why there is none.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// The functions that an address lies in, the physical one first and the innermost inlined one last; none if nothing is
    /// known of it.
    pub fn levels(&self, address: u64, generics: Generics) -> impl Iterator<Item = Level<'_>> {
        self.rows(address).iter().map(move |row| {
            let name = self.names.get(row.name);
            let collapsed = || self.collapsed.get(row.name as usize)?.as_deref();
            Level {
                name: if generics == Generics::Collapse { collapsed().unwrap_or(name) } else { name },
                file: row.file.map(|file| self.files.get(file)),
                line: row.line,
                declared: row.declared.map(|(file, line)| (self.files.get(file), line)),
            }
        })
    }

    /// Whether nothing better than what was found can be there: debug info, with all of its files.
    pub fn is_complete(&self) -> bool {
        match &self.found {
            Found::DebugInfo { lacks, .. } => lacks.is_empty(),
            found => matches!(found, Found::Kernel { .. }),
        }
    }

    /// Whether an address was looked up.
    pub fn is_asked(&self, address: u64) -> bool {
        self.known.contains_key(&address)
    }

    /// How many addresses have a function.
    pub fn n_resolved(&self) -> usize {
        self.known.values().filter(|(_, n)| *n > 0).count()
    }

    /// How many addresses were looked up.
    pub fn n_asked(&self) -> usize {
        self.known.len()
    }

    /// What somebody else knows: the function of each address.
    pub fn of<'a>(found: Found, functions: impl IntoIterator<Item = (u64, Option<Level<'a>>)>) -> Self {
        let mut this = Self::new(found);
        for (address, level) in functions {
            let frame = level.map(|Level { name, file, line, declared }| Frame {
                name: name.into(),
                file: file.map(str::to_owned),
                line,
                declared: declared.map(|(file, line)| (file.into(), line)),
            });
            this.add(address, frame.into_iter().collect());
        }
        this
    }

    fn new(found: Found) -> Self {
        let (known, rows, collapsed) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self { found, known, rows, names: Texts::default(), collapsed, files: Texts::default() }
    }

    fn rows(&self, address: u64) -> &[Row] {
        let (start, n) = self.known.get(&address).copied().unwrap_or_default();
        self.rows.get(start as usize..(start + n) as usize).unwrap_or_default()
    }

    /// Puts down what is known of an address, unless that is nothing and more was known before.
    fn add(&mut self, address: u64, frames: Vec<Frame>) {
        let start = self.rows.len();
        for frame in frames {
            let name = self.names.intern(&frame.name);
            if name as usize == self.collapsed.len() {
                let collapsed = names::collapse_generics(&frame.name);
                self.collapsed.push((*collapsed != *frame.name).then(|| collapsed.into()));
            }
            let file = frame.file.map(|file| self.files.intern(&tidy(&file)));
            let declared = frame.declared.map(|(file, line)| (self.files.intern(&tidy(&file)), line));
            self.rows.push(Row { name, file, line: frame.line, declared });
        }
        let known = self.known.get(&address).copied().unwrap_or_default();
        let is_known = self.rows(address) == &self.rows[start..];
        if is_known || (self.rows.len() == start && known.1 > 0) {
            self.rows.truncate(start);
            self.known.insert(address, known);
        } else {
            self.known.insert(address, (start as u32, (self.rows.len() - start) as u32));
        }
    }

    fn size(&self) -> usize {
        self.known.len() + self.rows.len()
    }
}

/// An absolute path without its detours (`/a/b/../c`): compilers spell one file in several ways.
fn tidy(path: &str) -> Cow<'_, str> {
    if !path.starts_with('/') || !path.split('/').any(|part| part == "." || part == "..") {
        return Cow::Borrowed(path);
    }
    let mut parts = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    Cow::Owned(format!("/{}", parts.join("/")))
}

/// Texts without equal ones.
#[derive(Debug, Clone, Default)]
struct Texts {
    all: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, u32>,
}

impl Texts {
    fn get(&self, id: u32) -> &str {
        self.all.get(id as usize).map_or("", |text| text)
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.all.len() as u32;
        let text: Arc<str> = text.into();
        self.all.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}

/// What is known of libraries, by their ids.
#[derive(Debug, Default)]
pub struct Cache {
    /// The one that was used last stands last.
    libs: Mutex<Vec<(Key, Arc<LibSymbols>)>>,
}

type Key = (Id, AddressBase);

impl Cache {
    /// What is known of a library, without touching files. Nothing of a library without id: it may have been built anew.
    pub fn known(&self, lib: &Lib) -> Option<Arc<LibSymbols>> {
        let key = key(lib)?;
        let libs = self.libs.lock().unwrap_or_else(PoisonError::into_inner);
        libs.iter().find(|(other, _)| *other == key).map(|(_, symbols)| symbols.clone())
    }

    /// Looks up those addresses of a library that are not known. Its files are searched again while there was nothing better
    /// than names. `observe` hears how many of how many addresses are done, and may end it; what was found is kept.
    pub fn resolve(
        &self,
        lib: &Lib,
        addresses: &[u64],
        search: &Search<'_>,
        sidecar: Option<&Sidecar>,
        observe: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Arc<LibSymbols> {
        let mut symbols =
            self.known(lib).unwrap_or_else(|| Arc::new(LibSymbols::new(Found::Missing { recorded: lib.path.clone() })));
        let is_complete = symbols.is_complete();
        let is_asked = |address: &&u64| !is_complete || !symbols.known.contains_key(*address);
        let asked: Vec<u64> = addresses.iter().filter(is_asked).copied().collect();
        if asked.is_empty() {
            return symbols;
        }
        let new = Arc::make_mut(&mut symbols);
        let mut n_done = 0;
        let mut take = |address, frames: Vec<Frame>| {
            new.add(address, frames);
            n_done += 1;
            if n_done % OBSERVED == 0 { observe(n_done, asked.len()) } else { ControlFlow::Continue(()) }
        };
        new.found = look_up(lib, &asked, search, &mut take);
        if n_done == 0 {
            for &address in &asked {
                new.add(address, Vec::new());
            }
        }
        if let Some(sidecar) = sidecar.and_then(|sidecar| sidecar.lib(lib))
            && !new.found.has_lines()
        {
            let mut is_used = false;
            for address in asked {
                if let Some(name) = sidecar.name(address).filter(|_| new.rows(address).is_empty()) {
                    new.add(address, vec![Frame { name: name.into(), file: None, line: 0, declared: None }]);
                    is_used = true;
                }
            }
            if is_used {
                let instead_of = std::mem::replace(&mut new.found, Found::Disabled);
                new.found = Found::Sidecar { instead_of: Box::new(instead_of) };
            }
        }
        // What was not found is looked for again; a list of it would only be long.
        if let Some(key) = key(lib).filter(|_| symbols.n_resolved() > 0) {
            self.keep(key, symbols.clone());
        }
        symbols
    }

    fn keep(&self, key: Key, symbols: Arc<LibSymbols>) {
        let mut libs = self.libs.lock().unwrap_or_else(PoisonError::into_inner);
        libs.retain(|(other, _)| *other != key);
        libs.push((key, symbols));
        let mut size: usize = libs.iter().map(|(_, symbols)| symbols.size()).sum();
        while size > MAX_KEPT && libs.len() > 1 {
            size -= libs.remove(0).1.size();
        }
    }
}

fn key(lib: &Lib) -> Option<Key> {
    Some(Id::of(lib)).filter(|id| !id.is_empty()).map(|id| (id, lib.addresses))
}

#[cfg(feature = "debug-info")]
use crate::debug_info::look_up;

#[cfg(not(feature = "debug-info"))]
fn look_up(_: &Lib, addresses: &[u64], _: &Search<'_>, take: &mut dyn FnMut(u64, Vec<Frame>) -> ControlFlow<()>) -> Found {
    for &address in addresses {
        if take(address, Vec::new()).is_break() {
            break;
        }
    }
    Found::Disabled
}
