//! The tables of a recorded profile: strings, libraries, sources, funcs, frames, stacks, threads, samples, metrics.
