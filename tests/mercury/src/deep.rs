//! Writes data of Mercury's deep profiler, for tests and benchmarks.

use std::collections::HashMap;

/// A deep profile. Nodes refer to each other by index.
#[derive(Debug, Clone, Default)]
pub struct DeepFile {
    /// 8 or 9.
    pub version: u8,
    /// The program.
    pub program: String,
    /// 0: no coverage, 1: counts in procedures, 2: counts in contexts.
    pub coverage: u8,
    /// Clock ticks per second.
    pub ticks_per_second: u64,
    /// Ticks of the profiler itself.
    pub profiler_ticks: u64,
    /// Ticks of the program.
    pub user_ticks: u64,
    /// Call sequence numbers of the run.
    pub callseqs: u64,
    /// The first context.
    pub root: usize,
    /// Procedures.
    pub procs: Vec<DeepProc>,
    /// Contexts.
    pub contexts: Vec<DeepContext>,
    /// Calls between contexts.
    pub calls: Vec<DeepCall>,
}

/// A procedure.
#[derive(Debug, Clone, Default)]
pub struct DeepProc {
    /// Whether it is a function. Its arity includes the result.
    pub is_function: bool,
    /// The module that declares and defines it.
    pub module: String,
    /// Its name.
    pub name: String,
    /// The number of its arguments.
    pub arity: u64,
    /// The file of its first clause.
    pub file: String,
    /// The line of its first clause.
    pub line: u64,
    /// Whether other modules can call it.
    pub exported: bool,
    /// Its call sites.
    pub sites: Vec<DeepSite>,
    /// Its coverage points: goal path, whether it is the begin of a branch, count.
    pub points: Vec<(String, bool, u64)>,
}

/// A call site.
#[derive(Debug, Clone, Default)]
pub struct DeepSite {
    /// 0 normal, 1 special, 2 higher-order, 3 method, 4 callback.
    pub kind: u8,
    /// The procedure that a normal site calls.
    pub callee: usize,
    /// Its file, if it differs from the procedure's (version 9).
    pub file: String,
    /// Its line.
    pub line: u64,
    /// Its goal path.
    pub path: String,
}

/// A procedure in one context.
#[derive(Debug, Clone, Default)]
pub struct DeepContext {
    /// The procedure.
    pub procedure: usize,
    /// The calls from each of the procedure's sites.
    pub slots: Vec<Vec<usize>>,
    /// The counts of coverage points.
    pub counts: Vec<u64>,
}

/// Calls from a site in one context to another context.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeepCall {
    /// The context of the callee.
    pub callee: usize,
    /// What the callee consumed: exits, fails, redos, exceptions, ticks, call sequence numbers,
    /// allocations, words.
    pub counts: [u64; 8],
}

impl DeepProc {
    /// A predicate of the module and file `m`.
    pub fn new(name: &str, arity: u64, line: u64, sites: Vec<DeepSite>) -> Self {
        let (module, name, file) = ("m".to_owned(), name.to_owned(), "m.m".to_owned());
        Self { module, name, arity, file, line, sites, ..Self::default() }
    }

    /// The procedure in which every run begins. It calls the one that the run starts.
    pub fn runtime() -> Self {
        let name = "Mercury runtime".to_owned();
        let site = DeepSite { file: name.clone(), ..DeepSite::new(4, 0, 0, "") };
        let (module, file, exported) = (name.clone(), name.clone(), true);
        Self { module, name, file, exported, sites: vec![site], ..Self::default() }
    }
}

impl DeepSite {
    /// A call site in the file of its procedure.
    pub fn new(kind: u8, callee: usize, line: u64, path: &str) -> Self {
        Self { kind, callee, line, path: path.to_owned(), ..Self::default() }
    }
}

impl DeepContext {
    /// A context with the calls of each site, without counts.
    pub fn new(procedure: usize, slots: &[&[usize]]) -> Self {
        let slots = slots.iter().map(|calls| calls.to_vec()).collect();
        Self { procedure, slots, ..Self::default() }
    }
}

impl DeepFile {
    /// A run whose numbers can be checked by hand. `main` calls `even` at line 5; `even` calls `odd`
    /// three times at line 12, and the function `leaf` six times at line 13, through a closure;
    /// `odd` calls `even` twice at line 22. Each call costs one call sequence number.
    pub fn even_odd() -> Self {
        let site = |kind, callee, line, path| DeepSite::new(kind, callee, line, path);
        let even = vec![site(0, 3, 12, "e;c1;"), site(2, 0, 13, "e;c2;")];
        let call = |callee, calls, ticks, words| DeepCall {
            callee,
            counts: [calls, 0, 0, 0, ticks, calls, words / 5, words],
        };
        Self {
            version: 9,
            program: "./t".to_owned(),
            coverage: 2,
            ticks_per_second: 100,
            profiler_ticks: 2,
            user_ticks: 5,
            callseqs: 13,
            root: 0,
            procs: vec![
                DeepProc::runtime(),
                DeepProc {
                    exported: true,
                    ..DeepProc::new("main", 2, 3, vec![site(0, 2, 5, "c1;")])
                },
                DeepProc {
                    points: vec![("e;".to_owned(), true, 0)],
                    ..DeepProc::new("even", 2, 10, even)
                },
                DeepProc::new("odd", 2, 20, vec![site(0, 2, 22, "c1;")]),
                DeepProc { is_function: true, ..DeepProc::new("leaf", 1, 30, Vec::new()) },
            ],
            contexts: vec![
                DeepContext::new(0, &[&[0]]),
                DeepContext::new(1, &[&[1]]),
                DeepContext { counts: vec![3], ..DeepContext::new(2, &[&[2], &[3]]) },
                DeepContext::new(3, &[&[4]]),
                DeepContext::new(4, &[]),
            ],
            calls: vec![
                call(1, 1, 0, 0),
                call(2, 1, 0, 0),
                call(3, 3, 0, 0),
                call(4, 6, 4, 10),
                call(2, 2, 1, 0),
            ],
        }
    }

