//! The table of tools.

use super::tool::Entry;
use super::{calls, compare, explain, export, facts, hot_spots, line_costs, record, tree};

/// All tools, in the order of the book.
pub const TOOLS: [Entry; 11] = [
    Entry::of::<facts::ListProfiles>(),
    Entry::of::<facts::CheckHealth>(),
    Entry::of::<record::HowToRecord>(),
    Entry::of::<hot_spots::ListHotSpots>(),
    Entry::of::<line_costs::ShowLines>(),
    Entry::of::<calls::ListCallers>(),
    Entry::of::<calls::ListCallees>(),
    Entry::of::<tree::ShowCallTree>(),
    Entry::of::<compare::Compare>(),
    Entry::of::<explain::ExplainLine>(),
    Entry::of::<export::Export>(),
];
