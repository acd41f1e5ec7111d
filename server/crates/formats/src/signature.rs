//! The signatures by which files are recognized, and the prefix of a file that is compared with
//! them.

use crate::scan::Scanner;
use memchr::memmem;

/// How many bytes of a file are examined.
const PREFIX_LEN: usize = 16 << 10;

/// A signature by which a kind of file is recognized.
#[derive(Debug)]
pub(crate) enum Signature {
    /// These bytes at this offset.
    At(usize, &'static [u8]),
    /// The file begins with the first; its prefix contains all of the others.
    Begins(&'static [u8], &'static [&'static [u8]]),
    /// JSON with all of these keys: `a` is a key of the outermost object (or of the first object of
    /// the outermost list), `a.b` a key one level deeper, `*a` any key that contains `a`.
    Keys(&'static [&'static str]),
    /// A folder whose name has this end.
    FolderName(&'static str),
    /// A function that checks the prefix.
    Check(fn(&[u8]) -> bool),
}

/// The prefix of a file.
pub(crate) struct Prefix<'a> {
    bytes: &'a [u8],
    /// The keys, if it is JSON: pairs of a key of the outermost object and a key of the object in
    /// it. The second is empty for the outer key itself.
    keys: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Prefix<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let bytes = bytes.get(..PREFIX_LEN).unwrap_or(bytes);
        Self { bytes, keys: keys(bytes) }
    }

    pub(crate) fn has(&self, signature: &Signature) -> bool {
        match signature {
            Signature::At(offset, magic) => {
                self.bytes.get(*offset..).is_some_and(|rest| rest.starts_with(magic))
            }
            Signature::Begins(start, others) => {
                self.bytes.starts_with(start)
                    && others.iter().all(|part| memmem::find(self.bytes, part).is_some())
            }
            Signature::Keys(paths) => paths.iter().all(|path| self.has_key(path)),
            Signature::FolderName(_) => false,
            Signature::Check(is_it) => is_it(self.bytes),
        }
    }

    fn has_key(&self, path: &str) -> bool {
        let (outer, inner) = path.split_once('.').unwrap_or((path, ""));
        let is_outer = |key: &[u8]| match outer.strip_prefix('*') {
            Some(part) => memmem::find(key, part.as_bytes()).is_some(),
            None => key == outer.as_bytes(),
        };
        self.keys.iter().any(|(key, below)| *below == inner.as_bytes() && is_outer(key))
    }
}

/// The keys of the outermost object and of those directly below it, as far as the bytes go. Of a
/// list, only the first element is examined.
fn keys<'a>(bytes: &'a [u8]) -> Vec<(&'a [u8], &'a [u8])> {
    let mut keys = Vec::new();
    let mut scanner = Scanner::new(bytes);
    let mut outermost = |scanner: &mut Scanner<'a>, outer: &'a [u8]| {
        keys.push((outer, &b""[..]));
        let mut below = |scanner: &mut Scanner<'a>, inner: &'a [u8]| {
            keys.push((outer, inner));
            scanner.skip()
        };
        match scanner.peek()? {
            b'[' => scanner.first(&mut below),
            _ => scanner.object(&mut below),
        }
    };
    // If the prefix ends within a value or is not JSON, the keys found until then are kept.
    let _ = match scanner.peek() {
        Ok(b'[') => scanner.first(&mut outermost),
        Ok(b'{') => scanner.object(&mut outermost),
        _ => Ok(()),
    };
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_two_levels_are_found_in_the_prefix() {
        let text = br#"[{"a": {"b": [1], "c": {"d": 2}}, "e": [{"f": 1}, {"g": 2}], "x==>y": {"ct": 1}, "h": {"i"#;
        let prefix = Prefix::of(text);
        for paths in [&["a", "a.b", "a.c", "e.f"][..], &["h"], &["*==>.ct"]] {
            assert!(
                prefix.has(&Signature::Keys(Box::leak(paths.to_vec().into_boxed_slice()))),
                "{paths:?}"
            );
        }
        for path in ["d", "c", "e.g", "h.i", "*==>.wt", "*<==", "A"] {
            assert!(!prefix.has_key(path), "{path}");
        }
        assert!(Prefix::of(b"a: {\"b\": 1}").keys.is_empty());
    }

    #[test]
    fn only_the_prefix_is_examined() {
        let mut text = format!("{{\"pad\": \"{}\", ", "x".repeat(PREFIX_LEN)).into_bytes();
        text.extend(b"\"flamebearer\": 1}");
        assert!(!Prefix::of(&text).has_key("flamebearer"));
    }
}
