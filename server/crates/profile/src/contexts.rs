//! The contexts of a call graph: in which chains of calls each func ran, and what it cost there.
//!
//! A context is a func together with the calls that led to it. Recursion returns to the context
//! where it began, so contexts form cycles, and the *cliques* (the cycles, and the contexts on
//! none) form a tree: the first call of a recursion leads into the clique, and from there calls
//! lead to other cliques.

use crate::FuncId;

/// The contexts of a call graph.
#[derive(Debug, Clone, Default)]
pub struct Contexts {
    /// The contexts.
    pub contexts: Vec<Context>,
    /// The calls between contexts, by caller.
    pub calls: Vec<ContextCall>,
    /// The cliques. Those that a clique calls have lower numbers than it.
    pub cliques: Vec<Clique>,
    /// The modules of the funcs, each in two parts: what other modules can call, and the rest.
    pub modules: Vec<ModulePart>,
    /// The costs of calls, per metric of the call graph; empty for metrics without inclusive
    /// costs.
    pub columns: Vec<Column>,
}

impl Contexts {
    /// Whether all calls of each row of [`crate::GraphTables::calls`] stay within a clique.
    pub fn recursive_rows(&self, n_rows: usize) -> Vec<bool> {
        let clique = |context: u32| self.contexts[context as usize].clique;
        let mut recursive = vec![true; n_rows];
        for call in &self.calls {
            recursive[call.row as usize] &= clique(call.caller) == clique(call.callee);
        }
        recursive
    }

    /// Marks the parts of modules that `is_excluded` selects by module name and by whether other
    /// modules can call the part.
    pub fn exclude(&mut self, is_excluded: impl Fn(&str, bool) -> bool) {
        for part in &mut self.modules {
            part.excluded = is_excluded(&part.name, part.exported);
        }
    }

    /// Adds the contexts of another recording of the same metrics. `func` returns the new id of a
    /// func, and `first_row` is the row of [`crate::GraphTables::calls`] where its calls begin.
    pub(crate) fn add(&mut self, more: &Self, func: impl Fn(FuncId) -> FuncId, first_row: usize) {
        let (contexts, calls) = (self.contexts.len() as u32, self.calls.len() as u32);
        let (cliques, modules) = (self.cliques.len() as u32, self.modules.len() as u32);
        self.contexts.extend(more.contexts.iter().map(|context| Context {
            func: context.func.map(&func),
            clique: context.clique + cliques,
            module: context.module.map(|module| module + modules),
        }));
        self.calls.extend(more.calls.iter().map(|call| ContextCall {
            caller: call.caller + contexts,
            callee: call.callee + contexts,
            row: call.row + first_row as u32,
            count: call.count,
        }));
        let entry = |clique: &Clique| Clique { entry: clique.entry.map(|call| call + calls) };
        self.cliques.extend(more.cliques.iter().map(entry));
        self.modules.extend_from_slice(&more.modules);
        self.columns.resize(self.columns.len().max(more.columns.len()), Column::default());
        for (column, more) in self.columns.iter_mut().zip(&more.columns) {
            column.own.extend_from_slice(&more.own);
            column.below.extend_from_slice(&more.below);
        }
    }
}

/// A func in one context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The func; `None` if the profile is damaged.
    pub func: Option<FuncId>,
    /// A row of [`Contexts::cliques`].
    pub clique: u32,
    /// The module of the func, a row of [`Contexts::modules`]; `None` if the profile is damaged.
    pub module: Option<u32>,
}

/// The procedures of a module that other modules can call, or those that they cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModulePart {
    /// The name of the module.
    pub name: String,
    /// Whether other modules can call the procedures.
    pub exported: bool,
    /// Whether the procedures are left out of lists of callers (contour exclusion).
    pub excluded: bool,
}

/// The calls from one call site in one context to another context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextCall {
    /// The context of the caller.
    pub caller: u32,
    /// The context of the callee.
    pub callee: u32,
    /// The call site and the callee: a row of [`crate::GraphTables::calls`].
    pub row: u32,
    /// The number of calls.
    pub count: u64,
}

/// Contexts that call each other, or a single context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clique {
    /// The call that leads into it, a row of [`Contexts::calls`]; `None` for the first clique.
    pub entry: Option<u32>,
}

/// The costs of calls in one metric, by row of [`Contexts::calls`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// What the callee consumes itself.
    pub own: Vec<f64>,
    /// What is consumed below the callee. 0 for calls within a clique: the cost of a clique is
    /// charged to the call that enters it.
    pub below: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(func: u32, clique: u32) -> Context {
        Context { func: Some(FuncId::new(func)), clique, module: None }
    }

    /// `main` calls `even`, which calls `odd` and is called by it.
    fn recursion() -> Contexts {
        let call = |caller, callee, row| ContextCall { caller, callee, row, count: 1 };
        let part =
            |name: &str, exported| ModulePart { name: name.to_owned(), exported, excluded: false };
        Contexts {
            contexts: vec![context(0, 1), context(1, 0), context(2, 0)],
            calls: vec![call(0, 1, 0), call(1, 2, 1), call(2, 1, 2)],
            cliques: vec![Clique { entry: Some(0) }, Clique { entry: None }],
            modules: vec![part("m", true), part("m", false), part("n", true)],
            columns: vec![Column { own: vec![3.0, 2.0, 1.0], below: vec![3.0, 0.0, 0.0] }],
        }
    }

    #[test]
    fn rows_within_a_clique_are_recursive() {
        assert_eq!(recursion().recursive_rows(3), [false, true, true]);
        // One call of a row from outside is enough.
        let mut shared = recursion();
        shared.calls[2].row = 0;
        assert_eq!(shared.recursive_rows(2), [false, true]);
    }

    #[test]
    fn parts_of_modules_are_excluded_by_name_and_by_what_others_can_call() {
        let mut contexts = recursion();
        contexts.exclude(|name, exported| name == "m" && !exported);
        let excluded: Vec<_> = contexts.modules.iter().map(|part| part.excluded).collect();
        assert_eq!(excluded, [false, true, false]);
        contexts.exclude(|name, _| name == "n");
        let excluded: Vec<_> = contexts.modules.iter().map(|part| part.excluded).collect();
        assert_eq!(excluded, [false, false, true]);
    }

    #[test]
    fn added_contexts_come_after_those_that_there_are() {
        let mut both = recursion();
        both.add(&recursion(), |func| FuncId::new(func.raw() + 10), 3);
        assert_eq!(both.contexts[3..], [context(10, 3), context(11, 2), context(12, 2)]);
        let ends: Vec<_> =
            both.calls[3..].iter().map(|it| (it.caller, it.callee, it.row)).collect();
        assert_eq!(ends, [(3, 4, 3), (4, 5, 4), (5, 4, 5)]);
        let entries: Vec<_> = both.cliques.iter().map(|clique| clique.entry).collect();
        assert_eq!(entries, [Some(0), None, Some(3), None]);
        assert_eq!(both.modules.len(), 6);
        assert_eq!(both.columns[0].own, [3.0, 2.0, 1.0, 3.0, 2.0, 1.0]);
        assert_eq!(both.columns[0].below, [3.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
        assert_eq!(both.recursive_rows(6), [false, true, true, false, true, true]);
    }
}
