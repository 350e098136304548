//! Findings of `explain` in damaged bytes.

mod hostile;
mod kept;
mod keys;
mod memory;
mod pairs;
mod random;
mod refusals;
mod table;
