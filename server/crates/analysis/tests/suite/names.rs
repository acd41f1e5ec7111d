//! Resolving names: exact, by suffix, glob and regular expression, and the messages for names
//! without a match.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

use analysis::{also_process, find_function, find_metric, find_threads, nearest, thread_labels};
use profile::{
    Func, FuncId, Groups, Lib, LineKnowledge, Metric, Profile, ProfileBuilder, Recording, Samples,
    Thread, Weights,
};

/// One func per name.
fn functions(names: &[&str]) -> Profile {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    for name in names {
        let name = builder.intern_string(name).unwrap();
        builder.intern_func(Func { name, source: None, lib: None, line: 0, column: 0 }).unwrap();
    }
    builder.build()
}

/// The name of the function that `query` matches, or the message.
fn find(profile: &Profile, query: &str) -> String {
    let groups = Groups::identity(profile.symbols());
    match find_function(profile.symbols(), &groups, query) {
        Ok(function) => profile.symbols().func_name(groups.first_func(function)).to_owned(),
        Err(error) => error.problem,
    }
}

#[test]
fn finds_functions_by_name_suffix_glob_or_regular_expression() {
    let profile = functions(&[
        "operator[]",
        "o",
        "Vec<T>::push",
        "app::parse_line",
        "parse_line_end",
        "Ledger#post",
        "main.(*Index).Add",
        "/re/",
        "re",
        "a*",
        "abc",
        "{{closure}}",
    ]);
    for (query, name) in [
        // An exact name wins over its meaning as a glob or regular expression.
        ("operator[]", "operator[]"),
        ("a*", "a*"),
        ("/re/", "/re/"),
        ("{{closure}}", "{{closure}}"),
        // A suffix must consist of whole words.
        ("push", "Vec<T>::push"),
        ("post", "Ledger#post"),
        ("#post", "Ledger#post"),
        ("(*Index).Add", "main.(*Index).Add"),
        ("parse_line", "app::parse_line"),
        ("ab?", "abc"),
        ("*_end", "parse_line_end"),
        ("Vec*", "Vec<T>::push"),
        ("/^app::/", "app::parse_line"),
        ("/line$/", "app::parse_line"),
    ] {
        assert_eq!(find(&profile, query), name, "{query}");
    }
    assert_eq!(
        find(&profile, "*parse*"),
        "2 functions match `*parse*` (`app::parse_line`, `parse_line_end`)"
    );
    assert_eq!(
        find(&profile, "/line/"),
        "2 functions match `/line/` (`app::parse_line`, `parse_line_end`)"
    );
    assert_eq!(find(&profile, "ush"), "no function is called `ush` (did you mean `Vec<T>::push`?)");
    assert!(
        find(&profile, "/(/").starts_with("`/(/` is not a valid regular expression ("),
        "{}",
        find(&profile, "/(/")
    );
}

#[test]
fn finds_functions_by_name_without_parameters() {
    let profile = functions(&[
        "run(unsigned long)",
        "app::run(int)",
        "Square::area(int) const",
        "Square::scale(void (*)(int), std::pair<int, int>) [clone .part.0] [clone .cold]",
        "Square::operator()(int) const &",
        "Call::operator()",
        "mix(int)",
        "mix(double)",
        "double max<double>(double)",
        "std::sort<int*, std::less<int> >",
        "(anonymous)",
    ]);
    for (query, name) in [
        // The whole name wins over a suffix.
        ("run", "run(unsigned long)"),
        ("app::run", "app::run(int)"),
        ("Square::area", "Square::area(int) const"),
        ("area", "Square::area(int) const"),
        (
            "scale",
            "Square::scale(void (*)(int), std::pair<int, int>) [clone .part.0] [clone .cold]",
        ),
        ("max<double>", "double max<double>(double)"),
        ("max", "double max<double>(double)"),
        ("sort", "std::sort<int*, std::less<int> >"),
        ("std::sort", "std::sort<int*, std::less<int> >"),
        // A name with parentheses wins over one with parameters.
        ("operator()", "Call::operator()"),
        ("Square::operator()", "Square::operator()(int) const &"),
    ] {
        assert_eq!(find(&profile, query), name, "{query}");
    }
    assert_eq!(find(&profile, "mix"), "2 functions match `mix` (`mix(int)`, `mix(double)`)");
    assert!(find(&profile, "operator").starts_with("no function is called"));
    assert!(find(&profile, "cons").starts_with("no function is called"));
}

#[test]
fn lists_ambiguous_functions_with_their_libraries() {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let name = builder.intern_string("push_back").unwrap();
    let libs = ["a.so", "b.so"]
        .map(|name| builder.intern_lib(Lib { name: name.to_owned(), ..Lib::default() }).unwrap());
    for lib in libs {
        let func = Func { name, source: None, lib: Some(lib), line: 0, column: 0 };
        builder.intern_func(func).unwrap();
    }
    let profile = builder.build();
    assert_eq!(
        find(&profile, "push_back"),
        "2 functions match `push_back` (`a.so::push_back`, `b.so::push_back`)"
    );
    let groups = Groups::identity(profile.symbols());
    assert_eq!(
        find_function(profile.symbols(), &groups, "b.so::push_back").unwrap(),
        groups.function(FuncId::new(1))
    );
}

