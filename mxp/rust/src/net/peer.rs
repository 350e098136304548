//! The peer at the other end of a connection.

use core::any::Any;
use std::string::String;
#[cfg(feature = "tls")]
use std::string::ToString as _;
use std::sync::{OnceLock, Weak};
use std::vec::Vec;

use crate::net::mesh::Delivery;

/// The other side of a connection, as the transport tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Peer {
    /// The address that failures and the log name: for a client the server's address, for a server
    /// the address that the client connected from. A unix socket's clients have none: it is the
    /// socket's.
    pub address: String,
    /// How bytes come and go.
    pub transport: Transport,
    /// The program at the other end of a unix socket or a named pipe, where the system tells.
    pub process: Option<Process>,
    /// The peer's certificate, if TLS has verified its chain.
    pub certificate: Option<Certificate>,
}

/// The transport of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Transport {
    /// A unix socket.
    #[default]
    Unix,
    /// Memory that both sides share.
    #[cfg(feature = "shm")]
    Shm,
    /// TCP.
    Tcp,
    /// TLS over TCP.
    Tls,
    /// WebSocket, of the scheme `ws` or `wss`, or one that the program has registered under this
    /// scheme.
    Other(&'static str),
}

/// A running program of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Process {
    /// Number of the user that it runs as.
    pub user: u32,
    /// Number of the user's group.
    pub group: u32,
    /// Number of the process, where the system tells.
    pub id: Option<i32>,
    /// The user where users have no numbers, and `user` and `group` are the greatest.
    #[cfg(windows)]
    pub sid: Option<crate::net::Sid>,
}

/// A user, as the system knows it.
#[cfg(not(windows))]
pub(crate) type Account = u32;
#[cfg(windows)]
pub(crate) type Account = crate::net::Sid;

impl Process {
    /// A program of a user and a group.
    #[must_use]
    pub const fn new(user: u32, group: u32, id: Option<i32>) -> Self {
        Self {
            user,
            group,
            id,
            #[cfg(windows)]
            sid: None,
        }
    }

    /// A program at the other end of a pipe.
    #[cfg(windows)]
    pub(crate) fn of_windows(id: u32, user: crate::net::Sid) -> Self {
        Self {
            sid: Some(user),
            ..Self::new(u32::MAX, u32::MAX, i32::try_from(id).ok())
        }
    }

    /// The user that it runs as, if that is known.
    #[cfg_attr(
        not(windows),
        expect(clippy::unnecessary_wraps, reason = "Windows may not tell it")
    )]
    pub(crate) const fn account(&self) -> Option<Account> {
        #[cfg(windows)]
        return self.sid;
        #[cfg(not(windows))]
        Some(self.user)
    }
}

/// The identity that a verified certificate is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Certificate {
    /// Its distinguished name, as RFC 4514 writes it: `CN=mixer,O=Desk`.
    pub subject: String,
    /// The names of hosts that it is for.
    pub dns_names: Vec<String>,
    /// The URIs that it is for.
    pub uris: Vec<String>,
    /// The addresses of mail that it is for.
    pub emails: Vec<String>,
    /// Its number, in lower-case hexadecimal.
    pub serial: String,
    /// The hash of all of it, in lower-case hexadecimal.
    pub sha256: String,
}

/// The other side, as requests of it know it.
#[derive(Debug, Default)]
pub(crate) struct Remote {
    pub(crate) peer: Peer,
    /// The connection. A peer knows nothing of it but that a client can be made of it.
    pub(crate) connection: OnceLock<Weak<dyn Any + Send + Sync>>,
    /// How an event of the mesh was delivered. It came by no connection of the handler's.
    pub(crate) delivery: Option<Delivery>,
}

impl Remote {
    pub(crate) fn new(peer: Peer) -> Self {
        Self {
            peer,
            ..Self::default()
        }
    }
}

impl PartialEq for Remote {
    fn eq(&self, other: &Self) -> bool {
        self.peer == other.peer
    }
}

impl Eq for Remote {}

#[cfg(feature = "tls")]
impl Certificate {
    /// The identity that a certificate is for that was verified.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        use ring::digest::{digest, SHA256};
        use x509_cert::der::Decode as _;
        use x509_cert::ext::pkix::name::GeneralName;
        use x509_cert::ext::pkix::SubjectAltName;

        let mut identity = Self {
            sha256: hexadecimal(digest(&SHA256, bytes).as_ref()),
            ..Self::default()
        };
        let Ok(certificate) = x509_cert::Certificate::from_der(bytes) else {
            return identity;
        };
        let body = certificate.tbs_certificate;
        identity.subject = body.subject.to_string();
        let serial = hexadecimal(body.serial_number.as_bytes());
        identity.serial = serial.trim_start_matches('0').to_string();
        let names = body.get::<SubjectAltName>().ok().flatten();
        for name in names.map(|(_, names)| names.0).unwrap_or_default() {
            match name {
                GeneralName::DnsName(name) => identity.dns_names.push(name.to_string()),
                GeneralName::UniformResourceIdentifier(uri) => identity.uris.push(uri.to_string()),
                GeneralName::Rfc822Name(email) => identity.emails.push(email.to_string()),
                _ => {}
            }
        }
        identity
    }
}

#[cfg(feature = "tls")]
fn hexadecimal(bytes: &[u8]) -> String {
    use core::fmt::Write as _;
    let mut text = String::new();
    for byte in bytes {
        // A String takes all text.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