    /// The bytes of the file. Contexts and calls get ids by first mention, as in the runtime.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Out(Vec::new());
        out.0.extend(format!("Mercury deep profiler data version {}\n", self.version).bytes());
        out.text(&self.program);
        out.fixed(0x108 | u64::from(self.coverage) << 12 | 0x100);
        let n_sites: usize = self.procs.iter().map(|procedure| procedure.sites.len()).sum();
        for n in [self.calls.len(), n_sites, self.contexts.len(), self.procs.len()] {
            out.fixed(n as u64);
        }
        for number in [self.ticks_per_second, self.profiler_ticks, self.user_ticks, self.callseqs] {
            out.number(number);
        }
        let (mut contexts, mut calls) = (Ids::default(), Ids::default());
        out.number(contexts.of(self.root));
        self.write_contexts(&mut out, &mut contexts, &mut calls);
        let mut next_site = 1;
        for (index, procedure) in self.procs.iter().enumerate() {
            self.write_proc(&mut out, index, procedure, &mut next_site);
        }
        out.0
    }

    /// Each context, followed by its calls, each followed by its callee's context unless that has
    /// been written before.
    fn write_contexts(&self, out: &mut Out, contexts: &mut Ids, calls: &mut Ids) {
        enum Step {
            Context(usize),
            Call(usize),
        }
        let mut written = vec![false; self.contexts.len()];
        let mut open = vec![Step::Context(self.root)];
        while let Some(step) = open.pop() {
            match step {
                Step::Context(index) if written[index] => {}
                Step::Context(index) => {
                    written[index] = true;
                    self.write_context(out, index, contexts, calls);
                    let slots = self.contexts[index].slots.iter().flatten();
                    let below: Vec<Step> = slots.map(|&call| Step::Call(call)).collect();
                    open.extend(below.into_iter().rev());
                }
                Step::Call(index) => {
                    let call = &self.calls[index];
                    out.0.push(2);
                    out.number(calls.of(index));
                    out.number(contexts.of(call.callee));
                    out.counts(&call.counts);
                    open.push(Step::Context(call.callee));
                }
            }
        }
    }

    fn write_context(&self, out: &mut Out, index: usize, contexts: &mut Ids, calls: &mut Ids) {
        let context = &self.contexts[index];
        let procedure = &self.procs[context.procedure];
        out.0.push(4);
        out.number(contexts.of(index));
        out.number(context.procedure as u64 + 1);
        out.number(context.slots.len() as u64);
        if self.coverage == 2 {
            out.number(procedure.points.len() as u64);
            for point in 0..procedure.points.len() {
                out.number(context.counts.get(point).copied().unwrap_or(0));
            }
        }
        for (slot, site) in context.slots.iter().zip(&procedure.sites) {
            out.0.push(site.kind);
            for &call in slot {
                out.number(calls.of(call));
            }
            if site.kind != 0 || slot.is_empty() {
                out.0.push(0);
            }
        }
    }

    fn write_proc(&self, out: &mut Out, index: usize, procedure: &DeepProc, next_site: &mut u64) {
        out.0.push(3);
        out.number(index as u64 + 1);
        out.0.push(u8::from(procedure.is_function));
        out.text(&procedure.module);
        out.text(&procedure.module);
        out.text(&procedure.name);
        out.number(procedure.arity);
        out.number(0);
        out.text(&procedure.file);
        out.number(procedure.line);
        out.0.push(u8::from(procedure.exported));
        out.number(procedure.sites.len() as u64);
        let first_site = *next_site;
        for site in first_site..first_site + procedure.sites.len() as u64 {
            out.number(site);
        }
        if self.coverage != 0 {
            out.number(procedure.points.len() as u64);
            for (path, is_branch, count) in &procedure.points {
                out.text(path);
                out.number(u64::from(*is_branch));
                if self.coverage == 1 {
                    out.number(*count);
                }
            }
        }
        for site in &procedure.sites {
            out.0.push(1);
            out.number(*next_site);
            *next_site += 1;
            out.0.push(site.kind);
            if site.kind == 0 {
                out.number(site.callee as u64 + 1);
                out.text("");
            }
            if self.version >= 9 {
                out.text(&site.file);
            }
            out.number(site.line);
            out.text(&site.path);
        }
    }
}

