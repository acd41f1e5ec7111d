//! Functions that have no type in the symbol table, as assembler leaves them, and the stubs that
//! call functions of libraries.

use crate::binaries::{lib, printed, resolve, run};
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

/// Builds `app` from `MAIN`, and compares its stubs with those that objdump finds. `prefix` is that
/// of the tools.
fn names_stubs_like_objdump(prefix: &str, options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let tool = |name: &str| format!("{prefix}{name}");
    fs::write(path.join("main.c"), MAIN).unwrap();
    let functions = "int typed(void) { return 1; }\nint other(void) { return 2; }\nint sized(void) { return 3; }\n";
    fs::write(path.join("functions.c"), functions).unwrap();
    let common = ["-O1", "-Wl,--build-id=none", "main.c", "functions.c", "-o", "app"];
    if !run(&tool("gcc"), path, &[options, &common].concat())
        || !run(&tool("strip"), path, &["app"])
    {
        return;
    }
    let stubs: Vec<(u64, String)> = lines(path, &tool("objdump"), &["-d"])
        .iter()
        .filter_map(|line| line.strip_suffix("@plt>:")?.split_once(" <"))
        .map(|(address, name)| (u64::from_str_radix(address, 16).unwrap(), format!("{name}@plt")))
        .collect();
    assert!(["puts@plt", "getenv@plt"].iter().all(|name| stubs.iter().any(|stub| stub.1 == *name)));
    // The smallest stub has 8 bytes.
    let addresses: Vec<u64> = stubs.iter().flat_map(|&(start, _)| [start, start + 4]).collect();
    let found = resolve(&lib("app", ""), &addresses, &[&path.join("app")], &[]);
    for (start, name) in stubs {
        for address in [start, start + 4] {
            let place = [name.clone(), "??:0".to_owned()];
            assert_eq!(printed(&found, address), place, "{options:?} {address:#x}");
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn names_stubs_of_x86_64() {
    for options in [
        &["-fplt", "-Wl,-z,lazy"][..],
        &["-fplt", "-Wl,-z,now"],
        // The stubs that are called are in `.plt.sec`.
        &["-fplt", "-fcf-protection", "-Wl,-z,ibtplt,-z,lazy"],
    ] {
        names_stubs_like_objdump("", options);
    }
}

#[test]
fn names_stubs_of_aarch64() {
    for options in [
        &["-Wl,-z,lazy"][..],
        &["-Wl,-z,now"],
        &["-no-pie", "-mbranch-protection=standard", "-Wl,-z,force-bti,-Ttext-segment=0"],
        &["-mbranch-protection=standard", "-Wl,-z,pac-plt,-z,force-bti"],
    ] {
        names_stubs_like_objdump("aarch64-linux-gnu-", options);
    }
}
