//! Choices that are made by bytes.

/// Bytes from which choices are taken. When they end, every choice is the first one.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// A number below `bound`, which is at most 256.
    pub fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % bound.max(1)
    }

    /// One of `all`.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is before the next zero byte.
    pub fn part(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|&byte| byte == 0);
        let (part, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        part
    }
}
