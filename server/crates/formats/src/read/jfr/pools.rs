//! The constants of a chunk: stacks, methods, classes, threads. Events and constants refer to them by type
//! and number. They are in check points, which may follow the events that need them.

use super::chunk::Event;
use super::cursor::{Cursor, Text};
use super::types::{Types, Value};
use profile::JitTier;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The constants of a chunk that costs need, by number.
#[derive(Debug, Default)]
pub(super) struct Pools {
    texts: FxHashMap<i64, String>,
    symbols: FxHashMap<i64, String>,
    modules: FxHashMap<i64, i64>,
    packages: FxHashMap<i64, i64>,
    classes: FxHashMap<i64, Class>,
    methods: FxHashMap<i64, Method>,
    frame_types: FxHashMap<i64, String>,
    thread_states: FxHashMap<i64, String>,
    threads: FxHashMap<i64, JavaThread>,
    stacks: FxHashMap<i64, Stack>,
    /// The frames of all stacks, one after the other.
    frames: Vec<StackFrame>,
}

#[derive(Debug, Clone, Copy)]
struct Class {
    name: i64,
    package: i64,
}

#[derive(Debug, Clone, Copy)]
struct Method {
    class: i64,
    name: i64,
}

/// A stack: its frames in the list of all, innermost first.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    /// Whether the outermost frames are missing.
    pub(super) is_cut: bool,
    frames: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StackFrame {
    pub(super) method: i64,
    /// 1-based; below 1 if it is not known.
    pub(super) line: i32,
    pub(super) kind: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct JavaThread {
    /// Empty for virtual threads that have none.
    pub(super) name: String,
    /// That of the operating system. 0 for virtual threads.
    pub(super) tid: i64,
    pub(super) is_virtual: bool,
}

/// How a frame was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameKind {
    /// Whether it is of the program itself or of a library in machine code, and not of Java.
    pub(super) is_native: bool,
    pub(super) is_inlined: bool,
    pub(super) tier: JitTier,
}

/// The constants of one type in a check point.
struct Pool<'t, 'c, 'a> {
    types: &'t Types,
    type_id: i64,
    count: usize,
    cursor: &'c mut Cursor<'a>,
}

