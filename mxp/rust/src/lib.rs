//! MXP, the protocol by which messages travel between programs: its [`frame`]s.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod frame;
