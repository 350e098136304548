//! A WebSocket as bytes: the bytes of its binary messages, one behind another [MXP-19.3].

use core::future::Future as _;
use core::pin::Pin;
use core::task::{ready, Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::io::{self, IoSlice};
use std::vec::Vec;

use bytes::{Buf as _, Bytes};
use futures_core::Stream as _;
use futures_sink::Sink as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{sleep, Sleep};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::WebSocketStream;

use super::admission::OriginSlot;
use super::cut::{Cut, Violation};
use super::protocol::MESSAGE_BYTES;
use crate::net::transport::Socket;

/// The time that a side which has refused a message waits for the other's end [MXP-19.4].
const CLOSE_TIME: Duration = Duration::from_secs(5);

/// Bytes that are read at once, when they are passed over.
const PASSED_OVER_BYTES: usize = 512;

/// How many messages are read without bytes, before it is the turn of other connections.
const EMPTY_MESSAGES: usize = 64;

/// The library's connection.
pub(super) type WebSocket = WebSocketStream<Cut<Box<dyn Socket>>>;

/// A WebSocket, as the bytes of its messages.
pub(in crate::net::transport) struct Messages {
    socket: WebSocket,
    /// Bytes of a message that have come and were not read.
    came: Bytes,
    end: End,
    /// The place among the connections of its origin, for as long as the connection is there.
    _admitted: Option<OriginSlot>,
}

/// How the connection ends.
enum End {
    /// It does not.
    Open,
    /// This side has said that it does.
    Said,
    /// The peer has said so, and is answered.
    Heard,
    /// A message was refused, and the peer's end is awaited until then.
    Refused(Pin<Box<Sleep>>),
    /// An invalid frame was refused, and later bytes are passed over until then.
    Violated(Pin<Box<Sleep>>),
}

impl Messages {
    /// The connection below.
    pub(in crate::net::transport) fn below(&self) -> &(dyn Socket + 'static) {
        &**self.socket.get_ref().below()
    }

    pub(super) fn new(socket: WebSocket, admitted: Option<OriginSlot>) -> Self {
        Self {
            socket,
            came: Bytes::new(),
            end: End::Open,
            _admitted: admitted,
        }
    }

    /// Says that the connection ends, behind what was written before.
    fn say_end(&mut self, code: CloseCode, reason: &'static str) -> Result<(), Error> {
        let reason = reason.into();
        let frame = CloseFrame { code, reason };
        Pin::new(&mut self.socket).start_send(Message::Close(Some(frame)))
    }

    /// Refuses a message of text.
    fn refuse(&mut self) {
        // Where this can't be said any more, the connection is at its end already.
        let _ = self.say_end(CloseCode::Unsupported, "only binary messages are taken");
        self.end = End::Refused(Box::pin(sleep(CLOSE_TIME)));
    }

    /// Refuses what is no frame of RFC 6455.
    fn refuse_frame(&mut self) {
        let _ = self.say_end(CloseCode::Protocol, "a frame that is none");
        self.socket.get_mut().stop();
        self.end = End::Violated(Box::pin(sleep(CLOSE_TIME)));
    }

    fn poll_flushed(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx).map_err(broken)
    }

    /// Reads the next message, unless there is none any more. A text without UTF-8 is a text all
    /// the same.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Message>>> {
        let message = ready!(Pin::new(&mut self.socket).poll_next(cx));
        Poll::Ready(match message {
            Some(Err(Error::Utf8(_))) => Ok(Some(Message::text(""))),
            other => other.transpose().map_err(broken),
        })
    }

    /// Goes on towards the end of the connection, unless that is far. Until then there may be
    /// more to be read.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<()>>> {
        match &mut self.end {
            End::Open | End::Said => Poll::Ready(None),
            End::Heard => self.poll_flushed(cx).map(|_| Some(Ok(()))),
            End::Refused(until) => {
                let is_late = until.as_mut().poll(cx).is_ready();
                let _ = self.poll_flushed(cx);
                Poll::Ready(is_late.then(|| Err(text_came())))
            }
            End::Violated(until) => {
                let is_late = until.as_mut().poll(cx).is_ready();
                if self.poll_flushed(cx).is_ready() {
                    let _ = Pin::new(self.socket.get_mut()).poll_shutdown(cx);
                }
                if !is_late {
                    ready!(self.poll_passed_over(cx));
                }
                Poll::Ready(Some(Err(frame_is_none())))
            }
        }
    }

    /// Passes over what comes, until the peer has ended.
    fn poll_passed_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; PASSED_OVER_BYTES];
        for _ in 0..EMPTY_MESSAGES {
            let mut room = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(self.socket.get_mut()).poll_read(cx, &mut room));
            if read.is_err() || room.filled().is_empty() {
                return Poll::Ready(());
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Takes pieces to be written, as one message.
    fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(Pin::new(&mut self.socket).poll_ready(cx)).map_err(broken)?;
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        let mut message = Vec::with_capacity(bytes.min(MESSAGE_BYTES));
        for piece in pieces {
            let room = MESSAGE_BYTES - message.len();
            message.extend_from_slice(&piece[..piece.len().min(room)]);
        }
        let n = message.len();
        let sent = Pin::new(&mut self.socket).start_send(Message::binary(message));
        Poll::Ready(sent.map(|()| n).map_err(broken))
    }
}

