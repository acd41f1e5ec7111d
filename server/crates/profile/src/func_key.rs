//! Identifies a func across profiles.

/// Identifies a func across profiles and rewrites. Ids are valid only in one profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncKey {
    /// Its name.
    pub name: String,
    /// Its file, as spelled in the profile.
    pub file: Option<String>,
    /// Its library's short name.
    pub lib: Option<String>,
    /// If it is unresolved: its address, relative to its library if there is one.
    pub address: Option<u64>,
}

impl FuncKey {
    /// The key of a func. The name of an unresolved func is its address (`0x1174`), which becomes
    /// [`Self::address`].
    pub fn new(name: &str, file: Option<&str>, lib: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            lib: lib.map(str::to_owned),
            address: address(name),
        }
    }
}

/// The address, if the name of a func is one.
pub(crate) fn address(name: &str) -> Option<u64> {
    name.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_address_counts_as_unresolved() {
        assert_eq!(FuncKey::new("0x1174", None, Some("app")).address, Some(0x1174));
        assert_eq!(FuncKey::new("0xylophone", None, None).address, None);
        assert_eq!(FuncKey::new("main", Some("a.c"), None).address, None);
    }
}
