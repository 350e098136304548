//! How two sides come to have each other's memory, over the socket between them [MXP-18.3].

use std::borrow::ToOwned as _;
use std::format;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::string::{String, ToString as _};
#[cfg(feature = "tokio")]
use std::vec::Vec;

use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage,
};

#[cfg(feature = "tokio")]
use super::channel_offer::{encode_answer, ChannelOffer};
use super::file::{create, open, MapFailure, OwnMemory};
use super::halves::{without_signal, Halves};
use super::memory::Peers;
use super::offer::{refused, Offer, Use, BEGIN, OFFER_BYTES, OPENING_BYTES, USE_AT};
use super::quota::{Quota, Reservation};
use crate::engine::outage::unusable;
use crate::net::Failure;
use crate::session::Kind;

/// The first bytes of what an acceptor of an earlier release sends.
const FRAME_BEGIN: [u8; 4] = 0x4d58_5031_u32.to_le_bytes();

/// How many descriptors are received at most. A second one is wrong already.
const DESCRIPTORS: usize = 2;

/// Sends an offer, with the file of its memory beside it.
fn send(socket: BorrowedFd<'_>, offer: Offer, file: Option<&OwnedFd>) -> io::Result<()> {
    send_bytes(socket, &offer.encode(Use::Session), file)
}

