//! The work that is due when time passes [MXP-10].

use crate::frame::{Header, Type};
use crate::session::queue::Class;
use crate::session::state::{Phase, Ping};
use crate::session::{Kind, Role, Session, Why};

/// A second in microseconds.
const SECOND: u64 = 1_000_000;

impl Session {
    /// Tells the time: does what is due.
    pub fn tick(&mut self, now: u64) {
        if self.is_over() {
            return;
        }
        self.tally.pass(now);
        while let Some((at, id)) = self.here.next_deadline() {
            if at > now {
                break;
            }
            self.give_up(id, Kind::DeadlineExceeded, now);
        }
        while let Some((at, id)) = self.there.next_deadline() {
            if at > now {
                break;
            }
            let trace = self.there.get(id).map_or(0, |exchange| exchange.trace);
            self.answer_error(id, trace, Kind::DeadlineExceeded, false, now);
            self.cut_off(id, Why::Deadline);
        }
        let is_due = |time: Option<u64>| time.is_some_and(|time| time <= now);
        if is_due(self.hello_due()) {
            self.end_by(Kind::Silent.into(), now);
        } else if is_due(self.leaving_due()) {
            self.end_by_leaving(now);
        } else if is_due(self.frame_due()) {
            self.end_by(Kind::Slow.into(), now);
        } else if is_due(self.pong_due()) {
            self.end_by(Kind::Silent.into(), now);
        } else {
            if is_due(self.ping_due()) {
                self.send_ping(now);
            }
            if is_due(self.stall_due()) {
                self.end_by(Kind::Stalled.into(), now);
            } else {
                if is_due(self.idle_due()) {
                    self.farewell("idle", now);
                }
                if is_due(self.linger_due()) {
                    self.phase = Phase::Drained;
                }
            }
        }
        self.settle(now);
    }

    /// Tells the session that the transport has taken none of the given bytes for as long as it
    /// may, which ends the session as [MXP-10.5] does.
    pub fn stalled(&mut self, now: u64) {
        if !self.is_over() {
            self.end_by(Kind::Stalled.into(), now);
        }
    }

    /// Tells the session that the transport moves: it has taken some of the given bytes, after it
    /// had not taken all at once. While that goes on it is to be told at least once a second
    /// [MXP-10.6].
    pub fn moved(&mut self, now: u64) {
        self.moved = now;
    }

    /// Tells the session that its user reads no more for now, by his own choice. The peer
    /// is not taken for silent or slow meanwhile, and Pings show it that this side lives
    /// [MXP-10.8].
    pub fn pause(&mut self, now: u64) {
        self.paused.get_or_insert(now);
    }

    /// Tells the session that its user reads again.
    pub fn resume(&mut self, now: u64) {
        let Some(since) = self.paused.take() else {
            return;
        };
        self.heard = now;
        if let Some(ping) = &mut self.ping {
            ping.is_open = false;
        }
        let paused = now.saturating_sub(since);
        self.began = self.began.map(|time| time.saturating_add(paused));
    }

    /// When [`Session::tick`] next has something to do. There is no such time for a
    /// session that has ended.
    #[must_use]
    pub fn next_timeout(&self) -> Option<u64> {
        if self.is_over() {
            return None;
        }
        let deadline = |deadline: Option<(u64, u64)>| deadline.map(|(time, _)| time);
        let times = [
            deadline(self.here.next_deadline()),
            deadline(self.there.next_deadline()),
            self.hello_due(),
            self.frame_due(),
            self.pong_due(),
            self.ping_due(),
            self.stall_due(),
            self.idle_due(),
            self.linger_due(),
            self.leaving_due(),
            self.tally.due(),
        ];
        times.into_iter().flatten().min()
    }

    fn hello_due(&self) -> Option<u64> {
        let is_awaited = !self.ready();
        is_awaited.then(|| after(self.made, self.config.limits.hello_us))?
    }

    fn frame_due(&self) -> Option<u64> {
        let began = self.began.filter(|_| self.paused.is_none())?;
        let limits = &self.config.limits;
        let rate = (limits.frame_bytes_per_s as u64).max(1);
        let come = (self.reader.buffered() as u64).saturating_mul(SECOND) / rate;
        after(after(began, limits.frame_us)?, come)
    }

    /// When a Ping was waited for too long.
    fn pong_due(&self) -> Option<u64> {
        let is_read = self.paused.is_none();
        let ping = self.ping.filter(|ping| ping.is_open && is_read)?;
        after(ping.made.max(self.moved), self.config.limits.pong_us)
    }

    fn ping_due(&self) -> Option<u64> {
        let ping_us = self.config.limits.ping_us;
        let may_ping = self.ready() && ping_us != 0;
        if self.paused.is_some() {
            // A Ping that can't be given out is not made again at once.
            let made = self.ping.map_or(0, |ping| ping.made);
            return may_ping.then(|| after(self.given.max(made), ping_us))?;
        }
        let is_waiting = self.ping.is_some_and(|ping| ping.is_open);
        (may_ping && !is_waiting).then(|| after(self.heard, ping_us))?
    }

    fn stall_due(&self) -> Option<u64> {
        let is_waiting = !self.queue.is_empty();
        is_waiting.then(|| after(self.progress.max(self.moved), self.config.limits.stall_us))?
    }

    /// When an acceptor has been idle for long enough [MXP-10.7].
    fn idle_due(&self) -> Option<u64> {
        let idle_us = self.config.limits.idle_us;
        let may_end = self.ready() && self.role == Role::Acceptor && !self.drains;
        let is_idle = may_end && idle_us != 0 && !self.has_places();
        is_idle.then(|| after(self.stirred, idle_us))?
    }

    /// When a peer is not waited for any more that answers no Drain [MXP-11.1].
    fn linger_due(&self) -> Option<u64> {
        after(self.rested?, self.config.limits.linger_us)
    }

    /// When a peer whose Hello has not come is not waited for any more [MXP-11.1].
    fn leaving_due(&self) -> Option<u64> {
        let (_, since) = self.leaving.as_ref().filter(|_| !self.ready())?;
        after(*since, self.config.limits.linger_us)
    }

    fn send_ping(&mut self, now: u64) {
        let id = self.new_id();
        self.ping = Some(Ping {
            id,
            made: now,
            // Nobody reads its Pong [MXP-10.8].
            is_open: self.paused.is_none(),
            is_answered: false,
        });
        let header = Header {
            message_id: id,
            ..Header::new(Type::Ping)
        };
        self.push_empty(header, Class::Plain, now);
    }
}

/// The time so long after another. The largest time, and every time beyond it, is never.
pub(crate) fn after(time: u64, microseconds: u64) -> Option<u64> {
    let at = time.checked_add(microseconds)?;
    (at < u64::MAX).then_some(at)
}

/// When a deadline of so many microseconds passes; 0 is never.
pub(crate) fn deadline(microseconds: u64, now: u64) -> Option<u64> {
    (microseconds != 0).then(|| after(now, microseconds))?
}
