//! Line breaks and common ends of texts.

/// The text without a byte order mark, which editors drop.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(super) fn n_newlines(text: &str) -> u32 {
    // Sums of a byte each are vectorized.
    let count = |chunk: &[u8]| chunk.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>();
    text.as_bytes().chunks(255).map(|chunk| u32::from(count(chunk))).sum()
}

/// How many items are compared at once. Slices of numbers are compared faster than one by one.
const fn chunk<T>() -> usize {
    const BYTES: usize = 1024;
    BYTES / size_of::<T>()
}

/// The length of the longest common start.
pub(super) fn common_prefix<T: Copy + Eq>(a: &[T], b: &[T]) -> usize {
    let chunk = chunk::<T>();
    let n_equal = a.chunks_exact(chunk).zip(b.chunks_exact(chunk)).take_while(|(a, b)| a == b);
    let start = n_equal.count() * chunk;
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

/// The length of the longest common end.
pub(super) fn common_suffix<T: Copy + Eq>(a: &[T], b: &[T]) -> usize {
    let chunk = chunk::<T>();
    let n_equal = a.rchunks_exact(chunk).zip(b.rchunks_exact(chunk)).take_while(|(a, b)| a == b);
    let end = n_equal.count() * chunk;
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    end + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}
