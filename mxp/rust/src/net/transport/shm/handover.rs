//! How two sides come to have each other's memory, over the socket between them [MXP-18.3].

use std::borrow::ToOwned as _;
use std::format;
use std::io;
use std::string::{String, ToString as _};
use std::vec::Vec;

#[cfg(feature = "tokio")]
use super::channel_offer::{encode_answer, ChannelOffer};
use super::halves::Halves;
use super::offer::{refused, Offer, Use, BEGIN, HANDLES_AT, OFFER_BYTES, OPENING_BYTES, USE_AT};
use super::quota::{Quota, Reservation};
use super::sides::{MapFailure, OwnMemory, PeerMemory};
use super::system::{create, File, Handles, HANDLES_BYTES};
use crate::engine::outage::unusable;
use crate::net::Failure;
use crate::session::Kind;

/// The first bytes of what an acceptor of an earlier release sends.
const FRAME_BEGIN: [u8; 4] = 0x4d58_5031_u32.to_le_bytes();

/// An offer, with the file of its memory, which stays open until it is sent.
pub(super) struct Message<'a> {
    pub(super) bytes: Vec<u8>,
    #[cfg_attr(windows, allow(dead_code, reason = "its handles are in the bytes"))]
    pub(super) file: Option<&'a File>,
}

impl<'a> Message<'a> {
    /// An offer for a session.
    fn new(offer: Offer, file: Option<&'a File>) -> Self {
        Self::of(offer, Use::Session, file)
    }

    /// An offer for a channel, and the record that follows it.
    #[cfg(feature = "tokio")]
    pub(super) fn of_channel(
        offer: Offer,
        record: &[u8; OPENING_BYTES],
        file: Option<&'a File>,
    ) -> Self {
        let mut message = Self::of(offer, Use::Channel, file);
        message.bytes.extend_from_slice(record);
        message
    }

    fn of(offer: Offer, purpose: Use, file: Option<&'a File>) -> Self {
        let mut bytes = offer.encode(purpose);
        if let Some(file) = file {
            bytes[HANDLES_AT..][..HANDLES_BYTES].copy_from_slice(&file.handles());
        }
        let bytes = Vec::from(bytes);
        Self { bytes, file }
    }
}

/// How many bytes an offer has with the record that follows that of a channel.
const ALL_BYTES: usize = OFFER_BYTES + OPENING_BYTES;

/// An offer that comes.
pub(super) struct IncomingOffer {
    bytes: [u8; ALL_BYTES],
    n: usize,
    /// Whether it may be that of a channel.
    takes_channels: bool,
    /// The handles of the peer that came with it.
    pub(super) handles: Handles,
}

impl IncomingOffer {
    pub(super) const fn new(takes_channels: bool, handles: Handles) -> Self {
        Self {
            bytes: [0; ALL_BYTES],
            n: 0,
            takes_channels,
            handles,
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

    /// The place of the bytes that are still to come.
    pub(super) fn space(&mut self) -> &mut [u8] {
        let wanted = self.wanted();
        &mut self.bytes[self.n..wanted]
    }

    /// Takes bytes that have come there, of which there are none at the end. Returns whether there
    /// is enough to know what it is.
    pub(super) fn take(&mut self, n: usize) -> io::Result<bool> {
        self.n += n;
        match (n, self.n) {
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
    pub(super) fn open(&self, ring: usize) -> Result<PeerMemory, MapFailure> {
        self.handles.open(self.offer(), ring)
    }
}

/// Memory that an opener has offered.
#[cfg(feature = "tokio")]
pub(super) struct OfferedMemory {
    /// It, or why the system does not map it.
    pub(super) peer: Result<PeerMemory, String>,
    /// How many bytes its ring has.
    pub(super) ring: usize,
    /// The opening, if it is of a channel.
    pub(super) opening: Option<ChannelOffer>,
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

    pub(super) fn offer(&self) -> Message<'_> {
        let ring = self.made.ring.len();
        Message::new(Offer::Memory(ring), Some(&self.made.file))
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

/// The memory that an opener has offered, and what for.
#[cfg(feature = "tokio")]
pub(super) fn offered(arrived: &IncomingOffer) -> Result<OfferedMemory, Failure> {
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
}

/// The answer to an opener that has offered memory for a session.
#[cfg(feature = "tokio")]
pub(super) enum Answer {
    Memory(OwnMemory, PeerMemory, Reservation),
    /// The bytes go over the socket, for a reason.
    Socket(String),
}

#[cfg(feature = "tokio")]
impl Answer {
    /// Takes the offered memory, if there is as much for the opener.
    pub(super) fn new(
        (peer, of_peer): (Result<PeerMemory, String>, usize),
        ring: usize,
        quota: &Quota,
    ) -> Self {
        let taken = || {
            let peer = peer?;
            let (made, mut reserved) = make(ring, quota)?;
            if !reserved.add(of_peer) {
                return Err(is_full());
            }
            Ok(Self::Memory(made, peer, reserved))
        };
        taken().unwrap_or_else(Self::Socket)
    }

    pub(super) fn message(&self) -> Message<'_> {
        match self {
            Self::Memory(made, ..) => {
                Message::new(Offer::Memory(made.ring.len()), Some(&made.file))
            }
            Self::Socket(_) => Message::new(Offer::Socket, None),
        }
    }
}

/// The refusal of an offer, which may not have come whole.
#[cfg(feature = "tokio")]
pub(super) fn refusal(arrived: &IncomingOffer, why: &Failure) -> Message<'static> {
    match arrived.wanted() {
        ALL_BYTES => channel_refusal(why),
        _ => Message::new(Offer::Refused, None),
    }
}

/// The reason why there is no channel, for an opener.
#[cfg(feature = "tokio")]
pub(super) fn channel_refusal(why: &Failure) -> Message<'static> {
    Message::of_channel(Offer::Refused, &encode_answer(Some(why)), None)
}
