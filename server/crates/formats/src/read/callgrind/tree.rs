//! The call tree of a file by Xdebug, which writes a block for each call when it returns: its self
//! cost and the calls that it made, in order. The calls of a block are therefore the last blocks
//! before it that have no caller yet.

use super::events::Derive;
use crate::error::ReadError;
use profile::{
    Frame, FuncId, Metric, Profile, ProfileBuilder, RowWeights, Samples, Thread, Weights,
};

/// Calls in the order in which they returned.
#[derive(Default)]
pub(super) struct Tree {
    calls: Vec<Call>,
    /// Self costs of all calls, one call after the other.
    weights: Vec<f64>,
    /// Calls whose caller has not returned yet.
    open: Vec<usize>,
}

struct Call {
    func: FuncId,
    /// The line of its self cost.
    line: u32,
    /// The line of the call in the caller; 0 = not known yet.
    from: u32,
    /// The number of calls in this subtree.
    len: usize,
}

/// A call whose block is being read.
pub(super) struct Block {
    func: FuncId,
    line: u32,
    weights: Vec<f64>,
    /// The functions that it called, each with the line of the call.
    called: Vec<(FuncId, u32)>,
}

impl Block {
    pub(super) fn new(func: FuncId) -> Self {
        Self { func, line: 0, weights: Vec::new(), called: Vec::new() }
    }

    /// Adds self cost. All of it is on one line.
    pub(super) fn own(&mut self, line: u32, weights: &[f64]) {
        self.line = line;
        self.weights.resize(weights.len(), 0.0);
        self.weights.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }

    pub(super) fn call(&mut self, callee: FuncId, line: u32) {
        self.called.push((callee, line));
    }
}

impl Tree {
    /// Adds a call that returned; `n_events` is the number of weights. `None` if the block does not
    /// match the calls that returned before it.
    pub(super) fn returned(mut self, block: &Block, n_events: usize) -> Option<Self> {
        let first = self.open.len().checked_sub(block.called.len())?;
        let mut len = 1;
        for (&call, &(func, line)) in self.open.get(first..)?.iter().zip(&block.called) {
            let callee = self.calls.get_mut(call).filter(|callee| callee.func == func)?;
            callee.from = line;
            len += callee.len;
        }
        self.open.truncate(first);
        self.open.push(self.calls.len());
        self.calls.push(Call { func: block.func, line: block.line, from: 0, len });
        self.weights
            .extend((0..n_events).map(|event| block.weights.get(event).copied().unwrap_or(0.0)));
        // A later part may have other events.
        (self.weights.len() == self.calls.len() * n_events).then_some(self)
    }

    /// Adds a sample for each call, in the order in which they began.
    pub(super) fn stacks(
        &self,
        mut builder: ProfileBuilder,
        metrics: Vec<Metric>,
        derive: &Derive,
    ) -> Result<Profile, ReadError> {
        let n_events = self.weights.len().checked_div(self.calls.len()).unwrap_or(0);
        let mut columns = vec![Vec::with_capacity(self.calls.len()); metrics.len()];
        let mut rows = Vec::with_capacity(self.calls.len());
        // The calls to visit. Callers are popped before their callees, and callees in the order of
        // their calls.
        let mut left: Vec<_> = self.open.iter().rev().map(|&call| (call, None)).collect();
        while let Some((call, caller)) = left.pop() {
            let Some(&Call { func, line, len, .. }) = self.calls.get(call) else { continue };
            let frame = |line| Frame::new(func, line);
            let leaf = builder.intern_frame(frame(line))?;
            rows.push(Some(builder.intern_stack(caller, leaf)?));
            let own = self.weights.get(call * n_events..(call + 1) * n_events);
            let mut weights = RowWeights::from_slice(own.unwrap_or_default());
            derive.apply(&mut weights);
            columns.iter_mut().zip(weights).for_each(|(column, weight)| column.push(weight));
            // The last callee ends right before its caller, each other one right before the next.
            let mut end = call;
            while let Some(callee) = end.checked_sub(1).filter(|&callee| callee + len > call) {
                let Some(below) = self.calls.get(callee) else { break };
                let calling = builder.intern_frame(frame(below.from))?;
                left.push((callee, Some(builder.intern_stack(caller, calling)?)));
                end = end.saturating_sub(below.len);
            }
        }
        let calls = vec![1; rows.len()];
        let samples =
            Samples::new(rows, columns.into_iter().map(Weights::Each).collect()).with_calls(calls);
        let mut builder = builder.with_metrics(metrics);
        builder.push_thread(Thread::default(), samples)?;
        Ok(builder.build())
    }
}
