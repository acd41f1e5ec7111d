//! Functions and libraries, by name.

use super::text::source_name;
use profile::{BuildError, Func, FuncId, Lib, ProfileBuilder};

/// A function as the profile has it. Empty texts mean "not stated".
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FuncText<'a> {
    pub(crate) name: &'a str,
    /// The file name, as in the profile.
    pub(crate) file: &'a str,
    /// The library, with or without its folder.
    pub(crate) lib: &'a str,
    /// The line where the function starts, 1-based; 0 = unknown.
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl FuncText<'_> {
    pub(crate) fn intern(self, builder: &mut ProfileBuilder) -> Result<FuncId, BuildError> {
        let func = self.func(builder)?;
        builder.intern_func(func)
    }

    /// The row for the func table, without adding it.
    pub(crate) fn func(self, builder: &mut ProfileBuilder) -> Result<Func, BuildError> {
        let given = |text: &str| !text.is_empty();
        Ok(Func {
            name: builder.intern_string(self.name)?,
            source: given(self.file)
                .then(|| builder.intern_source(&source_name(self.file)))
                .transpose()?,
            lib: given(self.lib).then(|| builder.intern_lib(library(self.lib))).transpose()?,
            line: self.line,
            column: self.column,
        })
    }
}

/// A library with this path or, without a separator, this name.
pub(crate) fn library(text: &str) -> Lib {
    match text.rsplit_once(['/', '\\']) {
        Some((_, name)) if !name.is_empty() => {
            Lib { name: name.to_owned(), path: text.to_owned(), ..Lib::default() }
        }
        _ => Lib { name: text.to_owned(), ..Lib::default() },
    }
}
