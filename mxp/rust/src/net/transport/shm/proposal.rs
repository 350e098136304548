//! A channel that a peer wants to open, until it is opened or refused [MXP-18.13].

use std::boxed::Box;
use std::string::String;

use super::channel_offer::{encode_answer, no_memory, too_large, too_small, ChannelOffer};
use super::ends::{Choice, Ends, Forms};
use super::handover::{channel_refusal, is_full, make, Message};
use super::offer::Offer;
use super::quota::Quota;
use super::sides::PeerMemory;
use super::slots::{ring_for, Slots};
use super::system::Line;
use crate::net::failure::failed;
use crate::net::Failure;

/// A channel that a peer wants to open.
pub(crate) struct Proposal {
    line: Line,
    /// The peer's memory, or why the system does not map it.
    peer: Result<PeerMemory, String>,
    /// How many bytes its ring has.
    ring: usize,
    quota: Quota,
    pub(crate) opening: ChannelOffer,
}

impl Proposal {
    /// A wish for a channel that has come over a socket.
    pub(super) fn new(
        line: Line,
        (peer, ring): (Result<PeerMemory, String>, usize),
        opening: ChannelOffer,
        quota: &Quota,
    ) -> Self {
        Self {
            line,
            peer,
            ring,
            quota: quota.clone(),
            opening,
        }
    }

    /// Tells the peer that there is no such channel, whether it hears it or not.
    pub(crate) fn refuse(self, why: &Failure) {
        let _ = self.line.send(&channel_refusal(why));
    }

    /// Opens the channel. Where it can't be the peer is told so.
    pub(crate) fn accept(
        self,
        choice: Choice,
        counts: Box<dyn Send + Sync>,
    ) -> Result<Ends, Failure> {
        let Self {
            line,
            peer,
            ring,
            quota,
            opening,
        } = self;
        let forms = Forms {
            sent: opening.responses,
            received: opening.requests,
        };
        let told = line.try_clone();
        let opened = (|| {
            if Slots::new(forms.received, ring).is_none() {
                return Err(too_small(forms.received));
            }
            let peer = peer.map_err(no_memory)?;
            let own = ring_for(forms.sent, choice.capacity);
            let own = own.ok_or_else(|| too_large(forms.sent))?;
            let (made, mut reserved) = make(own, &quota).map_err(no_memory)?;
            if !reserved.add(ring) {
                return Err(no_memory(is_full()));
            }
            let record = encode_answer(None);
            let message = Message::of_channel(Offer::Memory(own), &record, Some(&made.file));
            line.send(&message).map_err(|error| failed(&error))?;
            let line = (line, choice.spin);
            let ends = Ends::new((made, peer, reserved), forms, line, Some(counts));
            ends.ok_or_else(|| too_small(forms.sent))
        })();
        opened.inspect_err(|why| {
            if let Ok(told) = told {
                let _ = told.send(&channel_refusal(why));
            }
        })
    }
}
