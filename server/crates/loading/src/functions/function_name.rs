//! Parses function names of profiles, to match them with definitions in source texts.
//!
//! Each language has its own spelling: `<app::Tree<T> as Walk>::walk::{{closure}}`,
//! `void Vec<int>::push(int const&) [clone .cold]`, `main.(*Index).Add.func1`,
//! `build.<locals>.<lambda>`, `block in Ledger#post`, `get text`, `solve/<`, `queens.safe/1-0`. They hardly contradict
//! each other, so one parser without knowledge of the language is enough.

pub(crate) mod dotnet;

use symbols::collapse_generics;
use texts::{Arity, Definition, FunctionKind};

/// The suffixes that compilers append to the names of function clones.
const CLONES: [&str; 8] =
    [".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm", ".localalias", ".clone"];
/// What demanglers write before each of these suffixes.
const CLONE: &str = " [clone ";
/// The suffixes of the parts of a coroutine, which have a parameter for its frame instead of its own.
const COROUTINES: [&str; 2] = [".actor]", ".destroy]"];
/// The suffix of code that calls the function with this name in another library.
const STUB: &str = "@plt";
/// The beginnings of the names of procedures that Mercury's compiler generates for types.
const GENERATED: [&str; 4] = ["Unify for ", "Compare for ", "Index for ", "CompareRep for "];
/// The characters of Ruby's operator methods.
const OPERATOR: &str = "+-*/%<>=!~^&|[]@";

/// A parsed function name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionName {
    /// The last segment: `parse` of `app::parse<T>(x)`. `None` if it does not name a function.
    pub name: Option<String>,
    /// Whether it may be a closure, or a block in one. `name` is `None` if it certainly is.
    pub closure: bool,
    /// Whether it is a block or comprehension: part of a function, but with frames of its own.
    pub block: bool,
    /// The name of the function around a closure or block, if the profile states it.
    pub outer: Option<String>,
    /// The crate, package, modules, types and functions before the last segment, outermost first:
    /// `app`, `Tree` of `<app::Tree<T> as Walk>::walk`. Without those that have no name.
    pub path: Vec<String>,
    /// The trait that it implements, in Rust: `Walk` of `<app::Tree as app::Walk>::walk`.
    pub implements: Option<String>,
    /// The number of arguments, if the name states it.
    pub arity: Option<Arity>,
    /// The number of parameters, if the name lists them: 1 of `area(int) const`.
    pub n_parameters: Option<usize>,
}

impl FunctionName {
    /// Parses a name of a profile. A name that cannot be parsed has all fields empty.
    pub fn of(name: &str) -> Self {
        if let Some(name) = Self::of_mercury(name).or_else(|| Self::of_dotnet(name)) {
            return name;
        }
        if name.ends_with(STUB) {
            return Self::default();
        }
        if let Some((block, method)) = name.split_once(" in ")
            && ["block", "rescue", "ensure"].iter().any(|kind| block.starts_with(kind))
        {
            let method = Self::of(method);
            return Self { block: true, outer: method.name, ..Self::default() };
        }
        if matches!(name, "" | "(anonymous)" | "(anonymous function)" | "<anonymous>" | "anonymous")
        {
            return Self { closure: true, ..Self::default() };
        }
        // PHP: `Shop\{closure:/srv/shop/lib.php:45-45}`.
        if name.contains("\\{closure:") {
            return Self { closure: true, ..Self::default() };
        }
        // Firefox names an anonymous function after the function around it or what it is assigned
        // to: `solve/<`.
        if name.ends_with('<') && !name.ends_with("operator<") {
            return Self { closure: true, ..Self::default() };
        }
        // Java: `com/acme/Cart.<init>` is the constructor of `Cart`.
        if let Some((class, parameters)) = name.split_once(".<init>") {
            let constructor = class.rsplit(['/', '.', '$']).next().unwrap_or(class);
            return Self::of(&format!("{class}.{constructor}{parameters}"));
        }
        let method = name.rsplit_once('#').map_or(name, |(_, method)| method);
        if !method.is_empty() && method.chars().all(|c| OPERATOR.contains(c)) {
            return Self { name: Some(method.to_owned()), ..Self::default() };
        }
        let name = collapse_generics(without_clones(name)).replace("<…>", "");
        let parsed = Parser::default().parse(name.strip_suffix("-fm").unwrap_or(&name));
        let path = parsed.path.into_iter().flat_map(with_nested_classes).collect();
        let n_parameters = n_parameters(&name);
        Self { path, implements: implemented(&name), n_parameters, ..parsed }
    }

