//! The options of connections over WebSocket.

use core::fmt;
use std::string::String;
use std::vec::Vec;

use super::host::bare;
use crate::session::ORIGIN_CONNECTIONS;

/// The most characters of a token.
const TOKEN_BYTES: usize = 256;

/// The options of connections over WebSocket: the clients that a server lets in, and a client's
/// proof that it may connect [MXP-19.5].
///
/// Without options a server lets in programs and pages that name it by a literal loopback
/// address, by `localhost` or a name under that, the pages only where they have come from there,
/// too. The log is told the first time that a host or an origin is refused.
///
/// ```
/// use mxp::net::transport::WebSocketOptions;
/// use mxp::net::Server;
///
/// let options = WebSocketOptions::new()
///     .host("studio.example")
///     .origin("https://studio.example")
///     .token("c9f2-77");
/// let server = Server::new().websocket(options);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct WebSocketOptions {
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) token: Option<String>,
    pub(super) origin_connections: usize,
}

impl Default for WebSocketOptions {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            token: None,
            origin_connections: ORIGIN_CONNECTIONS,
        }
    }
}

impl WebSocketOptions {
    /// Loopback addresses and names alone, and no token.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name or an address, without a port, by which openers may name the server. A request
    /// with another `Host` is refused: a page can make its own name lead to this machine.
    ///
    /// # Panics
    ///
    /// If it has a port or brackets, or is empty: it would never be named.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        let host = host.into();
        assert!(
            !host.is_empty() && bare(&host) == host,
            "{host:?} is no host without port and brackets"
        );
        self.hosts.push(host);
        self
    }

    /// Adds an origin of pages that are let in, as browsers write it: `https://studio.example`,
    /// `http://10.0.0.7:3000`.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets the token, which clients show and servers want. It is no part of an address.
    ///
    /// # Panics
    ///
    /// If it is not 1 to 256 letters, digits, `-` and `_`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        let token = token.into();
        let is_known = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
        assert!(
            (1..=TOKEN_BYTES).contains(&token.len()) && token.bytes().all(is_known),
            "a token is of 1 to {TOKEN_BYTES} letters, digits, - and _"
        );
        self.token = Some(token);
        self
    }

    /// Replaces how many connections pages of one origin have at a time (64).
    pub fn origin_connections(mut self, connections: usize) -> Self {
        self.origin_connections = connections;
        self
    }
}

/// The token is a secret.
impl fmt::Debug for WebSocketOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketOptions")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("origin_connections", &self.origin_connections)
            .finish_non_exhaustive()
    }
}