/// Sends what begins with an offer. A socket on which nothing was sent has room for it.
fn send_bytes(socket: BorrowedFd<'_>, bytes: &[u8], file: Option<&OwnedFd>) -> io::Result<()> {
    let mut space = [core::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let files = file.map(|file| [file.as_fd()]);
    if let Some(files) = &files {
        beside.push(SendAncillaryMessage::ScmRights(files));
    }
    let pieces = [IoSlice::new(bytes)];
    let sent = sendmsg(socket, &pieces, &mut beside, without_signal())?;
    if sent < bytes.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    Ok(())
}

/// How many bytes an offer has with the record that follows that of a channel.
const ALL_BYTES: usize = OFFER_BYTES + OPENING_BYTES;

/// An offer that comes.
pub(super) struct IncomingOffer {
    bytes: [u8; ALL_BYTES],
    n: usize,
    /// Whether it may be that of a channel.
    takes_channels: bool,
    /// The first descriptor that came with it.
    file: Option<OwnedFd>,
    /// How many came. All behind the first are closed as they come.
    files: usize,
    /// The system has dropped a descriptor.
    is_cut: bool,
}

impl IncomingOffer {
    pub(super) const fn new(takes_channels: bool) -> Self {
        Self {
            bytes: [0; ALL_BYTES],
            n: 0,
            takes_channels,
            file: None,
            files: 0,
            is_cut: false,
        }
    }

    /// The offer, which has come.
    pub(super) fn offer(&self) -> &[u8; OFFER_BYTES] {
        let (offer, _) = self.halves();
        offer
    }

    /// The record of a channel, which has come.
    #[cfg(feature = "tokio")]
    pub(super) fn record(&self) -> &[u8; OPENING_BYTES] {
        let (_, record) = self.halves();
        record
    }

    fn halves(&self) -> (&[u8; OFFER_BYTES], &[u8; OPENING_BYTES]) {
        const NONE: ([u8; OFFER_BYTES], [u8; OPENING_BYTES]) =
            ([0; OFFER_BYTES], [0; OPENING_BYTES]);
        let split = self.bytes.split_first_chunk();
        let whole = split.and_then(|(offer, rest)| Some((offer, rest.first_chunk()?)));
        whole.unwrap_or((&NONE.0, &NONE.1))
    }

    /// How many bytes there have to be.
    fn wanted(&self) -> usize {
        let is_whole = self.n >= OFFER_BYTES && self.bytes[..4] == BEGIN;
        if self.takes_channels && is_whole && self.bytes[USE_AT] == Use::Channel as u8 {
            return ALL_BYTES;
        }
        OFFER_BYTES
    }

    /// Reads once what has come of it. Returns whether there is enough to know what it is.
    pub(super) fn read(&mut self, socket: BorrowedFd<'_>) -> io::Result<bool> {
        let mut space =
            [core::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let wanted = self.wanted();
        let mut left = [IoSliceMut::new(&mut self.bytes[self.n..wanted])];
        let came = recvmsg(socket, &mut left, &mut beside, flags())?;
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                for file in files {
                    self.files += 1;
                    self.file.get_or_insert(file);
                }
            }
        }
        self.is_cut |= came.flags.contains(ReturnFlags::CTRUNC);
        self.n += came.bytes;
        match (came.bytes, self.n) {
            (0, 0) => Err(io::ErrorKind::UnexpectedEof.into()),
            (0, n) => Err(refused(format!("an offer ends at byte {n}")).into()),
            _ => Ok(self.n == self.wanted() || self.is_of_a_frame()),
        }
    }

    /// Whether it is no offer, but of a peer that knows none.
    pub(super) fn is_of_a_frame(&self) -> bool {
        self.n >= FRAME_BEGIN.len() && self.bytes[..4] == FRAME_BEGIN
    }

    /// Maps the memory that is offered with it.
    pub(super) fn open(&self, ring: usize) -> Result<Peers, MapFailure> {
        let unfit = |text: String| Err(MapFailure::Unfit(text));
        match (self.files, &self.file) {
            _ if self.is_cut => unfit(
                "the system has dropped descriptors: there are too many, here or in the offer"
                    .to_owned(),
            ),
            (1, Some(file)) => open(file, ring),
            (files, _) => unfit(format!("{files} descriptors came with an offer")),
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

/// Memory that an opener has offered.
#[cfg(feature = "tokio")]
pub(super) struct OfferedMemory {
    /// It, or why the system does not map it.
    pub(super) peer: Result<Peers, String>,
    /// How many bytes its ring has.
    pub(super) ring: usize,
    /// The opening, if it is of a channel.
    pub(super) opening: Option<ChannelOffer>,
}

/// The end of a handover that did not fail.
#[cfg(feature = "tokio")]
pub(super) enum HandoverEnd {
    /// Memory.
    Memory(Halves),
    /// The bytes go over the socket, for a reason.
    Socket(String),
}

/// Memory that a side can give, or why it has none.
pub(super) fn make(ring: usize, quota: &Quota) -> Result<(OwnMemory, Reservation), String> {
    let reserved = quota.reserve(ring).ok_or_else(is_full)?;
    let made = create(ring).map_err(|error| error.to_string())?;
    Ok((made, reserved))
}

pub(super) fn is_full() -> String {
    "all connections have as many bytes in rings as they may".to_owned()
}

/// The opener's part, from its offer on.
pub(super) struct Opener {
    made: OwnMemory,
    reserved: Reservation,
}

/// The end of an opener's part that did not fail.
pub(super) enum OpenerEnd {
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
    pub(super) fn answered(mut self, arrived: &IncomingOffer) -> Result<OpenerEnd, Failure> {
        if arrived.is_of_a_frame() {
            let why = "the server is of a release that knows no shared memory";
            return Ok(OpenerEnd::Anew(why.to_owned()));
        }
        let ring = match Offer::decode(arrived.offer(), Use::Session)? {
            Offer::Memory(ring) => ring,
            Offer::Socket => {
                let why = "the server has no memory to share, as its log says";
                return Ok(OpenerEnd::Socket(why.to_owned()));
            }
            Offer::Refused => return Err(unusable("the server refuses this side's memory")),
        };
        let peer = match arrived.open(ring) {
            Ok(peer) => peer,
            Err(MapFailure::Unfit(text)) => return Err(Failure::saying(Kind::ShmMemory, text)),
            Err(MapFailure::Failed(error)) => return Ok(OpenerEnd::Anew(error.to_string())),
        };
        if !self.reserved.add(ring) {
            return Ok(OpenerEnd::Anew(is_full()));
        }
        let halves = Halves::new(self.made, peer, self.reserved);
        Ok(OpenerEnd::Memory(halves))
    }
}

/// Whether a connection begins as one by shared memory does, of which a byte has come.
#[cfg(feature = "tokio")]
pub(super) fn is_offer(first: u8) -> bool {
    first == BEGIN[0]
}

/// The memory that an opener has offered, and what for. Where it is refused the opener is told.
#[cfg(feature = "tokio")]
pub(super) fn offered(
    socket: BorrowedFd<'_>,
    arrived: &IncomingOffer,
) -> Result<OfferedMemory, Failure> {
    let offered = || {
        let (ring, of) = Offer::decode_first(arrived.offer())?;
        let opening = match of {
            Use::Session => None,
            Use::Channel => Some(ChannelOffer::decode(arrived.record())?),
        };
        let peer = match arrived.open(ring) {
            Ok(peer) => Ok(peer),
            Err(MapFailure::Unfit(text)) => return Err(Failure::saying(Kind::ShmMemory, text)),
            Err(MapFailure::Failed(error)) => Err(error.to_string()),
        };
        Ok(OfferedMemory {
            peer,
            ring,
            opening,
        })
    };
    offered().inspect_err(|why| refuse(socket, arrived, why))
}

/// Answers an opener's offer of memory for a session.
#[cfg(feature = "tokio")]
pub(super) fn answer(
    socket: BorrowedFd<'_>,
    (peer, of_peer): (Result<Peers, String>, usize),
    ring: usize,
    quota: &Quota,
) -> io::Result<HandoverEnd> {
    let decline = |why: String| {
        send(socket, Offer::Socket, None)?;
        Ok(HandoverEnd::Socket(why))
    };
    let peer = match peer {
        Ok(peer) => peer,
        Err(why) => return decline(why),
    };
    let (made, mut reserved) = match make(ring, quota) {
        Ok(made) => made,
        Err(why) => return decline(why),
    };
    if !reserved.add(of_peer) {
        return decline(is_full());
    }
    send(socket, Offer::Memory(ring), Some(&made.file))?;
    Ok(HandoverEnd::Memory(Halves::new(made, peer, reserved)))
}

/// Refuses an offer, which may not have come whole, whether that can be told or not.
#[cfg(feature = "tokio")]
pub(super) fn refuse(socket: BorrowedFd<'_>, arrived: &IncomingOffer, why: &Failure) {
    let _ = match arrived.wanted() {
        ALL_BYTES => refuse_channel(socket, why),
        _ => send(socket, Offer::Refused, None),
    };
}

/// Tells an opener why there is no channel.
#[cfg(feature = "tokio")]
pub(super) fn refuse_channel(socket: BorrowedFd<'_>, why: &Failure) -> io::Result<()> {
    send_channel(socket, Offer::Refused, &encode_answer(Some(why)), None)
}

/// Sends an offer for a channel, and the record that follows it.
#[cfg(feature = "tokio")]
pub(super) fn send_channel(
    socket: BorrowedFd<'_>,
    offer: Offer,
    record: &[u8; OPENING_BYTES],
    file: Option<&OwnedFd>,
) -> io::Result<()> {
    let mut bytes = Vec::from(offer.encode(Use::Channel));
    bytes.extend_from_slice(record);
    send_bytes(socket, &bytes, file)
}