    /// Whether a definition has another number of parameters than the name lists.
    pub fn is_overload(&self, definition: &Definition) -> bool {
        let both = self.n_parameters.zip(definition.n_parameters);
        both.is_some_and(|(own, other)| own != other)
    }

    /// Whether the path ends with all scopes of a definition, and the traits are the same.
    pub fn ends_with(&self, definition: &Definition) -> bool {
        self.path.ends_with(&definition.scopes) && self.implements == definition.implements
    }

    /// Parses a name of Mercury's deep profiler: `queens.safe/1-0`, which ends with the number of
    /// arguments and of the mode, `int.abs/1+1-0` for a function, `queens.pred lambda line 34`, or
    /// `Unify for list.list/1` for what the compiler generates.
    fn of_mercury(name: &str) -> Option<Self> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if GENERATED.iter().any(|generated| name.starts_with(generated)) {
            return Some(Self::default());
        }
        if let Some((name, line)) = name.rsplit_once(" lambda line ")
            && is_number(line)
        {
            let module = name.strip_suffix(".pred").or_else(|| name.strip_suffix(".func"))?;
            return Some(Self { closure: true, path: mercury_path(module), ..Self::default() });
        }
        let (name, arity) = name.rsplit_once('/')?;
        let (arity, _) = arity.split_once('-').filter(|(_, mode)| is_number(mode))?;
        let (n_arguments, has_result) =
            arity.strip_suffix("+1").map_or((arity, false), |n_arguments| (n_arguments, true));
        let n_arguments = Some(n_arguments).filter(|n| is_number(n))?.parse().ok()?;
        // The name itself may consist of dots.
        let end = name.trim_end_matches('.').len().min(name.len().saturating_sub(1));
        let at = name.get(..end)?.rfind('.')?;
        let (module, name) = (name.get(..at)?, name.get(at + 1..)?);
        Some(Self {
            name: Some(name.to_owned()),
            path: mercury_path(module),
            arity: Some(Arity { n_arguments, has_result }),
            ..Self::default()
        })
    }

    /// Parses a name that only .NET has.
    fn of_dotnet(name: &str) -> Option<Self> {
        let method = dotnet::parse(without_parameters(name))?;
        let n_parameters = if method.is_made { None } else { n_parameters(name) };
        let dotnet::Method { name, is_lambda, outer, path, .. } = method;
        Some(Self { name, closure: is_lambda, outer, path, n_parameters, ..Self::default() })
    }

    /// Whether source code calls the function by `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.as_deref().is_some_and(|own| is_same(name, own))
    }

    /// Whether the name can belong to a definition. `around` yields the functions around the
    /// definition, innermost first.
    pub fn agrees<'a>(
        &self,
        definition: &Definition,
        around: impl IntoIterator<Item = &'a Definition>,
    ) -> bool {
        let is_constructor = |name: &str| {
            matches!(definition.name.as_str(), "constructor" | "__construct")
                && definition.container.as_deref() == Some(name)
        };
        if let (Some(own), Some(other)) = (self.arity, definition.arity)
            && !is_same_arity(own, other)
        {
            return false;
        }
        if self
            .name
            .as_deref()
            .is_some_and(|name| is_same(&definition.name, name) || is_constructor(name))
        {
            return true;
        }
        if self.block && !self.closure {
            return self.outer.as_deref().is_none_or(|outer| is_same(&definition.name, outer));
        }
        self.closure && definition.kind == FunctionKind::Closure && self.is_around(around)
    }

    /// Whether `outer` is one of the functions `around`. True if either side is unknown.
    fn is_around<'a>(&self, around: impl IntoIterator<Item = &'a Definition>) -> bool {
        let Some(outer) = &self.outer else { return true };
        let mut around = around.into_iter().peekable();
        around.peek().is_none() || around.any(|definition| is_same(&definition.name, outer))
    }
}

