//! How requests and sessions end [MXP-7.4, MXP-11].

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::frame::{self, Flags, Header, Type};
use crate::session::mxp_control::{self as control, FailureRef, HelloView};
use crate::session::queue::Class;
use crate::session::state::{header, Phase};
use crate::session::{
    Cancelled, End, Ended, Failure, Incoming, Kind, Ready, Session, Status, Why, FAILURE_TEXT_BYTES,
};

/// Something that the user is to be told, and that no frame's payload is needed for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Note {
    /// The session is ready, after the peer's Layouts.
    Ready,
    /// A request of this side's has ended by itself.
    Ended { id: u64, why: Kind, acted: bool },
    /// A request of this side's has ended with the session.
    EndedWithSession { id: u64, acted: bool },
    /// A request of the peer's has ended.
    Cancelled(Cancelled),
    /// The session has ended.
    End,
}

/// Why a session ended.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    pub(crate) status: u16,
    pub(crate) name: Cow<'static, str>,
    pub(crate) text: Cow<'static, str>,
    pub(crate) details: Vec<u8>,
    pub(crate) remote: bool,
    pub(crate) refused: bool,
}

/// Why a frame ends the session.
#[derive(Debug)]
pub(crate) struct Fatal {
    pub(crate) kind: Kind,
    pub(crate) text: Cow<'static, str>,
}

impl From<Kind> for Fatal {
    fn from(kind: Kind) -> Self {
        let text = Cow::Borrowed("");
        Self { kind, text }
    }
}

/// A payload that can't be decoded is refused by the decoder's name for it
/// [MXP-5.6].
impl From<sdp::Error> for Fatal {
    fn from(refusal: sdp::Error) -> Self {
        Self {
            kind: Kind::Payload,
            text: Cow::Borrowed(refusal.kind.as_str()),
        }
    }
}

impl Session {
    /// Tells the session that the connection is gone [MXP-11.3].
    pub fn lost(&mut self) {
        let no_failure = match self.phase {
            Phase::Ended => {
                self.queue.clear();
                return;
            }
            Phase::Drained => true,
            _ => {
                let is_live = self.here.places() > 0 || self.there.has_live();
                (self.drains || self.peer_drains || self.leaving.is_some()) && !is_live
            }
        };
        let ending = if no_failure {
            Ending::default()
        } else {
            Ending {
                status: Kind::Lost.status(),
                name: Kind::Lost.as_str().into(),
                ..Ending::default()
            }
        };
        self.queue.clear();
        self.end(ending, |is_sent| is_sent);
    }

    /// Ends the session with a refusal of its own [MXP-11.2].
    pub(crate) fn end_by(&mut self, fatal: Fatal, now: u64) {
        let Fatal { kind, text } = fatal;
        self.refuse_all(
            kind.number(),
            kind.status(),
            kind.as_str(),
            text,
            false,
            now,
        );
    }

    /// Ends a session that was to drain when it was ready. Nobody can have acted on requests that
    /// the peer may have made before it knows.
    pub(crate) fn end_by_leaving(&mut self, now: u64) {
        let kind = Kind::Draining;
        self.refuse_all(
            kind.number(),
            kind.status(),
            kind.as_str(),
            "".into(),
            true,
            now,
        );
    }

    /// Ends the session since what came is no frame.
    pub(crate) fn end_by_frame(&mut self, kind: frame::Kind, now: u64) {
        self.refuse_all(
            kind.number(),
            kind.status(),
            kind.as_str(),
            "".into(),
            false,
            now,
        );
    }

    /// Ends the session, since of all connections this one holds most, and together they
    /// hold more than they may [MXP-15.4].
    pub fn overrun(&mut self, now: u64) {
        if !self.is_over() {
            self.end_by(Kind::LimitServerBytes.into(), now);
        }
    }

    /// Ends the session of a peer that is not let in, which is told why, and that nobody has
    /// acted on anything. Name and text are cut where they are too long.
    pub fn reject(&mut self, failure: &Failure<'_>, now: u64) {
        if self.is_over() {
            return;
        }
        self.queue.drop_all_but(Type::Hello);
        let told = FailureRef::new()
            .with_status(control::Status::from_number(failure.status.0))
            .with_refused(true)
            .with_name(cut(failure.name, 255))
            .with_text(cut(failure.text, FAILURE_TEXT_BYTES));
        let header = Header::new(Type::Error);
        // Names and texts are short enough.
        let _ = self.push(header, Class::Reply, now, |output| told.append(output));
        let ending = Ending {
            status: failure.status.0,
            name: Cow::Owned(failure.name.into()),
            text: Cow::Owned(failure.text.into()),
            ..Ending::default()
        };
        self.end(ending, |is_sent| is_sent);
    }