/// Ids by first mention, from 1.
#[derive(Default)]
struct Ids(HashMap<usize, u64>);

impl Ids {
    fn of(&mut self, index: usize) -> u64 {
        let next = self.0.len() as u64 + 1;
        *self.0.entry(index).or_insert(next)
    }
}

struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, number: u64) {
        let groups = (64 - number.leading_zeros()).div_ceil(7).max(1);
        for group in (0..groups).rev() {
            let more = if group > 0 { 0x80 } else { 0 };
            self.0.push((number >> (7 * group) & 0x7f) as u8 | more);
        }
    }

    fn fixed(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.bytes());
    }

    fn counts(&mut self, counts: &[u64; 8]) {
        const BITS: [u64; 8] = [0x002, 0x004, 0x040, 0x080, 0x100, 0x008, 0x010, 0x020];
        let present = || BITS.iter().zip(counts).filter(|(_, count)| **count > 0);
        self.number(present().map(|(bit, _)| bit).sum());
        for (_, &count) in present() {
            self.number(count);
        }
    }
}

/// A run of a program, with contexts as Mercury's runtime creates them: a procedure that is called
/// while it is active continues in the context of its active call, unless a closure or method of
/// its own is being called.
#[derive(Debug)]
pub struct DeepRun {
    /// The profile so far.
    pub file: DeepFile,
    stack: Vec<Active>,
    /// The context of the active call of each procedure.
    active: Vec<Option<usize>>,
}

#[derive(Debug)]
struct Active {
    context: usize,
    call: Option<usize>,
    /// The procedures whose active context was replaced, and the context before.
    restore: Vec<(usize, Option<usize>)>,
}

impl DeepRun {
    /// A run of these procedures. The first one starts it.
    pub fn new(version: u8, procs: Vec<DeepProc>) -> Self {
        let active = vec![None; procs.len()];
        let file = DeepFile {
            version,
            program: "./test".to_owned(),
            coverage: 2,
            ticks_per_second: 100,
            procs,
            ..DeepFile::default()
        };
        let mut run = Self { file, stack: Vec::new(), active };
        let context = run.new_context(0);
        run.stack.push(Active { context, call: None, restore: Vec::new() });
        run
    }

    /// The number of active calls.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The procedure that runs.
    pub fn current(&self) -> usize {
        self.stack.last().map_or(0, |top| self.file.contexts[top.context].procedure)
    }

    /// Calls from a site of the procedure that runs. `callee` is used by sites that are not normal.
    pub fn call(&mut self, site: usize, callee: usize) {
        let Some(top) = self.stack.last() else { return };
        let (caller, procedure) = (top.context, self.file.contexts[top.context].procedure);
        let DeepSite { kind, callee: stated, .. } = self.file.procs[procedure].sites[site];
        let callee = if kind == 0 { stated } else { callee };
        let mut restore = Vec::new();
        if kind == 2 || kind == 3 {
            restore.push((procedure, self.active[procedure].take()));
        }
        let known = self.file.contexts[caller].slots[site]
            .iter()
            .copied()
            .find(|&call| self.file.contexts[self.file.calls[call].callee].procedure == callee);
        let call = known.unwrap_or_else(|| {
            let context = self.active[callee].unwrap_or_else(|| self.new_context(callee));
            self.file.calls.push(DeepCall { callee: context, ..DeepCall::default() });
            let call = self.file.calls.len() - 1;
            self.file.contexts[caller].slots[site].push(call);
            call
        });
        let context = self.file.calls[call].callee;
        restore.push((callee, self.active[callee]));
        self.active[callee] = Some(context);
        self.stack.push(Active { context, call: Some(call), restore });
        // A call consumes a call sequence number.
        self.spend(5, 1);
        self.file.callseqs += 1;
    }

    /// Adds to a count of the running call: 4 ticks, 5 call sequence numbers, 6 allocations,
    /// 7 words.
    pub fn spend(&mut self, count: usize, amount: u64) {
        if let Some(call) = self.stack.last().and_then(|top| top.call) {
            self.file.calls[call].counts[count] += amount;
            self.file.user_ticks += if count == 4 { amount } else { 0 };
        }
    }

    /// Returns from the running call: 0 with an exit, 1 with a failure, 3 with an exception.
    pub fn end(&mut self, how: usize) {
        if self.stack.len() < 2 {
            return;
        }
        if let Some(top) = self.stack.pop() {
            if let Some(call) = top.call {
                self.file.calls[call].counts[how] += 1;
            }
            for (procedure, before) in top.restore.into_iter().rev() {
                self.active[procedure] = before;
            }
        }
    }

    fn new_context(&mut self, procedure: usize) -> usize {
        let slots = vec![Vec::new(); self.file.procs[procedure].sites.len()];
        let counts = vec![0; self.file.procs[procedure].points.len()];
        self.file.contexts.push(DeepContext { procedure, slots, counts });
        self.file.contexts.len() - 1
    }
}
