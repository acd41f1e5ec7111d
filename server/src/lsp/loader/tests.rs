//! The rules of the loader, without tasks, files or a clock: [`simulation`] carries out what the
//! state wants done, on a disk in memory.

mod commands;
mod disk;
mod rules;
mod settling;
mod showing;
mod simulation;
