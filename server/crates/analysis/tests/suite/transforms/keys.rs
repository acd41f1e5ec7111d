//! Transforms that give functions by key.

use super::*;
use analysis::{FuncKey, FunctionKey, Name};

/// Functions of one name: two in a.js, one in b.js, one in a library. `main` calls each once.
fn same_names() -> Profile {
    use profile::{
        Frame, Func, Lib, LineKnowledge, Metric, ProfileBuilder, Samples, Thread, Weights,
    };
    let metric = Metric::new("samples", "samples", None).with_lines(LineKnowledge::SelfAndTotal);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut caller = None;
    let mut stack = |name: &str, file: Option<&str>, lib: Option<&str>, line| {
        let func = Func {
            name: builder.intern_string(name).unwrap(),
            source: file.map(|file| builder.intern_source(file).unwrap()),
            lib: lib.map(|name| {
                builder.intern_lib(Lib { name: name.to_owned(), ..Lib::default() }).unwrap()
            }),
            line,
            column: 1,
        };
        let func = builder.intern_func(func).unwrap();
        let frame = builder.intern_frame(Frame::new(func, line)).unwrap();
        let stack = Some(builder.intern_stack(caller, frame).unwrap());
        caller = caller.or(stack);
        stack
    };
    let stacks = [
        stack("main", Some("a.js"), None, 1),
        stack("f", Some("a.js"), None, 3),
        stack("f", Some("a.js"), None, 9),
        stack("f", Some("b.js"), None, 3),
        stack("f", None, Some("libf.so"), 0),
    ];
    let samples = Samples::new(stacks, vec![Weights::Ones]);
    builder.push_thread(Thread::default(), samples).unwrap();
    builder.build()
}

fn key(name: &str, file: Option<&str>, lib: Option<&str>, start: Option<(u32, u32)>) -> Name {
    Name::Key(FunctionKey { func: FuncKey::new(name, file, lib), start })
}

/// The place and cost of each function after a transform, or the warnings.
fn after(kind: TransformKind, names: Vec<Name>, addresses: &Addresses) -> String {
    let profile = same_names();
    let groups = Groups::identity(profile.symbols());
    let recording = Recording::Stacks(profile);
    let transform = Transform { kind, names, implementation: None };
    let view = View { transforms: vec![transform], ..View::of(&recording) };
    let reshaped = reshape(&recording, &view, &groups, addresses).unwrap();
    if let Some(warning) = reshaped.problems.warnings.first() {
        return warning.message.clone();
    }
    let costs = costs(&reshaped.recording, &view, &reshaped.groups);
    let place = |(function, cost): (FunctionId, analysis::FunctionCost)| {
        let func = groups.first_func(function);
        let line = recording.symbols().funcs.get(func).line;
        let key = recording.symbols().func_key(func);
        let file = key.file.or(key.lib).unwrap();
        format!("{file}:{line} {}/{}", cost.cost.self_, cost.cost.total.exact().unwrap())
    };
    costs.functions().map(place).collect::<Vec<_>>().join(", ")
}

#[test]
fn functions_of_one_name_are_merged_separately() {
    let merge = |name| after(TransformKind::MergeFunction, vec![name], &Addresses::default());
    for (name, left) in [
        (
            key("f", Some("a.js"), None, Some((3, 1))),
            "a.js:1 2/5, a.js:9 1/1, b.js:3 1/1, libf.so:0 1/1",
        ),
        (
            key("f", Some("a.js"), None, Some((9, 1))),
            "a.js:1 2/5, a.js:3 1/1, b.js:3 1/1, libf.so:0 1/1",
        ),
        (key("f", Some("b.js"), None, None), "a.js:1 2/5, a.js:3 1/1, a.js:9 1/1, libf.so:0 1/1"),
        // The start does not matter if the rest is unique: code above it may have been edited.
        (
            key("f", Some("b.js"), None, Some((7, 1))),
            "a.js:1 2/5, a.js:3 1/1, a.js:9 1/1, libf.so:0 1/1",
        ),
        (key("f", None, Some("libf.so"), None), "a.js:1 2/5, a.js:3 1/1, a.js:9 1/1, b.js:3 1/1"),
    ] {
        assert_eq!(merge(name), left);
    }
}

#[test]
fn a_key_that_matches_no_function_or_several_is_ignored_with_a_warning() {
    let merge = |name| after(TransformKind::MergeFunction, vec![name], &Addresses::default());
    for (name, problem) in [
        (key("g", Some("a.js"), None, None), "the profile has no function `g` in a.js"),
        (key("f", None, Some("libg.so"), None), "the profile has no function `f` in libg.so"),
        (key("f", None, None, None), "the profile has no function `f` without a file"),
        (
            key("f", Some("a.js"), None, None),
            "2 functions in a.js are called `f`: add the `start` of one to its key",
        ),
        (
            key("f", Some("a.js"), None, Some((5, 1))),
            "2 functions in a.js are called `f`, and none starts at 5:1",
        ),
    ] {
        let name_of = name.text().to_owned();
        assert_eq!(merge(name), format!("{problem}; `merge-function:{name_of}` is ignored"));
    }
}

/// An address in a library was resolved to f of a.js:3 with f of b.js inlined into it.
#[test]
fn an_address_stands_for_the_functions_that_it_was_resolved_to() {
    let address = || FuncKey::new("0x1174", None, Some("app"));
    let functions = [1, 3].map(FunctionId::new).to_vec();
    let addresses = Addresses::from_iter([(address(), functions)]);
    let given = || Name::Key(FunctionKey { func: address(), start: None });
    assert_eq!(
        after(TransformKind::MergeFunction, vec![given()], &addresses),
        "a.js:1 2/5, a.js:9 1/1, b.js:3 1/1, libf.so:0 1/1"
    );
    // In a path it stands for both, in the order of the stacks: here there are none below f.
    let nothing = "no stack is left by `focus-subtree:0x1174`; nothing is shown";
    assert_eq!(after(TransformKind::FocusSubtree, vec![given()], &addresses), nothing);
    let path = vec!["main".into(), given()];
    let nothing = "no stack is left by `focus-subtree:main>0x1174`; nothing is shown";
    assert_eq!(after(TransformKind::FocusSubtree, path, &addresses), nothing);
    let missing = after(TransformKind::MergeFunction, vec![given()], &Addresses::default());
    assert_eq!(
        missing,
        "the profile has no function `0x1174` in app; `merge-function:0x1174` is ignored"
    );
}
