//! Events that are published through a mesh, by the stubs of any service [MESH-5].

use core::future::ready;
use std::borrow::Cow;
use std::boxed::Box;
use std::format;
use std::io;
use std::string::{String, ToString as _};

use crate::net::intercept::{interceptor, Target};
use crate::net::mesh::{MeshClient, Publication, Subject};
use crate::net::mesh_address::node_address;
use crate::net::service::Answer;
use crate::net::{Client, ClientOptions, Failure, MethodKind, Next, Options, Reply, Request};
use crate::session::{Kind, Status};

/// The key of the metadatum that an event's id is handed to the publisher by. It is not sent.
const ID: &str = "mxp-event-id";

impl Options {
    /// Names a durable event, for a client that [publishes](ClientOptions::publisher): one that is
    /// published again by the same id within ten minutes is kept once. Without it each event is
    /// given an id of its own, which holds for the repetitions that the client's policy makes.
    #[must_use]
    pub fn with_event_id(self, id: impl Into<String>) -> Self {
        self.with(ID, id.into())
    }
}

impl ClientOptions {
    /// Makes a client of the program's own [node](Self::node) whose events go to all who
    /// [subscribe](crate::net::Subscriber): the stubs of any service take it. An event that is
    /// acknowledged is durable: it has been taken when a majority of its replicas have it on disk.
    /// Calls and streams are refused with `method_unknown`. It has to be called on a runtime.
    ///
    /// ```no_run
    /// use mxp::net::{Client, ClientOptions, Options, WhenFull};
    ///
    /// # async fn publish() -> std::io::Result<()> {
    /// // Stubs have methods for it: MixerClient::new(mixer).changed_acked(&gain).
    /// let mixer = ClientOptions::new().publisher()?;
    /// let options = Options::new().with_event_id("take 7");
    /// mixer.event_acked("desk.Mixer", 1, vec![7], &options).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A text that is no address of a node, and options that can't be.
    pub fn publisher(self) -> io::Result<Client> {
        let node = node_address(self.node.as_deref());
        let mut options = self.types(MeshClient::types());
        options.interceptors.push(interceptor(publish));
        options.connect(&node)
    }
}

/// Hands an event to the node, instead of to the service that it is of.
fn publish(mut request: Request, next: Next) -> Answer<Reply> {
    if next.kind() != MethodKind::Event {
        let text = format!(
            "{} {} has one receiver, and a mesh carries events to all who subscribe",
            next.service(),
            next.number()
        );
        let mut failure = Failure::saying(Kind::MethodUnknown, text);
        failure.status = Status::UNIMPLEMENTED;
        return Box::pin(ready(Err(failure)));
    }
    let is_durable = next.wants_ack();
    let subject = Subject {
        service: next.service().to_string(),
        method: next.number(),
    };
    let mut publication = Publication::new()
        .with_subject(subject)
        .with_value(request.value.to_vec())
        .with_durable(is_durable);
    let named = request.get(ID).map(String::from_utf8_lossy);
    if is_durable {
        publication.id = match named.map_or_else(new_id, |id| Ok(id.into_owned())) {
            Ok(id) => id,
            Err(failure) => return Box::pin(ready(Err(failure))),
        };
    }
    request.metadata.retain(|(key, _)| key != ID);
    match publication.encode_to_vec() {
        Ok(value) => request.value = value.into(),
        Err(refusal) => {
            let text = refusal.to_string();
            let failure = Failure::new(Status::INVALID_ARGUMENT, "value_invalid", text);
            return Box::pin(ready(Err(failure.refused())));
        }
    }
    let (number, name, kind) = if is_durable {
        (1, "publish", MethodKind::Call)
    } else {
        (2, "emit", MethodKind::Event)
    };
    let target = Target {
        service: "mxp.mesh.Mesh".to_string(),
        number,
        name: Cow::Borrowed(name),
        is_idempotent: true,
        kind,
        full: next.full(),
    };
    Box::pin(next.redirected(target).run(request))
}

/// An id that no other event has, of this program or another, be it a fork of this one or on a
/// machine that is a copy of this one: it is of the system's randomness. The node takes an event
/// whose id it knows for one that was published before.
fn new_id() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let text = format!("the system has no random numbers: {error}");
        Failure::new(Status::UNAVAILABLE, "not_random", text).refused()
    })?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
