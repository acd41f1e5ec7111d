//! Stacks that perf copied, unwound by us and by perf (`chains.txt`: the addresses of `perf
//! script`, the leaf first, one line per sample; addresses in the kernel begin with `k`).

#![cfg(feature = "debug-info")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::skip::skip_required;
use formats::Limits;
use profile::{
    AddressBase, Frame, Func, Lib, Mapping, Metric, Profile, ProfileBuilder, RawArch, RawStack,
    RawStacks, Registers, Samples, StackAccess, StackId, Thread, ThreadId, WarningCode, Weights,
};
use samply_symbols::object::{CompressionFormat, File, Object, ObjectSection, ObjectSymbol};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use symbols::LibStatus;

fn fixtures(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures").join(path)
}

fn recording() -> (Profile, RawStacks) {
    read("profiles/perf-data/cpp-raytrace-dwarf/dwarf.perf.data.gz")
}

fn read(path: &str) -> (Profile, RawStacks) {
    let bytes = std::fs::read(fixtures(path)).unwrap();
    let read = formats::read(bytes, Limits::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    (read.recording.sampled().unwrap().clone(), read.raw_stacks.unwrap())
}

/// The program without libraries, because those of this machine may differ from the recorded ones.
fn program(lib: &Lib) -> Option<Vec<u8>> {
    (lib.name == "raytrace").then(|| {
        std::fs::read(fixtures("profiles/perf-data/cpp-raytrace-dwarf/bin/raytrace")).unwrap()
    })
}

/// Frames of each sample as library and address, the leaf first.
fn chains(profile: &Profile) -> Vec<Vec<(String, String)>> {
    let chain = |mut next: Option<StackId>| {
        let mut frames = Vec::new();
        while let Some(stack) = next {
            let func = profile
                .symbols()
                .funcs
                .get(profile.frames().get(profile.stacks().frame(stack)).func);
            let lib = func
                .lib
                .map_or(String::new(), |lib| profile.symbols().libs[lib.index()].name.clone());
            let kernel = if lib.starts_with("[kernel") { "k" } else { "" };
            frames
                .push((lib, format!("{kernel}{}", &profile.symbols().strings.get(func.name)[2..])));
            next = profile.stacks().prefix(stack);
        }
        frames
    };
    profile.samples().iter().flat_map(Samples::stacks).map(chain).collect()
}

/// The addresses without repetitions, as in the file: perf prints an inlined function with the
/// address of the code it is inlined into.
fn addresses(frames: &[(String, String)]) -> Vec<&str> {
    let mut addresses: Vec<_> = frames.iter().map(|(_, address)| address.as_str()).collect();
    addresses.dedup();
    addresses
}

/// The file of a library; without one it is missing.
fn given(file: Option<Vec<u8>>) -> Result<Vec<u8>, LibStatus> {
    file.ok_or(LibStatus::Missing { recorded: String::new() })
}

#[test]
fn finds_the_same_callers_as_perf() {
    let (profile, raw) = recording();
    let unwound = symbols::unwind(&profile, &raw, &mut |lib| given(program(lib)));
    let expected =
        std::fs::read_to_string(fixtures("profiles/perf-data/cpp-raytrace-dwarf/chains.txt"))
            .unwrap();
    let expected: Vec<Vec<&str>> =
        expected.lines().map(|line| line.split(' ').skip(1).collect()).collect();
    let chains = chains(unwound.profile.as_ref().unwrap());
    assert_eq!(chains.len(), expected.len());
    let mut n_to_main = 0;
    for (row, (chain, expected)) in chains.iter().zip(&expected).enumerate() {
        let found = addresses(chain);
        // The stack ends where the program called a library or was called by one.
        assert!(expected.starts_with(&found), "sample {row}: {found:?}, but perf has {expected:?}");
        let (caller, _) = chain.last().unwrap();
        if caller == "libc.so.6" && expected.len() == found.len() + 2 {
            n_to_main += 1;
        } else {
            assert_eq!(
                found.len(),
                chain.iter().take_while(|(lib, _)| lib.starts_with("[kernel")).count() + 1,
                "sample {row}"
            );
            assert_ne!(caller, "raytrace", "sample {row}");
        }
    }
    // According to `perf script`, all but six samples in libm and eleven in libc (below the
    // kernel).
    assert_eq!((n_to_main, chains.len()), (392, 409));
    let weight =
        |profile: &Profile| (0..409).map(|i| profile.samples()[0].weights()[0].get(i)).sum::<f64>();
    assert_eq!(weight(unwound.profile.as_ref().unwrap()), weight(&profile));
}

#[test]
fn leaves_realigned_frames_and_signal_handlers_like_perf() {
    let folder = "profiles/perf-data/c-realigned-signal";
    let (profile, raw) = read(&format!("{folder}/perf.data.gz"));
    let program = std::fs::read(fixtures(&format!("{folder}/bin/app"))).unwrap();
    let unwound = symbols::unwind(&profile, &raw, &mut |lib| {
        given((lib.name == "app").then(|| program.clone()))
    });
    let expected = std::fs::read_to_string(fixtures(&format!("{folder}/chains.txt"))).unwrap();
    let chains = chains(unwound.profile.as_ref().unwrap());
    let found: Vec<String> = chains
        .iter()
        .enumerate()
        .map(|(row, chain)| format!("{row}: {}", addresses(chain).join(" ")))
        .collect();
    assert_eq!(found, expected.lines().collect::<Vec<_>>());
    // `trap` was interrupted at its first instruction, so it is there exactly.
    let n_interrupted = chains.iter().filter(|chain| addresses(chain).contains(&"1000")).count();
    assert_eq!((n_interrupted, unwound.n_whole, chains.len()), (34, 71, 71));
    assert!(unwound.warning(&profile).is_none());
}

#[test]
fn a_program_is_read_once_although_its_memory_map_changes() {
    let (profile, mut raw) = recording();
    let unwound = symbols::unwind(&profile, &raw, &mut |lib| given(program(lib)));
    for stack in &mut raw.stacks {
        stack.mappings = Arc::new(stack.mappings.to_vec());
    }
    let mut n_reads = 0;
    let changing = symbols::unwind(&profile, &raw, &mut |lib| {
        n_reads += usize::from(lib.name == "raytrace");
        given(program(lib))
    });
    assert_eq!(n_reads, 1);
    assert_eq!(chains(&changing.profile.unwrap()), chains(&unwound.profile.unwrap()));
    assert_eq!(changing.cut_at, unwound.cut_at);
}

#[test]
fn names_missing_libraries() {
    let (profile, raw) = recording();
    let unwound = symbols::unwind(&profile, &raw, &mut |lib| given(program(lib)));
    let libs = profile.symbols().libs.as_slice();
    let mut missing: Vec<_> =
        unwound.missing.iter().map(|(lib, _)| libs[lib.index()].name.as_str()).collect();
    missing.sort_unstable();
    assert_eq!(missing, ["libc.so.6", "libm.so.6"]);
    assert_eq!((unwound.n_whole, unwound.n_too_deep), (0, 0));
    let warning = unwound.warning(&profile).unwrap();
    assert_eq!((warning.code, warning.count), (WarningCode::CutStacks, 409));
    for part in [
        "/usr/lib/x86_64-linux-gnu/libm.so.6",
        "`perf script -i perf.data -F +pid,+srcline --full-source-path > perf.txt`",
    ] {
        assert!(warning.message.contains(part), "{}", warning.message);
    }
    // Without the program every sample keeps only its leaf.
    let nothing = symbols::unwind(&profile, &raw, &mut |_| given(None));
    assert!(nothing.profile.is_none());
    assert_eq!(nothing.cut_at.iter().map(|&(_, n)| n).sum::<usize>(), 409);
}

#[test]
fn treats_malformed_files_like_missing_ones() {
    let (profile, raw) = recording();
    let whole =
        std::fs::read(fixtures("profiles/perf-data/cpp-raytrace-dwarf/bin/raytrace")).unwrap();
    for end in (0..whole.len()).step_by(whole.len() / 16) {
        let unwound = symbols::unwind(&profile, &raw, &mut |lib| {
            given(program(lib).map(|bytes| bytes[..end].to_vec()))
        });
        assert_eq!(unwound.n_whole, 0, "cut at {end}");
    }
    for at in (0..whole.len()).step_by(whole.len() / 64) {
        let mut broken = whole.clone();
        broken[at..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x55);
        let _ =
            symbols::unwind(&profile, &raw, &mut |lib| given(program(lib).map(|_| broken.clone())));
    }
}

/// `leaf` is called by `work`, which may begin with a push.
const PROGRAM: &str = "
__attribute__((noinline)) int leaf(int x) { volatile int y = x; return y + 1; }
__attribute__((noinline)) int work(int x) { return leaf(x) + leaf(x + 1); }
int main(int argc, char **argv) { (void)argv; return work(argc); }
";

/// A program without `.eh_frame`, and a function that returns the address of a symbol.
fn without_loaded_tables(
    folder: &Path,
    options: &[&str],
) -> Option<(Vec<u8>, impl Fn(&str) -> u64)> {
    // A small section would stay as it is.
    let others = (0..100).map(|n| format!("int other_{n}(int x) {{ return x + {n}; }}\n"));
    std::fs::write(folder.join("app.c"), others.collect::<String>() + PROGRAM).unwrap();
    let tables = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fomit-frame-pointer"];
    let tool = |tool: &str, arguments: &[&str]| {
        Command::new(tool).args(arguments).current_dir(folder).output()
    };
    let compiled =
        tool("gcc", &[&["-O1", "-g"], options, &tables, &["app.c", "-o", "app"]].concat());
    let named = tool("nm", &["-P", "app"]);
    let (Ok(compiled), Ok(named)) = (compiled, named) else {
        skip_required("gcc or binutils is not installed");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let names = String::from_utf8(named.stdout).unwrap();
    let start = move |name: &str| {
        let row = names.lines().find_map(|line| line.strip_prefix(&format!("{name} T "))).unwrap();
        u64::from_str_radix(row.split(' ').next().unwrap(), 16).unwrap()
    };
    Some((std::fs::read(folder.join("app")).unwrap(), start))
}

/// A sample at an address of a program. The top of its stack, and all that was copied of it, is a
/// return address.
fn sample(at: u64, returns_to: u64) -> (Profile, RawStacks) {
    const BASE: u64 = 0x5555_0000_0000;
    const SP: u64 = 0x7fff_0000_0000;
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let lib = Lib { name: "app".to_owned(), addresses: AddressBase::File, ..Lib::default() };
    let lib = builder.intern_lib(lib).unwrap();
    let name = builder.intern_string(&format!("{at:#x}")).unwrap();
    let func = builder
        .intern_func(Func { name, source: None, lib: Some(lib), line: 0, column: 0 })
        .unwrap();
    let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
    let stack = builder.intern_stack(None, frame).unwrap();
    let samples = Samples::new(vec![Some(stack)], vec![Weights::Ones]);
    builder.push_thread(Thread::default(), samples).unwrap();
    let profile = builder.build();
    let mappings = Arc::new(vec![Mapping { start: BASE, end: BASE + 0x10000, offset: 0, lib }]);
    let mut registers = Registers::default();
    registers.set(RawArch::X86_64.ip(), Some(BASE + at));
    registers.set(RawArch::X86_64.sp(), Some(SP));
    let raw = RawStacks {
        arch: RawArch::X86_64,
        stacks: vec![RawStack {
            thread: ThreadId::new(0),
            sample: 0,
            mappings,
            registers,
            bytes: 0..8,
        }],
        bytes: (BASE + returns_to).to_le_bytes().to_vec(),
        entries: Vec::new(),
    };
    (profile, raw)
}

#[test]
#[cfg(target_arch = "x86_64")]
fn unwinds_with_debug_frame() {
    for options in [&[][..], &["-gz=zlib"]] {
        let folder = tempfile::tempdir().unwrap();
        let Some((program, start)) = without_loaded_tables(folder.path(), options) else { return };
        let file = File::parse(&*program).unwrap();
        let section = file.section_by_name(".debug_frame").unwrap();
        let is_packed = section.compressed_file_range().unwrap().format != CompressionFormat::None;
        assert_eq!(is_packed, !options.is_empty());
        // The first instruction of `leaf`, called by `work`.
        let returns_to = start("work") + 12;
        let (profile, raw) = sample(start("leaf"), returns_to);
        let unwound = symbols::unwind(&profile, &raw, &mut |_| Ok(program.clone()));
        let chains = chains(unwound.profile.as_ref().expect("a caller"));
        assert_eq!(
            addresses(&chains[0]),
            [format!("{:x}", start("leaf")), format!("{:x}", returns_to - 1)]
        );
        // The copy of the stack ends here.
        assert_eq!((unwound.n_too_deep, unwound.cut_at.len()), (1, 0));
    }
}

/// Like the dynamic linker: the tables do not cover the code that it starts with.
const START: &str = "
    .text
    .globl _start, other, work
_start:
    call work
    call work
other:
    call work
work:
    .cfi_startproc
    ret
    .cfi_endproc
    .section .note.GNU-stack, \"\", @progbits
";

#[test]
#[cfg(target_arch = "x86_64")]
fn a_stack_that_leads_to_the_entry_point_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.s"), START).unwrap();
    let options = ["-nostdlib", "-nostartfiles", "-static-pie", "app.s", "-o", "app"];
    let Ok(built) = Command::new("gcc").args(options).current_dir(folder.path()).output() else {
        return skip_required("gcc is not installed");
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let program = std::fs::read(folder.path().join("app")).unwrap();
    // A call has 5 bytes. The mapping is that of offset 0, so code is where the file has it.
    let start = u64::from_le_bytes(program[24..32].try_into().unwrap());
    for (n_calls, n_whole) in [(1, 1), (2, 1), (3, 0)] {
        let (profile, raw) = sample(start + 15, start + 5 * n_calls);
        let unwound = symbols::unwind(&profile, &raw, &mut |_| Ok(program.clone()));
        assert_eq!(unwound.n_whole, n_whole, "after {n_calls} calls: {:?}", unwound.cut_at);
        assert_eq!(unwound.warning(&profile).is_none(), n_whole == 1);
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn leaves_stubs_that_no_table_covers() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int puts(const char *); int main(void) { return puts(\"\") + 1; }";
    std::fs::write(folder.path().join("app.c"), source).unwrap();
    // Like LLD.
    let options =
        ["-O1", "-fplt", "-Wl,--no-ld-generated-unwind-info,-z,lazy", "app.c", "-o", "app"];
    let Ok(built) = Command::new("gcc").args(options).current_dir(folder.path()).output() else {
        return skip_required("gcc is not installed");
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let program = std::fs::read(folder.path().join("app")).unwrap();
    let file = File::parse(&*program).unwrap();
    let [plt, main] = [
        file.section_by_name(".plt").unwrap().address(),
        file.symbol_by_name("main").unwrap().address(),
    ];
    let (profile, raw) = sample(plt + 16, main + 16);
    let unwound = symbols::unwind(&profile, &raw, &mut |_| Ok(program.clone()));
    let chains = chains(unwound.profile.as_ref().expect("a caller"));
    assert_eq!(addresses(&chains[0]), [format!("{:x}", plt + 16), format!("{:x}", main + 15)]);
    // The copy of the stack ends here.
    assert_eq!((unwound.n_too_deep, unwound.cut_at.len()), (1, 0));
}
