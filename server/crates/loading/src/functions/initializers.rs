//! Field initializers and static blocks of JavaScript classes. V8 runs those of a class in functions
//! of their own, which belong to the function that calls them: the constructor, or the function
//! that contains the class.

use analysis::{FuncId, FunctionId, Groups, Recording};
use rustc_hash::FxHashMap;

/// A function that initializes fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Initializer {
    /// Of each instance.
    Instance,
    /// Of the class.
    Static,
}

impl Initializer {
    fn of(name: &str) -> Option<Self> {
        match name {
            "<instance_members_initializer>" => Some(Self::Instance),
            // The second name is used by Node.js 14.
            "<static_initializer>" | "<static_fields_initializer>" => Some(Self::Static),
            _ => None,
        }
    }
}

/// Whether this is the name of a function that initializes fields.
pub fn is_initializer(name: &str) -> bool {
    Initializer::of(name).is_some()
}

/// The function that each initializer is a part of, if that is certain. `is_constructor` is whether
/// a function is a constructor by its definition.
pub fn owners(
    recording: &Recording,
    groups: &Groups,
    is_constructor: impl Fn(FunctionId) -> bool,
) -> FxHashMap<FunctionId, FunctionId> {
    let symbols = recording.symbols();
    let kind = |func: FuncId| Initializer::of(symbols.strings.get(symbols.funcs.get(func).name));
    let initializers: FxHashMap<FunctionId, Initializer> =
        symbols.funcs.ids().filter_map(|func| Some((groups.function(func), kind(func)?))).collect();
    if initializers.is_empty() || recording.summed().is_some() {
        return FxHashMap::default();
    }
    // `None` if there are several.
    let mut callers: FxHashMap<FunctionId, Option<FunctionId>> = FxHashMap::default();
    recording.each_call(|caller, callee| {
        let (caller, callee) = (groups.function(caller), groups.function(callee));
        if initializers.contains_key(&callee) {
            let known = callers.entry(callee).or_insert(Some(caller));
            *known = known.filter(|known| *known == caller);
        }
    });
    let is_owner = |initializer: FunctionId, caller: FunctionId| {
        let start = |function: FunctionId| {
            let func = symbols.funcs.get(groups.first_func(function));
            Some((groups.file(func.source?), (func.line, func.column)))
        };
        let (Some((file, own)), Some((of_caller, start))) = (start(initializer), start(caller))
        else {
            return false;
        };
        file == of_caller
            && match initializers[&initializer] {
                // A constructor that is not written down is at the place of its class.
                Initializer::Instance => start == own || is_constructor(caller),
                Initializer::Static => start <= own,
            }
    };
    let callers = callers.into_iter().filter_map(|(callee, caller)| Some((callee, caller?)));
    callers.filter(|&(callee, caller)| is_owner(callee, caller)).collect()
}
