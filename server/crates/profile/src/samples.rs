//! Threads and their samples.

use crate::StackId;
use crate::ids::NONE;

/// The weights of one thread's samples in one metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Every sample weighs 1.
    Ones,
    /// One weight per sample. Weights below zero are legal (freed bytes, differences).
    Each(Vec<f64>),
}

impl Weights {
    /// The weight of sample `i`; 0 beyond the column.
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Self::Ones => 1.0,
            Self::Each(column) => column.get(i).copied().unwrap_or(0.0),
        }
    }
}

/// The samples of one thread, in columns.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    pub(crate) stack: Vec<u32>,
    pub(crate) weights: Vec<Weights>,
    pub(crate) calls: Option<Vec<u32>>,
}

impl Samples {
    /// Samples from a stack column (`None` = the sample has no stack) and one weight column per metric of the profile.
    pub fn new(stacks: impl IntoIterator<Item = Option<StackId>>, weights: Vec<Weights>) -> Self {
        let stack = stacks.into_iter().map(|stack| stack.map_or(NONE, StackId::raw)).collect();
        Self { stack, weights, calls: None }
    }

    /// The same samples of a recording that saw every call: how many calls of the leaf each sample stands for. The sample of a
    /// call that runs, calls and runs on is one; what a call did not begin (a share of it that lies elsewhere) counts 0.
    #[must_use]
    pub fn with_calls(self, calls: Vec<u32>) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// How many calls of its leaf each sample stands for, where calls were recorded and not sampled.
    pub fn calls(&self) -> Option<&[u32]> {
        self.calls.as_deref()
    }

    /// Those of the samples for which `stack` gives one, with that stack. A sample that moves to another stack is no call of
    /// its new leaf.
    #[must_use]
    pub fn with_stacks(&self, stack: impl Fn(Option<StackId>) -> Option<Option<StackId>>) -> Self {
        let kept = (0..self.len()).filter_map(|i| Some((i, stack(self.stack(i))?)));
        let (rows, stacks): (Vec<usize>, Vec<Option<StackId>>) = kept.unzip();
        let weights = self.weights.iter().map(|weights| match weights {
            Weights::Ones => Weights::Ones,
            Weights::Each(_) => Weights::Each(rows.iter().map(|&i| weights.get(i)).collect()),
        });
        let calls = self.calls.as_ref().map(|calls| {
            let calls = |(&i, &stack): (&usize, &Option<StackId>)| if stack == self.stack(i) { calls[i] } else { 0 };
            rows.iter().zip(&stacks).map(calls).collect()
        });
        Self { calls, ..Self::new(stacks, weights.collect()) }
    }

    /// The stack of sample `i`.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn stack(&self, i: usize) -> Option<StackId> {
        let stack = self.stack[i];
        (stack != NONE).then(|| StackId::new(stack))
    }

    /// The stack of each sample.
    pub fn stacks(&self) -> impl ExactSizeIterator<Item = Option<StackId>> + '_ {
        self.stack.iter().map(|&stack| (stack != NONE).then(|| StackId::new(stack)))
    }

    /// The weights in each metric.
    pub fn weights(&self) -> &[Weights] {
        &self.weights
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

/// One thread of one process.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    /// Its name; empty if the profile gives none.
    pub name: String,
    /// The name of its process; empty if unknown.
    pub process_name: String,
    /// Process id, as the profile spells it.
    pub pid: Option<String>,
    /// Thread id, as the profile spells it.
    pub tid: Option<String>,
    /// What was sampled on it.
    pub samples: Samples,
}
