//! The files of classes. Frames of the JVM name a class and no path, so profilers and converters say
//! `shop/Cart.java` for each class `shop.Cart`, whatever the name and the language of its file are. Second
//! classes of a file, and most classes of Kotlin and Scala, are in files of other names.
//!
//! A class is in the only file that declares it, outside of other classes, and its package.

use super::identifying::{Change, Identifying};
use rustc_hash::FxHashMap;
use sources::{How, Mapping, Reason};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The extensions of files with classes.
const EXTENSIONS: [&str; 4] = ["java", "kt", "scala", "groovy"];

/// The words before the name of a class.
const KEYWORDS: [&str; 6] = ["class", "interface", "enum", "record", "object", "trait"];

/// The beginnings of the paths of classes in the standard libraries.
const LIBRARIES: [&str; 7] = ["java/", "javax/", "jdk/", "sun/", "com/sun/", "kotlin/", "scala/"];

/// A class that the profile names.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Class<'a> {
    /// With dots; empty for the default package.
    package: String,
    /// Without the classes in it.
    name: &'a str,
    /// Whether it consists of the functions of a file `NAME.kt`.
    is_file: bool,
}

/// Maps the classes that are in files of other names.
pub fn find(all: &Identifying<'_>) -> Change {
    let is_missing = |mapping: &Mapping| {
        matches!(mapping, Mapping::Unmapped(Reason::NotFound | Reason::Gone(_)))
    };
    let sources = all.sources().filter(|(_, mapping)| is_missing(mapping));
    let wanted = sources.filter_map(|(source, _)| Some((Class::of(all.name(source))?, source)));
    let wanted: FxHashMap<Class<'_>, _> = wanted.collect();
    if wanted.is_empty() || !all.context.index.is_complete() {
        return Change::default();
    }
    let mut found: FxHashMap<&Class<'_>, Vec<PathBuf>> = FxHashMap::default();
    for path in all.context.index.workspace_files().filter(|path| extension(path).is_some()) {
        let mut classes = wanted.keys().filter(|class| class.may_be_in(path)).peekable();
        if classes.peek().is_none() || all.context.excluded.contains(path) {
            continue;
        }
        let Some(text) = all.context.reader.candidate(path) else { continue };
        let package = package(&text);
        for class in classes.filter(|class| class.package == package && class.is_in(path, &text)) {
            found.entry(class).or_default().push(path.to_owned());
        }
    }
    if all.context.reader.is_cut() {
        return Change::default();
    }
    Change::mappings(found.into_iter().map(|(class, candidates)| {
        let mapping = match <[PathBuf; 1]>::try_from(candidates) {
            Ok([path]) => Mapping::Mapped { path, how: How::Module },
            Err(candidates) => Mapping::Ambiguous { candidates },
        };
        (wanted[class], mapping)
    }))
}

fn extension(path: &Path) -> Option<&'static str> {
    let extension = path.extension().and_then(OsStr::to_str);
    EXTENSIONS.into_iter().find(|it| extension == Some(it))
}

impl<'a> Class<'a> {
    /// The class of a name that was made from its own. `None` for other names, and for classes of the
    /// standard libraries.
    fn of(name: &'a str) -> Option<Self> {
        let (path, extension) = name.rsplit_once('.')?;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let is_class = !name.is_empty() && name.chars().all(is_word);
        let is_package =
            folder.split('/').all(|part| !part.is_empty() && part.chars().all(is_word));
        (matches!(extension, "java" | "kt")
            && is_class
            && (is_package || folder.is_empty())
            && !LIBRARIES.iter().any(|library| path.starts_with(library)))
        .then(|| Self { package: folder.replace('/', "."), name, is_file: extension == "kt" })
    }

    /// Whether a file can declare the class, by its path. The folders of Java are the parts of the package.
    fn may_be_in(&self, path: &Path) -> bool {
        let mut folders = path.iter().rev().skip(1);
        extension(path) != Some("java")
            || self
                .package
                .rsplit('.')
                .all(|part| part.is_empty() || folders.next() == Some(OsStr::new(part)))
    }

    /// Whether a file of its package declares the class, outside of other classes.
    fn is_in(&self, path: &Path, text: &str) -> bool {
        if self.is_file && path.file_stem() == Some(OsStr::new(self.name)) {
            return extension(path) == Some("kt");
        }
        let declares = |line: &str| {
            let words: Vec<&str> = words(line).collect();
            words.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == self.name)
        };
        let mut lines =
            text.lines().filter(|line| line.starts_with(|first: char| !first.is_whitespace()));
        lines.any(|line| !line.starts_with("//") && declares(line))
            || text.contains(&format!("@file:JvmName(\"{}\")", self.name))
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The package of a text. Scala may have its parts in several lines.
fn package(text: &str) -> String {
    let stated = text.lines().filter_map(|line| line.strip_prefix("package "));
    let stated = stated.filter(|rest| !rest.trim_start().starts_with("object "));
    let parts = stated.map(|rest| rest.trim().split([';', '{', ' ']).next().unwrap_or_default());
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_have_a_package() {
        let class =
            |name| Class::of(name).map(|it| format!("{}|{}|{}", it.package, it.name, it.is_file));
        assert_eq!(class("shop/cart/Item.java").as_deref(), Some("shop.cart|Item|false"));
        assert_eq!(class("shop/Main.kt").as_deref(), Some("shop|Main|true"));
        assert_eq!(class("Main.java").as_deref(), Some("|Main|false"));
        for other in ["/srv/Main.java", "java/util/HashMap.java", "shop/a.py", "shop/a-b.java"] {
            assert_eq!(class(other), None, "{other}");
        }
    }

    #[test]
    fn a_class_is_declared_outside_of_others() {
        let is_in = |name: &str, file: &str, text: &str| {
            let class = Class::of(name).unwrap();
            let path = Path::new(file);
            class.may_be_in(path) && class.package == package(text) && class.is_in(path, text)
        };
        let java = "package shop;\n// class Note\npublic class Main {\n    static class Inner {}\n}\nfinal class Item {}\n";
        let found = ["Main", "Item", "Inner", "Note", "Items"]
            .map(|name| is_in(&format!("shop/{name}.java"), "/src/shop/Main.java", java));
        assert_eq!(found, [true, true, false, false, false]);
        // Another package, and another folder than Java's.
        assert!(!is_in("shops/Item.java", "/src/shops/Main.java", java));
        assert!(!is_in("shop/Item.java", "/src/other/Main.java", java));

        let kotlin = "@file:JvmName(\"Tools\")\npackage shop.cart\n\ndata class Item(val n: Int)\nfun sum() = 1\n";
        for (name, expected) in
            [("Item.java", true), ("Tools.java", true), ("Cart.kt", true), ("Sum.kt", false)]
        {
            assert_eq!(
                is_in(&format!("shop/cart/{name}"), "/src/Cart.kt", kotlin),
                expected,
                "{name}"
            );
        }
        let scala = "package shop\npackage cart\n\npackage object util {}\nobject Item extends App {}\ncase class Sum(n: Int)\n";
        for (name, expected) in [("Item", true), ("Sum", true), ("App", false)] {
            assert_eq!(
                is_in(&format!("shop/cart/{name}.java"), "/src/All.scala", scala),
                expected,
                "{name}"
            );
        }
    }
}
