//! Tests of generated code.

mod agree;
mod allocations;
mod bound;
mod damage;
mod depth;
mod encode;
mod equal;
#[cfg(feature = "serde")]
mod json;
mod linear;
mod odd;
mod owner;
mod random;
mod refusals;
mod reuse;
mod roundtrip;
mod sample;
mod sizes;
mod stream;
mod unowned;
mod values;
mod views;
