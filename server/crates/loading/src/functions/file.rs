//! Looks up the definitions of one text by the names, starts and lines that profiles have.

use crate::functions::definitions::FileDefinitions;
use crate::functions::function_name::FunctionName;
use rustc_hash::FxHashMap;
use texts::{Definition, FunctionKind};

/// The maximum number of lines from the first decorator of a function to its name. Hand-written
/// functions have fewer.
const MAX_HEAD: u32 = 200;

/// The definitions of one text, for lookups.
pub struct File<'a> {
    definitions: &'a FileDefinitions,
    /// By 0-based line: the definitions whose heads include it. A head extends from the first
    /// decorator to the name.
    heads: FxHashMap<u32, Vec<usize>>,
}

impl<'a> File<'a> {
    /// Indexes the definitions of a text.
    pub fn new(definitions: &'a FileDefinitions) -> Self {
        let mut heads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, (definition, &start)) in
            definitions.all.iter().zip(&definitions.starts).enumerate()
        {
            let name = definition.name_line0;
            for line0 in start.min(name)..=start.max(name).min(start.min(name) + MAX_HEAD) {
                heads.entry(line0).or_default().push(at);
            }
        }
        Self { definitions, heads }
    }

    fn get(&self, at: usize) -> &Definition {
        &self.definitions.all[at]
    }

    fn agrees(&self, name: &FunctionName, at: usize) -> bool {
        name.agrees(self.get(at), self.definitions.around(at))
    }

    /// The definition that starts at a 0-based line and a 1-based column (0 = unknown). If names do
    /// not decide, columns do: several functions may start on a line, and on the first line of a
    /// script the script itself.
    pub fn starting_at(&self, name: &FunctionName, line0: u32, column: u32) -> Option<usize> {
        let heads = self.heads.get(&line0)?;
        let agreeing: Vec<usize> =
            heads.iter().copied().filter(|&at| self.agrees(name, at)).collect();
        if let [only] = agreeing[..]
            && (column == 0 || name.name.is_some())
        {
            return Some(only);
        }
        let place = (line0, column.checked_sub(1)?);
        let contains_place = |at: &usize| {
            let [from, to] = self.definitions.spans[*at];
            from <= place && place < to
        };
        let innermost = heads.iter().copied().rfind(contains_place)?;
        (agreeing.contains(&innermost) || self.get(innermost).name.is_empty()).then_some(innermost)
    }

    /// Whether a definition with this name may start at a 0-based line and a 1-based column (0 =
    /// unknown). Unlike for [`Self::starting_at`], there may be several.
    pub fn may_start_at(&self, name: &FunctionName, line0: u32, column: u32) -> bool {
        let is_head = || {
            let mut heads = self.heads.get(&line0).into_iter().flatten();
            column == 0 && heads.any(|&at| self.agrees(name, at))
        };
        self.starting_at(name, line0, column).is_some() || is_head()
    }

    /// The definitions with this name.
    pub fn agreeing(&self, name: &FunctionName) -> impl Iterator<Item = usize> {
        (0..self.definitions.all.len()).filter(|&at| self.agrees(name, at))
    }

    /// Whether a definition with this name contains all of the lines.
    pub fn may_contain(&self, name: &FunctionName, lines: &[u32]) -> bool {
        let ends = lines.iter().min().zip(lines.iter().max());
        ends.is_some_and(|(&first, &last)| {
            self.containing_lines(first, last).any(|at| self.agrees(name, at))
        })
    }

    /// The innermost definition whose head contains a place, given by its 0-based line and 1-based
    /// column, or whose body starts there. Not at the start of the text, to which tools map functions
    /// around all of it.
    pub(crate) fn head_around(&self, line0: u32, column: u32) -> Option<usize> {
        let place = (line0, column.checked_sub(1)?);
        let contains_place = |at: &usize| {
            let [from, to] = self.definitions.heads[*at];
            from <= place && place <= to
        };
        let heads = self.heads.get(&line0).filter(|_| place != (0, 0))?;
        heads.iter().copied().rfind(contains_place)
    }

    /// The definition with this name that contains a start line, in languages in which that may be
    /// below the line of the name.
    pub(crate) fn around_neck(&self, name: &FunctionName, line0: u32) -> Option<usize> {
        self.definitions
            .language
            .may_start_below_head()
            .then(|| self.containing(name, &[line0]))
            .flatten()
    }

    /// The innermost definition with this name that contains all of the lines. If it is within others
    /// with this name, one of the lines must be between its first and its last line, which may belong to
    /// the others.
    pub fn containing(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
        let matching: Vec<usize> =
            self.containing_lines(first, last).filter(|&at| self.agrees(name, at)).collect();
        let (&innermost, others) = matching.split_last()?;
        let is_around = |other: &usize| {
            let (inner, outer) = (self.get(innermost), self.get(*other));
            outer.bytes.start <= inner.bytes.start && inner.bytes.end <= outer.bytes.end
        };
        (others.is_empty() || others.iter().all(is_around) && self.is_within(innermost, lines))
            .then_some(innermost)
    }

    /// The innermost definition with this name around a 0-based line, unless the line may belong to
    /// another one with this name.
    pub(crate) fn around_line(&self, name: &FunctionName, line0: u32) -> Option<usize> {
        self.containing(name, &[line0]).filter(|&at| name.name.is_none() || self.fits(name, at))
    }

    /// The start of the definition with this name around a 0-based line, as 1-based line and column.
    /// If there are several, the column is 0. `None` if there is none.
    pub(crate) fn start_around(&self, name: &FunctionName, line0: u32) -> Option<(u32, u32)> {
        if let Some(at) = self.around_line(name, line0) {
            return Some(self.start(at));
        }
        let mut around = self.containing_lines(line0, line0).filter(|_| name.closure);
        let outermost = around.find(|&at| self.agrees(name, at))?;
        Some((self.start(outermost).0, 0))
    }

    /// The start of the innermost function around a 0-based line that is no closure, like
    /// [`Self::start_around`].
    pub(crate) fn start_of_function_around(&self, line0: u32) -> Option<(u32, u32)> {
        let around = self.containing_lines(line0, line0);
        let innermost = around.filter(|&at| self.get(at).kind == FunctionKind::Function).last()?;
        Some(self.start(innermost))
    }

    /// The start of a definition as 1-based line and column. The column of a closure, otherwise 0.
    pub(crate) fn start(&self, at: usize) -> (u32, u32) {
        let definition = self.get(at);
        let [(line0, column0), _] = self.definitions.spans[at];
        match definition.kind {
            FunctionKind::Function => (definition.name_line0 + 1, 0),
            FunctionKind::Closure => (line0 + 1, column0 + 1),
        }
    }

    /// Whether the type, module or function before a name can match a definition. A name without
    /// such a prefix can match any definition.
    fn fits(&self, name: &FunctionName, at: usize) -> bool {
        match (name.path.last(), self.scope(at)) {
            (Some(path), Some(scope)) => path == scope,
            (Some(path), None) => !path.starts_with(char::is_uppercase),
            (None, _) => true,
        }
    }

    /// The type, module or function directly around a definition.
    fn scope(&self, at: usize) -> Option<&str> {
        let definition = self.get(at);
        let around = definition.parent.map(|parent| self.get(parent).name.as_str());
        definition.container.as_deref().or(around)
    }

    /// The only definition with this name in the text, or the only one with its types and parameters
    /// too, if it contains at least one of the lines. The others may be inlined code that the profiler
    /// does not mark as such.
    pub(crate) fn only(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        name.name.as_ref()?;
        let agreeing: Vec<usize> = self.agreeing(name).collect();
        let only = match agreeing[..] {
            [only] => only,
            _ => self.definitions.closest(name, &agreeing)?,
        };
        (self.get(only).kind == FunctionKind::Function && self.is_within(only, lines))
            .then_some(only)
    }

    pub(crate) fn is_compiled(&self) -> bool {
        self.definitions.language.is_compiled()
    }

    /// The line (0-based) on which the only definition of this name starts: that of its name or, in
    /// Python, of its first decorator.
    pub(crate) fn start_of_only(&self, name: &FunctionName) -> Option<u32> {
        let mut agreeing = self.agreeing(name);
        let only = agreeing.next().filter(|_| agreeing.next().is_none())?;
        let definition = self.get(only);
        let is_certain = definition.kind == FunctionKind::Function && self.fits(name, only);
        let is_at_decorator = self.definitions.language.starts_at_decorator();
        let start0 =
            if is_at_decorator { *definition.lines.start() } else { definition.name_line0 };
        is_certain.then_some(start0)
    }

    /// The only definition with this name that has one of the lines in its own body. Lines of closures
    /// do not count: they run in functions of libraries, which may have the same name. Neither does a
    /// method of another type, which may be inlined into them.
    pub(crate) fn around_body(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        name.name.as_ref()?;
        let innermost = lines.iter().filter_map(|&line0| {
            let at = self.containing_lines(line0, line0).last()?;
            self.is_within(at, &[line0]).then_some(at)
        });
        let mut around = innermost.filter(|&at| {
            let has_scope = !name.path.is_empty() || self.scope(at).is_none();
            let is_function = self.get(at).kind == FunctionKind::Function;
            is_function && has_scope && self.agrees(name, at) && self.fits(name, at)
        });
        let first = around.next()?;
        around.all(|at| at == first).then_some(first)
    }

    /// The only definition with this name in the text, if none of the lines is in it. For code that
    /// is not compiled, such lines belong to another text. The type or module in the name must be
    /// the definition's, because compilers create functions that have no definition.
    pub(crate) fn named(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        name.name.as_ref()?;
        if !lines.is_empty() && !self.definitions.language.is_compiled() {
            return None;
        }
        let all = 0..self.definitions.all.len();
        let agreeing: Vec<usize> = all.filter(|&at| self.agrees(name, at)).collect();
        let only = match agreeing[..] {
            [only] => only,
            _ if lines.is_empty() => self.definitions.closest(name, &agreeing)?,
            _ => return None,
        };
        let is_certain = !name.path.is_empty() || self.scope(only).is_none() || lines.is_empty();
        (self.get(only).kind == FunctionKind::Function && is_certain && self.fits(name, only))
            .then_some(only)
    }

    /// Whether any definition has this name.
    pub fn has(&self, name: &FunctionName) -> bool {
        (0..self.definitions.all.len()).any(|at| self.agrees(name, at))
    }

    /// Whether a definition with the name of the function around a closure contains closures.
    pub fn has_closure_in(&self, name: &FunctionName) -> bool {
        let Some(outer) = name.outer.clone().filter(|_| name.closure && name.name.is_none()) else {
            return false;
        };
        let outer = FunctionName { name: Some(outer), ..FunctionName::default() };
        let mut closures = (0..self.definitions.all.len())
            .filter(|&at| self.get(at).kind == FunctionKind::Closure);
        closures.any(|at| self.definitions.around(at).any(|around| outer.agrees(around, None)))
    }

    /// Whether one of the lines is strictly between the first and the last line of a definition.
    fn is_within(&self, at: usize, lines: &[u32]) -> bool {
        let definition = &self.get(at).lines;
        lines.iter().any(|line0| definition.start() < line0 && line0 < definition.end())
    }

    /// The definition of an `async fn`, whose body is compiled to a closure that is not in the
    /// text.
    pub(crate) fn async_body(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        let outer = name.outer.clone().filter(|_| name.closure && name.name.is_none())?;
        let is_closure = |at: usize| self.get(at).kind == FunctionKind::Closure;
        if lines.iter().any(|&line0| self.containing_lines(line0, line0).any(is_closure)) {
            return None;
        }
        self.containing(&FunctionName { name: Some(outer), ..FunctionName::default() }, lines)
    }

    /// The closure of Go that is called `worker.func2.1`: the first one in the second one of `worker`, in
    /// the order of the text. `None` if it does not contain all of the lines: the numbers of copies are
    /// higher.
    pub(crate) fn numbered_closure(&self, spelled: &str, lines: &[u32]) -> Option<usize> {
        if !self.definitions.language.copies_closures() {
            return None;
        }
        let segments: Vec<&str> = spelled.split('.').collect();
        let number = |segment: &str| segment.parse::<usize>().ok();
        let is_closure = |segment: &&str| segment.strip_prefix("func").and_then(number).is_some();
        let at = segments.iter().position(is_closure)?;
        let outer = segments.get(at.checked_sub(1)?)?;
        let is_outer = |at: &usize| {
            self.get(*at).kind == FunctionKind::Function && self.get(*at).name == **outer
        };
        let mut outers = (0..self.definitions.all.len()).filter(is_outer);
        let outer = outers.next().filter(|_| outers.next().is_none())?;
        let found = segments[at..].iter().try_fold(outer, |around, segment| {
            let nth = number(segment.strip_prefix("func").unwrap_or(segment))?.checked_sub(1)?;
            let inside = (0..self.definitions.all.len()).filter(|&at| {
                self.get(at).kind == FunctionKind::Closure && self.get(at).parent == Some(around)
            });
            inside.into_iter().nth(nth)
        })?;
        lines.iter().all(|line0| self.get(found).lines.contains(line0)).then_some(found)
    }

    /// The closure within a closure that contains all of the lines, for a copy of it: Go counts the
    /// closures of a function `F` as `F.func1`, `F.func2`, and then on with those that were in a
    /// closure that it inlined into `F`. So a higher number is that of none of its own closures,
    /// which may have the same lines.
    pub(crate) fn copied_closure(&self, name: &FunctionName, lines: &[u32]) -> Option<usize> {
        let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
        let number = name.name.as_deref()?.strip_prefix("func")?.parse::<usize>().ok()?;
        let around: Vec<usize> = self.containing_lines(first, last).collect();
        let outer = *around.iter().find(|&&at| self.get(at).kind == FunctionKind::Function)?;
        let is_own = |at: usize| {
            self.get(at).kind == FunctionKind::Closure && self.get(at).parent == Some(outer)
        };
        let n_own = (0..self.definitions.all.len()).filter(|&at| is_own(at)).count();
        let may_be_copy = self.definitions.language.copies_closures() && name.outer.is_some();
        let mut nested = around.into_iter().filter(|&at| {
            let is_closure = self.get(at).kind == FunctionKind::Closure;
            is_closure && !is_own(at) && self.agrees(name, at)
        });
        let only = nested.next().filter(|_| nested.next().is_none())?;
        (may_be_copy && number > n_own).then_some(only)
    }

    /// The definitions that, with their attributes, contain all lines from `first` to `last`, outer
    /// before inner.
    pub fn containing_lines(&self, first: u32, last: u32) -> impl Iterator<Item = usize> {
        let n_before = self.definitions.starts.partition_point(|&start| start <= first);
        (0..n_before).filter(move |&at| *self.get(at).lines.end() >= last)
    }
}
