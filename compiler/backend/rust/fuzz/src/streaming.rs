//! Streams of messages that arrive in pieces.

use std::io::{self, Read};

use golden::shapes::{Absent, Message};
use sdp::{Error, Kind, MessageReader, StreamError, HEADER_BYTES};

/// Reads a stream at once and in pieces, whose sizes the first byte chooses, and compares each
/// message with the dispatcher's result for its bytes.
pub fn stream(data: &[u8]) {
    let Some((piece, data)) = data.split_first() else {
        return;
    };
    let mut whole = MessageReader::<_, Message>::new(data);
    let mut pieces = MessageReader::<_, Message>::new(Pieces {
        data,
        piece: *piece,
    });
    let mut rest = data;
    loop {
        let read = verdict(whole.read());
        assert_eq!(verdict(pieces.read()), read);
        let Some(n) = next(rest, &read) else {
            assert_eq!(
                verdict(whole.read()).err(),
                read.err(),
                "the end stays the end"
            );
            return;
        };
        rest = &rest[n..];
    }
}

type Verdict = Result<Option<Message>, Error>;

fn verdict(read: Result<Option<Message>, StreamError>) -> Verdict {
    read.map_err(|error| match error {
        StreamError::Refused(refusal) => refusal,
        error => panic!("{error} comes from no source"),
    })
}

/// Compares what a reader says with the message that comes next, and returns how
/// long that is, or nothing if it is the last.
fn next(rest: &[u8], read: &Verdict) -> Option<usize> {
    let Some(header) = rest.first_chunk::<HEADER_BYTES>() else {
        let cut = Absent::decode_message(rest)
            .err()
            .filter(|_| !rest.is_empty());
        assert_eq!(read.as_ref().err(), cut.as_ref());
        assert!(!matches!(read, Ok(Some(_))));
        return None;
    };
    let [.., n0, n1, n2, n3] = *header;
    let length = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
    let end = length.saturating_add(HEADER_BYTES);
    let dispatched = Message::decode(&rest[..end.min(rest.len())]);
    match dispatched {
        Err(refusal) if is_cut(&refusal, end > rest.len()) => {
            let want = Error::at(Kind::Truncated, 6, "");
            assert_eq!(read.as_ref().err(), Some(&want));
            None
        }
        Err(refusal) => {
            assert_eq!(read.as_ref().err(), Some(&refusal));
            (refusal.kind == Kind::TypeIdUnknown).then_some(end)
        }
        Ok(message) => {
            assert_eq!(read.as_ref(), Ok(&Some(message)));
            Some(end)
        }
    }
}

/// A slice that ends too early has a wrong length, and a stream is cut.
fn is_cut(refusal: &Error, is_short: bool) -> bool {
    refusal.kind == Kind::PayloadLength || is_short && refusal.kind == Kind::TypeIdUnknown
}

/// Yields some bytes at a time, and is interrupted now and then.
struct Pieces<'a> {
    data: &'a [u8],
    piece: u8,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.piece = self.piece.wrapping_mul(5).wrapping_add(3);
        if self.piece % 8 == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = out.len().min(usize::from(self.piece % 32) + 1);
        self.data.read(&mut out[..n])
    }
}
