//! Streams of messages: one message in message mode behind the other
//! [WIRE-11.1].

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use std::io::{self, Read, Write};

use crate::header::{
    exceeds, of_preamble, payload_cut, payload_over_limit, read_stream_header, unknown_type_id,
};
use crate::layout_comparison::LayoutComparison;
use crate::{AppendMessage, DecodeOptions, Dispatch, Error, Kind, HEADER_BYTES, LAYOUT_TEXT_BYTES};

/// Reads the messages of one package from a source, one after the other.
///
/// `M` is the package's `Message`. The reader holds one message at a time, and
/// its buffer grows with the bytes that it has received, never with a length that
/// they declare. It reads no byte behind a message; each message takes several
/// reads of the source, so a file or socket is best wrapped in a
/// [`BufReader`](std::io::BufReader).
///
/// As an iterator it yields messages until the end of the stream. After a
/// [`Kind::TypeIdUnknown`](crate::Kind::TypeIdUnknown), whose message was
/// skipped, reading goes on; any other error is the last thing that it yields.
#[derive(Debug)]
pub struct MessageReader<R, M> {
    source: R,
    options: DecodeOptions,
    buffer: Vec<u8>,
    state: State,
    message: PhantomData<fn() -> M>,
}

#[derive(Debug)]
enum State {
    Open,
    Ended,
    Failed(StreamError),
}

impl<R: Read, M: Dispatch> MessageReader<R, M> {
    /// Reads messages from a source.
    pub const fn new(source: R) -> Self {
        Self {
            source,
            options: DecodeOptions::new(),
            buffer: Vec::new(),
            state: State::Open,
            message: PhantomData,
        }
    }

    /// Chooses how messages are decoded.
    #[must_use]
    pub fn with_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the source, which stands behind the last message that was read.
    pub fn into_inner(self) -> R {
        self.source
    }

    /// Reads the next message; at the end of the stream there is none.
    ///
    /// # Errors
    ///
    /// After a [`Kind::TypeIdUnknown`](crate::Kind::TypeIdUnknown), whose message
    /// was skipped, reading can go on. Any other error ends the stream, and every
    /// later read reports it again [WIRE-11.5].
    pub fn read(&mut self) -> Result<Option<M>, StreamError> {
        if !self.advance()? {
            return Ok(None);
        }
        let message = M::decode_message(&self.buffer, &self.options);
        message.map(Some).map_err(|error| self.fail(error.into()))
    }

    /// Reads the bytes of the next message, header included, for the package's
    /// `MessageRef` to borrow from; at the end of the stream there are none. Only
    /// the header has been checked. The bytes stay until the next read.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read), except refusals of a payload, which is not decoded. The
    /// reader doesn't learn whether the bytes are refused later: then a caller should read no
    /// further.
    pub fn read_message(&mut self) -> Result<Option<&[u8]>, StreamError> {
        Ok(self.advance()?.then_some(&self.buffer))
    }

