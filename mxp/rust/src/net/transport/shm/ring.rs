//! The two directions of a connection: bytes in rings, and the numbers of them, of which this
//! side's are kept here and the peer's are believed only as far as they can be [MXP-18.7].

use std::io::{self, IoSlice};

use super::memory::{Own, Peers, Ring};
use crate::net::Failure;
use crate::session::Kind;

/// How much is written before the peer is told of it, so that it reads the one part while the
/// next is written.
const PART_BYTES: usize = 16 << 10;

/// The direction that this side writes.
pub(super) struct Outgoing {
    ring: Ring,
    own: Own,
    peer: Peers,
    /// How many bytes were written.
    written: u64,
    has_ended: bool,
}

impl Outgoing {
    pub(super) fn new(ring: Ring, own: Own, peer: Peers) -> Self {
        Self {
            ring,
            own,
            peer,
            written: 0,
            has_ended: false,
        }
    }

    /// How many bytes can be written now.
    #[inline]
    pub(super) fn room(&self) -> io::Result<usize> {
        let size = self.ring.len();
        let taken = self.peer.taken();
        match difference(self.written, taken) {
            Some(waits) if waits <= size => Ok(size - waits),
            _ => Err(wrong("taken", taken, self.written)),
        }
    }

    /// Writes what there is room for of pieces that follow each other. A peer that looks can read
    /// the first of it while the rest is written; one that sleeps is to be woken when it is there.
    #[inline]
    pub(super) fn write(
        &mut self,
        pieces: &[IoSlice<'_>],
        is_there: impl FnOnce(),
    ) -> io::Result<usize> {
        if self.has_ended {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut room = self.room()?;
        let (mut wrote, mut untold) = (0, 0);
        for piece in pieces {
            for part in piece.chunks(PART_BYTES) {
                let part = &part[..part.len().min(room)];
                if part.is_empty() {
                    break;
                }
                self.ring.fill(self.written, part);
                self.written += part.len() as u64;
                (room, wrote, untold) =
                    (room - part.len(), wrote + part.len(), untold + part.len());
                if untold >= PART_BYTES {
                    self.own.set_written(self.written);
                    untold = 0;
                }
            }
        }
        if wrote > 0 {
            self.own.set_written(self.written);
            is_there();
        }
        Ok(wrote)
    }

    /// Writes nothing more.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.own.set_ended();
    }
}

/// The direction that the peer writes.
pub(super) struct Incoming {
    own: Own,
    peer: Peers,
    /// How many bytes were taken.
    taken: u64,
    /// How many bytes the peer had written when its socket ended, and whether that was all.
    last: Option<(u64, bool)>,
}

/// The outcome of a look at what the peer has written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// So many bytes were taken.
    Bytes(usize),
    /// There are none, and none will come.
    End,
    /// There are none yet.
    Nothing,
    /// There are none, and the peer is gone without having said so.
    Lost,
}

impl Incoming {
    pub(super) const fn new(own: Own, peer: Peers) -> Self {
        Self {
            own,
            peer,
            taken: 0,
            last: None,
        }
    }

    /// How many bytes can be read, or that there will be none.
    #[inline]
    fn look(&self) -> io::Result<Result<usize, Got>> {
        let (written, has_ended) = self.last.unwrap_or_else(|| self.told());
        let size = self.peer.ring();
        match difference(written, self.taken) {
            Some(0) if has_ended => Ok(Err(Got::End)),
            Some(0) if self.last.is_some() => Ok(Err(Got::Lost)),
            Some(0) => Ok(Err(Got::Nothing)),
            Some(there) if there <= size => Ok(Ok(there)),
            _ => Err(wrong("written", written, self.taken)),
        }
    }

    /// How many bytes the peer has written, and whether that is all. The end is looked at first:
    /// all was written before it.
    #[inline]
    fn told(&self) -> (u64, bool) {
        let has_ended = self.peer.has_ended();
        (self.peer.written(), has_ended)
    }

    /// Whether there is something to read, or to find out.
    #[inline]
    pub(super) fn has_news(&self) -> bool {
        !matches!(self.look(), Ok(Err(Got::Nothing)))
    }

    /// Takes what is there, and calls a function with how many bytes of the ring are free when
    /// the peer can write over it.
    #[inline]
    pub(super) fn read(
        &mut self,
        output: &mut [u8],
        is_free: impl FnOnce(usize),
    ) -> io::Result<Got> {
        let there = match self.look()? {
            Ok(there) => there,
            Err(got) => return Ok(got),
        };
        let n = there.min(output.len());
        self.peer.copy(self.taken, &mut output[..n]);
        self.taken += n as u64;
        self.own.set_taken(self.taken);
        is_free(self.peer.ring() - (there - n));
        Ok(Got::Bytes(n))
    }

    /// The peer's socket has ended: what it has written by now is the last.
    pub(super) fn close(&mut self) {
        if self.last.is_none() {
            self.last = Some(self.told());
        }
    }
}

/// By how much a number is more than another, unless it is less.
#[inline]
fn difference(more: u64, less: u64) -> Option<usize> {
    usize::try_from(more.checked_sub(less)?).ok()
}

/// The loss of a connection whose peer tells numbers that can't be.
#[cold]
fn wrong(number: &str, claim: u64, own: u64) -> io::Error {
    let text = std::format!("the peer's number {number} is {claim}, where this side's is {own}");
    Failure::saying(Kind::ShmIndex, text).into()
}
