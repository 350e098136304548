//! The libraries that SDP is compared with, each used the way that is best for it. Libraries that work by
//! derive are used on the data's own types, in one file for all data sets.

pub mod bincode;
pub mod bitcode;
#[rustfmt::skip]
mod generated;
pub mod capnp;
pub mod flatbuffers;
pub mod postcard;
pub mod prost;
pub mod reference;
pub mod rkyv;
pub mod rkyv_sums;
pub mod serde_json;
pub mod speedy;
pub mod wincode;
