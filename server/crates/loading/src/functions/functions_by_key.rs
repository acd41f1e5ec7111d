//! Funcs by key, for lookups by name, or by name, file and library.

use crate::functions::function_name::without_clone_marks;
use analysis::{FuncId, FuncKey, SymbolTables};

/// The funcs of a recording, sorted by key. Keys are texts, so they are not kept, but read from the
/// recording again for each comparison.
#[derive(Debug)]
pub(crate) struct FunctionsByKey(Box<[FuncId]>);

/// Name, file and library: what a [`FuncKey`] consists of. Its address is the name as a number.
type Texts<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl FunctionsByKey {
    /// Sorts the funcs of `symbols`.
    pub(crate) fn new(symbols: &SymbolTables) -> Self {
        let mut funcs: Box<[FuncId]> = symbols.funcs.ids().collect();
        funcs.sort_unstable_by(|&a, &b| texts(symbols, a).cmp(&texts(symbols, b)));
        Self(funcs)
    }

    /// The funcs with this key. `symbols` are those that were sorted.
    pub(crate) fn funcs(&self, symbols: &SymbolTables, key: &FuncKey) -> &[FuncId] {
        let wanted = (key.name.as_str(), key.file.as_deref(), key.lib.as_deref());
        let from = self.0.partition_point(|&func| texts(symbols, func) < wanted);
        let n = self.0[from..].partition_point(|&func| texts(symbols, func) == wanted);
        &self.0[from..from + n]
    }

    /// The funcs with this name. `symbols` are those that were sorted.
    pub(crate) fn named(&self, symbols: &SymbolTables, name: &str) -> &[FuncId] {
        self.sorted(symbols, name, |it| it == name)
    }

    /// The funcs of the function with this name and of its clones: `fill`, `fill.isra.0`. `symbols` are
    /// those that were sorted.
    pub(crate) fn with_clones<'a>(
        &'a self,
        symbols: &'a SymbolTables,
        name: &str,
    ) -> impl Iterator<Item = FuncId> + use<'a> {
        let function = without_clone_marks(name).to_owned();
        let [suffixed, marked] = [".", " ["].map(|mark| {
            let start = format!("{function}{mark}");
            self.sorted(symbols, &start, |it| it.starts_with(&start))
        });
        let all = self.named(symbols, &function).iter().chain(suffixed).chain(marked).copied();
        all.filter(move |&func| without_clone_marks(texts(symbols, func).0) == function)
    }

    /// The funcs from `first` on whose names are as they are wanted. These are in a row.
    fn sorted(&self, symbols: &SymbolTables, first: &str, is: impl Fn(&str) -> bool) -> &[FuncId] {
        let from = self.0.partition_point(|&func| texts(symbols, func).0 < first);
        let n = self.0[from..].partition_point(|&func| is(texts(symbols, func).0));
        &self.0[from..from + n]
    }
}

fn texts(symbols: &SymbolTables, id: FuncId) -> Texts<'_> {
    let func = symbols.funcs.get(id);
    (
        symbols.strings.get(func.name),
        func.source.map(|source| symbols.source_name(source)),
        func.lib.map(|lib| symbols.libs[lib.index()].name.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::Limits;
    use std::ops::ControlFlow;

    #[test]
    fn funcs_are_found_by_name_and_file() {
        let text = "LazyCompile:f /a.js:1:1;LazyCompile:f /a.js:9:1;LazyCompile:f /b.js:1:1 1\n\
                    LazyCompile:e /a.js:5:1;g 1\n";
        let read =
            formats::read(text.as_bytes(), Limits::default(), &mut |_| ControlFlow::Continue(()));
        let recording = read.unwrap().recording;
        let symbols = recording.symbols();
        let by_key = FunctionsByKey::new(symbols);
        let lines = |name: &str, file: Option<&str>| {
            let found = by_key.funcs(symbols, &FuncKey::new(name, file, None));
            let mut lines: Vec<_> =
                found.iter().map(|&func| symbols.funcs.get(func).line).collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(lines("f", Some("/a.js")), [1, 9]);
        assert_eq!(lines("f", Some("/b.js")), [1]);
        assert_eq!(lines("e", Some("/a.js")), [5]);
        assert_eq!(lines("g", None), [0]);
        assert_eq!(lines("f", None), [0; 0]);
        assert_eq!(lines("e", Some("/b.js")), [0; 0]);
        let n_named = |name: &str| by_key.named(symbols, name).len();
        assert_eq!(["e", "f", "g", "", "h"].map(n_named), [1, 3, 1, 0, 0]);
    }

    #[test]
    fn clones_have_the_name_of_their_function() {
        let text =
            "fill;fill.isra.0;fill.constprop.0.cold;fill.rs;filled;fil;f(int) [clone .cold] 1\n";
        let read =
            formats::read(text.as_bytes(), Limits::default(), &mut |_| ControlFlow::Continue(()));
        let recording = read.unwrap().recording;
        let symbols = recording.symbols();
        let by_key = FunctionsByKey::new(symbols);
        let named = |name: &str| {
            let found = by_key.with_clones(symbols, name);
            found.map(|func| symbols.func_name(func)).collect::<Vec<_>>()
        };
        for name in ["fill", "fill.part.1"] {
            assert_eq!(named(name), ["fill", "fill.constprop.0.cold", "fill.isra.0"], "{name}");
        }
        assert_eq!(named("f(int)"), ["f(int) [clone .cold]"]);
        assert_eq!(named("fi"), [""; 0]);
    }
}
