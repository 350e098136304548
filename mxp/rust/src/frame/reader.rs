//! Frames from bytes that arrive in pieces [MXP-4].

use alloc::vec::Vec;

use crate::frame::decode::{begins, check, cut, open};
use crate::frame::{
    peek, Checksum, DecodeOptions, Error, Frame, FramePrefix, Header, HEADER_BYTES, TRAILER_BYTES,
};

/// Bytes that the buffer may have beyond the received ones and an eighth of them, and that it keeps
/// for the next frame [MXP-4.3].
const SPARE_BYTES: usize = 64 << 10;

/// Reads frames from bytes that arrive in pieces of any lengths.
///
/// A frame that lies whole in a piece is decoded there. The piece's part of another frame is copied
/// into a buffer, which grows with the received bytes and never with the promise of a header.
///
/// ```
/// use mxp::frame::{Checksum, DecodeOptions, Frame, FrameReader, Header, Type};
///
/// let frame = Frame { header: Header::new(Type::Event), payload: b"tick" };
/// let stream = frame.encode_to_vec(Checksum::On)?.repeat(3);
///
/// let mut reader = FrameReader::new(DecodeOptions::new(Checksum::On));
/// let mut count = 0;
/// for mut piece in stream.chunks(50) {
///     while let Some(frame) = reader.read(&mut piece)? {
///         assert_eq!(frame.payload, b"tick");
///         count += 1;
///     }
/// }
/// reader.finish()?;
/// assert_eq!(count, 3);
/// # Ok::<(), mxp::frame::Error>(())
/// ```
#[derive(Debug)]
pub struct FrameReader {
    options: DecodeOptions,
    /// The bytes that came of a frame that lay in no piece whole.
    buffer: Vec<u8>,
    state: State,
    /// How many bytes had come of the frame whose header was refused.
    refused_bytes: usize,
}

/// A frame that was read, and its payload if that lay in the piece.
pub(crate) type PieceFrame<'p> = (Header, Option<&'p [u8]>);

#[derive(Debug, Clone, Copy)]
enum State {
    /// The buffer is empty, or has a part of a header.
    Header,
    /// The buffer has a header, which was looked at, and a part of the bytes behind it.
    Body(FramePrefix),
    /// The buffer has a frame that was given to the caller.
    Given,
    Refused(Error),
}

impl FrameReader {
    /// Reads from the start of a frame.
    #[must_use]
    pub const fn new(options: DecodeOptions) -> Self {
        Self {
            options,
            buffer: Vec::new(),
            state: State::Header,
            refused_bytes: 0,
        }
    }

