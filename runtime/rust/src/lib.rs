//! The runtime of [SDP](https://github.com/serial-data-protocol/sdp): what Rust code that the compiler generates from a schema uses.
#![no_std]
#![deny(unsafe_code)]
#![allow(
    clippy::inline_always,
    reason = "measured: what reads and writes a field has to become part of the generated function around it"
)]

#[doc(hidden)]
pub extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod bits;
mod codec;
mod decoder;
mod dispatch;
mod error;
mod fixed;
mod fixed_codec;
mod form;
mod header;
#[cfg(feature = "std")]
mod io;
#[cfg(feature = "serde")]
pub mod json;
mod layout;
mod layout_cache;
mod layout_check;
mod layout_comparison;
mod layout_parse;
mod layout_part;
mod layout_text;
mod limits;
mod macros;
mod memory;
mod owner;
mod scalars_gen;
#[cfg(feature = "serde")]
pub mod serde;
mod shape;
mod spec_gen;
#[cfg(feature = "std")]
mod stream;
mod time;
mod time_text;
mod uuid;
pub mod view;
mod walk;
mod walk_aggregate;
mod walk_frame;
mod walk_value;
mod writer;

pub use dispatch::{AppendMessage, Dispatch};
pub use error::Error;
pub use header::{payload, read_type_id, unknown_type_id};
#[cfg(feature = "std")]
pub use io::{ReadFrom, WriteTo};
pub use limits::{DecodeOptions, Limits};
pub use owner::{Borrowed, Owner};
pub use spec_gen::*;
#[cfg(feature = "std")]
pub use stream::{MessageReader, MessageWriter, StreamError};
pub use time::{Duration, Timestamp};
pub use uuid::Uuid;
pub use walk::{explain, Mode};

use fixed::Fixed;

/// The functions that generated code calls. They may change with every release: code and runtime
/// are of one release.
#[doc(hidden)]
pub mod wire {
    pub use crate::bits::{hash, same, Bits};
    pub use crate::codec::*;
    pub use crate::decoder::*;
    pub use crate::fixed::{part, put, valid, Fixed};
    pub use crate::fixed_codec::*;
    pub use crate::form::Form;
    pub use crate::layout_comparison::LayoutComparison;
    pub use crate::layout_part::*;
    pub use crate::layout_text::{is_layout_text, layout_reference, LayoutBlocks};
    pub use crate::macros::show_enum;
    pub use crate::memory::{AsWire, Bytes, Number};
    pub use crate::shape::boxed_array;
    pub use crate::view::valid::*;
    pub use crate::view::valid_bytes::*;
    pub use crate::writer::Writer;
    pub use crate::{
        __closed_enum as closed_enum, __declared as declared, __decoding as decoding,
        __decoding_into as decoding_into, __encoding as encoding, __fixed_struct as fixed_struct,
        __form as form, __messages as messages, __open_enum as open_enum,
        __plain_form as plain_form, __record_by_bits as record_by_bits,
        __record_forms as record_forms, __setters as setters, __streamable as streamable,
        __union_by_bits as union_by_bits, __union_forms as union_forms,
    };
}
