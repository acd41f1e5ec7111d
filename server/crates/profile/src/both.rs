//! Runs two computations at the same time.

/// The results of both functions. The second runs on a thread of its own, where there are threads.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    if cfg!(target_family = "wasm") {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let second = scope.spawn(second);
        (first(), second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
