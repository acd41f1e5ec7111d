#![doc = include_str!("../README.md")]

mod ask;
mod client_process;
mod hang_up;
mod input;
mod panic;
mod repair;
mod serve;
mod service;
mod socket;

pub use ask::{AskError, ask};
pub use hang_up::stdin_closed;
pub use serve::serve;
