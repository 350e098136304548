//! Somebody in a line of a connection.

use core::task::{Context, Poll};

use super::{Connection, State};
use crate::net::line::{Room, Ticket};

/// Somebody who waits for room, once there is none. Who is dropped leaves the line.
pub(crate) struct InLine<'a> {
    connection: &'a Connection,
    ticket: Option<Ticket>,
}

impl<'a> InLine<'a> {
    pub(crate) const fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            ticket: None,
        }
    }

    /// Tries to do something, which says what it found no room of.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &Context<'_>,
        attempt: impl FnOnce(&mut State, Option<Ticket>) -> Result<T, Room>,
    ) -> Poll<T> {
        let mut state = self.connection.lock();
        match attempt(&mut state, self.ticket) {
            Ok(done) => {
                if let Some(ticket) = self.ticket.take() {
                    state.lines.leave(ticket);
                }
                Poll::Ready(done)
            }
            Err(room) => {
                let has = self.ticket.filter(|ticket| ticket.room == room);
                let ticket = has.unwrap_or_else(|| {
                    if let Some(other) = self.ticket.take() {
                        state.lines.leave(other);
                    }
                    state.lines.join(room)
                });
                self.ticket = Some(ticket);
                state.lines.wait(ticket, cx.waker());
                Poll::Pending
            }
        }
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.connection.lock().lines.leave(ticket);
        }
    }
}
