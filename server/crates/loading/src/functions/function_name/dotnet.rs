//! Names of .NET methods: ``Shop.Cart`1+<Items>d__8[System.__Canon].MoveNext()``.
//!
//! Classes in classes follow `+`, generic ones end with the number of their parameters. Compilers make
//! methods and classes whose names begin with that of a method in `<>`. `<F>` is that method, as
//! Roslyn names them (`GeneratedNameKind`) or, in brackets, Mono's compiler:
//!
//! - `<F>d__1.MoveNext` (`<F>c__Iterator0`, `<F>c__async0`): the body of `F`, which is async or an
//!   iterator; `<<F>b__0>d.MoveNext`: the body of an async lambda in `F`
//! - `<F>b__0` (`<F>c__AnonStorey0.<>m__0`): a lambda in `F`, often in a class `<>c`
//! - `<F>g__G|0_0`: the local function `G` in `F`
//!
//! F# has `f@12.Invoke` for closures in `f`.

/// A method, as in the source.
#[derive(Debug, Default)]
pub(super) struct Method {
    /// Its name. `None` for lambdas, and for what is not in the source.
    pub name: Option<String>,
    pub is_lambda: bool,
    /// The method around a lambda, if the name has it.
    pub outer: Option<String>,
    /// The namespaces, classes and methods around it, outermost first.
    pub path: Vec<String>,
    /// Whether it is made by a compiler, which may change the parameters.
    pub is_made: bool,
}

/// Parses a name that only .NET has, without parameters. Others, such as `Shop.Work.Spin`, are parsed
/// like those of other languages.
pub(super) fn parse(name: &str) -> Option<Method> {
    // Each of them has at least one of these.
    if !name.contains(['`', '+', '<', '@']) && !name.contains("..c") {
        return None;
    }
    let (segments, is_of_dotnet) = segments(name)?;
    let parsed = || {
        let is_made = segments.iter().any(|segment| made_by_compiler(segment).is_some());
        Method { is_made, ..named(&segments).unwrap_or_default() }
    };
    is_of_dotnet.then(parsed)
}

/// The classes and the method of a name, without type arguments, and whether only .NET names functions
/// like this. `None` if brackets do not match.
fn segments(name: &str) -> Option<(Vec<&str>, bool)> {
    let (mut segments, mut is_of_dotnet) = (Vec::new(), false);
    let mut rest = name;
    loop {
        let end = end_of_segment(rest)?;
        let (segment, after) = rest.split_at(end);
        let plain = without_type_arguments(segment);
        is_of_dotnet |= plain.len() < segment.len() && segment[plain.len()..].starts_with('`')
            || (made_by_compiler(plain).is_some() && !(after.is_empty() && plain.contains('@')))
            || (segments.last() == Some(&"") && matches!(plain, "ctor" | "cctor"));
        segments.push(plain);
        let Some(separator) = after.chars().next() else { break };
        rest = &after[1..];
        is_of_dotnet |= separator == '+';
    }
    Some((segments, is_of_dotnet))
}

/// Where the segment at the beginning of a name ends: at a separator outside of brackets.
fn end_of_segment(name: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in name.char_indices() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.checked_sub(1)?,
            '.' if depth == 0 => return Some(at),
            // In C++, `operator+` is a name.
            '+' if depth == 0
                && at > 0
                && !name[..at].ends_with("operator")
                && name[at + 1..].starts_with(|c: char| c.is_alphabetic() || "_<".contains(c)) =>
            {
                return Some(at);
            }
            _ => {}
        }
    }
    (depth == 0).then_some(name.len())
}

