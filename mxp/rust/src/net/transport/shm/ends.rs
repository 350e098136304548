//! This side's ends of a channel, as bytes: what may be done in a thread that must not wait, and
//! apart from that waiting, waking and the socket.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use core::time::Duration;
use std::boxed::Box;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::bell::{Bell, Heard};
use super::channel_offer::Form;
use super::halves::Half;
use super::memory::{Own, Peers};
use super::quota::Reservation;
use super::sides::{OwnMemory, PeerMemory};
use super::sleep::{self, WaitResult};
use super::slots::{Dry, Inbox, Outbox, Wrong};
use super::spin::Spin;
use super::system::Line;
use super::wait::{Waits, Wakes, Woken};
use super::wait_kind::WaitKind;
use crate::session::Kind;

/// The most reads of the socket in one look for its end.
const LOOKS: usize = 16;

/// Why a channel carries nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer sends no more, and all that it has sent was taken; or it takes no more.
    Ended,
    /// The peer is gone, and has not said so before.
    Lost,
    /// The peer's numbers can't be right: `shm_index`.
    Index,
    /// The peer has sent bytes that are no value of the type: `value_invalid`.
    Value,
    /// This side has closed it.
    Here,
}

impl CloseReason {
    /// The name of the refusal, where it is one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ended | Self::Here => "",
            Self::Lost => Kind::Lost.as_str(),
            Self::Index => Kind::ShmIndex.as_str(),
            Self::Value => "value_invalid",
        }
    }

    /// The reason of a number, by which a link keeps it.
    const fn of(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Ended),
            2 => Some(Self::Lost),
            3 => Some(Self::Index),
            4 => Some(Self::Value),
            5 => Some(Self::Here),
            _ => None,
        }
    }

    const fn number(self) -> u8 {
        match self {
            Self::Ended => 1,
            Self::Lost => 2,
            Self::Index => 3,
            Self::Value => 4,
            Self::Here => 5,
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ended => "the peer has ended the channel",
            Self::Lost => "the peer is gone",
            Self::Index => "shm_index: the peer's numbers can't be right",
            Self::Value => "value_invalid: the peer has sent what is no value of the type",
            Self::Here => "the channel was closed here",
        })
    }
}

impl core::error::Error for CloseReason {}

/// The part of a channel that both ends have.
struct Link {
    line: Line,
    own: Own,
    bell: Bell,
    /// The number of why nothing more is sent or taken, or 0.
    closed: AtomicU8,
    /// The socket has ended: the peer is gone.
    is_alone: AtomicBool,
    _reserved: Reservation,
    /// Counts as a connection until this is dropped.
    _counts: Option<Box<dyn Send + Sync>>,
}

impl Link {
    #[inline]
    fn closed(&self) -> Option<CloseReason> {
        CloseReason::of(self.closed.load(Ordering::Relaxed))
    }

    #[inline]
    fn is_alone(&self) -> bool {
        self.is_alone.load(Ordering::Relaxed)
    }

    /// Closes both directions, and says so in memory alone. The first reason counts.
    #[cold]
    fn close(&self, why: CloseReason) -> CloseReason {
        let order = Ordering::Relaxed;
        let kept = self.closed.compare_exchange(0, why.number(), order, order);
        self.own.set_ended();
        self.own.set_left();
        kept.err().and_then(CloseReason::of).unwrap_or(why)
    }

    fn wake(&self, wakes: Wakes, kind: WaitKind) {
        self.bell.wake(wakes, kind, || self.line.notify());
    }

    /// Looks after the socket, where the end may lie behind bytes. Returns whether the peer is
    /// still there: one that floods the socket is.
    fn is_connected(&self) -> bool {
        let mut looks = (0..LOOKS).map(|_| self.line.hear());
        if !self.is_alone() && looks.find(|heard| *heard != Heard::Bytes) == Some(Heard::End) {
            self.is_alone.store(true, Ordering::Relaxed);
        }
        !self.is_alone()
    }
}

/// Looks after a channel's socket, from a thread that may ask the system.
#[derive(Clone)]
pub(crate) struct Watch(Weak<Link>);

impl Watch {
    pub(crate) fn is_connected(&self) -> bool {
        let link = self.0.upgrade();
        link.is_some_and(|link| link.closed().is_none() && link.is_connected())
    }

