//! Writes representations of programs (`Deep.procrep`), for tests.

/// How a file begins, before its version.
const MAGIC: &[u8] = b"Mercury deep profiler procrep version ";

/// A goal of a body. Names and arguments of calls and unifications are made up.
#[derive(Debug, Clone)]
#[must_use]
pub struct Written {
    code: u8,
    /// Whether a scope cuts or a switch cannot fail.
    flag: u8,
    determinism: u8,
    file: &'static str,
    line: u32,
    parts: Vec<Written>,
}

const DET: u8 = 6;

impl Written {
    /// Sets how often it can succeed, as its code in the file.
    pub fn determinism(self, determinism: u8) -> Self {
        Self { determinism, ..self }
    }

    /// It succeeds at most once.
    pub fn semidet(self) -> Self {
        self.determinism(2)
    }

    /// It can succeed any number of times.
    pub fn nondet(self) -> Self {
        self.determinism(3)
    }

    /// Places it in another file than the procedure.
    pub fn in_file(self, file: &'static str) -> Self {
        Self { file, ..self }
    }
}

/// A goal by its code. `flag` says whether a scope cuts or a switch cannot fail.
pub fn goal(code: u8, flag: u8, parts: Vec<Written>) -> Written {
    Written { code, flag, determinism: DET, file: "", line: 0, parts }
}

/// A goal without parts: code 7 to 19.
pub fn atomic(code: u8, line: u32) -> Written {
    Written { line, ..goal(code, 0, Vec::new()) }
}

/// A conjunction.
pub fn conjunction(parts: Vec<Written>) -> Written {
    goal(1, 0, parts)
}

/// A disjunction.
pub fn disjunction(parts: Vec<Written>) -> Written {
    goal(2, 0, parts)
}

/// A switch that cannot fail.
pub fn switch(parts: Vec<Written>) -> Written {
    goal(3, 1, parts)
}

/// An if-then-else.
pub fn if_then_else(condition: Written, then: Written, otherwise: Written) -> Written {
    goal(4, 0, vec![condition, then, otherwise])
}

/// A negation.
pub fn negation(part: Written) -> Written {
    goal(5, 0, vec![part])
}

/// A scope.
pub fn scope(cuts: bool, part: Written) -> Written {
    goal(6, u8::from(cuts), vec![part])
}

/// A unification that succeeds once.
pub fn assignment(line: u32) -> Written {
    atomic(11, line)
}

/// A unification that can fail.
pub fn test(line: u32) -> Written {
    atomic(13, line).semidet()
}

/// A call of a procedure.
pub fn call(line: u32) -> Written {
    atomic(17, line)
}

/// Options of [`write()`].
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// 5 or 6.
    pub version: u8,
    /// The width of variables: 1, 2 or 4 bytes as 0, 1 or 2.
    pub width: u8,
    /// In version 6, whether variables have names.
    pub names: bool,
    /// In version 6, whether variables have types; only with names.
    pub types: bool,
}

/// A file with one module, `m`, and predicates of file `m.m` by name.
pub fn write(options: Options, predicates: &[(&str, Written)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend([b'0' + options.version, b'\n', 1]);
    text(&mut out, b"m");
    let mut writer = Writer { options, strings: b"\0m.m\0".to_vec(), out: Vec::new() };
    for (name, body) in predicates {
        writer.predicate(name, body);
    }
    text(&mut out, &writer.strings);
    if options.version >= 6 {
        // No types with operations of their own, and two types that are skipped.
        out.extend([0, 2, 0, 0, 0, 6, 0xaa, 0xbb]);
    }
    out.append(&mut writer.out);
    out.extend([0, 0]);
    out
}

fn number(out: &mut Vec<u8>, number: usize) {
    for shift in (1..10).rev().map(|group| group * 7) {
        if number >> shift != 0 {
            out.push((number >> shift & 0x7f) as u8 | 0x80);
        }
    }
    out.push((number & 0x7f) as u8);
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    number(out, text.len());
    out.extend(text);
}

struct Writer {
    options: Options,
    strings: Vec<u8>,
    out: Vec<u8>,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.out.extend(word.to_be_bytes());
    }

    fn string(&mut self, text: &str) {
        let entry = [text.as_bytes(), b"\0"].concat();
        let is_start = |at: usize| at == 0 || self.strings[at - 1] == 0;
        let mut found = self.strings.windows(entry.len()).enumerate();
        let found = found.find(|(at, bytes)| is_start(*at) && *bytes == entry);
        let at = found.map_or(self.strings.len(), |(at, _)| at);
        if at == self.strings.len() {
            self.strings.extend(entry);
        }
        self.word(2 * at as u32);
    }

    fn variable(&mut self) {
        self.out.extend(vec![7; 1 << self.options.width]);
    }

    fn variables(&mut self, n: u32) {
        self.word(n);
        for _ in 0..n {
            self.variable();
        }
    }

    fn predicate(&mut self, name: &str, body: &Written) {
        self.out.extend([1, 0]);
        text(&mut self.out, b"m");
        text(&mut self.out, b"m");
        text(&mut self.out, name.as_bytes());
        self.out.extend([2, 0]);
        let start = self.out.len();
        self.word(0);
        self.string("m.m");
        let Options { version, width, names, types } = self.options;
        if version < 6 {
            self.out.push(width);
            self.word(1);
            self.variable();
            self.string("X");
        } else {
            self.out.push(width << 2 | u8::from(names) << 1 | u8::from(types));
            if names {
                self.out.push(1);
                self.variable();
                // A compressed name.
                self.word(0x403);
                if types {
                    self.out.push(1);
                }
            }
        }
        self.word(1);
        self.variable();
        self.out.extend([0, 1]);
        self.goal(body);
        self.out.push(DET);
        let size = (self.out.len() - start) as u32;
        self.out[start..start + 4].copy_from_slice(&size.to_be_bytes());
    }

    fn goal(&mut self, goal: &Written) {
        self.out.push(goal.code);
        match goal.code {
            1 | 2 => self.word(goal.parts.len() as u32),
            3 => {
                self.out.push(goal.flag);
                self.variable();
                self.word(goal.parts.len() as u32);
            }
            4 | 5 => {}
            6 => self.out.push(goal.flag),
            7 | 8 => {
                self.variable();
                self.string("functor");
                self.variables(2);
            }
            9 | 10 => {
                self.variable();
                self.string("functor");
                self.word(2);
                self.out.push(0);
                self.out.push(1);
                self.variable();
            }
            11..=13 => {
                self.variable();
                self.variable();
            }
            14 => self.variables(1),
            15 => {
                self.variable();
                self.variables(0);
            }
            16 => {
                self.variable();
                self.out.extend([0, 3]);
                self.variables(1);
            }
            17 | 18 => {
                self.string("m");
                self.string("callee");
                self.variables(1);
            }
            _ => {
                self.string("event");
                self.variables(1);
            }
        }
        for (part, n_more) in goal.parts.iter().zip(0..) {
            if goal.code == 3 {
                self.string("functor");
                self.out.extend([0, 2]);
                self.word(n_more);
                for _ in 0..n_more {
                    self.string("functor");
                    self.out.extend([0, 2]);
                }
            }
            self.goal(part);
        }
        if goal.code >= 7 {
            self.string(goal.file);
            self.word(goal.line);
            self.variables(1);
        }
        self.out.push(goal.determinism);
    }
}
