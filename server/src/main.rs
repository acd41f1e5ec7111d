//! Costline.
fn main() {}
