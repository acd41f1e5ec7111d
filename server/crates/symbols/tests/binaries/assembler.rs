//! Functions that have no type in the symbol table, as assembler leaves them, and the stubs that
//! call functions of libraries.

use crate::{lib, printed, resolve, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// `typed` has no size, `sized` has one, and other functions have neither type nor size.
const FUNCTIONS: &str = "
    .text
    .globl typed, other, sized
    .type typed, @function
typed:
    nop
    ret
local:
    nop
    ret
other:
    nop
.Lgenerated:
    ret
    .type sized, @function
sized:
    nop
inside:
    nop
    ret
    .size sized, . - sized
    .section .note.GNU-stack, \"\", @progbits
";

const MAIN: &str = "
#include <stdio.h>
#include <stdlib.h>
int typed(void), other(void), sized(void);
int main(int argc, char **argv) {
    (void)argv;
    puts(getenv(\"HOME\"));
    return argc > 1 ? typed() + other() + sized() : 0;
}
";

/// Builds `app`; `false` if there is no compiler.
fn builds(folder: &Path) -> bool {
    fs::write(folder.join("functions.s"), FUNCTIONS).unwrap();
    fs::write(folder.join("main.c"), MAIN).unwrap();
    let options = ["-O1", "-fplt", "-Wl,-z,lazy,--build-id=none"];
    run("gcc", folder, &[&options[..], &["main.c", "functions.s", "-o", "app"]].concat())
}

/// The lines that a tool prints about `app`.
fn lines(folder: &Path, tool: &str, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(tool).args(arguments).arg("app").current_dir(folder).output();
    String::from_utf8(output.unwrap().stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn names_functions_without_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    if !builds(path) {
        return;
    }
    let symbols = lines(path, "nm", &["-P"]);
    let typed = symbols.iter().find_map(|line| line.strip_prefix("typed T ")).unwrap();
    let typed = u64::from_str_radix(typed.split(' ').next().unwrap(), 16).unwrap();
    // `nop` and `ret` have one byte each.
    let addresses: Vec<u64> = (typed..typed + 9).collect();
    let found = resolve(&lib("app", ""), &addresses, &[&path.join("app")], &[]);
    let names = addresses.iter().map(|&address| printed(&found, address)[0].clone());
    let expected = ["typed", "local", "other"].into_iter().flat_map(|name| [name; 2]);
    assert_eq!(names.collect::<Vec<_>>(), expected.chain(["sized"; 3]).collect::<Vec<_>>());
}

#[test]
#[cfg(target_arch = "x86_64")]
fn names_stubs_like_objdump() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    if !builds(path) || !run("strip", path, &["app"]) {
        return;
    }
    let stubs: Vec<(u64, String)> = lines(path, "objdump", &["-d"])
        .iter()
        .filter_map(|line| line.strip_suffix("@plt>:")?.split_once(" <"))
        .map(|(address, name)| (u64::from_str_radix(address, 16).unwrap(), format!("{name}@plt")))
        .collect();
    assert!(["puts@plt", "getenv@plt"].iter().all(|name| stubs.iter().any(|stub| stub.1 == *name)));
    let addresses: Vec<u64> = stubs.iter().map(|&(address, _)| address).collect();
    let found = resolve(&lib("app", ""), &addresses, &[&path.join("app")], &[]);
    for (address, name) in stubs {
        assert_eq!(printed(&found, address), [name, "??:0".to_owned()], "{address:#x}");
    }
}
