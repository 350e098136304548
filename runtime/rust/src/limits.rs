//! Bounds and options of a decode.

use crate::spec_gen::{LIMIT_DEPTH, LIMIT_ELEMENTS, LIMIT_MEMORY_BYTES, LIMIT_MESSAGE_BYTES};

/// Bounds on the cost of one decode. The defaults are the same in every language. A limit allows
/// exactly its number, and zero nothing at all.
///
/// ```
/// let limits = sdp::Limits::new().with_elements(1_000).with_depth(8);
/// assert_eq!(limits.message_bytes, sdp::Limits::new().message_bytes);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// The longest slice or payload.
    pub message_bytes: usize,
    /// The sum of all counts of lists and maps, and of the lengths of arrays
    /// that don't hold scalars.
    pub elements: usize,
    /// How deep structs, messages and unions are nested; the top level is 1.
    pub depth: usize,
    /// The bytes that decoding may allocate, cumulatively.
    pub memory_bytes: usize,
}

impl Limits {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            message_bytes: LIMIT_MESSAGE_BYTES,
            elements: LIMIT_ELEMENTS,
            depth: LIMIT_DEPTH,
            memory_bytes: LIMIT_MEMORY_BYTES,
        }
    }

    /// Replaces the longest slice or payload.
    #[must_use]
    pub const fn with_message_bytes(mut self, message_bytes: usize) -> Self {
        self.message_bytes = message_bytes;
        self
    }

    /// Replaces the sum of all counts.
    #[must_use]
    pub const fn with_elements(mut self, elements: usize) -> Self {
        self.elements = elements;
        self
    }

    /// Replaces the depth. Values deeper than the default can be decoded with a
    /// raised limit, but neither be encoded nor written as JSON; and a decoder
    /// needs stack for every level that the bytes have.
    #[must_use]
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Replaces what decoding may allocate.
    #[must_use]
    pub const fn with_memory_bytes(mut self, memory_bytes: usize) -> Self {
        self.memory_bytes = memory_bytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

/// Chooses how a value is decoded. The default is what functions without
/// options do.
///
/// ```
/// let options = sdp::DecodeOptions::new().with_exact(true);
/// assert!(options.exact);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// The bounds of the decode.
    pub limits: Limits,
    /// Refuses what would not encode to the same bytes again: missing segments
    /// and unknown tails of messages. It is for values that are signed or hashed.
    pub exact: bool,
}

impl DecodeOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            limits: Limits::new(),
            exact: false,
        }
    }

    /// Replaces the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Chooses whether decoding is exact.
    #[must_use]
    pub const fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_spec() {
        let limits = DecodeOptions::default().limits;
        assert_eq!(limits, Limits::default());
        assert_eq!(limits.message_bytes, 128 << 20);
        assert_eq!(limits.elements, 10_000_000);
        assert_eq!(limits.depth, 64);
        assert_eq!(limits.memory_bytes, 512 << 20);
        assert!(!DecodeOptions::new().exact);
    }

    #[test]
    fn each_function_replaces_its_own_field() {
        let limits = Limits::new()
            .with_message_bytes(1)
            .with_elements(2)
            .with_depth(3)
            .with_memory_bytes(0);
        let want = Limits {
            message_bytes: 1,
            elements: 2,
            depth: 3,
            memory_bytes: 0,
        };
        assert_eq!(limits, want);
        let options = DecodeOptions::new().with_limits(limits).with_exact(true);
        assert_eq!((options.limits, options.exact), (want, true));
    }
}