impl Pool<'_, '_, '_> {
    /// Calls `add` with the number and the wanted fields of each constant.
    fn each<const N: usize>(
        self,
        wanted: [&str; N],
        mut add: impl FnMut(i64, [Value<'_>; N]),
    ) -> Option<()> {
        let layout = self.types.layout(self.type_id, wanted);
        for _ in 0..self.count {
            add(self.cursor.long()?, layout.read(self.cursor)?);
        }
        Some(())
    }
}

impl Pools {
    /// Adds the constants of a check point. `None` if it is malformed; those before that are added.
    pub(super) fn add(&mut self, types: &Types, event: &Event<'_>) -> Option<()> {
        let mut cursor = event.payload;
        let _start = cursor.long()?;
        let _duration = cursor.long()?;
        let _before = cursor.long()?;
        let _kinds = cursor.byte()?;
        for _ in 0..cursor.count()? {
            let type_id = cursor.long()?;
            self.add_pool(types, type_id, &mut cursor)?;
        }
        Some(())
    }

    fn add_pool(&mut self, types: &Types, type_id: i64, cursor: &mut Cursor<'_>) -> Option<()> {
        let pool = Pool { types, type_id, count: cursor.count()?, cursor };
        match types.name(type_id) {
            "java.lang.String" => self.add_texts(pool),
            "jdk.types.Symbol" => pool.each(["string"], |key, [name]| {
                self.symbols.insert(key, self.text(name));
            }),
            "jdk.types.FrameType" => pool.each(["description"], |key, [name]| {
                self.frame_types.insert(key, self.text(name));
            }),
            "jdk.types.ThreadState" => pool.each(["name"], |key, [name]| {
                self.thread_states.insert(key, self.text(name));
            }),
            "jdk.types.Module" => pool.each(["name"], |key, [name]| {
                self.modules.insert(key, name.number());
            }),
            "jdk.types.Package" => pool.each(["module"], |key, [module]| {
                self.packages.insert(key, module.number());
            }),
            "java.lang.Class" => pool.each(["name", "package"], |key, [name, package]| {
                let class = Class { name: name.number(), package: package.number() };
                self.classes.insert(key, class);
            }),
            "jdk.types.Method" => pool.each(["type", "name"], |key, [class, name]| {
                let method = Method { class: class.number(), name: name.number() };
                self.methods.insert(key, method);
            }),
            "java.lang.Thread" => {
                let fields = ["osName", "osThreadId", "javaName", "virtual"];
                pool.each(fields, |key, [os_name, tid, name, is_virtual]| {
                    let is_virtual = is_virtual.number() != 0;
                    let name = Some(self.text(name)).filter(|name| is_virtual || !name.is_empty());
                    let name = name.unwrap_or_else(|| self.text(os_name));
                    let tid = if is_virtual { 0 } else { tid.number() };
                    self.threads.insert(key, JavaThread { name, tid, is_virtual });
                })
            }
            "jdk.types.StackTrace" => self.add_stacks(pool),
            // Its constants have an unknown length.
            "" => None,
            _ => pool.each([], |_, []| ()),
        }
    }

    fn add_texts(&mut self, Pool { count, cursor, .. }: Pool<'_, '_, '_>) -> Option<()> {
        for _ in 0..count {
            if let (key, Text::Inline(text)) = (cursor.long()?, cursor.text()?) {
                self.texts.insert(key, text.into_owned());
            }
        }
        Some(())
    }

    fn add_stacks(&mut self, pool: Pool<'_, '_, '_>) -> Option<()> {
        let types = pool.types;
        let frame = types.id("jdk.types.StackFrame").unwrap_or_default();
        let frame = types.layout(frame, ["method", "lineNumber", "type"]);
        let outer = *pool.cursor;
        pool.each(["truncated", "frames"], |key, [is_cut, frames]| {
            let start = self.frames.len();
            let Value::Bytes(bytes) = frames else { return };
            let mut cursor = outer.within(bytes);
            let count = cursor.count().unwrap_or(0);
            self.frames.extend((0..count).map_while(|_| {
                let [method, line, kind] = frame.read(&mut cursor)?.map(|value| value.number());
                Some(StackFrame { method, line: line as i32, kind })
            }));
            let frames = start..self.frames.len();
            self.stacks.insert(key, Stack { is_cut: is_cut.number() != 0, frames });
        })
    }

    /// The text of a field. Empty if it has none.
    pub(super) fn text(&self, value: Value<'_>) -> String {
        match value {
            Value::Text(Text::Inline(text)) => text.into_owned(),
            Value::Text(Text::Pooled(key)) => self.texts.get(&key).cloned().unwrap_or_default(),
            _ => String::new(),
        }
    }

    pub(super) fn stack(&self, key: i64) -> Option<&Stack> {
        self.stacks.get(&key)
    }

    /// The frames of a stack, innermost first.
    pub(super) fn frames(&self, stack: &Stack) -> &[StackFrame] {
        self.frames.get(stack.frames.clone()).unwrap_or_default()
    }

    pub(super) fn thread(&self, key: i64) -> Option<&JavaThread> {
        self.threads.get(&key)
    }

    /// The state of a thread (`STATE_RUNNABLE`).
    pub(super) fn thread_state(&self, key: i64) -> &str {
        name(&self.thread_states, key)
    }

    /// The names of a method: that of its class, with slashes, and its own.
    pub(super) fn method(&self, key: i64) -> Option<(&str, &str)> {
        let method = self.methods.get(&key)?;
        let class = self.classes.get(&method.class).map_or(0, |class| class.name);
        Some((name(&self.symbols, class), name(&self.symbols, method.name)))
    }

    /// The module of the class of a method. Empty without one.
    pub(super) fn module(&self, method: i64) -> &str {
        let name_of = || {
            let class = self.classes.get(&self.methods.get(&method)?.class)?;
            let module = self.packages.get(&class.package)?;
            Some(name(&self.symbols, *self.modules.get(module)?))
        };
        name_of().unwrap_or_default()
    }

    /// Whether async-profiler wrote the chunk: frames of its kernel have a kind of their own.
    pub(super) fn is_by_async_profiler(&self) -> bool {
        self.frame_types.values().any(|name| name == "Kernel")
    }

    pub(super) fn kind(&self, key: i64) -> FrameKind {
        let (is_native, is_inlined, tier) = match name(&self.frame_types, key) {
            "Interpreted" => (false, false, JitTier::Interpreter),
            "JIT compiled" => (false, false, JitTier::Jit),
            "C1 compiled" => (false, false, JitTier::C1),
            "Inlined" => (false, true, JitTier::Jit),
            // Native methods of Java, or functions in C.
            "Native" => (self.is_by_async_profiler(), false, JitTier::Unknown),
            "C++" | "Kernel" => (true, false, JitTier::Unknown),
            _ => (false, false, JitTier::Unknown),
        };
        FrameKind { is_native, is_inlined, tier }
    }
}

fn name(names: &FxHashMap<i64, String>, key: i64) -> &str {
    names.get(&key).map_or("", String::as_str)
}
