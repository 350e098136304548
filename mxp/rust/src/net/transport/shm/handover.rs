//! How two sides come to have each other's memory, over the socket between them [MXP-18.3].

use std::borrow::ToOwned as _;
use std::format;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::string::{String, ToString as _};
use std::vec::Vec;

use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage,
};

use super::file::{create, open, Made, Unmapped};
use super::halves::{without_signal, Halves};
use super::memory::Peers;
#[cfg(feature = "tokio")]
use super::offer::BEGIN;
use super::offer::{refused, Offer, OFFER_BYTES};
use super::quota::{Quota, Reserved};
use crate::net::outage::unusable;
use crate::net::Failure;
use crate::session::Kind;

/// The first bytes of what an acceptor of an earlier release sends.
const FRAME_BEGIN: [u8; 4] = 0x4d58_5031_u32.to_le_bytes();

/// How many descriptors are received at most. A second one is wrong already.
const DESCRIPTORS: usize = 2;

/// Sends an offer, with the file of its memory beside it. A socket on which nothing was sent
/// has room for it.
fn send(socket: BorrowedFd<'_>, offer: Offer, file: Option<&OwnedFd>) -> io::Result<()> {
    let bytes = offer.encode();
    let mut space = [core::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let files = file.map(|file| [file.as_fd()]);
    if let Some(files) = &files {
        beside.push(SendAncillaryMessage::ScmRights(files));
    }
    let pieces = [IoSlice::new(&bytes)];
    match sendmsg(socket, &pieces, &mut beside, without_signal())? {
        OFFER_BYTES => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// An offer that comes.
#[derive(Default)]
pub(super) struct Arriving {
    bytes: [u8; OFFER_BYTES],
    n: usize,
    files: Vec<OwnedFd>,
    /// The system has dropped a descriptor.
    is_cut: bool,
}

impl Arriving {
    /// Reads once what has come of it. Returns whether there is enough to know what it is.
    pub(super) fn read(&mut self, socket: BorrowedFd<'_>) -> io::Result<bool> {
        let mut space =
            [core::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let mut left = [IoSliceMut::new(&mut self.bytes[self.n..])];
        let came = recvmsg(socket, &mut left, &mut beside, flags())?;
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        self.is_cut |= came.flags.contains(ReturnFlags::CTRUNC);
        self.n += came.bytes;
        match (came.bytes, self.n) {
            (0, 0) => Err(io::ErrorKind::UnexpectedEof.into()),
            (0, n) => Err(refused(format!("an offer ends at byte {n}")).into()),
            _ => Ok(self.n == OFFER_BYTES || self.is_of_a_frame()),
        }
    }

    /// Whether it is no offer, but of a peer that knows none.
    fn is_of_a_frame(&self) -> bool {
        self.n >= FRAME_BEGIN.len() && self.bytes[..4] == FRAME_BEGIN
    }

    /// Maps the memory that is offered with it.
    fn open(&self, ring: usize) -> Result<Peers, Unmapped> {
        let unfit = |text: String| Err(Unmapped::Unfit(text));
        match &self.files[..] {
            _ if self.is_cut => unfit(
                "the system has dropped descriptors: there are too many, here or in the offer"
                    .to_owned(),
            ),
            [file] => open(file, ring),
            files => unfit(format!("{} descriptors came with an offer", files.len())),
        }
    }
}

/// The flags of a receiver, whose descriptors other programs do not inherit.
fn flags() -> RecvFlags {
    #[cfg(target_os = "linux")]
    return RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    return RecvFlags::empty();
}

/// The end of a handover that did not fail.
#[cfg(feature = "tokio")]
pub(super) enum Handed {
    /// Memory.
    Memory(Halves),
    /// The bytes go over the socket, for a reason.
    Socket(String),
}

/// Memory that a side can give, or why it has none.
fn make(ring: usize, quota: &Quota) -> Result<(Made, Reserved), String> {
    let reserved = quota.reserve(ring).ok_or_else(is_full)?;
    let made = create(ring).map_err(|error| error.to_string())?;
    Ok((made, reserved))
}

fn is_full() -> String {
    "all connections have as many bytes in rings as they may".to_owned()
}

/// The opener's part, from its offer on.
pub(super) struct Opener {
    made: Made,
    reserved: Reserved,
}

/// The end of an opener's part that did not fail.
pub(super) enum Answered {
    Memory(Halves),
    Socket(String),
    /// The connection is made anew, without an offer.
    Anew(String),
}

impl Opener {
    /// Makes memory, or says why there is none.
    pub(super) fn new(ring: usize, quota: &Quota) -> Result<Self, String> {
        let (made, reserved) = make(ring, quota)?;
        Ok(Self { made, reserved })
    }

    pub(super) fn offer(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        let ring = self.made.ring.len();
        send(socket, Offer::Memory(ring), Some(&self.made.file))
    }

    /// Takes the answer.
    pub(super) fn answered(mut self, arrived: &Arriving) -> Result<Answered, Failure> {
        if arrived.is_of_a_frame() {
            let why = "the server is of a release that knows no shared memory";
            return Ok(Answered::Anew(why.to_owned()));
        }
        let ring = match Offer::decode(&arrived.bytes)? {
            Offer::Memory(ring) => ring,
            Offer::Socket => {
                let why = "the server has no memory to share, as its log says";
                return Ok(Answered::Socket(why.to_owned()));
            }
            Offer::Refused => return Err(unusable("the server refuses this side's memory")),
        };
        let peer = match arrived.open(ring) {
            Ok(peer) => peer,
            Err(Unmapped::Unfit(text)) => return Err(Failure::saying(Kind::ShmMemory, text)),
            Err(Unmapped::Failed(error)) => return Ok(Answered::Anew(error.to_string())),
        };
        if !self.reserved.add(ring) {
            return Ok(Answered::Anew(is_full()));
        }
        let halves = Halves::new(self.made, peer, self.reserved);
        Ok(Answered::Memory(halves))
    }
}

/// Whether a connection begins as one by shared memory does, of which a byte has come.
#[cfg(feature = "tokio")]
pub(super) fn is_offer(first: u8) -> bool {
    first == BEGIN[0]
}

/// Answers an opener's offer. Where it is refused the opener is told.
#[cfg(feature = "tokio")]
pub(super) fn answer(
    socket: BorrowedFd<'_>,
    arrived: &Arriving,
    ring: usize,
    quota: &Quota,
) -> io::Result<Handed> {
    let refuse = |failure: Failure| {
        // It is refused whether it can be told or not.
        let _ = send(socket, Offer::Refused, None);
        Err(failure.into())
    };
    let decline = |why: String| {
        send(socket, Offer::Socket, None)?;
        Ok(Handed::Socket(why))
    };
    let of_peer = match Offer::decode_first(&arrived.bytes) {
        Ok(ring) => ring,
        Err(failure) => return refuse(failure),
    };
    let peer = match arrived.open(of_peer) {
        Ok(peer) => peer,
        Err(Unmapped::Unfit(text)) => return refuse(Failure::saying(Kind::ShmMemory, text)),
        Err(Unmapped::Failed(error)) => return decline(error.to_string()),
    };
    let (made, mut reserved) = match make(ring, quota) {
        Ok(made) => made,
        Err(why) => return decline(why),
    };
    if !reserved.add(of_peer) {
        return decline(is_full());
    }
    send(socket, Offer::Memory(ring), Some(&made.file))?;
    Ok(Handed::Memory(Halves::new(made, peer, reserved)))
}

/// Refuses an offer that has not come whole.
#[cfg(feature = "tokio")]
pub(super) fn refuse(socket: BorrowedFd<'_>) {
    let _ = send(socket, Offer::Refused, None);
}
