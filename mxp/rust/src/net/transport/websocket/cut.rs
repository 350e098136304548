//! Long messages, cut into short ones before the library reads them.
//!
//! The library keeps a message until all of it is there, and takes the memory that a header
//! promises. Messages of MXP are bytes that follow each other, so that any cut of them is as good
//! as another, and one need not fit into memory [MXP-19.3].

use core::fmt;
use core::pin::Pin;
use core::task::{ready, Context, Poll};
use std::boxed::Box;
use std::io::{self, Cursor};
use std::vec;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;

use super::head::{Head, Remainder};
use super::protocol::MESSAGE_BYTES;

/// The longest header of a frame.
const HEADER_BYTES: usize = 14;

/// The most bytes of a frame that is no part of a message.
const CONTROL_BYTES: u64 = 125;

/// A rule of RFC 6455 that a peer has broken.
#[derive(Debug)]
pub(super) struct Violation(&'static str);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Violation {}

/// A connection that is read in frames of `MESSAGE_BYTES` at most, each a message of its own.
pub(super) struct Cut<S> {
    socket: S,
    /// Bytes that were read, and not handed on where they lie between the two marks.
    read: Box<[u8]>,
    from: usize,
    to: usize,
    stage: Stage,
}

/// The kind of the next bytes.
enum Stage {
    Head(Head),
    /// Bytes that are no frames: the text of an answer that opens no WebSocket, or the bytes behind
    /// a frame that was refused.
    Body,
    Frames(Frames),
}

impl<S> Cut<S> {
    /// A connection on which hands are to be shaken.
    pub(super) fn new(socket: S, head: Head) -> Self {
        Self {
            socket,
            read: vec![0; MESSAGE_BYTES].into(),
            from: 0,
            to: 0,
            stage: Stage::Head(head),
        }
    }

    pub(super) const fn below(&self) -> &S {
        &self.socket
    }

    /// Takes what comes from now on for no frames.
    pub(super) fn stop(&mut self) {
        self.stage = Stage::Body;
    }

    /// Hands on bytes that were read, as far as there is room. No frames go with a head: the
    /// library would keep them as they are.
    fn hand_on(&mut self, room: &mut ReadBuf<'_>) -> io::Result<()> {
        let mut came = &self.read[self.from..self.to];
        match &mut self.stage {
            Stage::Head(head) => {
                let n = head.measure(&came[..came.len().min(room.remaining())]);
                put(&mut came, n, room);
                match head.behind() {
                    None => {}
                    Some(Remainder::Text) => {
                        self.stage = Stage::Body;
                        put(&mut came, MESSAGE_BYTES, room);
                    }
                    Some(Remainder::Frames) => self.stage = Stage::Frames(Frames::default()),
                }
            }
            Stage::Body => {
                put(&mut came, MESSAGE_BYTES, room);
            }
            Stage::Frames(frames) => frames.hand_on(&mut came, room)?,
        }
        self.from = self.to - came.len();
        Ok(())
    }
}

/// Moves so many bytes at most, as far as there is room, and returns how many.
fn put(input: &mut &[u8], most: usize, room: &mut ReadBuf<'_>) -> usize {
    let n = most.min(input.len()).min(room.remaining());
    let (now, later) = input.split_at(n);
    room.put_slice(now);
    *input = later;
    n
}

/// The frame that is being read, of which pieces are made.
#[derive(Default)]
struct Frames {
    /// The header of a piece, which is to be handed on between the two marks.
    header: [u8; HEADER_BYTES],
    from: usize,
    to: usize,
    /// How many bytes are left of the piece.
    piece: usize,
    /// How many bytes the frame has behind the piece.
    left: u64,
    /// The header that all pieces of the frame have, but for their lengths.
    of: FrameHeader,
    /// The kind of the message that goes on in a later frame.
    goes_on: Option<Data>,
}

impl Frames {
    /// Hands on the received bytes, as pieces.
    fn hand_on(&mut self, input: &mut &[u8], room: &mut ReadBuf<'_>) -> io::Result<()> {
        loop {
            let mut header = &self.header[self.from..self.to];
            self.from += put(&mut header, HEADER_BYTES, room);
            self.piece -= put(input, self.piece, room);
            let is_handed_on = self.from == self.to && self.piece == 0;
            if !is_handed_on || (self.left == 0 && !self.begin(input)?) {
                return Ok(());
            }
            let is_data = matches!(self.of.opcode, OpCode::Data(_));
            if is_data && self.left > 0 && input.is_empty() {
                return Ok(());
            }
            self.cut(if is_data { input.len() } else { MESSAGE_BYTES });
        }
    }

    /// Begins the next frame, if its header is there.
    fn begin(&mut self, input: &mut &[u8]) -> io::Result<bool> {
        let mut cursor = Cursor::new(*input);
        let header = FrameHeader::parse(&mut cursor).map_err(io::Error::other)?;
        let Some((mut header, bytes)) = header else {
            return Ok(false);
        };
        let read = usize::try_from(cursor.position()).unwrap_or(input.len());
        *input = &input[read..];
        if let OpCode::Data(kind) = header.opcode {
            let kind = match (kind, self.goes_on.take()) {
                (Data::Continue, Some(begun)) => begun,
                (Data::Continue, None) | (_, Some(_)) => {
                    return Err(io::Error::other(Violation(
                        "a frame goes on with no message",
                    )));
                }
                (begun, None) => begun,
            };
            self.goes_on = (!header.is_final).then_some(kind);
            (header.opcode, header.is_final) = (OpCode::Data(kind), true);
        } else if bytes > CONTROL_BYTES {
            return Err(io::Error::other(Violation(
                "a frame of control is too long",
            )));
        }
        (self.of, self.left) = (header, bytes);
        Ok(true)
    }

    /// Makes the next piece of the frame: as much of it as has come, so that nothing waits for
    /// the rest.
    fn cut(&mut self, most: usize) {
        self.piece = usize::try_from(self.left).map_or(most, |rest| rest.min(most));
        let bytes = self.piece as u64;
        let mut room = &mut self.header[..];
        // There is room for the longest header.
        let _ = self.of.format(bytes, &mut room);
        (self.from, self.to) = (0, HEADER_BYTES - room.len());
        self.left -= bytes;
        if let Some(mask) = &mut self.of.mask {
            mask.rotate_left(self.piece % 4);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Cut<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = room.filled().len();
        loop {
            this.hand_on(room)?;
            if room.filled().len() > before || room.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            // The beginning of a header is left.
            this.read.copy_within(this.from..this.to, 0);
            (this.from, this.to) = (0, this.to - this.from);
            let mut more = ReadBuf::new(&mut this.read[this.to..]);
            ready!(Pin::new(&mut this.socket).poll_read(cx, &mut more))?;
            let n = more.filled().len();
            if n == 0 {
                return Poll::Ready(Ok(()));
            }
            this.to += n;
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Cut<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
