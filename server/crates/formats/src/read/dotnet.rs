//! What .NET's tools write into files of several formats: methods with their modules, compilation
//! tiers, and time that belongs to no method.
//!
//! Sources: `StackSourceWriterHelper` of `TraceEvent`, which dotnet-trace uses, and `PerfMap` and
//! `GetJitOptimizationTierStr` of the runtime.

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

/// The method and its tier, if the runtime has written the symbol into a perf map:
/// `instance float64 [Shop] Shop.Cart::Total(float64)[OptimizedTier1]`. The method is spelled like
/// those of dotnet-trace: `Shop.Cart.Total(float64)`.
pub(crate) fn of_perf_map(symbol: &str) -> Option<(String, JitTier)> {
    let (symbol, tier) = match symbol.strip_suffix(']').and_then(|symbol| symbol.rsplit_once('[')) {
        Some((method, tier)) if method.ends_with(')') => (method, tier_of(tier)),
        _ => (symbol, JitTier::Unknown),
    };
    // The module follows the type of the result, which may have a module as well, but no blank after
    // it: `class [mscorlib]System.Type [Shop] Shop.Cart::Kind()`.
    let (result, method) = symbol.split_once("] ")?;
    let (_, module) = result.rsplit_once(" [")?;
    let end = method.rfind('(').filter(|_| method.ends_with(')'))?;
    let (class, name) = method[..end].split_once("::")?;
    let is_name = |text: &str| !text.is_empty() && !text.contains(' ');
    (is_name(module) && is_name(class) && is_name(name))
        .then(|| (format!("{class}.{name}{}", &method[end..]), tier))
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
                Some(("Shop.Program.Main(string[])", JitTier::Jit)),
            ),
            (
                "instance float64 [Shop] Shop.Core.Cart`1[System.__Canon]::Total(float64)[QuickJitted]",
                Some(("Shop.Core.Cart`1[System.__Canon].Total(float64)", JitTier::Tier0)),
            ),
            (
                "instance class [mscorlib]System.Collections.Generic.IEnumerable`1<int32> [Shop] Shop.Cart`1[System.__Canon]::Items()[OptimizedTier1]",
                Some(("Shop.Cart`1[System.__Canon].Items()", JitTier::Tier1)),
            ),
            ("void [Shop] Shop.Cart::.cctor()", Some(("Shop.Cart..cctor()", JitTier::Unknown))),
            ("stub<1> AllocateTemporaryEntryPoints<PRECODE_FIXUP>", None),
            ("shop::total(int)[clone]", None),
            ("void shop::Cart::total(int)", None),
            ("Interpreter", None),
            ("", None),
        ] {
            let expected = expected.map(|(name, tier)| (name.to_owned(), tier));
            assert_eq!(of_perf_map(symbol), expected, "{symbol}");
        }
    }
}
