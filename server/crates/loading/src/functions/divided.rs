//! Divides a func without a start line among the definitions of its name that its frames lie in:
//! methods of several classes, inlined functions of builds with line tables only, comprehensions.
//! A frame outside of these definitions stays with the func.

use crate::functions::definitions::FileDefinitions;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use analysis::{Divided, FuncId, Groups, Recording, Start, divide};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Divides the funcs of `recording`. `definitions` are those of the recorded text of each file, and
/// `groups` has the files. `None` if nothing is divided.
pub fn divided_by_definition(
    recording: &Recording,
    groups: &Groups,
    definitions: &[Option<Arc<FileDefinitions>>],
) -> Option<Divided> {
    let parts = parts(recording, groups, definitions);
    if parts.is_empty() {
        return None;
    }
    divide(recording, |func, line| parts.get(&(func, line)).copied())
}

/// The start of the definition that each line (1-based) of a func is in, for funcs with several.
fn parts(
    recording: &Recording,
    groups: &Groups,
    definitions: &[Option<Arc<FileDefinitions>>],
) -> FxHashMap<(FuncId, u32), Start> {
    let symbols = recording.symbols();
    let mut parts = FxHashMap::default();
    if recording.sampled().is_none() || definitions.iter().all(Option::is_none) {
        return parts;
    }
    let files: Vec<_> = definitions.iter().map(|file| file.as_deref().map(File::new)).collect();
    let mut lines: FxHashMap<FuncId, Vec<u32>> = FxHashMap::default();
    recording.each_place(|func, source, line| {
        let this = symbols.funcs.get(func);
        let has_definitions = files.get(groups.file(source).index()).is_some_and(Option::is_some);
        if this.line == 0 && this.source == Some(source) && has_definitions {
            lines.entry(func).or_default().push(line);
        }
    });
    for (func, mut lines) in lines {
        let this = symbols.funcs.get(func);
        let name = symbols.strings.get(this.name);
        // Overloads have one name in the text. Their parameters distinguish them.
        let is_overload =
            name.ends_with(')') && !name.starts_with('(') && !name.ends_with("operator()");
        let file = this.source.and_then(|source| files.get(groups.file(source).index())?.as_ref());
        let Some(file) = file.filter(|_| !is_overload) else { continue };
        let name = FunctionName::of(name);
        lines.sort_unstable();
        lines.dedup();
        // The body of an `async fn`, without the name of the function, in line tables of Rust.
        let is_async_body = symbols.strings.get(this.name).starts_with("{async_fn#");
        let start_around = |line0: u32| {
            if is_async_body {
                file.start_of_function_around(line0)
            } else {
                file.start_around(&name, line0)
            }
        };
        let start = |line: &u32| Some((*line, start_around(line - 1)?));
        let starts: Vec<(u32, Start)> = lines.iter().filter_map(start).collect();
        if starts.iter().any(|(_, start)| *start != starts[0].1) {
            parts.extend(starts.into_iter().map(|(line, start)| ((func, line), start)));
        }
    }
    parts
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use profile::text_samples;
    use std::path::Path;

    /// The lines of each func of `samples` after division, as `START: LINE, LINE`.
    fn divided(file: &str, text: &str, samples: &str) -> Vec<String> {
        let recording: Recording = text_samples::profile(samples).into();
        let groups = Groups::identity(recording.symbols());
        let text = FileDefinitions::of_text(Path::new(file), text.to_owned()).map(Arc::new);
        let Some(divided) = divided_by_definition(&recording, &groups, &[text]) else {
            return Vec::new();
        };
        let symbols = divided.recording.symbols();
        let mut lines: Vec<(u32, Vec<u32>)> =
            symbols.funcs.ids().map(|func| (symbols.funcs.get(func).line, Vec::new())).collect();
        divided.recording.each_place(|func, _, line| lines[func.index()].1.push(line));
        lines.retain(|(_, lines)| !lines.is_empty());
        lines.iter().map(|(start, lines)| format!("{start}: {lines:?}")).collect()
    }

    const PYTHON: &str = "\
class A:
    def run(self):
        return [f(x)
                for x in self]

class B:
    def run(self):
        return max(x
                   for x in self)

def other():
    pass
";

    #[test]
    fn frames_of_one_name_go_to_their_definitions() {
        let samples = "run@3[file:a.py] run@4 run@8 run@12";
        assert_eq!(divided("a.py", PYTHON, samples), ["0: [12]", "2: [3, 4]", "7: [8]"]);
        let samples = "<listcomp>@4[file:a.py] <listcomp>@9";
        assert_eq!(divided("a.py", PYTHON, samples), ["2: [4]", "7: [9]"]);
    }

    #[test]
    fn lines_of_several_closures_are_divided_from_others() {
        let text = "a = lambda n: n + 1\nb = [lambda n: n - 1, lambda n: n * 2]\nc = f\n";
        let samples = "<lambda>@1[file:a.py] <lambda>@2 <lambda>@3";
        assert_eq!(divided("a.py", text, samples), ["0: [3]", "1: [1]", "2: [2]"]);
        let text = "a = [lambda n: n, lambda n: 1]\nb = [lambda n: n - 1, lambda n: n * 2]\n";
        let samples = "<lambda>@1[file:a.py] <lambda>@2";
        assert_eq!(divided("a.py", text, samples), ["1: [1]", "2: [2]"]);
    }

    #[test]
    fn bodies_of_async_functions_are_divided() {
        let rust = "async fn first() {\n    f();\n}\n\nasync fn second() {\n    g();\n}\n";
        let samples = "{async_fn#0}@2[file:a.rs] {async_fn#0}@6";
        assert_eq!(divided("a.rs", rust, samples), ["1: [2]", "5: [6]"]);
    }

    #[test]
    fn one_definition_or_a_qualified_name_is_not_divided() {
        assert_eq!(divided("a.py", PYTHON, "run@3[file:a.py] run@12"), [""; 0]);
        assert_eq!(divided("a.py", PYTHON, "A.run@3[file:a.py] A.run@8"), [""; 0]);
        assert_eq!(divided("a.py", PYTHON, "run@3[file:a.py][start:2] run@8"), [""; 0]);
    }

    #[test]
    fn inlined_methods_with_bare_names_go_to_their_types() {
        let rust = "\
impl Shape for A {
    fn area(&self) -> f64 {
        self.x
    }
}
impl Shape for B {
    fn area(&self) -> f64 {
        self.y
    }
}
";
        let samples = "area@3[file:a.rs][inl] area@8[inl]";
        assert_eq!(divided("a.rs", rust, samples), ["2: [3]", "7: [8]"]);
        // The line of `B` is inlined into the method of `A`, which the profiler did not mark.
        assert_eq!(divided("a.rs", rust, "app::A::area@3[file:a.rs] app::A::area@8"), [""; 0]);
    }
}
