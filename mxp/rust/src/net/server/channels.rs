//! The channels that a server opens [MXP-18.13].

use core::fmt;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::sync::Arc;

use crate::net::channel::{opening, Channel, ChannelOptions};
use crate::net::transport::shm::channel_offer::{ChannelOffer, Delivery, Form};
use crate::net::transport::shm::ends::{Choice, Ends, Watch};
use crate::net::transport::shm::proposal::Proposal;
use crate::net::typed::{Fixed, Method};
use crate::net::{Failure, Peer};
use crate::session::Kind;

/// The channels of a server, by the names of services and the numbers of methods.
#[derive(Clone, Default)]
pub(crate) struct Channels(BTreeMap<(String, u16), OpenChannel>);

/// A channel that a server opens.
#[derive(Clone)]
struct OpenChannel {
    opening: ChannelOffer,
    choice: Choice,
    handler: Arc<dyn Fn(Ends, Peer) + Send + Sync>,
}

impl Channels {
    /// Has a handler take channels of a method.
    pub(super) fn add<Q, A, W>(
        &mut self,
        method: &Method<Q, A, W>,
        options: &ChannelOptions,
        handler: impl Fn(Channel<A, Q, W>, Peer) + Send + Sync + 'static,
    ) where
        W: Fixed<Q> + Fixed<A>,
    {
        let opening = opening(method, options);
        let served = OpenChannel {
            choice: options.choice(),
            handler: Arc::new(move |ends, peer| handler(Channel::new(ends), peer)),
            opening: opening.clone(),
        };
        self.0.insert((opening.service, opening.method), served);
    }

    /// Opens a channel, and has it handled, or tells the peer why not.
    pub(super) fn open(
        &self,
        proposal: Proposal,
        peer: Peer,
        counts: Box<dyn Send + Sync>,
        hook: impl FnOnce(Watch),
    ) -> Result<(), Failure> {
        let served = match self.find(&proposal.opening) {
            Ok(served) => served,
            Err(failure) => {
                proposal.refuse(&failure);
                return Err(failure);
            }
        };
        let ends = proposal.accept(served.choice, counts)?;
        hook(ends.sending.watch());
        (served.handler)(ends, peer);
        Ok(())
    }

    /// The channel that an opening is for, if both sides mean the same by it.
    fn find(&self, opening: &ChannelOffer) -> Result<&OpenChannel, Failure> {
        let (service, method) = (opening.service.clone(), opening.method);
        let Some(served) = self.0.get(&(service, method)) else {
            let text = format!("{}/{method} is not opened as a channel", opening.service);
            return Err(Failure::saying(Kind::ChannelUnknown, text));
        };
        let own = &served.opening;
        for (what, own, theirs) in [
            ("requests", own.requests, opening.requests),
            ("responses", own.responses, opening.responses),
        ] {
            if let Some(text) = difference(what, own, theirs) {
                return Err(Failure::saying(Kind::ChannelForm, text));
            }
        }
        Ok(served)
    }
}

/// In what the two sides differ.
fn difference(text: &str, own: Form, remote: Form) -> Option<String> {
    let word = |delivery| match delivery {
        Delivery::Queue => "a queue",
        Delivery::Latest => "the latest",
    };
    if own.delivery != remote.delivery {
        let (own, remote) = (word(own.delivery), word(remote.delivery));
        return Some(format!(
            "the server has {own} of {text}, and the opener {remote}"
        ));
    }
    if own.bytes != remote.bytes {
        let (own, remote) = (own.bytes, remote.bytes);
        return Some(format!(
            "the server's {text} have {own} bytes, and the opener's {remote}"
        ));
    }
    (own.fingerprint != remote.fingerprint).then(|| {
        let (own, remote) = (own.fingerprint, remote.fingerprint);
        format!(
            "the server's {text} have the fingerprint {own:016x}, and the opener's {remote:016x}"
        )
    })
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
