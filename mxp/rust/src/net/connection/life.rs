//! How a connection begins and ends, and who waits for that.

use std::string::String;
use std::time::Instant;

use super::{Connection, State};
use crate::net::failure::lost_here;
use crate::net::{Failure, Window};
use crate::session::Kind;

impl Connection {
    /// Waits until requests can be made, or the connection has ended.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        let is_ready = |state: &mut State| match &state.desk.ended {
            Some(failure) => Some(Err(failure.clone())),
            None if state.desk.is_closed => Some(Err(Failure::saying(Kind::Lost, lost_here()))),
            None => state.session.ready().then_some(Ok(())),
        };
        self.until(is_ready).await
    }

    /// Waits until no new requests can be made.
    pub(crate) async fn unusable(&self) {
        let is_so = |state: &mut State| {
            let is_over = state.desk.is_closed || state.desk.ended.is_some();
            (is_over || state.session.may_ask().is_err()).then_some(())
        };
        self.until(is_so).await;
    }

    /// Waits until the connection is closed.
    pub(crate) async fn closed(&self) {
        self.until(|state| state.desk.is_closed.then_some(())).await;
    }
    /// Why it has ended, if it has.
    pub(crate) fn ended(&self) -> Option<Failure> {
        self.lock().desk.ended.clone()
    }

    /// Whether it is to be closed now.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().desk.is_closed
    }

    /// Whether one side has refused the other's TLS.
    pub(crate) fn is_distrusted(&self) -> bool {
        self.lock().desk.is_distrusted
    }

    /// Notes that one side has refused the other's TLS.
    pub(crate) fn distrust(&self) {
        self.lock().desk.is_distrusted = true;
    }

    /// Ends the session, since its socket has ended for this reason.
    pub(crate) fn lose(&self, cause: String) {
        let mut state = self.lock();
        state.desk.cause = cause;
        state.session.lost();
    }

    /// Closes it, whose task is done. Returns why it has ended.
    pub(crate) fn leave(&self) -> Option<Failure> {
        let mut state = self.lock();
        state.desk.is_closed = true;
        self.share.set(state.desk.unread.bytes());
        state.desk.ended.clone()
    }

    /// Notes that a blocked write goes on.
    pub(crate) fn moved(&self, time: Instant) {
        let mut state = self.lock();
        let now = state.time(self.since(time));
        state.session.moved(now);
    }

    /// Gives back memory that the session does not need.
    pub(crate) fn rest(&self) {
        self.lock().session.rest();
    }

    /// The window of a stream that the peer opens.
    pub(crate) fn window(&self) -> Window {
        self.lock().desk.window
    }
}