    pub(crate) fn close(&self) {
        if let Some(link) = self.0.upgrade() {
            link.close(CloseReason::Here);
            for kind in [WaitKind::Bytes, WaitKind::Room] {
                link.wake(Wakes::Bell, kind);
            }
            link.wake(Wakes::Byte, WaitKind::Bytes);
        }
    }
}

/// The choice of a side of a channel for itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    /// How many values its ring has room for at least.
    pub(crate) capacity: usize,
    /// The time that it looks before it sleeps.
    pub(crate) spin: Duration,
}

/// The ends of a channel.
pub(crate) struct Ends {
    pub(crate) sending: SendEnd,
    pub(crate) receiving: ReceiveEnd,
}

/// The forms of values of both directions, as a side sees them.
#[derive(Clone, Copy)]
pub(super) struct Forms {
    pub(super) sent: Form,
    pub(super) received: Form,
}

impl Ends {
    /// Ends over memory of both sides, unless a ring has too few slots.
    pub(super) fn new(
        (made, offered, reserved): (OwnMemory, PeerMemory, Reservation),
        forms: Forms,
        (socket, spin): (Line, Duration),
        counts: Option<Box<dyn Send + Sync>>,
    ) -> Option<Self> {
        let (own, peer) = (made.own, offered.peers);
        let events = made.file.events(offered.events);
        let outbox = Outbox::new(made.ring, own.clone(), peer.clone(), forms.sent)?;
        let inbox = Inbox::new(own.clone(), peer.clone(), forms.received)?;
        let link = Arc::new(Link {
            line: socket,
            own: own.clone(),
            bell: Bell::new(own.clone(), peer.clone(), events),
            closed: AtomicU8::new(0),
            is_alone: AtomicBool::new(false),
            _reserved: reserved,
            _counts: counts,
        });
        let side = Side {
            own,
            peer,
            waits: Waits::default(),
            woken: Woken::default(),
        };
        let sending = SendEnd {
            outbox,
            side: side.clone(),
            spin: Spin::new(spin),
            link: Arc::clone(&link),
        };
        let receiving = ReceiveEnd {
            inbox,
            side,
            spin: Spin::new(spin),
            link,
        };
        Some(Self { sending, receiving })
    }
}

/// The waiting of one end, and the waking of the peer's other.
#[derive(Clone)]
struct Side {
    own: Own,
    peer: Peers,
    waits: Waits,
    woken: Woken,
}

/// Why a value was not sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SendFailure {
    Full,
    Closed(CloseReason),
}

/// The end that sends.
pub(crate) struct SendEnd {
    outbox: Outbox,
    side: Side,
    spin: Spin,
    link: Arc<Link>,
}

impl SendEnd {
    /// Has a value written where the peer takes it.
    #[inline]
    pub(crate) fn send(
        &mut self,
        writer: impl FnOnce(&mut [u8]) -> bool,
    ) -> Result<(), SendFailure> {
        if let Some(closed) = self.closed() {
            return Err(SendFailure::Closed(closed));
        }
        match self.outbox.next() {
            Ok(Some(slot)) => {
                if !writer(slot) {
                    // Only a defect of the generated code has values of other sizes.
                    return Err(SendFailure::Closed(self.link.close(CloseReason::Here)));
                }
            }
            Ok(None) => return Err(SendFailure::Full),
            Err(Wrong) => return Err(SendFailure::Closed(self.link.close(CloseReason::Index))),
        }
        self.outbox.publish();
        Ok(())
    }

    /// Why nothing more is sent, as far as memory tells.
    #[inline]
    pub(crate) fn closed(&self) -> Option<CloseReason> {
        if let Some(closed) = self.link.closed() {
            return Some(closed);
        }
        match (self.outbox.has_left(), self.link.is_alone()) {
            (true, _) => Some(CloseReason::Ended),
            (false, true) => Some(CloseReason::Lost),
            (false, false) => None,
        }
    }

    /// Wakes the peer, if it waits for values.
    pub(crate) fn wake(&mut self) {
        let Side { peer, woken, .. } = &mut self.side;
        if let Some(by) = woken.is_due(|| peer.awaits_bytes()) {
            self.link.wake(by, WaitKind::Bytes);
        }
    }

    /// Waits for room, or the end. Returns whether there is either.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        let (link, mut spin) = (Arc::clone(&self.link), self.spin);
        let is_there = wait(self, &link, &mut spin, timeout);
        self.spin = spin;
        is_there
    }

    pub(crate) fn watch(&self) -> Watch {
        Watch(Arc::downgrade(&self.link))
    }
}

