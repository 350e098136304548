//! A package as the compiler would generate it, of two types.

use sdp::{AppendMessage, DecodeOptions, Dispatch, Error, Kind};

/// The type with id 7 is any bytes, but not 0xff; that with id 8 is empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    Blob(Vec<u8>),
    Empty,
}

impl AppendMessage for Message {
    fn append_message(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let (id, payload) = match self {
            Message::Blob(bytes) => (7, &bytes[..]),
            Message::Empty => (8, &[][..]),
        };
        if payload.contains(&0xff) {
            return Err(Error::new(Kind::ValueInvalid));
        }
        out.extend(header(id, payload.len()));
        out.extend(payload);
        Ok(())
    }
}

/// The layout text of blobs.
pub(crate) const BLOB_LAYOUT: &str = "0 struct test.Blob\n bytes bytes4\n";

impl Dispatch for Message {
    fn knows(type_id: u16) -> bool {
        type_id == 7 || type_id == 8
    }

    fn layout(type_id: u16) -> Option<String> {
        match type_id {
            7 => Some(String::from(BLOB_LAYOUT)),
            8 => Some(String::from("0 struct test.Empty\n")),
            _ => None,
        }
    }

    fn decode_message(message: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
        let id = sdp::read_type_id(message)?;
        let payload = sdp::payload(message, id, options.limits.message_bytes)?;
        match (id, payload.iter().position(|&byte| byte == 0xff)) {
            (_, Some(i)) => Err(Error::at(Kind::BoolInvalid, 10 + i, "blob")),
            (7, None) => Ok(Message::Blob(payload.to_vec())),
            (8, None) if payload.is_empty() => Ok(Message::Empty),
            (8, None) => Err(Error::at(Kind::TrailingBytes, 10, "")),
            _ => Err(sdp::unknown_type_id()),
        }
    }
}

pub(crate) fn header(id: u16, length: usize) -> Vec<u8> {
    let length = u32::try_from(length).unwrap();
    [&b"SDP2"[..], &id.to_le_bytes(), &length.to_le_bytes()].concat()
}

/// A message of any type, and of any length if that is another than the
/// payload's.
pub(crate) fn message(id: u16, payload: &[u8]) -> Vec<u8> {
    [&header(id, payload.len()), payload].concat()
}
