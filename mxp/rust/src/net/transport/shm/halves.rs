//! A connection by shared memory in halves, one for the writer and one for the reader, and the bell
//! that both ring.

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;

use rustix::net::SendFlags;

use super::atomic::{AtomicU32, Ordering};
use super::file::OwnMemory;
use super::memory::{Own, Peers};
use super::quota::Reservation;
use super::ring::{Got, Incoming, Outgoing};
use super::wait::{Waits, Wakes, Woken};

/// A connection that both sides have taken.
pub(super) struct Halves {
    pub(super) sending: WriteHalf,
    pub(super) receiving: ReadHalf,
    pub(super) bell: Bell,
    /// The bytes of its rings, which others can have when it is gone.
    pub(super) reserved: Reservation,
}

impl Halves {
    pub(super) fn new(file: OwnMemory, peer: Peers, reserved: Reservation) -> Self {
        let own = file.own;
        Self {
            sending: WriteHalf {
                ring: Outgoing::new(file.ring, own.clone(), peer.clone()),
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
            bell: Bell::new(own, peer),
            reserved,
        }
    }
}

/// A half, as both are when they have to wait.
pub(super) trait Half {
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

/// How each side wakes the other.
pub(super) struct Bell {
    own: Own,
    peer: Peers,
    /// The number of times that this side has woken a thread of the peer's.
    rung: AtomicU32,
}

impl Bell {
    pub(super) const fn new(own: Own, peer: Peers) -> Self {
        let rung = AtomicU32::new(0);
        Self { own, peer, rung }
    }

    /// Wakes the peer. An error here is not this side's: a full socket has already woken the thread
    /// that reads it, and an ended socket is found out by any waiting thread.
    #[cold]
    pub(super) fn wake(&self, wakes: Wakes, socket: BorrowedFd<'_>) {
        match wakes {
            Wakes::Bell => {
                // Two threads may store theirs in either order. Each number is stored once, so
                // that who has seen one sees another.
                let rung = self.rung.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                self.own.bell().store(rung, Ordering::Release);
                #[cfg(target_os = "linux")]
                {
                    use rustix::thread::futex;
                    let all = i32::MAX.unsigned_abs();
                    let _ = futex::wake(self.own.bell(), futex::Flags::empty(), all);
                }
            }
            Wakes::Byte => {
                let flags = SendFlags::DONTWAIT | without_signal();
                let _ = rustix::net::send(socket, &[0], flags);
            }
        }
    }

    /// The number of times that the peer has woken threads of this side.
    pub(super) fn heard(&self) -> u32 {
        self.peer.bell().load(Ordering::Relaxed)
    }

    /// Sleeps until the peer has woken threads once more, but not for longer than a time.
    #[cfg(target_os = "linux")]
    pub(super) fn sleep(&self, heard: u32, time: core::time::Duration) {
        use rustix::thread::futex;
        // A time that has no such form is as good as any.
        let time = rustix::fs::Timespec::try_from(time).ok();
        // Whyever it ends, what there is to do is looked at again.
        let _ = futex::wait(
            self.peer.bell(),
            futex::Flags::empty(),
            heard,
            time.as_ref(),
        );
    }

    /// There is no shared memory where the system has no such sleep.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn sleep(&self, _heard: u32, time: core::time::Duration) {
        std::thread::sleep(time.min(core::time::Duration::from_millis(1)));
    }
}

/// The flags by which writing to a peer that is gone raises no signal. On Apple's systems sockets
/// of the standard library raise none anyway.
pub(super) fn without_signal() -> SendFlags {
    #[cfg(not(target_vendor = "apple"))]
    return SendFlags::NOSIGNAL;
    #[cfg(target_vendor = "apple")]
    SendFlags::empty()
}

/// A look at the socket, where bytes mean nothing but that somebody was woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Bytes.
    Bytes,
    /// Nothing.
    Nothing,
    /// The end: the peer is gone.
    End,
}

/// How many bytes of the socket are passed over at once.
pub(super) const PASSED_BYTES: usize = 4096;

/// Passes over what has come on the socket, without waiting for it.
pub(super) fn hear(socket: impl std::os::fd::AsFd) -> Heard {
    use rustix::net::{recv, RecvFlags};
    let mut bytes = [0; PASSED_BYTES];
    match recv(socket.as_fd(), &mut bytes[..], RecvFlags::DONTWAIT) {
        Ok((0, _)) => Heard::End,
        Ok(_) => Heard::Bytes,
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Heard::Nothing,
        Err(_) => Heard::End,
    }
}
