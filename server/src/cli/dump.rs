//! `costline dump`: the raw nodes of a profile.

use super::exit::Failure;
use super::output::Output;
use answers::{LoadError, ReadLimits as Limits, Settings, regular_file};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Writes the nodes of a deep profile of Mercury as text.
pub(super) fn dump(path: &Path, out: &mut Output) -> Result<(), Failure> {
    let max_bytes = Settings::default().max_profile_bytes;
    let failed = |source| LoadError::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let (file, _) = regular_file::open(path).map_err(failed)?;
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    let len = bytes.len() as u64;
    if len > max_bytes {
        return Err(LoadError::TooLarge { path: path.to_owned(), len, limit: max_bytes }.into());
    }
    let text = answers::dump(bytes, Limits { max_inflated_bytes: max_bytes })
        .map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    out.write_all(text.as_bytes())?;
    Ok(())
}
