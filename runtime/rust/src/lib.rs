//! The runtime of [SDP](https://github.com/serial-data-protocol/sdp): what Rust code that the compiler generates from a schema uses.
#![no_std]

#[doc(hidden)]
pub extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
