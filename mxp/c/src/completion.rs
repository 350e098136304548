//! Completions, before the host takes them.

use bytes::Bytes;
use mxp::net::{Failure, Reply, Request};
use tokio::sync::OwnedSemaphorePermit;

use crate::owner::{Beside, Owned};
use crate::shapes::kind;

/// A completion in the queue.
#[derive(Default)]
pub(crate) struct Completion {
    pub(crate) kind: u32,
    pub(crate) status: u32,
    pub(crate) tag: u64,
    pub(crate) id: u64,
    pub(crate) service: u32,
    pub(crate) method: u32,
    pub(crate) owned: Option<Box<Owned>>,
    /// The place in the queue of an event, which is free when the host takes it.
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// The place of a request: the label of its server, and the number of its service there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) label: u64,
    pub(crate) service: u32,
}

/// The outcome of an operation with a tag.
pub(crate) enum Outcome {
    /// Success, and nothing else.
    Done,
    /// An object was made.
    Made(u64),
    /// A value, and the metadata beside it.
    Value(Reply),
    Failed(Failure),
}

impl From<Result<Reply, Failure>> for Outcome {
    fn from(result: Result<Reply, Failure>) -> Self {
        result.map_or_else(Self::Failed, Self::Value)
    }
}

impl From<Result<(), Failure>> for Outcome {
    fn from(result: Result<(), Failure>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Done)
    }
}

impl Completion {
    /// The completion of a tag.
    pub(crate) fn of_tag(tag: u64, outcome: Outcome) -> Self {
        let mut done = Self {
            kind: kind::TAG,
            tag,
            ..Self::default()
        };
        match outcome {
            Outcome::Done => {}
            Outcome::Made(id) => done.id = id,
            Outcome::Value(reply) => {
                let metadata = reply.metadata;
                let beside = (!metadata.is_empty()).then(|| Beside::Metadata(metadata));
                done.owned = owned(reply.value, beside);
            }
            Outcome::Failed(failure) => done.fail(failure),
        }
        done
    }

    /// The completion of a request of a peer's.
    pub(crate) fn of_request(kind: u32, place: Place, id: u64, request: Request) -> Self {
        Self {
            service: place.service,
            method: request.method.into(),
            owned: owned(request.value.clone(), Some(Beside::Request(request))),
            ..Self::plain(kind, place.label, id)
        }
    }

    /// A line of the log.
    pub(crate) fn of_line(level: u32, line: String, fields: Vec<(String, Vec<u8>)>) -> Self {
        Self {
            status: level,
            owned: owned(line.into(), Some(Beside::Metadata(fields))),
            ..Self::plain(kind::LOG, 0, 0)
        }
    }

    /// A completion without a value.
    pub(crate) fn plain(kind: u32, label: u64, id: u64) -> Self {
        Self {
            kind,
            tag: label,
            id,
            ..Self::default()
        }
    }

    /// A chunk of a stream.
    pub(crate) fn chunk(label: u64, id: u64, chunk: &[u8], permit: OwnedSemaphorePermit) -> Self {
        let chunk = Bytes::copy_from_slice(chunk);
        Self {
            owned: Some(Box::new(Owned::Chunk(chunk, permit))),
            ..Self::plain(kind::CHUNK, label, id)
        }
    }

    /// The same, with a place in the queue.
    pub(crate) fn with(mut self, permit: OwnedSemaphorePermit) -> Self {
        self.permit = Some(permit);
        self
    }

    /// Has something beside no value.
    pub(crate) fn own(&mut self, beside: Beside) {
        self.owned = owned(Bytes::new(), Some(beside));
    }

    /// Has the failure.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.status = failure.status.0.into();
        self.own(Beside::Failure(failure));
    }
}

/// The owner of a value and of the things beside it, where there are any.
fn owned(value: Bytes, beside: Option<Beside>) -> Option<Box<Owned>> {
    let is_nothing = value.is_empty() && beside.is_none();
    (!is_nothing).then(|| Box::new(Owned::new(value, beside)))
}