#[test]
fn finds_metrics_by_name_unit_or_pattern() {
    let metric = |name, unit| Metric::new(name, unit, None).with_lines(LineKnowledge::SelfAndTotal);
    let metrics = vec![
        metric("alloc_space", "bytes"),
        metric("inuse_space", "bytes"),
        metric("cpu", "nanoseconds"),
    ];
    let recording =
        |default| Recording::Stacks(ProfileBuilder::new(metrics.clone(), default).build());
    let find = |default, query| {
        find_metric(&recording(default), query)
            .map(profile::MetricId::index)
            .map_err(|error| error.problem)
    };
    let found = |query| find(2, query);
    assert_eq!((found("inuse_space"), found("nanoseconds")), (Ok(1), Ok(2)));
    assert_eq!((find(0, "bytes"), find(1, "bytes")), (Ok(0), Ok(1)), "the default metric");
    let several = "2 metrics match `bytes` (`alloc_space`, `inuse_space`)";
    assert_eq!(found("bytes"), Err(several.to_owned()));
    assert_eq!((found("inuse*"), found("/^c/")), (Ok(1), Ok(2)));
    assert_eq!(
        found("*_space"),
        Err("2 metrics match `*_space` (`alloc_space`, `inuse_space`)".to_owned())
    );
    let near = "no metric is called `alloc_spce` (did you mean `alloc_space`?)";
    assert_eq!(found("alloc_spce"), Err(near.to_owned()));
    let all = "no metric is called `wall` (there are `alloc_space`, `cpu`, `inuse_space`)";
    assert_eq!(found("wall"), Err(all.to_owned()));
}

#[test]
fn finds_threads_by_name_or_id() {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    for (name, tid) in [("main", "7"), ("worker-1", "8"), ("worker-2", "9"), ("worker-*", "10")] {
        let samples = Samples::new(vec![], vec![Weights::Ones]);
        let thread = Thread {
            name: name.to_owned(),
            tid: Some(tid.to_owned()),
            pid: Some("7".to_owned()),
            ..Thread::default()
        };
        builder.push_thread(thread, samples).unwrap();
    }
    let recording = Recording::Stacks(builder.build());
    let found = |query| {
        let threads = find_threads(&recording, query).map_err(|error| error.problem)?;
        Ok::<_, String>(threads.into_iter().map(profile::ThreadId::index).collect::<Vec<_>>())
    };
    assert_eq!((found("main"), found("8"), found("7")), (Ok(vec![0]), Ok(vec![1]), Ok(vec![0])));
    assert_eq!(
        (found("tid:7"), found("pid:7"), found("worker-1 · thread 8")),
        (Ok(vec![0]), Ok(vec![0, 1, 2, 3]), Ok(vec![1]))
    );
    assert_eq!(found("tid:8"), Ok(vec![1]));
    assert!(found("pid:8").is_err() && found("tid:").is_err());
    let also = |query| also_process(&recording, query).map(|warning| warning.message);
    let message = "7 is the id of a thread and of its process; showing the thread (`tid:7`); \
                   `pid:7` is the process";
    assert_eq!(also("7"), Some(message.to_owned()));
    assert_eq!((also("8"), also("tid:7"), also("pid:7")), (None, None, None));
    assert_eq!(
        (found("worker-*"), found("worker-?"), found("/^w.*[0-9]$/")),
        (Ok(vec![3]), Ok(vec![1, 2, 3]), Ok(vec![1, 2]))
    );
    assert_eq!(found("man"), Err("no thread is called `man` (did you mean `main`?)".to_owned()));
}

#[test]
fn threads_of_one_name_and_id_are_told_apart_by_their_process() {
    let thread = |name: &str, tid: Option<&str>, pid: &str| Thread {
        name: name.to_owned(),
        process_name: "app".to_owned(),
        tid: tid.map(str::to_owned),
        pid: Some(pid.to_owned()),
        ..Thread::default()
    };
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let renderer = Thread { process_name: "Renderer".to_owned(), ..thread("a", Some("1"), "6") };
    let threads = [thread("a", Some("1"), "5"), renderer, thread("", None, "5")];
    assert_eq!(
        thread_labels(&threads),
        ["a · thread 1 · process 5 (app)", "a · thread 1 · process 6 (Renderer)", "app"]
    );
    for thread in threads {
        builder.push_thread(thread, Samples::new(vec![], vec![Weights::Ones])).unwrap();
    }
    let recording = Recording::Stacks(builder.build());
    let found = |query| {
        let threads = find_threads(&recording, query).unwrap();
        threads.into_iter().map(profile::ThreadId::index).collect::<Vec<_>>()
    };
    assert_eq!(found("a · thread 1 · process 6 (Renderer)"), [1]);
    assert_eq!((found("1"), found("5"), found("app")), (vec![0, 1], vec![0, 2], vec![2]));
    assert_eq!((found("Renderer"), found("Render*")), (vec![1], vec![1]));
    assert_eq!(found("process 5 (app)"), [0, 2]);
    // `costline check` lists them with their process even if there is no other.
    assert_eq!(found("app · process 5 (app)"), [2]);
}

#[test]
fn suggests_similar_names_or_lists_all_if_they_are_few() {
    assert_eq!(
        nearest("diffrent", ["different", "other"].into_iter()),
        " (did you mean `different`?)"
    );
    assert_eq!(
        nearest("distnce", ["words::suggest::distance", "other"].into_iter()),
        " (did you mean `words::suggest::distance`?)"
    );
    assert_eq!(nearest("x", ["hits"].into_iter()), " (there is only `hits`)");
    assert_eq!(nearest("x", std::iter::empty()), "");
    let many: Vec<_> = (0..20).map(|n| format!("name{n}")).collect();
    assert_eq!(nearest("x", many.iter().map(String::as_str)), "");
}
