//! Costs, trees and transforms of recordings against definitions over their raw samples.

mod calls;
mod graphs;
mod inlined;
mod names;
mod once_per_sample;
mod parts;
mod programs;
mod relocated;
mod transforms;
mod vectors;