/// `Cart` of ``Cart`1[System.__Canon]``.
fn without_type_arguments(segment: &str) -> &str {
    let segment = match segment.find('[') {
        Some(at) if at > 0 && segment.ends_with(']') => &segment[..at],
        _ => segment,
    };
    match segment.rsplit_once('`') {
        Some((name, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => segment,
    }
}

/// What a compiler makes for a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made<'a> {
    /// The class with the body of an async method, an iterator or an async lambda.
    Body(&'a str),
    Lambda(&'a str),
    LocalFunction(&'a str, &'a str),
    /// A class for the variables of lambdas, or the entry point.
    Other(&'a str),
}

/// What a name such as `<Total>b__0` is. The method is empty if the name does not have it.
fn made_by_compiler(segment: &str) -> Option<Made<'_>> {
    if let Some((function, number)) = segment.split_once('@') {
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        return (!function.is_empty() && is_number).then_some(Made::Lambda(function));
    }
    let inside = segment.strip_prefix('<')?;
    let mut depth = 1_u32;
    let end = inside.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let (of, kind) = (&inside[..end], &inside[end + 1..]);
    let is_body = kind == "d"
        || ["d__", "c__Iterator", "c__async"].iter().any(|start| kind.starts_with(start));
    if is_body {
        return Some(Made::Body(of));
    }
    if let Some(local) = kind.strip_prefix("g__") {
        return Some(Made::LocalFunction(of, local.split('|').next().unwrap_or(local)));
    }
    if kind.starts_with("b__") || kind.starts_with("m__") {
        return Some(Made::Lambda(of));
    }
    (kind == "$" || kind == "c" || kind.starts_with("c__")).then_some(Made::Other(of))
}

/// The method or lambda that the segments name, if it is in the source.
fn named(segments: &[&str]) -> Option<Method> {
    let (&last, classes) = segments.split_last()?;
    let made = classes.iter().rev().find_map(|class| made_by_compiler(class));
    let mut path: Vec<String> = classes
        .iter()
        .filter(|class| !class.is_empty() && made_by_compiler(class).is_none())
        .map(|&class| class.to_owned())
        .collect();
    // The method around a lambda may be in the name of its class only.
    let around = |of| match made {
        Some(Made::Other(of_class)) if str::is_empty(of) => of_class,
        _ => of,
    };
    match (made_by_compiler(last), made) {
        (Some(Made::Lambda(of)), _) => Some(lambda(path, around(of))),
        (Some(Made::LocalFunction(of, name)), _) => {
            path.push(method(of, &path));
            Some(Method { name: Some(name.to_owned()), path, ..Method::default() })
        }
        // `Invoke` of F#.
        (None, Some(Made::Lambda(of))) => Some(lambda(path, of)),
        (None, Some(Made::Body(of))) if last == "MoveNext" => match made_by_compiler(of) {
            Some(Made::Lambda(_) | Made::LocalFunction(..)) => {
                named(&[&classes[..classes.len() - 1], &[of]].concat())
            }
            Some(_) => None,
            None => {
                let name = Some(method(of, &path));
                Some(Method { name, path, ..Method::default() })
            }
        },
        (Some(_), _) | (None, Some(_)) => None,
        (None, None) => {
            let is_constructor = classes.last() == Some(&"");
            let last = if is_constructor { format!(".{last}") } else { last.to_owned() };
            let name = Some(method(&last, &path));
            Some(Method { name, path, ..Method::default() })
        }
    }
}

fn lambda(mut path: Vec<String>, of: &str) -> Method {
    let outer = Some(method(of, &path)).filter(|outer| !outer.is_empty());
    path.extend(outer.clone());
    Method { is_lambda: true, outer, path, ..Method::default() }
}

/// The name of a method as in the source: constructors are called like their class.
fn method(name: &str, path: &[String]) -> String {
    match (name, path.last()) {
        (".ctor" | ".cctor", Some(class)) => class.clone(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::without_parameters;
    use super::*;

    /// The path and the name, `closure in` and the function around it, or `-` for what is not in the
    /// source.
    fn parsed(name: &str) -> Option<String> {
        let Method { name, path, is_lambda, outer, .. } = parse(without_parameters(name))?;
        let path = path.join(".");
        Some(match (name, is_lambda) {
            (Some(name), _) => format!("{path} {name}"),
            (None, true) => format!("{path} closure in {}", outer.unwrap_or_default()),
            (None, false) => "-".to_owned(),
        })
    }

    #[test]
    fn names_of_dotnet() {
        for (name, expected) in [
            ("Shop.Cart`1[System.__Canon].Total(float64)", "Shop.Cart Total"),
            ("Shop.Cart`1[System.__Canon]..ctor(int32)", "Shop.Cart Cart"),
            ("Shop.Cart..cctor()", "Shop.Cart Cart"),
            ("Shop.Cart`1+Inner[System.__Canon].Run()", "Shop.Cart.Inner Run"),
            ("Shop.Outer+Cart.get_Count()", "Shop.Outer.Cart get_Count"),
            ("Shop.Work+<RunAsync>d__1.MoveNext()", "Shop.Work RunAsync"),
            ("Shop.Cart`1+<Items>d__8[System.__Canon].MoveNext()", "Shop.Cart Items"),
            ("Shop.Work+<RunAsync>c__async0.MoveNext()", "Shop.Work RunAsync"),
            ("Shop.Work+<RunAsync>d__1.SetStateMachine(class X)", "-"),
            ("Shop.Work+<RunAsync>d__1..ctor(int32)", "-"),
            ("Shop.Program+<>c.<Main>b__0_1(int32)", "Shop.Program.Main closure in Main"),
            (
                "Shop.Program+<>c__DisplayClass0_0.<Main>b__0(class System.String)",
                "Shop.Program.Main closure in Main",
            ),
            ("Shop.Cart+<>c.<.ctor>b__3_0()", "Shop.Cart.Cart closure in Cart"),
            (
                "Shop.Cart`1+<Total>c__AnonStorey1[System.__Canon].<>m__0(!0)",
                "Shop.Cart.Total closure in Total",
            ),
            (
                "Shop.Work+<>c+<<RunAsync>b__0_0>d.MoveNext()",
                "Shop.Work.RunAsync closure in RunAsync",
            ),
            ("Shop.Cart`1[System.__Canon].<Total>g__Local|5_0(float64)", "Shop.Cart.Total Local"),
            ("Shop.Cart+<<Total>g__Local|5_0>d.MoveNext()", "Shop.Cart.Total Local"),
            ("Shop.Cart+<<<Total>b__0>d>d.MoveNext()", "-"),
            ("Program.<<Main>$>g__Work|0_0(int32)", "Program.<Main>$ Work"),
            ("Program.<Main>$(class System.String[])", "-"),
            ("Shop.Lib+main@12-1.Invoke(class Unit)", "Shop.Lib.main closure in main"),
            ("Shop.Lib+Stack`1[System.__Canon].Push(!0)", "Shop.Lib.Stack Push"),
            (
                "A.Builder`1+Box`1[System.Double,Shop.Work+<RunAsync>d__1].MoveNext(class Thread)",
                "A.Builder.Box MoveNext",
            ),
        ] {
            assert_eq!(parsed(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_to_the_other_parser() {
        for name in [
            "Shop.Work.Spin(float64)",
            "com.acme.Cart.<init>(I)",
            "Vec3<double>::operator+<int>(double) const",
            "Vec3<double>::operator+(Vec3 const&)",
            "<app::Tree<T> as app::Walk>::walk",
            "main.Map[...]",
            "build.<locals>.<lambda>",
            "queens.safe",
            "solve/<",
            "+[NSObject alloc]",
            "__libc_start_main@@GLIBC_2.34",
            "_WinMain@16",
            "operator->",
            "",
        ] {
            assert_eq!(parsed(name), None, "{name}");
        }
    }
}
