//! Names from samply's sidecar.

use profile::{AddressBase, Level, Lib};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use symbols::{Cache, Generics, KernelFiles, LibSymbols, Search, Sidecar};

const TEXT: &str = r#"{
    "string_table": ["app", "app::parse", "app::Tree<T>::insert", "src/main.rs"],
    "data": [{
        "debug_name": "app", "debug_id": "0589bb10-f157-88f5-1ec0-13128d89cef4", "code_id": null,
        "symbol_table": [
            {"rva": 4096, "size": 64, "symbol": 1, "frames": [{"function": 1, "file": 3, "line": 7}]},
            {"rva": 4160, "symbol": 2}
        ],
        "known_addresses": [[4100, 0], [4104, 0], [4200, 1]]
    }]
}"#;

fn resolve(lib: &Lib, addresses: &[u64], sidecar: &Sidecar) -> Arc<LibSymbols> {
    let search = Search {
        candidates: &|_| Vec::new(),
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &KernelFiles::of_this_machine(None),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    Cache::default()
        .resolve(lib, addresses, &search, Some(sidecar), &mut |_, _| ControlFlow::Continue(()))
}

#[test]
fn a_sidecar_gives_names_without_lines() {
    let sidecar = Sidecar::parse(TEXT.as_bytes()).unwrap();
    let app = Lib {
        debug_id: "0589BB10F15788F51EC013128D89CEF40".to_owned(),
        name: "app".to_owned(),
        addresses: AddressBase::Image,
        ..Lib::default()
    };
    let symbols = resolve(&app, &[4100, 4200, 4300], &sidecar);
    let name_only = |name| Some(Level::named(name));
    assert_eq!(symbols.levels(4100, Generics::Keep).next(), name_only("app::parse"));
    assert_eq!(symbols.levels(4200, Generics::Keep).next(), name_only("app::Tree<T>::insert"));
    assert_eq!(symbols.levels(4200, Generics::Collapse).next(), name_only("app::Tree<…>::insert"));
    assert_eq!((symbols.n_resolved(), symbols.n_looked_up()), (2, 3));
    let sentence = symbols.status().message("app");
    assert!(
        sentence.starts_with(
            "app: names from the sidecar (its line numbers are unreliable and ignored); "
        ),
        "{sentence}"
    );

    let other = Lib { debug_id: "1589BB10F15788F51EC013128D89CEF40".to_owned(), ..app };
    let symbols = resolve(&other, &[4100], &sidecar);
    assert_eq!(symbols.n_resolved(), 0, "the id belongs to another build");
}

#[test]
fn describes_a_malformed_sidecar_in_one_sentence() {
    for broken in [
        "",
        "[]",
        r#"{"string_table": [], "data": [{}]}"#,
        &TEXT.replace("[4200, 1]", "[4200, 9]"),
        &TEXT.replace("[4200, 1]", "[4000, 1]"),
        &TEXT.replace(r#""symbol": 2"#, r#""symbol": 4"#),
    ] {
        let why = Sidecar::parse(broken.as_bytes()).unwrap_err();
        assert!(
            why.starts_with("the sidecar is not what samply 0.13 writes: ") && !why.contains('\n'),
            "{why}"
        );
    }
}
