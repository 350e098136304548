//! The memory that a connection holds [MXP-15].

use std::format;

use crate::net::budget::Share;
use crate::net::connection::State;
use crate::session::Kind;

/// How much less or more is not told to others, since telling costs more than a call can
/// bear.
const GRAIN: usize = 512;

/// The bytes that a stream and the task of its handler take beside what the session counts it
/// as: with a handler that keeps little, 3.3 KB in all.
const STREAM_BYTES: usize = 2 << 10;

/// The memory that a connection holds, as of the last look at it.
#[derive(Debug, Default)]
pub(crate) struct Load {
    bytes: usize,
    /// It is more than the connection may hold.
    pub(crate) is_over: bool,
}

/// Whether a connection holds more than it may before it looks at what others hold.
pub(crate) fn is_much(state: &State, others: usize, share: &Share) -> bool {
    let most = state.session.limits().connection_bytes;
    held(state, others) > most.min(share.allowance())
}

/// Whether a connection holds more than it may.
fn is_over(state: &State, others: usize) -> bool {
    held(state, others) > state.session.limits().connection_bytes
}

/// Ends streams while a connection holds more than it may, and most of that is chunks that
/// nobody takes [MXP-15.3].
#[inline]
pub(crate) fn bound(state: &mut State, others: usize, now: u64) {
    while is_over(state, others) {
        if !overrun_one(state, others, now) {
            return;
        }
    }
}

impl Load {
    /// Tells what the connection holds: in its session, in its streams and answers, and
    /// otherwise.
    pub(crate) fn measure(&mut self, state: &State, others: usize, share: &Share) {
        let bytes = held(state, others);
        self.is_over = is_over(state, others);
        if bytes.abs_diff(self.bytes) >= GRAIN {
            self.bytes = bytes;
            share.set(bytes);
        }
    }
}

fn held(state: &State, others: usize) -> usize {
    let State { session, desk, .. } = state;
    let streams = desk.streams.len() * STREAM_BYTES;
    let unsaid = desk.unread.bytes() + desk.answer_bytes;
    session.held() + session.spare_bytes() + streams + unsaid + others
}

/// Ends the stream whose chunks hold most, if all of them hold more than half.
#[cold]
fn overrun_one(state: &mut State, others: usize, now: u64) -> bool {
    let most = state.session.limits().connection_bytes;
    if state.desk.unread.bytes() <= held(state, others) / 2 {
        return false;
    }
    let desk = &mut state.desk;
    let live = desk
        .streams
        .iter()
        .filter(|(_, entry)| entry.failure.is_none());
    let Some((id, bytes)) = live
        .map(|(id, entry)| (*id, entry.held()))
        .max_by_key(|(_, bytes)| *bytes)
    else {
        return false;
    };
    let text = format!("its unread chunks hold {bytes} bytes; the connection may hold {most}");
    let mut failure = crate::net::Failure::saying(Kind::LimitConnectionBytes, text);
    failure.acted = true;
    // The session says the same, of a stream that has failed by then.
    if let Some(entry) = desk.streams.get_mut(&id) {
        entry.fail(failure);
    }
    let _ = state.session.overrun_stream(id, now);
    true
}
