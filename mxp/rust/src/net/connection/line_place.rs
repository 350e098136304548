//! Somebody in a line of a connection.

use core::task::{Context, Poll};

use super::{Connection, State};
use crate::engine::line::{Room, Ticket};

/// Somebody who waits for room, once there is none. A dropped waiter leaves the line.
pub(crate) struct LinePlace<'a> {
    connection: &'a Connection,
    ticket: Option<Ticket>,
}

impl<'a> LinePlace<'a> {
    pub(crate) const fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            ticket: None,
        }
    }

    /// Tries a function, which returns the kind of room that it lacked.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &Context<'_>,
        attempt: impl FnOnce(&mut State, Option<Ticket>) -> Result<T, Room>,
    ) -> Poll<T> {
        let mut state = self.connection.lock();
        match attempt(&mut state, self.ticket) {
            Ok(done) => {
                state.lines().leave_ticket(&mut self.ticket);
                Poll::Ready(done)
            }
            Err(room) => {
                state.lines().join_with(room, &mut self.ticket, cx.waker());
                Poll::Pending
            }
        }
    }
}

impl Drop for LinePlace<'_> {
    fn drop(&mut self) {
        if self.ticket.is_some() {
            self.connection
                .lock()
                .lines()
                .leave_ticket(&mut self.ticket);
        }
    }
}
