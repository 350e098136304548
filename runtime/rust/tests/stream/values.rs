//! Single values in sources and sinks.

use std::io::{self, ErrorKind, Read};

use sdp::wire::{Declared, Decode, Decoder, Encode, Identified, LayoutPart, Value, Writer};
use sdp::{DecodeOptions, Error, Kind, Limits, MessageReader, MessageWriter, ReadFrom, WriteTo};

use crate::package::{message, Message};
use crate::sources::{Failing, Full, Trickle};

/// The code that the compiler would make of `@id(7) struct Pair { a: u8, b: u8 }` that
/// can't hold 255 in `b`.
#[derive(Debug, PartialEq)]
struct Pair(u8, u8);

impl Declared for Pair {
    fn sdp_layout() -> &'static LayoutPart {
        static PART: LayoutPart = LayoutPart::new("struct a.Pair\n a u8\n b u8\n", &[]);
        &PART
    }
}

impl Value for Pair {
    type Declared = Self;
    const FACTOR: usize = 1;
}

impl Identified for Pair {
    const TYPE_ID: u16 = 7;
}

impl Encode for Pair {
    fn sdp_size(&self, _: usize) -> usize {
        2
    }

    fn sdp_encode(&self, w: &mut Writer<'_>, _: usize) {
        w.run([self.0, self.1]);
        if self.1 == 255 {
            let _ = w.enter(usize::MAX); // too deep
        }
    }

    fn sdp_check(&self, _: bool, _: usize) -> Result<(), Error> {
        match self.1 {
            255 => Err(Error::new(Kind::ValueInvalid).in_field("b")),
            _ => Ok(()),
        }
    }
}

impl Decode<'_> for Pair {
    fn sdp_decode(_: &mut Decoder, s: &mut &[u8], _: usize) -> Option<Self> {
        let (&[a, b], rest) = s.split_first_chunk()?;
        *s = rest;
        Some(Self(a, b))
    }
}

fn refusal(error: &io::Error) -> &Error {
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    error.get_ref().unwrap().downcast_ref().unwrap()
}

#[test]
fn values_go_out_and_in() {
    let mut bytes = Vec::new();
    Pair(1, 2).write_to(&mut bytes).unwrap();
    assert_eq!(bytes, [1, 2]);
    assert_eq!(Pair::read_from(&mut &bytes[..]).unwrap(), Pair(1, 2));
}

#[test]
fn values_trickle_and_are_interrupted() {
    let mut sink = Trickle::new(Vec::new());
    Pair(1, 2).write_to(&mut sink).unwrap();
    let mut source = Trickle::new(&sink.inner[..]);
    assert_eq!(Pair::read_from(&mut source).unwrap(), Pair(1, 2));
}

#[test]
fn sources_and_sinks_may_be_of_unknown_type() {
    let mut bytes = Vec::new();
    let sink: &mut dyn io::Write = &mut bytes;
    Pair(1, 2).write_to(sink).unwrap();
    let source: &mut dyn Read = &mut &bytes[..];
    assert_eq!(Pair::read_from(source).unwrap(), Pair(1, 2));
}

#[test]
fn refusals_are_invalid_data() {
    let error = Pair::read_from(&mut &[1][..]).unwrap_err();
    assert_eq!(*refusal(&error), Error::at(Kind::Truncated, 1, "b"));
    let error = Pair::read_from(&mut &[1, 2, 3][..]).unwrap_err();
    assert_eq!(*refusal(&error), Error::at(Kind::TrailingBytes, 2, ""));
    let mut bytes = Vec::new();
    let error = Pair(1, 255).write_to(&mut bytes).unwrap_err();
    assert_eq!(
        *refusal(&error),
        Error::new(Kind::ValueInvalid).in_field("b")
    );
    assert!(bytes.is_empty());
}

#[test]
fn failing_sources_and_sinks_are_reported() {
    let reset = ErrorKind::ConnectionReset;
    assert_eq!(Pair::read_from(&mut Failing(1)).unwrap_err().kind(), reset);
    for n in [0, 1] {
        let error = Pair(1, 2).write_to(&mut Failing(n)).unwrap_err();
        assert_eq!(error.kind(), reset);
    }
    let error = Pair(1, 2).write_to(&mut Full).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
}

#[test]
fn endless_sources_end_at_the_limit() {
    let limits = Limits::new().with_message_bytes(1000);
    let options = DecodeOptions::new().with_limits(limits);
    let mut source = io::repeat(1).take(1 << 40);
    let error = Pair::read_from_with(&mut source, &options).unwrap_err();
    assert_eq!(*refusal(&error), Error::at(Kind::LimitMessageBytes, 0, ""));
    assert_eq!(source.limit(), (1 << 40) - 1001);
    let limits = Limits::new().with_message_bytes(usize::MAX);
    let options = DecodeOptions::new().with_limits(limits);
    let pair = Pair::read_from_with(&mut &[1, 2][..], &options).unwrap();
    assert_eq!(pair, Pair(1, 2));
}

#[test]
fn types_with_an_id_are_written_as_messages() {
    let mut writer = MessageWriter::new(Vec::new());
    writer.write(&Pair(1, 2)).unwrap();
    let stream = writer.into_inner();
    assert_eq!(stream, message(7, &[1, 2]));
    let read = MessageReader::<_, Message>::new(&stream[..])
        .read()
        .unwrap();
    assert_eq!(read, Some(Message::Blob(vec![1, 2])));
}
