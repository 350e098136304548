//! MXP, the protocol by which messages travel between programs: its [`frame`]s, and
//! the [`session`] that both ends of a connection have. Features add sockets, which
//! are in `net`.
#![cfg_attr(all(doctest, feature = "tokio"), doc = include_str!("../README.md"))]
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// Generated code names the crate as that of a user does.
#[cfg(feature = "tokio")]
extern crate self as mxp;

#[cfg(feature = "bytes")]
#[cfg_attr(
    not(any(feature = "tokio", feature = "blocking")),
    expect(
        dead_code,
        unused_imports,
        unreachable_pub,
        reason = "there is no driver"
    )
)]
#[cfg_attr(
    all(feature = "blocking", not(feature = "tokio")),
    expect(
        dead_code,
        unused_imports,
        unreachable_pub,
        reason = "a client for threads serves nothing"
    )
)]
mod engine;
pub mod frame;
#[cfg(any(feature = "tokio", feature = "blocking"))]
pub mod net;
pub mod session;
