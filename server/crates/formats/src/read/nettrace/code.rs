//! Which method is at an address.
//!
//! The runtime says where methods are when it has compiled them (`MethodLoadVerbose`) and, of all there are, when
//! the trace ends (`MethodDCEndVerbose`). Names are those that dotnet-trace writes: namespace, class, method and the
//! types of the parameters.

use super::bytes::Bytes;
use crate::read::dotnet;
use profile::JitTier;
use rustc_hash::FxHashMap;

/// An address of a process.
pub(super) type Address = (u64, u64);

/// The code of a method.
#[derive(Debug, Clone)]
pub(super) struct Method {
    pid: u64,
    start: u64,
    end: u64,
    pub(super) name: String,
    module: Module,
    pub(super) tier: JitTier,
}

#[derive(Debug, Clone)]
enum Module {
    /// A module or a mapping of the process.
    Id(u64),
    Name(String),
}

/// The methods and modules of all processes.
#[derive(Debug, Default)]
pub(super) struct Code {
    methods: Vec<Method>,
    /// Paths by process and id.
    modules: FxHashMap<(u64, u64), String>,
}

impl Code {
    /// Adds the method in the payload of an event.
    pub(super) fn add_method(&mut self, pid: u64, mut payload: Bytes<'_>) -> Option<()> {
        let (_method, module, start) = (payload.u64()?, payload.u64()?, payload.u64()?);
        let (size, _token, flags) = (payload.u32()?, payload.u32()?, payload.u32()?);
        let [namespace, name, signature] = [payload.wide()?, payload.wide()?, payload.wide()?];
        let parameters = signature.find('(').map_or("", |at| &signature[at..]);
        self.methods.push(Method {
            pid,
            start,
            end: start.saturating_add(size.into()),
            name: format!("{namespace}.{name}{parameters}"),
            module: Module::Id(module),
            tier: dotnet::tier_of_flags(flags),
        });
        Some(())
    }

    /// Adds the module in the payload of an event.
    pub(super) fn add_module(
        &mut self,
        pid: u64,
        skipped: usize,
        mut payload: Bytes<'_>,
    ) -> Option<()> {
        let id = payload.u64()?;
        payload.take(skipped)?;
        self.modules.insert((pid, id), payload.wide()?);
        Some(())
    }

    /// Adds the mapping in the payload of an event of Linux.
    pub(super) fn add_mapping(&mut self, pid: u64, mut payload: Bytes<'_>) -> Option<()> {
        let (id, _start, _end, _offset) =
            (payload.var()?, payload.var()?, payload.var()?, payload.var()?);
        self.modules.insert((pid, id), payload.short_text()?);
        Some(())
    }

    /// Adds the symbol in the payload of an event of Linux. Methods are spelled as in perf's maps.
    pub(super) fn add_symbol(&mut self, pid: u64, mut payload: Bytes<'_>) -> Option<()> {
        let (_id, mapping, start, last) =
            (payload.var()?, payload.var()?, payload.var()?, payload.var()?);
        let symbol = payload.short_text()?;
        let (name, module, tier) = match dotnet::of_perf_map(&symbol) {
            Some((name, module, tier)) => (name, Module::Name(module.to_owned()), tier),
            None => (symbol, Module::Id(mapping), JitTier::Unknown),
        };
        self.methods.push(Method { pid, start, end: last.saturating_add(1), name, module, tier });
        Some(())
    }

    /// Prepares for [`Self::method`].
    pub(super) fn sort(&mut self) {
        self.methods.sort_by_key(|method| (method.pid, method.start));
    }

    /// The method at an address: of several, the one that was named last.
    pub(super) fn method(&self, (pid, address): Address) -> Option<&Method> {
        let behind =
            self.methods.partition_point(|method| (method.pid, method.start) <= (pid, address));
        let method = self.methods.get(behind.checked_sub(1)?)?;
        (method.pid == pid && address < method.end).then_some(method)
    }

    /// The path of a method's module, or its name without an extension.
    pub(super) fn module<'a>(&'a self, method: &'a Method) -> &'a str {
        match &method.module {
            Module::Id(id) => self.modules.get(&(method.pid, *id)).map_or("", String::as_str),
            Module::Name(name) => name,
        }
    }
}