    /// Reads the next frame. The bytes that it takes are cut from the front of the piece; when
    /// there is no frame, all were taken, and the next piece is awaited.
    ///
    /// # Errors
    ///
    /// Names the first check that failed [MXP-3.1]; its offset counts from the
    /// first byte of the refused frame. That ends the stream, and every later read
    /// reports it again [MXP-4.4].
    #[inline]
    pub fn read<'a, 'p: 'a>(
        &'a mut self,
        piece: &mut &'p [u8],
    ) -> Result<Option<Frame<'a>>, Error> {
        match self.state {
            State::Header if self.buffer.is_empty() => {}
            State::Given => self.clear(),
            State::Refused(refusal) => return Err(refusal),
            State::Header | State::Body(_) => return self.gather(piece),
        }
        let bytes = *piece;
        if bytes.len() < HEADER_BYTES {
            return self.gather(piece);
        }
        let peeked = match peek(bytes, &self.options) {
            Ok(peeked) => peeked,
            Err(refusal) => return Err(self.refuse(refusal)),
        };
        let Some((bytes, rest)) = bytes.split_at_checked(peeked.frame_bytes()) else {
            self.state = State::Body(peeked);
            return self.gather(piece);
        };
        *piece = rest;
        if let Err(refusal) = check(bytes, &peeked, &self.options) {
            return Err(self.refuse(refusal));
        }
        Ok(Some(open(bytes, &peeked)))
    }

    /// Ends the stream, which is complete where a frame ends [MXP-4.5].
    ///
    /// # Errors
    ///
    /// [`Kind::Truncated`](crate::frame::Kind::Truncated) inside a frame, and the
    /// refusal that ended the stream before.
    pub fn finish(&mut self) -> Result<(), Error> {
        match self.state {
            State::Refused(refusal) => Err(refusal),
            State::Header | State::Body(_) if !self.buffer.is_empty() => {
                Err(self.refuse(cut(&self.buffer)))
            }
            _ => Ok(()),
        }
    }

    /// How many bytes of memory the reader holds.
    #[must_use]
    pub fn buffer_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// Reads the next frame as [`FrameReader::read`] does, but lends nothing: of a
    /// frame that lay in no piece whole, the payload is left in the buffer.
    #[inline]
    pub(crate) fn advance<'p>(
        &mut self,
        piece: &mut &'p [u8],
    ) -> Result<Option<PieceFrame<'p>>, Error> {
        let bytes = *piece;
        let Some(frame) = self.read(piece)? else {
            return Ok(None);
        };
        let (header, n) = (frame.header, frame.payload.len());
        if let State::Given = self.state {
            return Ok(Some((header, None)));
        }
        Ok(Some((header, Some(&bytes[HEADER_BYTES..][..n]))))
    }

    /// The payload of the frame that was read last, if it was left in the buffer.
    pub(crate) fn gathered(&self) -> &[u8] {
        payload_of(&self.buffer)
    }

    /// Takes the buffer out, for a look at a frame that was left in it.
    pub(crate) fn lend(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.buffer)
    }

    /// Puts back the buffer that was taken out.
    pub(crate) fn restore(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// Whether a frame has begun and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        matches!(self.state, State::Header | State::Body(_)) && !self.buffer.is_empty()
    }

    /// How many bytes have come of a frame that has not ended.
    pub(crate) fn buffered(&self) -> usize {
        match self.state {
            State::Header | State::Body(_) => self.buffer.len(),
            State::Given => 0,
            State::Refused(_) => self.refused_bytes,
        }
    }

    /// Looks at no trailer from here on.
    pub(crate) fn uncheck(&mut self) {
        self.options = DecodeOptions::new(Checksum::Off).with_limit(self.options.limit());
    }

    /// Gives back the memory of a buffer that has nothing which is still awaited.
    pub(crate) fn rest(&mut self) {
        if !self.is_inside() {
            if let State::Given = self.state {
                self.state = State::Header;
            }
            self.buffer = Vec::new();
        }
    }

    /// Continues the frame that the buffer has a part of.
    fn gather(&mut self, piece: &mut &[u8]) -> Result<Option<Frame<'_>>, Error> {
        if let State::Header = self.state {
            // No frame has less.
            self.take(piece, HEADER_BYTES, HEADER_BYTES + TRAILER_BYTES);
            if self.buffer.len() < HEADER_BYTES {
                // Bytes that begin no frame are refused at once [MXP-4.2].
                let refusal = begins(&self.buffer);
                self.refused_bytes = self.buffer.len();
                return refusal.map(|()| None).map_err(|why| self.refuse(why));
            }
            match peek(&self.buffer, &self.options) {
                Ok(peeked) => self.state = State::Body(peeked),
                Err(refusal) => {
                    self.refused_bytes = self.buffer.len();
                    return Err(self.refuse(refusal));
                }
            }
        }
        let State::Body(peeked) = self.state else {
            return Ok(None);
        };
        let whole = peeked.frame_bytes();
        self.take(piece, whole, whole);
        if self.buffer.len() < whole {
            return Ok(None);
        }
        if let Err(refusal) = check(&self.buffer, &peeked, &self.options) {
            return Err(self.refuse(refusal));
        }
        self.state = State::Given;
        Ok(Some(open(&self.buffer, &peeked)))
    }

    /// Moves bytes from the piece to the buffer until that has `end`. The buffer
    /// grows to no more than `most`.
    fn take(&mut self, piece: &mut &[u8], end: usize, most: usize) {
        let n = piece.len().min(end - self.buffer.len());
        let (taken, rest) = piece.split_at(n);
        *piece = rest;
        let received = self.buffer.len() + n;
        if received > self.buffer.capacity() {
            let room = most.min(received + received / 8 + SPARE_BYTES);
            self.buffer.reserve_exact(room - self.buffer.len());
        }
        self.buffer.extend_from_slice(taken);
    }

    /// Forgets the frame that was given, and the buffer's bytes beyond the bound for the next
    /// frame.
    fn clear(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(SPARE_BYTES);
        self.state = State::Header;
    }

    /// Makes a refusal the stream's last word. Nothing is held for it.
    #[cold]
    fn refuse(&mut self, refusal: Error) -> Error {
        self.state = State::Refused(refusal);
        self.buffer = Vec::new();
        refusal
    }
}

/// The payload of a frame, whose bytes these are.
pub(crate) fn payload_of(bytes: &[u8]) -> &[u8] {
    let end = bytes.len().saturating_sub(TRAILER_BYTES);
    bytes.get(HEADER_BYTES..end).unwrap_or_default()
}
