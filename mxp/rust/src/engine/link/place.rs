//! The places that requests of the peer's have until they are answered.

use crate::session::ring::Ring;

/// The places of requests whose handlers have begun, or wait for their turn.
pub(super) struct Places<T> {
    all: Ring<Place<T>>,
    /// The bytes of answers that wait for room.
    pub(super) answer_bytes: usize,
}

/// The place of a request.
pub(super) struct Place<T> {
    /// The handle of its handler. It is none while the handler is being made.
    pub(super) handler: Option<T>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self {
            all: Ring::default(),
            answer_bytes: 0,
        }
    }
}

impl<T> Places<T> {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// Keeps the place of a request whose handler is still to begin.
    pub(super) fn keep(&mut self, id: u64) {
        self.all.put(id, Place { handler: None });
    }

    /// Frees a place, unless it is free.
    pub(super) fn free(&mut self, id: u64) -> Option<Place<T>> {
        self.all.remove(id)
    }

    /// Whether a place is taken.
    pub(super) fn has(&self, id: u64) -> bool {
        self.all.get(id).is_some()
    }

    /// Names the handler that has a place, unless that is free.
    pub(super) fn name(&mut self, id: u64, handler: T) {
        if let Some(place) = self.all.get_mut(id) {
            place.handler = Some(handler);
        }
    }
}
