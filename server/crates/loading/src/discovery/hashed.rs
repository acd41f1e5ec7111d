//! A reader that hashes and counts what it reads.

use crate::discovery::stamp::ContentHash;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A reader that hashes and counts what it reads, on whatever thread that is.
pub struct Hashed<R> {
    inner: R,
    hash: ContentHash,
    n_read: NRead,
}

/// How many bytes a [`Hashed`] has read so far.
#[derive(Debug, Clone, Default)]
pub struct NRead(Arc<AtomicU64>);

impl NRead {
    /// The number of bytes.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl<R> Hashed<R> {
    /// A reader of what `inner` reads.
    pub fn new(inner: R) -> Self {
        Self { inner, hash: ContentHash::default(), n_read: NRead::default() }
    }

    /// The number of bytes, while others read them.
    pub fn n_read(&self) -> NRead {
        self.n_read.clone()
    }

    /// How many bytes were read, and their hash ([`crate::discovery::stamp::content_hash`]).
    pub fn finish(self) -> (u64, u128) {
        (self.n_read.get(), self.hash.finish())
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hash.write(buffer.get(..n).unwrap_or_default());
        self.n_read.0.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::stamp::content_hash;

    #[test]
    fn the_hash_is_that_of_all_bytes() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(n) >> 3) as u8).collect();
        let mut hashed = Hashed::new(&*bytes);
        let mut block = [0; 777];
        while hashed.read(&mut block).unwrap() > 0 {}
        assert_eq!(hashed.finish(), (100_000, content_hash(&bytes)));
    }
}
