//! The kernel's functions, from a list in the format of `/proc/kallsyms`, and the vDSO.

use crate::binaries::{RAYTRACE, binary, lib, no_kernel};
use profile::Lib;
use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use symbols::{Cache, Generics, KernelFiles, LibStatus, LibSymbols, Search};

const ID: &str = "4a5a9b0affb66c437abcd455d2738af879985fa9";

const LIST: &str = "\
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 T do_syscall_64
ffffffff81000200 t schedule
ffffffff81000300 T _etext
";

fn resolve(kernel: &Lib, files: &KernelFiles) -> Arc<LibSymbols> {
    let search = Search {
        candidates: &|_| Vec::new(),
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: files,
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    Cache::default().resolve(kernel, &[0x110, 0x1f0, 0x210], &search, None, &mut |_, _| {
        ControlFlow::Continue(())
    })
}

fn names(symbols: &LibSymbols) -> Vec<String> {
    let name =
        |address| symbols.levels(address, Generics::Keep).next().map(|level| level.name.to_owned());
    [0x110, 0x1f0, 0x210].into_iter().filter_map(name).collect()
}

fn running(folder: &Path, list: &str) -> KernelFiles {
    let id = (0..ID.len()).step_by(2).map(|at| u8::from_str_radix(&ID[at..at + 2], 16).unwrap());
    let mut notes = [4_u32, 20, 3].map(u32::to_ne_bytes).concat();
    notes.extend(b"GNU\0");
    notes.extend(id);
    fs::write(folder.join("notes"), notes).unwrap();
    fs::write(folder.join("kallsyms"), list).unwrap();
    KernelFiles { notes: folder.join("notes"), functions: folder.join("kallsyms"), copies: None }
}

#[test]
fn uses_the_running_kernel_if_it_is_the_recorded_one() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = Lib { path: "[kernel.kallsyms]_text".to_owned(), ..lib("[kernel.kallsyms]", ID) };
    let files = running(folder.path(), LIST);
    let symbols = resolve(&kernel, &files);
    assert_eq!(names(&symbols), ["do_syscall_64", "do_syscall_64", "schedule"]);
    assert_eq!(symbols.status(), &LibStatus::Kernel { path: files.functions.clone() });

    let other = Lib { code_id: ID.replace("4a5a", "4a5b"), ..kernel.clone() };
    let sentence = resolve(&other, &files).status().message("[kernel.kallsyms]");
    assert!(sentence.contains("is not running here") && sentence.contains("vmlinux"), "{sentence}");
    let unknown = Lib { code_id: String::new(), ..kernel.clone() };
    assert!(resolve(&unknown, &files).status().message("k").contains("no build id"));

    // Unprivileged users may see only zeros.
    let files = running(folder.path(), &LIST.replace("ffffffff81000", "0000000000000"));
    let sentence = resolve(&kernel, &files).status().message("[kernel.kallsyms]");
    assert!(sentence.contains("kptr_restrict"), "{sentence}");
}

#[test]
fn uses_perfs_copy_by_build_id() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("[kernel.kallsyms]").join(ID);
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join("kallsyms"), LIST).unwrap();
    let kernel = Lib { path: "[kernel.kallsyms]_text".to_owned(), ..lib("[kernel.kallsyms]", ID) };
    let files = KernelFiles { copies: Some(folder.path().to_owned()), ..no_kernel() };
    assert_eq!(names(&resolve(&kernel, &files)), ["do_syscall_64", "do_syscall_64", "schedule"]);
}

#[test]
fn uses_perfs_copy_of_the_vdso_by_build_id() {
    // Any program with that id.
    let program = fs::read(binary("raytrace")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("[vdso]").join(RAYTRACE);
    fs::create_dir_all(&copy).unwrap();
    fs::write(copy.join("vdso"), &program).unwrap();
    let files = KernelFiles { copies: Some(folder.path().to_owned()), ..no_kernel() };
    let search = Search {
        candidates: &|_| Vec::new(),
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &files,
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    let vdso = Lib { path: "[vdso]".to_owned(), ..lib("[vdso]", RAYTRACE) };
    assert_eq!(search.binary(&vdso).unwrap(), (copy.join("vdso"), program));
    // Without an id, or under the name of another library, there is none.
    assert!(search.binary(&Lib { code_id: String::new(), ..vdso.clone() }).is_err());
    assert!(search.binary(&Lib { name: "vdso".to_owned(), ..vdso.clone() }).is_err());
    // A copy of another build is not used.
    fs::write(copy.join("vdso"), fs::read(binary("wordstat")).unwrap()).unwrap();
    assert!(search.binary(&vdso).is_err());
}
