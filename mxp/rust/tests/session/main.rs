//! Sessions, talked to by their peers and their users.

mod agents;
mod batches;
mod calls;
mod ends;
mod exercise;
mod life;
mod limits;
mod memory;
mod pair;
mod random;
mod streams;
