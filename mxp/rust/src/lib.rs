//! MXP, the protocol by which messages travel between programs: its [`frame`]s, and
//! the [`session`] that both ends of a connection have.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod frame;
pub mod session;
