//! Benchmarks of SDP's Rust code beside other libraries. `bench/README.md` describes the measurements.

pub mod allocations;
mod case;
mod catalogue;
pub mod command;
mod dataset;
mod measure;
mod peers;
mod results;
#[cfg(feature = "sdp")]
mod sdp;
mod subject;
