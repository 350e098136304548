//! Frames: a header of 32 bytes, a payload of up to 16 MiB, and a checksum
//! [MXP-1.1].
//!
//! ```
//! use mxp::frame::{decode, Checksum, DecodeOptions, Flags, Frame, Header, Type};
//!
//! let header = Header {
//!     frame_type: Type::Call,
//!     flags: Flags::FINAL,
//!     message_id: 1,
//!     trace_id: 2,
//! };
//! let frame = Frame { header, payload: b"hello" };
//! let bytes = frame.encode_to_vec(Checksum::On)?;
//! assert_eq!(decode(&bytes, &DecodeOptions::new(Checksum::On))?, frame);
//! # Ok::<(), mxp::frame::Error>(())
//! ```
//!
//! A payload that lies elsewhere isn't copied to be sent: [`Header::seal`] makes what goes before
//! and behind it. A [`FrameReader`] reads frames that arrive in pieces.

mod decode;
mod encode;
mod error;
mod flags;
pub(crate) mod hash;
mod header;
mod options;
#[cfg(feature = "bytes")]
mod owned_frame;
mod reader;
#[expect(clippy::doc_markdown, reason = "names of refusals are texts, not code")]
mod spec_gen;
mod types;
mod types_gen;

pub use decode::{decode, decode_prefix, peek, FramePrefix};
pub use encode::Envelope;
pub use error::Error;
pub use flags::Flags;
pub use header::{Frame, Header, HEADER_BYTES, TRAILER_BYTES};
pub use options::{Checksum, DecodeOptions};
#[cfg(feature = "bytes")]
pub use owned_frame::{decode_bytes, OwnedFrame};
pub(crate) use reader::payload_of;
pub use reader::FrameReader;
pub use spec_gen::*;
pub use types_gen::Type;

/// The name of [`FramePrefix`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `FramePrefix`")]
pub type Peeked = FramePrefix;

/// The name of [`Envelope`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `Envelope`")]
pub type Sealed = Envelope;