/// The module of a procedure, by its name in Mercury's deep profiler: `queens` of
/// `queens.safe/1-0`, `queens.pred lambda line 34` and `Unify for queens.board/0`.
pub fn mercury_module(name: &str) -> Option<&str> {
    let compiled = GENERATED.iter().find_map(|generated| name.strip_prefix(generated));
    let name = match name.rsplit_once(" lambda line ") {
        Some((lambda, _)) => lambda,
        None => compiled.unwrap_or(name).rsplit_once('/')?.0,
    };
    // The name itself may consist of dots.
    let end = name.trim_end_matches('.').len().min(name.len().saturating_sub(1));
    Some(name.get(..name.get(..end)?.rfind('.')?)?).filter(|module| !module.is_empty())
}

/// The modules of a qualified name of Mercury.
fn mercury_path(module: &str) -> Vec<String> {
    module.split('.').map(str::to_owned).collect()
}

/// Whether the number of arguments in a profile can match a definition. Some compilers count the
/// result of a function as an argument.
fn is_same_arity(recorded: Arity, definition: Arity) -> bool {
    let with_result = definition.n_arguments + u32::from(definition.has_result);
    recorded.has_result == definition.has_result
        && [definition.n_arguments, with_result].contains(&recorded.n_arguments)
}

/// Whether a name in the text equals a name of a profile, ignoring blanks (`operator +`), the `r#`
/// of Rust and the `#` of JavaScript.
fn is_same(text: &str, name: &str) -> bool {
    let text = text.trim_start_matches("r#").trim_start_matches('#');
    text.chars().filter(|c| !c.is_whitespace()).eq(name.chars().filter(|c| !c.is_whitespace()))
}

/// The trait in `<app::Tree as app::Walk>::walk` or `app::<impl app::Walk for [T]>::walk`, without
/// its path.
fn implemented(name: &str) -> Option<String> {
    let of_type = name.strip_prefix('<').and_then(|rest| rest.split_once(" as "));
    let path = match of_type {
        Some((_, rest)) => rest.split(['>', '<']).next()?,
        None => name.split_once("<impl ")?.1.split_once(" for ")?.0,
    };
    let last = path.split('<').next()?.rsplit("::").next()?.trim();
    Some(last.to_owned()).filter(|last| !last.is_empty())
}

/// A name as it is written in source code, without what compilers append to those of clones: `blur`
/// of `blur.constprop.0`, `f(int)` of `f(int) [clone .cold]`.
pub fn without_clone_marks(name: &str) -> &str {
    let Some((function, marks)) = name.split_once(CLONE) else {
        return without_clone_suffixes(name);
    };
    let is_of_coroutine = COROUTINES.iter().any(|suffix| marks.contains(suffix));
    if is_of_coroutine { without_parameters(function) } else { function }
}

/// The number of parameters in a name of C++: 2 of `area(int, std::pair<int, int>) const`. `None`
/// if it has no list of them, or there may be more.
pub fn n_parameters(name: &str) -> Option<usize> {
    name.rfind(')')?;
    let name = collapse_generics(without_clones(name));
    let end = 1 + name.rfind(')')?;
    let is_qualifier = |word: &str| matches!(word, "const" | "volatile" | "&" | "&&" | "noexcept");
    let function = without_parameters(&name[..end]);
    // The type of a result may have a list of its own.
    let is_result = function.ends_with(')') && !function.ends_with("operator()");
    if is_result || !name[end..].split_whitespace().all(is_qualifier) {
        return None;
    }
    let list = name[function.len()..end].strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_usize;
    let mut n_commas = 0;
    for c in list.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => n_commas += 1,
            _ => {}
        }
    }
    match list.trim() {
        "" | "void" => Some(0),
        list if list.ends_with("...") => None,
        _ => Some(n_commas + 1),
    }
}

