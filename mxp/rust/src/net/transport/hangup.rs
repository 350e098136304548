//! Finds out that a peer has hung up while nothing is read.

use core::any::Any;
use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll};
use std::boxed::Box;
use std::io;

use tokio::io::{Interest, Ready};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

use super::Socket;

/// Whether a socket's peer has ended its direction, or is gone, as far as that is known: it is
/// known of the system's sockets, and of this crate's transports over them.
pub(crate) fn has_hung_up(socket: &(dyn Socket + 'static), cx: &mut Context<'_>) -> bool {
    is_known(socket.itself(), cx)
}

fn is_known(socket: &dyn Any, cx: &mut Context<'_>) -> bool {
    #[cfg(unix)]
    if let Some(socket) = socket.downcast_ref::<UnixStream>() {
        return is_closed(socket.ready(Interest::READABLE), cx);
    }
    #[cfg(unix)]
    if let Some(socket) = socket.downcast_ref::<super::unix::Stream>() {
        return socket.has_hung_up(cx);
    }
    #[cfg(feature = "shm")]
    if let Some(socket) = socket.downcast_ref::<super::shm::task::Socket>() {
        return socket.has_hung_up(cx);
    }
    #[cfg(feature = "websocket")]
    if let Some(socket) = socket.downcast_ref::<super::websocket::Messages>() {
        return has_hung_up(socket.below(), cx);
    }
    #[cfg(feature = "tls")]
    if let Some(socket) = socket.downcast_ref::<tokio_rustls::server::TlsStream<TcpStream>>() {
        return is_known(socket.get_ref().0, cx);
    }
    #[cfg(feature = "tls")]
    if let Some(socket) = socket.downcast_ref::<tokio_rustls::client::TlsStream<TcpStream>>() {
        return is_known(socket.get_ref().0, cx);
    }
    if let Some(socket) = socket.downcast_ref::<Box<dyn Socket>>() {
        return has_hung_up(&**socket, cx);
    }
    let socket = socket.downcast_ref::<TcpStream>();
    socket.is_some_and(|socket| is_closed(socket.ready(Interest::READABLE), cx))
}

/// Whether nothing more comes behind the bytes that have come, as far as is known now.
pub(super) fn is_closed(
    ready: impl Future<Output = io::Result<Ready>>,
    cx: &mut Context<'_>,
) -> bool {
    let now = pin!(ready).poll(cx);
    matches!(now, Poll::Ready(Ok(known)) if known.is_read_closed())
}
