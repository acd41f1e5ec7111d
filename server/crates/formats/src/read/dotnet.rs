//! What .NET's tools write into files of several formats: methods with their modules, compilation
//! tiers, and time that belongs to no method.
//!
//! Sources: `StackSourceWriterHelper` and `OptimizationTier` of `TraceEvent`, which dotnet-trace uses, and `PerfMap`
//! and `GetJitOptimizationTierStr` of the runtime.

use profile::JitTier;

/// The names of frames for the time that a method spends in its own code, in native code and waiting.
/// Each is the innermost frame of its stack.
pub(crate) const OWN_TIME: [&str; 3] = ["CPU_TIME", "UNMANAGED_CODE_TIME", "AWAIT_TIME"];

/// The category of all events in `TraceEvent`'s Chrome traces.
pub(crate) const EVENT_CATEGORY: &str = "sampleEvent";

/// A time in milliseconds, rounded to nanoseconds: `TraceEvent` ends each sample 0.1 ns early, so that
/// samples do not overlap.
pub(crate) fn whole_ns(ms: f64) -> f64 {
    (ms * 1e6).round() / 1e6
}

/// The module and the method in `Shop!Shop.Cart.Total(float64)`. The module is empty if the frame has
/// none.
pub(crate) fn module_and_method(frame: &str) -> (&str, &str) {
    frame.split_once('!').filter(|(module, _)| !module.is_empty()).unwrap_or(("", frame))
}

/// The method, its module and its tier, if the runtime has written the symbol into a perf map:
/// `instance float64 [Shop] Shop.Cart::Total(float64)[OptimizedTier1]`. The method is spelled like
/// those of dotnet-trace: `Shop.Cart.Total(float64)`.
pub(crate) fn of_perf_map(symbol: &str) -> Option<(String, &str, JitTier)> {
    let (symbol, tier) = match symbol.strip_suffix(']').and_then(|symbol| symbol.rsplit_once('[')) {
        Some((method, tier)) if method.ends_with(')') => (method, tier_of(tier)),
        _ => (symbol, JitTier::Unknown),
    };
    // The module follows the type of the result, which may have a module as well:
    // `class [mscorlib]System.Type [Shop] Shop.Cart::Kind()`.
    let (before, method) = symbol.split_once("::")?;
    let (_result, class) = before.rsplit_once(" [")?;
    let (module, class) = class.split_once("] ")?;
    let end = method.rfind('(').filter(|_| method.ends_with(')'))?;
    let (name, parameters) = method.split_at(end);
    let is_name = |text: &str| !text.is_empty() && !text.contains(' ');
    (is_name(module) && is_name(class) && is_name(name))
        .then(|| (format!("{class}.{name}{parameters}"), module, tier))
}

/// The tier in the flags of a method, in the runtime's events. Those of methods that were not compiled while the
/// program ran have none.
pub(crate) fn tier_of_flags(flags: u32) -> JitTier {
    const COMPILED: u32 = 1 << 3;
    if flags & COMPILED == 0 {
        return JitTier::Unknown;
    }
    match flags >> 7 & 7 {
        1 | 2 => JitTier::Jit,
        3 | 6 => JitTier::Tier0,
        4 | 5 | 7 => JitTier::Tier1,
        _ => JitTier::Unknown,
    }
}

fn tier_of(name: &str) -> JitTier {
    match name {
        "QuickJitted" | "QuickJittedInstrumented" => JitTier::Tier0,
        "OptimizedTier1" | "OptimizedTier1OSR" | "OptimizedTier1Instrumented" => JitTier::Tier1,
        "Optimized" | "MinOptJitted" => JitTier::Jit,
        _ => JitTier::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_split_off() {
        for (frame, expected) in [
            ("Shop!Shop.Cart.Total(float64)", ("Shop", "Shop.Cart.Total(float64)")),
            ("System.Private.CoreLib.il!A.B()", ("System.Private.CoreLib.il", "A.B()")),
            ("coreclr!?", ("coreclr", "?")),
            ("Thread (4211)", ("", "Thread (4211)")),
            ("!x", ("", "!x")),
        ] {
            assert_eq!(module_and_method(frame), expected, "{frame}");
        }
    }

    #[test]
    fn symbols_of_perf_maps() {
        for (symbol, expected) in [
            (
                "void [Shop] Shop.Program::Main(string[])[Optimized]",
                Some(("Shop.Program.Main(string[])", "Shop", JitTier::Jit)),
            ),
            (
                "instance float64 [Shop] Shop.Core.Cart`1[System.__Canon]::Total(float64)[QuickJitted]",
                Some(("Shop.Core.Cart`1[System.__Canon].Total(float64)", "Shop", JitTier::Tier0)),
            ),
            (
                "instance class [mscorlib]System.Collections.Generic.IEnumerable`1<int32> [Shop] Shop.Cart`1[System.__Canon]::Items()[OptimizedTier1]",
                Some(("Shop.Cart`1[System.__Canon].Items()", "Shop", JitTier::Tier1)),
            ),
            (
                "void [Shop] Shop.Cart::.cctor()",
                Some(("Shop.Cart..cctor()", "Shop", JitTier::Unknown)),
            ),
            ("stub<1> AllocateTemporaryEntryPoints<PRECODE_FIXUP>", None),
            ("shop::total(int)[clone]", None),
            ("void shop::Cart::total(int)", None),
            ("Interpreter", None),
            ("", None),
        ] {
            let expected = expected.map(|(name, lib, tier)| (name.to_owned(), lib, tier));
            assert_eq!(of_perf_map(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn flags_have_a_tier_if_the_method_was_compiled() {
        let tier = |number: u32| tier_of_flags(number << 7 | 8);
        assert_eq!((tier(0), tier(2)), (JitTier::Unknown, JitTier::Jit));
        assert_eq!((tier(3), tier(6)), (JitTier::Tier0, JitTier::Tier0));
        assert_eq!((tier(4), tier(5)), (JitTier::Tier1, JitTier::Tier1));
        assert_eq!(tier_of_flags(4 << 7), JitTier::Unknown);
    }
}
