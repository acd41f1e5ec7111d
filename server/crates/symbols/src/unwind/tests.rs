//! Stacks and unwind tables that can be checked by hand.

use super::plt::Plt;
use super::tables::Sections;
use super::*;
use gimli::BaseAddresses;
use profile::{Lib, RawArch, Registers, ThreadId};
use std::ops::Range;
use std::sync::Arc;

/// The numbers of registers on x86-64.
const RBX: u16 = 3;
const RBP: u16 = 6;
const RSP: u16 = 7;
const R10: u16 = 10;
const R12: u16 = 12;
const RIP: u16 = 16;

const STACK: u64 = 0x7000;

/// The code that starts the program. No function in these tests covers it.
const START: Range<u64> = 0x9000..0x9020;

/// The stubs of the program. No function in these tests covers them.
const LAZY_STUBS: Range<u64> = 0x9100..0x9140;
const STUBS: Range<u64> = 0x9200..0x9240;

/// `DW_CFA_undefined` of the return address: the outermost frame.
const OUTERMOST: &[u8] = &[0x07, 16];

/// A function: its first address, and how it is unwound. All are 0x100 bytes long.
struct Function {
    start: u64,
    is_signal: bool,
    rules: &'static [u8],
}

fn function(start: u64, rules: &'static [u8]) -> Function {
    Function { start, is_signal: false, rules }
}

/// `.debug_frame` with an entry for each function. Unless it has other rules, the CFA is rsp + 8 on
/// x86-64, with the return address below it, and sp on 64-bit ARM.
fn debug_frame(arch: RawArch, functions: &[Function]) -> Vec<u8> {
    let mut section = Vec::new();
    let mut add = |id: u32, rest: &[u8]| {
        let at = section.len() as u32;
        section.extend((4 + rest.len() as u32).to_le_bytes());
        section.extend(id.to_le_bytes());
        section.extend(rest);
        at
    };
    for function in functions {
        let augmentation: &[u8] = if function.is_signal { b"zRS\0" } else { b"zR\0" };
        // Version 1, with offsets in steps of -8.
        let mut common = [&[1], augmentation, &[1, 0x78]].concat();
        common.extend(match arch {
            RawArch::X86_64 => [16, 1, 0, 0x0c, 7, 8, 0x90, 1].as_slice(),
            RawArch::Aarch64 => [30, 1, 0, 0x0c, 31, 0].as_slice(),
        });
        let common = add(u32::MAX, &common);
        let mut own = function.start.to_le_bytes().to_vec();
        own.extend(0x100_u64.to_le_bytes());
        own.push(0);
        own.extend(function.rules);
        add(common, &own);
    }
    section
}

/// The callers that are found for registers and the words of a stack, and why it ends.
fn follow(
    arch: RawArch,
    functions: &[Function],
    registers: &[(u16, u64)],
    stack: &[u64],
) -> (Vec<u64>, String) {
    let lib = LibId::new(0);
    let sections = Sections {
        arch,
        eh_frame: Vec::new(),
        debug_frame: debug_frame(arch, functions),
        bases: BaseAddresses::default(),
    };
    let plt = [(LAZY_STUBS, true), (STUBS, false)];
    let plt = plt.map(|(memory, is_lazy)| Plt { memory, is_lazy }).into();
    let tables = Tables::new(sections, vec![(0..0x10000, 0)], START, plt).unwrap();
    let raw = RawStacks { arch, stacks: Vec::new(), bytes: Vec::new(), entries: Vec::new() };
    let libs = [Lib { addresses: AddressBase::File, ..Lib::default() }];
    let mut unwinder = Unwinder {
        raw: &raw,
        libs: &libs,
        binary: &mut |_| Err(LibStatus::Disabled),
        tables: [(lib, Known::Found(Some(Box::new(tables))))].into_iter().collect(),
    };
    let mut known = Registers::default();
    for &(number, value) in registers {
        known.set(number, Some(value));
    }
    let stack = stack.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let sample = RawStack {
        thread: ThreadId::new(0),
        sample: 0,
        mappings: Arc::new(vec![Mapping { start: 0, end: 0x10000, offset: 0, lib }]),
        registers: known,
        bytes: 0..stack.len(),
    };
    let mut callers = Vec::new();
    let end = match unwinder.follow(&sample, &stack, &mut callers) {
        End::Whole => "whole",
        End::TooDeep => "too deep",
        End::Unknown(_) => "unknown",
        End::WithoutTable(_) => "without a table",
    };
    (callers.into_iter().map(|(_, address)| address).collect(), end.to_owned())
}

fn on_x86_64(
    functions: &[Function],
    registers: &[(u16, u64)],
    stack: &[u64],
) -> (Vec<u64>, String) {
    follow(RawArch::X86_64, functions, registers, stack)
}

