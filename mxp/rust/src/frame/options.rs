//! How frames are read and written.

use crate::frame::PAYLOAD_BYTES;

/// Whether a frame's checksum is written, and checked. Nothing in a frame says
/// so: both ends of a connection are told [MXP-1.7].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Checksum {
    /// The checksum is written, and a received checksum is checked.
    On,
    /// Zeros are written, and a received checksum is not looked at.
    Off,
}

/// Chooses how frames are decoded. Whether checksums are checked has no default.
///
/// ```
/// use mxp::frame::{Checksum, DecodeOptions};
///
/// let options = DecodeOptions::new(Checksum::On).with_limit(1 << 20);
/// assert_eq!(options.limit(), 1_048_576);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecodeOptions {
    checksum: Checksum,
    limit: usize,
}

impl DecodeOptions {
    /// Payloads of up to 16 MiB.
    #[must_use]
    pub const fn new(checksum: Checksum) -> Self {
        Self {
            checksum,
            limit: PAYLOAD_BYTES,
        }
    }

    /// Replaces the longest payload. It is never larger than 16 MiB [MXP-3.2].
    #[must_use]
    pub const fn with_limit(mut self, limit: usize) -> Self {
        self.limit = if limit < PAYLOAD_BYTES {
            limit
        } else {
            PAYLOAD_BYTES
        };
        self
    }

    /// Whether checksums are checked.
    #[must_use]
    pub const fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// The longest payload.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }
}
