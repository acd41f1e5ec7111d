//! A document as recipes see it: its text, its functions and the folders of its project.

use super::profiler::Profiler;
use std::path::{Path, PathBuf};
use texts::{Definition, FunctionKind};

/// A document in a root.
pub struct Source<'a> {
    /// The canonical path of the document.
    pub path: &'a Path,
    /// The canonical path of the root.
    pub root: &'a Path,
    /// The text.
    pub text: &'a str,
    /// Its functions. Empty if there is no grammar.
    pub definitions: &'a [Definition],
}

impl Source<'_> {
    /// The nearest folder above the document, in the root, that contains a file of this name.
    pub fn folder_with(&self, name: &str) -> Option<PathBuf> {
        self.folders().find(|folder| folder.join(name).is_file()).map(Path::to_owned)
    }

    /// The folders above the document, innermost first, up to the root.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        let above = self.path.ancestors().skip(1);
        above.take_while(|folder| folder.starts_with(self.root))
    }

    /// The path of the document relative to a folder, with `/`.
    pub fn path_in(&self, folder: &Path) -> Option<String> {
        slashes(self.path.strip_prefix(folder).ok()?)
    }

    /// The name of the file.
    pub fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// The functions outside of functions, types and modules that have a name.
    pub fn top_level(&self) -> impl Iterator<Item = &Definition> {
        let all = self.definitions.iter();
        all.filter(|definition| {
            definition.kind == FunctionKind::Function
                && definition.parent.is_none()
                && definition.container.is_none()
        })
    }

    /// The function `main` of a program.
    pub fn main(&self) -> Option<&Definition> {
        self.top_level().find(|definition| definition.name == "main")
    }

    /// The first line that begins with one of these texts, 0-based.
    pub fn line_with(&self, starts: &[&str]) -> Option<u32> {
        let mut lines = self.text.lines();
        let line0 = lines.position(|line| starts.iter().any(|start| line.starts_with(start)))?;
        u32::try_from(line0).ok()
    }

    /// The path to pass to a profiler that runs in `folder`, for what it writes: a name, if profiles
    /// are looked for in that folder, else one in the root.
    pub fn output(&self, profiler: Profiler, folder: &Path) -> String {
        let name = profiler.output();
        let depth = folder.strip_prefix(self.root).map(|below| below.components().count());
        let is_found = depth.is_ok_and(|depth| depth < loading::DEPTH);
        let output = if is_found { name.to_owned() } else { self.root.join(name) };
        output.to_string_lossy().into_owned()
    }
}

/// A relative path with `/`. `None` if it is not UTF-8.
pub fn slashes(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}