#[test]
fn a_realigned_frame_is_left_by_a_register_or_an_expression() {
    let functions = [
        // Before the frame pointer is set: CFA = r10.
        function(0x1000, &[0x0c, 10, 0]),
        // After: the CFA is the word at rbp - 8, and rbp was saved at rbp.
        function(0x2000, &[0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0]),
        // CFA = rbp + 16, and rbp was saved at CFA - 16.
        function(0x3000, &[0x0c, 6, 16, 0x86, 2]),
        function(0x4000, OUTERMOST),
    ];
    // The stack pointer of the first frame says nothing about where its caller is.
    let stack = [
        0, 0, 0x2011, // 0x7010: the return address of the first frame, whose CFA is 0x7018
        0, 0x7050, // 0x7020: the CFA of the second frame
        0x7060, // 0x7028: the saved rbp, to which rbp points
        0, 0, 0, 0x3011, // 0x7048: the return address of the second frame
        0, 0, 0x1234, // 0x7060: the saved rbp of the third frame
        0x4011, // 0x7068
    ];
    let registers = [(RIP, 0x1008), (RSP, STACK), (RBP, 0x7028), (R10, 0x7018)];
    let expected = vec![0x2010, 0x3010, 0x4010];
    assert_eq!(on_x86_64(&functions, &registers, &stack), (expected, "whole".to_owned()));
    // Without r10 there is no caller.
    let unknown = (Vec::new(), "unknown".to_owned());
    assert_eq!(on_x86_64(&functions, &registers[..3], &stack), unknown);
    // The copy ends before the return address of the second frame.
    let deep = (vec![0x2010], "too deep".to_owned());
    assert_eq!(on_x86_64(&functions, &registers, &stack[..9]), deep);
}

#[test]
fn a_signal_frame_restores_the_registers_of_the_interrupted_one() {
    // The CFA is the word at rsp + 16, rbx is at rsp + 8, rip at rsp + 24.
    let restore: &[u8] = &[0x0f, 3, 0x77, 16, 0x06, 0x10, 3, 2, 0x77, 8, 0x10, 16, 2, 0x77, 24];
    let functions = [
        function(0x1000, &[]),
        Function { start: 0x2000, is_signal: true, rules: restore },
        // CFA = rbx + 16
        function(0x3000, &[0x0c, 3, 16]),
        function(0x4000, OUTERMOST),
    ];
    let stack = [
        0x2011, // returns from the handler
        0, 0x7040, // 0x7010: rbx
        0x7030, // 0x7018: rsp
        0x3000, // 0x7020: the interrupted instruction, the first one of its function
        0, 0, 0, 0, 0x4011, // 0x7048: below the CFA
    ];
    let registers = [(RIP, 0x1000), (RSP, STACK), (RBX, 0xbad)];
    let expected = vec![0x2010, 0x3000, 0x4010];
    assert_eq!(on_x86_64(&functions, &registers, &stack), (expected, "whole".to_owned()));
}

#[test]
fn a_stack_is_whole_at_the_start_of_the_program() {
    let functions = [function(0x1000, &[])];
    let registers = [(RIP, 0x1000), (RSP, STACK)];
    let end = |returns_to| on_x86_64(&functions, &registers, &[returns_to]);
    assert_eq!(end(0x9008), (vec![0x9007], "whole".to_owned()));
    // Code after it has a caller.
    assert_eq!(end(0x9021), (vec![0x9020], "without a table".to_owned()));
    // The tables of functions that they cover are used there, too.
    let covered = [function(0x1000, &[]), function(0x9010, &[])];
    let found = on_x86_64(&covered, &registers, &[0x9015, 0x1010]);
    assert_eq!(found, (vec![0x9014, 0x100f], "too deep".to_owned()));
}

#[test]
fn preserved_registers_pass_through_frames() {
    let functions = [
        function(0x1000, &[]),
        // CFA = rsp + 16, and rbx was saved at CFA - 16.
        function(0x2000, &[0x0e, 16, 0x83, 2]),
        // CFA = rbx + 8
        function(0x3000, &[0x0c, 3, 8]),
        // CFA = r12 + 8
        function(0x4000, &[0x0c, 12, 8]),
        // CFA = r10 + 8: calls do not preserve r10.
        function(0x5000, &[0x0c, 10, 8]),
    ];
    let stack = [0x2011, 0x7030, 0x3011, 0, 0, 0, 0x4011, 0, 0x5011];
    let registers = [(RIP, 0x1000), (RSP, STACK), (RBX, 0xbad), (R12, 0x7040), (R10, 0x7048)];
    let expected = vec![0x2010, 0x3010, 0x4010, 0x5010];
    assert_eq!(on_x86_64(&functions, &registers, &stack), (expected, "unknown".to_owned()));
}