    fn refuse_all(
        &mut self,
        number: u8,
        status: u16,
        name: &'static str,
        text: Cow<'static, str>,
        is_refused: bool,
        now: u64,
    ) {
        self.counters.refused(number);
        self.queue.drop_all_but(Type::Hello);
        let failure = FailureRef::new()
            .with_status(control::Status::from_number(status))
            .with_refused(is_refused)
            .with_name(name)
            .with_text(&text);
        let header = Header::new(Type::Error);
        // Names and texts of refusals are short enough for every Failure.
        let _ = self.push(header, Class::Reply, now, |output| failure.append(output));
        let ending = Ending {
            status,
            name: name.into(),
            text,
            ..Ending::default()
        };
        self.end(ending, |is_sent| is_sent);
    }

    /// Ends the session since the peer has said so.
    pub(crate) fn end_by_peer(&mut self, failure: &FailureRef<'_>) {
        self.queue.clear();
        let refused = failure.refused;
        let ending = Ending {
            status: failure.status.number(),
            name: Cow::Owned(failure.name.into()),
            text: Cow::Owned(failure.text.into()),
            details: failure.details.to_vec(),
            remote: true,
            refused,
        };
        self.end(ending, |is_sent| is_sent && !refused);
    }

    /// Ends everything. Whether a request may have been acted on follows from
    /// whether it was sent.
    fn end(&mut self, ending: Ending, acted: impl Fn(bool) -> bool) {
        self.ending = ending;
        for (id, _) in self.here.take_all() {
            let acted = acted(self.is_sent(id)) && id <= self.last_taken;
            self.notes.push_back(Note::EndedWithSession { id, acted });
        }
        for (id, exchange) in self.there.take_all() {
            if !exchange.has_ended {
                let why = Why::End;
                self.notes.push_back(Note::Cancelled(Cancelled { id, why }));
            }
        }
        self.notes.push_back(Note::End);
        self.phase = Phase::Ended;
        self.began = None;
    }

    /// Ends a request of this side's, and tells the peer if it may know of it
    /// [MXP-7.6].
    pub(crate) fn give_up(&mut self, id: u64, why: Kind, now: u64) {
        let Some(exchange) = self.here.remove(id) else {
            return;
        };
        let acted = self.is_sent(id);
        if acted {
            let header = header(Type::Cancel, Flags::NONE, id, exchange.trace);
            self.push_empty(header, Class::Plain, now);
        } else {
            self.queue.drop_exchange(id);
        }
        self.notes.push_back(Note::Ended { id, why, acted });
    }

    /// Ends a request of the peer's, which keeps its place until the user lets go of
    /// it [MXP-7.8].
    pub(crate) fn cut_off(&mut self, id: u64, why: Why) {
        self.there.end(id);
        self.notes.push_back(Note::Cancelled(Cancelled { id, why }));
    }

    /// Answers a request with an Error of the session's own making.
    pub(crate) fn answer_error(
        &mut self,
        id: u64,
        trace: u64,
        kind: Kind,
        is_refused: bool,
        now: u64,
    ) {
        self.counters.refused(kind.number());
        let failure = FailureRef::new()
            .with_status(control::Status::from_number(kind.status()))
            .with_refused(is_refused)
            .with_name(kind.as_str());
        let header = header(Type::Error, Flags::NONE, id, trace);
        // The names of refusals are short enough for every Failure.
        let _ = self.push(header, Class::Reply, now, |output| failure.append(output));
    }

    /// A note as it is told.
    pub(crate) fn told(&self, note: Note) -> Incoming<'_> {
        let ending = |acted| Failure {
            status: Status(self.ending.status),
            name: &self.ending.name,
            text: &self.ending.text,
            details: &self.ending.details,
            acted,
        };
        match note {
            Note::Ended { id, why, acted } => {
                let failure = Failure {
                    status: Status(why.status()),
                    name: why.as_str(),
                    text: "",
                    details: &[],
                    acted,
                };
                Incoming::Ended(Ended { id, failure })
            }
            Note::EndedWithSession { id, acted } => {
                let failure = ending(acted);
                Incoming::Ended(Ended { id, failure })
            }
            Note::Cancelled(cancelled) => Incoming::Cancelled(cancelled),
            Note::Ready => Incoming::Ready(Ready {
                hello: HelloView::new(&self.hello).ok(),
            }),
            Note::End => Incoming::End(End {
                failure: ending(false),
                remote: self.ending.remote,
                refused: self.ending.refused,
            }),
        }
    }
}

/// As much of a text as fits.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
