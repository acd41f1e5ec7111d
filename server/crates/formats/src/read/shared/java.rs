//! Names of classes and methods of the JVM.

use std::borrow::Cow;

/// A name without the numbers of the class that a JVM creates for a Java lambda, which differ in each
/// run: `App$$Lambda$88+0x00007f31/1790421142.run`, `App$$Lambda$14.0x0000000800c03000.run` and
/// `App$$Lambda/0x00007f31.run` all become `App$$Lambda.run`.
pub(in crate::read) fn without_addresses(name: &str) -> Cow<'_, str> {
    const LAMBDA: &str = "$$Lambda";
    // Few names have this character, which is found faster.
    let has_mark = name.as_bytes().contains(&b'$');
    let Some(at) = has_mark.then(|| name.find(LAMBDA)).flatten() else {
        return Cow::Borrowed(name);
    };
    let (class, mut rest) = name.split_at(at + LAMBDA.len());
    while let Some(number) = rest.strip_prefix(['$', '+', '/', '.']) {
        let hex = number.strip_prefix("0x");
        let digits = hex.unwrap_or(number);
        let is_digit =
            |c: char| if hex.is_some() { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
        if end == 0 {
            break;
        }
        rest = &digits[end..];
    }
    if class.len() + rest.len() == name.len() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("{class}{rest}"))
}

/// The file of a class, whose name has slashes: `demo/Main.java` for `demo/Main$Inner`. `None` if it is no
/// name of a class.
pub(in crate::read) fn class_file(class: &str) -> Option<String> {
    let (folder, simple) =
        class.rsplit_once('/').map_or((None, class), |(folder, simple)| (Some(folder), simple));
    // Inner classes and lambdas are in the file of the outermost class; top-level functions of
    // Kotlin's Main.kt are in the class `MainKt`.
    let outer = simple.split('$').next().filter(|outer| !outer.is_empty())?;
    let file = outer
        .strip_suffix("Kt")
        .filter(|stem| !stem.is_empty())
        .map_or(format!("{outer}.java"), |stem| format!("{stem}.kt"));
    Some(folder.map_or(file.clone(), |folder| format!("{folder}/{file}")))
}

/// The name of a class in a form that is the same in each run: classes that a JVM creates while it runs
/// have an address in their name (`demo/Main$$Lambda$105+0x00007fefb4007c08/1699113578`,
/// `java/lang/invoke/LambdaForm$MH/0x00007f6b01002400`).
pub(in crate::read) fn stable_class(class: &str) -> Cow<'_, str> {
    let address = ["+0x", "/0x", ".0x"].into_iter().filter_map(|mark| class.find(mark)).min();
    without_addresses(&class[..address.unwrap_or(class.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_lambdas_have_no_numbers() {
        let cases = [
            ("a/B$$Lambda$14.0x0000000800c03000.run", "a/B$$Lambda.run"),
            ("a.B$$Lambda/0x00007f31a8.run", "a.B$$Lambda.run"),
            ("a.B$$Lambda+0x00007f31a8/12.apply$x", "a.B$$Lambda.apply$x"),
            ("a.B$$Lambda", "a.B$$Lambda"),
            ("a.B$1.run", "a.B$1.run"),
        ];
        for (name, expected) in cases {
            assert_eq!(without_addresses(name), expected, "{name}");
        }
    }

    #[test]
    fn classes_have_no_addresses_and_are_in_the_file_of_the_outermost() {
        let cases = [
            ("demo/text/Indexer$Posting", "demo/text/Indexer$Posting", "demo/text/Indexer.java"),
            (
                "demo/Main$$Lambda$105+0x00007fefb4007c08/16991",
                "demo/Main$$Lambda",
                "demo/Main.java",
            ),
            ("demo/Main$$Lambda/0x00007f6b01002400", "demo/Main$$Lambda", "demo/Main.java"),
            ("a/LambdaForm$MH.0x0000000800c03000", "a/LambdaForm$MH", "a/LambdaForm.java"),
            ("shop/CartKt", "shop/CartKt", "shop/Cart.kt"),
            ("Main", "Main", "Main.java"),
        ];
        for (class, name, file) in cases {
            assert_eq!(stable_class(class), name);
            assert_eq!(class_file(&stable_class(class)).as_deref(), Some(file));
        }
        assert_eq!(class_file(""), None);
    }
}
