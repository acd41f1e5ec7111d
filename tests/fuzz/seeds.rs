//! The files that are mutated: fixtures, parts of large ones, and inputs that once failed
//! (`fixtures/fuzz/<target>`).

use crate::support::profiles::{SIX_SAMPLES, app_py, cpuprofile, lib_py};
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files are slow to read again and again.
const MAX_BYTES: usize = 1 << 16;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|other| own == *other))
}

/// The seeds of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = files(&repository().join("fixtures/fuzz").join(target))
        .into_iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    seeds.extend(match target {
        "readers" => profiles(),
        "exports" | "views" => choices(),
        "symbols" => programs(),
        "paths" => names(),
        "lines" | "functions" => texts(),
        "messages" => messages(),
        target => panic!("{target} has no seeds"),
    });
    seeds
}

/// Profiles as they are and inflated, and the beginnings of long ones.
fn profiles() -> Vec<Vec<u8>> {
    let folder = repository().join("fixtures");
    let paths = files(&folder).into_iter().filter(|path| {
        let sources = ["rs", "py", "js", "md", "c", "rb", "mjs", "ts", "java", "m"];
        !has_extension(path, &sources)
    });
    let mut profiles = vec![SIX_SAMPLES.as_bytes().to_vec(), cpuprofile(7)];
    for path in paths {
        let bytes = fs::read(path).unwrap();
        let inflated = formats::inflate::prefix(&bytes, MAX_BYTES).into_owned();
        if bytes.len() <= MAX_BYTES && inflated != bytes {
            profiles.push(bytes);
        }
        profiles.push(inflated);
    }
    if let Ok(name) = std::env::var("COSTLINE_FUZZ_FORMAT") {
        let format = formats::Format::ALL.into_iter().find(|format| format.name() == name);
        let format = format.unwrap_or_else(|| panic!("{name} is no format"));
        profiles.retain(|bytes| {
            formats::detect(&formats::inflate::prefix(bytes, MAX_BYTES)) == Some(format)
        });
    }
    profiles
}

/// Bytes for [`crate::targets`] that choose: counting up and down in steps.
fn choices() -> Vec<Vec<u8>> {
    (1..40_u8).map(|step| (0..=255).map(|at: u8| at.wrapping_mul(step)).collect()).collect()
}

fn programs() -> Vec<Vec<u8>> {
    let folder = repository().join("server/crates/symbols/tests/binaries");
    let all = files(&folder).into_iter().chain(files(&repository().join("fixtures/profiles")));
    let is_program = |bytes: &Vec<u8>| {
        [&b"\x7fELF"[..], b"MZ", b"\xcf\xfa\xed\xfe", b"MODULE ", b"Microsoft C"]
            .iter()
            .any(|magic| bytes.starts_with(magic))
    };
    let mut programs: Vec<_> =
        all.filter_map(|path| fs::read(path).ok()).filter(is_program).collect();
    programs.retain(|program| program.len() < 1 << 20);
    programs.push(b"1000 40 f\n1040 20 g h\n".to_vec());
    programs.push(br#"{"string_table":["f"],"data":[{"debug_name":"app","debug_id":"0","code_id":"0","symbol_table":[{"rva":16,"size":8,"symbol":0,"frames":[]}]}]}"#.to_vec());
    programs
}

fn names() -> Vec<Vec<u8>> {
    let text = |text: &str| text.replace('|', "\0").into_bytes();
    let map = br#"{"version":3,"file":"bundle.js","sources":["src/app.js"],"names":["f"],"mappings":"AAAAA,GAAGA;AACH"}"#;
    vec![
        text("\u{0}src/app.js|/src/app.js|/x/src/lib/app.js|C:\\w\\src\\app.js"),
        text("\u{1}/build|src|/build/app.js|webpack:///./src/app.js?a=1"),
        text("\u{0}file:///a%20b/%C3%BC.py|\\\\server\\share\\app.js|../../out/secret.js"),
        text("\u{0}\u{1}/w/link/secret.js|\u{1}/out/secret.js|\u{1}/w/src/../src/app.js"),
        text("\u{2}~|${workspaceFolder}|/a|b|/a/app.js|node:fs|git:github.com/a/b:src/app.js:1"),
        text("\u{0}/rustc/abc/library/std/src/app.js|/proc/self/cwd/src/app.js|src\\lib\\app.js"),
        map.to_vec(),
    ]
}

/// A choice of a language, and two texts.
fn texts() -> Vec<Vec<u8>> {
    let folder = repository().join("fixtures/profiles");
    let languages = [
        "rs", "py", "js", "ts", "tsx", "c", "cpp", "cs", "java", "go", "rb", "php", "lua", "m", "R",
    ];
    let (app, lib) = (app_py(), lib_py());
    let two = |choice: usize, before: &str, after: &str| {
        [&[choice as u8][..], before.as_bytes(), b"\0", after.as_bytes()].concat()
    };
    let mut texts = vec![two(1, &app, &lib), two(1, &lib, &lib)];
    for path in files(&folder) {
        let Some(choice) = languages.iter().position(|language| has_extension(&path, &[language]))
        else {
            continue;
        };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let text: String = text.chars().take(6000).collect();
        let edited = text.replace("    ", "\t").replacen("return", "if (x) return", 2);
        texts.push(two(choice, &text, &edited));
    }
    texts
}

fn messages() -> Vec<Vec<u8>> {
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let initialize = frame(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"rootUri":"file:///w","capabilities":{"workspace":{"applyEdit":true}},"trace":"off"}}"#,
    );
    let initialized = frame(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
    let bodies = [
        r#"{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"},"position":{"line":1,"character":2}}}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"workspace/executeCommand","params":{"command":"c","arguments":[{"a":[1,null]}]}}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"shutdown","params":null}"#,
        r#"[{"jsonrpc":"2.0","id":4,"method":"unknown"}]"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"c","version":1,"text":"\ud83d\ude00"}}}"#,
    ];
    let mut sessions: Vec<Vec<u8>> = bodies
        .iter()
        .map(|body| format!("{initialize}{initialized}{}", frame(body)).into_bytes())
        .collect();
    let exit = frame(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    sessions.push(format!("{initialize}{}{exit}", bodies.map(frame).concat()).into_bytes());
    sessions.push(initialize.to_lowercase().into_bytes());
    sessions
}
