//! What a name in a profile says of the function in the text: its last segment, or that it has none (a closure, a block).
//!
//! Profilers write names in as many ways as there are languages: `<app::Tree<T> as Walk>::walk::{{closure}}`,
//! `void Vec<int>::push(int const&) [clone .cold]`, `main.(*Index).Add.func1`, `build.<locals>.<lambda>`, `block in Ledger#post`,
//! `get text`, `solve/<`. They hardly contradict each other, so that nobody needs to know which it is.

use sources::{Definition, FunctionKind};
use symbols::collapse_generics;

/// What compilers append to the names of copies.
const CLONES: [&str; 8] = [".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm", ".localalias", ".clone"];
/// Methods of Ruby that are operators.
const OPERATOR: &str = "+-*/%<>=!~^&|[]@";

/// What a name says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spoken {
    /// The last segment: `parse` of `app::parse<T>(x)`.
    pub name: Option<String>,
    /// Whether it may be a closure; one that is nothing else has no name.
    pub closure: bool,
    /// Whether it is a piece of a function that runs in a frame of its own: a comprehension, a block.
    pub piece: bool,
    /// The function around a closure or piece, where the name tells it.
    pub outer: Option<String>,
}

impl Spoken {
    /// Takes a name apart.
    pub fn of(name: &str) -> Self {
        if let Some((block, method)) = name.split_once(" in ")
            && ["block", "rescue", "ensure"].iter().any(|kind| block.starts_with(kind))
        {
            let method = Self::of(method);
            return Self { piece: true, outer: method.name, ..Self::default() };
        }
        if matches!(name, "" | "(anonymous)" | "(anonymous function)" | "<anonymous>" | "anonymous") {
            return Self { closure: true, ..Self::default() };
        }
        // Firefox: what has no name is told by what it is in or for.
        if name.ends_with('<') && !name.ends_with("operator<") {
            return Self { closure: true, ..Self::default() };
        }
        let method = name.rsplit_once('#').map_or(name, |(_, method)| method);
        if !method.is_empty() && method.chars().all(|c| OPERATOR.contains(c)) {
            return Self { name: Some(method.to_owned()), ..Self::default() };
        }
        let name = collapse_generics(without_clones(name)).replace("<…>", "");
        Scan::default().run(name.strip_suffix("-fm").unwrap_or(&name))
    }

    /// Whether a definition can be what is named; `around` are the functions around it, innermost first.
    pub fn agrees<'a>(&self, definition: &Definition, around: impl IntoIterator<Item = &'a Definition>) -> bool {
        let is_constructor = |name: &str| {
            matches!(definition.name.as_str(), "constructor" | "__construct") && definition.container.as_deref() == Some(name)
        };
        if self.name.as_deref().is_some_and(|name| is_same(&definition.name, name) || is_constructor(name)) {
            return true;
        }
        if self.piece {
            return self.outer.as_deref().is_none_or(|outer| is_same(&definition.name, outer));
        }
        self.closure && definition.kind == FunctionKind::Closure && self.is_around(around)
    }

    /// Whether one of these is the outer function that the name tells, as far as there are any.
    fn is_around<'a>(&self, around: impl IntoIterator<Item = &'a Definition>) -> bool {
        let Some(outer) = &self.outer else { return true };
        let mut around = around.into_iter().peekable();
        around.peek().is_none() || around.any(|definition| is_same(&definition.name, outer))
    }
}

/// Whether a name in the text is that of a profile: they may differ in blanks (`operator +`) and in marks that are not of the name.
fn is_same(text: &str, name: &str) -> bool {
    let text = text.trim_start_matches("r#").trim_start_matches('#');
    text.chars().filter(|c| !c.is_whitespace()).eq(name.chars().filter(|c| !c.is_whitespace()))
}

/// The name without the numbers of copies and of recursion levels.
fn without_clones(name: &str) -> &str {
    let name = match name.rsplit_once('\'') {
        Some((name, level)) if !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    };
    let is_clone = |at: &usize| {
        let rest = &name[*at..];
        let clone = CLONES.iter().find_map(|clone| rest.strip_prefix(clone));
        clone.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let end = name.match_indices('.').map(|(at, _)| at).find(|at| *at > 0 && is_clone(at));
    &name[..end.unwrap_or(name.len())]
}

/// What a segment is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Name(String),
    /// `func1` is how Go names closures, and what anybody may call a function.
    Numbered(String),
    Closure,
    /// Of a function, perhaps told by this segment.
    Piece(Option<String>),
    Other,
}