#[test]
fn an_epilogue_has_restored_registers_whose_place_is_below_the_stack_pointer() {
    let functions = [
        // rbx is pushed after 1 byte and popped before byte 0x20, and its rule stays. rbp is in
        // the red zone.
        function(0x1000, &[0x41, 0x0e, 16, 0x83, 2, 0x86, 4, 0x5f, 0x0e, 8]),
        function(0x2000, &[0x0c, 3, 16]),
        function(0x3000, &[0x0c, 6, 16]),
    ];
    let stack = [0x2011, 0, 0, 0x3011];
    let registers = [(RIP, 0x1020), (RSP, STACK), (RBX, 0x7010), (RBP, 0x7020)];
    let expected = (vec![0x2010, 0x3010], "unknown".to_owned());
    assert_eq!(on_x86_64(&functions, &registers, &stack), expected);
}

#[test]
fn endless_expressions_and_stacks_that_do_not_grow_end() {
    let registers = [(RIP, 0x1000), (RSP, STACK), (RBX, 0x7008)];
    let stack = [0x1011, 0x1011];
    let end = |rules| on_x86_64(&[function(0x1000, rules)], &registers, &stack);
    // A jump to itself, an address far away, and one that wraps.
    assert_eq!(end(&[0x0f, 3, 0x2f, 0xfd, 0xff]), (Vec::new(), "unknown".to_owned()));
    assert_eq!(end(&[0x0c, 3, 0xff, 0xff, 0x03]), (Vec::new(), "too deep".to_owned()));
    assert_eq!(end(&[0x12, 3, 1]), (Vec::new(), "unknown".to_owned()));
    // Its caller has the same CFA.
    assert_eq!(end(&[0x0c, 3, 0]), (vec![0x1010], "unknown".to_owned()));
    assert_eq!(end(&[]), (vec![0x1010, 0x1010], "too deep".to_owned()));
    // A signal frame that interrupted itself.
    let rules: &[u8] = &[0x0c, 3, 0];
    let itself = [Function { start: 0x1000, is_signal: true, rules }];
    let (callers, end) = on_x86_64(&itself, &registers, &stack);
    assert_eq!((callers.len(), end.as_str()), (MAX_CALLERS, "unknown"));
    let nothing: (Vec<u64>, String) = (Vec::new(), "without a table".to_owned());
    assert_eq!(on_x86_64(&[function(0x3000, &[])], &registers, &stack), nothing);
}

#[test]
fn the_link_register_is_the_return_address_of_an_interrupted_frame() {
    let functions = [
        function(0x1000, &[]),
        // CFA = sp + 16, and the link register was saved at CFA - 16.
        function(0x2000, &[0x0e, 16, 0x9e, 2]),
        function(0x3000, &[0x0e, 16]),
    ];
    let (sp, lr, pc) = (31, 30, 32);
    // The upper bits are a signature.
    let stack = [0x00ab_0000_0000_3011, 0, 0, 0];
    let registers = [(pc, 0x1000), (sp, STACK), (lr, 0x00cd_0000_0000_2011)];
    // The link register of the third frame was overwritten by its call.
    let expected = (vec![0x2010, 0x3010], "unknown".to_owned());
    assert_eq!(follow(RawArch::Aarch64, &functions, &registers, &stack), expected);
}

#[test]
fn the_caller_of_a_stub_is_known_without_a_table() {
    let functions = [function(0x4000, OUTERMOST)];
    // The address in the stubs, and the number of words above the return address.
    for (address, n_pushed) in [
        // `push` and `jmp` to the dynamic linker, after a stub has pushed the number of the function.
        (0x9100, 1),
        (0x9106, 2),
        // `jmp` to the function, `push` and `jmp`.
        (0x9110, 0),
        (0x9116, 0),
        (0x911b, 1),
        // `endbr64`, `push` and `jmp`.
        (0x9124, 0),
        (0x9129, 1),
        // Stubs that only jump to the function.
        (0x9200, 0),
        (0x920b, 0),
    ] {
        let stack = [&[0, 0][..n_pushed], &[0x4011]].concat();
        let found = on_x86_64(&functions, &[(RIP, address), (RSP, STACK)], &stack);
        assert_eq!(found, (vec![0x4010], "whole".to_owned()), "{address:#x}");
    }
}

#[test]
fn the_link_register_is_the_return_address_of_a_stub() {
    // CFA = sp + 16, and the link register was saved at CFA - 16.
    let functions = [function(0x2000, &[0x0e, 16, 0x9e, 2]), function(0x3000, &[0x07, 30])];
    // The first entry of lazy stubs has pushed two words.
    for (address, stack) in [(0x9120, [0x3011, 0, 0, 0]), (0x9104, [0, 0, 0x3011, 0])] {
        let registers = [(32, address), (31, STACK), (30, 0x2011)];
        let found = follow(RawArch::Aarch64, &functions, &registers, &stack);
        assert_eq!(found, (vec![0x2010, 0x3010], "whole".to_owned()), "{address:#x}");
    }
}
