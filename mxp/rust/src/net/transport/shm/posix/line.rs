//! The unix socket of a connection, for threads.

use core::mem::MaybeUninit;
use core::time::Duration;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::net::{
    recv, recvmsg, sendmsg, RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

use super::Handles;
use crate::net::transport::shm::bell::{Heard, PASSED_BYTES};
use crate::net::transport::shm::handover::{IncomingOffer, Message};
use crate::net::transport::unix;

/// How many descriptors are received at most. A second one is wrong already.
const DESCRIPTORS: usize = 2;

/// A socket whose writes wait for no longer than a time.
pub(crate) struct Line(UnixStream);

impl Line {
    pub(super) const fn new(stream: UnixStream) -> Self {
        Self(stream)
    }

    /// Connects one.
    pub(crate) fn connect(place: &str, stall: Duration) -> io::Result<Self> {
        unix::connect_waiting(place, stall).map(Self)
    }

    /// The socket, which carries the bytes itself.
    #[cfg(feature = "blocking")]
    pub(crate) fn into_plain(
        self,
        _: Duration,
    ) -> io::Result<std::boxed::Box<dyn crate::net::transport::blocking::Socket>> {
        self.0.set_read_timeout(None)?;
        Ok(std::boxed::Box::new(self.0))
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// The source of the descriptors that come.
    pub(crate) fn handles(&self) -> Handles {
        Handles::default()
    }

    pub(crate) fn send(&self, message: &Message<'_>) -> io::Result<()> {
        send(self.0.as_fd(), message)
    }

    /// Waits for an offer, but not beyond a time.
    pub(crate) fn arrive(&self, arriving: &mut IncomingOffer, late: Instant) -> io::Result<()> {
        loop {
            let left = late.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.0.set_read_timeout(Some(left))?;
            match receive(self.0.as_fd(), arriving) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Passes over what has come, without waiting for it.
    pub(crate) fn hear(&self) -> Heard {
        let mut bytes = [0; PASSED_BYTES];
        match recv(&self.0, &mut bytes[..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => Heard::End,
            Ok(_) => Heard::Bytes,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Heard::Nothing,
            Err(_) => Heard::End,
        }
    }

    /// Sends a byte that wakes the peer, without waiting for room.
    pub(crate) fn notify(&self) {
        notify(self.0.as_fd());
    }
}

pub(super) fn notify(socket: BorrowedFd<'_>) {
    let flags = SendFlags::DONTWAIT | without_signal();
    let _ = rustix::net::send(socket, &[0], flags);
}

/// Sends an offer, with the file of its memory beside it. A socket on which nothing was sent has
/// room for it.
pub(super) fn send(socket: BorrowedFd<'_>, message: &Message<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let files = message.file.map(|file| [file.as_fd()]);
    if let Some(files) = &files {
        beside.push(SendAncillaryMessage::ScmRights(files));
    }
    let pieces = [IoSlice::new(&message.bytes)];
    let sent = sendmsg(socket, &pieces, &mut beside, without_signal())?;
    if sent < message.bytes.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(())
}

/// Reads once what has come of an offer. Returns whether there is enough to know what it is.
pub(super) fn receive(socket: BorrowedFd<'_>, arriving: &mut IncomingOffer) -> io::Result<bool> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let mut left = [IoSliceMut::new(arriving.space())];
    let came = recvmsg(socket, &mut left, &mut beside, flags())?;
    arriving.handles.take(beside, came.flags);
    arriving.take(came.bytes)
}

/// The flags of a receiver, whose descriptors other programs do not inherit.
fn flags() -> RecvFlags {
    #[cfg(target_os = "linux")]
    return RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    return RecvFlags::empty();
}

/// The flags by which writing to a peer that is gone raises no signal. On Apple's systems sockets
/// of the standard library raise none anyway.
fn without_signal() -> SendFlags {
    #[cfg(not(target_vendor = "apple"))]
    return SendFlags::NOSIGNAL;
    #[cfg(target_vendor = "apple")]
    SendFlags::empty()
}
