//! How much may be on its way to the reader of a stream.

use crate::session::{Grant, LimitError, SUBSCRIPTION_MESSAGES};

/// How much may be on its way to a receiver who takes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Chunks.
    pub messages: u32,
    /// Bytes of their values. The peer can send no chunk of more than half of it.
    pub bytes: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            messages: 16_384,
            bytes: 2 << 20,
        }
    }
}

impl Window {
    /// Refuses a window through which no chunk passes.
    pub(crate) fn check(self) -> Result<(), LimitError> {
        let messages = (
            "stream_window.messages",
            u64::from(self.messages),
            u32::MAX.into(),
        );
        LimitError::check([messages, ("stream_window.bytes", self.bytes, u64::MAX)])
    }

    /// That of a service's streams: of events of the mesh few chunks, since a node drops what is
    /// too much for a subscriber, and not its oldest where they are here [MESH-5.1].
    pub(crate) fn of(mut self, service: &str) -> Self {
        if service == "mxp.mesh.Mesh" {
            self.messages = self
                .messages
                .min(u32::try_from(SUBSCRIPTION_MESSAGES).unwrap_or(u32::MAX));
        }
        self
    }

    pub(crate) const fn grant(self) -> Grant {
        Grant {
            messages: self.messages,
            bytes: self.bytes,
        }
    }

    /// Whether so much was taken that the peer is to be told.
    pub(crate) const fn is_much(self, grant: Grant) -> bool {
        grant.messages >= self.messages.div_ceil(2) || grant.bytes >= self.bytes / 2
    }
}

impl Grant {
    /// Counts a chunk.
    pub(crate) fn add(&mut self, value: &[u8]) {
        self.messages += 1;
        self.bytes += value.len() as u64;
    }

    /// Counts chunks that were counted.
    pub(crate) fn join(&mut self, grant: Self) {
        self.messages += grant.messages;
        self.bytes += grant.bytes;
    }
}
