//! The runtime of [SDP](https://github.com/serial-data-protocol/sdp): what Rust code that the compiler generates from a schema uses.
#![no_std]

#[doc(hidden)]
pub extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod error;
mod limits;
mod spec_gen;
mod time;
mod uuid;

pub use error::Error;
pub use limits::{DecodeOptions, Limits};
pub use spec_gen::*;
pub use time::{Duration, Timestamp};
pub use uuid::Uuid;
