//! A connection by shared memory in halves, one for the writer and one for the reader, and the bell
//! that both ring.

use std::io::{self, IoSlice};

use super::bell::Bell;
use super::memory::{Own, Peers};
use super::quota::Reservation;
use super::ring::{Got, Incoming, Outgoing};
use super::sides::{OwnMemory, PeerMemory};
use super::wait::{Waits, Wakes, Woken};
use super::wait_kind::WaitKind;

/// A connection that both sides have taken.
pub(super) struct Halves {
    pub(super) sending: WriteHalf,
    pub(super) receiving: ReadHalf,
    pub(super) bell: Bell,
    /// The bytes of its rings, which others can have when it is gone.
    pub(super) reserved: Reservation,
}

impl Halves {
    pub(super) fn new(made: OwnMemory, offered: PeerMemory, reserved: Reservation) -> Self {
        let (own, peer) = (made.own, offered.peers);
        let events = made.file.events(offered.events);
        Self {
            sending: WriteHalf {
                ring: Outgoing::new(made.ring, own.clone(), peer.clone()),
                own: own.clone(),
                peer: peer.clone(),
                waits: Waits::default(),
                woken: Woken::default(),
            },
            receiving: ReadHalf {
                ring: Incoming::new(own.clone(), peer.clone()),
                own: own.clone(),
                peer: peer.clone(),
                waits: Waits::default(),
                woken: Woken::default(),
            },
            bell: Bell::new(own, peer, events),
            reserved,
        }
    }
}

/// A half, as both are when they have to wait.
pub(super) trait Half {
    /// The wait of this half, where it has to.
    const KIND: WaitKind;

    /// Whether there is something to do, or to find out.
    fn has_news(&mut self) -> bool;

    /// Whether the peer was told that this half waits.
    #[cfg(feature = "tokio")]
    fn is_announced(&self) -> bool;

    /// Tells the peer that this half waits, and the means that wakes it.
    fn announce(&mut self, wakes: Wakes);

    /// Tells the peer that it need not wake this half.
    fn go_on(&mut self);
}

/// The half of the writer.
pub(super) struct WriteHalf {
    ring: Outgoing,
    own: Own,
    peer: Peers,
    waits: Waits,
    woken: Woken,
}

impl WriteHalf {
    /// Writes what there is room for, and wakes the peer where it waits for that.
    #[inline]
    pub(super) fn write(
        &mut self,
        pieces: &[IoSlice<'_>],
        wake: impl Fn(Wakes),
    ) -> io::Result<usize> {
        let Self {
            ring, peer, woken, ..
        } = self;
        let wrote = ring.write(pieces, || {
            if let Some(by) = woken.is_due(|| peer.awaits_bytes()) {
                wake(by);
            }
        })?;
        if wrote > 0 {
            self.waits.go_on(self.own.awaits_room());
        }
        Ok(wrote)
    }

    /// Writes nothing more.
    pub(super) fn end(&mut self, wake: impl Fn(Wakes)) {
        self.ring.end();
        if let Some(by) = self.woken.is_due(|| self.peer.awaits_bytes()) {
            wake(by);
        }
    }
}

impl Half for WriteHalf {
    const KIND: WaitKind = WaitKind::Room;

    #[inline]
    fn has_news(&mut self) -> bool {
        !matches!(self.ring.room(), Ok(0))
    }

    #[cfg(feature = "tokio")]
    fn is_announced(&self) -> bool {
        self.waits.is_announced()
    }

    fn announce(&mut self, wakes: Wakes) {
        self.waits.announce(self.own.awaits_room(), wakes);
    }

    fn go_on(&mut self) {
        self.waits.go_on(self.own.awaits_room());
    }
}

/// The half of the reader.
pub(super) struct ReadHalf {
    ring: Incoming,
    own: Own,
    peer: Peers,
    waits: Waits,
    woken: Woken,
}

impl ReadHalf {
    /// Takes what is there, and wakes the peer where it waits for the room.
    #[inline]
    pub(super) fn read(&mut self, output: &mut [u8], wake: impl Fn(Wakes)) -> io::Result<Got> {
        let Self {
            ring, peer, woken, ..
        } = self;
        let half = peer.ring() / 2;
        let got = ring.read(output, |free| {
            if free >= half {
                if let Some(by) = woken.is_due(|| peer.awaits_room()) {
                    wake(by);
                }
            }
        })?;
        if got != Got::Nothing {
            self.waits.go_on(self.own.awaits_bytes());
        }
        Ok(got)
    }

    /// The peer's socket has ended.
    pub(super) fn close(&mut self) {
        self.ring.close();
    }
}

impl Half for ReadHalf {
    const KIND: WaitKind = WaitKind::Bytes;

    #[inline]
    fn has_news(&mut self) -> bool {
        self.ring.has_news()
    }

    #[cfg(feature = "tokio")]
    fn is_announced(&self) -> bool {
        self.waits.is_announced()
    }

    fn announce(&mut self, wakes: Wakes) {
        self.waits.announce(self.own.awaits_bytes(), wakes);
    }

    fn go_on(&mut self) {
        self.waits.go_on(self.own.awaits_bytes());
    }
}
