//! Names that are relative to the folder of the build, which is not known.

use crate::support::{Project, numbered};
use answers::line_costs;
use profile::text_samples;

const MAIN: &str = "#include \"../lib/lib.h\"\nint main(void) {\n    return work(9);\n}\n";
const LIB: &str = "#include \"lib.h\"\nint work(int n) {\n    return mix(n) / 3;\n}\n";
const HEADER: &str = "int work(int n);\nstatic int mix(int x) {\n    return x * 31;\n}\n";
const FILES: [(&str, &str); 3] = [("src/main.c", MAIN), ("lib/lib.c", LIB), ("lib/lib.h", HEADER)];

/// All files, in each of these folders.
fn in_folders(folders: &[&str]) -> Vec<(&'static str, &'static str)> {
    let in_folder =
        |folder: &&str| FILES.map(|(name, text)| (&*format!("{folder}/{name}").leak(), text));
    folders.iter().flat_map(in_folder).collect()
}

/// Two samples in `mix` and one in `work`, of a program whose sources are named after `folder`, and a
/// sample of another function.
fn samples_with(folder: &str, other: &str) -> String {
    let row = |function: &str, file: &str, others: &str| {
        let first = format!("{function}@3[file:{folder}{file}][lib:app][start:2]");
        format!("{first:<60}{others}\n")
    };
    row("main", "src/main.c", &format!("main@3 main@3 {other}"))
        + &row("work", "lib/lib.c", "work@3 work@3")
        + &row("mix", "lib/lib.h", "mix@3")
}

fn samples(folder: &str) -> String {
    samples_with(folder, "")
}

/// The hints of all files.
fn hints(project: &Project, files: &[(&str, &str)], samples: &str) -> Vec<String> {
    let snapshot = project.load(text_samples::profile(samples));
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let context = project.context(snapshot, &names);
    let hints = names.iter().flat_map(|name| {
        let hints = line_costs(&context, &project.uri(name), 0..u32::MAX);
        hints.into_iter().map(move |hint| format!("{name}:{}", numbered(&hint)))
    });
    hints.collect()
}

/// Of three samples.
const ALL: [&str; 3] = ["src/main.c:3 100.0%", "lib/lib.c:3 100.0%", "lib/lib.h:3 66.7%"];
const NONE: [&str; 0] = [];

#[test]
fn files_are_found_by_their_functions() {
    // The folder of the build was replaced by `.`, or the one above it by nothing.
    for folder in ["./", "./build/../", "build/", "./build/", "out/debug/"] {
        let project = Project::new(&FILES);
        assert_eq!(hints(&project, &FILES, &samples(folder)), ALL, "{folder}");
    }
    // The sources are in a folder below the root.
    let below = in_folders(&["core"]);
    let project = Project::new(&below);
    assert_eq!(hints(&project, &below, &samples("./")), ALL.map(|hint| format!("core/{hint}")));
}

#[test]
fn files_of_other_libraries_are_not_taken_for_those_of_the_program() {
    // A library that is linked into the program was built in a folder of its own. It has a `src/main.c`
    // of the same name, and its `lib/util.c` has one function of the user's.
    let util = "int init(int n) {\n    return n;\n}\n\nint weigh(int n) {\n    return n;\n}\n";
    let mut files = FILES.to_vec();
    files.push(("lib/util.c", util));
    let project = Project::new(&files);
    let expected = ["src/main.c:3 75.0%", "lib/lib.c:3 75.0%", "lib/lib.h:3 50.0%"];
    for other in [
        // None of the functions is there.
        "inflate@2[file:./lib/util.c][lib:app][start:1]",
        // One is there, on another line.
        "init@9[file:./lib/util.c][lib:app][start:8]",
        // It has no start, so only its name is known.
        "init@2[file:./lib/util.c][lib:app]",
    ] {
        assert_eq!(hints(&project, &files, &samples_with("./", other)), expected, "{other}");
    }
    let own = samples_with("./", "init@2[file:./lib/util.c][lib:app][start:1]");
    let expected = [&expected[..], &["lib/util.c:2 25.0%"]].concat();
    assert_eq!(hints(&project, &files, &own), expected);
}

#[test]
fn a_base_name_or_one_function_is_not_sufficient() {
    let main = "main@3[file:./main.c][lib:app][start:2]";
    let files = [("src/main.c", MAIN)];
    let project = Project::new(&files);
    assert_eq!(hints(&project, &files, main), NONE);
    let other = "main@3[file:./main.c][lib:app][start:2]\nrun@3[file:./main.c][lib:app][start:2]";
    assert_eq!(hints(&project, &files, other), NONE);
}

#[test]
fn two_folders_that_fit_are_ambiguous() {
    let twice = in_folders(&["a", "b"]);
    let project = Project::new(&twice);
    assert_eq!(hints(&project, &twice, &samples("./")), NONE);
}

#[test]
fn a_function_without_a_library_is_no_evidence() {
    let project = Project::new(&FILES);
    let unknown = samples("./").replace("[lib:app]", "");
    assert_eq!(hints(&project, &FILES, &unknown), NONE);
}

#[test]
fn an_edited_file_is_found_with_the_others() {
    // `work` is far below its recorded start, but `main` and `mix` show where the folder is.
    let edited = LIB.replace("int work", "\n\n\n\n\n\nint work");
    let files = [("src/main.c", MAIN), ("lib/lib.c", &edited), ("lib/lib.h", HEADER)];
    let project = Project::new(&files);
    let snapshot = project.load(text_samples::profile(&samples("./")));
    let mappings = &snapshot.identified.mappings;
    assert_eq!(mappings.iter().filter(|mapping| mapping.path().is_some()).count(), 3);
}
