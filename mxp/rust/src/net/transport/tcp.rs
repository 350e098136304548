//! TCP.

#[cfg(feature = "blocking")]
use core::time::Duration;
use std::borrow::ToOwned as _;
#[cfg(feature = "tokio")]
use std::boxed::Box;
use std::io;
#[cfg(feature = "tokio")]
use std::string::String;
use std::string::ToString as _;

use socket2::{SockRef, TcpKeepalive};
#[cfg(feature = "tokio")]
use tokio::net::{TcpListener, TcpStream};

use super::Provider;
#[cfg(feature = "tokio")]
use super::{EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending};
use crate::engine::outage::unusable;
use crate::net::Address;
#[cfg(target_os = "linux")]
use crate::session::UNSENT_BYTES;

pub(crate) const SCHEME: &str = "tcp";

/// TCP, which protects nothing.
pub(crate) struct Tcp;

impl Provider for Tcp {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "host:port"
    }

    fn address(&self, place: &str) -> Option<Address> {
        is_authority(place).then(|| Address::Tcp(place.to_owned()))
    }

    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async { Ok(EstablishedConnection::new(connect(place).await?)) })
    }

    #[cfg(feature = "tokio")]
    fn listen<'a>(&'a self, place: &'a str, _: ListenOptions) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move { Ok(Box::new(TcpListener::bind(place).await?) as _) })
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<std::boxed::Box<dyn crate::net::transport::blocking::Socket>> {
        let stream = std::net::TcpStream::connect(place).map_err(explained)?;
        tune(&stream)?;
        stream.set_write_timeout(Some(stall))?;
        Ok(std::boxed::Box::new(stream))
    }
}

#[cfg(feature = "tokio")]
impl Listener for TcpListener {
    fn place(&self) -> io::Result<String> {
        Ok(self.local_addr()?.to_string())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let (stream, place) = accept(self).await?;
            Ok(
                IncomingConnection::new(async { Ok(EstablishedConnection::new(stream)) })
                    .from(place),
            )
        })
    }
}

/// Connects a socket that is tuned.
#[cfg(feature = "tokio")]
pub(super) async fn connect(place: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(place).await.map_err(explained)?;
    tune(&stream)?;
    Ok(stream)
}

/// Accepts a socket that is tuned, and says from where it comes.
#[cfg(feature = "tokio")]
pub(super) async fn accept(listener: &TcpListener) -> io::Result<(TcpStream, String)> {
    let (stream, from) = listener.accept().await?;
    tune(&stream)?;
    Ok((stream, from.to_string()))
}

/// Makes a socket one that sends at once, keeps little that is not sent, and finds out
/// that its peer is gone.
fn tune<'s, S>(socket: &'s S) -> io::Result<()>
where
    SockRef<'s>: From<&'s S>,
{
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(core::time::Duration::from_secs(15))
        .with_interval(core::time::Duration::from_secs(5))
        .with_retries(2);
    // Not every system has each of these, and none needs them.
    let _ = socket.set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_notsent_lowat(u32::try_from(UNSENT_BYTES).unwrap_or(u32::MAX));
    Ok(())
}

/// An error that is final where the host is not known. The standard library says so, and
/// that nobody could be asked, by the system's words alone.
fn explained(error: io::Error) -> io::Error {
    let text = error.to_string();
    let is_temporary = ["Temporary failure", "Try again", "try again"];
    let is_unknown_host = text.contains("failed to lookup address information")
        && !is_temporary.iter().any(|words| text.contains(words));
    if is_unknown_host {
        return unusable(text).into();
    }
    error
}

/// Whether a text is a host, a colon, and a port.
pub(super) fn is_authority(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    let is_bare = !host.contains([':', '/', '[', ']']);
    let is_bracketed = host.len() > 2 && host.starts_with('[') && host.ends_with(']');
    let is_port = port.bytes().all(|c| c.is_ascii_digit()) && port.parse::<u16>().is_ok();
    !host.is_empty() && (is_bare || is_bracketed) && is_port
}