    /// Brings the next message into the buffer, and reports whether there is one.
    fn advance(&mut self) -> Result<bool, StreamError> {
        match &self.state {
            State::Open => {}
            State::Ended => return Ok(false),
            State::Failed(error) => return Err(error.again()),
        }
        match self.receive() {
            Ok(NextPiece::Message) => Ok(true),
            Ok(NextPiece::End) => {
                self.state = State::Ended;
                Ok(false)
            }
            Ok(NextPiece::Skipped) => Err(unknown_type_id().into()),
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Makes an error the stream's last.
    fn fail(&mut self, error: StreamError) -> StreamError {
        self.state = State::Failed(error.again());
        error
    }

    fn receive(&mut self) -> Result<NextPiece, StreamError> {
        loop {
            self.buffer.clear();
            if self.fill(HEADER_BYTES as u64)? == 0 {
                return Ok(NextPiece::End);
            }
            let (is_preamble, type_id, length) = read_stream_header(&self.buffer)?;
            if !M::knows(type_id) {
                self.skip(length)?;
                if is_preamble {
                    continue;
                }
                return Ok(NextPiece::Skipped);
            }
            let mut most = self.options.limits.message_bytes;
            if is_preamble {
                most = most.min(LAYOUT_TEXT_BYTES);
            }
            if exceeds(length, most) {
                return Err(payload_over_limit().into());
            }
            if self.fill(length.into())? < u64::from(length) {
                return Err(payload_cut().into());
            }
            if !is_preamble {
                return Ok(NextPiece::Message);
            }
            check_preamble(
                &M::layout(type_id).unwrap_or_default(),
                &self.buffer[HEADER_BYTES..],
            )?;
        }
    }

    /// Appends up to `n` bytes to the buffer and returns how many there were.
    fn fill(&mut self, n: u64) -> io::Result<u64> {
        let source = self.source.by_ref();
        source
            .take(n)
            .read_to_end(&mut self.buffer)
            .map(|n| n as u64)
    }

    /// Passes the payload of a message whose type is unknown, without holding it
    /// [WIRE-11.4].
    fn skip(&mut self, length: u32) -> Result<(), StreamError> {
        let length = length.into();
        let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
        if skipped < length {
            return Err(payload_cut().into());
        }
        Ok(())
    }
}

/// Refuses a preamble whose layout text this side's own does not read [WIRE-11.9].
fn check_preamble(own: &str, text: &[u8]) -> Result<(), Error> {
    if own.as_bytes() == text {
        return Ok(());
    }
    let text = core::str::from_utf8(text).unwrap_or_default();
    let path = match LayoutComparison::new(own, text) {
        None => String::new(),
        Some(mut both) => match both.unread((0, 0), true) {
            None => return Ok(()),
            Some(difference) => difference.split(':').next().unwrap_or_default().to_string(),
        },
    };
    Err(Error::at(Kind::LayoutMismatch, HEADER_BYTES, path))
}

/// The next thing that came from the source.
enum NextPiece {
    Message,
    /// A message of an unknown type, which is gone.
    Skipped,
    End,
}

impl<R: Read, M: Dispatch> Iterator for MessageReader<R, M> {
    type Item = Result<M, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.state {
            State::Open => self.read().transpose(),
            State::Ended | State::Failed(_) => None,
        }
    }
}

impl<R: Read, M: Dispatch> FusedIterator for MessageReader<R, M> {}

/// Writes messages to a sink, one after the other. It holds one message at a
/// time, and gives each to the sink at once.
#[derive(Debug)]
pub struct MessageWriter<W> {
    sink: W,
    buffer: Vec<u8>,
}

impl<W: Write> MessageWriter<W> {
    /// Writes messages to a sink.
    pub const fn new(sink: W) -> Self {
        Self {
            sink,
            buffer: Vec::new(),
        }
    }

    /// Writes one message. A message that cannot be encoded writes nothing.
    ///
    /// # Errors
    ///
    /// The refusal of a message that cannot be encoded, or the sink's error; after an error of the
    /// sink a part of the message may have been written.
    pub fn write<M: AppendMessage + ?Sized>(&mut self, message: &M) -> Result<(), StreamError> {
        self.buffer.clear();
        message.append_message(&mut self.buffer)?;
        self.sink.write_all(&self.buffer)?;
        Ok(())
    }

    /// Writes the layout text of a type in front of its messages, which readers hold
    /// against their own [WIRE-11.7]. Of a generated type `T` the id is `T::TYPE_ID` and
    /// the text `T::layout()`. Readers of releases before 0.4 refuse it as another version.
    ///
    /// # Errors
    ///
    /// A text of more than [`LAYOUT_TEXT_BYTES`] is a
    /// [`Kind::ValueTooLarge`](crate::Kind::ValueTooLarge); others are the sink's.
    pub fn write_preamble(&mut self, type_id: u16, layout: &str) -> Result<(), StreamError> {
        self.buffer.clear();
        self.buffer.extend(of_preamble(type_id, layout)?);
        self.buffer.extend(layout.as_bytes());
        self.sink.write_all(&self.buffer)?;
        Ok(())
    }

    /// Flushes the sink.
    ///
    /// # Errors
    ///
    /// The errors of the sink.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    /// Returns the sink, which is not flushed.
    pub fn into_inner(self) -> W {
        self.sink
    }
}

/// An error that ends or disturbs a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// The source or sink reported an error.
    Io(io::Error),
    /// A message was refused. Its offset counts from the start of its header.
    Refused(Error),
}

impl StreamError {
    /// The same error, to be reported once more; of an I/O error the kind and the
    /// text.
    fn again(&self) -> Self {
        match self {
            Self::Io(error) => Self::Io(io::Error::new(error.kind(), error.to_string())),
            Self::Refused(error) => Self::Refused(error.clone()),
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Refused(_) => None,
        }
    }
}

impl From<io::Error> for StreamError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for StreamError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<StreamError> for io::Error {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Io(error) => error,
            StreamError::Refused(error) => error.into(),
        }
    }
}