/// A name without its list of parameters, if it ends with one. That of `operator()` is its name.
pub fn without_parameters(name: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in name.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let is_list = c == '(' && !name[..at].ends_with("operator");
            return if is_list { &name[..at] } else { name };
        }
    }
    name
}

/// A name without any list of parameters: `sort::{lambda#1}::operator()` of
/// `sort(int)::{lambda(int)#1}::operator()`.
pub fn without_lists(name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || "_>".contains(c);
    let (mut rest, mut out) = (name, String::new());
    while let Some((before, list)) = rest.find('(').map(|at| rest.split_at(at)) {
        let Some((list, after)) = bracketed(list).map(|length| list.split_at(length)) else {
            return name.to_owned();
        };
        out.push_str(before);
        let is_list =
            out.ends_with("operator()") || out.ends_with(is_word) && !out.ends_with("operator");
        out.push_str(if is_list { "" } else { list });
        rest = after;
    }
    out + rest
}

/// The name without suffixes of clones (`.isra.0`) and recursion levels (`'2`).
fn without_clones(name: &str) -> &str {
    let name = match name.rsplit_once('\'') {
        Some((name, level)) if !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()) => {
            name
        }
        _ => name,
    };
    without_clone_suffixes(name.split(CLONE).next().unwrap_or(name))
}

/// The name without suffixes of clones (`.isra.0`).
fn without_clone_suffixes(name: &str) -> &str {
    let is_clone = |at: &usize| {
        let rest = &name[*at..];
        let clone = CLONES.iter().find_map(|clone| rest.strip_prefix(clone));
        clone.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let end = name.match_indices('.').map(|(at, _)| at).find(|at| *at > 0 && is_clone(at));
    &name[..end.unwrap_or(name.len())]
}

/// A segment of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Name(String),
    /// `func1`: a closure in Go, an ordinary name elsewhere.
    Numbered(String),
    Closure,
    /// A block or comprehension, with the function it belongs to if this segment names it.
    Block(Option<String>),
    /// The type in brackets: `Tree` of `<app::Tree as Walk>`, `(*Tree)`.
    Type(String),
    Other,
}

/// The state of parsing a name.
#[derive(Debug, Default)]
struct Parser {
    segments: Vec<Segment>,
    /// The current segment.
    text: String,
    /// The brackets that the current segment begins with, if it does.
    brackets: String,
    /// Whether the parameters of the current segment have ended. Text after them is not part of it.
    done: bool,
}

impl Parser {
    fn parse(mut self, name: &str) -> FunctionName {
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
                    let Some(length) = bracketed(rest) else { return FunctionName::default() };
                    self.bracket(&rest[..length]);
                    length
                }
                '@' if !self.text.is_empty() => break,
                _ if self.done => c.len_utf8(),
                ' ' if rest.starts_with(" [") || rest.starts_with(" (") => {
                    self.done = true;
                    1
                }
                // The text so far was a type or another word before the name.
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
        self.finish()
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
            // The call operator of a closure is the closure itself.
            if !(text == "operator()" && self.segments.last() == Some(&Segment::Closure)) {
                self.segments.push(segment(&text));
            }
        } else if brackets.starts_with('[') {
            self.segments.push(Segment::Name(brackets));
        } else if !brackets.is_empty() {
            self.segments.push(unnamed_segment(&brackets));
        }
    }

    fn finish(mut self) -> FunctionName {
        let last = self.segments.pop();
        let named = |segment: &Segment| match segment {
            Segment::Name(name) => Some(name.clone()),
            _ => None,
        };
        let outer = self.segments.iter().rev().find_map(named);
        let mut around = self.segments.iter().rev();
        let around = around.find(|it| matches!(it, Segment::Name(_) | Segment::Closure));
        let in_closure = around == Some(&Segment::Closure);
        let path = path(self.segments);
        match last {
            Some(Segment::Name(name)) => FunctionName {
                closure: name == "operator()",
                name: Some(name),
                path,
                ..FunctionName::default()
            },
            Some(Segment::Numbered(name)) => FunctionName {
                name: Some(name),
                closure: true,
                outer,
                path,
                ..FunctionName::default()
            },
            Some(Segment::Closure) => {
                FunctionName { closure: true, outer, path, ..FunctionName::default() }
            }
            Some(Segment::Block(of)) => FunctionName {
                closure: in_closure && of.is_none(),
                block: true,
                outer: of.or(outer),
                path,
                ..FunctionName::default()
            },
            Some(Segment::Type(_) | Segment::Other) | None => FunctionName::default(),
        }
    }
}

