//! Frames, written, read and refused.

mod build;
mod damage;
mod decoding;
mod encoding;
mod known;
mod memory;
#[cfg(feature = "bytes")]
mod owned;
mod random;
mod reader;
mod refusals;
