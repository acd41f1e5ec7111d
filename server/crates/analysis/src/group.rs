//! Groups indexes by key.

/// Groups the indexes of `keys` by key, in order: returns `(starts, items)`, where the items of
/// `key` are from `starts[key]` to `starts[key + 1]`. Keys must be below `n`.
pub(crate) fn group(n: usize, keys: impl Iterator<Item = usize> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; n + 1];
    for key in keys.clone() {
        starts[key + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut items = vec![0_u32; starts[n] as usize];
    for (key, item) in keys.zip(0..) {
        items[next[key] as usize] = item;
        next[key] += 1;
    }
    (starts, items)
}
