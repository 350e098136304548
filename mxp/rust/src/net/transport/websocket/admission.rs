//! The rules by which a server lets a handshake in, or refuses it [MXP-19.5].

use std::borrow::ToOwned as _;
use std::collections::{HashMap, HashSet};
use std::format;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use subtle::ConstantTimeEq as _;
use tokio_tungstenite::tungstenite::handshake::server::Request;
use tokio_tungstenite::tungstenite::http::header::{
    AsHeaderName, HeaderMap, CONTENT_LENGTH, HOST, ORIGIN, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, TRANSFER_ENCODING,
};
use tokio_tungstenite::tungstenite::http::uri::Authority;
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::host::{bare, is_loopback};
use super::options::WebSocketOptions;
use super::place::escaped;
use super::protocol::{PROTOCOL, TOKEN_PREFIX};

/// Why a handshake is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

const fn refusal(status: StatusCode, why: &'static str) -> Refusal {
    Refusal { status, why }
}

/// The way in of a listener, which has one path.
#[derive(Debug)]
pub(super) struct Admission {
    path: String,
    options: Arc<WebSocketOptions>,
    origins: Arc<Origins>,
    told: LogHistory,
}

impl Admission {
    pub(super) fn new(path: &str, options: &Arc<WebSocketOptions>) -> Self {
        Self {
            path: escaped(path),
            options: Arc::clone(options),
            origins: Arc::default(),
            told: LogHistory::default(),
        }
    }

    /// Lets a handshake in, or says which of its faults counts.
    pub(super) fn admit(&self, request: &Request) -> Result<OriginSlot, Refusal> {
        let headers = request.headers();
        if escaped(request.uri().path()) != self.path {
            return Err(refusal(StatusCode::NOT_FOUND, "nothing is served here"));
        }
        // A request that names its host twice could mean either.
        let named = request.uri().authority().map(Authority::as_str);
        let host = only(headers, HOST).ok().flatten();
        if !host.into_iter().chain(named).all(|host| self.knows(host)) || host.is_none() {
            self.told.tell("host", host.unwrap_or_default());
            let why = "the host is not one of this server's";
            return Err(refusal(StatusCode::FORBIDDEN, why));
        }
        let origin = match only(headers, ORIGIN) {
            Ok(origin) if origin.map_or(true, |origin| self.lets(origin)) => origin,
            other => {
                let more = "several";
                self.told.tell(
                    "origin",
                    other.map_or(more, |origin| origin.unwrap_or_default()),
                );
                let why = "pages of this origin are not let in";
                return Err(refusal(StatusCode::FORBIDDEN, why));
            }
        };
        if !asked(headers).any(|protocol| protocol == PROTOCOL) {
            let why = "the subprotocol mxp.1 is not asked for";
            return Err(refusal(StatusCode::BAD_REQUEST, why));
        }
        if !self.has_token(headers) {
            let why = "the token is missing, or another";
            return Err(refusal(StatusCode::UNAUTHORIZED, why));
        }
        if has_body(headers) {
            return Err(refusal(StatusCode::BAD_REQUEST, "a handshake has no body"));
        }
        if !has_key(headers) {
            let why = "the key is no 16 bytes in base64";
            return Err(refusal(StatusCode::BAD_REQUEST, why));
        }
        let most = self.options.origin_connections;
        self.origins.enter(origin, most).ok_or(refusal(
            StatusCode::TOO_MANY_REQUESTS,
            "this origin has too many connections",
        ))
    }

    /// Whether a host is a loopback address, or one of the user's.
    fn knows(&self, host: &str) -> bool {
        let mut hosts = self.options.hosts.iter();
        is_loopback(host) || hosts.any(|name| name.eq_ignore_ascii_case(bare(host)))
    }

    /// Whether pages of an origin are let in.
    fn lets(&self, origin: &str) -> bool {
        let mut origins = self.options.origins.iter();
        let host = origin.strip_prefix("http://");
        let host = host.or_else(|| origin.strip_prefix("https://"));
        origins.any(|name| name.eq_ignore_ascii_case(origin)) || host.is_some_and(is_loopback)
    }

