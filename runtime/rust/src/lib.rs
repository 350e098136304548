//! The runtime of [SDP](https://github.com/serial-data-protocol/sdp): what Rust code that the compiler generates from a schema uses.
#![no_std]

#[doc(hidden)]
pub extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod dispatch;
mod error;
mod header;
mod layout;
mod layout_check;
mod layout_parse;
mod limits;
mod spec_gen;
#[cfg(feature = "std")]
mod stream;
mod time;
mod time_text;
mod uuid;
mod walk;
mod walk_aggregate;
mod walk_frame;
mod walk_value;

pub use dispatch::{AppendMessage, Dispatch};
pub use error::Error;
pub use header::{payload, read_type_id, unknown_type_id};
pub use limits::{DecodeOptions, Limits};
pub use spec_gen::*;
#[cfg(feature = "std")]
pub use stream::{MessageReader, MessageWriter, StreamError};
pub use time::{Duration, Timestamp};
pub use uuid::Uuid;
pub use walk::{explain, Mode};
