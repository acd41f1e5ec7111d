//! Resolved addresses, cached across reloads: a rewritten profile of the same binary has to look up
//! only new addresses.

use crate::frame::Frame;
use crate::{Id, LibStatus, Md5, Search, Sidecar, names};
use profile::{AddressBase, JitTier, Level, Lib};
use rustc_hash::FxHashMap;
use std::fs;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// The limit for addresses and levels in all libraries together, at some tens of bytes each.
const MAX_KEPT: usize = 4_000_000;

/// The number of addresses between two calls of `observe`.
const OBSERVED: usize = 1024;

/// How to show names of generic functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Generics {
    /// With their type arguments.
    #[default]
    Keep,
    /// Without type arguments ([`crate::collapse_generics`]).
    Collapse,
}

/// The symbols of a library, as far as they were looked up.
#[derive(Debug, Clone)]
pub struct LibSymbols {
    status: LibStatus,
    /// The range of each address's levels in `rows`: start and length. Empty if the address has no
    /// symbol.
    addresses: FxHashMap<u64, (u32, u32)>,
    rows: Vec<Row>,
    names: Texts,
    /// For each name the name without generics, if that differs.
    collapsed: Vec<Option<Box<str>>>,
    files: Texts,
    /// The files of paths with `.` or `..`, as indexes into `files`.
    with_dots: FxHashMap<Box<str>, u32>,
    /// The checksums of files, by the index in `files`.
    checksums: FxHashMap<u32, Md5>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    name: u32,
    file: Option<u32>,
    line: u32,
    declared: Option<(u32, u32)>,
    tier: JitTier,
}

impl LibSymbols {
    /// Which file was read, or why there is none.
    pub fn status(&self) -> &LibStatus {
        &self.status
    }

    /// The functions that an address is in, the physical one first and the innermost inlined one
    /// last. Empty if the address has no symbol.
    pub fn levels(&self, address: u64, generics: Generics) -> impl Iterator<Item = Level<'_>> {
        self.rows(address).iter().map(move |row| Level {
            name: self.name(row.name, generics),
            file: row.file.map(|file| self.files.get(file)),
            line: row.line,
            declared: row.declared.map(|(file, line)| (self.files.get(file), line)),
            tier: row.tier,
        })
    }

    /// The files with a checksum, named as in [`Level::file`].
    pub fn checksums(&self) -> impl Iterator<Item = (&str, Md5)> {
        self.checksums.iter().map(|(&file, &md5)| (self.files.get(file), md5))
    }

    fn name(&self, name: u32, generics: Generics) -> &str {
        match (generics, self.collapsed.get(name as usize)) {
            (Generics::Collapse, Some(Some(collapsed))) => collapsed,
            _ => self.names.get(name),
        }
    }

    /// Whether a new search cannot find anything better: debug info with all of its files, or the
    /// kernel's list.
    pub fn is_complete(&self) -> bool {
        match &self.status {
            LibStatus::DebugInfo { missing, .. } => missing.is_empty(),
            status => matches!(status, LibStatus::Kernel { .. }),
        }
    }

    /// Whether an address was looked up.
    pub fn is_looked_up(&self, address: u64) -> bool {
        self.addresses.contains_key(&address)
    }

    /// The number of addresses with a function.
    pub fn n_resolved(&self) -> usize {
        self.addresses.values().filter(|(_, n)| *n > 0).count()
    }

    /// The number of addresses that were looked up.
    pub fn n_looked_up(&self) -> usize {
        self.addresses.len()
    }

    /// Symbols from another source: the function of each address.
    pub fn from_functions<'a>(
        status: LibStatus,
        functions: impl IntoIterator<Item = (u64, Option<Level<'a>>)>,
    ) -> Self {
        let mut this = Self::new(status);
        for (address, level) in functions {
            let frame = level.map(|Level { name, file, line, declared, tier }| Frame {
                name: name.into(),
                file: file.map(str::to_owned),
                line,
                declared: declared.map(|(file, line)| (file.into(), line)),
                tier,
            });
            this.add(address, frame.into_iter().collect());
        }
        this
    }

    fn new(status: LibStatus) -> Self {
        let (addresses, rows, collapsed) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self {
            status,
            addresses,
            rows,
            names: Texts::default(),
            collapsed,
            files: Texts::default(),
            with_dots: FxHashMap::default(),
            checksums: FxHashMap::default(),
        }
    }

    fn rows(&self, address: u64) -> &[Row] {
        let (start, n) = self.addresses.get(&address).copied().unwrap_or_default();
        self.rows.get(start as usize..(start + n) as usize).unwrap_or_default()
    }

    /// Stores the frames of an address, unless they are empty and the address has some already.
    fn add(&mut self, address: u64, frames: Vec<Frame>) {
        let start = self.rows.len();
        for frame in frames {
            let name = self.names.intern(&frame.name);
            if name as usize == self.collapsed.len() {
                let collapsed = names::collapse_generics(&frame.name);
                self.collapsed.push((*collapsed != *frame.name).then(|| collapsed.into()));
            }
            let file = frame.file.map(|file| self.file(&file));
            let declared = frame.declared.map(|(file, line)| (self.file(&file), line));
            self.rows.push(Row { name, file, line: frame.line, declared, tier: frame.tier });
        }
        let old = self.addresses.get(&address).copied().unwrap_or_default();
        let is_unchanged = self.rows(address) == &self.rows[start..];
        if is_unchanged || (self.rows.len() == start && old.1 > 0) {
            self.rows.truncate(start);
            self.addresses.insert(address, old);
        } else {
            self.addresses.insert(address, (start as u32, (self.rows.len() - start) as u32));
        }
    }

    /// Interns the path of a file.
    fn file(&mut self, path: &str) -> u32 {
        if !has_dots(path) {
            return self.files.intern(path);
        }
        if let Some(&file) = self.with_dots.get(path) {
            return file;
        }
        let is_link =
            |folder: &str| fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
        let file = self.files.intern(&normalize(path, is_link));
        self.with_dots.insert(path.into(), file);
        file
    }

    fn size(&self) -> usize {
        self.addresses.len() + self.rows.len()
    }
}