    /// Whether the token is asked for, if there is one. The comparison takes a time that does
    /// not depend on where texts of one length differ.
    fn has_token(&self, headers: &HeaderMap) -> bool {
        self.options.token.as_ref().map_or(true, |token| {
            let wanted = format!("{TOKEN_PREFIX}{token}");
            asked(headers).any(|protocol| protocol.as_bytes().ct_eq(wanted.as_bytes()).into())
        })
    }
}

/// The subprotocols that a handshake asks for.
fn asked(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// A header that is there once at most, and is text.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(name).into_iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(one), None) => one.to_str().map(Some).map_err(|_| ()),
        _ => Err(()),
    }
}

/// Whether a request has a body.
fn has_body(headers: &HeaderMap) -> bool {
    let mut lengths = headers.get_all(CONTENT_LENGTH).into_iter();
    headers.contains_key(TRANSFER_ENCODING) || lengths.any(|length| length.as_bytes() != b"0")
}

/// Whether a handshake has one key of 16 bytes: 22 characters of base64, of which the last has
/// four bits that stand for nothing, and two that fill.
fn has_key(headers: &HeaderMap) -> bool {
    let Ok(Some(key)) = only(headers, SEC_WEBSOCKET_KEY) else {
        return false;
    };
    let Some((last, rest)) = key
        .strip_suffix("==")
        .and_then(|key| key.as_bytes().split_last())
    else {
        return false;
    };
    let is_known = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/');
    rest.len() == 21 && rest.iter().all(is_known) && b"AQgw".contains(last)
}

/// How many refused hosts and origins are told of, at most, and how much of each.
const TOLD: usize = 64;
const TOLD_CHARS: usize = 256;

/// The hosts and origins that the log was told of.
#[derive(Debug, Default)]
struct LogHistory(Mutex<HashSet<String>>);

impl LogHistory {
    /// Tells that one is refused, the first time.
    fn tell(&self, kind: &'static str, text: &str) {
        let text: String = text.chars().take(TOLD_CHARS).collect();
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < TOLD && told.insert(format!("{kind} {text}")) {
            drop(told);
            let option = format!("WebSocketOptions::{kind}");
            tracing::warn!(kind, text, option, "WebSockets are refused");
        }
    }
}

/// The connections that pages have, by their origins [MXP-19.6]. The connections of programs have
/// no origin, and no bound.
#[derive(Debug, Default)]
struct Origins(Mutex<HashMap<String, usize>>);

impl Origins {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection, unless its origin has as many as it may.
    fn enter(self: &Arc<Self>, origin: Option<&str>, most: usize) -> Option<OriginSlot> {
        let Some(origin) = origin else {
            return Some(OriginSlot(None));
        };
        let mut counts = self.counts();
        let count = counts.get(origin).copied().unwrap_or_default();
        if count >= most {
            return None;
        }
        counts.insert(origin.to_owned(), count + 1);
        Some(OriginSlot(Some((Arc::clone(self), origin.to_owned()))))
    }
}

/// The place of a connection among the connections of its origin, until it is dropped.
#[derive(Debug)]
pub(super) struct OriginSlot(Option<(Arc<Origins>, String)>);

impl Drop for OriginSlot {
    fn drop(&mut self) {
        let Some((origins, origin)) = self.0.take() else {
            return;
        };
        let mut counts = origins.counts();
        match counts.get_mut(&origin) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(counts.remove(&origin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_an_origin_are_free_again() {
        let origins = Arc::<Origins>::default();
        let first = origins.enter(Some("a"), 2);
        let second = origins.enter(Some("a"), 2);
        assert!(first.is_some() && second.is_some());
        assert!(origins.enter(Some("a"), 2).is_none());
        assert!(origins.enter(Some("b"), 2).is_some());
        drop(first);
        assert!(origins.enter(Some("a"), 2).is_some());
        drop(second);
        assert!(origins.counts().is_empty());
    }
}
