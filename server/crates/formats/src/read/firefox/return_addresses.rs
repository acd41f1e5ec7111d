//! Moves the addresses of callers from the return address into the call.
//!
//! The code after a call may belong to another line, another inlined function, even another
//! function: if the call is the last instruction of `f`, its return address is the first one of the
//! next function. The rules come from the Firefox Profiler (`nudgeReturnAddresses`): only the
//! address where a sample was taken is exact; for callers, and for stacks that are only backtraces
//! of themselves, 1 is subtracted. A stack that is both becomes two.

use super::samples::Rows;
use super::tables::{Frames, Stacks};
use rustc_hash::FxHashMap;

/// Moves the addresses of callers. `addresses` has one for each frame, or NaN. Samples must refer
/// to existing stacks.
pub(super) fn nudge(
    stacks: &mut Stacks,
    frames: &mut Frames,
    addresses: &mut Vec<f64>,
    samples: &mut Rows,
) {
    let n_stacks = stacks.frame.len();
    let (mut is_sampled, mut is_caller) = (vec![false; n_stacks], vec![false; n_stacks]);
    let mark = |marks: &mut Vec<bool>, ids: &[u32]| {
        for &id in ids {
            if let Some(mark) = marks.get_mut(id as usize) {
                *mark = true;
            }
        }
    };
    mark(&mut is_sampled, &samples.stacks);
    for callers in [&stacks.parent, &samples.js.stacks, &samples.native.stacks] {
        mark(&mut is_caller, callers);
    }

    let (mut is_exact_frame, mut is_caller_frame) =
        (vec![false; addresses.len()], vec![false; addresses.len()]);
    for (stack, &frame) in stacks.frame.iter().enumerate() {
        mark(if is_sampled[stack] { &mut is_exact_frame } else { &mut is_caller_frame }, &[frame]);
        if is_caller[stack] {
            mark(&mut is_caller_frame, &[frame]);
        }
    }
    // The copy with the exact address, for each frame that is used both ways.
    let mut exact: FxHashMap<u32, u32> = FxHashMap::default();
    for frame in (0..addresses.len()).filter(|&frame| is_caller_frame[frame]) {
        if addresses[frame].is_nan() {
            continue;
        }
        if is_exact_frame[frame] {
            exact.insert(frame as u32, addresses.len() as u32);
            addresses.push(addresses[frame]);
            frames.push_copy(frame);
        }
        addresses[frame] -= 1.0;
    }

    let mut twins: FxHashMap<u32, u32> = FxHashMap::default();
    for stack in (0..n_stacks).filter(|&stack| is_sampled[stack]) {
        let Some(&exact) = exact.get(&stacks.frame[stack]) else { continue };
        if is_caller[stack] {
            twins.insert(stack as u32, stacks.frame.len() as u32);
            stacks.frame.push(exact);
            stacks.parent.push(stacks.parent[stack]);
        } else {
            stacks.frame[stack] = exact;
        }
    }
    for stack in &mut samples.stacks {
        *stack = twins.get(stack).copied().unwrap_or(*stack);
    }
}