/// Why nothing comes any more of a peer that has sent text.
fn text_came() -> io::Error {
    io::Error::other("the peer has sent a message of text")
}

/// Why nothing comes any more of a peer that has sent what is no frame.
fn frame_is_none() -> io::Error {
    io::Error::other("the peer has sent a frame that is none")
}

/// Whether a peer has broken the rules of RFC 6455, by a refusal of the library or of `Cut`.
fn is_violation(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|inner| inner.is::<Error>() || inner.is::<Violation>())
}

/// The error of a connection that is broken, or at its end.
fn broken(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            io::ErrorKind::UnexpectedEof.into()
        }
        Error::Protocol(ProtocolError::SendAfterClosing) => io::ErrorKind::BrokenPipe.into(),
        other => io::Error::other(other),
    }
}

impl AsyncRead for Messages {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(end) = ready!(this.poll_end(cx)) {
            return Poll::Ready(end);
        }
        let is_refused = matches!(this.end, End::Refused(_));
        for _ in 0..EMPTY_MESSAGES {
            if !this.came.is_empty() {
                let n = this.came.len().min(room.remaining());
                room.put_slice(&this.came[..n]);
                this.came.advance(n);
                return Poll::Ready(Ok(()));
            }
            let message = match ready!(this.poll_message(cx)) {
                Err(error) if is_violation(&error) && !is_refused => {
                    this.refuse_frame();
                    return Pin::new(this).poll_read(cx, room);
                }
                other => other?,
            };
            match message {
                Some(Message::Close(_)) | None if is_refused => {
                    return Poll::Ready(Err(text_came()));
                }
                Some(Message::Close(_)) | None => {
                    this.end = End::Heard;
                    return Pin::new(this).poll_read(cx, room);
                }
                Some(_) if is_refused => {}
                Some(Message::Binary(bytes)) => this.came = bytes,
                Some(Message::Text(_)) => {
                    this.refuse();
                    return Pin::new(this).poll_read(cx, room);
                }
                // The library answers all messages without data.
                Some(_) => {}
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl AsyncWrite for Messages {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_send(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_send(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_flushed(cx)
    }

    /// Ends both directions, behind what was written [MXP-19.4].
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let End::Open = this.end {
            ready!(Pin::new(&mut this.socket).poll_ready(cx)).map_err(broken)?;
            this.say_end(CloseCode::Normal, "").map_err(broken)?;
            this.end = End::Said;
        }
        this.poll_flushed(cx)
    }
}
