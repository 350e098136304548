//! Handlers that wait for something, in tasks of their own.

use core::future::Future;
use std::sync::Arc;
use std::vec::Vec;

use crate::net::connection::Connection;
use crate::net::failure::lent;
use crate::net::{Failure, Reply};
use crate::session::{Kind, Session, Status};

/// The place of a request of the peer's, which is free when this is dropped.
pub(crate) struct Place {
    connection: Arc<Connection>,
    id: u64,
    is_answered: bool,
}

impl Place {
    /// The place of a request that has a handler.
    pub(crate) fn new(connection: &Arc<Connection>, id: u64) -> Self {
        Self {
            connection: Arc::clone(connection),
            id,
            is_answered: false,
        }
    }

    /// Answers a call as soon as there is room in the queue.
    pub(crate) async fn answer(mut self, result: Result<Reply, Failure>) {
        let mut result = Some(result);
        let (connection, id) = (Arc::clone(&self.connection), self.id);
        let answered = connection.until(|state| {
            if !state.desk.handlers.contains_key(&id) {
                return Some(false);
            }
            if let Some(Ok(_)) = result {
                state.session.may_queue().ok()?;
            }
            state.desk.handlers.remove(&id);
            let now = state.time(connection.now());
            answer(&mut state.session, id, result.take()?, now);
            Some(true)
        });
        self.is_answered = answered.await;
        self.connection.wake.notify_one();
    }

    /// Ends this side's direction of a stream, or all of it.
    pub(crate) fn finish(mut self, result: Result<(), Failure>) {
        let mut state = self.connection.lock();
        let now = state.time(self.connection.now());
        if state.desk.handlers.remove(&self.id).is_some() {
            // The handler may have done it himself.
            let _ = match result {
                Ok(()) => state.session.finish(self.id, now),
                Err(failure) => state.session.fail(self.id, &failure.lent(), now),
            };
            drop(state);
            self.is_answered = true;
            self.connection.wake.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let mut state = self.connection.lock();
        let now = state.time(self.connection.now());
        let _ = match state.desk.handlers.remove(&self.id) {
            Some(_) => state.session.fail(self.id, &broken().lent(), now),
            None => state.session.release(self.id, now),
        };
        drop(state);
        self.connection.wake.notify_one();
    }
}

impl Connection {
    /// Runs a handler that has a place. It is not made while the state is held: a
    /// runtime that ends drops it at once, and so what it has, which looks at the
    /// state.
    pub(crate) fn run(&self, id: u64, handler: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(handler).abort_handle();
        // It may be done.
        if let Some(place) = self.lock().desk.handlers.get_mut(&id) {
            *place = Some(task);
        }
    }
}

/// Answers a call. What the queue has no room for is not asked here.
pub(crate) fn answer(session: &mut Session, id: u64, result: Result<Reply, Failure>, now: u64) {
    let done = match result {
        Ok(reply) => {
            let metadata: Vec<_> = lent(&reply.metadata);
            session.respond(id, &metadata, reply.value, now)
        }
        Err(failure) => session.fail(id, &failure.lent(), now),
    };
    if let Err(kind @ Kind::PayloadTooLarge) = done {
        let mut failure = Failure::of(kind);
        failure.acted = true;
        let _ = session.fail(id, &failure.lent(), now);
    }
}

/// A failure of a handler that did not come to its end.
pub(crate) fn broken() -> Failure {
    Failure::new(Status::INTERNAL, "internal", "")
}
