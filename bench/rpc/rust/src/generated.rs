//! Code that the compilers of the peers' schemas wrote; `../../peers/generate.sh` runs them.
#![allow(
    unreachable_pub,
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "it is not written by hand"
)]

#[rustfmt::skip]
pub mod echo_capnp;
#[rustfmt::skip]
pub mod grpc;

// Code that SDP's compiler wrote into `gen/`; `generate.sh` runs it.
#[cfg(feature = "sdp")]
#[rustfmt::skip]
#[path = "../gen/bench.rs"]
pub mod bench;
#[cfg(feature = "sdp")]
#[rustfmt::skip]
#[path = "../gen/bench_service.rs"]
pub mod bench_service;
