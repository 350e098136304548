//! The failures that requests end with.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::engine::names::Names;
use crate::session::{self, Difference, Kind, Status};

/// Why a request ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of failure, for programs.
    pub status: Status,
    /// The name of a refusal or a limit, else one of the peer's user.
    pub name: String,
    /// A description of what happened, for people.
    pub text: String,
    /// More of it, for programs.
    pub details: Vec<u8>,
    /// Whether somebody may have acted on the request.
    pub acted: bool,
    /// The request, if it is known. No peer is told.
    origin: Option<Box<Origin>>,
}

/// The request of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    method: String,
    peer: String,
}

impl Failure {
    /// A failure of a handler's, who has acted.
    #[must_use]
    pub fn new(status: Status, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            status,
            name: name.into(),
            text: text.into(),
            details: Vec::new(),
            acted: true,
            origin: None,
        }
    }

    /// Says which request it is, as `service/method`, and at which address. Failures
    /// that clients and streams give say so by themselves.
    #[must_use]
    pub fn with_origin(mut self, method: impl Into<String>, peer: impl Into<String>) -> Self {
        let (method, peer) = (method.into(), peer.into());
        self.origin = Some(Box::new(Origin { method, peer }));
        self
    }

    /// The full name of the service, a slash and the method's name, or its number where
    /// nobody has named it; empty where the failure is of no request.
    #[must_use]
    pub fn method(&self) -> &str {
        self.origin.as_deref().map_or("", |origin| &origin.method)
    }

    /// The address of the other side, if it is known.
    #[must_use]
    pub fn peer(&self) -> &str {
        self.origin.as_deref().map_or("", |origin| &origin.peer)
    }

    /// Says which request it is, unless it is known to be of another.
    #[cold]
    pub(crate) fn located(self, service: &str, name: &str, number: u16, peer: &str) -> Self {
        if self.origin.is_some() {
            return self;
        }
        let method = method_name(service, name, number);
        self.with_origin(method, peer)
    }

    /// Says that nobody has acted on the request.
    #[must_use]
    pub const fn refused(mut self) -> Self {
        self.acted = false;
        self
    }

    /// Tells programs more.
    #[must_use]
    pub fn with_details(mut self, details: Vec<u8>) -> Self {
        self.details = details;
        self
    }

    /// A refusal, on which nobody has acted.
    pub(crate) fn of(kind: Kind) -> Self {
        Self::saying(kind, "")
    }

    /// A failure of a kind, with a text.
    pub(crate) fn saying(kind: Kind, text: impl Into<String>) -> Self {
        Self::new(Status(kind.status()), kind.as_str(), text).refused()
    }

    /// Why a connection can make no request.
    pub(crate) fn refusing(kind: Kind, session: &session::Session) -> Self {
        match kind {
            Kind::PayloadTooLarge => Self::saying(kind, too_large(session)),
            Kind::LimitInFlight => {
                let most = session.limits().in_flight;
                Self::saying(kind, format!("{most} requests wait for their answers"))
            }
            _ => Self::of(kind),
        }
    }

    /// A request of a service that the peer does not serve.
    pub(crate) fn not_served(service: &str, services: &Names) -> Self {
        let all = services.len();
        let first: Vec<_> = services.iter().take(LISTED_MAX).map(Into::into).collect();
        let names = listed(&first, all);
        let text = format!("the peer does not serve {service}; it serves {names}");
        Self::saying(Kind::ServiceUnknown, text)
    }

    /// The refusal of a method whose types the two sides can't exchange [MXP-6.8].
    pub(crate) fn differing(difference: &Difference) -> Self {
        let mut failure = Self::of(Kind::Schema);
        failure.text.clone_from(&difference.text);
        failure
    }

    pub(crate) fn told(failure: &session::Failure<'_>) -> Self {
        Self {
            status: failure.status,
            name: failure.name.to_owned(),
            text: failure.text.to_owned(),
            details: failure.details.to_vec(),
            acted: failure.acted,
            origin: None,
        }
    }

    /// The failure that was told of a session that may have ended since its connection was lost.
    pub(crate) fn told_of(failure: &session::Failure<'_>, cause: &str) -> Self {
        let mut told = Self::told(failure);
        if told.text.is_empty() && told.name == Kind::Lost.as_str() {
            cause.clone_into(&mut told.text);
        }
        told
    }

    pub(crate) fn lent(&self) -> session::Failure<'_> {
        session::Failure {
            status: self.status,
            name: &self.name,
            text: &self.text,
            details: &self.details,
            acted: self.acted,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, peer) = (self.method(), self.peer());
        let at = if method.is_empty() || peer.is_empty() {
            ""
        } else {
            " at "
        };
        write!(f, "{method}{at}{peer}")?;
        if !method.is_empty() || !peer.is_empty() {
            f.write_str(": ")?;
        }
        match self.status {
            Status(number @ 0..=16) => write!(f, "{} ({number})", self.status)?,
            Status(number) => write!(f, "Status ({number})")?,
        }
        if !self.name.is_empty() && !self.text.starts_with(&self.name) {
            let colon = if self.text.is_empty() { "" } else { ":" };
            write!(f, " {}{colon}", self.name)?;
        }
        if !self.text.is_empty() {
            write!(f, " {}", self.text)?;
        }
        match (method, self.acted) {
            ("", _) => Ok(()),
            (_, true) => f.write_str("; it may have been acted on"),
            (_, false) => f.write_str("; it was not acted on"),
        }
    }
}

