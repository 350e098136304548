//! The opener's part of a channel [MXP-18.12].

use core::time::Duration;
use std::io;
use std::string::ToString as _;
use std::time::Instant;

use super::channel_offer::{decode_answer, no_memory, too_large, too_small, ChannelOffer};
use super::ends::{Choice, Ends, Forms};
use super::handover::{is_full, make, IncomingOffer, Message};
use super::offer::{Offer, Use, BEGIN, USE_AT};
use super::quota::Quota;
use super::sides::MapFailure;
use super::slots::ring_for;
use super::system::Line;
use crate::net::failure::failed;
use crate::net::Failure;
use crate::session::Kind;

/// Opens a channel at a place, within a time. Its two rings have no more bytes than they may.
pub(crate) fn open(
    place: &str,
    opening: &ChannelOffer,
    choice: Choice,
    (timeout, most): (Duration, usize),
) -> Result<Ends, Failure> {
    let late = Instant::now() + timeout;
    let forms = Forms {
        sent: opening.requests,
        received: opening.responses,
    };
    let ring = ring_for(forms.sent, choice.capacity).ok_or_else(|| too_large(forms.sent))?;
    let (made, mut reserved) = make(ring, &Quota::new(most)).map_err(no_memory)?;
    let line = Line::connect(place, timeout).map_err(|error| failed(&error))?;
    let record = opening.encode()?;
    let message = Message::of_channel(Offer::Memory(ring), &record, Some(&made.file));
    let mut arriving = IncomingOffer::new(true, line.handles());
    line.send(&message)
        .and_then(|()| line.arrive(&mut arriving, late))
        .map_err(|error| failed(&error))?;
    let offer = arriving.offer();
    let is_none = offer[..4] == BEGIN && offer[USE_AT] == Use::Session as u8;
    if arriving.is_of_a_frame() || is_none {
        let text = "the server has no channels";
        return Err(Failure::saying(Kind::ChannelUnknown, text));
    }
    let ring = match Offer::decode(offer, Use::Channel)? {
        Offer::Memory(ring) => Some(ring),
        Offer::Refused => None,
        Offer::Socket => {
            let text = "the verdict on a channel is to go over the socket";
            return Err(Failure::saying(Kind::ShmHandover, text));
        }
    };
    let refusal = decode_answer(arriving.record(), ring.is_none())?;
    let ring = match (refusal, ring) {
        (None, Some(ring)) => ring,
        (Some(refusal), _) => return Err(refusal),
        (None, None) => return Err(Failure::of(Kind::ShmHandover)),
    };
    let peer = match arriving.open(ring) {
        Ok(peer) => peer,
        Err(MapFailure::Unfit(text)) => return Err(Failure::saying(Kind::ShmMemory, text)),
        Err(MapFailure::Failed(error)) if error.kind() == io::ErrorKind::ConnectionReset => {
            return Err(failed(&error));
        }
        Err(MapFailure::Failed(error)) => return Err(no_memory(error.to_string())),
    };
    if !reserved.add(ring) {
        return Err(no_memory(is_full()));
    }
    let line = (line, choice.spin);
    let ends = Ends::new((made, peer, reserved), forms, line, None);
    ends.ok_or_else(|| too_small(forms.received))
}
