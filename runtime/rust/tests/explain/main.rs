//! What `explain` says of damaged bytes.

mod hostile;
mod kept;
mod keys;
mod memory;
mod pairs;
mod random;
mod refusals;
mod table;