impl core::error::Error for Failure {}

/// The full name of a service, a slash and a method's name, or its number.
pub(crate) fn method_name(service: &str, name: &str, number: u16) -> String {
    if name.is_empty() {
        return format!("{service}/{number}");
    }
    format!("{service}/{name}")
}

/// How many methods, or services, a text lists.
pub(crate) const LISTED_MAX: usize = 8;

/// The first of names, and how many there are besides.
pub(crate) fn listed(names: &[String], total: usize) -> String {
    let more = total.saturating_sub(LISTED_MAX);
    match (total, more) {
        (0, _) => "none".to_owned(),
        (_, 0) => names.join(", "),
        _ => format!("{} and {more} more", names.join(", ")),
    }
}

/// A description of the last payload that a session refused as too large.
pub(crate) fn too_large(session: &session::Session) -> String {
    match session.too_large() {
        (0, _) => "a text or a list is too long to be encoded".to_owned(),
        (bytes, most) => format!("a payload of {bytes} bytes, where the peer takes {most}"),
    }
}

/// Why a connection is gone that nobody was seen to end.
pub(crate) const fn lost_here() -> &'static str {
    "the connection was closed here"
}

/// The text that a peer is told of a handler that panicked.
pub(crate) const PANICKED: &str = "the handler panicked";

/// The failure of what took too long, and may have been acted on.
pub(crate) fn late() -> Failure {
    let mut failure = Failure::of(Kind::DeadlineExceeded);
    failure.acted = true;
    failure
}

/// Ends a request of the peer's with a failure. Texts are cut, and details and texts left
/// out that the peer doesn't take.
pub(crate) fn fail(
    session: &mut session::Session,
    id: u64,
    failure: &Failure,
    now: u64,
) -> Result<(), Kind> {
    let name = bounded(&failure.name, NAME_MAX);
    let text = bounded(&failure.text, session::FAILURE_TEXT_BYTES);
    let mut said = failure.lent();
    (said.name, said.text) = (&name, &text);
    let mut failed = session.fail(id, &said, now);
    if failed == Err(Kind::PayloadTooLarge) {
        said.details = &[];
        failed = session.fail(id, &said, now);
    }
    if failed == Err(Kind::PayloadTooLarge) {
        said.text = "";
        failed = session.fail(id, &said, now);
    }
    failed
}

/// The longest name of a failure, in bytes.
const NAME_MAX: usize = 255;

/// A text that is not too long for a peer.
fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    const CUT: &str = "…";
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let mut end = most - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}{CUT}", &text[..end]))
}

/// Says that a chunk might never be granted [MXP-8.7].
pub(crate) fn over_window(bytes: usize, most: u64) -> Failure {
    let text = format!("a chunk of {bytes} bytes, where the receiver's window lets {most} through");
    let mut failure = Failure::saying(Kind::StreamWindow, text);
    failure.acted = true;
    failure
}