fn has_dots(path: &str) -> bool {
    path.starts_with('/') && path.split('/').any(|part| part == "." || part == "..")
}

/// Resolves `.` and `..` in an absolute path, because compilers spell one file in several ways. Not
/// the `..` after a link, which leads to the parent of its target.
fn normalize(path: &str, is_link: impl Fn(&str) -> bool) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." | "" => {}
            ".." if parts.last() != Some(&"..") && !is_link(&format!("/{}", parts.join("/"))) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Interned strings.
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

/// The symbols of libraries, by their ids.
#[derive(Debug, Default)]
pub struct Cache {
    /// The least recently used one first.
    libs: Mutex<Vec<(Key, Arc<LibSymbols>)>>,
}

type Key = (Id, AddressBase);

impl Cache {
    /// The cached symbols of a library, without touching files. `None` for a library without an id,
    /// because it may have been rebuilt.
    pub fn get(&self, lib: &Lib) -> Option<Arc<LibSymbols>> {
        let key = key(lib)?;
        let libs = self.libs.lock().unwrap_or_else(PoisonError::into_inner);
        libs.iter().find(|(other, _)| *other == key).map(|(_, symbols)| symbols.clone())
    }

    /// Looks up those addresses of a library that are not cached. As long as only names were found,
    /// its files are searched again. `observe` gets the number of finished addresses and of all,
    /// and may cancel the rest; what was found until then is kept.
    pub fn resolve(
        &self,
        lib: &Lib,
        addresses: &[u64],
        search: &Search<'_>,
        sidecar: Option<&Sidecar>,
        observe: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Arc<LibSymbols> {
        let mut symbols = self.get(lib).unwrap_or_else(|| {
            Arc::new(LibSymbols::new(LibStatus::Missing { recorded: lib.path.clone() }))
        });
        let is_complete = symbols.is_complete();
        let needs_lookup =
            |address: &&u64| !is_complete || !symbols.addresses.contains_key(*address);
        let pending: Vec<u64> = addresses.iter().filter(needs_lookup).copied().collect();
        if pending.is_empty() {
            return symbols;
        }
        let new = Arc::make_mut(&mut symbols);
        let mut n_done = 0;
        let mut take = |address, frames: Vec<Frame>| {
            new.add(address, frames);
            n_done += 1;
            if n_done % OBSERVED == 0 {
                observe(n_done, pending.len())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut checksums = Vec::new();
        new.status = look_up(lib, &pending, search, &mut take, &mut checksums);
        for (file, md5) in checksums {
            let file = new.file(&file);
            new.checksums.insert(file, md5);
        }
        if n_done == 0 {
            for &address in &pending {
                new.add(address, Vec::new());
            }
        }
        if let Some(sidecar) = sidecar.and_then(|sidecar| sidecar.lib(lib))
            && !new.status.has_lines()
        {
            let mut is_used = false;
            for address in pending {
                if let Some(name) = sidecar.name(address).filter(|_| new.rows(address).is_empty()) {
                    new.add(address, vec![Frame::named(name.into())]);
                    is_used = true;
                }
            }
            if is_used {
                let instead_of = std::mem::replace(&mut new.status, LibStatus::Disabled);
                new.status = LibStatus::Sidecar { instead_of: Box::new(instead_of) };
            }
        }
        // A library without any symbol is searched again anyway, so its addresses need no entries.
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
fn look_up(
    _: &Lib,
    addresses: &[u64],
    _: &Search<'_>,
    take: &mut dyn FnMut(u64, Vec<Frame>) -> ControlFlow<()>,
    _: &mut Vec<(String, Md5)>,
) -> LibStatus {
    for &address in addresses {
        if take(address, Vec::new()).is_break() {
            break;
        }
    }
    LibStatus::Disabled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_unless_a_link_precedes_them() {
        let is_link = |folder: &str| folder == "/home/build";
        let cases = [
            ("/a/./b//c.c", "/a/b/c.c"),
            ("/a/b/../../c.c", "/c.c"),
            ("/../c.c", "/c.c"),
            ("/home/build/../src/x.c", "/home/build/../src/x.c"),
            ("/home/build/../../x.c", "/home/build/../../x.c"),
            ("/home/build/obj/../x.c", "/home/build/x.c"),
        ];
        for (path, expected) in cases {
            assert_eq!(normalize(path, is_link), expected, "{path}");
        }
    }
}
