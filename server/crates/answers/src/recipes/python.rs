//! Python: programs, and tests of pytest and unittest, by py-spy.

use super::entry::{Entry, command};
use super::profiler::Profiler;
use super::source::Source;
use std::path::{Path, PathBuf};
use texts::{Definition, FunctionKind};

/// Files that mark the top folder of a project.
const MARKERS: [&str; 4] = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"];

/// The beginning of the block that runs only if the file is the program.
const GUARDS: [&str; 2] = ["if __name__ == \"__main__\"", "if __name__ == '__main__'"];

pub fn entries(source: &Source) -> Vec<Entry> {
    let project = source.folders().find(|folder| is_project(folder)).unwrap_or(source.root);
    let file = source.file_name();
    if file.starts_with("test_") || file.ends_with("_test.py") {
        let tests = source.definitions.iter().filter(|definition| is_test(definition));
        return tests.filter_map(|test| test_entry(source, project, test)).collect();
    }
    program(source, project).into_iter().collect()
}

fn is_project(folder: &Path) -> bool {
    MARKERS.iter().any(|marker| folder.join(marker).is_file())
}

/// The file as a program: with the block that runs it, or the name of such a file.
fn program(source: &Source, project: &Path) -> Option<Entry> {
    let guard = source.line_with(&GUARDS);
    let is_program = guard.is_some() || source.file_name() == "__main__.py";
    if !is_program {
        return None;
    }
    let line0 = source.main().map(|main| main.name_line0).or(guard).unwrap_or(0);
    let name = source.path_in(project)?;
    let (folder, run) = match module(source) {
        // A file of a package finds the others only as a module.
        Some((folder, module)) => (folder, vec!["-m".to_owned(), module]),
        None => (project.to_owned(), vec![name.clone()]),
    };
    Some(entry(source, line0, name, folder, run))
}

/// The folder of the package that the file is part of, and the name of the file as a module.
fn module(source: &Source) -> Option<(PathBuf, String)> {
    let is_package = |folder: &&Path| folder.join("__init__.py").is_file();
    let top = source.folders().take_while(is_package).last()?;
    let folder = top.parent().filter(|folder| folder.starts_with(source.root))?;
    let path = source.path_in(folder)?;
    let path = path.strip_suffix(".py")?;
    Some((folder.to_owned(), path.strip_suffix("/__main__").unwrap_or(path).replace('/', ".")))
}

/// A function or method whose name begins as those that pytest and unittest run.
fn is_test(definition: &Definition) -> bool {
    definition.kind == FunctionKind::Function
        && definition.parent.is_none()
        && definition.name.starts_with("test")
}

fn test_entry(source: &Source, project: &Path, test: &Definition) -> Option<Entry> {
    let file = source.path_in(project)?;
    let path = || test.scopes.iter().chain([&test.name]).map(String::as_str);
    let imports = |module: &str| {
        let starts = [format!("import {module}"), format!("from {module}")];
        source.line_with(&[&starts[0], &starts[1]]).is_some()
    };
    let run = if imports("unittest") && !imports("pytest") {
        let pattern = path().collect::<Vec<_>>().join(".");
        command(&[&["-m", "unittest", "-k", &pattern, &file]])
    } else {
        let node = [file.as_str()].into_iter().chain(path()).collect::<Vec<_>>().join("::");
        command(&[&["-m", "pytest", &node]])
    };
    let name = format!("test {}", test.name);
    Some(entry(source, test.name_line0, name, project.to_owned(), run))
}

/// An entry that runs Python with these arguments.
fn entry(source: &Source, line0: u32, name: String, folder: PathBuf, run: Vec<String>) -> Entry {
    let output = source.output(Profiler::PySpy, &folder);
    let py_spy = ["py-spy", "record", "-f", "speedscope", "--full-filenames", "-o", &output, "--"];
    let python = python(source);
    let mut words = command(&[&py_spy, &[&python]]);
    words.extend(run);
    Entry { line0, name, profiler: Profiler::PySpy, folder, commands: vec![words] }
}

/// The interpreter: that of the virtual environment of the project, else the one on the PATH.
fn python(source: &Source) -> String {
    let (on_path, inner) =
        if cfg!(windows) { ("python", "Scripts/python.exe") } else { ("python3", "bin/python") };
    let environments =
        source.folders().flat_map(|folder| [folder.join(".venv"), folder.join("venv")]);
    let mut own = environments.map(|environment| environment.join(inner));
    let own = own.find(|python| python.is_file());
    own.map_or_else(|| on_path.to_owned(), |python| python.to_string_lossy().into_owned())
}
