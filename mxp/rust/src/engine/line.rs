//! Waiters for room in a connection, in the order in which they asked [MXP-9.1].

use alloc::collections::VecDeque;
use core::task::Waker;

use crate::session::{Session, BULK_PAYLOAD_BYTES};

/// A kind of room that there is not enough of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// Places of requests in flight.
    Places,
    /// Bytes of the queue.
    Queue,
    /// Bytes of the queue that bulk may take.
    Bulk,
}

impl Room {
    const ALL: [Self; 3] = [Self::Places, Self::Queue, Self::Bulk];

    /// The room in the queue that a frame needs which is no chunk and has a value of so
    /// many bytes.
    pub(crate) const fn of(bytes: usize) -> Self {
        if bytes < BULK_PAYLOAD_BYTES {
            return Self::Queue;
        }
        Self::Bulk
    }

    /// Whether there is some of it.
    pub(crate) fn is_in(self, session: &Session) -> bool {
        match self {
            Self::Places => session.may_have_place().is_ok(),
            Self::Queue => session.may_queue().is_ok(),
            Self::Bulk => session.may_queue_bulk().is_ok(),
        }
    }
}

/// The place that somebody has in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) room: Room,
    number: u64,
}

/// The line for one kind of room. A waiter that is not first lets all earlier waiters go before it.
#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<(u64, Option<Waker>)>,
    next: u64,
}

impl Line {
    fn is_first(&self, number: u64) -> bool {
        self.waiting
            .front()
            .is_some_and(|(first, _)| *first == number)
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.waiting.binary_search_by_key(&number, |(n, _)| *n).ok()
    }

    fn call_first(&mut self) {
        if let Some((_, waker)) = self.waiting.front_mut() {
            if let Some(waker) = waker.take() {
                waker.wake();
            }
        }
    }
}

/// The lines of a connection.
#[derive(Debug, Default)]
pub(crate) struct Lines([Line; Room::ALL.len()]);

impl Lines {
    /// Whether somebody may take room, who waits for it or has just come.
    pub(crate) fn lets_on(&self, room: Room, ticket: Option<Ticket>) -> bool {
        let line = &self.0[room as usize];
        let has_turn = |ticket: Ticket| ticket.room == room && line.is_first(ticket.number);
        line.waiting.is_empty() || ticket.is_some_and(has_turn)
    }

    /// Lets the first of each line try for which there is room.
    pub(crate) fn call(&mut self, session: &Session) {
        for room in Room::ALL {
            let line = &mut self.0[room as usize];
            if !line.waiting.is_empty() && room.is_in(session) {
                line.call_first();
            }
        }
    }

    /// Lets all try, since the connection is another.
    pub(crate) fn call_all(&mut self) {
        let all = self.0.iter_mut().flat_map(|line| &mut line.waiting);
        for waker in all.filter_map(|(_, waker)| waker.take()) {
            waker.wake();
        }
    }

    /// Puts somebody into the line for room, who leaves the one for other room, and is woken by a
    /// waker.
    pub(crate) fn join_with(&mut self, room: Room, ticket: &mut Option<Ticket>, waker: &Waker) {
        if ticket.is_some_and(|ticket| ticket.room != room) {
            self.leave_ticket(ticket);
        }
        let ticket = *ticket.get_or_insert_with(|| self.join(room));
        self.wait(ticket, waker);
    }

    /// Lets somebody leave the line, if there is one.
    pub(crate) fn leave_ticket(&mut self, ticket: &mut Option<Ticket>) {
        if let Some(ticket) = ticket.take() {
            self.leave(ticket);
        }
    }

    fn join(&mut self, room: Room) -> Ticket {
        let line = &mut self.0[room as usize];
        let number = line.next;
        line.next += 1;
        line.waiting.push_back((number, None));
        Ticket { room, number }
    }

    fn wait(&mut self, ticket: Ticket, waker: &Waker) {
        let line = &mut self.0[ticket.room as usize];
        let place = line.find(ticket.number);
        if let Some((_, waiting)) = place.and_then(|i| line.waiting.get_mut(i)) {
            *waiting = Some(waker.clone());
        }
    }

    /// Leaves the line, so that the next waiter has its turn.
    fn leave(&mut self, ticket: Ticket) {
        let line = &mut self.0[ticket.room as usize];
        let was_first = line.is_first(ticket.number);
        if let Some(at) = line.find(ticket.number) {
            line.waiting.remove(at);
        }
        if was_first {
            line.call_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use alloc::task::Wake;
    use core::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_asked_first_has_the_first_turn() {
        let mut lines = Lines::default();
        let tickets = [(); 3].map(|()| lines.join(Room::Bulk));
        let counts = [(); 3].map(|()| Arc::new(Count(AtomicUsize::new(0))));
        for (ticket, count) in tickets.iter().zip(&counts) {
            lines.wait(*ticket, &Arc::clone(count).into());
        }
        let woken = || {
            counts
                .each_ref()
                .map(|count| count.0.load(Ordering::Relaxed))
        };
        // Small frames do not wait behind bulk.
        assert!(lines.lets_on(Room::Queue, None) && !lines.lets_on(Room::Bulk, None));
        let turns = tickets.map(|ticket| lines.lets_on(Room::Bulk, Some(ticket)));
        assert_eq!(turns, [true, false, false]);
        // A waiter that gives up keeps nobody.
        lines.leave(tickets[1]);
        assert_eq!(woken(), [0, 0, 0]);
        lines.leave(tickets[0]);
        assert_eq!(woken(), [0, 0, 1]);
        assert!(lines.lets_on(Room::Bulk, Some(tickets[2])));
        lines.leave(tickets[2]);
        assert!(lines.lets_on(Room::Bulk, None));
    }
}