/// The end that receives.
pub(crate) struct ReceiveEnd {
    inbox: Inbox,
    side: Side,
    spin: Spin,
    link: Arc<Link>,
}

impl ReceiveEnd {
    /// Gives the next value's bytes, or the newest's, to a function that makes something of them,
    /// unless they are no value.
    #[inline]
    pub(crate) fn receive<T>(
        &mut self,
        get: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, CloseReason> {
        match self.link.closed() {
            None => {}
            Some(closed) => return Err(closed),
        }
        match self.inbox.take() {
            Ok(Some(bytes)) => match get(bytes) {
                Some(value) => Ok(Some(value)),
                None => Err(self.link.close(CloseReason::Value)),
            },
            Ok(None) => match self.inbox.dry(self.link.is_alone()) {
                Ok(Dry::Yet) => Ok(None),
                Ok(Dry::Ended) => Err(CloseReason::Ended),
                Ok(Dry::Lost) => Err(CloseReason::Lost),
                Err(Wrong) => Err(self.link.close(CloseReason::Index)),
            },
            Err(Wrong) => Err(self.link.close(CloseReason::Index)),
        }
    }

    /// Why nothing more is taken, as far as memory tells. Until then it is not known whether
    /// what is there was taken.
    pub(crate) fn closed(&mut self) -> Option<CloseReason> {
        if let Some(closed) = self.link.closed() {
            return Some(closed);
        }
        match self.inbox.dry(self.link.is_alone()) {
            Ok(Dry::Yet) => None,
            Ok(Dry::Ended) => Some(CloseReason::Ended),
            Ok(Dry::Lost) => Some(CloseReason::Lost),
            Err(Wrong) => Some(self.link.close(CloseReason::Index)),
        }
    }

    /// Wakes the peer, if it waits for room.
    pub(crate) fn wake(&mut self) {
        let Side { peer, woken, .. } = &mut self.side;
        if let Some(by) = woken.is_due(|| peer.awaits_room()) {
            self.link.wake(by, WaitKind::Room);
        }
    }

    /// Waits for a value, or the end. Returns whether there is either.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        let (link, mut spin) = (Arc::clone(&self.link), self.spin);
        let is_there = wait(self, &link, &mut spin, timeout);
        self.spin = spin;
        is_there
    }

    pub(crate) fn watch(&self) -> Watch {
        Watch(Arc::downgrade(&self.link))
    }
}

/// Waits for an end. The socket is looked at where nothing has come for long enough, and at the
/// end.
fn wait(end: &mut impl Half, link: &Link, spin: &mut Spin, timeout: Duration) -> bool {
    let late = Instant::now().checked_add(timeout);
    loop {
        if end.has_news() {
            spin.came();
            return true;
        }
        let is_late =
            timeout.is_zero() || sleep::wait(end, spin, &link.bell, late) == WaitResult::TooLong;
        if end.has_news() {
            continue;
        }
        if !link.is_connected() {
            continue;
        }
        if is_late {
            return false;
        }
    }
}

impl Half for SendEnd {
    const KIND: WaitKind = WaitKind::Room;

    #[inline]
    fn has_news(&mut self) -> bool {
        self.closed().is_some() || self.outbox.has_room() != Ok(false)
    }

    fn is_announced(&self) -> bool {
        self.side.waits.is_announced()
    }

    fn announce(&mut self, wakes: Wakes) {
        self.side.waits.announce(self.side.own.awaits_room(), wakes);
    }

    fn go_on(&mut self) {
        self.side.waits.go_on(self.side.own.awaits_room());
    }
}

impl Half for ReceiveEnd {
    const KIND: WaitKind = WaitKind::Bytes;

    #[inline]
    fn has_news(&mut self) -> bool {
        let is_over = self.link.closed().is_some() || self.link.is_alone();
        self.inbox.has_news(is_over)
    }

    fn is_announced(&self) -> bool {
        self.side.waits.is_announced()
    }

    fn announce(&mut self, wakes: Wakes) {
        self.side
            .waits
            .announce(self.side.own.awaits_bytes(), wakes);
    }

    fn go_on(&mut self) {
        self.side.waits.go_on(self.side.own.awaits_bytes());
    }
}

impl Drop for SendEnd {
    fn drop(&mut self) {
        self.side.own.set_ended();
        self.wake();
    }
}

impl Drop for ReceiveEnd {
    fn drop(&mut self) {
        self.side.own.set_left();
        self.wake();
    }
}