/// The names of segments, including types in brackets.
fn path(segments: Vec<Segment>) -> Vec<String> {
    let mut path = Vec::new();
    for segment in segments {
        match segment {
            Segment::Name(name) | Segment::Numbered(name) | Segment::Block(Some(name)) => {
                path.push(name);
            }
            Segment::Type(name) => {
                let names = name.split([':', '.']).filter(|name| !name.is_empty());
                path.extend(names.map(str::to_owned));
            }
            Segment::Closure | Segment::Block(None) | Segment::Other => {}
        }
    }
    path
}

fn segment(text: &str) -> Segment {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if text.strip_prefix("func").is_some_and(is_number) {
        return Segment::Numbered(text.to_owned());
    }
    if let Some((function, _)) = text.split_once("-range").filter(|(_, number)| is_number(number)) {
        return Segment::Block(Some(function.to_owned()));
    }
    if is_number(text) || text.starts_with("lambda$") {
        return Segment::Closure;
    }
    Segment::Name(text.to_owned())
}

/// The segment of brackets instead of a name, such as `<listcomp>` or `{{closure}}`.
fn unnamed_segment(brackets: &str) -> Segment {
    let inside = brackets.trim_matches(['<', '>', '{', '}', '\'']);
    match inside {
        "listcomp" | "setcomp" | "dictcomp" | "genexpr" => Segment::Block(None),
        _ if inside.starts_with("closure") || inside.starts_with("lambda") => Segment::Closure,
        "locals" | "module" | "main" => Segment::Other,
        _ => type_in(brackets).map_or(Segment::Other, |name| Segment::Type(name.to_owned())),
    }
}

/// The type in brackets: `app::Tree` of `<app::Tree as Walk>` and `<impl Walk for app::Tree>`,
/// `Tree` of `(*Tree)`. `None` for types without a name.
fn type_in(brackets: &str) -> Option<&str> {
    let inside = if let Some(receiver) = brackets.strip_prefix('(') {
        receiver.strip_suffix(')')?
    } else {
        let inside = brackets.strip_prefix('<')?.strip_suffix('>')?;
        let inside = inside.strip_prefix("Class:").unwrap_or(inside);
        match inside.strip_prefix("impl ") {
            Some(of) => of.split_once(" for ").map_or(of, |(_, of)| of),
            None => inside.split_once(" as ").map_or(inside, |(of, _)| of),
        }
    };
    let name = inside.trim_start_matches(['*', '&']).trim_start_matches("mut ");
    let name = name.split('[').next()?;
    let is_name = |c: char| c.is_alphanumeric() || "_:.".contains(c);
    Some(name).filter(|name| !name.is_empty() && name.chars().all(is_name))
}

/// The length in bytes of the bracketed text at the start of `text`, including its brackets. The
/// `>` of `->` closes nothing. `None` if the brackets do not match.
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
    text.strip_prefix("operator")
        .is_some_and(|rest| rest.starts_with(|c: char| " ()[]+-*/%^&|~!=<>,".contains(c)))
}

/// The length in bytes of the operator's name at the start of a text.
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

/// The classes in a segment of a path: `Shape$Point` in Java is `Point` in `Shape`. Anonymous classes
/// (`Shape$1`) have no name, and local ones have a number before it (`Shape$1Local`).
fn with_nested_classes(segment: String) -> Vec<String> {
    if segment.starts_with('$') || !segment.contains('$') {
        return vec![segment];
    }
    let classes =
        segment.split('$').map(|class| class.trim_start_matches(|c: char| c.is_ascii_digit()));
    classes.filter(|class| !class.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
