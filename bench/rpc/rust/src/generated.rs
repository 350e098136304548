//! Code that the compilers of the peers' schemas wrote; `build.rs` runs them.
#![allow(
    unreachable_pub,
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "it is not written by hand"
)]

pub mod echo_capnp {
    include!(concat!(env!("OUT_DIR"), "/echo_capnp.rs"));
}
pub mod grpc {
    include!(concat!(env!("OUT_DIR"), "/bench.rs"));
}

// Code that SDP's compiler wrote into `gen/`; `generate.sh` runs it.
#[cfg(feature = "sdp")]
#[rustfmt::skip]
#[path = "../gen/bench.rs"]
pub mod bench;
#[cfg(feature = "sdp")]
#[rustfmt::skip]
#[path = "../gen/bench_service.rs"]
pub mod bench_service;