/// A name as far as it was read.
#[derive(Debug, Default)]
struct Scan {
    segments: Vec<Segment>,
    /// The segment that is being read.
    text: String,
    /// What it holds in brackets, where it begins with them.
    brackets: String,
    /// Whether its parameters were read: what follows does not belong to it.
    done: bool,
}

impl Scan {
    fn run(mut self, name: &str) -> Spoken {
        let mut rest = name;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                ':' | '.' | '#' | '/' | '\\' => {
                    self.end();
                    1
                }
                '-' if rest.starts_with("->") => {
                    self.end();
                    2
                }
                '<' | '(' | '[' | '{' => {
                    let Some(length) = bracketed(rest) else { return Spoken::default() };
                    self.bracket(&rest[..length]);
                    length
                }
                '@' if !self.text.is_empty() => break,
                _ if self.done => c.len_utf8(),
                ' ' if rest.starts_with(" [") || rest.starts_with(" (") => {
                    self.done = true;
                    1
                }
                // What was read is a type, or a word before the name.
                ' ' => {
                    self = Self::default();
                    1
                }
                'o' if self.text.is_empty() && is_operator(rest) => {
                    let length = operator(rest);
                    self.text.push_str(&rest[..length]);
                    length
                }
                _ => {
                    self.text.push(c);
                    c.len_utf8()
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        self.end();
        self.spoken()
    }

    fn bracket(&mut self, text: &str) {
        if self.text.is_empty() && !self.done {
            text.clone_into(&mut self.brackets);
        } else if text.starts_with('{') {
            // `call_once{{vtable.shim}}` is not `call_once`.
            self.text.clear();
            text.clone_into(&mut self.brackets);
        }
        self.done |= text.starts_with('(') && !self.text.is_empty();
    }

    fn end(&mut self) {
        let (text, brackets) = (std::mem::take(&mut self.text), std::mem::take(&mut self.brackets));
        self.done = false;
        if !text.is_empty() {
            // The call of a closure is the closure.
            if !(text == "operator()" && self.segments.last() == Some(&Segment::Closure)) {
                self.segments.push(segment(&text));
            }
        } else if brackets.starts_with('[') {
            self.segments.push(Segment::Name(brackets));
        } else if !brackets.is_empty() {
            self.segments.push(nameless(&brackets));
        }
    }

    fn spoken(mut self) -> Spoken {
        let last = self.segments.pop();
        let named = |segment: &Segment| match segment {
            Segment::Name(name) => Some(name.clone()),
            _ => None,
        };
        let outer = self.segments.iter().rev().find_map(named);
        match last {
            Some(Segment::Name(name)) => Spoken { closure: name == "operator()", name: Some(name), ..Spoken::default() },
            Some(Segment::Numbered(name)) => Spoken { name: Some(name), closure: true, piece: false, outer },
            Some(Segment::Closure) => Spoken { closure: true, outer, ..Spoken::default() },
            Some(Segment::Piece(of)) => Spoken { piece: true, outer: of.or(outer), ..Spoken::default() },
            Some(Segment::Other) | None => Spoken::default(),
        }
    }
}

fn segment(text: &str) -> Segment {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if text.strip_prefix("func").is_some_and(is_number) {
        return Segment::Numbered(text.to_owned());
    }
    if let Some((function, _)) = text.split_once("-range").filter(|(_, number)| is_number(number)) {
        return Segment::Piece(Some(function.to_owned()));
    }
    if is_number(text) || text.starts_with("lambda$") {
        return Segment::Closure;
    }
    Segment::Name(text.to_owned())
}

/// What brackets stand for where a name should be.
fn nameless(brackets: &str) -> Segment {
    let inside = brackets.trim_matches(['<', '>', '{', '}', '\'']);
    match inside {
        "listcomp" | "setcomp" | "dictcomp" | "genexpr" => Segment::Piece(None),
        _ if inside.starts_with("closure") || inside.starts_with("lambda") => Segment::Closure,
        _ => Segment::Other,
    }
}

/// The length of what the bracket at the start of a text holds, with its brackets; `->` closes none.
fn bracketed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => open.push(c),
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => {
                let opened = open.pop()?;
                if !matches!((opened, c), ('<', '>') | ('(', ')') | ('[', ']') | ('{', '}')) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

fn is_operator(text: &str) -> bool {
    text.strip_prefix("operator").is_some_and(|rest| rest.starts_with(|c: char| " ()[]+-*/%^&|~!=<>,".contains(c)))
}

/// The length of an operator's name at the start of a text.
fn operator(text: &str) -> usize {
    let symbol = text.get("operator".len()..).unwrap_or_default();
    let length = if symbol.starts_with("()") || symbol.starts_with("[]") {
        2
    } else if symbol.starts_with(' ') {
        // A conversion, `new` or `delete`.
        symbol.find('(').unwrap_or(symbol.len())
    } else {
        symbol.find(|c| !"+-*/%^&|~!=<>,".contains(c)).unwrap_or(symbol.len())
    };
    "operator".len() + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str) -> String {
        let Spoken { name, closure, piece, outer } = Spoken::of(name);
        let mut told = name.unwrap_or_else(|| "-".to_owned());
        for (is, word) in [(closure, " closure"), (piece, " piece")] {
            told += if is { word } else { "" };
        }
        told + &outer.map_or(String::new(), |outer| format!(" in {outer}"))
    }

    #[test]
    fn names_of_every_language() {
        for (name, expected) in [
            // Rust.
            ("wordstat::count", "count"),
            ("<app::Tree<T> as app::Walk<'_>>::walk", "walk"),
            ("wordstat::main::{{closure}}", "- closure in main"),
            ("app::run::<fn(u32) -> u8>::{closure#1}::{closure#0}", "- closure in run"),
            ("{closure#0}<u32, alloc::vec::Vec<u8>>", "- closure"),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "-"),
            ("fold<core::ops::range::Range<u32>, usize>", "fold"),
            ("app::geometry::<impl app::Area for [T]>::area", "area"),
            // C and C++.
            ("main", "main"),
            ("blur.constprop.0.isra.1", "blur"),
            ("parse'2", "parse"),
            ("__libc_start_main@@GLIBC_2.34", "__libc_start_main"),
            ("Scene::trace(Ray const&, int) const", "trace"),
            ("void std::vector<int, std::allocator<int> >::push<int>(int&&) [clone .cold]", "push"),
            ("Vec3<double>::operator*(double) const", "operator*"),
            ("bool operator< <int>(Pair<int> const&)", "operator<"),
            ("Vec3<double>::operator-", "operator-"),
            ("Ptr<int>::operator->() const", "operator->"),
            ("Shape::~Shape()", "~Shape"),
            ("Call<int>::operator()<double>(double)", "operator() closure"),
            ("median(std::vector<double>)::{lambda(int)#1}::operator()(int) const", "- closure in median"),
            ("median(std::vector<double>)::<lambda(double, double)>", "- closure in median"),
            ("(anonymous namespace)::run(int)", "run"),
            // Go.
            ("main.main", "main"),
            ("github.com/acme/index.(*Tree[go.shape.int]).Walk", "Walk"),
            ("main.(*Index).Add.func1", "func1 closure in Add"),
            ("main.run.func2.1", "- closure in run"),
            ("main.Map[...]", "Map"),
            ("main.(*Index).Add-fm", "Add"),
            ("main.run-range1", "- piece in run"),
            // Python.
            ("build.<locals>.carve", "carve"),
            ("Frontier.push", "push"),
            ("<module>", "-"),
            ("build.<locals>.<lambda>", "- closure in build"),
            ("crunch.<locals>.<dictcomp>.<genexpr>", "- piece in crunch"),
            ("<listcomp>", "- piece"),
            // JavaScript.
            ("exports.render", "render"),
            ("(anonymous)", "- closure"),
            ("get text", "text"),
            ("#count", "count"),
            ("solve/<", "- closure"),
            ("solve/step", "step"),
            ("Board.prototype.place", "place"),
            ("[Symbol.iterator]", "[Symbol.iterator]"),
            ("func1", "func1 closure"),
            // Ruby, PHP, Java, Lua.
            ("Ledger#post", "post"),
            ("block (2 levels) in Ledger#post!", "- piece in post!"),
            ("block in <main>", "- piece"),
            ("<Class::Ledger>#new", "new"),
            ("Ledger::Entry.build", "build"),
            ("Array#<=>", "<=>"),
            ("Ledger#[]=", "[]="),
            ("<top (required)>", "-"),
            ("Acme\\Cart->total", "total"),
            ("{closure}", "- closure"),
            ("com/acme/Cart.total", "total"),
            ("Cart.lambda$total$0", "- closure in Cart"),
            ("M:walk", "walk"),
            // Nothing.
            ("0x1174", "0x1174"),
            ("a<b", "-"),
        ] {
            assert_eq!(told(name), expected, "{name}");
        }
    }
}
