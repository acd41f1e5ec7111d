//! Tests of the rules of the loader, without tasks, files or a clock. [`simulation`] performs the
//! effects on a disk in memory.

mod commands;
mod companions;
mod disk;
mod eviction;
mod others;
mod rules;
mod settling;
mod showing;
mod simulation;
